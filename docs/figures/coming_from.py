"""Draw the figures of docs/coming_from.md from what its programs compute.

PYTHONPATH=src:tests python docs/figures/coming_from.py    needs node and node_modules
"""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from guides.documents import ROOT, blocks, run

PAGE = "docs/coming_from.md"
FOLDER = Path(__file__).parent
WIDTH, HEIGHT = 720, 360
LEFT, RIGHT, TOP, BOTTOM = 62, 706, 52, 312
COLORS = {"blue": "#0969da", "red": "#cf222e", "green": "#1a7f37", "grey": "#8c959f"}
TENSORFLOW_JS = """
import {{ createRequire }} from "node:module";
console.warn = console.error = () => {{}};
const tf = createRequire({modules})("@tensorflow/tfjs");
await tf.setBackend("cpu");
const report = {{}}, counts = [];
{program}
console.log(JSON.stringify(counts));
"""


class Plot:
    """A plot with axes, as the elements of an SVG file."""

    def __init__(
        self, title: str, x: tuple[float, float], y: tuple[float, float], names: tuple[str, str]
    ) -> None:
        self.x, self.y = x, y
        self.parts = [f'<text class="name" x="14" y="26">{title}</text>']
        self.parts.append(f'<path class="axis" d="M{LEFT} {TOP}V{BOTTOM}H{RIGHT}"/>')
        self.text((LEFT + RIGHT) / 2, HEIGHT - 10, names[0], "middle")
        self.text(14, TOP - 8, names[1])

    def text(self, x: float, y: float, words: str, anchor: str = "start", fill: str = "") -> None:
        style = f' style="fill:{fill}"' if fill else ""
        self.parts.append(
            f'<text x="{x:.0f}" y="{y:.0f}" text-anchor="{anchor}"{style}>{words}</text>'
        )

    def at(self, x: float, y: float) -> tuple[float, float]:
        across = (x - self.x[0]) / (self.x[1] - self.x[0])
        up = (y - self.y[0]) / (self.y[1] - self.y[0])
        return LEFT + across * (RIGHT - LEFT), BOTTOM - up * (BOTTOM - TOP)

    def ticks(self, xs: Sequence[float], ys: Sequence[float]) -> None:
        for x in xs:
            self.text(self.at(x, 0)[0], BOTTOM + 18, f"{x:g}", "middle")
        for y in ys:
            self.text(LEFT - 8, self.at(self.x[0], y)[1] + 4, f"{y:g}", "end")

    def line(self, xs: Sequence[float], ys: Sequence[float], color: str, dashes: str = "") -> None:
        places = (self.at(x, y) for x, y in zip(xs, ys, strict=True))
        points = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
        self.parts.append(
            f'<polyline points="{points}" style="stroke:{color};stroke-dasharray:{dashes}"/>'
        )

    def dots(self, xs: Sequence[float], ys: Sequence[float], color: str) -> None:
        for x, y in map(self.at, xs, ys):
            self.parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.5" fill="{color}"/>')

    def write(self, file: Path) -> None:
        body = "\n".join(self.parts)
        file.write_text(
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}"'
            f' width="{WIDTH}" role="img">\n'
            "<style>text{font:13px system-ui,sans-serif;fill:#1f2328}.name{font-weight:600}"
            "polyline{fill:none;stroke-width:2.5}.axis{fill:none;stroke:#8c959f}</style>\n"
            f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>\n{body}\n</svg>\n'
        )


def tensors_in_javascript(disposed: bool) -> list[int]:
    """Return the number of tensors after each step of the TensorFlow.js program."""
    program = "\n".join(blocks(PAGE, "javascript")[:4])
    line = re.compile(r"^  loss\.dispose\(\);$", re.M)
    assert line.search(program)
    count = "counts.push(tf.memory().numTensors);"
    program = line.sub(f"  {'loss.dispose();' if disposed else ''} {count}", program)
    modules = json.dumps(str(ROOT / "node_modules/tensorflow.js"))
    text = TENSORFLOW_JS.format(modules=modules, program=program)
    done = subprocess.run(
        ["node", "--input-type=module"], input=text, capture_output=True, text=True, check=True
    )
    return list(map(int, json.loads(done.stdout)))


def python_program() -> tuple[list[int], dict[int, list[float]], dict[str, Any]]:
    """Return the number of tensors after each step, and the weights before some of them."""
    data, model, step = blocks(PAGE, "python")[1:4]
    names: dict[str, Any] = {}
    run("\n".join(["import tfpy as tf", data, model, step]), names)
    loop = """
counts, kept = [], {}
for i in range(301):
    if i in (0, 30, 300):
        kept[i] = [float(w) for w in weights]
    if i < 300:
        loss = step()
        counts.append(tf.memory()["numTensors"])
"""
    run(loop, names)
    return names["counts"], names["kept"], names


def main() -> None:
    """Write the figures."""
    counts, kept, names = python_program()
    xs, ys = (names[name].numpy() for name in ("xs", "ys"))
    fit = Plot("The curve that the program learns", (-1, 1), (-1.3, 1.3), ("x", "y"))
    fit.ticks([-1, -0.5, 0, 0.5, 1], [-1, 0, 1])
    fit.dots(xs, ys, COLORS["grey"])
    styles = {0: ("red", "2 4"), 30: ("green", "8 4"), 300: ("blue", "")}
    for row, (step, (color, dashes)) in enumerate(styles.items()):
        x = np.linspace(-1, 1, 81)
        fit.line(x.tolist(), np.polyval(kept[step], x).tolist(), COLORS[color], dashes)
        fit.text(LEFT + 16, TOP + 16 + 18 * row, f"after {step} steps", fill=COLORS[color])
    fit.write(FOLDER / "coming_from_fit.svg")

    leaking, tidy = tensors_in_javascript(False), tensors_in_javascript(True)
    memory = Plot("Tensors during training", (0, 300), (0, 320), ("step", "tensors"))
    memory.ticks([0, 100, 200, 300], [0, 100, 200, 300])
    steps = range(1, 301)
    memory.line(steps, leaking, COLORS["red"])
    memory.line(steps, tidy, COLORS["green"], "8 4")
    memory.line(steps, counts, COLORS["blue"])
    words = f"TensorFlow.js without dispose: {leaking[0]} to {leaking[-1]}"
    memory.text(LEFT + 330, TOP + 40, words, "end", COLORS["red"])
    assert len({*tidy}) == len({*counts}) == 1
    memory.text(
        LEFT + 300, BOTTOM - 24, f"TensorFlow.js with dispose: {tidy[0]}", "start", COLORS["green"]
    )
    memory.text(LEFT + 560, BOTTOM - 24, f"tfpy: {counts[0]}", "start", COLORS["blue"])
    memory.write(FOLDER / "coming_from_memory.svg")
    print(leaking[0], leaking[-1], tidy[0], counts[0], kept)


if __name__ == "__main__":
    main()
