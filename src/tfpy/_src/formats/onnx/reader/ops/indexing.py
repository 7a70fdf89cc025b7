"""Slices, gathers, scatters, sorting and searching."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tfpy._src.base.errors import invalid
from tfpy._src.compiler.ir.aval import Array
from tfpy._src.core import primitives as p
from tfpy._src.core.tensor import Tensor
from tfpy._src.formats.onnx.reader.record import Ints, operation
from tfpy._src.formats.onnx.reader.values import (
    all_positive,
    bounded,
    host,
    ints,
    is_host,
    positive,
    shape_of,
    tensor,
)
from tfpy._src.tensors.array.indexing import strided_slice
from tfpy._src.tensors.array.joining import stack
from tfpy._src.tensors.array.making import cast
from tfpy._src.tensors.array.reordering import reverse_sequence
from tfpy._src.tensors.array.reshaping import broadcast_to, reshape, transpose
from tfpy._src.tensors.array.scans import cumprod, cumsum
from tfpy._src.tensors.array.scattering import (
    gather_nd as gathered_nd,
    tensor_scatter_nd_add,
    tensor_scatter_nd_max,
    tensor_scatter_nd_min,
    tensor_scatter_nd_update,
)
from tfpy._src.tensors.array.slicing import gather as gathered, one_hot as one_hots, where
from tfpy._src.tensors.array.sorting import argsort, top_k


def _sliced(data: Any, starts: Ints, ends: Ints, axes: Ints | None, steps: Ints | None) -> Any:
    sizes = shape_of(data)
    axes = tuple(range(len(starts))) if axes is None else axes
    steps = (1,) * len(starts) if steps is None else steps
    if not len(starts) == len(ends) == len(axes) == len(steps) or 0 in steps:
        raise invalid(
            "Slice", "starts, ends, axes and steps must have equal lengths, and steps must not be 0"
        )
    taken = [slice(None)] * len(sizes)
    for axis, start, end, step in zip(
        all_positive(axes, len(sizes), "Slice"), starts, ends, steps, strict=True
    ):
        taken[axis] = slice(start, end, step)
    if is_host(data):
        return data[tuple(taken)]
    begin, until, by, beyond = [], [], [], 0
    for i, (n, one) in enumerate(zip(sizes, taken, strict=True)):
        start, end, step = one.indices(n)
        begin.append(start)
        by.append(step)
        until.append(max(end, 0))
        beyond |= (end < 0) << i  # a backward slice that includes the first element
    return strided_slice(data, begin, until, by, end_mask=beyond)


@operation("Slice", since=10)
def slice_(
    data: Any, starts: Array, ends: Array, axes: Array | None = None, steps: Array | None = None
) -> Any:
    found = (None if one is None else ints(one) for one in (axes, steps))
    return _sliced(data, ints(starts), ints(ends), *found)


@operation("Slice")
def slice_1(data: Any, *, starts: Ints, ends: Ints, axes: Ints | None = None) -> Any:
    return _sliced(data, starts, ends, axes, None)


def _from_front(indices: Any, size: int, op: str) -> Any:
    """Convert indices to count from the front; indices on the host are checked."""
    if is_host(indices):
        if ((indices < -size) | (indices >= size)).any():
            raise invalid(op, f"an index is out of range for an axis of size {size}")
        return np.where(indices < 0, indices + size, indices)
    return where(indices < 0, indices + size, indices)


@operation("Gather")
def gather(data: Any, indices: Any, *, axis: int = 0) -> Any:
    axis = positive(axis, len(shape_of(data)), "Gather")
    at = _from_front(indices, shape_of(data)[axis], "Gather")
    if is_host(data, at):
        return np.asarray(np.take(data, at, axis))
    return gathered(tensor(data), tensor(at), axis=axis)


def _places(indices: Any, size: int, axis: int, op: str) -> Tensor:
    """Return the indices of all axes for indices of one axis, along a new last axis."""
    sizes = shape_of(indices)
    at = tensor(_from_front(indices, size, op))
    parts = []
    for i, n in enumerate(sizes):
        if i == axis:
            parts.append(at)
            continue
        row = np.arange(n, dtype=np.int32).reshape([n if j == i else 1 for j in range(len(sizes))])
        parts.append(broadcast_to(tensor(row), sizes))
    return stack(parts, -1)


@operation("GatherElements")
def gather_elements(data: Tensor, indices: Any, *, axis: int = 0) -> Any:
    axis = positive(axis, data.ndim, "GatherElements")
    return gathered_nd(data, _places(indices, shape_of(data)[axis], axis, "GatherElements"))


def _nd_from_front(indices: Any, sizes: tuple[int, ...], op: str) -> Any:
    last = shape_of(indices)[-1]
    if last > len(sizes):
        raise invalid(op, f"the indices have {last} components, but there are {len(sizes)} axes")
    bounds = np.array(sizes[:last], np.int32)
    if is_host(indices):
        if ((indices < -bounds) | (indices >= bounds)).any():
            raise invalid(op, f"an index is out of range for the shape {list(sizes)}")
        return np.where(indices < 0, indices + bounds, indices)
    return where(indices < 0, indices + bounds, indices)


@operation("GatherND")
def gather_nd(data: Tensor, indices: Any, *, batch_dims: int = 0) -> Any:
    at = _nd_from_front(indices, shape_of(data)[batch_dims:], "GatherND")
    return gathered_nd(data, tensor(at), batch_dims=batch_dims)


_SCATTERS: dict[str, Callable[..., Any]] = {
    "none": tensor_scatter_nd_update,
    "add": tensor_scatter_nd_add,
    "max": tensor_scatter_nd_max,
    "min": tensor_scatter_nd_min,
}


def _scattered(data: Tensor, places: Tensor, updates: Tensor, reduction: str) -> Any:
    if reduction == "mul":
        array = host(data).copy()
        np.multiply.at(array, tuple(np.moveaxis(host(places), -1, 0)), host(updates))
        return tensor(array)
    if reduction not in _SCATTERS:
        raise invalid("ScatterND", f"reduction must be one of {[*_SCATTERS]}, got {reduction!r}")
    return _SCATTERS[reduction](data, places, updates)


@operation("ScatterElements")
def scatter_elements(
    data: Tensor, indices: Any, updates: Tensor, *, axis: int = 0, reduction: str = "none"
) -> Any:
    axis = positive(axis, data.ndim, "ScatterElements")
    places = _places(indices, shape_of(data)[axis], axis, "ScatterElements")
    return _scattered(data, places, updates, reduction)


@operation("Scatter")
def scatter(data: Tensor, indices: Any, updates: Tensor, *, axis: int = 0) -> Any:
    return scatter_elements(data, indices, updates, axis=axis)


@operation("ScatterND")
def scatter_nd(data: Tensor, indices: Any, updates: Tensor, *, reduction: str = "none") -> Any:
    at = _nd_from_front(indices, shape_of(data), "ScatterND")
    return _scattered(data, tensor(at), updates, reduction)


@operation("TensorScatter")
def tensor_scatter(
    past: Tensor, update: Tensor, write_indices: Array | None = None, *, axis: int = -2,
    mode: str = "linear",
) -> Any:  # fmt: skip
    """Write an update into a cache along an axis, starting at each batch element's index."""
    sizes, axis = shape_of(past), positive(axis, past.ndim, "TensorScatter")
    first = np.zeros(sizes[0], np.int64) if write_indices is None else write_indices
    grid = list(np.indices(shape_of(update), np.int64))
    at = grid[axis] + first.reshape([-1] + [1] * (len(sizes) - 1))
    grid[axis] = at % sizes[axis] if mode == "circular" else at
    if (grid[axis] >= sizes[axis]).any() or (grid[axis] < 0).any():
        raise invalid("TensorScatter", f"the update does not fit into the shape {list(sizes)}")
    return tensor_scatter_nd_update(past, tensor(np.stack(grid, -1)), update)


