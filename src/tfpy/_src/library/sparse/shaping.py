"""Functions that create, sort and reshape sparse tensors.

Indices are computed on the host, values by gathers on the device.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from tfpy._src.base import dtypes
from tfpy._src.base.errors import invalid
from tfpy._src.compiler.ops.families.infer import normalize_axis
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import Axis, DTypeLike, ShapeLike, TensorLike
from tfpy._src.tensors.array import making as array
from tfpy._src.tensors.array.static import static_ints
from tfpy._src.tensors.composite.ragged.rows import take_rows
from tfpy._src.tensors.composite.sparse_tensor import (
    SparseTensor,
    checked,
    made,
    positions_to_indices,
)


def eye(
    num_rows: int,
    num_columns: int | None = None,
    dtype: DTypeLike = dtypes.float32,
    name: str | None = None,
) -> SparseTensor:
    """Create a sparse matrix with ones on the diagonal.

    Args:
        num_rows: Number of rows.
        num_columns: Number of columns. Default: `num_rows`.
        dtype: Dtype of the result. Default: float32.

    Returns:
        Sparse tensor of shape `[num_rows, num_columns]` and dtype `dtype`.

    Raises:
        tf.errors.InvalidArgumentError: If the number of rows or columns is negative.

    Example:
        >>> import tfpy as tf
        >>> tf.sparse.to_dense(tf.sparse.eye(2, 3)).numpy().tolist()
        [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]

    See also: `tf.eye`.
    """
    columns = num_rows if num_columns is None else num_columns
    if min(num_rows, columns) < 0:
        raise invalid("sparse.eye", f"sizes must be at least 0, got {[num_rows, columns]}")
    at = np.arange(min(num_rows, columns))
    return made(np.stack([at, at], 1), array.ones([at.size], dtype), [num_rows, columns])


def reorder(sp_input: SparseTensor, name: str | None = None) -> SparseTensor:
    """Sort the stored values of a sparse tensor by their indices, in row-major order.

    Functions such as `tf.sparse.to_dense` require sorted indices.

    Args:
        sp_input: Sparse tensor.

    Returns:
        Sparse tensor with the shape and values of `sp_input`, and with sorted indices.

    Example:
        >>> import tfpy as tf
        >>> x = tf.SparseTensor(indices=[[1, 0], [0, 1]], values=[3, 2], dense_shape=[2, 2])
        >>> tf.sparse.reorder(x).indices.numpy().tolist()
        [[0, 1], [1, 0]]

    See also: `tf.sparse.to_dense`.
    """
    x = checked(sp_input)
    order = np.argsort(x.positions, kind="stable").astype(np.int32)
    return made(x.host_indices[order], take_rows(x.values, order), x.host_shape)


def reshape(sp_input: SparseTensor, shape: ShapeLike, name: str | None = None) -> SparseTensor:
    """Reshape a sparse tensor.

    Args:
        sp_input: Sparse tensor.
        shape: New shape. One dimension may be -1, and is then computed from the other dimensions.

    Returns:
        Sparse tensor of shape `shape` with the same values.

    Raises:
        tf.errors.InvalidArgumentError: If `shape` has a different number of elements than the shape
            of `sp_input`, or more than one dimension is -1.

    Example:
        >>> import tfpy as tf
        >>> x = tf.sparse.from_dense([[1, 0, 0], [0, 2, 0]])
        >>> tf.sparse.to_dense(tf.sparse.reshape(x, [3, 2])).numpy().tolist()
        [[1, 0], [0, 0], [2, 0]]

    See also: `tf.sparse.reset_shape`, `tf.reshape`.
    """
    x = checked(sp_input)
    sizes = _sizes(x.host_shape, static_ints(shape))
    return made(positions_to_indices(x.positions, sizes), x.values, sizes)


def _sizes(old: Sequence[int], new: Sequence[int]) -> tuple[int, ...]:
    """Return a new shape without -1.

    Raises:
        InvalidArgumentError: If the number of elements differs.
    """
    whole, sizes = math.prod(old), list(new)
    known = math.prod(n for n in sizes if n != -1)
    if sizes.count(-1) == 1 and known and whole % known == 0:
        sizes[sizes.index(-1)] = whole // known
    if math.prod(sizes) != whole or min(sizes, default=0) < 0:
        raise invalid(
            "sparse.reshape",
            f"Input to reshape is a tensor with {whole} dense values, but the requested shape "
            f"{list(new)} has another number of them",
        )
    return tuple(sizes)


def sparse_reshape(
    input_indices: TensorLike, input_shape: ShapeLike, new_shape: ShapeLike
) -> dict[str, Tensor]:
    """Compute the indices of the values of a sparse tensor after reshaping.

    Equivalent to `tf.sparse.sparseReshape` in TensorFlow.js.

    Args:
        input_indices: Int32 tensor of shape `[n, rank]` with the indices of the stored values.
        input_shape: Shape of the sparse tensor.
        new_shape: New shape. One dimension may be -1, and is then computed from the other
            dimensions.

    Returns:
        A dict. `output_indices` is an int32 tensor of shape `[n, new_rank]`, and `output_shape` is
        an int32 tensor of shape `[new_rank]`.

    Raises:
        tf.errors.InvalidArgumentError: If `new_shape` has a different number of elements than
            `input_shape`, or more than one dimension is -1.

    Example:
        >>> import tfpy as tf
        >>> new = tf.sparse.sparse_reshape([[0, 0], [1, 1]], [2, 3], [3, 2])
        >>> {name: value.numpy().tolist() for name, value in new.items()}
        {'output_indices': [[0, 0], [2, 0]], 'output_shape': [3, 2]}

    See also: `tf.sparse.reshape`.
    """
    found = convert_to_tensor(input_indices, dtypes.int32)
    x = SparseTensor(found, array.zeros([found.aval.shape[0]]), input_shape)
    y = reshape(x, new_shape)
    return {"output_indices": y.indices, "output_shape": y.dense_shape}


def transpose(sp_input: SparseTensor, perm: Axis = None, name: str | None = None) -> SparseTensor:
    """Permute the axes of a sparse tensor.

    Args:
        sp_input: Sparse tensor.
        perm: Permutation of the axes. Axis `i` of the result is axis `perm[i]` of `sp_input`.
            Default: reverse the order of the axes.

    Returns:
        Sparse tensor with permuted axes and sorted indices.

    Raises:
        tf.errors.InvalidArgumentError: If `perm` is not a permutation of the axes.

    Example:
        >>> import tfpy as tf
        >>> x = tf.sparse.from_dense([[1, 0, 2], [0, 3, 0]])
        >>> tf.sparse.to_dense(tf.sparse.transpose(x)).numpy().tolist()
        [[1, 0], [0, 3], [2, 0]]

    See also: `tf.transpose`.
    """
    x = checked(sp_input)
    rank = x.ndim
    order = [p % rank for p in static_ints(perm)] if perm is not None else [*range(rank)][::-1]
    if sorted(order) != [*range(rank)]:
        raise invalid("sparse.transpose", f"perm {order} is not a permutation of {rank} dimensions")
    return reorder(made(x.host_indices[:, order], x.values, [x.host_shape[p] for p in order]))


def expand_dims(
    sp_input: SparseTensor, axis: int | None = None, name: str | None = None
) -> SparseTensor:
    """Insert an axis of size 1 into a sparse tensor.

    Args:
        sp_input: Sparse tensor.
        axis: Position of the new axis. Negative values count from the end. Default: -1, which
            appends the axis.

    Returns:
        Sparse tensor with one more axis.

    Raises:
        tf.errors.InvalidArgumentError: If the axis is out of range.

    Example:
        >>> import tfpy as tf
        >>> tf.sparse.expand_dims(tf.sparse.from_dense([1, 0, 2]), axis=0).shape
        TensorShape([1, 3])

    See also: `tf.expand_dims`.
    """
    x = checked(sp_input)
    at = normalize_axis("sparse.expand_dims", -1 if axis is None else int(axis), x.ndim + 1)
    shape = (*x.host_shape[:at], 1, *x.host_shape[at:])
    return made(np.insert(x.host_indices, at, 0, axis=1), x.values, shape)


def reset_shape(sp_input: SparseTensor, new_shape: ShapeLike | None = None) -> SparseTensor:
    """Change the shape of a sparse tensor without changing the indices of its values.

    Args:
        sp_input: Sparse tensor.
        new_shape: New shape of the same rank. No dimension may be smaller than before. Default: the
            smallest shape that contains all indices.

    Returns:
        Sparse tensor of shape `new_shape`.

    Raises:
        ValueError: If a dimension of `new_shape` is smaller than before, or the rank differs.

    Example:
        >>> import tfpy as tf
        >>> x = tf.sparse.from_dense([[1, 0, 0], [0, 2, 0]])
        >>> tf.sparse.reset_shape(x).shape, tf.sparse.reset_shape(x, [2, 5]).shape
        (TensorShape([2, 2]), TensorShape([2, 5]))

    See also: `tf.sparse.reshape`.
    """
    x = checked(sp_input)
    if new_shape is None:
        shape = tuple((x.host_indices.max(axis=0, initial=-1) + 1).tolist())
        return made(x.host_indices, x.values, shape)
    shape = static_ints(new_shape)
    if len(shape) != x.ndim:
        raise ValueError(f"new_shape {list(shape)} must have rank {x.ndim}")
    if any(n < m for n, m in zip(shape, x.host_shape, strict=True)):
        raise ValueError(
            "Requested new_shape should have dimension sizes >= sp_input.shape, got "
            f"{list(shape)} for {list(x.host_shape)}"
        )
    return made(x.host_indices, x.values, shape)
