"""`tf.gather` for ragged tensors."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfpy._src.base.dtypes import INDICES
from tfpy._src.base.errors import invalid_value
from tfpy._src.compiler.ops.families import infer
from tfpy._src.core.conversion import constant
from tfpy._src.tensors.array import reshaping, slicing
from tfpy._src.tensors.array.joining import concat
from tfpy._src.tensors.composite.ragged import row_partition as partition
from tfpy._src.tensors.composite.ragged.axes import positive_axis
from tfpy._src.tensors.composite.ragged.rows import row_count, take_rows
from tfpy._src.tensors.composite.ragged.tensor import RaggedTensor
from tfpy._src.tensors.ragged.shaping import (
    as_ragged_or_tensor,
    of_any_lengths,
    outer,
    picked,
    stack,
)


def gather(
    params: Any,
    indices: Any,
    validate_indices: Any = None,
    axis: Any = None,
    batch_dims: int = 0,
    name: str | None = None,
) -> Any:
    """Return rows of a tensor or ragged tensor; the indices may be ragged as well.

    Raises:
        InvalidArgumentError: If the indices are not integers or are out of range.
        ValueError: If `batch_dims` does not match the arguments.
    """
    at = indices if isinstance(indices, RaggedTensor) else slicing.as_places(indices)
    flat = at.flat_values if isinstance(at, RaggedTensor) else at
    infer.check_dtype("gather", flat.aval, INDICES, "indices")
    x = as_ragged_or_tensor(params)
    if not 0 <= batch_dims <= at.ndim:
        raise ValueError(f"gather: batch_dims={batch_dims} is not in [0, {at.ndim}]")
    axis = batch_dims if axis is None else positive_axis("gather", axis, x.ndim)
    if batch_dims:
        return _gather_in_batches(x, at, batch_dims, axis)
    return _gather_along(x, at, axis) if axis else _gather_rows(x, at)


def _gather_rows(x: Any, at: Any) -> Any:
    """Return rows of the first axis."""
    if isinstance(at, RaggedTensor):
        return at.with_flat_values(_gather_rows(x, at.flat_values))
    if not isinstance(x, RaggedTensor):
        return slicing.gather(x, at)
    positions, n = at.host_view(), row_count(x)
    outside = np.argwhere((positions < 0) | (positions >= n)).tolist()
    if outside:
        place = ",".join(map(str, outside[0]))
        number = positions[tuple(outside[0])]
        raise invalid_value("gather", f"indices[{place}] = {number} is not in [0, {n})")
    if positions.ndim == 0:
        return x[int(positions)]
    rows = picked(x, positions.reshape(-1))
    for i in range(positions.ndim - 1, 0, -1):
        count = int(np.prod(positions.shape[:i]))
        rows = RaggedTensor(rows, np.arange(count + 1, dtype=np.int32) * positions.shape[i])
    return rows


def _gather_in_batches(x: Any, at: Any, batch_dims: int, axis: int) -> Any:
    """Gather with indices that count from the beginning of each row."""
    rows = outer(x)
    if row_count(rows) != row_count(at):
        count = row_count(at)
        raise ValueError(
            f"gather: params of shape {x.shape} must have as many rows as indices, {count}, if "
            "batch_dims is set"
        )
    if batch_dims > 1:
        picks = outer(at)
        inner = _gather_in_batches(rows.values, picks.values, batch_dims - 1, axis - 1)
        return picks.with_values(inner)
    if axis > 1 or (isinstance(at, RaggedTensor) and isinstance(at.values, RaggedTensor)):
        parts = [gather(rows[i], at[i], axis=axis - 1) for i in range(row_count(rows))]
        if any(isinstance(part, RaggedTensor) for part in parts):
            return stack(parts)
        return RaggedTensor.from_row_lengths(concat(parts, 0), [row_count(p) for p in parts])
    if not isinstance(at, RaggedTensor):
        return _gather_of_each_row(rows, at.host_view())
    moved = _moved(rows, partition.rowids(at.splits), at.values.host_view())
    return at.with_values(_gather_rows(rows.values, constant(moved)))


def _gather_along(x: Any, at: Any, axis: int) -> Any:
    """Gather with the same indices in every row."""
    if not isinstance(x, RaggedTensor):
        if isinstance(at, RaggedTensor):
            return _gather_ragged_along(x, at, axis)
        return slicing.gather(x, at, axis=axis)
    if axis > 1:
        return x.with_values(_gather_along(x.values, at, axis - 1))
    n = row_count(x)
    if not isinstance(at, RaggedTensor):
        indices = at.host_view()
        return _gather_of_each_row(x, np.broadcast_to(indices, (n, *indices.shape)))
    count, indices = row_count(at), at.flat_values.host_view()
    repeated = take_rows(at, np.tile(np.arange(count, dtype=np.int32), n))
    owners = np.repeat(np.arange(n), len(indices))
    moved = _moved(x, owners, np.tile(indices, (n, *[1] * (indices.ndim - 1))))
    rows = repeated.with_flat_values(_gather_rows(x.values, constant(moved)))
    return RaggedTensor.from_uniform_row_length(rows, count, n)


def _gather_of_each_row(x: RaggedTensor, positions: Any) -> Any:
    """Gather with indices `[rows, ...]` that count from the beginning of each row.

    As in TensorFlow, the result is ragged only if the elements are.
    """
    moved = constant(_moved(x, np.arange(row_count(x)), positions))
    return of_any_lengths(_gather_rows(x.values, moved))


def _moved(x: RaggedTensor, owners: Any, positions: Any) -> Any:
    """Convert indices that count from the beginnings of rows to indices of values.

    Args:
        x: The rows.
        owners: The row of each index of the first axis.
        positions: The indices.

    Raises:
        InvalidArgumentError: If an index is outside of its row.
    """
    lead = owners.reshape(-1, *[1] * (positions.ndim - 1))
    if (positions < 0).any() or (positions >= np.diff(x.splits)[lead]).any():
        raise invalid_value("gather", "indices are out of range for their row of params")
    return (positions + x.splits[:-1][lead]).astype(np.int32)


def _gather_ragged_along(x: Any, at: RaggedTensor, axis: int) -> RaggedTensor:
    """Gather from a dense tensor with the same ragged indices in every row."""
    sizes = list(x.aval.shape)
    count, size = int(np.prod(sizes[:axis])), sizes[axis]
    positions = at.flat_values.host_view()
    if positions.size and (positions.min() < 0 or positions.max() >= size):
        raise invalid_value("gather", f"indices {positions.tolist()} are not in [0, {size})")
    starts = np.arange(count, dtype=np.int32) * size
    moved = (starts.reshape(-1, *[1] * positions.ndim) + positions).astype(np.int32)
    flat = moved.reshape(-1, *positions.shape[1:])
    lines = take_rows(at, np.tile(np.arange(row_count(at), dtype=np.int32), count))
    merged = reshaping.reshape(x, [count * size, *sizes[axis + 1 :]])
    rows: Any = lines.with_flat_values(slicing.gather(merged, constant(flat)))
    width = row_count(at)
    for i in reversed(range(axis)):
        rows = RaggedTensor.from_uniform_row_length(rows, width, int(np.prod(sizes[: i + 1])))
        width = sizes[i]
    return rows
