"""Row partitions of ragged tensors as int32 arrays on the host, in all of TensorFlow's forms."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfpy._src.base.errors import invalid_value
from tfpy._src.core.conversion import host_values, is_operand

Ints = np.ndarray[Any, Any]


def ints(value: Any, what: str) -> Ints:
    """Return a vector of integers on the host.

    Args:
        what: Name of the argument, for error messages.

    Raises:
        ValueError: If the value is not a vector.
        TypeError: If the value does not consist of integers.
    """
    array = host_values(value) if is_operand(value) else np.asarray(value)
    if array.size == 0:
        array = array.astype(np.int32)
    if array.dtype.kind not in "iu":
        raise TypeError(
            f"Argument `tensor` (name: {what}) must be of type integer. Received dtype: "
            f"{array.dtype.name}"
        )
    if array.ndim != 1:
        raise ValueError(f"{what}: Shape {_shown(array.shape)} must have rank 1")
    return array.astype(np.int32)


def from_lengths(lengths: Ints) -> Ints:
    """Return the row splits for row lengths."""
    splits = np.zeros(lengths.size + 1, np.int32)
    np.cumsum(lengths, out=splits[1:])
    return splits


def count(value: Any, what: str) -> int:
    """Return a number of rows or values.

    Args:
        value: Scalar integer.
        what: Name of the argument, for error messages.

    Raises:
        ValueError: If the value is not a scalar, or is negative.
    """
    shape = host_values(value).shape if is_operand(value) else np.asarray(value).shape
    if shape:
        raise ValueError(f"{what}: Shape {_shown(shape)} must have rank 0")
    if int(value) < 0:
        raise ValueError(f"Expected {what} >= 0; got {int(value)}")
    return int(value)


def _shown(shape: tuple[int, ...]) -> str:
    return f"({', '.join(map(str, shape))}{',' if len(shape) == 1 else ''})"


def from_rowids(rowids: Ints, nrows: Any) -> Ints:
    """Return the row splits for the ascending row index of each value.

    Raises:
        ValueError: If `nrows` is too small.
        InvalidArgumentError: If the indices do not ascend from 0.
    """
    last = int(rowids[-1]) if rowids.size else -1
    rows = last + 1 if nrows is None else count(nrows, "nrows")
    if rows <= last:
        raise ValueError(
            f"Expected nrows >= value_rowids[-1] + 1; got nrows={rows}, value_rowids[-1]={last}"
        )
    if rowids.size and (rowids[0] < 0 or (np.diff(rowids) < 0).any()):
        raise invalid_value(
            "RaggedTensor", f"value_rowids must ascend from 0 or more, got {rowids.tolist()}"
        )
    return from_lengths(np.bincount(rowids, minlength=rows).astype(np.int32))


def check(splits: Ints, n: int, what: str) -> None:
    """Check that the splits partition `n` values.

    Raises:
        InvalidArgumentError: If they do not.
    """
    if splits.size == 0 or splits[0] != 0 or n != int(splits[-1]) or (np.diff(splits) < 0).any():
        raise invalid_value(
            "RaggedTensor",
            f"Arguments to {what} do not form a valid RaggedTensor: row splits "
            f"{splits.tolist()} must ascend from 0 to the number of values, {n}",
        )


def rowids(splits: Ints) -> Ints:
    """Return the row of each value."""
    return np.repeat(np.arange(splits.size - 1, dtype=np.int32), np.diff(splits))


def positions(splits: Ints) -> Ints:
    """Return the position of each value in its row."""
    begins = np.repeat(splits[:-1], np.diff(splits))
    return np.asarray(np.arange(splits[-1], dtype=np.int32) - begins)


def take(splits: Ints, rows: Ints) -> tuple[Ints, Ints]:
    """Return the splits of the selected rows, and the positions of their values."""
    lengths = np.diff(splits)[rows]
    picked = from_lengths(lengths)
    return picked, np.repeat(splits[:-1][rows], lengths) + positions(picked)
