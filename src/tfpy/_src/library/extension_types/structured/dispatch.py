"""Implementations of functions of `tf` for structured tensors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tfpy._src.base import dtypes
from tfpy._src.core.conversion import constant
from tfpy._src.core.dispatch import implements
from tfpy._src.core.tensor import Tensor
from tfpy._src.library.extension_types.structured.cells import axis_of, divided
from tfpy._src.library.extension_types.structured.tensor import StructuredTensor
from tfpy._src.tensors.array import joining, making, reshaping, slicing
from tfpy._src.tensors.array.ranges import range
from tfpy._src.tensors.ragged.shape import DynamicRaggedShape
from tfpy._src.tensors.random import stateful


@implements(reshaping.shape, StructuredTensor)
def shape(
    input: StructuredTensor, out_type: Any = None, name: str | None = None
) -> DynamicRaggedShape:
    """Return the shape with the lengths of the rows."""
    return DynamicRaggedShape.from_tensor(divided(input._cells))


@implements(reshaping.rank, StructuredTensor)
def rank(input: StructuredTensor, name: str | None = None) -> Tensor:
    """Return the number of axes."""
    return constant(input.rank)


@implements(reshaping.size, StructuredTensor)
def size(input: StructuredTensor, out_type: Any = dtypes.int32, name: str | None = None) -> Tensor:
    """Return the number of structures."""
    return reshaping.size(input._cells, out_type)


@implements(making.zeros_like, StructuredTensor)
def zeros_like(
    input: StructuredTensor, dtype: Any = dtypes.float32, name: str | None = None
) -> Any:
    """Return a tensor or ragged tensor with a zero for each structure."""
    return making.zeros_like(divided(input._cells), dtype or dtypes.float32)


@implements(making.ones_like, StructuredTensor)
def ones_like(input: StructuredTensor, dtype: Any = dtypes.float32, name: str | None = None) -> Any:
    """Return a tensor or ragged tensor with a one for each structure."""
    return making.ones_like(divided(input._cells), dtype or dtypes.float32)


@implements(reshaping.expand_dims, StructuredTensor)
def expand_dims(input: StructuredTensor, axis: Any, name: str | None = None) -> StructuredTensor:
    """Insert an axis of size 1."""
    at = axis_of(axis, input.rank + 1)
    return input._mapped(lambda leaf: reshaping.expand_dims(leaf, at))


@implements(slicing.gather, StructuredTensor)
def gather(
    params: StructuredTensor,
    indices: Any,
    validate_indices: Any = None,
    axis: Any = None,
    batch_dims: int = 0,
    name: str | None = None,
) -> StructuredTensor:
    """Gather structures.

    Raises:
        ValueError: If the axis does not exist, or the indices are structured.
    """
    at = axis_of(batch_dims if axis is None else axis, params.rank)
    if batch_dims > at:
        raise ValueError(f"batch_dims={batch_dims} out of bounds: expected batch_dims<=axis={at}")
    return params._mapped(
        lambda leaf: slicing.gather(leaf, indices, axis=at, batch_dims=batch_dims)
    )


@implements(joining.concat, StructuredTensor)
def concat(values: Sequence[Any], axis: Any, name: str = "concat") -> StructuredTensor:
    """Concatenate structured tensors with the same fields.

    Raises:
        ValueError: If the values are not structured tensors with the same fields and ranks, or the
            axis does not exist.
    """
    given = list(values)
    if not all(isinstance(value, StructuredTensor) for value in given):
        raise ValueError(f"values must be a list of StructuredTensors, got {given}")
    first = given[0]
    ranks = [_ranks(value, ()) for value in given]
    differing = {path for other in ranks for path in {*ranks[0]} ^ {*other}}
    if differing:
        raise ValueError(
            f"Some paths are present in some, but not all, structured tensors: {sorted(differing)}"
        )
    if any(other != ranks[0] for other in ranks):
        raise ValueError(f"Ranks of sub-message do not match: {ranks}")
    at = axis_of(axis, first.rank)
    return _joined(given, lambda leaves: joining.concat(leaves, at))


def _joined(values: Sequence[Any], join: Callable[[list[Any]], Any]) -> Any:
    """Join the tensors of structured tensors with the same fields."""
    if not isinstance(values[0], StructuredTensor):
        return join(list(values))
    names = values[0].field_names()
    fields = {n: _joined([value.field_value(n) for value in values], join) for n in names}
    return values[0]._made(fields, join([value._cells for value in values]))


def _ranks(value: Any, path: tuple[str, ...]) -> dict[tuple[str, ...], int | None]:
    """Return the ranks of structured tensors by path, with None for other fields."""
    if not isinstance(value, StructuredTensor):
        return {path: None}
    found: dict[tuple[str, ...], int | None] = {path: value.rank}
    for name in value.field_names():
        found |= _ranks(value.field_value(name), (*path, name))
    return found


@implements(stateful.shuffle, StructuredTensor)
def shuffle(value: StructuredTensor, seed: Any = None, name: str | None = None) -> StructuredTensor:
    """Return the structures of the first axis in random order.

    Raises:
        ValueError: If the value has no axis.
    """
    if value.rank == 0:
        raise ValueError("Cannot shuffle a scalar StructuredTensor")
    rows: Any = value.nrows()
    return gather(value, stateful.shuffle(range(rows), seed=seed), axis=0)
