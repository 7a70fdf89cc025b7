"""Reductions, softmax and elementwise extrema of sparse tensors."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tfpy._src.base.errors import invalid
from tfpy._src.compiler.ops import elementwise
from tfpy._src.core.conversion import constant
from tfpy._src.core.tape import stop_gradient
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import Axis
from tfpy._src.library.sparse.merging import merged
from tfpy._src.tensors.array.static import static_ints
from tfpy._src.tensors.composite.ragged.rows import take_rows
from tfpy._src.tensors.composite.sparse_tensor import (
    Ints,
    SparseTensor,
    checked,
    filled,
    positions_to_indices,
)
from tfpy._src.tensors.ragged.reduction import _segments


def _groups(x: SparseTensor, axis: Axis) -> tuple[tuple[int, ...], Ints]:
    """Return the shape after the reduction, and the position of each value in it."""
    axes = range(x.ndim) if axis is None else static_ints(axis)
    wrong = [a for a in axes if not -x.ndim <= a < x.ndim]
    if wrong:
        raise invalid(
            "sparse.reduce",
            f"Invalid reduction dimension {wrong[0]} for input with {x.ndim} dimensions.",
        )
    drop = {a % x.ndim for a in axes}
    _ = x.positions
    kept = [i for i in range(x.ndim) if i not in drop]
    shape = tuple(x.host_shape[i] for i in kept)
    rows = x.host_indices[:, kept].astype(np.int64)
    at = np.ravel_multi_index(tuple(rows.T), shape) if kept else np.zeros(len(rows), np.int64)
    return shape, np.asarray(at)


def _reduce(
    kind: str, x: SparseTensor, axis: Axis, keepdims: bool | None, output_is_sparse: bool
) -> Any:
    """Reduce a sparse tensor over axes."""
    x = checked(x)
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
    sp_input: SparseTensor,
    axis: Axis = None,
    keepdims: bool | None = None,
    output_is_sparse: bool = False,
    name: str | None = None,
) -> Tensor | SparseTensor:
    """Sum the elements of a sparse tensor over axes.

    Args:
        sp_input: Sparse tensor of a numeric dtype.
        axis: Axis or axes to reduce; negative values count from the end. Default: all axes.
        keepdims: If True, keep the reduced axes as dimensions of size 1.
        output_is_sparse: If True, return a sparse tensor instead of a dense one.

    Returns:
        Dense or sparse tensor with the dtype of `sp_input`, without the reduced axes unless
        `keepdims` is True.

    Raises:
        TypeError: If `sp_input` is not sparse.

    Example:
        >>> import tfpy as tf
        >>> x = tf.sparse.from_dense([[0, 2, 5], [3, 0, 0]])
        >>> tf.sparse.reduce_sum(x, axis=1).numpy().tolist()
        [7, 3]

    See also: `tf.sparse.reduce_max`, `tf.math.reduce_sum`.
    """
    return _reduce("sum", sp_input, axis, keepdims, output_is_sparse)


def reduce_max(
    sp_input: SparseTensor,
    axis: Axis = None,
    keepdims: bool | None = None,
    output_is_sparse: bool = False,
    name: str | None = None,
) -> Tensor | SparseTensor:
    """Compute the maximum of the stored values of a sparse tensor over axes.

    Elements that are not stored are ignored. Where there is no stored value to reduce, a dense
    result is 0.

    Args:
        sp_input: Sparse tensor of a real dtype.
        axis: Axis or axes to reduce; negative values count from the end. Default: all axes.
        keepdims: If True, keep the reduced axes as dimensions of size 1.
        output_is_sparse: If True, return a sparse tensor instead of a dense one.

    Returns:
        Dense or sparse tensor with the dtype of `sp_input`, without the reduced axes unless
        `keepdims` is True.

    Raises:
        TypeError: If `sp_input` is not sparse.

    Example:
        >>> import tfpy as tf
        >>> x = tf.sparse.from_dense([[0, 2, 5], [3, 0, 0]])
        >>> tf.sparse.reduce_max(x, axis=1).numpy().tolist()
        [5, 3]

    See also: `tf.sparse.reduce_sum`, `tf.math.reduce_max`.
    """
    return _reduce("max", sp_input, axis, keepdims, output_is_sparse)


def softmax(sp_input: SparseTensor, name: str | None = None) -> SparseTensor:
    """Compute the softmax of a sparse tensor along the last axis.

    Elements that are not stored have the probability 0, as if they were -infinity, and are not
    stored in the result.

    Args:
        sp_input: Sparse float tensor of rank 2 or more.

    Returns:
        Sparse tensor with the indices, shape and dtype of `sp_input`.

    Raises:
        tf.errors.InvalidArgumentError: If the rank of `sp_input` is less than 2.

    Example:
        >>> import tfpy as tf
        >>> x = tf.sparse.from_dense([[1.0, 1.0, 0.0], [0.0, 0.0, 2.0]])
        >>> tf.sparse.to_dense(tf.sparse.softmax(x)).numpy().round(3).tolist()
        [[0.5, 0.5, 0.0], [0.0, 0.0, 1.0]]

    See also: `tf.nn.softmax`.
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
    """Combine two sparse tensors on the union of their indices."""
    found, *ids = merged("sparse", a, b)

    def spread(x: SparseTensor, at: Any) -> Tensor:
        where = np.full(found.size, -1, np.int64)
        where[at] = np.arange(x.values.size)
        return filled(x.values, 0, where, (found.size,))

    indices = positions_to_indices(found, a.host_shape)
    return SparseTensor(constant(indices), op(*map(spread, (a, b), ids)), a.dense_shape)


def maximum(sp_a: SparseTensor, sp_b: SparseTensor, name: str | None = None) -> SparseTensor:
    """Compute the elementwise maximum of two sparse tensors.

    The result stores a value for each index that either tensor stores. A value that only one tensor
    stores is compared with 0.

    Args:
        sp_a: Sparse tensor of a real dtype.
        sp_b: Sparse tensor with the shape and dtype of `sp_a`.

    Returns:
        Sparse tensor with the shape and dtype of `sp_a`.

    Raises:
        tf.errors.InvalidArgumentError: If the shapes differ.

    Example:
        >>> import tfpy as tf
        >>> a, b = tf.sparse.from_dense([0, 2, -3]), tf.sparse.from_dense([1, 0, 0])
        >>> tf.sparse.to_dense(tf.sparse.maximum(a, b)).numpy().tolist()
        [1, 2, 0]

    See also: `tf.sparse.minimum`, `tf.sparse.add`.
    """
    return _united(elementwise.maximum, sp_a, sp_b)


def minimum(sp_a: SparseTensor, sp_b: SparseTensor, name: str | None = None) -> SparseTensor:
    """Compute the elementwise minimum of two sparse tensors.

    The result stores a value for each index that either tensor stores. A value that only one tensor
    stores is compared with 0.

    Args:
        sp_a: Sparse tensor of a real dtype.
        sp_b: Sparse tensor with the shape and dtype of `sp_a`.

    Returns:
        Sparse tensor with the shape and dtype of `sp_a`.

    Raises:
        tf.errors.InvalidArgumentError: If the shapes differ.

    Example:
        >>> import tfpy as tf
        >>> a, b = tf.sparse.from_dense([0, 2, -3]), tf.sparse.from_dense([1, 0, 0])
        >>> tf.sparse.to_dense(tf.sparse.minimum(a, b)).numpy().tolist()
        [0, 0, -3]

    See also: `tf.sparse.maximum`, `tf.sparse.add`.
    """
    return _united(elementwise.minimum, sp_a, sp_b)
