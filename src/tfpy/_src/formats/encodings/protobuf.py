"""A strict reader of Protocol Buffers, which converts messages to dictionaries.

A `Message` has the name and the kind of each field number::

    PAIR = Message("Pair", {1: ("name", STRING), 2: ("sizes", many(INT)), 3: ("of", NODE)})
    read(data, PAIR)  # {"name": "a", "sizes": array([2, 3]), "of": {...}}

A field that occurs once has a key only if it is in the file. A repeated field is always present: a
NumPy array if it contains numbers, otherwise a list. Bytes are views of the file. Fields that are
not in the table are skipped. Repeated fields that the file leaves out take no memory (`Fields`), so
a message of two bytes stays small.
"""

from __future__ import annotations

import functools
import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from tfpy._src.compiler.ir.aval import Array
from tfpy._src.library.io.checked_json import ModelFileError

MAX_DEPTH = 100
"""Maximum depth of nested messages."""
MAX_FIELDS = 1 << 23
"""Maximum number of fields in a file. An array of numbers counts once."""

_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5
_FIXED_SIZES = {_FIXED64: 8, _FIXED32: 4}
_LONGEST = 10  # largest number of bytes of a varint
_MASK = (1 << 64) - 1


@dataclass(frozen=True)
class FieldKind:
    """The type of a field.

    Attributes:
        name: Name of the type for error messages.
        wire: Number of the encoding (the wire type).
        one: Function that converts a number or bytes of the file to a value.
        dtype: Dtype of an array of such numbers. None for types that are not numbers.
    """

    name: str
    wire: int
    one: Callable[[Any], Any]
    dtype: str | None = None


@dataclass(frozen=True)
class Many:
    """A field that may occur any number of times."""

    kind: FieldKind | Message

    def empty(self) -> Any:
        """Return the value of a field that does not occur."""
        if isinstance(self.kind, FieldKind) and self.kind.dtype:
            return np.zeros(0, self.kind.dtype)
        return []


@dataclass(frozen=True)
class Mapped:
    """A map field: pairs that become a dictionary. The last pair of a key is used."""

    pair: Message


class Message:
    """The fields of a message.

    Args:
        name: Name of the message for error messages.
        fields: Name and kind by field number. A message that contains itself gets them later.
    """

    def __init__(self, name: str, fields: Mapping[int, tuple[str, Any]] | None = None) -> None:
        self.name = name
        self.fields: dict[int, tuple[str, FieldKind | Message | Many | Mapped]] = dict(fields or {})

    @functools.cached_property
    def empty(self) -> Mapping[str, Callable[[], Any]]:
        """Functions that create the empty values of repeated fields, by name."""
        return {
            name: kind.empty if isinstance(kind, Many) else dict
            for name, kind in self.fields.values()
            if isinstance(kind, Many | Mapped)
        }

    @functools.cached_property
    def numbers(self) -> Mapping[str, str]:
        """Dtypes of the repeated fields of numbers, by name."""
        return {
            name: kind.kind.dtype
            for name, kind in self.fields.values()
            if isinstance(kind, Many) and isinstance(kind.kind, FieldKind) and kind.kind.dtype
        }


class Fields(dict[str, Any]):
    """The fields of a message. Repeated fields that are not in the file are created when read."""

    __slots__ = ("_message",)

    def __init__(self, message: Message) -> None:
        super().__init__()
        self._message = message

    def __missing__(self, name: str) -> Any:
        return self._message.empty[name]()


def _signed(number: int) -> int:
    return number - (1 << 64) if number >> 63 else number


def _text(data: memoryview) -> str:
    try:
        return str(data, "utf-8")
    except UnicodeDecodeError:
        raise ModelFileError(f"a string in the file is not UTF-8: {bytes(data[:40])!r}") from None


def _fixed(form: str) -> Callable[[memoryview], Any]:
    unpack = struct.Struct(form).unpack
    return lambda data: unpack(data)[0]


INT = FieldKind("integer", _VARINT, _signed, "<i8")
"""The type of int32, int64 and enumerations."""
UINT = FieldKind("unsigned integer", _VARINT, int, "<u8")
BOOL = FieldKind("bool", _VARINT, bool, "?")
FLOAT = FieldKind("float", _FIXED32, _fixed("<f"), "<f4")
DOUBLE = FieldKind("double", _FIXED64, _fixed("<d"), "<f8")
FIXED32 = FieldKind("fixed32", _FIXED32, _fixed("<I"), "<u4")
STRING = FieldKind("string", _BYTES, _text)
BYTES = FieldKind("bytes", _BYTES, lambda data: data)


def many(kind: FieldKind | Message) -> Many:
    """Return the type of a repeated field: an array of numbers, or a list of other values."""
    return Many(kind)


def mapped(value: FieldKind | Message) -> Mapped:
    """Return the type of a map with string keys. A missing key is the empty string."""
    return Mapped(Message("pair of a map", {1: ("key", STRING), 2: ("value", value)}))


def read(data: bytes | memoryview, message: Message) -> dict[str, Any]:
    """Read the fields of a message.

    Raises:
        ModelFileError: If the bytes are not such a message, or it is too large or too deep.
    """
    return _Reader().message(memoryview(data).cast("B"), message, 0)


