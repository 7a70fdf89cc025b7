"""Specs of composite values in the signatures of a SavedModel, and the tensors of such values.

A function of a file takes and returns tensors only: the fields of an extension type, the values and
row splits of a ragged tensor, and the indices, values and shape of a sparse tensor.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from tfpy._src.base.dtypes import int64
from tfpy._src.core import nest
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.type_spec import RecordSpec, TypeSpec
from tfpy._src.formats.encodings.protobuf_writer import chunk, integer
from tfpy._src.functions.tf_function.signature import TensorSpec
from tfpy._src.library.extension_types.construction import created
from tfpy._src.library.extension_types.extension_type import ExtensionType
from tfpy._src.library.extension_types.specs import ExtensionTypeSpec
from tfpy._src.library.io.checked_json import ModelFileError
from tfpy._src.tensors.composite.ragged.tensor import RaggedTensor
from tfpy._src.tensors.composite.sparse_tensor import SparseTensor
from tfpy._src.tensors.composite.specs import RaggedTensorSpec, SparseTensorSpec

_EXTENSION = 13
"""Number of extension types in a TypeSpecProto."""


class _RecordParts:
    """The spec of a record, with the methods that its class defines.

    Args:
        spec: The spec, a `RecordSpec`.
    """

    def __init__(self, spec: Any) -> None:
        self._spec = spec
        self.kind: type = spec.value_type
        self.specs: Sequence[Any] = spec._component_specs

    def values(self, value: Any) -> Sequence[Any]:
        """Return the components of a value."""
        found: Sequence[Any] = self._spec._to_components(value)
        return found

    def value(self, values: Sequence[Any]) -> Any:
        """Return the value with these components."""
        return self._spec._from_components(values)


def tensor_specs(structure: Any) -> list[TensorSpec]:
    """Return the specs of all tensors in a nest of specs and Python values."""
    return [one for leaf in nest.flatten(structure) for one in _parts_of(leaf)]


def _parts_of(spec: Any) -> Iterator[TensorSpec]:
    match spec:
        case TensorSpec():
            yield spec
        case RecordSpec():
            for part in _RecordParts(spec).specs:
                yield from _parts_of(part)
        case RaggedTensorSpec():
            inner = spec.shape[spec.ragged_rank + 1 :] if spec.shape.rank is not None else None
            yield TensorSpec(None if inner is None else [None, *inner], spec.dtype)
            yield from [TensorSpec([None], spec.row_splits_dtype)] * spec.ragged_rank
        case SparseTensorSpec():
            rank = spec.shape.rank
            yield TensorSpec([None, rank], int64)
            yield TensorSpec([None], spec.dtype)
            yield TensorSpec([rank], int64)


def is_composite(spec: Any) -> bool:
    """Return True for the spec of a value of several tensors."""
    return isinstance(spec, RecordSpec | RaggedTensorSpec | SparseTensorSpec)


def parts(spec: Any, value: Any) -> list[Tensor] | None:
    """Return the tensors of a composite value, or None if the value does not match the spec.

    As in TensorFlow, the static fields of an extension type may differ.
    """
    return list(_tensors(spec, value)) if _matches(spec, value) else None


def _matches(spec: Any, value: Any) -> bool:
    if not isinstance(spec, RecordSpec):
        return bool(spec.is_compatible_with(value))
    record = _RecordParts(spec)
    if not isinstance(value, record.kind):
        return False
    found = record.values(value)
    return len(record.specs) == len(found) and all(map(_matches, record.specs, found))


def _tensors(spec: Any, value: Any) -> Iterator[Tensor]:
    match spec:
        case RecordSpec():
            record = _RecordParts(spec)
            for part, x in zip(record.specs, record.values(value), strict=True):
                yield from _tensors(part, x)
        case RaggedTensorSpec():
            yield value.flat_values
            yield from value.nested_row_splits
        case SparseTensorSpec():
            yield from (value.indices, value.values, value.dense_shape)
        case _:
            yield value


def packed(spec: Any, tensors: Iterator[Any]) -> Any:
    """Return a value from its next tensors. Other leaves are returned unchanged."""
    match spec:
        case TensorSpec():
            return next(tensors)
        case RecordSpec():
            record = _RecordParts(spec)
            return record.value([packed(part, tensors) for part in record.specs])
        case RaggedTensorSpec():
            values = next(tensors)
            splits = [next(tensors) for _ in range(spec.ragged_rank)]
            return RaggedTensor.from_nested_row_splits(values, splits, validate=False)
        case SparseTensorSpec():
            return SparseTensor(*(next(tensors) for _ in range(3)))
    return spec


# Messages


def encoded_spec(spec: TypeSpec, encoded: Callable[[Any], bytes]) -> bytes:
    """Encode the spec of an extension type as a StructuredValue.

    Raises:
        TypeError: If the class has no name for files.
    """
    if not isinstance(spec, ExtensionTypeSpec) or (name := _name(spec.value_type)) is None:
        raise TypeError(
            f"No encoder for object {spec!r} of type {type(spec)}. To save functions of an "
            "extension type, assign a unique name to the attribute __name__ in its class."
        )
    count = len(tensor_specs(spec))
    message = integer(1, _EXTENSION) + chunk(2, encoded(spec._serialize()))
    return chunk(34, message + chunk(3, f"{name}.Spec") + integer(4, count))


def _name(kind: type) -> str | None:
    found = vars(kind).get("__name__")
    return found if isinstance(found, str) else None


def decoded_spec(message: Mapping[str, Any], decoded: Callable[[Any], Any], what: str) -> Any:
    """Convert a TypeSpecProto to a spec.

    Raises:
        ModelFileError: If the message is invalid, or an extension type is not defined.
    """
    kind, name = int(message.get("type_spec_class", 0)), str(message.get("name", ""))
    state = decoded(message.get("state", {}))
    try:
        match kind:
            case 1:
                return SparseTensorSpec(*state)
            case 3:
                return RaggedTensorSpec(*state)
            case 13:
                return created(_defined(name.removesuffix(".Spec")).Spec, dict(state))
    except (TypeError, ValueError) as error:
        raise ModelFileError(f"{what} contains an invalid spec: {error}") from None
    raise ModelFileError(f"{what} contains a {name or f'type spec {kind}'}, which tfpy cannot load")


def _defined(name: str) -> Any:
    """Return the extension type with a name for files, the last one that was defined."""
    found, pending = None, [ExtensionType]
    while pending:
        kind = pending.pop(0)
        pending += kind.__subclasses__()
        found = kind if _name(kind) == name else found
    if found is None:
        raise ModelFileError(
            f"The type {name!r} is not defined. Define the extension type with this __name__ "
            "before the model is loaded."
        )
    return found
