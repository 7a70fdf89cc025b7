"""The plots of the documentation's benchmark page, drawn from the tables in bench/results.

The page names a table by its file and heading, `<!-- plot: h200.md, webgpu -->`. The plot that
replaces it is an HTML list with bars drawn by CSS (`docs/site/static/run.css`). So it has the
colors of the page, and on a narrow screen each name is above its bar.
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
SCALE = (0.125, 0.25, 0.5, 1, 2, 4, 8, 16, 32, 64)


class Figure(NamedTuple):
    """One work compared with one peer, with times in ms."""

    work: str
    peer: str
    ours: float
    theirs: float
    ratio: float


def with_plots(page: str) -> str:
    """Return a page of Markdown with plots in the places that name tables."""
    return PLACE.sub(lambda place: f"```{{raw}} html\n{_plot(*place.groups())}```", page)


def figures(file: str, heading: str) -> list[Figure]:
    """Return the rows of the first table below a heading.

    Raises:
        ValueError: If there is no such table.
    """
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


def _place(ratio: float) -> str:
    """Return the position on the logarithmic scale."""
    first, last = log10(SCALE[0]), log10(SCALE[-1])
    return f"{100 * (log10(ratio) - first) / (last - first):.1f}%"


def _plot(file: str, heading: str) -> str:
    """Return a list of bars that start at 1 and extend to the right where tfpy is faster."""
    rows = "".join(map(_row, figures(file, heading)))
    ticks = "".join(f'<span style="left: {_place(r)}">{r:g}</span>' for r in SCALE)
    label = escape(f"How many times as fast tfpy is: {heading}")
    scale = f'<li class="scale" aria-hidden="true"><span class="track">{ticks}</span></li>'
    return f'<ul class="tfpy-plot" aria-label="{label}">{rows}{scale}</ul>\n'


def _row(row: Figure) -> str:
    slower, faster = sorted((1, row.ratio))
    kind = "faster" if row.ratio >= 1 else "slower"
    return (
        f'<li title="{row.ours:g} ms for {row.theirs:g}">'
        f"<span>{escape(row.work)} <small>{escape(row.peer)}</small></span>"
        f'<span class="track {kind}" style="--from: {_place(slower)}; --to: {_place(faster)}">'
        f"<span>{row.ratio:g}</span></span></li>"
    )
