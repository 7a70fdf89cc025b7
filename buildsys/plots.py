"""The plots of the documentation's page of benchmarks, drawn of the tables in bench/results.

The page names a table by its file and heading, `<!-- plot: h200.md, webgpu -->`; what stands there
is SVG within the page, so that it has the page's colours.
"""

from __future__ import annotations

import re
from html import escape
from math import log10
from typing import NamedTuple

from .paths import ROOT

RESULTS = ROOT / "bench" / "results"
PLACE = re.compile(r"<!-- plot: (\S+), (.+?) -->")
ROW = re.compile(
    r"^\| `(?P<work>\w+)` \| (?P<peer>[^|]+) \| (?P<ours>[\d.]+) (?:\([^|]*)?\| "
    r"(?P<theirs>[\d.]+) (?:\([^|]*)?\| \*\*(?P<ratio>[\d.]+)\*\*",
    re.MULTILINE,
)
LINE, BAR, LEFT, WIDTH = 22, 14, 250, 640
SCALE = (0.125, 0.25, 0.5, 1, 2, 4, 8, 16, 32, 64)


class Figure(NamedTuple):
    """One work against one peer, times in ms."""

    work: str
    peer: str
    ours: float
    theirs: float
    ratio: float


def with_plots(page: str) -> str:
    """A page of Markdown with plots where it names tables."""
    return PLACE.sub(lambda place: f"```{{raw}} html\n{_plot(*place.groups())}```", page)


def figures(file: str, heading: str) -> list[Figure]:
    """The rows of the first table below a heading."""
    _, found, below = (RESULTS / file).read_text().partition(f"### {heading}\n")
    table = re.search(r"(?:^\|.*\n)+", below.partition("\n##")[0], re.MULTILINE)
    if not found or table is None:
        raise ValueError(f"{file} has no table below {heading!r}")
    rows = (row.groupdict() for row in ROW.finditer(table[0]))
    return [
        Figure(
            row["work"],
            row["peer"].strip(),
            float(row["ours"]),
            float(row["theirs"]),
            float(row["ratio"]),
        )
        for row in rows
    ]


def _x(ratio: float) -> float:
    first, last = log10(SCALE[0]), log10(SCALE[-1])
    return LEFT + (WIDTH - LEFT - 50) * (log10(ratio) - first) / (last - first)


def _plot(file: str, heading: str) -> str:
    """Bars from 1 on, to the right where tfpy is faster; the scale is logarithmic."""
    rows = figures(file, heading)
    height = LINE * (len(rows) + 1)
    parts = [
        f'<line x1="{_x(r):.0f}" x2="{_x(r):.0f}" y1="0" y2="{height - LINE}" class="{_tick(r)}"/>'
        f'<text x="{_x(r):.0f}" y="{height - 6}" class="scale">{r:g}</text>'
        for r in SCALE
    ]
    for number, row in enumerate(rows):
        left, right = sorted((_x(1), _x(row.ratio)))
        top = LINE * number + (LINE - BAR) / 2
        times = f"{row.ratio:g} times as fast as {row.peer}"
        said = f"{row.work}: {times}, {row.ours:g} ms for {row.theirs:g}"
        parts.append(
            f"<g><title>{escape(said)}</title>"
            f'<text x="0" y="{top + 11:.0f}">{escape(row.work)}'
            f'<tspan class="peer"> {escape(row.peer)}</tspan></text>'
            f'<rect x="{left:.1f}" y="{top:.0f}" width="{right - left:.1f}" height="{BAR}"'
            f' class="{"faster" if row.ratio >= 1 else "slower"}"/>'
            f'<text x="{right + 5:.1f}" y="{top + 11:.0f}">{row.ratio:g}</text></g>'
        )
    label = f"How many times as fast tfpy is: {heading}"
    return (
        f'<div class="tfpy-plot"><svg viewBox="0 0 {WIDTH} {height}" role="img" '
        f'aria-label="{escape(label)}">{"".join(parts)}</svg></div>\n'
    )


def _tick(ratio: float) -> str:
    return "one" if ratio == 1 else "tick"
