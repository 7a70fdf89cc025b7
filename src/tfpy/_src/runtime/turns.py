"""Turns of the event loop, in which a page reacts and paints."""

from __future__ import annotations

import asyncio
from time import perf_counter

_LONGEST = 0.05  # seconds; longer ones are "long tasks" to browsers: the user feels them

_last = 0.0  # when a turn was given


async def give_turn() -> None:
    """Lets the page's other tasks run, if it was held up for long. A turn takes about 0.1 ms."""
    global _last
    if perf_counter() - _last > _LONGEST:
        await asyncio.sleep(0)
        _last = perf_counter()
