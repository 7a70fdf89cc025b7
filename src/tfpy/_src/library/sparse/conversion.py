"""Sparse tensors from dense ones, and back."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tfpy._src.base import dtypes
from tfpy._src.base.errors import invalid, invalid_value
from tfpy._src.core.conversion import constant, convert_to_tensor
from tfpy._src.core.tensor import Tensor
from tfpy._src.tensors.array import making as array, reshaping
from tfpy._src.tensors.array.static import static_ints
from tfpy._src.tensors.composite.ragged.rows import take_rows
from tfpy._src.tensors.composite.sparse_tensor import SparseTensor, checked, filled, made


def from_dense(tensor: Any, name: str | None = None) -> SparseTensor:
    """The elements that are not zero (False, the empty string).

    Raises:
        InvalidArgumentError: for a scalar.

    Example:
        >>> import tfpy as tf
        >>> x = tf.sparse.from_dense([[0, 2], [3, 0]])
        >>> x.indices.numpy().tolist(), x.values.numpy().tolist()
        ([[0, 1], [1, 0]], [2, 3])
    """
    x = convert_to_tensor(tensor)
    if not x.ndim:
        raise invalid("sparse.from_dense", "the tensor must have at least one dimension")
    host = x.host_view()
    kept = host != b"" if x.dtype == dtypes.string else host != 0
    at = np.argwhere(kept)
    values = take_rows(reshaping.reshape(x, [-1]), np.flatnonzero(kept).astype(np.int32))
    return made(at, values, x.aval.shape)


def to_dense(
    sp_input: Any, default_value: Any = None, validate_indices: bool = True, name: str | None = None
) -> Tensor:
    """The dense tensor, ``default_value`` (zero) where there is no value.

    Raises:
        InvalidArgumentError: for indices out of bounds, not in order, or repeated.

    Example:
        >>> import tfpy as tf
        >>> x = tf.SparseTensor(indices=[[0, 1], [1, 0]], values=[2, 3], dense_shape=[2, 3])
        >>> tf.sparse.to_dense(x, default_value=-1).numpy().tolist()
        [[-1, 2, -1], [3, -1, -1]]
    """
    x = checked(sp_input)
    at = x.positions
    if validate_indices and (np.diff(at) <= 0).any():
        row = int(np.argmax(np.diff(at) <= 0)) + 1
        what = "repeated" if at[row] == at[row - 1] else "out of order"
        raise invalid_value(
            "to_dense",
            f"indices[{row}] = {x.host_indices[row].tolist()} is {what}. Many sparse ops require "
            "sorted indices. Use `tf.sparse.reorder` to create a correctly ordered copy.",
        )
    where = np.full(math.prod(x.host_shape), -1, np.int64)
    where[at] = np.arange(at.size)
    default = array.zeros([], x.dtype) if default_value is None else default_value
    return filled(x.values, default, where, x.host_shape)


def sparse_to_dense(
    sparse_indices: Any, sparse_values: Any, output_shape: Any, default_value: Any = 0
) -> Tensor:
    """TensorFlow.js's ``sparseToDense``: indices as a scalar, vector or matrix.

    Example:
        >>> import tfpy as tf
        >>> tf.sparse_to_dense([[0, 1], [1, 0]], [2, 3], [2, 2]).numpy().tolist()
        [[0, 2], [3, 0]]
    """
    found = convert_to_tensor(sparse_indices, dtypes.int32)
    shape = static_ints(output_shape)
    matrix = reshaping.reshape(found, [-1, found.aval.shape[1] if found.ndim == 2 else 1])
    values = convert_to_tensor(sparse_values)
    spread = reshaping.broadcast_to(values, [matrix.aval.shape[0]])
    x = SparseTensor(matrix, spread, constant(list(shape)))
    fill = array.cast(convert_to_tensor(default_value), values.dtype)
    return to_dense(x, fill, validate_indices=False)


def to_indicator(sp_input: Any, vocab_size: int, name: str | None = None) -> Tensor:
    """True at the (integer) values along the last axis, for each row.

    Raises:
        InvalidArgumentError: when a value is not in [0, vocab_size).

    Example:
        >>> import tfpy as tf
        >>> ids = tf.sparse.from_dense([[1, 3], [2, 0]])
        >>> tf.sparse.to_indicator(ids, vocab_size=4).numpy().astype(int).tolist()
        [[0, 1, 0, 1], [0, 0, 1, 0]]
    """
    x = checked(sp_input)
    host, size = x.values.host_view().astype(np.int32), int(vocab_size)
    if host.size and (host.min() < 0 or host.max() >= size):
        raise invalid_value("to_indicator", f"values must be in [0, {size})")
    out = np.zeros((*x.host_shape[:-1], size), np.bool_)
    out[(*x.host_indices[:, :-1].T, host)] = True
    return constant(out)
