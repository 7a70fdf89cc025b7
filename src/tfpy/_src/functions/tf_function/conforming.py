"""Conversion of arguments to the specs of an `input_signature`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tfpy._src.core import nest
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.operand import FieldRecord, Wrapper
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.type_spec import RecordSpec, TypeSpec
from tfpy._src.functions.tf_function.signature import CompositeSpec, TensorSpec, WrapperSpec
from tfpy._src.tensors.composite.specs import RaggedTensorSpec, SparseTensorSpec


def conform(name: str, value: Any, spec: Any) -> Any:
    """Convert an argument to its spec or nest of specs.

    Raises:
        TypeError: If the structure, dtype or shape does not match.
    """
    if isinstance(spec, TensorSpec):
        if isinstance(value, TensorSpec):
            tensor: Any = value
        else:
            tensor = convert_to_tensor(value, None if hasattr(value, "dtype") else spec.dtype)
        if not spec.is_compatible_with(tensor):
            given = TensorSpec(tensor.shape, tensor.dtype)
            raise TypeError(
                f"Binding inputs to tf.function failed due to `Can not cast {given!r} to {spec!r}` "
                f"for argument '{name}'; change the input_signature or convert the argument"
            )
        return tensor
    if isinstance(spec, CompositeSpec):
        if not spec.is_compatible_with(value):
            raise TypeError(
                f"Binding inputs to tf.function failed due to `Can not cast {_type_of(value)} to "
                f"{spec!r}` for argument '{name}'; change the input_signature or convert the "
                "argument"
            )
        return value
    if isinstance(spec, WrapperSpec):
        _check_structure(name, spec, value, isinstance(value, Wrapper | WrapperSpec))
        return spec.kind(conform(name, value.wrapped, spec.wrapped))
    if isinstance(spec, RecordSpec):
        return _conform_record(name, value, spec)
    if isinstance(spec, Mapping):
        _check_structure(name, spec, value, isinstance(value, Mapping) and {*value} == {*spec})
        return {k: conform(name, value[k], s) for k, s in spec.items()}
    if isinstance(spec, list | tuple):
        kind = list if isinstance(spec, list) else tuple
        _check_structure(name, spec, value, isinstance(value, kind) and len(value) == len(spec))
        return kind(conform(name, v, s) for v, s in zip(value, spec, strict=True))
    if isinstance(spec, TypeSpec):  # of a Variable, a dataset or an optional value
        _check_structure(name, spec, value, value is spec or spec.is_compatible_with(value))
    return value


def _conform_record(name: str, value: Any, spec: RecordSpec) -> Any:
    """Convert an extension type to its spec. As in TensorFlow, the spec defines static fields."""
    given = value.__record__() if isinstance(value, RecordSpec) else value
    wanted = spec.__record__()
    likes = wanted.__parts__()
    fits = type(given) is type(wanted) or isinstance(given, getattr(spec, "value_type", ()))
    fits = fits and len(given.__parts__()) == len(likes)
    _check_structure(name, spec, value, fits)
    pairs = zip(given.__parts__(), likes, strict=True)
    return wanted.__with_parts__([conform(name, part, _as_spec(like)) for part, like in pairs])


def _as_spec(part: Any) -> Any:
    """Return the spec of a record of specs, and another spec unchanged."""
    return part.__spec__() if isinstance(part, FieldRecord) else part


def check_signature(input_signature: Any) -> None:
    """Raise a TypeError unless the signature is None or a nest of specs."""
    for spec in nest.flatten(input_signature):
        if not isinstance(spec, TypeSpec | None):
            raise TypeError(
                "input_signature must be a possibly nested sequence of TensorSpec objects, got "
                f"{spec!r} of type {type(spec).__name__}"
            )


def _type_of(value: Any) -> str:
    """Return the spec of a value as text, or the value itself if it has no spec."""
    for kind in (RaggedTensorSpec, SparseTensorSpec):
        if isinstance(value, kind.value_type):
            return repr(kind.from_value(value))
    return repr(TensorSpec.from_tensor(value) if isinstance(value, Tensor) else value)


def _check_structure(name: str, spec: Any, value: Any, fits: bool) -> None:
    if not fits:
        raise TypeError(
            f"Binding inputs to tf.function failed: argument '{name}' must have the structure "
            f"{spec!r}, got {value!r}"
        )
