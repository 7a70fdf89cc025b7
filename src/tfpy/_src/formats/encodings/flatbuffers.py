"""A strict reader of FlatBuffers, which converts tables to dictionaries by a schema.

A schema is a string with one line per table, its fields in the order of their numbers::

    Model: version:u32 parts:[Part] name:string
    Part: size:i32=1 - weights:[f32] more_type:u8 more:|Kinds

`=` precedes the default of a number, and `<` the number of values of an enumeration. `-` is a field
that is not read. `|Kinds` is a union with the tables that `Schema` receives; the field before it
selects the table. Every field has a key. Fields that the file leaves out have their default: a
number, an empty string or list, or None for a table. Vectors of numbers are views of the file.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tfpy._src.compiler.ir.aval import Array
from tfpy._src.library.io.checked_json import ModelFileError

MAX_DEPTH = 16
"""Maximum depth of nested tables."""

_NUMBERS = {
    "bool": "?", "i8": "<i1", "u8": "<u1", "i16": "<i2", "u16": "<u2", "i32": "<i4", "u32": "<u4",
    "i64": "<i8", "u64": "<u8", "f32": "<f4", "f64": "<f8",
}  # fmt: skip
_FIELD = re.compile(r"(\w+):(\[?)(\|?)(\w+)\]?(?:=(-?\d+))?(?:<(\d+))?")


@dataclass(frozen=True, slots=True)
class _Field:
    """A field of a table."""

    slot: int
    name: str
    kind: str
    """The dtype of a number, "string", or the name of a table or union."""
    is_vector: bool
    is_union: bool
    default: int
    count: int | None
    """Number of values of an enumeration. None for other numbers."""


class Schema:
    """The tables of a format.

    Args:
        text: The tables, in the notation of the module's docstring.
        unions: Tables of each union by number. Tables that are not in the schema are skipped.
    """

    def __init__(self, text: str, unions: Mapping[str, Sequence[str]]) -> None:
        self._tables = {
            name: tuple(_fields(fields))
            for name, fields in re.findall(r"^(\w+):(.*(?:\n .*)*)", text, re.MULTILINE)
        }
        self._unions = unions

    def read(self, data: memoryview, root: str, identifier: bytes) -> dict[str, Any]:
        """Read the root table of a file.

        Args:
            data: Bytes of the file.
            root: Name of the root table.
            identifier: File identifier of the format.

        Raises:
            ModelFileError: If the file is damaged.
        """
        if bytes(data[4:8]) != identifier:
            raise ModelFileError(f"the file does not have the identifier {identifier.decode()!r}")
        reader = _Reader(data, self._tables, self._unions)
        return reader.table(reader.target(0), root, 0)


def _fields(text: str) -> list[_Field]:
    found = []
    for slot, part in enumerate(text.split()):
        if match := _FIELD.fullmatch(part):
            name, vector, union, kind, default, count = match.groups()
            marks = bool(vector), bool(union)
            most = None if count is None else int(count)
            found.append(_Field(slot, name, kind, *marks, int(default or 0), most))
    return found


class _Reader:
    """A reader of values at checked offsets.

    Valid files have at least four bytes for each table, string and vector. A file in which many of
    them share bytes, so that a small file expands to many values, is refused.
    """

    def __init__(
        self,
        data: memoryview,
        tables: Mapping[str, tuple[_Field, ...]],
        unions: Mapping[str, Sequence[str]],
    ) -> None:
        self._data, self._tables, self._unions = data, tables, unions
        self._left = len(data) // 4 + 1

    def target(self, at: int) -> int:
        """Return the position that an offset points to."""
        return at + int(self._number("u32", at))

    def table(self, at: int, name: str, depth: int) -> dict[str, Any]:
        """Read the table at a position."""
        self._count(1)
        if depth > MAX_DEPTH:
            raise ModelFileError(f"tables are nested more than {MAX_DEPTH} levels deep")
        slots = at - int(self._number("i32", at))
        size = int(self._number("u16", slots))
        found: dict[str, Any] = {}
        for field in self._tables[name]:
            entry = 4 + 2 * field.slot
            offset = int(self._number("u16", slots + entry)) if entry + 2 <= size else 0
            place = at + offset if offset else None
            found[field.name] = self._field(field, place, found, depth)
        return found

    def _field(self, field: _Field, at: int | None, found: dict[str, Any], depth: int) -> Any:
        if field.is_vector:
            return self._vector(field.kind, None if at is None else self.target(at), depth)
        if field.kind in _NUMBERS:
            number = field.default if at is None else self._number(field.kind, at)
            if field.count is not None and not 0 <= number < field.count:
                raise ModelFileError(
                    f"{field.name} is {number}; its values are 0 to {field.count - 1}"
                )
            return _plain(field.kind, number)
        if field.kind == "string":
            return "" if at is None else self._text(self.target(at))
        if at is None:
            return None
        kind = field.kind
        if field.is_union:
            number, kinds = found[f"{field.name}_type"], self._unions[field.kind]
            kind = kinds[number] if number < len(kinds) else ""
            if kind not in self._tables:
                return None
        return self.table(self.target(at), kind, depth + 1)

    def _vector(self, kind: str, at: int | None, depth: int) -> Any:
        if kind in _NUMBERS:
            dtype = np.dtype(_NUMBERS[kind])
            return np.empty(0, dtype) if at is None else self._numbers(dtype, at)
        if at is None:
            return []
        count = int(self._number("u32", at))
        self._count(count)
        self._check(at + 4, 4 * count)
        places = [self.target(at + 4 + 4 * i) for i in range(count)]
        if kind == "string":
            return [self._text(place) for place in places]
        return [self.table(place, kind, depth + 1) for place in places]

    def _numbers(self, dtype: np.dtype[Any], at: int) -> Array:
        self._count(1)
        count = int(self._number("u32", at))
        self._check(at + 4, count * dtype.itemsize)
        if dtype.kind == "b":
            return np.frombuffer(self._data, np.uint8, count, at + 4) != 0
        return np.frombuffer(self._data, dtype, count, at + 4)

    def _text(self, at: int) -> str:
        self._count(1)
        count = int(self._number("u32", at))
        self._check(at + 4, count)
        self._count(count // 4)
        try:
            return str(self._data[at + 4 : at + 4 + count], "utf-8")
        except UnicodeDecodeError:
            raise ModelFileError(f"the string at byte {at} is not UTF-8") from None

    def _number(self, kind: str, at: int) -> int | float:
        form = _FORMATS[kind]
        self._check(at, form.size)
        found: int | float = form.unpack_from(self._data, at)[0]
        return found

    def _check(self, at: int, size: int) -> None:
        if at < 0 or at + size > len(self._data):
            raise ModelFileError(f"bytes {at} to {at + size} are not in the file")

    def _count(self, number: int) -> None:
        self._left -= number
        if self._left < 0:
            raise ModelFileError("the file describes more values than its bytes can contain")


_FORMATS = {
    kind: struct.Struct(f"<{letter}") for kind, letter in zip(_NUMBERS, "BbBhHiIqQfd", strict=True)
}


def _plain(kind: str, number: int | float) -> int | float | bool:
    return bool(number) if kind == "bool" else number
