"""Line charts as SVG, in the colors of the surroundings, with panels next to each other."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from tfpy._src.display.html import escape

Line = Sequence[tuple[float, float]]

_WIDTH, _HEIGHT = 340, 240
_LEFT, _RIGHT, _TOP, _BOTTOM = 52, 20, 30, 30
_COLORS = ("#4a86e8", "#e07b1f", "#2fa866", "#c258ab", "#8d70e0", "#a08f30")
_MOST = 400
"""Largest number of points of a line. If there are more, averages of neighbors are drawn."""


def charts(panels: Mapping[str, Mapping[str, Line]], label: str) -> str:
    """Return an SVG image of panels.

    Args:
        panels: By title, the lines of a panel by name, each a sequence of points.
        label: Label of the horizontal axes.
    """
    width = _WIDTH * max(len(panels), 1)
    parts = [
        f'<g transform="translate({_WIDTH * i} 0)">{_panel(title, lines, label)}</g>'
        for i, (title, lines) in enumerate(panels.items())
    ]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{_HEIGHT}" '
        f'viewBox="0 0 {width} {_HEIGHT}" style="max-width: 100%; height: auto" '
        'font-family="system-ui, sans-serif" font-size="11" fill="currentColor" role="img" '
        f'aria-label="{escape(", ".join(panels))}">{"".join(parts)}</svg>'
    )


def _panel(title: str, lines: Mapping[str, Line], label: str) -> str:
    points = [p for line in lines.values() for p in line if math.isfinite(p[1])]
    xs = _Scale([x for x, _ in points], _LEFT, _WIDTH - _RIGHT)
    ys = _Scale([y for _, y in points], _HEIGHT - _BOTTOM, _TOP)
    parts = [f'<text x="{_LEFT}" y="18" font-size="13" font-weight="bold">{escape(title)}</text>']
    parts += [_tick_below(xs.of(x), _text(x)) for x in xs.ticks]
    parts += [_tick_beside(ys.of(y), _text(y)) for y in ys.ticks]
    parts.append(
        f'<text x="{_WIDTH - _RIGHT}" y="{_HEIGHT - 4}" text-anchor="end">{escape(label)}</text>'
    )
    for i, (name, line) in enumerate(lines.items()):
        color = _COLORS[i % len(_COLORS)]
        shown = _thinned([point for point in line if math.isfinite(point[1])])
        parts += _line([(xs.of(x), ys.of(y)) for x, y in shown], color)
        if len(lines) == 1:
            continue  # the title is the name
        at = _WIDTH - _RIGHT - 92 * (len(lines) - i)
        parts.append(
            f'<rect x="{at}" y="10" width="10" height="10" fill="{color}"/>'
            f'<text x="{at + 14}" y="19">{escape(name)}</text>'
        )
    return "".join(parts)


def _thinned(points: Line) -> Line:
    """Return no more points than are visible. The last point is unchanged."""
    if len(points) <= _MOST:
        return points
    each = -(-len(points) // _MOST)
    groups = [points[i : i + each] for i in range(0, len(points) - 1, each)]
    means = [(group[0][0], sum(y for _, y in group) / len(group)) for group in groups]
    return [*means, points[-1]]


def _line(points: Line, color: str) -> list[str]:
    """Draw a line, with dots if there are few points."""
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    parts = [f'<polyline points="{path}" fill="none" stroke="{color}" stroke-width="1.8"/>']
    if len(points) <= 30:
        parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.4" fill="{color}"/>' for x, y in points]
    return parts


def _tick_below(x: float, text: str) -> str:
    return (
        f'<path d="M{x:.1f} {_TOP}V{_HEIGHT - _BOTTOM}" stroke="currentColor" '
        'stroke-opacity="0.12"/>'
        f'<text x="{x:.1f}" y="{_HEIGHT - _BOTTOM + 14}" text-anchor="middle">'
        f"{text}</text>"
    )


def _tick_beside(y: float, text: str) -> str:
    return (
        f'<path d="M{_LEFT} {y:.1f}H{_WIDTH - _RIGHT}" stroke="currentColor" stroke-opacity="0.2"/>'
        f'<text x="{_LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{text}</text>'
    )


def _text(value: float) -> str:
    return f"{value:.4g}"


class _Scale:
    """A mapping from the range of numbers to the range between two positions."""

    def __init__(self, values: Sequence[float], begin: float, end: float) -> None:
        least, most = min(values, default=0.0), max(values, default=1.0)
        if least == most:
            margin = abs(least) / 10 or 0.5
            least, most = least - margin, most + margin
        self._least, self._most, self._begin, self._end = least, most, begin, end

    def of(self, value: float) -> float:
        """Return the position of a number."""
        share = (value - self._least) / (self._most - self._least)
        return self._begin + share * (self._end - self._begin)

    @property
    def ticks(self) -> list[float]:
        """About four round numbers, at least two."""
        rough = (self._most - self._least) / 4
        power = 10.0 ** math.floor(math.log10(rough))
        step = next(n * power for n in (1, 2, 5, 10) if n * power >= rough)
        ticks = self._multiples(step)
        return ticks if len(ticks) > 1 else self._multiples(step / 2)

    def _multiples(self, step: float) -> list[float]:
        first = math.ceil(self._least / step)
        return [n * step for n in range(first, math.floor(self._most / step) + 1)]
