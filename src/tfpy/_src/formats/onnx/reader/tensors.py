"""Conversion of ONNX tensors to arrays: typed fields, raw bytes, external files, sparse tensors."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from tfpy._src.base import dtypes
from tfpy._src.base.errors import UnimplementedError
from tfpy._src.base.unpack_limit import Room
from tfpy._src.compiler.ir.aval import Array
from tfpy._src.formats.node_graphs.paths import checked_path
from tfpy._src.library.io.checked_json import ModelFileError

Files = Callable[[str], bytes | memoryview]
"""A function that returns the bytes of an external file by its relative path."""

_NAMES = """
    float32 uint8 int8 uint16 int16 int32 int64 string bool float16 float64 uint32 uint64 complex64
    complex128 bfloat16 float8_e4m3fn float8_e4m3fnuz float8_e5m2 float8_e5m2fnuz uint4 int4
    float4_e2m1fn float8_e8m0fnu uint2 int2
"""
DTYPES: Mapping[int, str] = dict(enumerate(_NAMES.split(), start=1))
"""Names of dtypes by ONNX's enum values."""
MAX_ELEMENTS = 1 << 28
"""Maximum number of elements of an array with a computed shape."""

_BITS = {"uint4": 4, "int4": 4, "float4_e2m1fn": 4, "uint2": 2, "int2": 2}
_STRING = "string"
_INT32_LIMITS = np.iinfo(np.int32)
_MAX_INT64 = 1024  # elements: smaller arrays are shapes and indices, computed exactly on the host
_FIELDS = {
    "float32": "float_data",
    "complex64": "float_data",
    "float64": "double_data",
    "complex128": "double_data",
    "int64": "int64_data",
    "uint32": "uint64_data",
    "uint64": "uint64_data",
}
EXTERNAL = 1
"""Value of `data_location` for a tensor in an external file."""


def dtype_name(number: int, what: str) -> str:
    """Return the name of the dtype with ONNX's enum value.

    Raises:
        ModelFileError: If there is no such dtype.
    """
    if number not in DTYPES:
        raise ModelFileError(f"{what}: {number} is not the number of a dtype")
    return DTYPES[number]


def numpy_dtype(name: str) -> Any:
    """Return the dtype of NumPy or ml_dtypes for a name in `DTYPES`.

    Raises:
        UnimplementedError: If tfpy does not support the dtype.
    """
    if hasattr(np, name) and name != "bool":
        return np.dtype(name)
    if name == "float8_e8m0fnu":
        raise UnimplementedError(None, None, "The dtype float8_e8m0 of ONNX is not supported.")
    return np.dtype(dtypes.as_dtype(name).as_numpy_dtype)


def array(proto: Mapping[str, Any], files: Files | None = None) -> Array:
    """Convert a TensorProto to an array.

    Raises:
        ModelFileError: If shape, dtype and data do not match, or the data is outside of the files.
    """
    what = f"tensor {proto.get('name', '')!r}"
    shape = shape_of(proto["dims"], what)
    name = dtype_name(proto.get("data_type", 0), what)
    if "segment" in proto:
        raise ModelFileError(f"{what} has segments, which are not supported.")
    size = math.prod(shape)
    if name == _STRING:
        return _strings(proto["string_data"], size, what).reshape(shape)
    if proto.get("data_location") == EXTERNAL:
        raw: Any = _external(proto["external_data"], files, what)
    else:
        raw = proto.get("raw_data")
    flat = _typed(proto, name, size, what) if raw is None else of_bytes(raw, name, size, what)
    return _narrowed(flat.reshape(shape))


def shape_of(dims: Any, what: str) -> tuple[int, ...]:
    """Convert sizes to a shape and check it.

    Raises:
        ModelFileError: If a size is negative, or the shape is too large.
    """
    shape = tuple(int(size) for size in dims)
    if len(shape) > 32 or min(shape, default=0) < 0 or math.prod(shape) >= 1 << 40:
        raise ModelFileError(f"{what} has the invalid shape {list(shape)[:40]}.")
    return shape