@operation("OneHot")
def one_hot(indices: Tensor, depth: Array, values: Tensor, *, axis: int = -1) -> Any:
    count = int(depth.reshape(-1)[0])
    bounded("OneHot", [count, *shape_of(indices)])
    off, on = values[0], values[1]
    at = cast(indices, "int32")
    at = where(at < 0, at + count, at)
    return one_hots(at, count, on_value=on, off_value=off, axis=axis, dtype=values.dtype)


@operation("NonZero")
def non_zero(x: Any) -> Any:
    found = np.nonzero(x) if is_host(x) else None
    if found is not None:
        return np.stack(found).astype(np.int64).reshape(len(found), -1)
    return transpose(where(p.not_equal(x, cast(0, x.dtype)) if not x.dtype.is_bool else x))


@operation("Compress")
def compress(x: Tensor, condition: Array, *, axis: int | None = None) -> Any:
    data = reshape(x, [-1]) if axis is None else x
    axis = positive(axis or 0, data.ndim, "Compress")
    at = np.flatnonzero(condition[: shape_of(data)[axis]])
    return gathered(data, at.astype(np.int32), axis=axis)


@operation("TopK", since=10)
def top_k_(x: Tensor, k: Array, *, axis: int = -1, largest: int = 1, sorted: int = 1) -> Any:
    return _top(x, ints(k)[0], axis, bool(largest))


