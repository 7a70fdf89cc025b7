"""Figures of docs/memory.md, measured with the guide's own blocks.

PYTHONPATH=src:tests python docs/figures/memory.py    writes them next to this file
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from guides.documents import blocks, run

import tfpy as tf

HERE = Path(__file__).parent
WIDTH = 720
STEPS = 20
LEFT, RIGHT, TOP, BOTTOM = 70, 190, 40, 46
MOST = 160


def document(height: int, parts: list[str]) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" '
        f'viewBox="0 0 {WIDTH} {height}" font-family="system-ui, sans-serif" font-size="13" '
        f'fill="#222222"><rect width="100%" height="100%" fill="#ffffff"/>{"".join(parts)}</svg>\n'
    )


def added(names: dict[str, Any], keep: Any) -> list[float]:
    """Megabytes that 0 to STEPS steps of training add, if each keeps something."""
    history, found = [], [0.0]
    before = names["megabytes"]()
    for _ in range(STEPS):
        with tf.GradientTape(persistent=True) as tape:
            prediction = names["network"](names["images"])
            loss = tf.reduce_mean(tf.square(prediction - names["images"]))
        for w, gradient in zip(
            names["weights"], tape.gradient(loss, names["weights"]), strict=True
        ):
            w.assign_sub(0.1 * gradient)
        history.append(keep(loss, prediction, tape))
        del prediction, loss, tape, gradient
        found.append(names["megabytes"]() - before)
    return found


def leaks(names: dict[str, Any]) -> str:
    height = 320
    lines = {
        "tapes": (added(names, lambda loss, prediction, tape: tape), "#b3541e"),
        "predictions": (added(names, lambda loss, prediction, tape: prediction), "#1f5fbf"),
        "numbers": (added(names, lambda loss, prediction, tape: float(loss)), "#2a7f4f"),
    }

    def place(step: int, megabytes: float) -> tuple[float, float]:
        x = LEFT + step / STEPS * (WIDTH - LEFT - RIGHT)
        return x, height - BOTTOM - megabytes / MOST * (height - TOP - BOTTOM)

    parts = [f'<text x="{LEFT}" y="22" font-weight="600">memory that was added</text>']
    for megabytes in range(0, MOST + 1, 40):
        x, y = place(0, megabytes)
        parts.append(f'<path d="M{x} {y:.1f}H{WIDTH - RIGHT}" stroke="#dddddd"/>')
        parts.append(f'<text x="{x - 8}" y="{y + 4:.1f}" text-anchor="end">{megabytes} MB</text>')
    for step in range(0, STEPS + 1, 5):
        x, y = place(step, 0)
        parts.append(f'<text x="{x:.1f}" y="{y + 20}" text-anchor="middle">{step}</text>')
    parts.append(f'<text x="{WIDTH - RIGHT}" y="{height - 6}" text-anchor="end">step</text>')
    for (name, (values, color)), shift in zip(lines.items(), (4, -10, 4), strict=True):
        points = " ".join("{:.1f},{:.1f}".format(*place(i, v)) for i, v in enumerate(values))
        parts.append(
            f'<polyline points="{points}" fill="none" stroke="{color}" stroke-width="2.5"/>'
        )
        x, y = place(STEPS, values[-1])
        text = f"{name}: {values[-1]:.0f} MB"
        parts.append(f'<text x="{x + 8}" y="{y + shift:.1f}" fill="{color}">{text}</text>')
    return document(height, parts)


def tape(names: dict[str, Any]) -> str:
    held = names["held_by_tape"]
    halves = [names["part"](names["weights"][i : i + 4]) for i in (0, 4)]
    rows = {
        "the network as it is": held(names["network"]),
        "compiled": held(names["compiled"]),
        "two halves, recomputed": held(lambda x: halves[1](halves[0](x))),
    }
    left, each = 190, 46
    parts = ['<text x="16" y="24" font-weight="600">held by the tape</text>']
    for number, (name, megabytes) in enumerate(rows.items()):
        y, width = 40 + each * number, megabytes / 8 * (WIDTH - left - 90)
        parts += [
            f'<rect x="{left}" y="{y}" width="{width:.1f}" height="28" fill="#1f5fbf"/>',
            f'<text x="{left - 10}" y="{y + 19}" text-anchor="end">{name}</text>',
            f'<text x="{left + width + 8:.1f}" y="{y + 19}">{megabytes:.1f} MB</text>',
        ]
    return document(40 + each * len(rows), parts)


def main() -> None:
    names: dict[str, Any] = {}
    for program in blocks("docs/memory.md", "python"):
        run(program, names)
    (HERE / "memory_leaks.svg").write_text(leaks(names))
    (HERE / "memory_tape.svg").write_text(tape(names))


if __name__ == "__main__":
    main()
