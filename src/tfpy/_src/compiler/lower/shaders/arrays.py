"""The arrays that a kernel reads: each buffer once, with all its names and views."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from tfpy._src.base.dtypes import DType
from tfpy._src.compiler.lower.program import Buffer


class ArrayOperand(NamedTuple):
    """A name by which a kernel's code reads a buffer."""

    name: str
    dtype: DType
    array: str
    """The first name of the same buffer, by which the device knows it."""


class Arrays:
    """The arrays behind the names in a kernel's code.

    Args:
        read: Buffers by the names of operands.
        buffers: Buffers of the Program.
    """

    def __init__(self, read: Mapping[str, int], buffers: Sequence[Buffer]) -> None:
        first: dict[int, str] = {}
        self.operands = [
            ArrayOperand(x, buffers[b].dtype, first.setdefault(b, x)) for x, b in read.items()
        ]
        self.names = tuple(first.values())
        self.buffers = list(first)
