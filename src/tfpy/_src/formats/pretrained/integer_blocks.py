"""Weights of integers with zero points, in the block formats of devices."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import gcd
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tfpy._src.compiler.ops.block_formats import BYTE, ON_DEVICES, SIZES, BlockFormat
from tfpy._src.formats.pretrained.block_weights import Matrix

AT_ONCE = 1 << 20
"""Number of integers that are unpacked at once, which limits the memory of temporary arrays."""
NIBBLE = 4
"""Number of bits in which integers of fewer than 8 bits are stored."""
_HALF_WORD = 16

Codes = NDArray[np.uint8]


@dataclass(frozen=True)
class IntegerMatrix:
    """A matrix of the values `scale * (integer - zero point)`.

    Attributes:
        codes: Function that returns the integers [rows, columns] of a range of rows.
        scales: Scales [groups, rows].
        points: Zero points [groups, rows].
        groups: Group of each column.
        bits: Number of bits of an integer.
    """

    codes: Callable[[int, int], Codes]
    scales: NDArray[Any]
    points: NDArray[np.int32]
    groups: NDArray[np.int64]
    bits: int

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and of columns."""
        return self.scales.shape[1], len(self.groups)

    def rows(self) -> list[tuple[int, int]]:
        """Return ranges of rows that are converted at once."""
        rows, columns = self.shape
        step = max(AT_ONCE // columns // BYTE, 1) * BYTE
        return [(begin, min(begin + step, rows)) for begin in range(0, rows, step)]

    def floats(self) -> NDArray[np.float32]:
        """Return the values."""
        out = np.empty(self.shape, np.float32)
        scales = self.scales.astype(np.float32)
        for begin, end in self.rows():
            points = self.points[self.groups, begin:end].T
            centered = self.codes(begin, end).astype(np.int32) - points
            out[begin:end] = scales[self.groups, begin:end].T * centered.astype(np.float32)
        return out

    def blocks(self) -> Matrix | None:
        """Return the matrix in blocks, or None if no format has exactly these values."""
        with np.errstate(over="ignore"):
            halves = self.scales.astype(np.float16)
        if not np.isfinite(halves).all() or (halves != self.scales).any():
            return None
        columns, groups = None, self.groups
        if (np.diff(groups) < 0).any():
            columns = np.argsort(groups, kind="stable").astype(np.int32)
            groups = groups[columns]
        how = format_of(self.bits, _shared(groups))
        if how is None:
            return None
        first, stored = groups[:: how.size], stored_bits(self.bits)
        blocks = np.empty((self.shape[0], len(first)), how.layout)
        blocks["d"] = halves[first].T
        blocks["z"] = (self.points[first] - (1 << (stored - 1))).T
        for begin, end in self.rows():
            codes = self.codes(begin, end)
            codes = codes if columns is None else codes[:, columns]
            blocks["qs"][begin:end] = _packed(codes, stored).reshape(blocks["qs"][begin:end].shape)
        return Matrix(how, blocks.reshape(-1), self.shape, columns)


def stored_bits(bits: int) -> int:
    """Return the number of bits in which devices read integers of some bits."""
    return BYTE if bits > NIBBLE else NIBBLE


def format_of(bits: int, count: int) -> BlockFormat | None:
    """Return the format with the largest blocks.

    Args:
        bits: Number of bits of an integer.
        count: Number that the size of a block must divide.
    """
    sizes = [size for size in SIZES if not count % size]
    return ON_DEVICES[f"INT{stored_bits(bits)}_{max(sizes)}"] if sizes else None


def _shared(groups: NDArray[np.int64]) -> int:
    """Return the greatest common divisor of the number of columns and the ends of groups."""
    return gcd(len(groups), *(np.flatnonzero(np.diff(groups)) + 1).tolist())


def _packed(codes: Codes, bits: int) -> NDArray[Any]:
    """Pack integers [rows, columns] in the order of the block formats."""
    if bits == BYTE:
        return (codes ^ np.uint8(128)).view(np.int8)
    pairs = codes.reshape(len(codes), -1, 2, _HALF_WORD)
    found: Codes = pairs[:, :, 0] | (pairs[:, :, 1] << np.uint8(NIBBLE))
    return found
