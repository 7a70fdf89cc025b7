"""Functions that slice, filter and join sparse tensors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tfpy._src.base import dtypes
from tfpy._src.base.errors import invalid
from tfpy._src.compiler.ops.families.infer import normalize_axis
from tfpy._src.core.conversion import convert_to_tensor, host_values
from tfpy._src.core.indexed_slices import IndexedSlices
from tfpy._src.core.typing import ShapeLike, TensorLike
from tfpy._src.library.sparse.shaping import reorder
from tfpy._src.tensors.array.joining import concat as dense_concat
from tfpy._src.tensors.array.static import static_ints
from tfpy._src.tensors.composite.ragged.rows import take_rows
from tfpy._src.tensors.composite.sparse_tensor import (
    SparseTensor,
    checked,
    made,
)


def _kept(x: SparseTensor, kept: Any, offset: Any = 0, shape: Any = None) -> SparseTensor:
    """Keep the values of a mask, with an offset of the indices and a new shape."""
    rows = np.flatnonzero(kept).astype(np.int32)
    sizes = x.host_shape if shape is None else shape
    return made(x.host_indices[rows] - offset, take_rows(x.values, rows), sizes)


def slice(
    sp_input: SparseTensor, start: ShapeLike, size: ShapeLike, name: str | None = None
) -> SparseTensor:
    """Extract a box from a sparse tensor.

    Args:
        sp_input: Sparse tensor.
        start: Index of the first element of the box for each axis.
        size: Size of the box for each axis. The part of the box that is outside of the tensor is
            ignored.

    Returns:
        Sparse tensor of the shape of the box.

    Raises:
        tf.errors.InvalidArgumentError: If `start` or `size` does not have one element for each
            axis, or an element of `size` is negative.

    Example:
        >>> import tfpy as tf
        >>> x = tf.sparse.from_dense([[1, 0, 2], [0, 3, 0]])
        >>> tf.sparse.to_dense(tf.sparse.slice(x, start=[0, 1], size=[2, 2])).numpy().tolist()
        [[0, 2], [3, 0]]

    See also: `tf.sparse.split`, `tf.slice`.
    """
    x = checked(sp_input)
    begin, extent = np.array(static_ints(start)), np.array(static_ints(size))
    whole = np.array(x.host_shape)
    if begin.shape != whole.shape or extent.shape != whole.shape:
        raise invalid("sparse.slice", f"start and size must have {x.ndim} entries")
    if extent.min(initial=0) < 0:
        raise invalid("sparse.slice", f"size must not be negative, got {extent.tolist()}")
    sizes = np.clip(np.minimum(extent, whole - begin), 0, None)
    inside = (x.host_indices >= begin) & (x.host_indices < begin + sizes)
    return _kept(x, inside.all(axis=1), begin, sizes.tolist())


def split(
    sp_input: SparseTensor | None = None,
    num_split: int | None = None,
    axis: int | None = None,
    name: str | None = None,
) -> list[SparseTensor]:
    """Split a sparse tensor along an axis.

    Args:
        sp_input: Sparse tensor to split. Required.
        num_split: Number of parts. Required. If the size of the axis is not a multiple of
            `num_split`, the first parts are larger by one.
        axis: Axis to split along. Required. Negative values count from the end.

    Returns:
        List of `num_split` sparse tensors.

    Raises:
        ValueError: If `sp_input`, `num_split` or `axis` is None.
        tf.errors.InvalidArgumentError: If `num_split` is less than 1 or larger than the size of the
            axis.

    Example:
        >>> import tfpy as tf
        >>> x = tf.sparse.from_dense([[1, 0, 0, 4]])
        >>> left, right = tf.sparse.split(x, num_split=2, axis=1)
        >>> tf.sparse.to_dense(right).numpy().tolist()
        [[0, 4]]

    See also: `tf.sparse.concat`, `tf.sparse.slice`.
    """
    if sp_input is None or num_split is None or axis is None:
        raise ValueError(
            "sparse.split: Keyword arguments are required: sp_input, num_split and axis"
        )
    if isinstance(num_split, list | tuple):
        raise TypeError(f"Expected int for argument 'num_split' not {num_split!r}.")
    x, count, where = checked(sp_input), int(num_split), np.asarray(host_values(axis))
    if where.ndim:
        raise invalid("sparse.split", f"axis should be a scalar, got shape {list(where.shape)}")
    if not -x.ndim <= where < x.ndim:
        raise invalid(
            "sparse.split", f"axis should be in range [-{x.ndim}, {x.ndim}), but got {where}"
        )
    at = int(where) % x.ndim
    n = x.host_shape[at]
    if not 1 <= count <= n:
        raise invalid("sparse.split", f"num_split must be in [1, {n}], got {count}")
    sizes = [n // count + (i < n % count) for i in range(count)]
    parts, begin = [], [0] * x.ndim
    for size in sizes:
        extent = [size if i == at else m for i, m in enumerate(x.host_shape)]
        parts.append(slice(x, begin, extent))
        begin[at] += size
    return parts


def retain(sp_input: SparseTensor, to_retain: TensorLike) -> SparseTensor:
    """Keep the stored values of a sparse tensor for which a mask is True.

    Args:
        sp_input: Sparse tensor with `n` stored values.
        to_retain: Bool tensor of shape `[n]` with an element for each stored value.

    Returns:
        Sparse tensor with the shape and dtype of `sp_input`.

    Raises:
        ValueError: If `to_retain` does not have one element for each stored value.

    Example:
        >>> import tfpy as tf
        >>> x = tf.sparse.from_dense([[1, 0], [2, 3]])
        >>> tf.sparse.to_dense(tf.sparse.retain(x, [True, False, True])).numpy().tolist()
        [[1, 0], [0, 3]]

    See also: `tf.sparse.slice`.
    """
    x, kept = checked(sp_input), convert_to_tensor(to_retain, dtypes.bool).host_view()
    if kept.shape != (x.values.size,):
        raise ValueError(f"to_retain must have {x.values.size} entries, got shape {kept.shape}")
    return _kept(x, kept)


def mask(a: IndexedSlices, mask_indices: TensorLike, name: str | None = None) -> IndexedSlices:
    """Remove rows from indexed slices.

    Args:
        a: A `tf.IndexedSlices`, which holds rows of a tensor and their indices.
        mask_indices: Integer tensor with the indices of the rows to remove.

    Returns:
        Indexed slices with the remaining rows.

    Raises:
        tf.errors.InvalidArgumentError: If the values of `a` are a scalar.

    Example:
        >>> import tfpy as tf
        >>> rows, places = tf.constant([[1], [2], [3]]), tf.constant([4, 7, 9])
        >>> slices = tf.IndexedSlices(rows, places)
        >>> tf.sparse.mask(slices, [7]).indices.numpy().tolist()
        [4, 9]
    """
    if not a.values.ndim:
        raise invalid("sparse.mask", "the slices' values must be at least a vector, got a scalar")
    drop = convert_to_tensor(mask_indices).host_view()
    rows = np.flatnonzero(~np.isin(a.indices.host_view(), drop)).astype(np.int32)
    return IndexedSlices(take_rows(a.values, rows), take_rows(a.indices, rows), a.dense_shape)


def concat(
    axis: int,
    sp_inputs: Sequence[SparseTensor],
    expand_nonconcat_dims: bool = False,
    name: str | None = None,
) -> SparseTensor:
    """Concatenate sparse tensors along an axis.

    Args:
        axis: Axis to concatenate along. Negative values count from the end.
        sp_inputs: Sparse tensors of the same rank and dtype.
        expand_nonconcat_dims: If True, dimensions other than `axis` may differ, and the result has
            the largest of them. Otherwise, they must be equal.

    Returns:
        Sparse tensor with the dtype of `sp_inputs` and with sorted indices.

    Raises:
        tf.errors.InvalidArgumentError: If the ranks differ, or if dimensions other than `axis`
            differ although `expand_nonconcat_dims` is False.

    Example:
        >>> import tfpy as tf
        >>> a, b = tf.sparse.from_dense([[1, 0]]), tf.sparse.from_dense([[0, 2]])
        >>> tf.sparse.to_dense(tf.sparse.concat(0, [a, b])).numpy().tolist()
        [[1, 0], [0, 2]]

    See also: `tf.sparse.split`, `tf.concat`.
    """
    parts = [checked(x) for x in sp_inputs]
    if len(parts) == 1:
        return parts[0]
    at = normalize_axis("sparse.concat", int(axis), parts[0].ndim)
    shapes = [np.array(p.host_shape) for p in parts]
    shape = np.max(shapes, axis=0) if len({s.size for s in shapes}) == 1 else None
    others = [np.delete(s, at).tolist() for s in shapes]
    if shape is None or (not expand_nonconcat_dims and any(o != others[0] for o in others)):
        raise invalid("sparse.concat", f"Input shapes should match: {[s.tolist() for s in shapes]}")
    found, offset = [], 0
    for part in parts:
        moved = part.host_indices.copy()
        moved[:, at] += offset
        found.append(moved)
        offset += part.host_shape[at]
    shape[at] = offset
    values = dense_concat([p.values for p in parts], 0)
    return reorder(made(np.concatenate(found), values, shape.tolist()))
