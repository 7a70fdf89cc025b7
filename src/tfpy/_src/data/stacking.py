"""Stacking and unstacking of leaves: arrays, ragged and sparse tensors."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from tfpy._src.base.errors import InvalidArgumentError
from tfpy._src.compiler.ir.aval import Array
from tfpy._src.core.operand import FieldRecord
from tfpy._src.core.tensor import Tensor, from_array
from tfpy._src.core.type_spec import RecordSpec
from tfpy._src.data.node import DatasetNode
from tfpy._src.data.vectors import DatasetVector
from tfpy._src.tensors.composite.ragged.tensor import RaggedTensor
from tfpy._src.tensors.composite.sparse_tensor import SparseTensor, made
from tfpy._src.tensors.composite.specs import RaggedTensorSpec


def count_of(leaf: Any) -> int:
    """Return the number of rows of a leaf."""
    if isinstance(leaf, FieldRecord):
        encoded = leaf.__spec__().__encode__(leaf, 1)
        return count_of(_as_leaf(encoded[0])) if encoded else 0
    if isinstance(leaf, RaggedTensor):
        return int(leaf.splits.size) - 1
    return int(leaf.host_shape[0] if isinstance(leaf, SparseTensor) else leaf.shape[0])


def rows_of_leaf(leaf: Any) -> list[Any]:
    """Return the rows of a leaf."""
    if isinstance(leaf, FieldRecord):
        return _rows_of_record(leaf)
    if isinstance(leaf, RaggedTensor):
        bounds = leaf.splits.tolist()
        return [_part(leaf.values, a, b) for a, b in pairwise(bounds)]
    if isinstance(leaf, SparseTensor):
        first, values = leaf.host_indices[:, 0], leaf.values.host_view()
        places = [np.flatnonzero(first == row) for row in range(leaf.host_shape[0])]
        shape = leaf.host_shape[1:]
        return [made(leaf.host_indices[at, 1:], from_array(values[at]), shape) for at in places]
    return [leaf[row, ...] for row in range(leaf.shape[0])]


def _rows_of_record(record: FieldRecord) -> list[Any]:
    spec = record.__spec__()
    columns = [rows_of_leaf(_as_leaf(part)) for part in spec.__encode__(record, 1)]
    row = spec.__unbatched__()
    return [row.__decode__(list(map(_as_values, parts))) for parts in zip(*columns, strict=True)]


def _as_leaf(part: Any) -> Any:
    return part.host_view() if isinstance(part, Tensor) else part


def _part(values: Any, start: int, stop: int) -> Any:
    """Return rows of the values of a ragged tensor."""
    if isinstance(values, RaggedTensor):
        splits = values.splits[start : stop + 1]
        first, last = int(splits[0]), int(splits[-1])
        inside = _as_values(_part(values.values, first, last))
        return RaggedTensor(inside, splits - splits[0], values.uniform_row_length)
    return values.host_view()[start:stop]


def _as_values(leaf: Any) -> Any:
    return from_array(leaf) if isinstance(leaf, np.ndarray) else leaf


def stacked(column: Sequence[Any], spec: Any, number: int, size: int | None = None) -> Any:
    """Return leaves of a spec as the rows of one leaf.

    Args:
        number: Number of the component, for errors.
        size: Number of rows, if the spec of the result contains it.

    Raises:
        InvalidArgumentError: If arrays have different shapes.
    """
    first = column[0]
    if isinstance(spec, RecordSpec):
        return _records(column, spec, number, size)
    if isinstance(spec, RaggedTensorSpec):
        return _ragged(column)
    if isinstance(first, SparseTensor):
        return _sparse(column)
    if isinstance(first, DatasetNode):
        return DatasetVector(column)
    return None if first is None else _dense(column, number)


def _records(column: Sequence[Any], spec: RecordSpec, number: int, size: int | None) -> Any:
    encoded = [map(_as_leaf, spec.__encode__(record, 0)) for record in column]
    pairs = zip(zip(*encoded, strict=True), spec.__encoding__(), strict=True)
    parts = [_as_values(stacked(parts, kind, number)) for parts, kind in pairs]
    return spec.__batched__(size).__decode__(parts)


def _dense(column: Sequence[Array], number: int) -> Array:
    first = column[0]
    shape = first.shape
    out = np.empty((len(column), *shape), first.dtype)
    for i, array in enumerate(column):
        if array.shape != shape:
            raise InvalidArgumentError(
                None,
                "batch",
                f"Cannot batch tensors with different shapes in component {number}. First element "
                f"had shape {list(shape)} and element {i} had shape {list(array.shape)}; use "
                "padded_batch or ragged_batch.",
            )
        out[i, ...] = array
    return out


def _ragged(column: Sequence[Any]) -> RaggedTensor:
    lengths = [count_of(leaf) for leaf in column]
    splits = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)
    return RaggedTensor(_as_values(_joined(column)), splits)


def _joined(parts: Sequence[Any]) -> Any:
    """Concatenate ragged tensors or arrays along their first axis."""
    if not isinstance(parts[0], RaggedTensor):
        return np.concatenate([p.host_view() if isinstance(p, Tensor) else p for p in parts])
    ends = np.cumsum([0, *(int(p.splits[-1]) for p in parts)])
    splits = [p.splits[1:] + end for p, end in zip(parts, ends, strict=False)]
    inside = _as_values(_joined([p.values for p in parts]))
    uniform = {p.uniform_row_length for p in parts}
    joined = np.concatenate([[0], *splits]).astype(np.int32)
    return RaggedTensor(inside, joined, uniform.pop() if len(uniform) == 1 else None)


def _sparse(column: Sequence[SparseTensor]) -> SparseTensor:
    shape = np.max([leaf.host_shape for leaf in column], axis=0)
    indices = [
        np.column_stack([np.full(len(leaf.host_indices), i, np.int32), leaf.host_indices])
        for i, leaf in enumerate(column)
    ]
    values = np.concatenate([leaf.values.host_view() for leaf in column])
    return made(np.concatenate(indices), from_array(values), [len(column), *map(int, shape)])
