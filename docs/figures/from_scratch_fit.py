"""Draw the network of docs/from_scratch.md before and after training.

PYTHONPATH=src python docs/figures/from_scratch_fit.py    runs the page and writes the SVG file
"""

from __future__ import annotations

import ast
import asyncio
import inspect
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

FIGURE = Path(__file__).with_suffix(".svg")
PAGE = FIGURE.parents[1] / "from_scratch.md"
WIDTH, HEIGHT, LEFT, TOP = 720, 280, 40, 24
INNER_WIDTH, INNER_HEIGHT = 520, 220
LOW, HIGH = -2.6, 1.4
CURVES = {
    "target": ("target: sin(3x)", "#8c959f"),
    "before": ("before training", "#bc4c00"),
    "after": ("after 300 steps", "#0969da"),
}
TEMPLATE = """\
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img">
<title>A network before and after training</title>
<style>text {{ font: 13px system-ui, sans-serif; fill: #1f2328 }}</style>
<rect fill="#fff" width="{width}" height="{height}"/>
<path fill="none" stroke="#d0d7de" d="M40 24 V244 H560"/>
{shapes}
</svg>
"""


def names_of_the_page() -> dict[str, Any]:
    """Run the page's programs and return their names."""
    names: dict[str, Any] = {}
    for program in re.findall(r"^```python\n(.*?)^```$", PAGE.read_text(), re.M | re.S):
        code = compile(program, "page", "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
        pending = eval(code, names)
        if inspect.iscoroutine(pending):
            asyncio.run(pending)
    return names


def line(xs: Iterable[float], ys: Iterable[float], color: str) -> str:
    points = [
        f"{LEFT + (x + 1) / 2 * INNER_WIDTH:.1f},"
        f"{TOP + (HIGH - y) / (HIGH - LOW) * INNER_HEIGHT:.1f}"
        for x, y in zip(xs, ys, strict=True)
    ]
    lines = "\n".join(" ".join(points[i : i + 8]) for i in range(0, len(points), 8))
    return f'<polyline fill="none" stroke="{color}" stroke-width="2"\n points="{lines}"/>'


def main() -> None:
    names = names_of_the_page()
    x, tanh = names["x"], names["tanh"]

    def network(w1: Any, b1: Any, w2: Any) -> Any:
        return (tanh(x @ w1 + b1) @ w2).array

    curves = {
        "target": names["y"].array,
        "before": network(*names["start"]),
        "after": network(*names["weights"]),
    }
    print({name: (float(ys.min()), float(ys.max())) for name, ys in curves.items()})
    shapes = []
    for number, (name, ys) in enumerate(curves.items()):
        words, color = CURVES[name]
        shapes.append(line(x.array.ravel(), ys.ravel(), color))
        y = 60 + 28 * number
        shapes.append(f'<rect x="576" y="{y - 6}" width="16" height="3" fill="{color}"/>')
        shapes.append(f'<text x="600" y="{y}">{words}</text>')
    shapes.append('<text x="36" y="264">x = -1</text><text x="536" y="264">1</text>')
    FIGURE.write_text(TEMPLATE.format(width=WIDTH, height=HEIGHT, shapes="\n".join(shapes)))


if __name__ == "__main__":
    main()
