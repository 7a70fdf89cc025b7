"""`CompositeTensor`: the base of values that libraries for TensorFlow build from tensors.

A library describes the values of such a class by a `tf.TypeSpec`, which converts them to their
components and back.
"""

from __future__ import annotations

from abc import ABCMeta
from collections.abc import Hashable, Sequence
from typing import Any

from tfpy._src.core import nest
from tfpy._src.core.operand import Composite, FieldRecord, Holder


class CompositeTensor(FieldRecord, metaclass=ABCMeta):
    """Base of values that consist of tensors, as their property `_type_spec` describes."""

    __slots__ = ()

    @property
    def _type_spec(self) -> Any:
        raise NotImplementedError(f"{type(self).__name__} must define _type_spec")

    def _shape_invariant_to_type_spec(self, shape: Any) -> Any:
        raise NotImplementedError(
            f"{type(self).__name__} must define _shape_invariant_to_type_spec()"
        )

    def _convert_variables_to_tensors(self) -> Any:
        return self

    def __parts__(self) -> list[Any]:
        return nest.flatten(self._type_spec._to_components(self))

    def __with_parts__(self, parts: Sequence[Any]) -> Any:
        spec = self._type_spec
        return spec._from_components(nest.pack_sequence_as(spec._to_components(self), list(parts)))

    def __facts__(self) -> Hashable:
        return self._type_spec

    def __spec__(self) -> Any:
        return self._type_spec


CompositeTensor.register(Composite)


def convert_variables_to_tensors(values: Any) -> Any:
    """Return a nest with tensors in place of Variables, also inside composites."""

    def converted(leaf: Any) -> Any:
        if isinstance(leaf, Holder):
            return leaf.value()
        method = getattr(leaf, "_convert_variables_to_tensors", None)
        return leaf if method is None else method()

    return nest.map_structure(converted, values)
