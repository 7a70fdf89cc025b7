"""Making, joining and cutting sparse tensors: indices on the host, values by gathers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from tfpy._src.base import dtypes
from tfpy._src.base.errors import invalid
from tfpy._src.compiler.ops.families.infer import normalize_axis
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.indexed_slices import IndexedSlices
from tfpy._src.core.tensor import Tensor
from tfpy._src.tensors.array import making as array
from tfpy._src.tensors.array.joining import concat as dense_concat
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
    dtype: Any = dtypes.float32,
    name: str | None = None,
) -> SparseTensor:
    """Ones on the diagonal.

    Args:
        dtype: of the result; int64 and float64 have 32 bits without ``TFPY_ENABLE_X64``.

    Raises:
        InvalidArgumentError: for a negative size.

    Example:
        >>> import tfpy as tf
        >>> tf.sparse.to_dense(tf.sparse.eye(2, 3)).numpy().tolist()
        [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]
    """
    columns = num_rows if num_columns is None else num_columns
    if min(num_rows, columns) < 0:
        raise invalid("sparse.eye", f"sizes must be at least 0, got {[num_rows, columns]}")
    at = np.arange(min(num_rows, columns))
    return made(np.stack([at, at], 1), array.ones([at.size], dtype), [num_rows, columns])


# Shape


def reorder(sp_input: Any, name: str | None = None) -> SparseTensor:
    """Values in row-major order of their indices.

    Example:
        >>> import tfpy as tf
        >>> x = tf.SparseTensor(indices=[[1, 0], [0, 1]], values=[3, 2], dense_shape=[2, 2])
        >>> tf.sparse.reorder(x).indices.numpy().tolist()
        [[0, 1], [1, 0]]
    """
    x = checked(sp_input)
    order = np.argsort(x.positions, kind="stable").astype(np.int32)
    return made(x.host_indices[order], take_rows(x.values, order), x.host_shape)


def reshape(sp_input: Any, shape: Any, name: str | None = None) -> SparseTensor:
    """The same values in another shape; one size may be -1.

    Raises:
        InvalidArgumentError: when the numbers of elements differ.

    Example:
        >>> import tfpy as tf
        >>> x = tf.sparse.from_dense([[1, 0, 0], [0, 2, 0]])
        >>> tf.sparse.to_dense(tf.sparse.reshape(x, [3, 2])).numpy().tolist()
        [[1, 0], [0, 0], [2, 0]]
    """
    x = checked(sp_input)
    sizes = _sizes(x.host_shape, static_ints(shape))
    return made(positions_to_indices(x.positions, sizes), x.values, sizes)


def _sizes(old: Sequence[int], new: Sequence[int]) -> tuple[int, ...]:
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


def sparse_reshape(input_indices: Any, input_shape: Any, new_shape: Any) -> dict[str, Tensor]:
    """TensorFlow.js's ``sparseReshape``.

    Returns:
        ``output_indices`` and ``output_shape``.

    Example:
        >>> import tfpy as tf
        >>> new = tf.sparse.sparse_reshape([[0, 0], [1, 1]], [2, 3], [3, 2])
        >>> {name: value.numpy().tolist() for name, value in new.items()}
        {'output_indices': [[0, 0], [2, 0]], 'output_shape': [3, 2]}
    """
    found = convert_to_tensor(input_indices, dtypes.int32)
    x = SparseTensor(found, array.zeros([found.aval.shape[0]]), input_shape)
    y = reshape(x, new_shape)
    return {"output_indices": y.indices, "output_shape": y.dense_shape}


def transpose(sp_input: Any, perm: Any = None, name: str | None = None) -> SparseTensor:
    """Dimensions in the order ``perm``; reversed by default.

    Raises:
        InvalidArgumentError: when ``perm`` is no permutation of the dimensions.

    Example:
        >>> import tfpy as tf
        >>> x = tf.sparse.from_dense([[1, 0, 2], [0, 3, 0]])
        >>> tf.sparse.to_dense(tf.sparse.transpose(x)).numpy().tolist()
        [[1, 0], [0, 3], [2, 0]]
    """
    x = checked(sp_input)
    rank = x.ndim
    order = [p % rank for p in static_ints(perm)] if perm is not None else [*range(rank)][::-1]
    if sorted(order) != [*range(rank)]:
        raise invalid("sparse.transpose", f"perm {order} is not a permutation of {rank} dimensions")
    return reorder(made(x.host_indices[:, order], x.values, [x.host_shape[p] for p in order]))


def expand_dims(sp_input: Any, axis: int | None = None, name: str | None = None) -> SparseTensor:
    """With a dimension of size 1 put in at ``axis`` (at the end by default).

    Example:
        >>> import tfpy as tf
        >>> tf.sparse.expand_dims(tf.sparse.from_dense([1, 0, 2]), axis=0).shape
        TensorShape([1, 3])
    """
    x = checked(sp_input)
    at = normalize_axis("sparse.expand_dims", -1 if axis is None else int(axis), x.ndim + 1)
    shape = (*x.host_shape[:at], 1, *x.host_shape[at:])
    return made(np.insert(x.host_indices, at, 0, axis=1), x.values, shape)


def reset_shape(sp_input: Any, new_shape: Any = None) -> SparseTensor:
    """In another shape that is as large; the tightest around the indices by default.

    Raises:
        ValueError: when it is smaller.

    Example:
        >>> import tfpy as tf
        >>> x = tf.sparse.from_dense([[1, 0, 0], [0, 2, 0]])
        >>> tf.sparse.reset_shape(x).shape, tf.sparse.reset_shape(x, [2, 5]).shape
        (TensorShape([2, 2]), TensorShape([2, 5]))
    """
    x = checked(sp_input)
    if new_shape is None:
        shape = tuple((x.host_indices.max(axis=0, initial=-1) + 1).tolist())
        return made(x.host_indices, x.values, shape)
    shape = static_ints(new_shape)
    if len(shape) != x.ndim:
        raise ValueError(f"new_shape {list(shape)} must have rank {x.ndim}")
    if any(n < m for n, m in zip(shape, x.host_shape, strict=True)):
        raise ValueError(f"new_shape {list(shape)} is smaller than {list(x.host_shape)}")
    return made(x.host_indices, x.values, shape)


# Parts


def _kept(x: SparseTensor, kept: Any, offset: Any = 0, shape: Any = None) -> SparseTensor:
    rows = np.flatnonzero(kept).astype(np.int32)
    sizes = x.host_shape if shape is None else shape
    return made(x.host_indices[rows] - offset, take_rows(x.values, rows), sizes)


def slice(sp_input: Any, start: Any, size: Any, name: str | None = None) -> SparseTensor:
    """The values from ``start`` on, in a box of ``size`` (cut at the end of the tensor).

    Raises:
        InvalidArgumentError: when ``start`` or ``size`` has not one number for each dimension, or
            a size is negative.

    Example:
        >>> import tfpy as tf
        >>> x = tf.sparse.from_dense([[1, 0, 2], [0, 3, 0]])
        >>> tf.sparse.to_dense(tf.sparse.slice(x, start=[0, 1], size=[2, 2])).numpy().tolist()
        [[0, 2], [3, 0]]
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
    sp_input: Any = None, num_split: Any = None, axis: Any = None, name: str | None = None
) -> list[SparseTensor]:
    """Parts along an axis; the first ones are larger by one if it does not divide evenly.

    Raises:
        ValueError: when an argument is left out.
        InvalidArgumentError: for fewer than one part, or more than the dimension has places.

    Example:
        >>> import tfpy as tf
        >>> x = tf.sparse.from_dense([[1, 0, 0, 4]])
        >>> left, right = tf.sparse.split(x, num_split=2, axis=1)
        >>> tf.sparse.to_dense(right).numpy().tolist()
        [[0, 4]]
    """
    if sp_input is None or num_split is None or axis is None:
        raise ValueError("sparse.split: sp_input, num_split and axis are required")
    x, count = checked(sp_input), int(num_split)
    at = normalize_axis("sparse.split", int(axis), x.ndim)
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


