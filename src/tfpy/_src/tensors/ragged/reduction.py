"""Reductions of ragged tensors: the host numbers the rows, the device reduces the values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tfpy._src.base import dtypes
from tfpy._src.compiler.ops import elementwise as ew, indexing
from tfpy._src.core.conversion import constant
from tfpy._src.core.tensor import Tensor
from tfpy._src.tensors.array import making as array
from tfpy._src.tensors.array.joining import concat
from tfpy._src.tensors.array.making import cast
from tfpy._src.tensors.array.reshaping import broadcast_to, reshape
from tfpy._src.tensors.array.static import static_ints
from tfpy._src.tensors.composite.ragged import row_partition as partition
from tfpy._src.tensors.composite.ragged.axes import positive_axis
from tfpy._src.tensors.composite.ragged.row_partition import Ints
from tfpy._src.tensors.composite.ragged.rows import row_count, take_rows
from tfpy._src.tensors.composite.ragged.tensor import RaggedTensor
from tfpy._src.tensors.math import arithmetic, reductions
from tfpy._src.tensors.ragged.shaping import expand_dims

Reduce = Callable[..., Any]


def _identity(kind: str, dtype: dtypes.DType) -> Any:
    """Return the result of a reduction of an empty row."""
    if kind in ("max", "min"):
        return dtype.min if kind == "max" else dtype.max
    return {"sum": 0, "prod": 1, "any": False, "all": True}[kind]


_DENSE: dict[str, Reduce] = {
    "sum": reductions.reduce_sum,
    "prod": reductions.reduce_prod,
    "max": reductions.reduce_max,
    "min": reductions.reduce_min,
    "any": reductions.reduce_any,
    "all": reductions.reduce_all,
}


def _segments(kind: str, values: Tensor, ids: Ints, n: int) -> Tensor:
    """Reduce values with the same id.

    The device has a kernel for sums. For other reductions, rows are filled with the identity.
    """
    if kind == "sum":
        return indexing.segment_sum(values, constant(ids), segments=n)
    order = np.argsort(ids, kind="stable").astype(np.int32)
    lengths = np.bincount(ids, minlength=n)
    width, inner = int(lengths.max(initial=1)), list(values.aval.shape[1:])
    at = np.arange(width)
    rows = np.full((n, width), ids.size, np.int32)
    rows[at < lengths[:, None]] = order
    fill = constant(_identity(kind, values.dtype), values.dtype)
    padded = concat([values, broadcast_to(fill, [1, *inner])], 0)
    grid = reshape(take_rows(padded, rows.reshape(-1)), [n, width, *inner])
    return _DENSE[kind](grid, 1)


def _aggregate(kind: str, values: Any, ids: Ints, n: int) -> Any:
    """Reduce rows with the same id; ragged rows are reduced position by position."""
    if not isinstance(values, RaggedTensor):
        return _segments(kind, values, ids, n)
    lengths = np.zeros(n, np.int32)
    np.maximum.at(lengths, ids, np.diff(values.splits))
    splits = partition.from_lengths(lengths)
    rows = partition.rowids(values.splits)
    inner_ids = splits[:-1][ids][rows] + partition.positions(values.splits)
    inner = _aggregate(kind, values.values, inner_ids.astype(np.int32), int(splits[-1]))
    return RaggedTensor(inner, splits)


def _along(kind: str, x: Any, axis: int) -> Any:
    """Reduce one axis."""
    if not isinstance(x, RaggedTensor):
        return _DENSE[kind](x, axis)
    if axis == 0:
        width = int(np.diff(x.splits).max(initial=0))
        return _aggregate(kind, x.values, partition.positions(x.splits), width)
    if axis == 1:
        return _aggregate(kind, x.values, partition.rowids(x.splits), x.splits.size - 1)
    reduced = _along(kind, x.values, axis - 1)
    assert row_count(reduced) == row_count(x.values)
    return RaggedTensor(reduced, x.splits, x.uniform_row_length)


def _axes(x: RaggedTensor, axis: Any) -> list[int]:
    """Return the axes from the innermost to the outermost."""
    if isinstance(axis, str):
        raise TypeError(f"axis must be an int; got {type(axis).__name__} {axis!r}")
    given = range(x.ndim) if axis is None else static_ints(axis)
    return sorted((positive_axis("reduce", a, x.ndim) for a in given), reverse=True)


def _reduction(kind: str) -> Reduce:
    """Return the reduction of ragged tensors of one kind."""

    def reduce(
        input_tensor: Any, axis: Any = None, keepdims: bool = False, name: Any = None
    ) -> Any:
        if axis is None:
            reduced = _DENSE[kind](input_tensor.flat_values)
            for _ in range(input_tensor.ndim if keepdims else 0):
                reduced = expand_dims(reduced, 0)
            return reduced
        result = input_tensor
        for at in _axes(input_tensor, axis):
            result = _along(kind, result, at)
            if keepdims:
                result = expand_dims(result, at)
        return result

    return reduce


REDUCTIONS: dict[Reduce, Reduce] = {dense: _reduction(kind) for kind, dense in _DENSE.items()}
"""The reduction of ragged tensors for each dense reduction."""

_reduce_sum = REDUCTIONS[reductions.reduce_sum]


def reduce_mean(
    input_tensor: Any, axis: Any = None, keepdims: bool = False, name: Any = None
) -> Any:
    """Compute the sum divided by the number of values; empty rows yield NaN."""
    total = _reduce_sum(input_tensor, axis, keepdims)
    ones = input_tensor.with_flat_values(array.ones(input_tensor.flat_values.aval.shape))
    count = _reduce_sum(ones, axis, keepdims)
    flat = isinstance(total, RaggedTensor)
    summed = total.flat_values if flat else total
    counted = count.flat_values if flat else count
    mean = arithmetic.truediv(summed, cast(counted, summed.dtype))
    return total.with_flat_values(mean) if flat else mean


def reduce_variance(
    input_tensor: Any, axis: Any = None, keepdims: bool = False, name: Any = None
) -> Any:
    """Compute the mean of the squares minus the square of the mean, which is at least 0."""
    mean = reduce_mean(input_tensor, axis, keepdims)
    variance = reduce_mean(ew.square(input_tensor), axis, keepdims) - ew.square(mean)
    return ew.maximum(variance, ew.square(mean) * 0)  # keeps NaN; rounding may yield less than 0


def reduce_std(
    input_tensor: Any, axis: Any = None, keepdims: bool = False, name: Any = None
) -> Any:
    """Compute the square root of the variance."""
    return ew.sqrt(reduce_variance(input_tensor, axis, keepdims))