def of_bytes(raw: bytes | memoryview, name: str, size: int, what: str) -> Array:
    """Return the array in little-endian bytes; the smallest dtypes have 2 or 4 elements per byte.

    Raises:
        ModelFileError: If the number of bytes does not match.
    """
    dtype, bits = numpy_dtype(name), _BITS.get(name)
    wanted = size * dtype.itemsize if bits is None else -(-size * bits // 8)
    if len(raw) != wanted:
        raise ModelFileError(
            f"{what} has {len(raw)} bytes, expected {wanted} for {size} elements of {name}."
        )
    if bits is None:
        return np.frombuffer(raw, dtype)
    return _unpacked(np.frombuffer(raw, np.uint8), bits, size, name)


def dense(proto: Mapping[str, Any], room: Room) -> Array:
    """Convert a SparseTensorProto to a dense array.

    Args:
        proto: The message.
        room: Budget for the zeros, which are not in the file.

    Raises:
        ModelFileError: If an index is out of range, or the array exceeds the budget.
    """
    values, indices = (array(proto.get(key, {"dims": []})) for key in ("values", "indices"))
    shape = shape_of(proto["dims"], "a sparse tensor")
    if values.ndim != 1:
        raise ModelFileError(
            f"A sparse tensor has values of shape {list(values.shape)}, expected one axis."
        )
    too_large = room.refusal(
        f"a sparse tensor of shape {list(shape)}", math.prod(shape) * values.itemsize
    )
    if too_large is not None:
        raise ModelFileError(too_large)
    flat = np.zeros(math.prod(shape), values.dtype)
    if indices.ndim == 2:
        if indices.shape != (values.size, len(shape)) or (indices < 0).any():
            raise ModelFileError(f"A sparse tensor has invalid indices of shape {indices.shape}.")
        if (indices >= shape).any():
            raise ModelFileError("An index of a sparse tensor is out of range.")
        indices = np.ravel_multi_index(tuple(indices.T), shape) if values.size else indices[:, 0]
    if indices.shape != values.shape or ((indices < 0) | (indices >= flat.size)).any():
        raise ModelFileError("An index of a sparse tensor is out of range.")
    flat[indices] = values
    return flat.reshape(shape)


def _narrowed(array: Array) -> Array:
    """Convert float64 to float32, and large int64 arrays to int32 with saturation."""
    if array.dtype == np.float64:
        with np.errstate(over="ignore"):
            return array.astype(np.float32)
    if array.dtype == np.complex128:
        return array.astype(np.complex64)
    if array.dtype == np.int64 and array.size > _MAX_INT64:
        return array.clip(_INT32_LIMITS.min, _INT32_LIMITS.max).astype(np.int32)
    return array


def _typed(proto: Mapping[str, Any], name: str, size: int, what: str) -> Array:
    """Return the array in the typed field for its dtype."""
    found, dtype = proto[_FIELDS.get(name, "int32_data")], numpy_dtype(name)
    bits = _BITS.get(name)
    if dtype.kind == "c":
        found = found.view(np.complex64 if found.dtype == np.float32 else np.complex128)
    count = size if bits is None else -(-size * bits // 8)
    if found.size != count:
        raise ModelFileError(f"{what} has {found.size} elements, expected {count}.")
    if bits is not None:
        return _unpacked(found.astype(np.uint8), bits, size, name)
    if name == "float16" or name.startswith(("bfloat", "float8")):  # stored as bits
        return found.astype(f"<u{dtype.itemsize}").view(dtype)
    return found.astype(dtype)


def _unpacked(raw: Array, bits: int, size: int, name: str) -> Array:
    """Unpack elements of 4 or 2 bits, the low bits first."""
    shifts = np.arange(0, 8, bits, dtype=np.uint8)
    parts = (raw[:, None] >> shifts & ((1 << bits) - 1)).reshape(-1)[:size].astype(np.uint8)
    if name.startswith("int"):
        half = 1 << bits - 1
        return ((parts ^ half).astype(np.int8) - np.int8(half)).astype(numpy_dtype(name))
    if name.startswith("uint"):
        return parts.astype(numpy_dtype(name))
    return parts.view(numpy_dtype(name))


def _strings(found: list[memoryview], size: int, what: str) -> Array:
    if len(found) != size:
        raise ModelFileError(f"{what} has {len(found)} strings, expected {size}.")
    made = np.empty(size, object)
    made[:] = [bytes(text) for text in found]
    return made


def _external(entries: list[Any], files: Files | None, what: str) -> memoryview:
    """Return the bytes of a tensor in an external file."""
    said = {entry.get("key"): entry.get("value", "") for entry in entries}
    path = checked_path(said.get("location"), f"the external file of {what}")
    if files is None:
        raise ModelFileError(f"{what} is in the external file {path!r}, which is not available.")
    data = memoryview(files(path)).cast("B")
    offset, length = _place(said, "offset", 0, what), _place(said, "length", len(data), what)
    if "length" not in said:
        length = len(data) - offset
    if offset < 0 or length < 0 or offset + length > len(data):
        raise ModelFileError(
            f"{what} is at bytes {offset} to {offset + length} of {path!r}, which has {len(data)}."
        )
    return data[offset : offset + length]


def _place(said: Mapping[str, str], key: str, default: int, what: str) -> int:
    text = said.get(key, str(default))
    if not text.isdecimal() or len(text) > 15:
        raise ModelFileError(f"{what} has the invalid {key} {text[:40]!r}.")
    return int(text)
