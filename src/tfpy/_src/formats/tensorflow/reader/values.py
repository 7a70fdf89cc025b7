"""The conversion of attributes of TensorFlow's nodes to Python values."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from tfpy._src.base.dtypes import DType, as_dtype
from tfpy._src.base.unpack_limit import Room
from tfpy._src.compiler.ir.aval import Array
from tfpy._src.library.io.checked_json import ModelFileError

MAX_BYTES = 1 << 30
"""Maximum size of a constant in a graph."""
MAX_RANK = 254
_HALF, _BFLOAT16, _STRING = 19, 14, 7
_REFERENCE = 100  # the dtype of a reference to a variable is the variable's dtype plus this
STORED: dict[int, tuple[str, str, str]] = {
    1: ("<f4", "f4", "float_val"),
    2: ("<f8", "f8", "double_val"),
    3: ("<i4", "i4", "int_val"),
    4: ("u1", "u1", "int_val"),
    5: ("<i2", "i2", "int_val"),
    6: ("i1", "i1", "int_val"),
    8: ("<c8", "c8", "scomplex_val"),
    9: ("<i8", "i8", "int64_val"),
    10: ("?", "?", "bool_val"),
    11: ("i1", "i1", "int_val"),
    12: ("u1", "u1", "int_val"),
    13: ("<i4", "i4", "int_val"),
    17: ("<u2", "u2", "int_val"),
    18: ("<c16", "c16", "dcomplex_val"),
    _HALF: ("<f2", "f2", "half_val"),
    22: ("<u4", "u4", "uint32_val"),
    23: ("<u8", "u8", "uint64_val"),
}
"""Stored dtype, dtype of the array, and field of a TensorProto, by the number of a dtype."""


@dataclass(frozen=True)
class FunctionName:
    """An attribute that names a function of the graph's library."""

    name: str


def attribute(value: dict[str, Any], what: str) -> Any:
    """Convert an AttrValue.

    Raises:
        ModelFileError: If the value is invalid.
    """
    if "list" in value:
        return _list(value["list"], what)
    for kind in ("s", "i", "f", "b", "type", "shape", "tensor", "func"):
        if kind in value:
            return _one(kind, value[kind], what)
    return None


def _list(value: dict[str, Any], what: str) -> list[Any]:
    for kind in ("s", "i", "f", "b", "type", "shape", "tensor", "func"):
        if len(value[kind]):
            return [_one(kind, one, what) for one in value[kind]]
    return []


def _one(kind: str, value: Any, what: str) -> Any:
    match kind:
        case "s":
            data = bytes(value)
            try:
                return data.decode()
            except UnicodeDecodeError:
                return data
        case "i":
            if not -(1 << 63) <= value < 1 << 63:
                raise ModelFileError(f"{what}: {str(value)[:40]} is not a 64-bit integer")
            return int(value)
        case "f":
            return float(value)
        case "b":
            return bool(value)
        case "type":
            return dtype(int(value), what)
        case "shape":
            return shape(value, what)
        case "tensor":
            array = tensor(value, what)
            array.setflags(write=False)  # nodes share equal values
            return array
        case _:
            return FunctionName(value.get("name", ""))


def dtype(number: int, what: str) -> DType | None:
    """Return a dtype by its number. The result is None for 0.

    Raises:
        ModelFileError: If there is no such dtype.
    """
    try:
        return as_dtype(number % _REFERENCE) if number else None
    except TypeError:
        raise ModelFileError(f"{what}: {number} is not the number of a dtype") from None


def shape(value: dict[str, Any], what: str) -> tuple[int | None, ...] | None:
    """Convert a TensorShapeProto. Open sizes and shapes of unknown rank are None.

    Raises:
        ModelFileError: If a size is invalid.
    """
    if value.get("unknown_rank"):
        return None
    sizes = [int(dim.get("size", 0)) for dim in value["dim"]]
    if len(sizes) > MAX_RANK or any(not -1 <= size < 1 << 31 for size in sizes):
        raise ModelFileError(f"{what}: {sizes[:10]} is not a valid shape")
    return tuple(None if size < 0 else size for size in sizes)


