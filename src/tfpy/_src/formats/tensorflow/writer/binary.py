"""The binary form of TensorFlow's graphs: nodes, functions and tensors as Protocol Buffers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from tfpy._src.base import dtypes
from tfpy._src.base.dtypes import DType
from tfpy._src.compiler.ir.aval import Array
from tfpy._src.formats.encodings.protobuf_writer import chunk, integer, real
from tfpy._src.formats.tensorflow.writer.nodes import Func


def shape_proto(shape: Iterable[int | None]) -> bytes:
    """Encode a shape as a TensorShapeProto. None is an open size."""
    if getattr(shape, "rank", 0) is None:
        return integer(3, 1)
    return b"".join(chunk(2, integer(1, -1 if n is None else int(n))) for n in shape)


def tensor_proto(array: Array, dtype: DType) -> bytes:
    """Encode an array as a TensorProto."""
    head = integer(1, dtype.as_datatype_enum) + chunk(2, shape_proto(array.shape))
    if dtype == dtypes.string:
        return head + b"".join(chunk(8, _bytes(text)) for text in array.ravel().tolist())
    return head + chunk(4, np.ascontiguousarray(array).tobytes())


def _bytes(text: Any) -> bytes:
    return text.encode() if isinstance(text, str) else bytes(text)


def attribute(value: Any) -> bytes:
    """Encode the attribute of a node as an AttrValue."""
    match value:
        case bool():
            return integer(5, value)
        case int() | np.integer():
            return integer(3, int(value))
        case float() | np.floating():
            return real(4, float(value))
        case DType():
            return integer(6, value.as_datatype_enum)
        case Func():
            return chunk(10, chunk(1, str(value)))
        case str() | bytes():
            return chunk(2, value)
        case np.ndarray():
            return chunk(8, tensor_proto(value, dtypes.as_dtype(value.dtype)))
        case Mapping():  # a shape in the form of TensorFlow.js
            sizes = [int(dim["size"]) for dim in value["shape"]["dim"]]
            return chunk(7, shape_proto(None if n < 0 else n for n in sizes))
    return chunk(1, b"".join(_items(value)))


def shapes_attribute(shapes: Iterable[Iterable[int | None] | None]) -> bytes:
    """Encode a list of shapes as an AttrValue. None is a shape of unknown rank."""
    items = (integer(3, 1) if one is None else shape_proto(one) for one in shapes)
    return chunk(1, b"".join(chunk(7, item) for item in items))


def _items(values: Sequence[Any]) -> Iterable[bytes]:
    """Encode the items of a list attribute, which have the same field numbers as single values."""
    return (attribute(value) for value in values)


def pair(field: int, key: str, value: bytes) -> bytes:
    """Encode an entry of a map whose values are messages."""
    return chunk(field, chunk(1, key) + chunk(2, value))


def node_proto(
    name: str, op: str, inputs: Iterable[str] = (), attrs: Mapping[str, Any] | None = None
) -> bytes:
    """Encode a node as a NodeDef. An attribute in bytes is an encoded AttrValue."""
    found = [chunk(1, name), chunk(2, op), *(chunk(3, one) for one in inputs)]
    for key, value in sorted((attrs or {}).items()):
        found.append(pair(5, key, value if isinstance(value, bytes) else attribute(value)))
    return b"".join(found)


def constant_proto(name: str, array: Array, dtype: DType | None = None) -> bytes:
    """Encode a constant as a NodeDef."""
    if dtype is None:
        dtype = dtypes.string if array.dtype.kind in "OSU" else dtypes.as_dtype(array.dtype)
    value = chunk(8, tensor_proto(array, dtype))
    return node_proto(name, "Const", (), {"dtype": dtype, "value": value})


def function_proto(
    name: str,
    inputs: Sequence[tuple[str, DType, Iterable[int | None] | None]],
    outputs: Sequence[tuple[str, DType, str]],
    nodes: Iterable[bytes],
    effects: Sequence[str] = (),
) -> bytes:
    """Encode a function as a FunctionDef.

    Args:
        name: Name of the function.
        inputs: Name, dtype and shape of each argument. None is a shape of unknown rank.
        outputs: Name and dtype of each result, and the value of the body that it returns.
        nodes: Encoded nodes of the body.
        effects: Names of nodes that run for their effects.
    """
    taken = (chunk(2, chunk(1, n) + integer(3, d.as_datatype_enum)) for n, d, _ in inputs)
    made = (chunk(3, chunk(1, n) + integer(3, d.as_datatype_enum)) for n, d, _ in outputs)
    waits = (chunk(20, effect) for effect in effects)
    signature = b"".join([chunk(1, name), *taken, *made, *waits])
    if effects:
        signature += integer(17, 1)
    body = [chunk(1, signature), *(chunk(3, node) for node in nodes)]
    body += [chunk(4, chunk(1, n) + chunk(2, value)) for n, _, value in outputs]
    body += [chunk(6, chunk(1, effect) + chunk(2, effect)) for effect in effects]
    body.append(pair(5, "_input_shapes", shapes_attribute(shape for _, _, shape in inputs)))
    return b"".join(body)
