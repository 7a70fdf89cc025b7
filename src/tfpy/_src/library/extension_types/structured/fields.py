"""The checks of the fields and of the shape that a structured tensor is created from."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.operand import Composite, FieldRecord, HostComposite
from tfpy._src.core.tensor_shape import TensorShape
from tfpy._src.library.extension_types.structured.cells import cells_of, empty_cells, merged
from tfpy._src.tensors.ragged.row_partitions import RowPartition

_NAME = re.compile("[a-zA-Z][a-zA-Z0-9_]*")


def checked_fields(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Convert the values of fields to tensors.

    Raises:
        TypeError: If the fields are not a dict from strings, or a value is not a tensor.
        ValueError: If a name is not allowed.
    """
    if not isinstance(fields, dict):
        raise TypeError(f"fields must be a dictionary, got {type(fields).__name__}")
    for name in fields:
        if not isinstance(name, str):
            raise TypeError(f"Unexpected type for key in `fields`: {name}")
        if not _NAME.fullmatch(name):
            raise ValueError(f"Field name {name!r} is not currently allowed.")
    return {name: _as_field(value) for name, value in fields.items()}


def _as_field(value: Any) -> Any:
    if isinstance(value, HostComposite):
        return value.as_composite()
    if isinstance(value, Composite | FieldRecord):
        return value
    try:
        return convert_to_tensor(value)
    except (TypeError, ValueError) as error:
        raise TypeError(f"Unexpected type for value in `fields`: {value!r}") from error


def cells_of_fields(fields: Mapping[str, Any], rank: int) -> Any:
    """Return the cells of structures with given fields, or None if there are no fields.

    Raises:
        ValueError: If the leading axes of the fields are not the same.
    """
    found = empty_cells([]) if rank == 0 else None
    for name, value in fields.items():
        try:
            found = merged(found, cells_of(value, rank))
        except ValueError as error:
            raise ValueError(f"Error in shape of {name}: {error}") from error
    return found


def checked_partitions(
    shape: TensorShape, nrows: Any, row_partitions: Sequence[RowPartition] | None
) -> tuple[RowPartition, ...]:
    """Return the row partitions.

    Raises:
        ValueError: If the arguments of `from_fields` do not match.
    """
    if shape.rank is None:
        raise ValueError("StructuredTensor's shape must have known rank.")
    if shape.rank < 2 and row_partitions:
        raise ValueError("row_partitions must be None or [] if shape.rank<2")
    if shape.rank == 0 and nrows is not None:
        raise ValueError("nrows must be None if shape.rank==0")
    if row_partitions is not None and len(row_partitions) != max(0, shape.rank - 1):
        raise ValueError("len(row_partitions) must be shape.rank-1")
    return tuple(row_partitions or ())
