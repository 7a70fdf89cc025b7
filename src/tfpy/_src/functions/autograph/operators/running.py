"""Loops that Python runs, and the limits of their iterations."""

from __future__ import annotations

import threading
from typing import Any, Self


class _Local(threading.local):
    def __init__(self) -> None:
        self.loops: list[RunningLoop] = []


_local = _Local()


class RunningLoop:
    """A `while` or `for` statement that Python runs.

    Attributes:
        limit: Maximum number of iterations that depend on tensors, or None.
        done: Number of these iterations.
    """

    def __init__(self) -> None:
        self.limit: Any = None
        self.done = 0

    def __enter__(self) -> Self:
        _local.loops.append(self)
        return self

    def __exit__(self, *error: object) -> None:
        _local.loops.pop()

    @property
    def may_go_on(self) -> bool:
        """True if another iteration does not exceed the limit."""
        return self.limit is None or self.done < int(self.limit)


def innermost() -> RunningLoop | None:
    """Return the innermost loop that runs, or None."""
    return _local.loops[-1] if _local.loops else None
