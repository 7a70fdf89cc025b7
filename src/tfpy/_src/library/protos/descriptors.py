"""The parts of protobuf's descriptors that `text_format` and `json_format` read.

These modules of the package `protobuf` print and parse messages of every class with fields that
are described like protobuf's own.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

DOUBLE, FLOAT, INT64, UINT64, INT32 = 1, 2, 3, 4, 5
BOOL, STRING, MESSAGE, BYTES, UINT32, ENUM = 8, 9, 11, 12, 13, 14
"""Numbers of the types of fields in descriptors, as in `FieldDescriptorProto.Type`."""

CPP_TYPES = {
    INT32: 1, INT64: 2, UINT32: 3, UINT64: 4, DOUBLE: 5, FLOAT: 6, BOOL: 7, ENUM: 8, STRING: 9,
    BYTES: 9, MESSAGE: 10,
}  # fmt: skip
"""Number of the C++ type of each type of field."""


@dataclass(frozen=True)
class FieldOptions:
    """The options of a field or message.

    Attributes:
        map_entry: True for the class of the entries of a map.
    """

    map_entry: bool = False

    def HasExtension(self, extension: Any) -> bool:  # noqa: N802 - protobuf's name
        """Return False, because these messages have no extensions."""
        return False


@dataclass(frozen=True)
class FileDescriptor:
    """The file of a message class. Messages of tfpy have no files.

    Attributes:
        package: Name of the package of the message.
        name: Name of the file, which is empty.
    """

    package: str
    name: str = ""


@dataclass(frozen=True)
class EnumValueDescriptor:
    """A value of an enumeration."""

    name: str
    number: int

    def GetOptions(self) -> FieldOptions:  # noqa: N802 - protobuf's name
        """Return the options, which have their defaults."""
        return FieldOptions()


class EnumDescriptor:
    """An enumeration.

    Args:
        full_name: Name with the package.
        names: Name of each number.

    Attributes:
        is_closed: False, because fields store other numbers too.
    """

    is_closed = False

    def __init__(self, full_name: str, names: Mapping[int, str]) -> None:
        self.full_name = full_name
        self.name = full_name.rpartition(".")[2]
        self.values = [EnumValueDescriptor(name, number) for number, name in names.items()]
        self.values_by_name = {value.name: value for value in self.values}
        self.values_by_number = {value.number: value for value in self.values}


@dataclass
class OneofDescriptor:
    """A group of fields that exclude each other."""

    name: str
    full_name: str
    fields: list[Any] = field(default_factory=list)


def json_name(name: str) -> str:
    """Return the name of a field in JSON."""
    first, *words = name.split("_")
    return first + "".join(word[:1].upper() + word[1:] for word in words)
