"""Reductions of sparse tensors, and sums over chosen rows of dense ones."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tfpy._src.base import dtypes
from tfpy._src.base.errors import invalid
from tfpy._src.compiler.ops import elementwise, indexing
from tfpy._src.compiler.ops.failing import failing
from tfpy._src.compiler.ops.families.infer import normalize_axis
from tfpy._src.core.conversion import constant, convert_to_tensor
from tfpy._src.core.tape import stop_gradient
from tfpy._src.core.tensor import Tensor
from tfpy._src.library.sparse.merging import merged
from tfpy._src.tensors.array.making import ones
from tfpy._src.tensors.array.reshaping import reshape
from tfpy._src.tensors.array.static import static_ints
from tfpy._src.tensors.composite.ragged.rows import take_rows
from tfpy._src.tensors.composite.sparse_tensor import (
    Ints,
    SparseTensor,
    filled,
    positions_to_indices,
)
from tfpy._src.tensors.math import arithmetic
from tfpy._src.tensors.ragged.reduction import _segments


def _groups(x: SparseTensor, axis: Any) -> tuple[tuple[int, ...], Ints]:
    """The shape that is left after reducing, and the position there of each value."""
    axes = range(x.ndim) if axis is None else static_ints(axis)
    drop = {normalize_axis("sparse.reduce", a, x.ndim) for a in axes}
    _ = x.positions
    kept = [i for i in range(x.ndim) if i not in drop]
    shape = tuple(x.host_shape[i] for i in kept)
    rows = x.host_indices[:, kept].astype(np.int64)
    at = np.ravel_multi_index(tuple(rows.T), shape) if kept else np.zeros(len(rows), np.int64)
    return shape, np.asarray(at)


def _reduce(kind: str, x: Any, axis: Any, keepdims: Any, output_is_sparse: bool) -> Any:
    if not isinstance(x, SparseTensor):
        raise TypeError(f"Input must be a SparseTensor, got {type(x).__name__}")
    shape, at = _groups(x, axis)
    found, ids = np.unique(at, return_inverse=True)
    reduced = _segments(kind, x.values, ids.astype(np.int32), found.size)
    if keepdims:
        axes = range(x.ndim) if axis is None else static_ints(axis)
        drop = {a % x.ndim for a in axes}
        shape = tuple(1 if i in drop else n for i, n in enumerate(x.host_shape))
    if output_is_sparse:
        indices = positions_to_indices(found, shape)
        return SparseTensor(constant(indices), reduced, constant(np.array(shape, np.int32)))
    where = np.full(math.prod(shape), -1, np.int64)
    where[found] = np.arange(found.size)
    return filled(reduced, 0, where, shape)


def reduce_sum(
    sp_input: Any,
    axis: Any = None,
    keepdims: Any = None,
    output_is_sparse: bool = False,
    name: str | None = None,
) -> Any:
    """Sum over the axes (all by default); dense unless ``output_is_sparse``.

    Args:
        axis: an axis or several, negative ones counted from the end; all by default.
        keepdims: whether reduced axes stay, of size 1.

    Example:
        >>> import tfpy as tf
        >>> x = tf.sparse.from_dense([[0, 2, 5], [3, 0, 0]])
        >>> tf.sparse.reduce_sum(x, axis=1).numpy().tolist()
        [7, 3]
    """
    return _reduce("sum", sp_input, axis, keepdims, output_is_sparse)


def reduce_max(
    sp_input: Any,
    axis: Any = None,
    keepdims: Any = None,
    output_is_sparse: bool = False,
    name: str | None = None,
) -> Any:
    """Largest of the values over the axes; 0 where there is none.

    Args:
        axis: an axis or several, negative ones counted from the end; all by default.
        keepdims: whether reduced axes stay, of size 1.

    Example:
        >>> import tfpy as tf
        >>> x = tf.sparse.from_dense([[0, 2, 5], [3, 0, 0]])
        >>> tf.sparse.reduce_max(x, axis=1).numpy().tolist()
        [5, 3]
    """
    return _reduce("max", sp_input, axis, keepdims, output_is_sparse)


def softmax(sp_input: SparseTensor, name: str | None = None) -> SparseTensor:
    """Softmax of the values of each row of the last axis; absent ones count as -infinity.

    Raises:
        InvalidArgumentError: for fewer than two dimensions.

    Example:
        >>> import tfpy as tf
        >>> x = tf.sparse.from_dense([[1.0, 1.0, 0.0], [0.0, 0.0, 2.0]])
        >>> tf.sparse.to_dense(tf.sparse.softmax(x)).numpy().round(3).tolist()
        [[0.5, 0.5, 0.0], [0.0, 0.0, 1.0]]
    """
    if sp_input.ndim < 2:
        raise invalid("sparse.softmax", f"rank must be at least 2, got shape {sp_input.shape}")
    _, at = _groups(sp_input, -1)
    found, ids = np.unique(at, return_inverse=True)
    rows = ids.astype(np.int32)
    peak = stop_gradient(_segments("max", sp_input.values, rows, found.size))
    powers = elementwise.exp(sp_input.values - take_rows(peak, rows))
    total = _segments("sum", powers, rows, found.size)
    return sp_input.with_values(powers / take_rows(total, rows))


def _united(op: Any, a: SparseTensor, b: SparseTensor) -> SparseTensor:
    found, *ids = merged("sparse", a, b)

    def spread(x: SparseTensor, at: Any) -> Tensor:
        where = np.full(found.size, -1, np.int64)
        where[at] = np.arange(x.values.size)
        return filled(x.values, 0, where, (found.size,))

    indices = positions_to_indices(found, a.host_shape)
    return SparseTensor(constant(indices), op(*map(spread, (a, b), ids)), a.dense_shape)


def maximum(sp_a: Any, sp_b: Any, name: str | None = None) -> SparseTensor:
    """The larger of two sparse tensors at every index that one of them has.

    Example:
        >>> import tfpy as tf
        >>> a, b = tf.sparse.from_dense([0, 2, -3]), tf.sparse.from_dense([1, 0, 0])
        >>> tf.sparse.to_dense(tf.sparse.maximum(a, b)).numpy().tolist()
        [1, 2, 0]
    """
    return _united(elementwise.maximum, sp_a, sp_b)


def minimum(sp_a: Any, sp_b: Any, name: str | None = None) -> SparseTensor:
    """The smaller of two sparse tensors at every index that one of them has.

    Example:
        >>> import tfpy as tf
        >>> a, b = tf.sparse.from_dense([0, 2, -3]), tf.sparse.from_dense([1, 0, 0])
        >>> tf.sparse.to_dense(tf.sparse.minimum(a, b)).numpy().tolist()
        [0, 0, -3]
    """
    return _united(elementwise.minimum, sp_a, sp_b)


# Sums of chosen rows


def _segment(data: Any, indices: Any, segment_ids: Any, num_segments: Any) -> tuple[Tensor, Tensor]:
    """Sums of the chosen rows by segment, and how many there are of each."""
    x = convert_to_tensor(data)
    at = convert_to_tensor(indices, dtypes.int32).host_view()
    ids = convert_to_tensor(segment_ids, dtypes.int32).host_view()
    if at.shape != ids.shape or at.ndim != 1:
        raise invalid(
            "sparse.segment",
            f"segment_ids and indices should have same size: {ids.shape}, {at.shape}",
        )
    if not x.ndim:
        raise invalid("sparse.segment", "data must be at least a vector, got a scalar")
    rows, *row = x.aval.shape
    n = (int(ids[-1]) + 1 if ids.size else 0) if num_segments is None else int(num_segments)
    if why := _refused(at, ids, rows, n):
        return failing("sparse.segment", why, (x,), (max(n, 0), *row), x.dtype), ones((), x.dtype)
    total = indexing.segment_sum(take_rows(x, at), constant(ids), segments=n)
    counts = np.maximum(np.bincount(ids, minlength=n), 1).astype(x.dtype.as_numpy_dtype)
    return total, reshape(constant(counts), [n, *[1] * (x.ndim - 1)])


def _refused(indices: Any, ids: Any, rows: int, segments: int) -> str:
    """Return what is wrong with the places of rows and their segments, or an empty string."""
    if indices.size and (indices.min() < 0 or indices.max() >= rows):
        return f"indices are out of range [0, {rows})"
    if ids.size and ((np.diff(ids) < 0).any() or ids[0] < 0):
        return "segment ids are not increasing, or negative"
    if ids.size and ids[-1] >= segments:
        return f"segment ids must be < num_segments = {segments}"
    return ""


def segment_sum(
    data: Any,
    indices: Any,
    segment_ids: Any,
    num_segments: Any = None,
    name: str | None = None,
    sparse_gradient: bool = False,
) -> Tensor:
    """Sums of the rows ``data[indices]`` that have the same (ascending) segment id.

    Example:
        >>> import tfpy as tf
        >>> x = tf.constant([[1, 2], [3, 4], [5, 6]])
        >>> tf.sparse.segment_sum(x, indices=[0, 2, 1], segment_ids=[0, 0, 1]).numpy().tolist()
        [[6, 8], [3, 4]]
    """
    total, _ = _segment(data, indices, segment_ids, num_segments)
    return total


def segment_mean(
    data: Any,
    indices: Any,
    segment_ids: Any,
    num_segments: Any = None,
    name: str | None = None,
    sparse_gradient: bool = False,
) -> Tensor:
    """:func:`segment_sum` divided by the number of rows.

    Example:
        >>> import tfpy as tf
        >>> x = tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
        >>> tf.sparse.segment_mean(x, indices=[0, 2, 1], segment_ids=[0, 0, 1]).numpy().tolist()
        [[3.0, 4.0], [3.0, 4.0]]
    """
    total, counts = _segment(data, indices, segment_ids, num_segments)
    return arithmetic.divide(total, counts)


def segment_sqrt_n(
    data: Any,
    indices: Any,
    segment_ids: Any,
    num_segments: Any = None,
    name: str | None = None,
    sparse_gradient: bool = False,
) -> Tensor:
    """:func:`segment_sum` divided by the square root of the number of rows.

    Example:
        >>> import tfpy as tf
        >>> x = tf.constant([[1.0], [2.0], [3.0], [6.0]])
        >>> tf.sparse.segment_sqrt_n(x, [0, 1, 2, 3], [0, 0, 0, 0]).numpy().tolist()
        [[6.0]]
    """
    total, counts = _segment(data, indices, segment_ids, num_segments)
    return arithmetic.divide(total, elementwise.sqrt(counts))


def sparse_segment_sum(data: Any, indices: Any, segment_ids: Any) -> Tensor:
    """TensorFlow.js's name for :func:`segment_sum`.

    Example:
        >>> import tfpy as tf
        >>> x = tf.constant([[1, 2], [3, 4], [5, 6]])
        >>> tf.sparse.sparse_segment_sum(x, [0, 2, 1], [0, 0, 1]).numpy().tolist()
        [[6, 8], [3, 4]]
    """
    return segment_sum(data, indices, segment_ids)


def sparse_segment_mean(data: Any, indices: Any, segment_ids: Any) -> Tensor:
    """TensorFlow.js's name for :func:`segment_mean`.

    Example:
        >>> import tfpy as tf
        >>> x = tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
        >>> tf.sparse.sparse_segment_mean(x, [0, 2, 1], [0, 0, 1]).numpy().tolist()
        [[3.0, 4.0], [3.0, 4.0]]
    """
    return segment_mean(data, indices, segment_ids)
