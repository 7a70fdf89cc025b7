"""Conversion between sparse and dense tensors."""

from __future__ import annotations

import math

import numpy as np

from tfpy._src.base import dtypes
from tfpy._src.base.errors import invalid, invalid_value
from tfpy._src.core.conversion import constant, convert_to_tensor
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import ShapeLike, TensorLike
from tfpy._src.tensors.array import making as array, reshaping
from tfpy._src.tensors.array.static import static_ints
from tfpy._src.tensors.composite.ragged.rows import take_rows
from tfpy._src.tensors.composite.sparse_tensor import SparseTensor, checked, filled, made


def from_dense(tensor: TensorLike, name: str | None = None) -> SparseTensor:
    """Convert a dense tensor to a sparse tensor that stores the nonzero elements.

    False and empty strings count as zero. The values are read back to Python, so the call waits for
    pending computations.

    Args:
        tensor: Tensor of any dtype with at least one axis.

    Returns:
        Sparse tensor with the shape and dtype of `tensor`.

    Raises:
        tf.errors.InvalidArgumentError: If `tensor` is a scalar.

    Example:
        >>> import tfpy as tf
        >>> x = tf.sparse.from_dense([[0, 2], [3, 0]])
        >>> x.indices.numpy().tolist(), x.values.numpy().tolist()
        ([[0, 1], [1, 0]], [2, 3])

    See also: `tf.sparse.to_dense`.
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
    sp_input: SparseTensor,
    default_value: TensorLike | None = None,
    validate_indices: bool = True,
    name: str | None = None,
) -> Tensor:
    """Convert a sparse tensor to a dense tensor.

    Args:
        sp_input: Sparse tensor of any dtype.
        default_value: Scalar value of the elements that are not stored. Default: 0, False or an
            empty string, depending on the dtype.
        validate_indices: If True, check that the indices are in row-major order and not repeated.

    Returns:
        Dense tensor with the shape and dtype of `sp_input`.

    Raises:
        tf.errors.InvalidArgumentError: If an index is out of bounds, or `validate_indices` is True
            and indices are out of order or repeated.

    Example:
        >>> import tfpy as tf
        >>> x = tf.SparseTensor(indices=[[0, 1], [1, 0]], values=[2, 3], dense_shape=[2, 3])
        >>> tf.sparse.to_dense(x, default_value=-1).numpy().tolist()
        [[-1, 2, -1], [3, -1, -1]]

    See also: `tf.sparse.from_dense`, `tf.sparse.reorder`.
    """
    x = checked(sp_input)
    at = x.positions
    if validate_indices:
        check_order(x)
    where = np.full(math.prod(x.host_shape), -1, np.int64)
    where[at] = np.arange(at.size)
    default = array.zeros([], x.dtype) if default_value is None else default_value
    return filled(x.values, default, where, x.host_shape)


def check_order(x: SparseTensor) -> None:
    """Raise InvalidArgumentError if indices of a sparse tensor are out of order or repeated."""
    at = x.positions
    if (np.diff(at) <= 0).any():
        row = int(np.argmax(np.diff(at) <= 0)) + 1
        what = "repeated" if at[row] == at[row - 1] else "out of order"
        raise invalid_value(
            "to_dense",
            f"indices[{row}] = {x.host_indices[row].tolist()} is {what}. Many sparse ops require "
            "sorted indices. Use `tf.sparse.reorder` to create a correctly ordered copy.",
        )


def sparse_to_dense(
    sparse_indices: TensorLike,
    sparse_values: TensorLike,
    output_shape: ShapeLike,
    default_value: TensorLike = 0,
) -> Tensor:
    """Create a dense tensor from indices and values.

    Equivalent to `tf.sparseToDense` in TensorFlow.js.

    Args:
        sparse_indices: Int32 tensor of shape `[n, rank]` with an index in each row. If the result
            is a vector, the shape can also be `[n]`, or `[]` for a single index.
        sparse_values: Tensor of shape `[n]`, or a scalar that is used for all indices.
        output_shape: Shape of the result.
        default_value: Scalar value of all other elements. Default: 0.

    Returns:
        Dense tensor of shape `output_shape` with the dtype of `sparse_values`.

    Raises:
        tf.errors.InvalidArgumentError: If an index is out of bounds.

    Example:
        >>> import tfpy as tf
        >>> tf.sparse_to_dense([[0, 1], [1, 0]], [2, 3], [2, 2]).numpy().tolist()
        [[0, 2], [3, 0]]

    See also: `tf.sparse.to_dense`.
    """
    found = convert_to_tensor(sparse_indices, dtypes.int32)
    shape = static_ints(output_shape)
    matrix = reshaping.reshape(found, [-1, found.aval.shape[1] if found.ndim == 2 else 1])
    values = convert_to_tensor(sparse_values)
    spread = reshaping.broadcast_to(values, [matrix.aval.shape[0]])
    x = SparseTensor(matrix, spread, constant(list(shape)))
    fill = array.cast(convert_to_tensor(default_value), values.dtype)
    return to_dense(x, fill, validate_indices=False)


def to_indicator(sp_input: SparseTensor, vocab_size: int, name: str | None = None) -> Tensor:
    """Convert a sparse tensor of integers to a bool tensor that marks these integers.

    Args:
        sp_input: Sparse tensor of integers in [0, vocab_size).
        vocab_size: Last dimension of the result.

    Returns:
        Bool tensor of shape `[..., vocab_size]`. The other dimensions are the dimensions of
        `sp_input` without the last one. Element `[..., i]` is True if the row `sp_input[...]`
        contains the value `i`.

    Raises:
        tf.errors.InvalidArgumentError: If a value is not in [0, vocab_size).

    Example:
        >>> import tfpy as tf
        >>> ids = tf.sparse.from_dense([[1, 3], [2, 0]])
        >>> tf.sparse.to_indicator(ids, vocab_size=4).numpy().astype(int).tolist()
        [[0, 1, 0, 1], [0, 0, 1, 0]]

    See also: `tf.sparse.bincount`.
    """
    x = checked(sp_input)
    host, size = x.values.host_view().astype(np.int32), int(vocab_size)
    if host.size and (host.min() < 0 or host.max() >= size):
        raise invalid_value("to_indicator", f"values must be in [0, {size})")
    out = np.zeros((*x.host_shape[:-1], size), np.bool_)
    out[(*x.host_indices[:, :-1].T, host)] = True
    return constant(out)