def retain(sp_input: Any, to_retain: Any) -> SparseTensor:
    """The values for which ``to_retain`` is True.

    Raises:
        ValueError: when ``to_retain`` has not one entry for each value.

    Example:
        >>> import tfpy as tf
        >>> x = tf.sparse.from_dense([[1, 0], [2, 3]])
        >>> tf.sparse.to_dense(tf.sparse.retain(x, [True, False, True])).numpy().tolist()
        [[1, 0], [0, 3]]
    """
    x, kept = checked(sp_input), np.asarray(convert_to_tensor(to_retain, dtypes.bool))
    if kept.shape != (x.values.size,):
        raise ValueError(f"to_retain must have {x.values.size} entries, got shape {kept.shape}")
    return _kept(x, kept)


def mask(a: IndexedSlices, mask_indices: Any, name: str | None = None) -> IndexedSlices:
    """The rows of indexed slices whose index is not among ``mask_indices``.

    Raises:
        InvalidArgumentError: for values without rows.

    Example:
        >>> import tfpy as tf
        >>> rows, places = tf.constant([[1], [2], [3]]), tf.constant([4, 7, 9])
        >>> slices = tf.IndexedSlices(rows, places)
        >>> tf.sparse.mask(slices, [7]).indices.numpy().tolist()
        [4, 9]
    """
    if not a.values.ndim:
        raise invalid("sparse.mask", "the slices' values must be at least a vector, got a scalar")
    drop = np.asarray(convert_to_tensor(mask_indices))
    rows = np.flatnonzero(~np.isin(a.indices.host_view(), drop)).astype(np.int32)
    return IndexedSlices(take_rows(a.values, rows), take_rows(a.indices, rows), a.dense_shape)


# Joining


def concat(
    axis: int, sp_inputs: Any, expand_nonconcat_dims: bool = False, name: str | None = None
) -> SparseTensor:
    """Sparse tensors one after the other along an axis.

    Args:
        expand_nonconcat_dims: lets the other dimensions differ; the largest ones are taken.

    Raises:
        InvalidArgumentError: when other dimensions differ.

    Example:
        >>> import tfpy as tf
        >>> a, b = tf.sparse.from_dense([[1, 0]]), tf.sparse.from_dense([[0, 2]])
        >>> tf.sparse.to_dense(tf.sparse.concat(0, [a, b])).numpy().tolist()
        [[1, 0], [0, 2]]
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
