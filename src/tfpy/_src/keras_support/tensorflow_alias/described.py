"""Private specs of TensorFlow with which libraries describe values of their own classes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tfpy._src.base.dtypes import as_dtype, float32
from tfpy._src.core.tensor_shape import TensorShape
from tfpy._src.core.type_spec import TypeSpec
from tfpy._src.tensors.variables.variable import Variable

BY_NAME: dict[str, type] = {}
"""Classes of specs that libraries have registered, by name."""
NAMES: dict[type, str] = {}
"""Names of registered classes."""


def register(name: str) -> Callable[[type], type]:
    """Return a decorator that registers a class of specs under a name, as in `project.Spec`.

    Raises:
        TypeError: If the class is not a class of specs.
        ValueError: If the name is malformed, or the name or the class is registered already.
    """
    if not isinstance(name, str):
        raise TypeError(f"Expected `name` to be a string; got {name!r}.")
    if not all(part and part.isidentifier() for part in name.split(".")) or "." not in name:
        raise ValueError(
            "Registered name must have the form '{project_name}.{type_name}' "
            f"(e.g. 'my_project.MyTypeSpec'); got {name!r}."
        )

    def enter(kind: type) -> type:
        if not (isinstance(kind, type) and issubclass(kind, TypeSpec)):
            raise TypeError(f"Expected `cls` to be a TypeSpec; got {kind!r}.")
        if kind in NAMES:
            raise ValueError(f"Class {kind.__name__} has already been registered as {NAMES[kind]}.")
        if name in BY_NAME:
            raise ValueError(f"Name {name} has already been registered for {BY_NAME[name]}.")
        BY_NAME[name], NAMES[kind] = kind, name
        return kind

    return enter


class BatchableTypeSpec(TypeSpec):
    """Base of specs whose values can be stacked and divided into rows."""

    __slots__ = ()


class DenseSpec(TypeSpec):
    """Base of specs with a shape, a dtype and a name."""

    def __init__(self, shape: Any, dtype: Any = float32, name: str | None = None) -> None:
        self._shape = TensorShape(shape)
        self._dtype = as_dtype(dtype)
        self._name = name

    @property
    def shape(self) -> TensorShape:
        """Shape of the value."""
        return self._shape

    @property
    def dtype(self) -> Any:
        """Dtype of the value."""
        return self._dtype

    @property
    def name(self) -> str | None:
        """Name of the value."""
        return self._name

    def _serialize(self) -> Any:
        return (self._shape, self._dtype, self._name)


class VariableSpec(DenseSpec):
    """A description of Variables by shape, dtype and whether they are trainable."""

    value_type = Variable

    def __init__(
        self, shape: Any, dtype: Any = float32, trainable: bool = True, alias_id: Any = None
    ) -> None:
        super().__init__(shape, dtype)
        self.trainable, self.alias_id = trainable, alias_id

    @classmethod
    def from_value(cls, value: Any) -> VariableSpec:
        """Return the description of a Variable."""
        return cls(value.shape, value.dtype, value.trainable)

    def is_compatible_with(self, spec_or_value: Any) -> bool:
        """Return True for a Variable, or a spec of one, of a fitting shape and the same dtype."""
        if not isinstance(spec_or_value, VariableSpec | Variable):
            return False
        same = self.dtype == spec_or_value.dtype and self.trainable == spec_or_value.trainable
        return same and self.shape.is_compatible_with(spec_or_value.shape)

    def _serialize(self) -> Any:
        return (self._shape, self._dtype, self.trainable, self.alias_id)

    def __repr__(self) -> str:
        return (
            f"VariableSpec(shape={self.shape}, dtype={self.dtype!r}, trainable={self.trainable!r}, "
            f"alias_id={self.alias_id!r})"
        )
