"""Fields of extension types: annotations, and the conversion of values to them."""

from __future__ import annotations

import types
import typing
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from tfpy._src.base.dtypes import DType, as_dtype
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.operand import Composite, FieldRecord
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.tensor_shape import TensorShape
from tfpy._src.core.type_spec import TypeSpec

_RESERVED = frozenset(
    (
        "self", "Spec", "_type_spec", "_shape_invariant_to_type_spec", "_consumers", "value_type",
        "is_compatible_with", "most_specific_compatible_type", "_with_tensor_ranks_only",
        "_to_components", "_from_components", "_component_specs", "_to_tensor_list",
        "_from_tensor_list", "_from_compatible_tensor_list", "_flat_tensor_specs", "_serialize",
        "_deserialize", "_to_legacy_output_types", "_to_legacy_output_shapes",
        "_to_legacy_output_classes", "_keras_mask",
    )
)  # fmt: skip
_PLAIN = (int, float, str, bytes, bool, type(None))


class NoDefault:
    """The default of a field without a default."""


class TypedField(NamedTuple):
    """A field of an extension type: its name, annotation and default."""

    name: str
    kind: Any
    default: Any = NoDefault


class ImmutableDict(Mapping[Any, Any]):
    """A mapping that cannot be changed, the value of a field with the annotation `Mapping`."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self._items = dict(*args, **kwargs)

    def __getitem__(self, key: Any) -> Any:
        return self._items[key]

    def __contains__(self, key: object) -> bool:
        return key in self._items

    def __iter__(self) -> Iterator[Any]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def __repr__(self) -> str:
        return f"ImmutableDict({self._items})"


def is_reserved(name: str) -> bool:
    """Return True if a field cannot have this name."""
    return name in _RESERVED or name.lower().startswith("_tf_extension_type")


def check_annotation(kind: Any, in_key: bool = False) -> None:
    """Raise a TypeError unless fields can have an annotation. Names of classes are not checked.

    Args:
        in_key: True for the annotation of the keys of a mapping, which cannot be tensors.
    """
    if isinstance(kind, str | typing.ForwardRef) or kind is None or kind in (*_PLAIN, DType):
        return
    if _is_tensor_class(kind) or kind is TensorShape:
        if in_key:
            raise TypeError(
                f"Mapping had a key {kind.__name__!r} with type {type(kind).__name__!r}"
            )
    elif _is_tuple(kind) or _is_union(kind):
        for argument in typing.get_args(kind):
            if argument is not Ellipsis:
                check_annotation(argument, in_key)
    elif _is_mapping(kind):
        key, value = typing.get_args(kind)
        check_annotation(key, in_key=True)
        check_annotation(value, in_key)
    else:
        shown = (
            repr(kind.__name__) if isinstance(kind, type) and not typing.get_args(kind) else kind
        )
        raise TypeError(f"Unsupported type annotation {shown}")


def _is_tensor_class(kind: Any) -> bool:
    return (
        isinstance(kind, type)
        and not typing.get_args(kind)
        and issubclass(kind, Tensor | Composite | FieldRecord)
    )


def _is_tuple(kind: Any) -> bool:
    return typing.get_origin(kind) is tuple


def _is_union(kind: Any) -> bool:
    return typing.get_origin(kind) in (typing.Union, types.UnionType)


def _is_mapping(kind: Any) -> bool:
    return typing.get_origin(kind) is not None and typing.get_origin(kind) in (
        Mapping, typing.get_origin(typing.Mapping[int, int]),
    )  # fmt: skip


class Conversion:
    """The conversion of values of fields to their annotations. Errors name the field."""

    def fields(self, fields: Sequence[TypedField], values: dict[str, Any]) -> None:
        """Convert the values of an object in place.

        Raises:
            ValueError: If the names of the values are not those of the fields.
            TypeError: If a value cannot be converted to the annotation of its field.
        """
        names = {field.name for field in fields}
        if extra := values.keys() - names:
            raise ValueError(f"Got unexpected fields: {extra}")
        if missing := names - values.keys():
            raise ValueError(f"Missing required fields: {missing}")
        values.update({f.name: self.value(values[f.name], f.kind, f.name) for f in fields})

    def value(self, value: Any, kind: Any, path: str) -> Any:
        """Convert a value to an annotation.

        Raises:
            TypeError: If this is not possible.
        """
        if kind is Tensor:
            return self.tensor(value, path)
        if _is_tensor_class(kind):
            return self.composite(value, kind, path)
        if kind is TensorShape or kind is DType:
            convert = TensorShape if kind is TensorShape else as_dtype
            try:
                return convert(value)
            except (TypeError, ValueError) as error:
                raise _mismatch(path, f"'tf.{kind.__name__}'", value) from error
        if kind is None or kind in _PLAIN:
            expected = type(None) if kind is None else kind
            if not isinstance(value, expected):
                raise _mismatch(path, repr(expected.__name__), value)
            return value
        if _is_tuple(kind):
            return self._tuple(value, typing.get_args(kind), path)
        if _is_mapping(kind):
            return self._mapping(value, typing.get_args(kind), path)
        if _is_union(kind):
            return self._union(value, kind, path)
        raise TypeError(f"{path}: Unsupported type annotation {kind!r}")

    def tensor(self, value: Any, path: str) -> Any:
        """Convert a value to a tensor."""
        try:
            return convert_to_tensor(value)
        except (TypeError, ValueError) as error:
            raise _mismatch(path, "a Tensor", value) from error

    def composite(self, value: Any, kind: type, path: str) -> Any:
        """Return a composite or extension type unchanged."""
        if not isinstance(value, kind):
            raise _mismatch(path, repr(kind.__name__), value)
        return value

    def _tuple(self, value: Any, kinds: tuple[Any, ...], path: str) -> Any:
        if not isinstance(value, Sequence):
            raise _mismatch(path, "tuple", value)
        if len(kinds) == 2 and kinds[1] is Ellipsis:
            kinds = (kinds[0],) * len(value)
        if kinds == ((),):
            kinds = ()
        if len(value) != len(kinds):
            raise TypeError(
                f"{path}: expected tuple with length {len(kinds)}, got {type(value).__name__!r})"
            )
        pairs = enumerate(zip(value, kinds, strict=True))
        return tuple([self.value(item, kind, f"{path}[{i}]") for i, (item, kind) in pairs])

    def _mapping(self, value: Any, kinds: tuple[Any, ...], path: str) -> Any:
        if not isinstance(value, Mapping):
            raise _mismatch(path, "mapping", value)
        key_kind, item_kind = kinds
        return ImmutableDict(
            (self.value(k, key_kind, f"{path}[<key>]"), self.value(v, item_kind, f"{path}[{k!r}]"))
            for k, v in value.items()
        )

    def _union(self, value: Any, kind: Any, path: str) -> Any:
        for option in typing.get_args(kind):
            try:
                return self.value(value, option, path)
            except TypeError:
                pass
        raise _mismatch(path, repr(kind), value)


class DefaultConversion(Conversion):
    """The conversion of default values. A tensor is converted when an object is made."""

    def tensor(self, value: Any, path: str) -> Any:
        return value


class SpecConversion(Conversion):
    """The conversion of the fields of a spec, which contain specs in place of tensors."""

    def tensor(self, value: Any, path: str) -> Any:
        if getattr(value, "value_type", None) is not Tensor or not isinstance(value, TypeSpec):
            raise _mismatch(path, "a TensorSpec", value)
        return value

    def composite(self, value: Any, kind: type, path: str) -> Any:
        found = getattr(value, "value_type", None)
        fits = isinstance(value, TypeSpec) and isinstance(found, type) and issubclass(found, kind)
        if not fits:
            raise _mismatch(path, f"a TypeSpec for {kind.__name__!r}", value)
        return value


def _mismatch(path: str, expected: str, value: Any) -> TypeError:
    return TypeError(f"{path}: expected {expected}, got {_class_name(value)!r}")


def _class_name(value: Any) -> str:
    """Return the name of a value's class. A tensor has TensorFlow's name."""
    return "EagerTensor" if type(value) is Tensor else type(value).__name__
