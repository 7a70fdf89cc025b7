"""Conversions of ragged tensors to and from dense and sparse tensors."""

from __future__ import annotations

import math
from typing import Any, TypeVar

import numpy as np

from tfpy._src.base.errors import invalid_value
from tfpy._src.compiler.ops import movement
from tfpy._src.core.conversion import constant, convert_to_tensor
from tfpy._src.core.tensor import Tensor
from tfpy._src.tensors.array.joining import concat
from tfpy._src.tensors.array.making import zeros
from tfpy._src.tensors.array.reshaping import broadcast_to, reshape
from tfpy._src.tensors.composite.ragged import row_partition as partition
from tfpy._src.tensors.composite.ragged.axes import positive_axis
from tfpy._src.tensors.composite.ragged.rows import RaggedRows, row_count, take_rows
from tfpy._src.tensors.composite.sparse_tensor import SparseTensor

R = TypeVar("R", bound=RaggedRows)


def from_tensor(kind: type[R], x: Tensor, lengths: Any, padding: Any, ragged_rank: int) -> R:
    """Implement `RaggedTensor.from_tensor`."""
    nested = isinstance(lengths, list | tuple) and bool(lengths) and np.ndim(lengths[0]) > 0
    depth = len(lengths) if nested and ragged_rank == 1 else ragged_rank
    _check_rank(x, depth)
    if lengths is not None and padding is not None:
        raise ValueError("Specify argument `lengths` or `padding`, but not both.")
    if nested and depth != len(lengths):
        raise ValueError(
            "If Argument `lengths` is a tuple of row_lengths, argument `ragged_rank` must be "
            f"len(lengths): {len(lengths)}. Received ragged_rank: {ragged_rank}."
        )
    shape = list(x.aval.shape)
    flat = reshape(x, [shape[0] * shape[1], *shape[2:]])
    if nested:
        return _cut_nested(kind, x, [partition.ints(v, "lengths") for v in lengths])
    if ragged_rank > 1:
        if lengths is not None:
            raise ValueError("lengths must be a tuple of vectors when ragged_rank > 1")
        inner = from_tensor(kind, flat, None, padding, ragged_rank - 1)
        return kind.from_uniform_row_length(inner, shape[1], shape[0])
    if padding is not None:
        fill = convert_to_tensor(padding, x.dtype)
        if fill.aval.shape != x.aval.shape[2:]:
            raise ValueError(f"Shapes {fill.shape} and {x.shape[2:]} are incompatible")
        values = (x.host_view() == fill.host_view()).reshape(*shape[:2], math.prod(shape[2:]))
        same = values.all(axis=2)
        counts = shape[1] - np.logical_and.accumulate(same[:, ::-1], axis=1).sum(axis=1)
        return _cut(kind, flat, shape[1], counts.astype(np.int32))
    if lengths is not None:
        return _cut(kind, flat, shape[1], partition.ints(lengths, "lengths").clip(0, shape[1]))
    return kind.from_uniform_row_length(flat, shape[1], shape[0])


def _check_rank(x: Tensor, ragged_rank: Any) -> None:
    """Raise an error if a tensor does not have the dimensions for a ragged rank."""
    if not isinstance(ragged_rank, int):
        raise TypeError(f"Argument `ragged_rank` must be an int. Received {ragged_rank}.")
    if ragged_rank <= 0:
        raise ValueError(f"Argument `ragged_rank` must be greater than 0. Received {ragged_rank}.")
    if x.ndim < 2:
        raise ValueError(
            "The rank of a RaggedTensor must be greater than 1, i.e., a list of scalars won't have "
            f"ragged dimensions. Received argument `tensor` with rank {x.ndim}."
        )
    if x.ndim <= ragged_rank:
        raise ValueError(f"Shape {x.shape} must have rank at least {ragged_rank + 1}")


def _cut(kind: type[R], flat: Tensor, width: int, lengths: partition.Ints) -> R:
    """Keep the first `lengths[i]` values of each run of `width` values."""
    splits = np.arange(lengths.size + 1, dtype=np.int32) * width
    kept = partition.positions(splits) < np.repeat(lengths, width)
    picked = np.flatnonzero(kept).astype(np.int32)
    return kind.from_row_lengths(take_rows(flat, picked), lengths)


def _cut_nested(kind: type[R], x: Tensor, lengths: list[partition.Ints]) -> R:
    """Crop the rows of several axes, outermost first."""
    shape = list(x.aval.shape)
    outer = _cut(kind, reshape(x, [shape[0] * shape[1], *shape[2:]]), shape[1], lengths[0])
    if len(lengths) == 1:
        return outer
    return outer.with_values(_cut_nested(kind, outer.values, lengths[1:]))


