"""The tensors that use the most memory, for errors and for `tf.memory()` in debug mode."""

from __future__ import annotations

import gc
from collections import Counter
from typing import NamedTuple

from tfpy._src.backends.storage import Storage


class MemoryHolder(NamedTuple):
    """Tensors of one kind: the same shape, dtype, place, and line that made them."""

    nbytes: int
    """Number of bytes of all of them."""
    tensors: int
    aval: str
    """Dtype and shape, as `float32[2,3]`."""
    place: str
    """Backend that holds them; "host" before the first use."""
    line: str | None
    """File and line, for tensors that ops made in debug mode."""


def largest(count: int) -> list[MemoryHolder]:
    """Return the kinds of tensors that use the most bytes, largest first.

    The search covers all objects that Python's garbage collector tracks, and takes some
    milliseconds.
    """
    kinds: Counter[tuple[str, str, str | None]] = Counter()
    sizes: dict[tuple[str, str, str | None], int] = {}
    for found in gc.get_objects():
        if type(found) is Storage:
            kind = str(found.aval), found.place, found.line
            kinds[kind] += 1
            sizes[kind] = found.aval.nbytes
    holders = [MemoryHolder(sizes[kind] * n, n, *kind) for kind, n in kinds.items()]
    return sorted(holders, key=lambda holder: -holder.nbytes)[:count]
