"""The tracks of a profile as an SVG image."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tfpy._src.display.html import escape
from tfpy._src.library.profiler.chrome import TraceEvent, Track

_WIDTH, _NAMES, _ROW = 960, 80, 16
_MOST = 1500  # number of events to draw; the longest ones are kept
_NARROWEST = 0.3

_COLORS = {
    "op": "#8da0cb",
    "function": "#66a61e",
    "trace": "#e6ab02",
    "passes": "#d95f02",
    "lower": "#a6761d",
    "compile": "#e7298a",
    "run": "#b3b3b3",
    "host": "#bc80bd",
    "upload": "#1b9e77",
    "read": "#17a2b8",
    "wait": "#c5dbe0",
    "gradient": "#7570b3",
    "kernel": "#e4572e",
    "user": "#dddddd",
}
"""Color for each kind of event."""


def svg(tracks: Sequence[Track], seconds: float) -> str:
    """Draw tracks below each other, with nested events below their enclosing event.

    Args:
        tracks: Tracks to draw.
        seconds: Time that the full width represents.
    """
    shown = _longest(tracks)
    parts: list[str] = []
    top = 0
    for track in tracks:
        events = [event for event in track.events if id(event) in shown]
        placed = list(_rows(events))
        height = max((row for _, row in placed), default=0) + 1
        parts.append(f'<text x="0" y="{top + 12}">{escape(track.name)}</text>')
        parts += (_box(event, top + row * _ROW, seconds) for event, row in placed)
        top += height * _ROW + 6
    kinds = dict.fromkeys(e.kind for track in tracks for e in track.events)
    for number, kind in enumerate(kinds):
        x = _NAMES + 72 * number
        parts.append(f'<rect x="{x}" y="{top}" width="10" height="10" fill="{_COLORS[kind]}"/>')
        parts.append(f'<text x="{x + 14}" y="{top + 9}">{kind}</text>')
    size = f'viewBox="0 0 {_WIDTH} {top + 16}" style="max-width:{_WIDTH}px"'
    font = 'font-family="sans-serif" font-size="10" fill="currentColor"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size} {font}>{"".join(parts)}</svg>'


def _longest(tracks: Sequence[Track]) -> set[int]:
    """Return the ids of the events to draw."""
    events = sorted((e for t in tracks for e in t.events), key=lambda e: e.began - e.ended)
    return {id(event) for event in events[:_MOST]}


def _rows(events: Sequence[TraceEvent]) -> Iterator[tuple[TraceEvent, int]]:
    """Yield each event with its nesting depth."""
    around: list[float] = []  # ends of the enclosing events
    for event in sorted(events, key=lambda e: (e.began, -e.ended)):
        while around and around[-1] <= event.began:
            around.pop()
        yield event, len(around)
        around.append(event.ended)


def _box(event: TraceEvent, y: int, seconds: float) -> str:
    """Return the rectangle of an event."""
    scale = (_WIDTH - _NAMES) / seconds
    x, width = _NAMES + event.began * scale, (event.ended - event.began) * scale
    place = f'x="{x:.2f}" y="{y}" width="{max(width, _NARROWEST):.2f}" height="{_ROW - 2}"'
    said = escape(f"{event.kind}: {event.name}, {(event.ended - event.began) * 1e3:.3f} ms")
    return f'<rect {place} fill="{_COLORS[event.kind]}"><title>{said}</title></rect>'
