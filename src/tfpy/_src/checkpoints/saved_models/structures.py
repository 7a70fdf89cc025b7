"""Nests of specs and Python values as StructuredValue messages (struct.proto), in both directions.

They describe the arguments and the results of a SavedModel's functions.
"""

from __future__ import annotations

import inspect
import struct
from collections import OrderedDict, namedtuple
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from tfpy._src.base.dtypes import DType, as_dtype
from tfpy._src.checkpoints.saved_models.composite_specs import decoded_spec, encoded_spec
from tfpy._src.core.conversion import constant
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.tensor_shape import TensorShape
from tfpy._src.core.type_spec import RecordSpec
from tfpy._src.formats.encodings.protobuf import (
    BOOL,
    DOUBLE,
    INT,
    STRING,
    UINT,
    Message,
    many,
    mapped,
)
from tfpy._src.formats.encodings.protobuf_writer import chunk, integer
from tfpy._src.formats.tensorflow.reader.messages import SHAPE, TENSOR
from tfpy._src.formats.tensorflow.reader.values import dtype, shape, tensor
from tfpy._src.formats.tensorflow.writer.binary import shape_proto, tensor_proto
from tfpy._src.functions.tf_function.signature import TensorSpec
from tfpy._src.functions.trace.symbolic import is_symbolic
from tfpy._src.library.io.checked_json import ModelFileError
from tfpy._src.library.protos.wire import varint

VALUE = Message("StructuredValue")
_NONE = Message("NoneValue")
_SPEC = Message("TensorSpecProto", {1: ("name", STRING), 2: ("shape", SHAPE), 3: ("dtype", INT)})
_TYPE_SPEC = Message(
    "TypeSpecProto", {1: ("type_spec_class", INT), 2: ("state", VALUE), 3: ("name", STRING)}
)
_LIST = Message("ListValue", {1: ("values", many(VALUE))})
_DICT = Message("DictValue", {1: ("fields", mapped(VALUE))})
_PAIR = Message("PairValue", {1: ("key", STRING), 2: ("value", VALUE)})
_NAMED = Message("NamedTupleValue", {1: ("name", STRING), 2: ("values", many(_PAIR))})
VALUE.fields.update(
    {
        1: ("none", _NONE),
        11: ("float", DOUBLE),
        12: ("int", UINT),  # zigzag
        13: ("string", STRING),
        14: ("bool", BOOL),
        31: ("shape", SHAPE),
        32: ("dtype", INT),
        33: ("spec", _SPEC),
        34: ("type_spec", _TYPE_SPEC),
        35: ("bounded_spec", _SPEC),
        51: ("list", _LIST),
        52: ("tuple", _LIST),
        53: ("dict", _DICT),
        54: ("named_tuple", _NAMED),
        55: ("tensor", TENSOR),
        56: ("array", TENSOR),
    }
)
FUNCTION_SPEC = Message(
    "FunctionSpec",
    {1: ("fullargspec", VALUE), 2: ("is_method", BOOL), 5: ("input_signature", VALUE)},
)


def encoded(value: Any) -> bytes:
    """Encode a nest of specs and Python values as a StructuredValue.

    Raises:
        TypeError: If the message has no field for a value.
    """
    match value:
        case None:
            return chunk(1, b"")
        case bool():
            return integer(14, value)
        case DType():
            return integer(32, value.as_datatype_enum)
        case int():
            return integer(12, (value << 1) ^ (value >> 63))
        case float():
            return varint(11 << 3 | 1) + struct.pack("<d", value)
        case str():
            return chunk(13, value)
        case TensorShape():
            return chunk(31, shape_proto(value))
        case TensorSpec():
            return chunk(33, _spec(value))
        case RecordSpec():
            return encoded_spec(value, encoded)
        case Tensor() if not is_symbolic(value):
            return chunk(55, tensor_proto(value.numpy(), value.dtype))
        case np.ndarray():
            kind = as_dtype(value.dtype)
            return chunk(56, tensor_proto(value.astype(kind.as_numpy_dtype), kind))
        case Mapping():
            pairs = (chunk(1, chunk(1, _key(k)) + chunk(2, encoded(v))) for k, v in value.items())
            return chunk(53, b"".join(pairs))
        case tuple() if hasattr(value, "_fields"):
            return chunk(
                54, _named_tuple(type(value).__name__, dict(zip(value._fields, value, strict=True)))
            )
        case list() | tuple():
            items = b"".join(chunk(1, encoded(item)) for item in value)
            return chunk(51 if isinstance(value, list) else 52, items)
    raise TypeError(
        f"A SavedModel cannot describe {value!r} of type {type(value).__name__} as an argument or "
        "a result of a function. Use tensors, arrays, specs, None, bool, int, float, str, and "
        "nests of these."
    )


def _key(key: Any) -> str:
    if not isinstance(key, str):
        raise TypeError(f"A SavedModel needs strings as keys of dictionaries, got {key!r}.")
    return key


def _spec(spec: TensorSpec) -> bytes:
    name = chunk(1, spec.name) if spec.name else b""
    return name + chunk(2, shape_proto(spec.shape)) + integer(3, spec.dtype.as_datatype_enum)


