"""Constructors of extension types and of their specs, and access to the fields of objects."""

from __future__ import annotations

import functools
import inspect
import typing
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any

from tfpy._src.core import nest
from tfpy._src.core.operand import Composite, FieldRecord
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.tensor_shape import TensorShape
from tfpy._src.core.type_spec import TypeSpec
from tfpy._src.library.extension_types.fields import (
    DefaultConversion,
    NoDefault,
    TypedField,
    check_annotation,
    is_reserved,
)

CONSTRUCTING = "_tf_extension_type_in_constructor"
"""Attribute of an object while its own constructor runs, which may assign fields."""


def fields_of(cls: Any, scope: Mapping[str, Any] | None = None) -> tuple[TypedField, ...]:
    """Return the fields of an extension type, those of base classes first.

    Args:
        cls: The extension type.
        scope: Names that annotations can use if they are strings. Default: those of the module.

    Raises:
        TypeError: If an annotation is not supported, or a default does not have its type.
    """
    known: tuple[TypedField, ...] | None = cls.__dict__.get("_tf_extension_type_cached_fields")
    if known is not None:
        return known
    try:
        hints = typing.get_type_hints(cls, localns=None if scope is None else dict(scope))
        resolved = True
    except (NameError, AttributeError):  # a class that is not yet defined
        bases = reversed(cls.__mro__)
        hints = {k: v for b in bases for k, v in inspect.get_annotations(b).items()}
        resolved = False
    fields = []
    for name, kind in hints.items():
        try:
            check_annotation(kind)
        except TypeError as error:
            raise TypeError(f"In field {name!r}: {error}") from error
        default = getattr(cls, name, NoDefault)
        if default is not NoDefault:
            default = DefaultConversion().value(default, kind, f"default value for {name}")
        fields.append(TypedField(name, kind, default))
    if resolved:
        type.__setattr__(cls, "_tf_extension_type_cached_fields", tuple(fields))
    return tuple(fields)


def set_constructor(cls: type, function: Callable[..., None]) -> None:
    """Make a function the constructor of a class."""
    type.__setattr__(cls, "__init__", function)


def completed(constructor: Callable[..., None]) -> Callable[..., None]:
    """Return a user's constructor that converts and validates the fields afterwards."""

    @functools.wraps(constructor)
    def construct(self: Any, *args: Any, **kwargs: Any) -> None:
        vars(self)[CONSTRUCTING] = True
        constructor(self, *args, **kwargs)
        del vars(self)[CONSTRUCTING]
        self.__convert_fields__()
        self.__validate__()

    return construct


def built(fields: Sequence[TypedField], cls: type) -> Callable[..., None]:
    """Return a constructor with one parameter for each field.

    Fields without a default that follow fields with one, and all later fields, are keyword-only.
    """
    first = next((i for i, f in enumerate(fields) if f.default is not NoDefault), len(fields))
    keyword = (i for i, f in enumerate(fields) if i > first and f.default is NoDefault)
    limit = next(keyword, len(fields))
    parameter = inspect.Parameter
    parameters = [
        parameter(
            field.name,
            parameter.POSITIONAL_OR_KEYWORD if i < limit else parameter.KEYWORD_ONLY,
            default=parameter.empty if field.default is NoDefault else field.default,
            annotation=field.kind,
        )
        for i, field in enumerate(fields)
    ]
    return binding(parameters, cls)


def binding(parameters: Sequence[inspect.Parameter], cls: type) -> Callable[..., None]:
    """Return a constructor that assigns its arguments to the fields of the same names."""
    signature = inspect.Signature(parameters)

    def construct(self: Any, *args: Any, **kwargs: Any) -> None:
        bound = signature.bind(*args, **kwargs)
        bound.apply_defaults()
        vars(self).update(bound.arguments)
        self.__convert_fields__()
        self.__validate__()

    own = inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    vars(construct)["__signature__"] = inspect.Signature([own, *parameters], return_annotation=cls)
    return construct


def is_part(value: Any) -> bool:
    """Return True if a leaf of a field is a tensor, a composite, an extension type or a spec."""
    return isinstance(value, Tensor | Composite | FieldRecord | TypeSpec)


def values_of(obj: Any) -> dict[str, Any]:
    """Return the fields of an extension type or of its spec by name."""
    return {name: value for name, value in vars(obj).items() if not is_reserved(name)}


def created(cls: type, values: Mapping[str, Any]) -> Any:
    """Create an object with given fields, without its constructor."""
    made: Any = object.__new__(cls)
    vars(made).update(values)
    return made


def map_parts(function: Callable[[Any], Any], value: Any) -> Any:
    """Apply a function to the parts in a nest of fields, and keep the static values."""
    return nest.map_structure(lambda leaf: function(leaf) if is_part(leaf) else leaf, value)


def static(value: Any) -> Hashable:
    """Return a hashable key of the static values in a field."""
    if is_part(value):
        return "part"
    if isinstance(value, TensorShape):
        return TensorShape, None if value.rank is None else tuple(value)
    if isinstance(value, Mapping):
        return (Mapping, *((key, static(value[key])) for key in sorted(value)))
    if isinstance(value, tuple):
        return (tuple, *map(static, value))
    return type(value), value
