"""What the library is busy with, and when, for who profiles; nothing is noted for nobody.

Where something takes time, it is noted so::

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
    """Something that took time; seconds are those of :func:`clock`."""

    kind: str
    """"op", "function", "trace", "passes", "lower", "compile", "run", "host", "upload", "read",
    "wait", "gradient" or "user"."""
    name: str
    began: float
    ended: float
    thread: int
    facts: dict[str, Any]


recorders: list[Callable[[Span], None]] = []
"""Told of each span when it has ended."""


def note(kind: str, name: str, began: float, **facts: Any) -> None:
    """Tells that something ends now."""
    span = Span(kind, name, began, clock(), threading.get_ident(), facts)
    for recorder in recorders:
        recorder(span)


def covered(times: Iterable[tuple[float, float]]) -> float:
    """How long at least one of several stretches of time lasts; each has a beginning and an end."""
    total, until = 0.0, float("-inf")
    for began, ended in sorted(times):
        total += max(0.0, ended - max(began, until))
        until = max(until, ended)
    return total