@operation("TopK")
def top_k_1(x: Tensor, *, k: int, axis: int = -1) -> Any:
    return _top(x, k, axis, True)


def _top(x: Tensor, k: int, axis: int, largest: bool) -> Any:
    rank = x.ndim
    axis = positive(axis, rank, "TopK")
    order = [*(i for i in range(rank) if i != axis), axis]
    back = [order.index(i) for i in range(rank)]
    rows = transpose(x, order)
    if not 0 <= k <= shape_of(rows)[-1]:
        raise invalid("TopK", f"k is {k}, but the axis has size {shape_of(rows)[-1]}")
    if largest:
        values, at = top_k(rows, k)
    else:
        at = argsort(rows, axis=-1, stable=True)[..., :k]
        values = gathered(rows, at, batch_dims=rank - 1, axis=rank - 1)
    return transpose(values, back), transpose(at, back)


@operation("Unique")
def unique(x: Any, *, axis: int | None = None, sorted: int = 1) -> Any:
    array = host(x)
    if axis is not None:
        axis = positive(axis, array.ndim, "Unique")
    made = np.unique(
        array if array.dtype != object else array.astype(bytes),
        return_index=True, return_inverse=True, return_counts=True, axis=axis,
    )  # fmt: skip
    values, first, inverse, counts = made
    inverse = inverse.reshape(-1)
    if not sorted:
        order = np.argsort(first)
        rank = np.argsort(order)
        values, first, counts = np.take(values, order, axis or 0), first[order], counts[order]
        inverse = rank[inverse]
    if array.dtype == object:
        values = values.astype(object)
    return tuple(tensor(one) for one in (values, first, inverse, counts))


@operation("CumSum")
def cum_sum(x: Any, axis: Array, *, exclusive: int = 0, reverse: int = 0) -> Any:
    at = positive(ints(axis)[0], len(shape_of(x)), "CumSum")
    return cumsum(tensor(x), at, bool(exclusive), bool(reverse))


@operation("CumProd")
def cum_prod(x: Any, axis: Array, *, exclusive: int = 0, reverse: int = 0) -> Any:
    at = positive(ints(axis)[0], len(shape_of(x)), "CumProd")
    return cumprod(tensor(x), at, bool(exclusive), bool(reverse))


@operation("ReverseSequence")
def reverse_sequence_(
    x: Tensor, sequence_lens: Tensor, *, batch_axis: int = 1, time_axis: int = 0
) -> Any:
    return reverse_sequence(x, sequence_lens, seq_axis=time_axis, batch_axis=batch_axis)
