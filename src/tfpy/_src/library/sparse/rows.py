"""Rows of sparse tensors that have no values."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfpy._src.base.errors import invalid_value
from tfpy._src.core.conversion import constant, convert_to_tensor
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import ShapeLike, TensorLike
from tfpy._src.tensors.array import reshaping
from tfpy._src.tensors.array.joining import concat as dense_concat
from tfpy._src.tensors.composite.ragged.rows import take_rows
from tfpy._src.tensors.composite.sparse_tensor import SparseTensor, checked, made


def fill_empty_rows(
    sp_input: SparseTensor, default_value: TensorLike, name: str | None = None
) -> tuple[SparseTensor, Tensor]:
    """Insert a default value at the start of each row that has no stored values.

    Args:
        sp_input: Sparse tensor. A row is a slice along the first axis.
        default_value: Scalar value to insert.

    Returns:
        A tuple of a sparse tensor with the shape and dtype of `sp_input`, and a bool tensor of
        shape `[rows]` that is True for rows that had no stored values.

    Example:
        >>> import tfpy as tf
        >>> x = tf.sparse.from_dense([[0, 2], [0, 0]])
        >>> filled, was_empty = tf.sparse.fill_empty_rows(x, default_value=9)
        >>> tf.sparse.to_dense(filled).numpy().tolist(), was_empty.numpy().tolist()
        ([[0, 2], [9, 0]], [False, True])

    See also: `tf.sparse.reorder`.
    """
    x = checked(sp_input)
    default = convert_to_tensor(default_value, x.dtype)
    filled_, empty, _ = _fill_empty_rows(x, default)
    return filled_, empty


def _fill_empty_rows(
    x: SparseTensor, default: Tensor
) -> tuple[SparseTensor, Tensor, np.ndarray[Any, Any]]:
    """Insert a value in each row without values.

    Returns:
        The new sparse tensor, the mask of the empty rows, and the new index of each old value.
    """
    n = x.host_shape[0]
    outside = np.flatnonzero((x.host_indices[:, 0] < 0) | (x.host_indices[:, 0] >= n))
    if outside.size:
        row = int(outside[0])
        raise invalid_value(
            "fill_empty_rows",
            f"indices({row}, 0) is invalid: {x.host_indices[row, 0]} is not in [0, {n})",
        )
    _ = x.positions
    empty = np.bincount(x.host_indices[:, 0], minlength=n) == 0
    extra = np.zeros((int(empty.sum()), x.ndim), np.int32)
    extra[:, 0] = np.flatnonzero(empty)
    found = np.concatenate([x.host_indices, extra])
    order = np.argsort(found[:, 0], kind="stable").astype(np.int32)
    values = dense_concat([x.values, reshaping.broadcast_to(default, [len(extra)])], 0)
    back = np.argsort(order, kind="stable")[: x.values.size].astype(np.int32)
    return made(found[order], take_rows(values, order), x.host_shape), constant(empty), back


def sparse_fill_empty_rows(
    indices: TensorLike, values: TensorLike, dense_shape: ShapeLike, default_value: TensorLike
) -> dict[str, Tensor]:
    """Insert a default value at the start of each row that has no stored values.

    Equivalent to `tf.sparse.sparseFillEmptyRows` in TensorFlow.js.

    Args:
        indices: Int32 tensor of shape `[n, rank]` with the indices of the stored values.
        values: Tensor of shape `[n]` with the stored values.
        dense_shape: Shape of the sparse tensor.
        default_value: Scalar value to insert.

    Returns:
        A dict. `output_indices` is an int32 tensor of shape `[m, rank]`, and `output_values` is a
        tensor of shape `[m]` with the dtype of `values`. `empty_row_indicator` is a bool tensor of
        shape `[rows]` that is True for rows that had no stored values. `reverse_index_map` is an
        int32 tensor of shape `[n]` with the new position of each value.

    Example:
        >>> import tfpy as tf
        >>> filled = tf.sparse.sparse_fill_empty_rows([[0, 1]], [2], [2, 2], default_value=9)
        >>> filled["output_indices"].numpy().tolist(), filled["output_values"].numpy().tolist()
        ([[0, 1], [1, 0]], [2, 9])

    See also: `tf.sparse.fill_empty_rows`.
    """
    x = SparseTensor(indices, values, dense_shape)
    y, empty, back = _fill_empty_rows(x, convert_to_tensor(default_value, x.dtype))
    return {
        "output_indices": y.indices,
        "output_values": y.values,
        "empty_row_indicator": empty,
        "reverse_index_map": constant(back),
    }
