"""The plots of the documentation's page of benchmarks, drawn of the tables in bench/results.

The page names a table by its file and heading, `<!-- plot: h200.md, webgpu -->`; what stands there
is a list within the page, whose bars are style (`docs/site/static/run.css`): it has the page's
colours, and on a narrow screen a name stands above its bar.
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


def _place(ratio: float) -> str:
    """How far along the logarithmic scale."""
    first, last = log10(SCALE[0]), log10(SCALE[-1])
    return f"{100 * (log10(ratio) - first) / (last - first):.1f}%"


def _plot(file: str, heading: str) -> str:
    """Bars from 1 on, to the right where tfpy is faster."""
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
