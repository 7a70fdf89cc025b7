"""Line charts as SVG: panels side by side, each with lines over the same numbers."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from html import escape

Line = Sequence[tuple[float, float]]

_WIDTH, _HEIGHT = 340, 240
_LEFT, _RIGHT, _TOP, _BOTTOM = 52, 12, 30, 30
_COLOURS = ("#2f6fdb", "#e07b1f", "#2c9a5b", "#b5409a", "#7a5ad0", "#8a7a1f")


def charts(panels: Mapping[str, Mapping[str, Line]], label: str) -> str:
    """A picture of panels.

    Args:
        panels: for each title its lines by name, each the points of it.
        label: what is under the horizontal axes.
    """
    width = _WIDTH * max(len(panels), 1)
    parts = [
        f'<g transform="translate({_WIDTH * i} 0)">{_panel(title, lines, label)}</g>'
        for i, (title, lines) in enumerate(panels.items())
    ]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{_HEIGHT}" '
        f'viewBox="0 0 {width} {_HEIGHT}" style="max-width: 100%; height: auto" '
        'font-family="system-ui, sans-serif" font-size="11">'
        f'<rect width="100%" height="100%" fill="white"/>{"".join(parts)}</svg>'
    )


def _panel(title: str, lines: Mapping[str, Line], label: str) -> str:
    points = [p for line in lines.values() for p in line if math.isfinite(p[1])]
    xs = _Scale([x for x, _ in points], _LEFT, _WIDTH - _RIGHT)
    ys = _Scale([y for _, y in points], _HEIGHT - _BOTTOM, _TOP)
    parts = [f'<text x="{_LEFT}" y="18" font-size="13" font-weight="bold">{escape(title)}</text>']
    parts += [_tick_below(xs.of(x), _text(x)) for x in xs.ticks]
    parts += [_tick_beside(ys.of(y), _text(y)) for y in ys.ticks]
    parts.append(
        f'<text x="{_WIDTH - _RIGHT}" y="{_HEIGHT - 4}" text-anchor="end" fill="#555">'
        f"{escape(label)}</text>"
    )
    for i, (name, line) in enumerate(lines.items()):
        colour = _COLOURS[i % len(_COLOURS)]
        parts += _line([(xs.of(x), ys.of(y)) for x, y in line if math.isfinite(y)], colour)
        at = _WIDTH - _RIGHT - 92 * (len(lines) - i)
        parts.append(
            f'<rect x="{at}" y="10" width="10" height="10" fill="{colour}"/>'
            f'<text x="{at + 14}" y="19" fill="#333">{escape(name)}</text>'
        )
    return "".join(parts)


def _line(points: Line, colour: str) -> list[str]:
    """A line, and dots where there are few points."""
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    parts = [f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="1.8"/>']
    if len(points) <= 30:
        parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.4" fill="{colour}"/>' for x, y in points]
    return parts


def _tick_below(x: float, text: str) -> str:
    return (
        f'<path d="M{x:.1f} {_TOP}V{_HEIGHT - _BOTTOM}" stroke="#eee"/>'
        f'<text x="{x:.1f}" y="{_HEIGHT - _BOTTOM + 14}" text-anchor="middle" fill="#555">'
        f"{text}</text>"
    )


def _tick_beside(y: float, text: str) -> str:
    return (
        f'<path d="M{_LEFT} {y:.1f}H{_WIDTH - _RIGHT}" stroke="#ddd"/>'
        f'<text x="{_LEFT - 6}" y="{y + 4:.1f}" text-anchor="end" fill="#555">{text}</text>'
    )


def _text(value: float) -> str:
    return f"{value:.4g}"


class _Scale:
    """Numbers between the least and the greatest, as places between two ends."""

    def __init__(self, values: Sequence[float], begin: float, end: float) -> None:
        least, most = min(values, default=0.0), max(values, default=1.0)
        if least == most:
            margin = abs(least) / 10 or 0.5
            least, most = least - margin, most + margin
        self._least, self._most, self._begin, self._end = least, most, begin, end

    def of(self, value: float) -> float:
        """The place of a number."""
        share = (value - self._least) / (self._most - self._least)
        return self._begin + share * (self._end - self._begin)

    @property
    def ticks(self) -> list[float]:
        """About four round numbers."""
        rough = (self._most - self._least) / 4
        power = 10.0 ** math.floor(math.log10(rough))
        step = next(n * power for n in (1, 2, 5, 10) if n * power >= rough)
        first = math.ceil(self._least / step)
        return [n * step for n in range(first, math.floor(self._most / step) + 1)]
