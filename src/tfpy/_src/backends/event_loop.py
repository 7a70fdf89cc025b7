"""Tasks of the event loop, between which a page reacts and paints."""

from __future__ import annotations

from time import perf_counter

from tfpy._src.backends.awaitable import awaitable
from tfpy._src.backends.javascript.bridge import end_frame, end_task

SLICE = 0.02
"""Seconds of work after which the page may react.

Together with a training step that begins just before, a task stays below 0.05 seconds, which
browsers call a long task.
"""

SHORT = SLICE / 2
"""Seconds of work that may block the page. Longer work runs in slices."""

_last = 0.0  # time at which the page could last react


async def give_turn() -> None:
    """Let other tasks of the page run if they have waited long enough. This takes about 0.1 ms."""
    global _last
    if seconds_left() <= 0:
        await end_task()
        _last = perf_counter()


def is_short(seconds: float) -> bool:
    """Return True if work of this duration may block the page."""
    return seconds <= SHORT


def seconds_left() -> float:
    """Return the number of seconds until the page should react again."""
    return _last + SLICE - perf_counter()


@awaitable("tf.next_frame()")
async def next_frame() -> None:
    """Wait until the browser draws its next frame, so that changes of the page become visible.

    A hidden page draws no frames, so the function returns after 0.1 ms. Outside of a page, it
    returns after other tasks of the event loop have run.

    Returns:
        An awaitable that resolves to None.

    Example:
        >>> import asyncio
        >>> import tfpy as tf
        >>> asyncio.run(tf.next_frame())  # in a page: await tf.next_frame()
    """
    await end_frame()
