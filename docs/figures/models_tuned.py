"""Draw docs/figures/models_tuned.svg from the models that docs/models.md trains.

PYTHONPATH=src:tests python docs/figures/models_tuned.py
"""

from __future__ import annotations

import tempfile
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
from guides.documents import blocks, run

FILE = Path(__file__).with_suffix(".svg")
WIDTH, HEIGHT, SIDE, TOP = 720, 396, 330, 54
CELLS, REACH = 66, 1.15
REGIONS = ("#b6e3ff", "#ffd8b5", "#aceebb")
POINTS = ("#0550ae", "#953800", "#116329")


def panel(names: dict[str, Any], model: Any, title: str, left: float) -> tuple[str, float]:
    """Return the regions of a model with the test points on them, and its accuracy."""
    tf = names["tf"]
    points, arms = names["test"]
    accuracy = names["accuracy"](model, points, arms)
    axis = (np.arange(CELLS) + 0.5) / CELLS * 2 * REACH - REACH
    grid = np.stack(np.meshgrid(axis, -axis), -1).reshape(-1, 2)
    classes = np.argmax(model(tf.constant(grid, tf.float32)).numpy(), 1).reshape(CELLS, CELLS)
    size = SIDE / CELLS
    parts = [f'<text class="name" x="{left}" y="{TOP - 26}">{title}</text>']
    parts.append(f'<text x="{left}" y="{TOP - 9}">{accuracy:.0%} of the test points correct</text>')
    for row, found in enumerate(classes):
        start = 0
        for kind, cells in groupby(found):
            count = len(list(cells))
            x, y, width = left + start * size, TOP + row * size, count * size
            parts.append(
                f'<rect x="{x:.0f}" y="{y:.0f}" width="{width:.0f}" height="{size:.0f}"'
                f' fill="{REGIONS[kind]}"/>'
            )
            start += count
    for (x, y), arm in zip(points.numpy(), arms.numpy(), strict=True):
        across, down = (x + REACH) / 2 / REACH * SIDE, (REACH - y) / 2 / REACH * SIDE
        parts.append(
            f'<circle cx="{left + across:.1f}" cy="{TOP + down:.1f}" r="3" fill="{POINTS[arm]}"/>'
        )
    return "\n".join(parts), accuracy


def main() -> None:
    """Write the figure."""
    names: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as folder:
        for program in blocks("docs/models.md", "python"):
            run(program.replace("/tmp/", f"{folder}/"), names)
            if "test" in names:
                break
    before, first = panel(names, names["model"], "The model from the file", 20)
    after, second = panel(names, names["tuned"], "The same model, tuned with 60 examples", 370)
    FILE.write_text(
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}"'
        f' width="{WIDTH}" role="img">\n'
        "<style>text{font:13px system-ui,sans-serif;fill:#1f2328}.name{font-weight:600}</style>\n"
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>\n{before}\n{after}\n</svg>\n'
    )
    print(f"{first:.0%} {second:.0%}")


if __name__ == "__main__":
    main()
