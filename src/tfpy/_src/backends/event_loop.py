"""Turns of the event loop, in which a page reacts and paints."""

from __future__ import annotations

from time import perf_counter

from tfpy._src.backends.awaitable import awaitable
from tfpy._src.backends.javascript.bridge import end_frame, end_task

SLICE = 0.02
"""Seconds of work after which the page gets its turn: with a step of training that begins just
before, a task stays below the 0.05 from which browsers call it long."""

SHORT = SLICE / 2
"""Seconds of work for which the page waits; what takes longer is made in slices."""

_last = 0.0  # when a turn was given


async def give_turn() -> None:
    """Lets the page's other tasks run, if it was held up for long. A turn takes about 0.1 ms."""
    global _last
    if seconds_left() <= 0:
        await end_task()
        _last = perf_counter()


def is_short(seconds: float) -> bool:
    """Whether the page waits for work that takes so long."""
    return seconds <= SHORT


def seconds_left() -> float:
    """How long the page can wait for its next turn."""
    return _last + SLICE - perf_counter()


@awaitable("tf.next_frame()")
async def next_frame() -> None:
    """Returns when the browser draws its next frame: what a loop has shown is seen then.

    Pages that nobody sees draw none: it returns after 0.1 s there, and where there is no page, when
    other tasks had their turn.

    Example:
        >>> import asyncio
        >>> import tfpy as tf
        >>> asyncio.run(tf.next_frame())
    """
    await end_frame()
