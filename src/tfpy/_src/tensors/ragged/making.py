"""Making ragged tensors: of nested lists, ranges and partitions."""

from __future__ import annotations

import builtins
from collections.abc import Sequence
from typing import Any

import numpy as np

from tfpy._src.base import dtypes
from tfpy._src.base.dtypes import DType, as_dtype
from tfpy._src.base.errors import invalid, invalid_value
from tfpy._src.core import conversion as convert
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.tensor import Tensor
from tfpy._src.tensors.array.joining import repeat
from tfpy._src.tensors.array.reshaping import reshape
from tfpy._src.tensors.composite.ragged import row_partition as partition
from tfpy._src.tensors.composite.ragged.rows import row_count, take_rows
from tfpy._src.tensors.composite.ragged.tensor import RaggedTensor


def constant(
    pylist: Any,
    dtype: Any = None,
    ragged_rank: int | None = None,
    inner_shape: Any = None,
    name: str | None = None,
    row_splits_dtype: Any = dtypes.int32,
) -> Any:
    """A ragged tensor of nested lists; a tensor when nothing is nested.

    Args:
        dtype: of the result; int64 and float64 have 32 bits without ``TFPY_ENABLE_X64``.
        ragged_rank: how many dimensions are ragged; by default all but the first one.
        inner_shape: the uniform shape of the innermost values.

    Raises:
        ValueError: for scalars at different depths, and for arguments that contradict the lists.

    Example:
        >>> import tfpy as tf
        >>> x = tf.ragged.constant([[1, 2], [], [3]])
        >>> x.shape, x.row_lengths().numpy().tolist()
        (TensorShape([3, None]), [2, 0, 1])
    """
    kind = None if dtype is None else as_dtype(dtype)
    nested = pylist.tolist() if isinstance(pylist, np.ndarray) else pylist
    scalars, deepest = _scalar_depth(nested), _nesting(nested)
    if scalars is not None and scalars != deepest:
        raise ValueError("all scalar values must have the same nesting depth")
    inner = None if inner_shape is None else tuple(int(n) for n in inner_shape)
    levels = max(deepest - 1 - len(inner or ()), 0) if ragged_rank is None else int(ragged_rank)
    known = scalars is not None and inner is not None
    if (scalars is not None and levels >= max(scalars, 1)) or (
        known and levels + 1 + len(inner or ()) != scalars
    ):
        raise ValueError(
            f"Invalid pylist={pylist!r}: its nesting depth {deepest} is incompatible with "
            f"ragged_rank={ragged_rank} and inner_shape={inner_shape}"
        )
    splits, values = [], nested
    for _ in builtins.range(levels):
        splits.append(partition.from_lengths(np.array([len(v) for v in values], np.int32)))
        values = [item for row in values for item in row]
    shape = None if inner is None else (len(values), *inner)
    result: Any = convert.constant(values, kind, shape)
    for s in reversed(splits):
        result = RaggedTensor(result, s)
    return result


def _is_nested(value: Any) -> bool:
    return isinstance(value, list | tuple) or np.ndim(value) > 0


def _scalar_depth(value: Any) -> int | None:
    """How deep scalars are nested; None when there are none.

    Raises:
        ValueError: when the depths differ.
    """
    if not _is_nested(value):
        return 0
    depths = {_scalar_depth(v) for v in value} - {None}
    if len(depths) > 1:
        raise ValueError("all scalar values must have the same nesting depth")
    return next((d + 1 for d in depths if d is not None), None)


def _nesting(value: Any) -> int:
    """How deep lists are nested."""
    return 1 + max((_nesting(v) for v in value), default=0) if _is_nested(value) else 0


