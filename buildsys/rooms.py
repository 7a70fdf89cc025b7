"""The rooms of the engine in `docs/architecture.md`: the drawing and the table.

The order of the rooms comes from `.importlinter`, and their contents from the docstrings of their
packages. `PATH` lists the files through which a call of `tf.nn.relu` on WebGL passes.
"""

from __future__ import annotations

import ast
import re
import textwrap
from configparser import ConfigParser
from html import escape
from typing import NamedTuple, TypeVar

from .paths import ROOT
from .tables import table, with_between

T = TypeVar("T")

PAGE = ROOT / "docs" / "architecture.md"
DRAWING = ROOT / "docs" / "architecture.svg"
ENGINE = ROOT / "src" / "tfpy" / "_src"
FIRST = "tfpy"
LAST = "web"


class Station(NamedTuple):
    """A place on the path of a call."""

    room: str
    file: str
    text: str


PATH = (
    Station(FIRST, "nn.py", "tf.nn.relu(x): the public name"),
    Station("core", "primitives.py, eager.py", "converts x, finds the compiled Program"),
    Station("compiler", "ops/activation.py", "the record: relu is max(x, 0); gradient, dtypes"),
    Station("compiler", "ir/graph.py", "%1:float32[8,4] = relu(%0)"),
    Station("compiler", "lower/webgl/", "a Program: shaders in GLSL, buffers and steps, as JSON"),
    Station("backends", "device.py, javascript/", "sends the Program once, runs it by its number"),
    Station(LAST, "webgl/", "compiles the shader, draws into the texture of the output"),
    Station("core", "tensor.py", "a Tensor with the slot of the output"),
)

WIDTH, LEFT, ROW, STEP, GAP, TOP = 960, 190, 46, 20, 8, 34
LETTERS = 112
"""Maximum length of a line next to a box."""
STYLE = """
  text { font: 13px system-ui, sans-serif; fill: #1f2328 }
  .name { font-weight: 600 }
  .note { font-size: 12px; fill: #57606a }
  .file { font: 12px ui-monospace, monospace; fill: #0550ae }
  .number { font-size: 11px; font-weight: 600; fill: #fff }
  .paper { fill: #fff; stroke: none }
  .room rect { fill: #f6f8fa; stroke: #d0d7de }
  .passed rect { fill: #ddf4ff; stroke: #54aeff }
  polygon { fill: #8c959f }
  circle { fill: #0969da }
  path { fill: none; stroke: #8c959f; marker-end: url(#head) }
"""
TEMPLATE = """\
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img">
<title>The packages of the engine and the path of relu through them</title>
<style>{style}</style>
<defs><marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8"
 orient="auto"><polygon points="0 0 8 4 0 8"/></marker></defs>
<rect class="paper" width="{width}" height="{height}"/>
{heading}
{legend}
<path d="{arrow}"/>
{shapes}
</svg>
"""


def lines() -> list[list[str]]:
    """Return the rooms from the top to the bottom; those of one line are independent."""
    contract = ConfigParser()
    contract.read(ROOT / ".importlinter")
    layers = contract["importlinter:contract:rooms"]["layers"].strip().split("\n")
    return [re.split(r"\s*\|\s*", line) for line in layers]


def doc(room: str) -> str:
    """Return the contents of a room: the docstring of its package, as one line."""
    text = ast.get_docstring(ast.parse((ENGINE / room / "__init__.py").read_text()))
    assert text, room
    return " ".join(text.split())


def page() -> str:
    """Return the page with its table of rooms."""
    rows = [
        (f"`{room}`", _folders(room), doc(room).replace("``", "`"))
        for line in lines()
        for room in line
    ]
    return with_between(
        PAGE, PAGE.read_text(), "rooms", table(("package", "subpackages", "contents"), rows)
    )


def _folders(room: str) -> str:
    """Return the folders of a room, as a list of names."""
    found = sorted(p.parent.name for p in (ENGINE / room).glob("*/__init__.py"))
    return ", ".join(f"`{name}`" for name in found)


def drawing() -> str:
    """Return the drawing of the rooms and of the path through them, as SVG."""
    shapes: list[str] = []
    y = TOP
    for line in [[FIRST], *lines(), [LAST]]:
        lowest = y - GAP  # in the end, above JavaScript, which no module imports
        passed = [(n, s) for n, s in enumerate(PATH, 1) if s.room in line]
        words = [] if passed else _contents(line)
        height = max(ROW - GAP, STEP * len(passed) + 12, 16 * len(words) + 8)
        width = (LEFT - 10 - GAP * (len(line) - 1)) / len(line)
        for column, room in enumerate(line):
            x = 10 + column * (width + GAP)
            kind = "passed" if passed else "room"
            box = f'<rect x="{x:g}" y="{y}" width="{width:g}" height="{height}" rx="6"/>'
            shapes.append(f'<g class="{kind}">{box}{_text(x + 12, y + 24, room, "name")}</g>')
        shapes += _stations(passed, y) if passed else _notes(words, y)
        y += height + GAP
    return TEMPLATE.format(
        width=WIDTH,
        height=y,
        style=STYLE,
        heading=_text(10, 22, "The packages, and the path of tf.nn.relu(x) on WebGL", "name"),
        legend=_text(WIDTH - 10, 22, "each package imports only from those below", "note", "end"),
        arrow=f"M {WIDTH - 14} {TOP} V {lowest}",
        shapes="\n".join(shapes),
    )


def _stations(passed: list[tuple[int, Station]], top: int) -> list[str]:
    """Return the numbered lines of the path next to a box."""
    x = LEFT + 22
    return [
        f'<circle cx="{x}" cy="{y - 4}" r="9"/>'
        + _text(x, y, str(number), "number", "middle")
        + _text(x + 20, y, station.file, "file")
        + _text(x + 208, y, station.text)
        for y, (number, station) in _by_line(top + 19, passed)
    ]


def _by_line(top: int, items: list[T]) -> list[tuple[int, T]]:
    """Return each item with the height of its line."""
    return [(top + STEP * i, item) for i, item in enumerate(items)]


def _contents(line: list[str]) -> list[str]:
    """Return the contents of rooms as lines of text. Each room begins a new line."""
    plain = [doc(room).replace("`", "") for room in line]
    return [part for contents in plain for part in textwrap.wrap(contents, LETTERS)]


def _notes(words: list[str], top: int) -> list[str]:
    """Return lines of text next to a box."""
    first = top + (24 if len(words) == 1 else 16)
    return [_text(LEFT + 12, first + 16 * i, part, "note") for i, part in enumerate(words)]


def _text(x: float, y: float, words: str, kind: str = "text", anchor: str = "start") -> str:
    """Return a line of text."""
    return f'<text class="{kind}" x="{x:g}" y="{y}" text-anchor="{anchor}">{escape(words)}</text>'
