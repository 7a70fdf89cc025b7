"""The values of TensorProto messages as NumPy arrays."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tfpy._src.base.dtypes import WIDER, DType, as_dtype
from tfpy._src.base.unpack_limit import Room
from tfpy._src.compiler.ir.aval import Array
from tfpy._src.core.byte_strings import as_bytes
from tfpy._src.library.io.checked_json import ModelFileError
from tfpy._src.library.protos.tensor_messages import REFERENCE, TensorProto
from tfpy._src.library.protos.wire import read_varint, varint

_WIDE = {number: np.dtype(name).type for name, number in WIDER.items()}
"""NumPy types of the dtypes that tensors do not have, by number."""
_FIELDS = {
    "float32": "float_val",
    "float64": "double_val",
    "string": "string_val",
    "complex64": "scomplex_val",
    "complex128": "dcomplex_val",
    "int64": "int64_val",
    "bool": "bool_val",
    "uint32": "uint32_val",
    "uint64": "uint64_val",
    **dict.fromkeys(("float16", "bfloat16"), "half_val"),
    **dict.fromkeys(("int32", "uint8", "int16", "int8", "uint16"), "int_val"),
    **dict.fromkeys(("int4", "uint4", "int2", "uint2"), "int_val"),
}
"""The field of a TensorProto for the values of each dtype. The others are in `float8_val`."""


def dtype_number(dtype: np.dtype[Any]) -> int:
    """Return TensorFlow's number of a NumPy dtype."""
    if dtype.kind in "OSU":
        return as_dtype("string").as_datatype_enum
    return WIDER.get(str(dtype)) or as_dtype(dtype).as_datatype_enum


def dtype_name(number: int) -> str:
    """Return the name of a dtype by its number, which may be float64 although tensors are float32.

    Raises:
        TypeError: If there is no such dtype.
    """
    if number in _WIDE:
        return _WIDE[number].__name__
    return _dtype(number).name


def _dtype(number: int) -> DType:
    try:
        return as_dtype(number)
    except TypeError:
        raise TypeError(
            f"Cannot convert the argument `type_value`: {number} to a TensorFlow DType."
        ) from None


def numpy_type(number: int) -> Any:
    """Return the NumPy type of a dtype by its number.

    Raises:
        TypeError: If there is no such dtype.
    """
    return _WIDE.get(number) or _dtype(number).as_numpy_dtype


def put_values(proto: TensorProto, array: Array) -> None:
    """Store the elements of an array in the field for its dtype."""
    name, flat = dtype_name(proto.dtype), array.reshape(-1)
    field = _FIELDS.get(name)
    if field is None:
        proto.float8_val = flat.tobytes()
    elif field == "string_val":
        proto.string_val.extend([as_bytes(item) for item in flat.tolist()])
    elif field == "half_val":
        proto.half_val.extend(flat.view(np.uint16).tolist())
    elif flat.dtype.kind == "c":
        getattr(proto, field).extend(flat.view(flat.real.dtype).tolist())
    elif field == "int_val":
        proto.int_val.extend(flat.astype(np.int32).tolist())
    else:
        getattr(proto, field).extend(flat.tolist())


def values_of(proto: TensorProto) -> Array:
    """Return the values in the field for the dtype of a message.

    Raises:
        TypeError: If the message cannot contain values of its dtype.
    """
    if proto.dtype > REFERENCE or proto.dtype in (20, 21):
        raise TypeError(
            f"Unsupported tensor type: {proto.dtype}. tfpy converts tensors of numbers, bool and "
            "strings."
        )
    dtype, field = numpy_type(proto.dtype), _FIELDS.get(dtype_name(proto.dtype))
    if field is None:
        return np.frombuffer(proto.float8_val, np.uint8).view(dtype)
    items = list(getattr(proto, field))
    if field == "string_val":
        return strings(items)
    if field == "half_val":
        return np.array(items, np.int32).astype(np.uint16).view(dtype)
    if field in ("scomplex_val", "dcomplex_val"):
        part = np.float32 if field == "scomplex_val" else np.float64
        return np.array(items[: len(items) // 2 * 2], part).view(dtype)
    if field == "int_val":
        return np.array(items, np.int32).astype(dtype)
    return np.array(items, dtype)


def strings(items: list[bytes]) -> Array:
    """Return a vector of strings."""
    array = np.empty(len(items), object)
    array[:] = items
    return array


def filled(values: Array, count: int) -> Array:
    """Repeat the last value, or zero if there is none, up to a number of elements.

    Raises:
        ValueError: If the number of elements is much larger than the number of values.
    """
    if values.size == count:
        return values
    too_large = Room(values.nbytes).refusal(
        f"a tensor of {count} elements, of which {values.size} are in the message,",
        count * values.itemsize,
    )
    if too_large is not None:
        raise ValueError(too_large)
    if not values.size:
        return np.full(count, b"" if values.dtype == object else 0, values.dtype)
    return np.concatenate([values, np.repeat(values[-1:], count - values.size)])


def content_of(array: Array) -> bytes:
    """Return the bytes of an array. Strings follow the list of their lengths."""
    if array.dtype != object:
        return array.tobytes()
    items = array.reshape(-1).tolist()
    return b"".join([*(varint(len(item)) for item in items), *items])


def _strings_in(content: bytes, count: int) -> Array:
    """Return the strings in the bytes of an array.

    Raises:
        ValueError: If the bytes do not contain this number of strings.
    """
    data, at, lengths = memoryview(content), 0, []
    if count > len(content):
        raise ValueError(f"{len(content)} bytes cannot contain {count} strings")
    try:
        for _ in range(count):
            length, at = read_varint(data, at)
            lengths.append(length)
    except ModelFileError as error:
        raise ValueError(str(error)) from None
    if sum(lengths) != len(content) - at:
        raise ValueError(f"strings of {sum(lengths)} bytes are in {len(content) - at} bytes")
    items = []
    for length in lengths:
        items.append(content[at : at + length])
        at += length
    return strings(items)


def array_of(proto: TensorProto) -> Array:
    """Return the array of a message. Superfluous values are ignored, as in TensorFlow.

    Raises:
        TypeError: If the dtype is not supported.
        ValueError: If the values do not match the shape.
    """
    sizes = [dim.size for dim in proto.tensor_shape.dim]
    if any(size < 0 for size in sizes):
        raise ValueError(f"the shape {sizes} has a negative size")
    dtype, count = numpy_type(proto.dtype), math.prod(sizes)
    content = proto.tensor_content
    if content and dtype is np.object_:
        return _strings_in(content, count).reshape(sizes)
    if content:
        size = count * np.dtype(dtype).itemsize
        if len(content) != size:
            raise ValueError(f"the content has {len(content)} bytes, but the shape needs {size}")
        return np.frombuffer(content, dtype).reshape(sizes)
    return filled(values_of(proto)[:count], count).reshape(sizes)