def range(
    starts: Any,
    limits: Any = None,
    deltas: Any = 1,
    dtype: Any = None,
    name: str | None = None,
    row_splits_dtype: Any = dtypes.int32,
) -> RaggedTensor:
    """Row ``i`` counts from ``starts[i]`` (0 without limits) to before ``limits[i]``.

    Args:
        dtype: of the result; int64 and float64 have 32 bits without ``TFPY_ENABLE_X64``.

    Raises:
        InvalidArgumentError: for a delta of 0, or vectors of different lengths.

    Example:
        >>> import tfpy as tf
        >>> tf.ragged.range([3, 0, 2]).to_list()
        [[0, 1, 2], [], [0, 1]]
    """
    starts, limits = (0, starts) if limits is None else (starts, limits)
    given = [convert_to_tensor(v) for v in (starts, limits, deltas)]
    kind = (
        as_dtype(dtype)
        if dtype is not None
        else (dtypes.float32 if any(t.dtype.is_floating for t in given) else dtypes.int32)
    )
    vectors = [np.atleast_1d(t.host_view()).astype(kind.as_numpy_dtype) for t in given]
    sizes = {v.size for v in vectors if v.size != 1}
    if len(sizes) > 1 or any(v.ndim > 1 for v in vectors):
        raise invalid("ragged.range", f"starts, limits and deltas must be vectors of one length or "
                      f"scalars, got shapes {[list(t.aval.shape) for t in given]}")  # fmt: skip
    first, last, step = np.broadcast_arrays(*vectors)
    if (step == 0).any():
        raise invalid("ragged.range", "Requires delta != 0")
    counts = np.maximum(np.ceil((last.astype(np.float64) - first) / step), 0).astype(np.int32)
    splits = partition.from_lengths(counts)
    at = partition.positions(splits).astype(kind.as_numpy_dtype)
    values = np.repeat(first, counts) + at * np.repeat(step, counts)
    return RaggedTensor(convert.constant(values.astype(kind.as_numpy_dtype)), splits)


def row_splits_to_segment_ids(splits: Any, name: str | None = None, out_type: Any = None) -> Tensor:
    """The row of each value; where splits descend, a row has none.

    Raises:
        ValueError: without row splits.

    Example:
        >>> import tfpy as tf
        >>> tf.ragged.row_splits_to_segment_ids([0, 2, 2, 3]).numpy().tolist()
        [0, 0, 2]
    """
    found = partition.ints(convert_to_tensor(splits), "splits")
    if not found.size:
        raise ValueError("Invalid row_splits: []")
    return repeat(np.arange(found.size - 1, dtype=np.int32), np.diff(found))


def segment_ids_to_row_splits(
    segment_ids: Any, num_segments: Any = None, out_type: Any = None, name: str | None = None
) -> Tensor:
    """Where the rows of (ascending) ids begin, and where the last one ends.

    Ids are counted, in whatever order; those beyond ``num_segments`` are not.

    Raises:
        InvalidArgumentError: when an id or ``num_segments`` is negative.

    Example:
        >>> import tfpy as tf
        >>> tf.ragged.segment_ids_to_row_splits([0, 0, 2]).numpy().tolist()
        [0, 2, 2, 3]
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


def stack_dynamic_partitions(
    data: Any, partitions: Any, num_partitions: Any, name: str | None = None
) -> RaggedTensor:
    """Row ``i`` has the data whose partition is ``i``.

    Raises:
        InvalidArgumentError: for partitions outside ``[0, num_partitions)``.
        ValueError: when ``partitions`` are not one for each of the data.

    Example:
        >>> import tfpy as tf
        >>> tf.ragged.stack_dynamic_partitions([10, 20, 30], [1, 0, 1], num_partitions=2).to_list()
        [[20], [10, 30]]
    """
    rows = data if isinstance(data, RaggedTensor) else convert_to_tensor(data)
    ids = convert_to_tensor(partitions).host_view()
    if ids.dtype.kind not in "iu":
        raise ValueError(f"stack_dynamic_partitions: partitions must be integers, not {ids.dtype}")
    if isinstance(rows, RaggedTensor):
        fits = ids.shape == (row_count(rows),)
    else:
        fits = ids.shape == rows.aval.shape[: ids.ndim]
    if not fits:
        raise ValueError(
            f"stack_dynamic_partitions: data of shape {rows.shape} must begin with the shape of "
            f"partitions, {list(ids.shape)}"
        )
    flat, count = ids.reshape(-1), int(num_partitions)
    if flat.size and (flat.min() < 0 or flat.max() >= count):
        raise invalid_value("stack_dynamic_partitions", f"partitions must be in [0, {count})")
    if ids.ndim != 1:
        rows = reshape(rows, [flat.size, *rows.shape[ids.ndim :]])
    order = np.argsort(flat, kind="stable").astype(np.int32)
    lengths = np.bincount(flat, minlength=count).astype(np.int32)
    return RaggedTensor(take_rows(rows, order), partition.from_lengths(lengths))


def from_rows(rows: Sequence[Sequence[Any]], kind: DType) -> RaggedTensor:
    """A ragged matrix of host lists."""
    flat = np.empty(sum(map(len, rows)), kind.as_numpy_dtype)
    flat[:] = [v for row in rows for v in row]
    lengths = np.array([len(row) for row in rows], np.int32)
    return RaggedTensor(convert.constant(flat, kind), partition.from_lengths(lengths))
