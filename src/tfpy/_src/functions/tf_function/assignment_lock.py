"""The lock of calls that assign Variables and await meanwhile."""

from __future__ import annotations

import asyncio
import weakref

_locks = weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Lock]()


def one_at_a_time() -> asyncio.Lock:
    """The running event loop's lock of those who assign Variables and await meanwhile."""
    return _locks.setdefault(asyncio.get_running_loop(), asyncio.Lock())
