"""Events of a recording in the Trace Event Format, which Perfetto and chrome://tracing open."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from tfpy._src.base.profiler_spans import Span, covered
from tfpy._src.library.profiler.kernels import KernelRun
from tfpy._src.library.profiler.recording import Recording

_HOST, _DEVICE = 1, 2  # ids of the "processes" in the file


class Track(NamedTuple):
    """Events that are displayed next to each other or nested."""

    process: int
    name: str
    events: list[TraceEvent]


class TraceEvent(NamedTuple):
    """A time interval, in seconds from the start of the recording."""

    kind: str
    name: str
    began: float
    ended: float
    facts: dict[str, Any]


def tracks_of(recording: Recording, kernels: Sequence[KernelRun]) -> list[Track]:
    """Return the tracks of Python's threads, of tasks, of awaited calls, and of the device."""
    threads: dict[int, list[TraceEvent]] = {}
    awaited: list[TraceEvent] = []
    for span in recording.spans:
        lane = awaited if span.facts.get("awaited") else threads.setdefault(span.thread, [])
        lane.append(_event(span, recording.began))
    own: list[list[TraceEvent]] = []
    others: list[list[TraceEvent]] = []
    for events in threads.values():
        first, *more = _lanes(events, nest=True)
        own.append(first)
        others += more
    named = {"Python": own, "tasks": others, "awaited": _lanes(awaited, nest=False)}
    found = [
        Track(_HOST, f"{name} {number or ''}".strip(), lane)
        for name, lanes in named.items()
        for number, lane in enumerate(lanes)
    ]
    on_device = [_kernel_event(k, recording.began) for k in kernels if k.on_device and k.ms]
    if on_device:
        found.append(Track(_DEVICE, "kernels", on_device))
    return found


def _event(span: Span, start: float) -> TraceEvent:
    """Convert a span to an event."""
    shown = {k: v for k, v in span.facts.items() if isinstance(v, int | float | str)}
    return TraceEvent(
        span.kind, span.name or span.kind, span.began - start, span.ended - start, shown
    )


def _kernel_event(kernel: KernelRun, start: float) -> TraceEvent:
    """Convert a kernel run to an event."""
    facts: dict[str, Any] = {
        "kernel": kernel.kernel,
        "inputs": [list(shape) for shape in kernel.input_shapes],
        "outputs": [list(shape) for shape in kernel.output_shapes],
    }
    if kernel.line is not None:
        facts["line"] = str(kernel.line).strip()
    return TraceEvent("kernel", kernel.name, kernel.began - start, kernel.ended - start, facts)


def _lanes(events: Iterable[TraceEvent], nest: bool) -> list[list[TraceEvent]]:
    """Distribute events over lanes.

    In a lane, an event starts after the previous one ends, or is inside it if `nest` is True. Tasks
    of one thread may overlap in any way, so they need several lanes.
    """
    lanes: list[_Lane] = []
    for event in sorted(events, key=lambda e: (e.began, -e.ended)):
        free = next((lane for lane in lanes if lane.has_room(event, nest)), None)
        if free is None:
            lanes.append(free := _Lane())
        free.events.append(event)
        free.under_way.append(event)
    return [lane.events for lane in lanes]


class _Lane:
    """Events sorted by their start, and the events that have not ended when the last one starts."""

    def __init__(self) -> None:
        self.events: list[TraceEvent] = []
        self.under_way: list[TraceEvent] = []

    def has_room(self, event: TraceEvent, nest: bool) -> bool:
        """Return True if an event fits into the lane."""
        while self.under_way and self.under_way[-1].ended <= event.began:
            self.under_way.pop()
        return not self.under_way or (nest and event.ended <= self.under_way[-1].ended)


def document(tracks: Sequence[Track], backend: str, facts: dict[str, Any]) -> dict[str, Any]:
    """Return the content of the JSON file.

    `ts` and `dur` are microseconds that are exact multiples of a nanosecond. Perfetto truncates
    them to nanoseconds, and drops an event that ends after its enclosing event or starts before the
    previous event ends.
    """
    names = {_HOST: "Python", _DEVICE: backend}
    processes = sorted({track.process for track in tracks})
    events = [_name("process_name", process, 0, names[process]) for process in processes]
    for number, track in enumerate(tracks, 1):
        events.append(_name("thread_name", track.process, number, track.name))
        for event in sorted(track.events, key=lambda e: (e.began, -e.ended)):
            began, ended = round(event.began * 1e9), round(event.ended * 1e9)
            events.append(
                {
                    "ph": "X",
                    "name": event.name,
                    "cat": event.kind,
                    "pid": track.process,
                    "tid": number,
                    "ts": _microseconds(began),
                    "dur": _microseconds(ended - began),
                    "args": event.facts,
                }
            )
    return {"traceEvents": events, "displayTimeUnit": "ms", "otherData": facts}


def _microseconds(nanoseconds: int) -> float:
    """Return microseconds, rounded up so that the product with 1000 is at least `nanoseconds`."""
    number = nanoseconds / 1000
    return number if number * 1000 >= nanoseconds else math.nextafter(number, math.inf)


def _name(kind: str, process: int, thread: int, name: str) -> dict[str, Any]:
    """Return an event that names a process or a thread."""
    return {"ph": "M", "name": kind, "pid": process, "tid": thread, "args": {"name": name}}


def share_told(tracks: Sequence[Track], seconds: float) -> float:
    """Return the share of a time from 0 that events cover, except the program's own events."""
    events = (e for track in tracks for e in track.events if e.kind != "user")
    within = ((max(e.began, 0.0), min(e.ended, seconds)) for e in events)
    return covered(within) / seconds if seconds > 0 else 0.0
