"""How the C library hands memory out where a program's temporaries are the host's."""

from __future__ import annotations

import ctypes
import os
import sys

_TRIM_THRESHOLD, _MMAP_MAX, _ARENA_MAX = -1, -4, -8  # of glibc's malloc.h

_KEPT = ((_ARENA_MAX, 1), (_MMAP_MAX, 0), (_TRIM_THRESHOLD, -1))
"""One heap for all threads, no block that is mapped by itself, nothing given back to the system:
threads' own heaps end at 64 MB, and what goes back comes again page by page, filled with zeros."""


def keep_freed() -> bool:
    """Lets glibc keep what is freed for what is asked for next; whether it does so.

    XLA asks for the temporaries of a program, tens of megabytes, at each call. By default each of
    their pages was a fault of its own: 6 to 16 % of a training step. Threads that
    have computed before keep their heaps. A program that has chosen by glibc's own variables
    (``MALLOC_ARENA_MAX``, ``GLIBC_TUNABLES``) has the last word.
    """
    if sys.platform != "linux" or any(map(_chooses, os.environ)):
        return False
    library = ctypes.CDLL(None)
    if not hasattr(library, "gnu_get_libc_version"):
        return False
    return all(library.mallopt(what, value) for what, value in _KEPT)


def _chooses(variable: str) -> bool:
    return variable == "GLIBC_TUNABLES" or variable.startswith("MALLOC_")
