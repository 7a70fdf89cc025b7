"""The arrays that a kernel reads: each buffer once, under however many names and views."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from tfpy._src.base.dtypes import DType
from tfpy._src.compiler.lower.program import Buffer


class ArrayOperand(NamedTuple):
    """A name by which a kernel's text reads a buffer."""

    name: str
    dtype: DType
    array: str
    """The first name of the same buffer, which the device knows it by."""


class Arrays:
    """What a kernel's names read.

    Args:
        read: buffers by the names of operands.
        buffers: of the Program.
    """

    def __init__(self, read: Mapping[str, int], buffers: Sequence[Buffer]) -> None:
        first: dict[int, str] = {}
        self.operands = [
            ArrayOperand(x, buffers[b].dtype, first.setdefault(b, x)) for x, b in read.items()
        ]
        self.names = tuple(first.values())
        self.buffers = list(first)
