"""Whether a tensor's bytes may be overwritten, because nobody else could see it.

A Variable's value can be handed out in many ways: read, kept by a tape, shared with another
Variable or a tensor of another shape, captured. Python's reference counts know of all of them, and
whatever they count besides the holders that are known keeps the bytes as they are. A storage alone
knows its slot and is empty once that was given away, so whoever kept it from being counted would
meet an error, not another value.
"""

from __future__ import annotations

from collections.abc import Sequence
from sys import getrefcount
from typing import Any

from tfpy._src.core.tensor import Tensor

_HELD: list[Any] = [object()]
_ONE_HOLDER = getrefcount(_HELD[0])  # with the reference of the call itself


def is_unshared(tensors: Sequence[Tensor], position: int, holders: int) -> bool:
    """Whether a tensor has two holders, ``tensors`` and one more, and its storage no other tensor.

    Args:
        holders: how often the caller itself holds the storage.
    """
    return (
        getrefcount(tensors[position]) == _ONE_HOLDER + 1
        and getrefcount(tensors[position].storage) == _ONE_HOLDER + holders
    )
