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
from tfpy._src.library.protos.wire import (
    BYTES as WIRE_BYTES,
    FIXED32 as WIRE_FIXED32,
    FIXED64 as WIRE_FIXED64,
    MAX_DEPTH,
    VARINT as WIRE_VARINT,
    packed_numbers,
    read_value,
    read_varint,
    signed,
)

MAX_FIELDS = 1 << 23
"""Maximum number of fields in a file. An array of numbers counts once."""


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


def _text(data: memoryview) -> str:
    try:
        return str(data, "utf-8")
    except UnicodeDecodeError:
        raise ModelFileError(f"a string in the file is not UTF-8: {bytes(data[:40])!r}") from None


def _fixed(form: str) -> Callable[[memoryview], Any]:
    unpack = struct.Struct(form).unpack
    return lambda data: unpack(data)[0]


INT = FieldKind("integer", WIRE_VARINT, signed, "<i8")
"""The type of int32, int64 and enumerations."""
UINT = FieldKind("unsigned integer", WIRE_VARINT, int, "<u8")
BOOL = FieldKind("bool", WIRE_VARINT, bool, "?")
FLOAT = FieldKind("float", WIRE_FIXED32, _fixed("<f"), "<f4")
DOUBLE = FieldKind("double", WIRE_FIXED64, _fixed("<d"), "<f8")
FIXED32 = FieldKind("fixed32", WIRE_FIXED32, _fixed("<I"), "<u4")
STRING = FieldKind("string", WIRE_BYTES, _text)
BYTES = FieldKind("bytes", WIRE_BYTES, lambda data: data)


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
            tag, at = read_varint(data, at)
            field = fields.get(tag >> 3)
            value, at = read_value(data, at, tag)
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
            if isinstance(inner, FieldKind) and inner.dtype and wire == WIRE_BYTES:
                values.append(packed_numbers(value, inner.wire, inner.dtype, what))
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
        if wire != (WIRE_BYTES if isinstance(kind, Message) else kind.wire):
            raise ModelFileError(f"{what} has the wire type {wire}, which is not a {kind.name}")
        if isinstance(kind, Message):
            return self.message(value, kind, depth + 1)
        return kind.one(value)

    def _count(self, fields: int) -> None:
        self._left -= fields
        if self._left < 0:
            raise ModelFileError(f"the file has more than {MAX_FIELDS} fields")


def _joined(parts: list[Any], dtype: str) -> Array:
    """Concatenate the arrays and numbers of a repeated field to one array."""
    if len(parts) == 1 and isinstance(parts[0], np.ndarray):
        return parts[0]
    if any(isinstance(part, np.ndarray) for part in parts):
        return np.concatenate([np.atleast_1d(np.asarray(part, dtype)) for part in parts])
    return np.array(parts, dtype)