def tensor(value: dict[str, Any], what: str) -> Array:
    """Convert a TensorProto to an array.

    Its values are bytes, or a list of numbers. The last number is repeated.

    Raises:
        ModelFileError: If the values do not match the shape or the dtype.
    """
    sizes = shape(value.get("tensor_shape", {"dim": []}), what)
    if sizes is None or None in sizes:
        raise ModelFileError(f"{what}: a constant's shape must be known, got {sizes}")
    number = int(value.get("dtype", 0))
    count = math.prod(size for size in sizes if size is not None)
    if number == _STRING:
        texts = [bytes(text) for text in value["string_val"]]
        return _filled(np.array(texts, object), count, what).reshape(sizes)
    if number == _BFLOAT16:
        return _bfloat16(value, count, what).reshape(sizes)
    if number not in STORED:
        raise ModelFileError(f"{what}: constants of the dtype number {number} are not supported")
    stored, made, field = STORED[number]
    if count * np.dtype(stored).itemsize > MAX_BYTES:
        raise ModelFileError(f"{what}: a constant of {count} elements is too large")
    content = value.get("tensor_content")
    if content is not None and len(content):
        return _content(content, stored, count, what).astype(made).reshape(sizes)
    try:
        singles = _singles(value[field], number, made)
    except (OverflowError, TypeError, ValueError) as error:
        raise ModelFileError(
            f"{what}: the values of a constant do not fit its dtype: {error}"
        ) from None
    return _filled(singles, count, what).reshape(sizes)


def _singles(values: Any, number: int, made: str) -> Array:
    """Convert the numbers of a message to an array. Numbers of JSON can be too large for it."""
    if number == _HALF:
        return np.asarray(values, np.int64).astype(np.uint16).view(np.float16)
    if np.dtype(made).kind == "c":
        pairs = np.asarray(values, np.float64).reshape(-1, 2)
        return (pairs[:, 0] + 1j * pairs[:, 1]).astype(made)
    return np.asarray(values, np.dtype(made))


def _bfloat16(value: dict[str, Any], count: int, what: str) -> Array:
    """Convert bfloat16 numbers to float32, which represents them exactly."""
    content = value.get("tensor_content")
    if content is not None and len(content):
        upper = _content(content, "<u2", count, what)
    else:
        try:
            halves = np.asarray(value["half_val"], np.int64).astype(np.uint16)
        except (OverflowError, TypeError, ValueError) as error:
            raise ModelFileError(
                f"{what}: the values of a constant do not fit its dtype: {error}"
            ) from None
        upper = _filled(halves, count, what)
    return (upper.astype(np.uint32) << 16).view(np.float32)


def _content(content: Any, stored: str, count: int, what: str) -> Array:
    size = count * np.dtype(stored).itemsize
    if len(content) != size:
        raise ModelFileError(
            f"{what}: a constant has {len(content)} bytes, but its shape and dtype need {size}"
        )
    return np.frombuffer(content, stored)


def _filled(values: Array, count: int, what: str) -> Array:
    """Repeat the last value, or zero if there is none, up to the number of elements."""
    if values.size > count:
        raise ModelFileError(f"{what}: a constant has {values.size} values for {count} elements")
    if values.size == count:
        return values
    too_large = Room(values.nbytes).refusal(
        f"{what}: a constant of {count} elements, of which {values.size} are in the file,",
        count * values.itemsize,
    )
    if too_large is not None:
        raise ModelFileError(too_large)
    if not values.size:
        return np.full(count, b"" if values.dtype == object else 0, values.dtype)
    return np.concatenate([values, np.repeat(values[-1:], count - values.size)])
