"""Which tensors take most of the memory: for errors, and for ``tf.memory()`` while debugging."""

from __future__ import annotations

import gc
from collections import Counter
from typing import NamedTuple

from tfpy._src.backends.storage import Storage


class MemoryHolder(NamedTuple):
    """Tensors of one kind, which share shape and dtype, place, and the line that made them."""

    nbytes: int
    """Of all of them."""
    tensors: int
    aval: str
    """As ``float32[2,3]``."""
    place: str
    """The backend that has them; "host" before their first use."""
    line: str | None
    """File and line, of tensors that ops made in debug mode."""


def largest(count: int) -> list[MemoryHolder]:
    """The kinds of tensors that take most bytes, the largest first.

    They are looked for among all objects that Python's collector knows, which takes some
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
