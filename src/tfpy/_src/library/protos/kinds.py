"""The types of fields that contain numbers, strings or bytes."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from tfpy._src.library.io.checked_json import ModelFileError
from tfpy._src.library.protos import descriptors
from tfpy._src.library.protos.wire import (
    BYTES,
    FIXED32,
    FIXED64,
    VARINT,
    packed_numbers,
    read_value,
    varint,
)


@dataclass(frozen=True)
class Kind:
    """The type of a field.

    Attributes:
        type: Number of the type in descriptors.
        wire: Wire type of a single value.
        default: Value of a field that is not set.
        checked: Function of a value and the full name of the field, which returns the value that
            the field stores. It raises TypeError or ValueError if the value does not fit.
        encoded: Function that returns the concatenated encodings of values, without tags.
        decoded: Function that returns the values in the bytes of a packed field, or the value in
            the bytes of a string. The second argument is the full name of the field.
        text: Function that returns a value in the text format.
        enum_type: Names of the values of an enumeration, or None.
    """

    type: int
    wire: int
    default: Any
    checked: Callable[[Any, str], Any]
    encoded: Callable[[list[Any]], bytes]
    decoded: Callable[[memoryview, str], list[Any]]
    text: Callable[[Any], str]
    enum_type: descriptors.EnumDescriptor | None = None

    @property
    def packs(self) -> bool:
        """True if repeated values are stored in one field."""
        return self.wire != BYTES

    def all_checked(self, values: Any, where: str) -> list[Any]:
        """Return the values that a repeated field stores.

        Raises:
            TypeError: If the values are not iterable, or a value has a wrong type.
            ValueError: If a value is out of range.
        """
        try:
            items = iter(values)
        except TypeError:
            raise TypeError("must assign iterable") from None
        return [self.checked(value, where) for value in items]

    def read(self, data: memoryview, at: int, tag: int, where: str) -> tuple[list[Any], int]:
        """Read a field that contains one value, or the packed values of a repeated field.

        Returns:
            The values, and the position of the next field.

        Raises:
            ModelFileError: If the field is malformed.
        """
        value, end = read_value(data, at, tag)
        if isinstance(value, int):
            return self.decoded(data[at:end], where), end
        return self.decoded(value, where), end


def _integer(number: int, low: int, high: int, dtype: str, stored: str) -> Kind:
    """Return the type of integers from `low` to `high`.

    Args:
        number: Number of the type in descriptors.
        low: Smallest value.
        high: Largest value.
        dtype: Dtype of the values.
        stored: Dtype of the 64-bit numbers in the encoding.
    """

    def checked(value: Any, where: str) -> int:
        if isinstance(value, bool):
            raise TypeError(f"Field {where}: Expected an int, got a boolean.")
        integer = operator.index(value)
        if not low <= integer <= high:
            raise ValueError(f"Value out of range: {integer}")
        return integer

    def decoded(data: memoryview, where: str) -> list[int]:
        found: list[int] = packed_numbers(data, VARINT, stored, where).astype(dtype).tolist()
        return found

    return Kind(number, VARINT, 0, checked, _varints, decoded, str)


def _varints(values: list[int]) -> bytes:
    if all(0 <= value < 128 for value in values):
        return bytes(values)
    return b"".join(map(varint, values))


def _bool(value: Any, where: str) -> bool:
    return bool(operator.index(value))


def _bools(data: memoryview, where: str) -> list[bool]:
    found: list[bool] = packed_numbers(data, VARINT, "?", where).tolist()
    return found


def _double(value: Any, where: str) -> float:
    return math.copysign(value, value)  # the value as a float; strings are not converted


def _float(value: Any, where: str) -> float:
    with np.errstate(over="ignore"):
        return float(np.float32(_double(value, where)))


def _real(number: int, form: str, wire: int, digits: tuple[int, int], checked: Any) -> Kind:
    def encoded(values: list[float]) -> bytes:
        return np.array(values, form).tobytes()

    def decoded(data: memoryview, where: str) -> list[float]:
        found: list[float] = packed_numbers(data, wire, form, where).tolist()
        return found

    def text(value: float) -> str:
        if math.isnan(value):
            return "nan"
        short = f"{value:.{digits[0]}g}"
        with np.errstate(over="ignore"):
            exact = np.array(float(short), form) == value
        return short if exact else f"{value:.{digits[1]}g}"

    return Kind(number, wire, 0.0, checked, encoded, decoded, text)


def _bytes(value: Any, where: str) -> bytes:
    if not isinstance(value, bytes):
        kind = type(value)
        module = "" if kind.__module__ == "builtins" else f"{kind.__module__}."
        raise TypeError(f"expected bytes, {module}{kind.__qualname__} found")
    return bytes(value)


def _string(value: Any, where: str) -> str:
    if isinstance(value, bytes):
        return value.decode()
    if not isinstance(value, str):
        raise TypeError(
            f"bad argument type for built-in operation: the field {where} contains strings, got "
            f"{value!r} of the type {type(value).__name__}"
        )
    value.encode()  # surrogates raise UnicodeEncodeError
    return str(value)


def _decoded_string(data: memoryview, where: str) -> list[str]:
    try:
        return [str(data, "utf-8")]
    except UnicodeDecodeError:
        raise ModelFileError("String field had bad UTF-8") from None


_ESCAPES = {ord(c): f"\\{e}" for c, e in zip("\n\r\t\"'\\", "nrt\"'\\", strict=True)}
_CONTROL = _ESCAPES | {n: f"\\{n:03o}" for n in (*range(32), 127) if n not in _ESCAPES}
_OCTAL = _CONTROL | {n: f"\\{n:03o}" for n in range(128, 256)}


def _quoted_bytes(value: bytes) -> str:
    return f'"{value.decode("latin-1").translate(_OCTAL)}"'


def _quoted(value: str) -> str:
    return f'"{value.translate(_CONTROL)}"'


def enumeration(full_name: str, names: Mapping[int, str]) -> Kind:
    """Return the type of the numbers of an enumeration.

    Args:
        full_name: Name of the enumeration with its package.
        names: Name of each number. Other numbers are stored too.
    """
    numbers = {name: number for number, name in names.items()}

    def checked(value: Any, where: str) -> int:
        if isinstance(value, str):
            if value not in numbers:
                raise ValueError(f'unknown enum label "{value}"')
            return numbers[value]
        found: int = INT32.checked(value, where)
        return found

    def text(value: int) -> str:
        return names.get(value, str(value))

    described = descriptors.EnumDescriptor(full_name, names)
    return Kind(descriptors.ENUM, VARINT, 0, checked, INT32.encoded, INT32.decoded, text, described)


INT32 = _integer(descriptors.INT32, -(1 << 31), (1 << 31) - 1, "<i4", "<i8")
INT64 = _integer(descriptors.INT64, -(1 << 63), (1 << 63) - 1, "<i8", "<i8")
UINT32 = _integer(descriptors.UINT32, 0, (1 << 32) - 1, "<u4", "<u8")
UINT64 = _integer(descriptors.UINT64, 0, (1 << 64) - 1, "<u8", "<u8")
BOOL = Kind(
    descriptors.BOOL, VARINT, False, _bool, _varints, _bools, lambda value: str(value).lower()
)
FLOAT = _real(descriptors.FLOAT, "<f4", FIXED32, (6, 9), _float)
DOUBLE = _real(descriptors.DOUBLE, "<f8", FIXED64, (15, 17), _double)
BYTE_STRING = Kind(
    descriptors.BYTES,
    BYTES,
    b"",
    _bytes,
    lambda values: values[0],
    lambda data, _: [bytes(data)],
    _quoted_bytes,
)
STRING = Kind(
    descriptors.STRING,
    BYTES,
    "",
    _string,
    lambda values: values[0].encode(),
    _decoded_string,
    _quoted,
)
