"""A lock for awaited calls that assign Variables."""

from __future__ import annotations

import asyncio
import weakref

_locks = weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Lock]()


def one_at_a_time() -> asyncio.Lock:
    """Return the running event loop's lock. Awaited calls that assign Variables hold it."""
    return _locks.setdefault(asyncio.get_running_loop(), asyncio.Lock())
