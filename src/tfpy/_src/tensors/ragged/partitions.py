"""Segments, partitions, counts and elements of ragged tensors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tfpy._src.base import dtypes
from tfpy._src.base.errors import invalid, invalid_value
from tfpy._src.compiler.ops import elementwise as ew, indexing
from tfpy._src.core.conversion import constant, convert_to_tensor
from tfpy._src.core.dispatch import implements
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import TensorLike
from tfpy._src.tensors.array import partitioning, scattering, segments
from tfpy._src.tensors.array.making import cast, ones
from tfpy._src.tensors.array.reshaping import expand_dims, reshape
from tfpy._src.tensors.composite.ragged import row_partition as partition
from tfpy._src.tensors.composite.ragged.row_partition import Ints
from tfpy._src.tensors.composite.ragged.rows import row_count, take_rows
from tfpy._src.tensors.composite.ragged.tensor import RaggedTensor
from tfpy._src.tensors.math import arithmetic, counting
from tfpy._src.tensors.ragged import shaping
from tfpy._src.tensors.ragged.reduction import _aggregate

_KINDS: dict[str, Callable[..., Any]] = {
    "sum": segments.unsorted_segment_sum,
    "prod": segments.unsorted_segment_prod,
    "max": segments.unsorted_segment_max,
    "min": segments.unsorted_segment_min,
}


def _inner(x: Any, like: RaggedTensor, name: str) -> Any:
    """Return the values of a ragged tensor after checking that it has the rows of another one."""
    if not isinstance(x, RaggedTensor) or not np.array_equal(x.splits, like.splits):
        raise invalid_value(name, "the ragged arguments must have the same rows")
    return x.values


def _segment(kind: str, dense: Callable[..., Any], data: Any, ids: Any, count: int) -> Any:
    """Reduce the rows of a ragged tensor, or of its values, by their segment."""
    if isinstance(ids, RaggedTensor):
        inner = _inner(data, ids, "unsorted_segment")
        return _segment(kind, dense, inner, ids.values, count)
    if not isinstance(data, RaggedTensor):
        return dense(data, ids, count)
    at = convert_to_tensor(ids).host_view()
    if at.shape != (row_count(data),):
        raise invalid(
            "unsorted_segment", f"segment_ids must have one id for each of {row_count(data)} rows, "
            f"got shape {list(at.shape)}"
        )  # fmt: skip
    if at.size and at.max() >= count:
        raise invalid_value("unsorted_segment", f"segment ids must be less than {count}")
    kept = np.flatnonzero(at >= 0).astype(np.int32)
    return _aggregate(kind, take_rows(data, kept), at[kept], count)


def _enter_segment(kind: str, dense: Callable[..., Any]) -> None:
    """Register a segment reduction for ragged tensors."""

    @implements(dense, RaggedTensor)
    def segment(data: Any, segment_ids: Any, num_segments: Any, name: str | None = None) -> Any:
        return _segment(kind, dense, data, segment_ids, int(num_segments))


for _kind, _dense in _KINDS.items():
    _enter_segment(_kind, _dense)


def _sum_and_count(data: Any, ids: Any, count: int) -> tuple[Any, Any]:
    """Return the sums of the segments, and the numbers of values, at least 1."""
    sizes = data.with_flat_values(ones(data.flat_values.aval.shape, data.dtype))
    total, counted = (
        _segment("sum", segments.unsorted_segment_sum, x, ids, count) for x in (data, sizes)
    )
    return total, ew.maximum(counted, 1)


@implements(segments.unsorted_segment_mean, RaggedTensor)
def unsorted_segment_mean(
    data: Any, segment_ids: Any, num_segments: Any, name: str | None = None
) -> Any:
    """Compute the means of the values at the same position in the rows of a segment."""
    return arithmetic.divide(*_sum_and_count(data, segment_ids, int(num_segments)))


@implements(segments.unsorted_segment_sqrt_n, RaggedTensor)
def unsorted_segment_sqrt_n(
    data: Any, segment_ids: Any, num_segments: Any, name: str | None = None
) -> Any:
    """Compute sums divided by the square root of the number of values."""
    total, count = _sum_and_count(data, segment_ids, int(num_segments))
    return arithmetic.divide(total, ew.sqrt(count))


@implements(partitioning.dynamic_partition, RaggedTensor)
def dynamic_partition(
    data: Any, partitions: Any, num_partitions: int, name: str | None = None
) -> list[Any]:
    """Return the rows of each partition, or the values if the partitions are ragged."""
    if isinstance(partitions, RaggedTensor):
        inner = _inner(data, partitions, "dynamic_partition")
        return partitioning.dynamic_partition(inner, partitions.values, num_partitions)
    at = convert_to_tensor(partitions).host_view()
    if at.shape != (row_count(data),):
        raise invalid(
            "dynamic_partition", "partitions must have one partition for each of "
            f"{row_count(data)} rows, got shape {list(at.shape)}"
        )  # fmt: skip
    if at.size and (at.min() < 0 or at.max() >= num_partitions):
        raise invalid_value("dynamic_partition", f"partitions must be in [0, {num_partitions})")
    return [
        take_rows(data, np.flatnonzero(at == i).astype(np.int32)) for i in range(num_partitions)
    ]


def counts_by_row(
    values: Tensor, rows: Ints, count: int, weights: Any, size: int, binary: bool, dtype: Any
) -> Tensor:
    """Count how often each of the first `size` integers occurs in each row: `[count, size]`."""
    host = values.host_view()
    ids = np.where(host < size, rows * size + host, -1).astype(np.int32)
    amounts = ones([host.size], dtype) if weights is None or binary else weights
    found = indexing.segment_sum(amounts, constant(ids), segments=count * size)
    if binary:
        found = cast(found > 0, dtype)
    return reshape(found, [count, size])


@implements(counting.bincount, RaggedTensor)
def bincount(
    arr: Any,
    weights: Any = None,
    minlength: Any = None,
    maxlength: Any = None,
    dtype: Any = dtypes.int32,
    name: str | None = None,
    axis: int | None = None,
    binary_output: bool = False,
) -> Tensor:
    """Count all values, or with axis -1 the values of each row of a ragged matrix."""
    if not isinstance(arr, RaggedTensor):
        raise ValueError(
            f"Argument `weights` must be a tf.Tensor if `arr` is a tf.Tensor. Received {weights}"
        )
    if weights is not None and not isinstance(weights, RaggedTensor):
        raise ValueError(
            f"`weights` must be a RaggedTensor if `arr` is a RaggedTensor. Received {weights}"
        )
    flat = None if weights is None else weights.flat_values
    if axis != -1:
        return counting.bincount(
            arr.flat_values, flat, minlength, maxlength, dtype, name, axis, binary_output
        )
    size = counting.bin_count(arr.flat_values, minlength, maxlength)
    rows = partition.rowids(arr.splits)
    count = row_count(arr)
    return counts_by_row(arr.flat_values, rows, count, flat, size, binary_output, dtype)


@implements(scattering.gather_nd, RaggedTensor)
def gather_nd(
    params: Any,
    indices: Any,
    batch_dims: int = 0,
    name: str | None = None,
    bad_indices_policy: str = "",
) -> Any:
    """Return elements or rows at index vectors; both arguments may be ragged.

    Raises:
        InvalidArgumentError: If an index is out of range.
        ValueError: If `batch_dims` is set.
    """
    if batch_dims:
        raise ValueError(f"batch_dims={batch_dims} is not supported for ragged tensors")
    if isinstance(indices, RaggedTensor):
        if indices.flat_values.ndim == 1:
            raise ValueError("The innermost dimension of indices may not be ragged")
        return indices.with_flat_values(scattering.gather_nd(params, indices.flat_values))
    at = convert_to_tensor(indices)
    lead, depth = at.aval.shape[:-1], at.aval.shape[-1]
    if not depth and not lead:
        return shaping.as_ragged_or_tensor(params)
    if not depth:
        return _in_rows(shaping.stack([params] * int(np.prod(lead))), lead)
    found = _elements(params, at.host_view().reshape(-1, depth))
    return found[0] if not lead else _in_rows(found, lead)


def _elements(x: Any, at: Ints) -> Any:
    """Return the element or row at each row of `at`."""
    rows = at[:, 0]
    _check_places(rows, np.full(rows.size, row_count(x)))
    for column in at.T[1:]:
        if not isinstance(x, RaggedTensor):
            break
        starts, lengths = x.splits[:-1][rows], np.diff(x.splits)[rows]
        _check_places(column, lengths)
        x, rows, at = x.values, starts + column, at[:, 1:]
    if at.shape[1] > 1:
        places = np.concatenate([rows[:, None], at[:, 1:]], 1).astype(np.int32)
        return scattering.gather_nd(x, constant(places))
    return take_rows(x, rows.astype(np.int32))


def _check_places(places: Ints, sizes: Ints) -> None:
    """Check that indices are within the sizes of their axis."""
    wrong = np.flatnonzero((places < 0) | (places >= sizes))
    if wrong.size:
        i = int(wrong[0])
        raise invalid_value("gather_nd", f"indices[{i}] = {places[i]} is not in [0, {sizes[i]})")


def _in_rows(found: Any, lead: tuple[int, ...]) -> Any:
    """Split the first axis into the axes `lead`."""
    if isinstance(found, Tensor):
        return reshape(found, [*lead, *found.aval.shape[1:]])
    for size in reversed(lead[1:]):
        found = RaggedTensor.from_uniform_row_length(found, size)
    return found


def stack_dynamic_partitions(
    data: TensorLike, partitions: TensorLike, num_partitions: int | Tensor, name: str | None = None
) -> RaggedTensor:
    """Group the rows of a tensor by partition numbers.

    Args:
        data: Rows to group, a tensor of shape `[*partitions.shape, ...]` or a `tf.RaggedTensor`.
        partitions: Partition number of each row, an integer tensor with values from 0 to
            `num_partitions - 1`.
        num_partitions: Number of partitions.

    Returns:
        A `tf.RaggedTensor` of shape `[num_partitions, None, ...]`. Row `i` contains the rows of
        `data` with the partition number `i`, in their original order.

    Raises:
        tf.errors.InvalidArgumentError: If a partition number is out of range.
        ValueError: If the shape of `data` does not begin with the shape of `partitions`.

    Example:
        >>> import tfpy as tf
        >>> tf.ragged.stack_dynamic_partitions([10, 20, 30], [1, 0, 1], num_partitions=2).to_list()
        [[20], [10, 30]]

    See also: `tf.dynamic_partition`.
    """
    rows, ids = shaping.as_ragged_or_tensor(data), shaping.as_ragged_or_tensor(partitions)
    if not ids.dtype.is_integer:
        raise ValueError(
            f"stack_dynamic_partitions: partitions must be integers, not {ids.dtype.name}"
        )
    if np.ndim(num_partitions):
        raise ValueError(f"num_partitions must have rank 0, got {num_partitions}")
    if isinstance(rows, RaggedTensor) and not isinstance(ids, RaggedTensor) and ids.ndim > 1:
        ids = RaggedTensor.from_tensor(ids)
    if isinstance(ids, RaggedTensor):
        if not isinstance(rows, RaggedTensor):
            rows = RaggedTensor.from_tensor(rows)
        if not np.array_equal(rows.splits, ids.splits):
            raise invalid_value(
                "stack_dynamic_partitions", "data and partitions have incompatible ragged shapes"
            )
        return stack_dynamic_partitions(rows.values, ids.values, num_partitions)
    numbers, count = ids.host_view(), int(num_partitions)
    if not numbers.ndim:
        if isinstance(rows, RaggedTensor):
            one: Any = RaggedTensor.from_row_lengths(rows, [row_count(rows)])
        else:
            one = expand_dims(rows, 0)
        return stack_dynamic_partitions(one, [ids], count)
    if not isinstance(rows, RaggedTensor) and numbers.shape != rows.aval.shape[: numbers.ndim]:
        raise ValueError(
            f"Shapes {ids.shape} and {rows.shape[: numbers.ndim]} are incompatible: data must "
            "begin with the shape of partitions"
        )
    if isinstance(rows, RaggedTensor) and numbers.size != row_count(rows):
        raise ValueError(f"Shapes {ids.shape} and {rows.shape[:1]} are incompatible")
    flat = numbers.reshape(-1)
    if flat.size and flat.min() < 0:
        raise invalid_value("stack_dynamic_partitions", "partitions must be non-negative")
    if flat.size and flat.max() >= count:
        raise invalid_value(
            "stack_dynamic_partitions",
            f"partitions must be less than num_partitions, got {flat.max()} and {count}",
        )
    if numbers.ndim != 1:
        rows = reshape(rows, [flat.size, *rows.aval.shape[numbers.ndim :]])
    order = np.argsort(flat, kind="stable").astype(np.int32)
    lengths = np.bincount(flat, minlength=count).astype(np.int32)
    return RaggedTensor(take_rows(rows, order), partition.from_lengths(lengths))
