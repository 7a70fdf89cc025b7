"""Batching rules of operations that read or write at indices."""

from __future__ import annotations

from typing import Any

from tfpy._src.compiler.ir.op import OPS
from tfpy._src.compiler.ops.casting import cast
from tfpy._src.compiler.ops.concatenation import concat
from tfpy._src.compiler.ops.dynamic_slices import dynamic_update_slice
from tfpy._src.compiler.ops.indexing import gather, range_, segment_sum
from tfpy._src.compiler.ops.logic import logical_and, select
from tfpy._src.compiler.ops.movement import reshape, transpose
from tfpy._src.core.tensor import Tensor
from tfpy._src.functions.control.batching.table import BatchedRows, RowOperand, family, rule


@rule("gather")
def _gather(
    rows: BatchedRows,
    x: RowOperand,
    indices: RowOperand,
    axis: int,
    batch_dims: int,
    sparse_gradient: bool = False,
    role: str = "",
) -> Any:
    if indices.is_batched and not x.is_batched and not batch_dims:
        found = gather(x.tensor, indices.tensor, axis=axis, batch_dims=0, role=role)
        perm = (axis, *range(axis), *range(axis + 1, found.aval.rank))
        return transpose(found, perm=perm) if axis else found
    if not indices.is_batched and not batch_dims:
        return gather(x.tensor, indices.tensor, axis=axis + 1, batch_dims=0, role=role)
    tensors = map(rows.spread, (x, indices))
    return gather(*tensors, axis=axis + 1, batch_dims=batch_dims + 1, role=role)


def _numbered(rows: BatchedRows, indices: RowOperand, size: int) -> Tensor:
    """Convert indices into each row, of `size` places, to indices into all rows together.

    Negative indices stay negative. Indices past the end of a row become indices past the end of
    all rows.
    """
    tensor = rows.spread(indices)
    ones = (1,) * len(indices.shape)
    numbers = range_(start=0, delta=size, count=rows.count, dtype=tensor.dtype)
    first = reshape(numbers, shape=(rows.count, *ones))
    inside = logical_and(tensor >= 0, tensor < size)
    outside = select(tensor < 0, tensor, cast(rows.count * size, dtype=tensor.dtype))
    return reshape(select(inside, tensor + first, outside), shape=_flat(rows, indices))


def _flat(rows: BatchedRows, x: RowOperand) -> tuple[int, ...]:
    """Return the shape of an operand with the rows merged into its first axis."""
    return (rows.count * x.shape[0], *x.shape[1:]) if x.shape else (rows.count,)


@rule("segment_sum")
def _segment_sum(rows: BatchedRows, data: RowOperand, ids: RowOperand, segments: int) -> Any:
    found = segment_sum(
        reshape(rows.spread(data), shape=(*_flat(rows, ids), *data.shape[len(ids.shape) :])),
        _numbered(rows, ids, segments),
        segments=rows.count * segments,
    )
    return reshape(found, shape=(rows.count, *rows.aval.shape))


@rule("dynamic_update_slice")
def _dynamic_update_slice(
    rows: BatchedRows, x: RowOperand, update: RowOperand, starts: RowOperand
) -> Any:
    if starts.is_batched:
        return NotImplemented
    first = range_(start=0, delta=1, count=1, dtype=starts.tensor.dtype)
    return dynamic_update_slice(
        rows.spread(x), rows.spread(update), concat(first, starts.tensor, axis=0)
    )


def _scatter(name: str) -> None:
    @rule(name)
    def batched(rows: BatchedRows, x: RowOperand, ids: RowOperand, updates: RowOperand) -> Any:
        found = OPS[name](
            reshape(rows.spread(x), shape=_flat(rows, x)),
            _numbered(rows, ids, x.shape[0]),
            reshape(rows.spread(updates), shape=(*_flat(rows, ids), *x.shape[1:])),
        )
        return reshape(found, shape=(rows.count, *rows.aval.shape))


for _name in family("scatter", ("ravel_index",)):
    _scatter(_name)
