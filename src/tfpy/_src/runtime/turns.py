"""Turns of the event loop, in which a page reacts and paints."""

from __future__ import annotations

import asyncio
import sys
from time import perf_counter
from typing import Any

_scheduler: Any = None
_nothing: Any = None
if sys.platform == "emscripten":
    import js

    _scheduler, _nothing = getattr(js, "scheduler", None), js.Boolean

SLICE = 0.02
"""Seconds of work after which the page gets its turn: with a step of training that begins just
before, a task stays below the 0.05 from which browsers call it long."""

_last = 0.0  # when a turn was given


async def give_turn() -> None:
    """Lets the page's other tasks run, if it was held up for long. A turn takes about 0.1 ms."""
    global _last
    if perf_counter() - _last >= SLICE:
        await _turn()
        _last = perf_counter()


async def _turn() -> None:
    """Ends the browser's task.

    Pyodide goes on by messages, and Chromium takes one message after the other for 50 ms before it
    looks at anything else: only a task of another kind lets others go first.
    """
    if _scheduler is None:
        await asyncio.sleep(0)
    else:
        await _scheduler.postTask(_nothing)
