"""Numbers of a few bits that are packed into bytes, and the types of blocks."""

from __future__ import annotations

from typing import Any

import numpy as np

Bytes = np.ndarray[Any, np.dtype[np.uint8]]
Floats = np.ndarray[Any, np.dtype[np.float32]]
Blocks = np.ndarray[Any, Any]
"""A vector of blocks, with the dtype of their layout."""


def column(values: Any) -> Floats:
    """Return one number of each block as a column of float32."""
    found: Floats = np.asarray(values).reshape(len(values), -1).astype(np.float32)
    return found


def parts(data: Bytes, bits: int, width: int) -> Bytes:
    """Split bytes into parts of some bits.

    The lowest bits of `width` bytes come first, then the next bits of the same bytes.

    Args:
        data: Bytes of the shape [blocks, count].
        bits: Number of bits of a part.
        width: Number of bytes after which the order repeats.

    Returns:
        Parts of the shape [blocks, count * 8 // bits].
    """
    shifts = np.arange(0, 8, bits, dtype=np.uint8)[:, None]
    found = data.reshape(len(data), -1, 1, width) >> shifts
    return (found & np.uint8((1 << bits) - 1)).reshape(len(data), -1)


def scaled(scales: Floats, values: Floats) -> Floats:
    """Multiply groups of values by their scales, which have the shape [blocks, groups]."""
    groups = values.reshape(*scales.shape, -1)
    return (scales[..., None] * groups).reshape(len(values), -1)


def signed(numbers: Bytes, offset: int) -> Floats:
    """Subtract an offset from numbers of a few bits."""
    return (numbers.astype(np.int8) - np.int8(offset)).astype(np.float32)