def to_tensor(x: RaggedRows, default_value: Any, shape: Any) -> Tensor:
    """Implement `RaggedTensor.to_tensor`."""
    fill = convert_to_tensor(
        zeros([], x.dtype) if default_value is None else default_value, x.dtype
    )
    result = _dense(x, fill)
    if shape is None:
        return result
    sizes = list(shape) + [None] * (result.ndim - len(list(shape)))
    for axis, n in enumerate(sizes):
        if n is not None and n != -1:
            result = _resized(result, axis, int(n), fill)
    return result


def _dense(x: Any, fill: Tensor) -> Tensor:
    """Gather each row from the values, with one row of `fill` appended."""
    if not isinstance(x, RaggedRows):
        return x
    values = _dense(x.values, fill)
    n, inner = row_count(values), list(values.aval.shape[1:])
    lengths = np.diff(x.splits)
    width = int(lengths.max(initial=0)) if x.uniform_row_length is None else x.uniform_row_length
    at = np.arange(width, dtype=np.int32)
    rows = np.where(at < lengths[:, None], x.splits[:-1, None] + at, n).astype(np.int32)
    if (lengths == width).all():
        return reshape(values, [lengths.size, width, *inner])
    padded = concat([values, broadcast_to(fill, [1, *inner])], 0)
    return reshape(take_rows(padded, rows.reshape(-1)), [lengths.size, width, *inner])


def _resized(x: Tensor, axis: int, n: int, fill: Tensor) -> Tensor:
    """Crop or fill one axis to size `n`."""
    shape = list(x.aval.shape)
    if n <= shape[axis]:
        begin, size = [0] * x.ndim, [n if i == axis else m for i, m in enumerate(shape)]
        return movement.strided_slice(
            x, begin=tuple(begin), size=tuple(size), strides=(1,) * x.ndim
        )
    shape[axis] = n - shape[axis]
    return concat([x, broadcast_to(fill, shape)], axis)


def to_array(x: RaggedRows) -> np.ndarray[Any, Any]:
    """Implement `RaggedTensor.numpy`."""
    values: np.ndarray[Any, Any] = x.values.numpy()
    rows = np.split(values, x.splits[1:-1])
    if x.splits.size == 1:
        return values[:0]
    if len({len(row) for row in rows}) == 1:
        return np.array(rows)
    out = np.empty(len(rows), object)
    out[:] = rows
    return out


def printed(x: RaggedRows) -> str:
    """Return the rows in Python's notation."""

    def item(value: Any) -> str:
        if not isinstance(value, np.ndarray):
            return str(value)
        return np.array2string(value, separator=", ") if value.size else repr(value.tolist())

    with np.printoptions(formatter={"all": item}):
        return item(to_array(x))


def merge_dims(x: Any, outer_axis: int, inner_axis: int) -> Any:
    """Implement `RaggedTensor.merge_dims`."""
    outer = positive_axis("merge_dims", outer_axis, x.ndim, "outer_axis")
    inner = positive_axis("merge_dims", inner_axis, x.ndim, "inner_axis")
    if outer > inner:
        raise ValueError(
            f"Expected outer_axis ({outer_axis}) to be less than or equal to inner_axis "
            f"({inner_axis})"
        )
    if outer == inner:
        return x
    if not isinstance(x, RaggedRows):
        shape = list(x.shape)
        return reshape(x, [*shape[:outer], -1, *shape[inner + 1 :]])
    if outer > 1:
        return x.with_values(merge_dims(x.values, outer - 1, inner - 1))
    for _ in range(inner - max(outer, 1)):
        x = _merge_inner(x)
    return x if outer else x.values


def _merge_inner(x: R) -> R:
    """Merge the first two axes of the values."""
    inner = x.values
    if isinstance(inner, RaggedRows):
        return type(x)(inner.values, inner.splits[x.splits])
    rows, width, *rest = inner.shape
    return type(x)(reshape(inner, [rows * width, *rest]), x.splits * width)


def to_sparse(x: RaggedRows) -> SparseTensor:
    """Implement `RaggedTensor.to_sparse`."""
    shape = x.bounding_shape().host_view()
    if isinstance(x.values, RaggedRows):
        inner = to_sparse(x.values)
        found, values = inner.host_indices, inner.values
    else:
        dense = x.values.aval.shape
        found = np.argwhere(np.ones(dense, bool)).astype(np.int32)
        values = reshape(x.values, [-1])
    rows = partition.rowids(x.splits)
    lead = np.stack([rows, partition.positions(x.splits)], axis=1)[found[:, 0]]
    indices = np.concatenate([lead, found[:, 1:]], axis=1)
    return SparseTensor(constant(indices), values, constant(shape))


def from_sparse(kind: type[R], x: SparseTensor) -> R:
    """Implement `RaggedTensor.from_sparse`."""
    shape, indices = x.host_shape, x.host_indices
    if len(shape) != 2:
        raise ValueError(f"rank(st_input) must be 2, got shape {shape}")
    splits = partition.from_rowids(indices[:, 0], shape[0])
    if (partition.positions(splits) != indices[:, 1]).any():
        raise invalid_value("from_sparse", "SparseTensor is not right-ragged: rows have gaps")
    return kind(x.values, splits)
