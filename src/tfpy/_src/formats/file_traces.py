"""Traces of functions that are written to files.

Files have fewer operations and dtypes than Graphs. A trace for a file can therefore differ from one
that runs.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager


class _Local(threading.local):
    def __init__(self) -> None:
        self.depth = 0


_local = _Local()


@contextmanager
def for_file() -> Iterator[None]:
    """Mark the functions that are traced in a `with` statement as written to a file."""
    _local.depth += 1
    try:
        yield
    finally:
        _local.depth -= 1


def is_for_file() -> bool:
    """Return True if the function that is being traced will be written to a file."""
    return _local.depth > 0
