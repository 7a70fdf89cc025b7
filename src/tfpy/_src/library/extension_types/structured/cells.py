"""The common axes of the fields of a structured tensor.

A structured tensor stores its axes as cells: a tensor or ragged tensor with a zero for each
structure. Functions that move structures move the cells as they move the fields.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tfpy._src.base import dtypes
from tfpy._src.core.conversion import constant
from tfpy._src.core.operand import FieldRecord
from tfpy._src.tensors.array.making import zeros
from tfpy._src.tensors.array.reshaping import reshape, shape
from tfpy._src.tensors.composite.ragged.conversion import merge_dims
from tfpy._src.tensors.composite.ragged.rows import row_count
from tfpy._src.tensors.composite.ragged.tensor import RaggedTensor
from tfpy._src.tensors.ragged.row_partitions import RowPartition


def empty_cells(sizes: Any) -> Any:
    """Return the cells of structures with a shape, which can be a `DynamicRaggedShape`."""
    return zeros(sizes, dtypes.int32)


def cells_of(value: Any, rank: int) -> Any:
    """Return the cells of structures that have a value as a field.

    Args:
        value: Tensor, ragged tensor, or extension type that `tf.shape` supports.
        rank: Number of leading axes of the value that are axes of the structures.

    Raises:
        ValueError: If the value has fewer axes.
    """
    if isinstance(value, FieldRecord):
        record: Any = value
        return cells_of(empty_cells(shape(record)), rank)
    if value.shape.rank is not None and value.shape.rank < rank:
        raise ValueError(f"Shapes with at least {rank} axes are required, got {value.shape}")
    if not isinstance(value, RaggedTensor):
        return empty_cells(value.aval.shape[:rank])
    if rank < 2:
        return empty_cells([row_count(value)][:rank])
    return RaggedTensor(cells_of(value.values, rank - 1), value.splits, value.uniform_row_length)


def merged(first: Any, second: Any) -> Any:
    """Return cells with all that is known about the rows of two cells. One can be None.

    Raises:
        ValueError: If the cells have different sizes or rows.
    """
    if first is None or second is None:
        return second if first is None else first
    if not isinstance(first, RaggedTensor) and not isinstance(second, RaggedTensor):
        if first.aval.shape != second.aval.shape:
            raise _different(first, second)
        return first
    first, second = (_divided(cells) for cells in (first, second))
    if not np.array_equal(first.splits, second.splits):
        raise _different(first, second)
    known = [n for n in (first.uniform_row_length, second.uniform_row_length) if n is not None]
    return RaggedTensor(
        merged(first.values, second.values), first.splits, known[0] if known else None
    )


def _different(first: Any, second: Any) -> ValueError:
    return ValueError(
        f"Shapes {_shown(first)} and {_shown(second)} of structures are not compatible"
    )


def _shown(cells: Any) -> Any:
    """Return the shape of cells, with the lengths of ragged rows."""
    return shape(cells) if isinstance(cells, RaggedTensor) else cells.shape


def _divided(cells: Any) -> RaggedTensor:
    """Return cells of rank 2 or more with the second axis divided into rows."""
    if isinstance(cells, RaggedTensor):
        return cells
    rows, width, *rest = cells.aval.shape
    flat = reshape(cells, [rows * width, *rest])
    return RaggedTensor.from_uniform_row_length(flat, width, rows)


def divided(cells: Any) -> Any:
    """Return cells with all axes but the first one divided into rows."""
    if cells.ndim < 2:
        return cells
    rows = _divided(cells)
    return rows.with_values(divided(rows.values))


def partitions_of(cells: Any) -> tuple[RowPartition, ...]:
    """Return the row partitions of cells, the outermost first."""
    rows, found = divided(cells), []
    while isinstance(rows, RaggedTensor):
        found.append(RowPartition(rows))
        rows = rows.values
    return tuple(found)


def partitioned(value: Any, rows: RowPartition) -> Any:
    """Divide the first axis of a tensor or ragged tensor into rows."""
    width, count = rows.static_uniform_row_length, rows.static_nrows
    if width is None:
        return RaggedTensor.from_row_splits(value, rows.row_splits())
    if isinstance(value, RaggedTensor):
        return RaggedTensor.from_uniform_row_length(value, width, count)
    return reshape(value, [count, width, *value.aval.shape[1:]])


def without_axes(value: Any, outer: int, inner: int) -> Any:
    """Merge the axes from `outer` to `inner` of a tensor or ragged tensor."""
    if isinstance(value, RaggedTensor):
        return merge_dims(value, outer, inner)
    sizes = value.aval.shape
    count = math.prod(sizes[outer : inner + 1])
    return reshape(value, [*sizes[:outer], count, *sizes[inner + 1 :]])


def row_total(cells: Any) -> Any:
    """Return the number of rows of cells as a scalar tensor, or None for one structure."""
    if isinstance(cells, RaggedTensor):
        return constant(np.int32(row_count(cells)))
    return shape(cells)[0] if cells.ndim else None


def axis_of(axis: Any, rank: int, name: str = "axis") -> int:
    """Return an axis counted from the front.

    Raises:
        ValueError: If it does not exist.
    """
    at = int(axis)
    if not -rank <= at < rank:
        raise ValueError(f"{name}={at} out of bounds: expected {-rank}<={name}<{rank}")
    return at % rank
