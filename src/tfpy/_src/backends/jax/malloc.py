"""Configuration of the C library's allocator for programs with temporaries on the host."""

from __future__ import annotations

import ctypes
import os
import sys

_TRIM_THRESHOLD, _MMAP_MAX, _ARENA_MAX = -1, -4, -8  # from glibc's malloc.h

_KEPT = ((_ARENA_MAX, 1), (_MMAP_MAX, 0), (_TRIM_THRESHOLD, -1))
"""One heap for all threads, no separately mapped blocks, and no memory returned to the system.

Heaps of threads are limited to 64 MB, and returned memory comes back page by page, filled with
zeros.
"""


def keep_freed() -> bool:
    """Make glibc keep freed memory for later allocations. Return True if it does.

    XLA allocates the temporaries of a program, tens of megabytes, at each call. By default each
    page causes a fault: 6 to 16 % of a training step. Threads that computed before keep their own
    heaps. Settings in glibc's variables (`MALLOC_ARENA_MAX`, `GLIBC_TUNABLES`) have precedence.
    """
    if sys.platform != "linux" or any(map(_chooses, os.environ)):
        return False
    library = ctypes.CDLL(None)
    if not hasattr(library, "gnu_get_libc_version"):
        return False
    return all(library.mallopt(what, value) for what, value in _KEPT)


def _chooses(variable: str) -> bool:
    return variable == "GLIBC_TUNABLES" or variable.startswith("MALLOC_")
