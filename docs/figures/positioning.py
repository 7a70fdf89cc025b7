"""Draw positioning.svg of docs/tensors.md: the loss on a grid, and two searches from one guess.

PYTHONPATH=src python docs/figures/positioning.py
"""

from __future__ import annotations

from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np

import tfpy as tf

WIDTH, HEIGHT, SCALE, LEFT, TOP = 720, 460, 62, 24, 44
LEVELS = [0.05, 0.2, 0.5, 1, 2, 4, 7, 11, 16]
COLORS = ["#08519c", "#2171b5", "#4292c6", "#6baed6", "#9ecae1", "#c6dbef", "#deebf7", "#eff6fc"]
CAPTION = "The loss of each position in the room, 8 m × 6 m: the darker, the smaller"
STEP = 0.1  # metres between positions of the map

beacons = tf.constant([[0.0, 0.0], [8.0, 0.0], [8.0, 5.0], [3.0, 6.0], [0.0, 4.0]])
phone = tf.constant([5.0, 2.0])
measured = tf.norm(beacons - phone, axis=1) + 0.1 * tf.random.stateless_normal([5], seed=[1, 2])


def distances(position: Any) -> Any:
    """Return the distances between a position and the beacons."""
    return tf.norm(beacons - position, axis=-1)


def descent(steps: int) -> list[Any]:
    """Return the positions of gradient descent."""
    position = tf.Variable([1.0, 5.0])
    path = [position.numpy().copy()]
    for _ in range(steps):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((distances(position) - measured) ** 2)
        position.assign_sub(0.5 * tape.gradient(loss, position))
        path.append(position.numpy().copy())
    return path


def gauss_newton(steps: int) -> list[Any]:
    """Return the positions of the Gauss–Newton method."""
    position = tf.Variable([1.0, 5.0])
    path = [position.numpy().copy()]
    for _ in range(steps):
        with tf.GradientTape() as tape:
            residuals = distances(position) - measured
        slopes = tape.jacobian(residuals, position)
        position.assign_sub(tf.linalg.lstsq(slopes, residuals[:, tf.newaxis])[:, 0])
        path.append(position.numpy().copy())
    return path


def point(position: Any) -> tuple[float, float]:
    """Return the place of a position in the drawing."""
    return LEFT + SCALE * float(position[0]), TOP + SCALE * (6 - float(position[1]))


def loss_map() -> list[str]:
    """Return one path for each color; equal neighbors of a row are one rectangle."""
    x, y = np.arange(STEP / 2, 8, STEP), np.arange(STEP / 2, 6, STEP)
    grid = np.stack(np.meshgrid(x, y), -1).astype(np.float32)
    losses = tf.reduce_mean((distances(grid[:, :, None, :]) - measured) ** 2, -1).numpy()
    bands = np.digitize(losses, LEVELS)
    paths: dict[int, list[str]] = {}
    for row, line in enumerate(bands):
        start = 0
        for band, cells in groupby(line.tolist()):
            count = len(list(cells))
            left, top = point((start * STEP, (row + 1) * STEP))
            width, height = count * STEP * SCALE, STEP * SCALE
            paths.setdefault(band, []).append(
                f"M{left:.1f} {top:.1f}h{width:.1f}v{height:.1f}h-{width:.1f}z"
            )
            start += count
    return [
        f'<path fill="{COLORS[band]}" d="{"".join(parts)}"/>'
        for band, parts in sorted(paths.items())
        if band < len(COLORS)
    ]


def line(path: list[Any], name: str) -> list[str]:
    """Return a path with a dot for each of its positions."""
    places = [point(position) for position in path]
    corners = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
    dots = [f'<circle class="{name}" cx="{x:.1f}" cy="{y:.1f}" r="4"/>' for x, y in places]
    return [f'<polyline class="{name}" points="{corners}"/>', *dots]


def drawing() -> str:
    """Return the whole figure."""
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img">',
        "<title>Loss of each position in the room, with the paths of two searches</title>",
        "<style>",
        "  text { font: 13px system-ui, sans-serif; fill: #1f2328 }",
        "  .descent { stroke: #cf222e; fill: #cf222e }",
        "  polyline.descent { fill: none; stroke-width: 2 }",
        "  .newton { stroke: #1a7f37; fill: #fff; stroke-width: 2 }",
        "  polyline.newton { fill: none; stroke-dasharray: 6 4 }",
        "  .room { fill: none; stroke: #8c959f }",
        "  .beacon { fill: #1f2328 } .phone { fill: none; stroke: #ffd33d; stroke-width: 3 }",
        "</style>",
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>',
        f'<text x="{LEFT}" y="20">{CAPTION}</text>',
        f'<g shape-rendering="crispEdges">{"".join(loss_map())}</g>',
        f'<rect class="room" x="{LEFT}" y="{TOP}" width="{8 * SCALE}" height="{6 * SCALE}"/>',
        *line(descent(30), "descent"),
        *line(gauss_newton(3), "newton"),
    ]
    for position in beacons.numpy():
        x, y = point(position)
        parts.append(
            f'<rect class="beacon" x="{x - 6:.1f}" y="{y - 6:.1f}" width="12" height="12"/>'
        )
    x, y = point(phone)
    parts.append(f'<circle class="phone" cx="{x}" cy="{y}" r="11"/>')
    legend = 546
    rows = [
        f'<rect class="beacon" x="{legend}" y="DY" width="12" height="12"/>|beacon',
        f'<circle class="phone" cx="{legend + 6}" cy="MY" r="8"/>|phone',
        f'<circle class="descent" cx="{legend + 6}" cy="MY" r="4"/>|gradient descent',
        f'<circle class="newton" cx="{legend + 6}" cy="MY" r="4"/>|Gauss–Newton',
    ]
    parts.append(f'<rect x="{legend - 8}" y="60" width="180" height="124" fill="#fff"/>')
    for number, row in enumerate(rows):
        mark, text = row.split("|")
        middle = 78 + 28 * number
        mark = mark.replace("MY", str(middle)).replace("DY", str(middle - 6))
        parts.append(f'{mark}<text x="{legend + 22}" y="{middle + 5}">{text}</text>')
    return "\n".join([*parts, "</svg>", ""])


if __name__ == "__main__":
    Path(__file__).with_suffix(".svg").write_text(drawing(), encoding="utf-8")
