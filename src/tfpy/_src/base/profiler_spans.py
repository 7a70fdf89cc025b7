"""Profiling spans. Nothing is recorded unless a profiler is attached.

Code that takes time records a span as follows::

    began = clock() if recorders else 0.0
    ...
    if began:
        note("trace", name, began)
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from time import perf_counter as clock
from typing import Any, NamedTuple

__all__ = ["Span", "clock", "covered", "note", "recorders"]


class Span(NamedTuple):
    """An activity with its start and end in seconds of `clock`."""

    kind: str
    """Kind of activity.

    "op", "function", "trace", "passes", "lower", "compile", "run", "host", "upload", "read",
    "wait", "gradient" or "user".
    """
    name: str
    began: float
    ended: float
    thread: int
    facts: dict[str, Any]


recorders: list[Callable[[Span], None]] = []
"""Callbacks for each span that has ended."""


def note(kind: str, name: str, began: float, **facts: Any) -> None:
    """Record a span that ends now."""
    span = Span(kind, name, began, clock(), threading.get_ident(), facts)
    for recorder in recorders:
        recorder(span)


def covered(times: Iterable[tuple[float, float]]) -> float:
    """Return the total time that at least one of several (start, end) intervals covers."""
    total, until = 0.0, float("-inf")
    for began, ended in sorted(times):
        total += max(0.0, ended - max(began, until))
        until = max(until, ended)
    return total
