"""Diagrams of boxes and arrows as SVG, in the colors of the surroundings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from tfpy._src.display.html import escape
from tfpy._src.display.layered_layout import GraphLayout, Key, Point, curve, laid_out

_FONT, _LETTER, _LINE, _PADDING, _MARGIN = 12, 7.3, 17.0, 9.0, 12.0
_BROADEST = 44
"""Largest number of characters of a line. Longer lines are truncated, with a tooltip."""
_ARROW = 7.0


class Style(NamedTuple):
    """The appearance of one kind of boxes."""

    fill: str
    is_round: bool = False
    is_dashed: bool = False


class Box(NamedTuple):
    """A heading with lines below it."""

    title: str
    lines: Sequence[str]
    style: Style


def svg(boxes: Mapping[Key, Box], edges: Sequence[tuple[Key, Key]], label: str) -> str:
    """Return a diagram as SVG. Edges run from top to bottom.

    Args:
        edges: Pairs of boxes.
        label: Description of the diagram for screen readers.
    """
    sizes = {key: _size(box) for key, box in boxes.items()}
    layout = laid_out(sizes, edges)
    parts = [_arrow(edge, layout, sizes) for edge in dict.fromkeys(edges)]
    parts += [
        part for key, box in boxes.items() for part in _drawn(box, layout.middles[key], sizes[key])
    ]
    width, height = layout.size.across + 2 * _MARGIN, layout.size.along + 2 * _MARGIN
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
        f'viewBox="0 0 {width:.0f} {height:.0f}" font-family="ui-monospace, monospace" '
        f'font-size="{_FONT}" fill="currentColor" role="img" aria-label="{escape(label)}">'
        f'<g transform="translate({_MARGIN:g} {_MARGIN:g})">{"".join(parts)}</g></svg>'
    )


def _size(box: Box) -> Point:
    letters = max(len(_cut(line)) for line in (box.title, *box.lines))
    return Point(letters * _LETTER + 2 * _PADDING, (1 + len(box.lines)) * _LINE + 2 * _PADDING - 5)


def _cut(text: str) -> str:
    return text if len(text) <= _BROADEST else f"{text[: _BROADEST - 1]}…"


def _drawn(box: Box, middle: Point, size: Point) -> Iterator[str]:
    left, top = middle.across - size.across / 2, middle.along - size.along / 2
    dashes = ' stroke-dasharray="5 3"' if box.style.is_dashed else ""
    radius = size.along / 2 if box.style.is_round else 4
    yield (
        f"<g><title>{escape(chr(10).join((box.title, *box.lines)))}</title>"
        f'<rect x="{left:.1f}" y="{top:.1f}" width="{size.across:.1f}" height="{size.along:.1f}" '
        f'rx="{radius:.0f}" fill="{box.style.fill}" fill-opacity="0.18" '
        f'stroke="{box.style.fill}"{dashes}/>'
    )
    for n, line in enumerate((box.title, *box.lines)):
        weight = "" if n else ' font-weight="bold"'
        yield (
            f'<text x="{middle.across:.1f}" y="{top + _PADDING + 9 + n * _LINE:.1f}" '
            f'text-anchor="middle"{weight}>{escape(_cut(line))}</text>'
        )
    yield "</g>"


def _arrow(edge: tuple[Key, Key], layout: GraphLayout, sizes: Mapping[Key, Point]) -> str:
    above, below = (layout.middles[key] for key in edge)
    leaves = Point(above.across, above.along + sizes[edge[0]].along / 2)
    x, y = below.across, below.along - sizes[edge[1]].along / 2
    path = curve([leaves, *layout.routes.get(edge, ()), (x, y - _ARROW)])
    head = f"M{x - 3.5:.1f} {y - _ARROW:.1f}H{x + 3.5:.1f}L{x:.1f} {y:.1f}z"
    return (
        f'<path d="{path}" fill="none" stroke="currentColor" stroke-opacity="0.55"/>'
        f'<path d="{head}" fill-opacity="0.55"/>'
    )