def _named_tuple(name: str, fields: Mapping[str, Any]) -> bytes:
    pairs = (chunk(2, chunk(1, k) + chunk(2, encoded(v))) for k, v in fields.items())
    return b"".join([chunk(1, name), *pairs])


def encoded_parameters(signature: inspect.Signature) -> bytes:
    """Encode the parameters of a Python function as `inspect.FullArgSpec`."""
    kinds = inspect.Parameter
    found = list(signature.parameters.values())
    positional = [p for p in found if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    keyword = [p for p in found if p.kind is p.KEYWORD_ONLY]
    defaults = tuple(p.default for p in positional if p.default is not p.empty)
    keyword_defaults = {p.name: p.default for p in keyword if p.default is not p.empty}

    def spread(kind: Any) -> str | None:
        return next((p.name for p in found if p.kind is kind), None)

    fields = {
        "args": [p.name for p in positional],
        "varargs": spread(kinds.VAR_POSITIONAL),
        "varkw": spread(kinds.VAR_KEYWORD),
        "defaults": defaults or None,
        "kwonlyargs": [p.name for p in keyword],
        "kwonlydefaults": keyword_defaults or None,
        "annotations": {},
    }
    return chunk(54, _named_tuple("FullArgSpec", fields))


def encoded_function_spec(signature: inspect.Signature, input_signature: Any = None) -> bytes:
    """Encode the parameters and the `input_signature` of a function as a FunctionSpec."""
    return chunk(1, encoded_parameters(signature)) + chunk(5, encoded(input_signature))


def decoded(message: Mapping[str, Any], what: str) -> Any:
    """Convert a StructuredValue to a nest of specs and Python values.

    Raises:
        ModelFileError: If the message is invalid, or describes a type that tfpy does not support.
    """
    for kind, value in message.items():
        if (decode := _DECODERS.get(kind)) is not None:
            return decode(value, what)
    raise ModelFileError(f"{what} contains a value of an unknown kind: {[*message]}")


def _decoded_spec(value: Mapping[str, Any], what: str) -> TensorSpec:
    found = dtype(int(value.get("dtype", 0)), what)
    if found is None:
        raise ModelFileError(f"{what} contains a spec without a dtype")
    sizes = shape(value["shape"], what) if "shape" in value else ()
    return TensorSpec(sizes, found, value.get("name") or None)


def _decoded_dict(value: Mapping[str, Any], what: str) -> dict[str, Any]:
    return {key: decoded(one or {}, what) for key, one in value["fields"].items()}


def _decoded_tuple(value: Mapping[str, Any], what: str) -> Any:
    pairs = {pair.get("key", ""): decoded(pair.get("value", {}), what) for pair in value["values"]}
    name = value.get("name", "")
    if name == "OrderedDict":
        return OrderedDict(pairs)
    try:
        return namedtuple(name, pairs)(**pairs)
    except ValueError as error:
        raise ModelFileError(f"{what} contains an invalid named tuple: {error}") from None


def _decoded_type_spec(value: Mapping[str, Any], what: str) -> Any:
    return decoded_spec(value, lambda state: decoded(state, what), what)


_DECODERS: dict[str, Callable[[Any, str], Any]] = {
    "none": lambda value, what: None,
    "float": lambda value, what: float(value),
    "int": lambda value, what: (int(value) >> 1) ^ -(int(value) & 1),
    "string": lambda value, what: value,
    "bool": lambda value, what: bool(value),
    "shape": lambda value, what: TensorShape(shape(value, what)),
    "dtype": lambda value, what: dtype(int(value), what),
    "spec": _decoded_spec,
    "bounded_spec": _decoded_spec,
    "type_spec": _decoded_type_spec,
    "list": lambda value, what: [decoded(one, what) for one in value["values"]],
    "tuple": lambda value, what: tuple(decoded(one, what) for one in value["values"]),
    "dict": _decoded_dict,
    "named_tuple": _decoded_tuple,
    "tensor": lambda value, what: constant(tensor(value, what)),
    "array": tensor,
}


def parameters_in(message: Mapping[str, Any], what: str) -> inspect.Signature:
    """Return the parameters that a FunctionSpec describes, without `self`.

    Raises:
        ModelFileError: If the message is invalid.
    """
    spec = decoded(message.get("fullargspec", {}), what)
    names = [*(getattr(spec, "args", None) or ())]
    if names and (message.get("is_method") or names[0] == "self"):
        del names[0]
    defaults = getattr(spec, "defaults", None) or ()
    keyword_defaults = getattr(spec, "kwonlydefaults", None) or {}
    kinds = inspect.Parameter
    try:
        found = [kinds(name, kinds.POSITIONAL_OR_KEYWORD) for name in names]
        for i, default in enumerate(reversed(defaults), 1):
            found[-i] = found[-i].replace(default=default)
        if spec.varargs:
            found.append(kinds(spec.varargs, kinds.VAR_POSITIONAL))
        for name in spec.kwonlyargs:
            default = keyword_defaults.get(name, kinds.empty)
            found.append(kinds(name, kinds.KEYWORD_ONLY, default=default))
        if spec.varkw:
            found.append(kinds(spec.varkw, kinds.VAR_KEYWORD))
        return inspect.Signature(found)
    except (AttributeError, IndexError, TypeError, ValueError) as error:
        raise ModelFileError(f"{what} has invalid parameters: {error}") from None
