"""Turns of the event loop, in which a page reacts and paints."""

from __future__ import annotations

from time import perf_counter

from tfpy._src.runtime.bridge import end_task

SLICE = 0.02
"""Seconds of work after which the page gets its turn: with a step of training that begins just
before, a task stays below the 0.05 from which browsers call it long."""

_last = 0.0  # when a turn was given


async def give_turn() -> None:
    """Lets the page's other tasks run, if it was held up for long. A turn takes about 0.1 ms."""
    global _last
    if perf_counter() - _last >= SLICE:
        await end_task()
        _last = perf_counter()
