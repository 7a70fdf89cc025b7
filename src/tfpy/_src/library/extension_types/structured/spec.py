"""The additional members of the specs of structured tensors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tfpy._src.base.dtypes import int32
from tfpy._src.core.tensor_shape import TensorShape
from tfpy._src.functions.tf_function.signature import TensorSpec
from tfpy._src.library.extension_types.construction import created
from tfpy._src.tensors.composite.specs import RaggedTensorSpec


class StructuresSpec:
    """The description of a structured tensor: the specs of its fields, and its shape.

    Args:
        _fields: Dict from the names of the fields to their specs.
        _ragged_shape: The shape, a `tf.experimental.DynamicRaggedShape.Spec`.
    """

    _fields: Any
    _cells: Any

    def __init__(self, _fields: Mapping[str, Any], _ragged_shape: Any) -> None:
        self._fields = _fields
        partitions = _ragged_shape.num_row_partitions
        self._cells = _cells_spec(_ragged_shape.shape, _fields or {}, partitions)

    @classmethod
    def _from_fields_and_rank(cls, fields: Mapping[str, Any], rank: int) -> Any:
        """Return the spec of structures with given specs of the fields."""
        shape = None
        for name, spec in fields.items():
            own = spec.shape[:rank]
            if own.rank is not None and own.rank < rank:
                raise ValueError(
                    f"Rank of field {name} is {own.rank}, but must be at least {rank}."
                )
            shape = own if shape is None else shape.merge_with(own)
        kind: Any = cls
        made = created(kind, {"_fields": fields, "_cells": _cells_spec(shape, fields)})
        made.__convert_fields__()
        return made

    @classmethod
    def _from_shape(cls, shape: Any) -> Any:
        """Return the spec of structures without fields."""
        return cls({}, shape)

    @property
    def shape(self) -> TensorShape:
        """Shape of the structured tensor."""
        shape: TensorShape = self._cells.shape
        return shape

    @property
    def rank(self) -> int | None:
        """Number of axes of the structured tensor."""
        return self.shape.rank


def _cells_spec(shape: TensorShape | None, fields: Mapping[str, Any], partitions: int = 0) -> Any:
    """Return the spec of the cells of structures, which are divided into rows if the fields are."""
    is_ragged = any(isinstance(getattr(s, "_cells", s), RaggedTensorSpec) for s in fields.values())
    rank = None if shape is None else shape.rank
    if rank is None or rank < 2 or not (partitions or is_ragged):
        return TensorSpec(shape, int32)
    return RaggedTensorSpec(shape, int32)
