"""`tf.compat.v1.sparse`: functions of sparse tensors that TensorFlow 2 does not have."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tfpy._src.base.dtypes import int64
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import Axis, IntLike
from tfpy._src.library.sparse.reduction import reduce_max, reduce_sum
from tfpy._src.library.sparse.shaping import reorder
from tfpy._src.tensors.array.joining import concat
from tfpy._src.tensors.array.making import cast
from tfpy._src.tensors.array.reshaping import expand_dims
from tfpy._src.tensors.composite.sparse_tensor import SparseTensor, from_value


def sparse_reduce_sum_sparse(
    sp_input: SparseTensor,
    axis: Axis = None,
    keepdims: bool | None = None,
    reduction_axes: Axis = None,
    keep_dims: bool | None = None,
) -> SparseTensor:
    """Sum the elements of a sparse tensor over axes, and return a sparse tensor.

    Args:
        sp_input: Sparse tensor of a numeric dtype.
        axis: Axis or axes to reduce. Default: all axes.
        keepdims: If True, keep the reduced axes as dimensions of size 1.
        reduction_axes, keep_dims: Older names of `axis` and `keepdims`.

    Returns:
        Sparse tensor with the dtype of `sp_input`.

    Example:
        >>> import tfpy as tf
        >>> x = tf.sparse.from_dense([[0, 2, 5], [3, 0, 0]])
        >>> tf.compat.v1.sparse_reduce_sum_sparse(x, axis=1).values.numpy().tolist()
        [7, 3]

    See also: `tf.sparse.reduce_sum`.
    """
    axes = reduction_axes if axis is None else axis
    found: Any = reduce_sum(sp_input, axes, keep_dims if keepdims is None else keepdims, True)
    return found


def sparse_reduce_max_sparse(
    sp_input: SparseTensor,
    axis: Axis = None,
    keepdims: bool | None = None,
    reduction_axes: Axis = None,
    keep_dims: bool | None = None,
) -> SparseTensor:
    """Compute the maximum of a sparse tensor over axes, and return a sparse tensor.

    Args:
        sp_input: Sparse tensor of a real dtype.
        axis: Axis or axes to reduce. Default: all axes.
        keepdims: If True, keep the reduced axes as dimensions of size 1.
        reduction_axes, keep_dims: Older names of `axis` and `keepdims`.

    Returns:
        Sparse tensor with the dtype of `sp_input`.

    Example:
        >>> import tfpy as tf
        >>> x = tf.sparse.from_dense([[0, 2, 5], [3, 0, 0]])
        >>> tf.compat.v1.sparse_reduce_max_sparse(x, axis=1).values.numpy().tolist()
        [5, 3]

    See also: `tf.sparse.reduce_max`.
    """
    axes = reduction_axes if axis is None else axis
    found: Any = reduce_max(sp_input, axes, keep_dims if keepdims is None else keepdims, True)
    return found


def sparse_merge(
    sp_ids: SparseTensor | Sequence[SparseTensor],
    sp_values: SparseTensor,
    vocab_size: IntLike | Sequence[IntLike],
    name: str | None = None,
    already_sorted: bool = False,
) -> SparseTensor:
    """Combine ids and values, which `tf.io.parse_example` returns, to one sparse tensor.

    Args:
        sp_ids: Sparse tensor of integers from 0 to `vocab_size` - 1, or a list of sparse tensors.
        sp_values: Sparse tensor of the values, with the indices of `sp_ids`.
        vocab_size: Size of the last axis of the result, or a list with one size for each of
            `sp_ids`.
        already_sorted: If True, the ids of each row are already in order.

    Returns:
        Sparse tensor with the dtype of `sp_values`. Its last axis consists of the ids.

    Raises:
        TypeError: If `sp_ids` or `sp_values` is not sparse, or `vocab_size` is not a list although
            `sp_ids` is one.
        ValueError: If the lists have different lengths.

    Example:
        >>> import tfpy as tf
        >>> ids = tf.SparseTensor([[0, 0], [0, 1], [1, 0]], [4, 1, 3], [2, 2])
        >>> values = tf.SparseTensor([[0, 0], [0, 1], [1, 0]], [0.4, 0.1, 0.3], [2, 2])
        >>> tf.compat.v1.sparse_merge(ids, values, 5).indices.numpy().tolist()
        [[0, 1], [0, 4], [1, 3]]

    See also: `tf.io.parse_example`, `tf.sparse.concat`.
    """
    sp_ids, sp_values = from_value(sp_ids), from_value(sp_values)
    is_one = isinstance(sp_ids, SparseTensor)
    ids: Sequence[Any] = [sp_ids] if is_one else _checked_list(sp_ids, "sp_ids")
    sizes: Sequence[Any] = [vocab_size] if is_one else _checked_list(vocab_size, "vocab_size")
    for tensor in (*ids, sp_values):
        if not isinstance(tensor, SparseTensor):
            raise TypeError(f"Expected a SparseTensor. Received {tensor} of type {type(tensor)}.")
    if len(ids) != len(sizes):
        raise ValueError(
            f"`sp_ids` and `vocab_size` have to have equal lengths. They have {len(ids)} and "
            f"{len(sizes)}."
        )
    first = ids[0]
    columns = [expand_dims(cast(one.values, int64), 1) for one in ids]
    indices: Tensor = concat([first.indices[:, :-1], *columns], 1)
    shape = concat([first.dense_shape[:-1], cast([*sizes], int64)], 0)
    found = SparseTensor(indices, sp_values.values, shape)
    return found if already_sorted else reorder(found)


def _checked_list(value: Any, name: str) -> Sequence[Any]:
    if not isinstance(value, list | tuple):
        raise TypeError(f"`{name}` has to be a list. Received {value} of type {type(value)}.")
    return value
