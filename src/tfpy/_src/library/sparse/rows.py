"""Rows of sparse tensors that have no values."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfpy._src.core.conversion import constant, convert_to_tensor
from tfpy._src.core.tensor import Tensor
from tfpy._src.tensors.array import reshaping
from tfpy._src.tensors.array.joining import concat as dense_concat
from tfpy._src.tensors.composite.ragged.rows import take_rows
from tfpy._src.tensors.composite.sparse_tensor import SparseTensor, checked, made


def fill_empty_rows(
    sp_input: Any, default_value: Any, name: str | None = None
) -> tuple[SparseTensor, Tensor]:
    """With ``default_value`` at the beginning of rows without values, and which rows those are.

    Example:
        >>> import tfpy as tf
        >>> x = tf.sparse.from_dense([[0, 2], [0, 0]])
        >>> filled, was_empty = tf.sparse.fill_empty_rows(x, default_value=9)
        >>> tf.sparse.to_dense(filled).numpy().tolist(), was_empty.numpy().tolist()
        ([[0, 2], [9, 0]], [False, True])
    """
    x = checked(sp_input)
    default = convert_to_tensor(default_value, x.dtype)
    filled_, empty, _ = _fill_empty_rows(x, default)
    return filled_, empty


def _fill_empty_rows(
    x: SparseTensor, default: Tensor
) -> tuple[SparseTensor, Tensor, np.ndarray[Any, Any]]:
    _ = x.positions
    n = x.host_shape[0]
    empty = np.bincount(x.host_indices[:, 0], minlength=n) == 0
    extra = np.zeros((int(empty.sum()), x.ndim), np.int32)
    extra[:, 0] = np.flatnonzero(empty)
    found = np.concatenate([x.host_indices, extra])
    order = np.argsort(found[:, 0], kind="stable").astype(np.int32)
    values = dense_concat([x.values, reshaping.broadcast_to(default, [len(extra)])], 0)
    back = np.argsort(order, kind="stable")[: x.values.size].astype(np.int32)
    return made(found[order], take_rows(values, order), x.host_shape), constant(empty), back


def sparse_fill_empty_rows(
    indices: Any, values: Any, dense_shape: Any, default_value: Any
) -> dict[str, Tensor]:
    """TensorFlow.js's ``sparseFillEmptyRows``.

    Returns:
        ``output_indices``, ``output_values``, ``empty_row_indicator``, ``reverse_index_map``.

    Example:
        >>> import tfpy as tf
        >>> filled = tf.sparse.sparse_fill_empty_rows([[0, 1]], [2], [2, 2], default_value=9)
        >>> filled["output_indices"].numpy().tolist(), filled["output_values"].numpy().tolist()
        ([[0, 1], [1, 0]], [2, 9])
    """
    x = SparseTensor(indices, values, dense_shape)
    y, empty, back = _fill_empty_rows(x, convert_to_tensor(default_value, x.dtype))
    return {
        "output_indices": y.indices,
        "output_values": y.values,
        "empty_row_indicator": empty,
        "reverse_index_map": constant(back),
    }