class _Reader:
    """A reader that counts the fields of a file."""

    def __init__(self) -> None:
        self._left = MAX_FIELDS

    def message(self, data: memoryview, message: Message, depth: int) -> dict[str, Any]:
        if depth > MAX_DEPTH:
            raise ModelFileError(f"messages are nested more than {MAX_DEPTH} levels deep")
        found = Fields(message)
        at, end, fields = 0, len(data), message.fields
        while at < end:
            self._count(1)
            tag, at = _varint(data, at)
            field = fields.get(tag >> 3)
            value, at = _value(data, at, tag)
            if field is not None:
                self._take(found, field, tag & 7, value, f"{message.name}.{field[0]}", depth)
        for name, dtype in message.numbers.items():
            if name in found:
                found[name] = _joined(found[name], dtype)
        return found

    def _take(
        self, found: dict[str, Any], field: tuple[str, Any], wire: int, value: Any, what: str,
        depth: int,
    ) -> None:  # fmt: skip
        """Add the value of a field to the fields found so far."""
        name, kind = field
        if isinstance(kind, Many):
            inner = kind.kind
            values = found.setdefault(name, [])
            if isinstance(inner, FieldKind) and inner.dtype and wire == _BYTES:
                values.append(_packed(value, inner, what))
            else:
                values.append(self._one(inner, wire, value, what, depth))
        elif isinstance(kind, Mapped):
            pair = self._one(kind.pair, wire, value, what, depth)
            found.setdefault(name, {})[pair.get("key", "")] = pair.get("value")
        elif isinstance(kind, Message) and name in found:
            raise ModelFileError(f"{what} occurs twice, but is not a repeated field")
        else:
            found[name] = self._one(kind, wire, value, what, depth)

    def _one(self, kind: FieldKind | Message, wire: int, value: Any, what: str, depth: int) -> Any:
        if wire != (_BYTES if isinstance(kind, Message) else kind.wire):
            raise ModelFileError(f"{what} has the wire type {wire}, which is not a {kind.name}")
        if isinstance(kind, Message):
            return self.message(value, kind, depth + 1)
        return kind.one(value)

    def _count(self, fields: int) -> None:
        self._left -= fields
        if self._left < 0:
            raise ModelFileError(f"the file has more than {MAX_FIELDS} fields")


def _varint(data: memoryview, at: int) -> tuple[int, int]:
    """Read an unsigned number of up to 64 bits. Also return the position after it."""
    number = shift = 0
    for byte in data[at : at + _LONGEST]:
        number |= (byte & 0x7F) << shift
        at += 1
        if byte < 0x80:
            return number & _MASK, at
        shift += 7
    raise ModelFileError("the file ends within a number, or a number has more than ten bytes")


def _value(data: memoryview, at: int, tag: int) -> tuple[Any, int]:
    """Read a field's number or bytes. Also return the position of the next field."""
    wire = tag & 7
    if not 0 < tag >> 3 < 1 << 29:
        raise ModelFileError(f"{tag >> 3} is not a field number")
    if wire == _VARINT:
        return _varint(data, at)
    if wire == _BYTES:
        size, at = _varint(data, at)
    elif wire in _FIXED_SIZES:
        size = _FIXED_SIZES[wire]
    else:
        raise ModelFileError(f"a field has the wire type {wire}, which is not allowed")
    if size > len(data) - at:
        raise ModelFileError(f"a field has {size} bytes, but only {len(data) - at} are left")
    return data[at : at + size], at + size


def _packed(data: memoryview, kind: FieldKind, what: str) -> Array:
    """Read the numbers of a packed field."""
    if kind.wire != _VARINT:
        size = _FIXED_SIZES[kind.wire]
        if len(data) % size:
            raise ModelFileError(f"{what} has {len(data)} bytes, which is not a multiple of {size}")
        return np.frombuffer(data, kind.dtype)
    raw = np.frombuffer(data, np.uint8)
    ends = np.flatnonzero(raw < 0x80)
    if raw.size and (not ends.size or ends[-1] != raw.size - 1):
        raise ModelFileError(f"{what} ends within a number")
    if not raw.size:
        return np.zeros(0, kind.dtype)
    starts = np.concatenate([[0], ends[:-1] + 1])
    sizes = ends - starts + 1
    if sizes.max() > _LONGEST:
        raise ModelFileError(f"{what} has a number of more than ten bytes")
    if raw.size == ends.size:
        return raw.astype(kind.dtype)
    places = np.arange(raw.size) - np.repeat(starts, sizes)
    parts = (raw & 0x7F).astype(np.uint64) << (7 * places).astype(np.uint64)
    return np.add.reduceat(parts, starts).astype(kind.dtype)


def _joined(parts: list[Any], dtype: str) -> Array:
    """Concatenate the arrays and numbers of a repeated field to one array."""
    if len(parts) == 1 and isinstance(parts[0], np.ndarray):
        return parts[0]
    if any(isinstance(part, np.ndarray) for part in parts):
        return np.concatenate([np.atleast_1d(np.asarray(part, dtype)) for part in parts])
    return np.array(parts, dtype)
