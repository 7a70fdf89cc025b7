"""Creation of ragged tensors from nested lists, ranges and partitions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tfpy._src.base import dtypes
from tfpy._src.base.dtypes import DType, as_dtype
from tfpy._src.base.errors import invalid, invalid_value
from tfpy._src.core import conversion as convert
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import DTypeLike, TensorLike
from tfpy._src.tensors.array.joining import repeat
from tfpy._src.tensors.composite.ragged import row_partition as partition
from tfpy._src.tensors.composite.ragged.tensor import RaggedTensor
from tfpy._src.tensors.ragged.nested_lists import divided

_MOST = np.iinfo(np.int32).max
"""Largest number of values in a row."""


def constant(
    pylist: TensorLike,
    dtype: DTypeLike | None = None,
    ragged_rank: int | None = None,
    inner_shape: Sequence[int] | None = None,
    name: str | None = None,
    row_splits_dtype: DTypeLike = dtypes.int32,
) -> RaggedTensor | Tensor:
    """Create a ragged tensor from nested lists.

    Args:
        pylist: Nested list or tuple of numbers, Booleans or strings, or a NumPy array.
        dtype: Dtype of the values. Default: inferred from the values.
        ragged_rank: Number of ragged axes. Default: the number of axes of `pylist`, minus the first
            one and those of `inner_shape`.
        inner_shape: Shape of the values at the innermost level, whose axes are not ragged. Default:
            the shape of the values below the ragged axes, which is `()` if `ragged_rank` is not
            given either.
        row_splits_dtype: Has no effect: the row splits, which are the positions where rows begin
            and end, are always int32.

    Returns:
        A `tf.RaggedTensor`, or a tensor if the result does not have a ragged axis.

    Raises:
        ValueError: If the scalars are nested at different depths, or `ragged_rank` or `inner_shape`
            does not match `pylist`.
        TypeError: If `pylist` is a ragged tensor.

    Example:
        >>> import tfpy as tf
        >>> x = tf.ragged.constant([[1, 2], [], [3]])
        >>> x.shape, x.row_lengths().numpy().tolist()
        (TensorShape([3, None]), [2, 0, 1])
        >>> tf.ragged.constant([[[1, 2]], [[3, 4], [5, 6]]], inner_shape=[2]).shape
        TensorShape([2, None, 2])

    See also: `tf.RaggedTensor.from_row_splits`, `tf.constant`.
    """
    parts = divided(pylist, ragged_rank, inner_shape)
    kind = None if dtype is None else as_dtype(dtype)
    result: Any = convert.constant(parts.values, kind, parts.shape)
    for lengths in reversed(parts.lengths):
        result = RaggedTensor(result, partition.from_lengths(np.array(lengths, np.int32)))
    return result


def range(
    starts: TensorLike,
    limits: TensorLike | None = None,
    deltas: TensorLike = 1,
    dtype: DTypeLike | None = None,
    name: str | None = None,
    row_splits_dtype: DTypeLike = dtypes.int32,
) -> RaggedTensor:
    """Create a ragged tensor with a sequence of numbers in each row.

    Row `i` contains the numbers from `starts[i]` to `limits[i]`, exclusive. If `limits` is not
    given, it contains the numbers from 0 to `starts[i]`, exclusive. The arguments are read back to
    Python, so the call waits for pending computations, and a `tf.function` that contains the call
    runs eagerly, without compilation.

    Args:
        starts: First number of each row, a vector or scalar.
        limits: End of each row (exclusive), a vector or scalar. Default: `starts`, and the rows
            begin with 0.
        deltas: Difference between consecutive numbers of each row, a vector or scalar. Default: 1.
        dtype: Dtype of the result. Default: float32 if an argument is a float, and int32 otherwise.
        row_splits_dtype: Has no effect: the row splits, which are the positions where rows begin
            and end, are always int32.

    Returns:
        A `tf.RaggedTensor` of shape `[rows, None]`.

    Raises:
        tf.errors.InvalidArgumentError: If an element of `deltas` is 0, or the vectors have
            different lengths.

    Example:
        >>> import tfpy as tf
        >>> tf.ragged.range([3, 0, 2]).to_list()
        [[0, 1, 2], [], [0, 1]]
        >>> tf.ragged.range([0, 5], [3, 7]).to_list()
        [[0, 1, 2], [5, 6]]

    See also: `tf.range`.
    """
    starts, limits = (0, starts) if limits is None else (starts, limits)
    given = [convert_to_tensor(v) for v in (starts, limits, deltas)]
    kind = (
        as_dtype(dtype)
        if dtype is not None
        else (dtypes.float32 if any(t.dtype.is_floating for t in given) else dtypes.int32)
    )
    vectors = [t.host_view().astype(kind.as_numpy_dtype) for t in given]
    sizes = {v.size for v in vectors if v.ndim}
    if len(sizes) > 1 or any(v.ndim > 1 for v in vectors):
        raise invalid("ragged.range", f"starts, limits, and deltas must have the same shape, or "
                      f"be scalars, got shapes {[list(t.aval.shape) for t in given]}")  # fmt: skip
    first, last, step = np.broadcast_arrays(*map(np.atleast_1d, vectors))
    if (step == 0).any():
        raise invalid("ragged.range", "Requires delta != 0")
    exact = np.maximum(np.ceil((last.astype(np.float64) - first) / step), 0)
    if exact.max(initial=0) > _MOST:
        raise invalid("ragged.range", f"Requires ((limit - start) / delta) <= {_MOST}")
    if exact.sum() > _MOST:
        raise invalid("ragged.range", f"the row splits overflowed: {exact.sum():.0f} values")
    counts = exact.astype(np.int32)
    splits = partition.from_lengths(counts)
    at = partition.positions(splits).astype(kind.as_numpy_dtype)
    values = np.repeat(first, counts) + at * np.repeat(step, counts)
    return RaggedTensor(convert.constant(values.astype(kind.as_numpy_dtype)), splits)


def row_splits_to_segment_ids(
    splits: TensorLike, name: str | None = None, out_type: DTypeLike | None = None
) -> Tensor:
    """Convert row splits to the index of the row of each value.

    Args:
        splits: Positions where rows begin and end, an integer tensor of shape `[rows + 1]`.
        out_type: Has no effect: the result is always int32.

    Returns:
        Int32 tensor of shape `[values]`, where `values` is the number of values in all rows.

    Raises:
        ValueError: If `splits` is empty.

    Example:
        >>> import tfpy as tf
        >>> tf.ragged.row_splits_to_segment_ids([0, 2, 2, 3]).numpy().tolist()
        [0, 0, 2]

    See also: `tf.ragged.segment_ids_to_row_splits`.
    """
    found = partition.ints(convert_to_tensor(splits), "splits")
    if not found.size:
        raise ValueError("Invalid row_splits: []")
    return repeat(np.arange(found.size - 1, dtype=np.int32), np.diff(found))


def segment_ids_to_row_splits(
    segment_ids: TensorLike,
    num_segments: int | Tensor | None = None,
    out_type: DTypeLike | None = None,
    name: str | None = None,
) -> Tensor:
    """Convert the index of the row of each value to row splits.

    Args:
        segment_ids: Index of the row of each value, an integer tensor of shape `[values]`. The
            indices are counted, so their order does not matter.
        num_segments: Number of rows. Larger indices are ignored. Default: the largest index plus 1.
        out_type: Has no effect: the result is always int32.

    Returns:
        Positions where rows begin and end, an int32 tensor of shape `[num_segments + 1]`.

    Raises:
        tf.errors.InvalidArgumentError: If an index or `num_segments` is negative.

    Example:
        >>> import tfpy as tf
        >>> tf.ragged.segment_ids_to_row_splits([0, 0, 2]).numpy().tolist()
        [0, 2, 2, 3]

    See also: `tf.ragged.row_splits_to_segment_ids`.
    """
    ids = partition.ints(convert_to_tensor(segment_ids), "segment_ids")
    count = int(ids.max(initial=-1)) + 1 if num_segments is None else int(num_segments)
    if count < 0 or ids.min(initial=0) < 0:
        raise invalid_value(
            "segment_ids_to_row_splits",
            f"segment_ids and num_segments must not be negative, got {ids.tolist()} and {count}",
        )
    lengths = np.bincount(ids[ids < count], minlength=count)
    return convert.constant(partition.from_lengths(lengths.astype(np.int32)))


def from_rows(rows: Sequence[Sequence[Any]], kind: DType) -> RaggedTensor:
    """Create a ragged matrix from lists of host values."""
    flat = np.empty(sum(map(len, rows)), kind.as_numpy_dtype)
    flat[:] = [v for row in rows for v in row]
    lengths = np.array([len(row) for row in rows], np.int32)
    return RaggedTensor(convert.constant(flat, kind), partition.from_lengths(lengths))
