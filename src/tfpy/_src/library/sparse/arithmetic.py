"""Sums and products of sparse tensors, and functions of their values."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from tfpy._src.base.errors import invalid, invalid_value
from tfpy._src.compiler.ops import elementwise, indexing
from tfpy._src.core.conversion import constant, convert_to_tensor
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import TensorLike
from tfpy._src.library.sparse.merging import merged
from tfpy._src.library.sparse.slicing import _kept
from tfpy._src.tensors.array import reshaping
from tfpy._src.tensors.array.complex_numbers import conj
from tfpy._src.tensors.array.joining import concat as dense_concat
from tfpy._src.tensors.composite.ragged.rows import take_rows
from tfpy._src.tensors.composite.sparse_tensor import (
    SparseTensor,
    checked,
    from_value,
    made,
    positions_to_indices,
)
from tfpy._src.tensors.linalg.products import matrix_transpose


def add(a: TensorLike, b: TensorLike, threshold: TensorLike = 0) -> SparseTensor | Tensor:
    """Add two sparse tensors, or a sparse and a dense tensor.

    Args:
        a: Sparse tensor, or dense tensor if `b` is sparse.
        b: Sparse tensor, or dense tensor if `a` is sparse. It has the shape and dtype of `a`.
        threshold: Non-negative scalar. If both tensors are sparse, sums with a smaller absolute
            value are dropped from the result. Default: 0, which keeps all sums.

    Returns:
        Sparse tensor if both `a` and `b` are sparse, and otherwise a dense tensor.

    Raises:
        TypeError: If neither `a` nor `b` is sparse.
        tf.errors.InvalidArgumentError: If the shapes of `a` and `b` differ.

    Example:
        >>> import tfpy as tf
        >>> a, b = tf.sparse.eye(2), tf.sparse.from_dense([[0.0, 5.0], [0.0, 0.0]])
        >>> tf.sparse.to_dense(tf.sparse.add(a, b)).numpy().tolist()
        [[1.0, 5.0], [0.0, 1.0]]

    See also: `tf.sparse.maximum`, `tf.math.add`.
    """
    a, b = from_value(a), from_value(b)
    if not isinstance(a, SparseTensor) and not isinstance(b, SparseTensor):
        raise TypeError("At least one input should be SparseTensor; do you mean to use tf.add()?")
    if not isinstance(a, SparseTensor):
        return add(b, a, threshold)
    if not isinstance(b, SparseTensor):
        dense = convert_to_tensor(b, a.dtype)
        if dense.aval.shape != a.host_shape:
            shapes = f"shapes {list(a.host_shape)} and {list(dense.aval.shape)}"
            raise invalid("sparse.add", f"{shapes} differ; broadcast the dense tensor first")
        places = constant(a.positions.astype(np.int32))
        total = indexing.segment_sum(a.values, places, segments=math.prod(a.host_shape))
        return elementwise.add(reshaping.reshape(total, a.host_shape), dense)
    at, *ids = merged("sparse.add", a, b)
    values = dense_concat([a.values, b.values], 0)
    total = indexing.segment_sum(values, constant(np.concatenate(ids)), segments=at.size)
    result = made(positions_to_indices(at, a.host_shape), total, a.host_shape)
    limit = convert_to_tensor(threshold).host_view()
    return result if limit == 0 else _kept(result, np.abs(total.host_view()) >= limit)


def map_values(op: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Apply a function to the stored values of sparse tensors.

    Args:
        op: Function that takes the values as dense vectors and returns a vector of the same length,
            such as an elementwise op.
        *args: Arguments of `op`. Each sparse tensor is replaced with the vector of its values.
        **kwargs: Keyword arguments of `op`, in which sparse tensors are replaced as well.

    Returns:
        Sparse tensor with the new values, or the result of `op` if no argument is sparse.

    Raises:
        tf.errors.InvalidArgumentError: If the sparse tensors have different indices or shapes.

    Example:
        >>> import tfpy as tf
        >>> x = tf.sparse.from_dense([[0, 2], [3, 0]])
        >>> tf.sparse.to_dense(tf.sparse.map_values(tf.square, x)).numpy().tolist()
        [[0, 4], [9, 0]]
    """
    found = [a for a in (*args, *kwargs.values()) if isinstance(a, SparseTensor)]
    if not found:
        raise ValueError("No SparseTensor in argument list of map_values")
    for other in found[1:]:
        if other.host_shape != found[0].host_shape or not np.array_equal(
            other.host_indices, found[0].host_indices
        ):
            raise invalid_value("map_values", "sparse tensors must have the same indices and shape")

    def plain(v: Any) -> Any:
        return v.values if isinstance(v, SparseTensor) else v

    result = op(*map(plain, args), **{k: plain(v) for k, v in kwargs.items()})
    return found[0].with_values(result)


def sparse_dense_matmul(
    sp_a: SparseTensor | Tensor,
    b: TensorLike,
    adjoint_a: bool = False,
    adjoint_b: bool = False,
    name: str | None = None,
) -> Tensor:
    """Multiply a sparse matrix and a dense matrix, in either order.

    The matrix product can be differentiated with respect to the values of the sparse matrix and to
    the dense matrix.

    Args:
        sp_a: First matrix, of shape `[m, k]`, or `[k, m]` if `adjoint_a` is True.
        b: Second matrix, of shape `[k, n]`, or `[n, k]` if `adjoint_b` is True. One of `sp_a` and
            `b` is a `tf.SparseTensor`, and the other one is a dense tensor.
        adjoint_a: If True, use the conjugate transpose of `sp_a`.
        adjoint_b: If True, use the conjugate transpose of `b`.

    Returns:
        Dense tensor of shape `[m, n]` with the dtype of `sp_a`.

    Raises:
        tf.errors.InvalidArgumentError: If the operands are not matrices, or their shapes are not
            compatible.

    Example:
        >>> import tfpy as tf
        >>> a = tf.sparse.from_dense([[0.0, 2.0], [3.0, 0.0]])
        >>> tf.sparse.sparse_dense_matmul(a, [[1.0, 2.0], [3.0, 4.0]]).numpy().tolist()
        [[6.0, 8.0], [3.0, 6.0]]

    See also: `tf.linalg.matmul`.
    """
    sp_a, b = from_value(sp_a), from_value(b)
    if isinstance(b, SparseTensor):
        swapped = sparse_dense_matmul(b, sp_a, not adjoint_b, not adjoint_a)
        return matrix_transpose(swapped)
    a, dense = checked(sp_a), convert_to_tensor(b, sp_a.dtype)
    if a.ndim != 2 or dense.ndim != 2:
        raise invalid("sparse_dense_matmul", f"expected matrices, got {a.shape} and {dense.shape}")
    matrix = matrix_transpose(dense, conjugate=True) if adjoint_b else dense
    row, column = (1, 0) if adjoint_a else (0, 1)
    if a.host_shape[column] != matrix.aval.shape[0]:
        raise invalid(
            "sparse_dense_matmul",
            f"Cannot multiply A and B because inner dimension does not match: "
            f"{a.host_shape[column]} vs. {matrix.aval.shape[0]}",
        )
    _ = a.positions
    rows = take_rows(matrix, a.host_indices[:, column])
    weighed = rows * reshaping.reshape(conj(a.values) if adjoint_a else a.values, [-1, 1])
    ids = constant(np.ascontiguousarray(a.host_indices[:, row]))
    return indexing.segment_sum(weighed, ids, segments=a.host_shape[row])
