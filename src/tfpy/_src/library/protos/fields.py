"""The fields of messages: how they are read, assigned, merged, encoded and printed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from tfpy._src.library.protos import descriptors
from tfpy._src.library.protos.containers import (
    MapValues,
    MessageMapContainer,
    RepeatedCompositeContainer,
    RepeatedScalarContainer,
    RepeatedValues,
    ScalarMapContainer,
)
from tfpy._src.library.protos.kinds import Kind
from tfpy._src.library.protos.wire import BYTES, read_value, varint

if TYPE_CHECKING:
    from tfpy._src.library.protos.message import Descriptor, ProtoMessage


class Field:
    """A field of a message class, which is an attribute of its instances.

    The attributes correspond to those of protobuf's FieldDescriptor.

    Attributes:
        number: Number of the field in the encoding.
        name: Name of the field.
        full_name: Name with the package and the message.
        owner: The message class.
        is_repeated: True for lists and maps.
        has_presence: True if an unset field differs from a field with the default value.
        oneof: Name of the group of fields that exclude each other, or None.
    """

    kind: Any = None
    message: Any = None
    is_extension = False
    is_repeated = False
    is_required = False
    has_presence = False
    assignable = "map, or repeated field"
    wire = BYTES

    def __init__(self, number: int, oneof: str | None = None) -> None:
        self.number = number
        self.oneof = oneof

    def __set_name__(self, owner: type[ProtoMessage], name: str) -> None:
        self.owner, self.name = owner, name
        self.full_name = f"{owner._full_name()}.{name}"
        self._tag = varint(self.number << 3 | self.wire)

    def __get__(self, instance: ProtoMessage | None, owner: type[ProtoMessage]) -> Any:
        if instance is None:
            return self
        found = instance._values.get(self.name)
        return self.new(instance) if found is None else found

    def __set__(self, instance: ProtoMessage, value: Any) -> None:
        raise AttributeError(
            f'Assignment not allowed to {self.assignable} "{self.name}" in protocol message object.'
        )

    def new(self, message: ProtoMessage) -> Any:
        """Return the value of a field that has not been read or set before."""
        raise NotImplementedError

    def initialize(self, message: ProtoMessage, value: Any) -> None:
        """Set the field from an argument of the constructor."""
        raise NotImplementedError

    def merge(self, message: ProtoMessage, value: Any) -> None:
        """Add the value of another message's field to the field."""
        self.initialize(message, value)

    def is_set(self, value: Any) -> bool:
        """Return True if a stored value is encoded."""
        return bool(value)

    def encode(self, value: Any) -> bytes:
        """Return the encoding of a value with its tag."""
        raise NotImplementedError

    def accepts(self, wire: int) -> bool:
        """Return True if the field can have this wire type in encoded messages."""
        return wire == self.wire

    def read(self, message: ProtoMessage, data: memoryview, at: int, tag: int, depth: int) -> int:
        """Add an encoded value to the field, and return the position of the next field."""
        raise NotImplementedError

    def lines(self, value: Any) -> list[str]:
        """Return the lines of a value in the text format."""
        raise NotImplementedError

    def _chunk(self, data: bytes) -> bytes:
        return b"".join((self._tag, varint(len(data)), data))

    def _lines_of(self, message: ProtoMessage) -> list[str]:
        return [f"{self.name} {{", *(f"  {line}" for line in message._lines()), "}"]

    # The attributes of protobuf's descriptors

    @property
    def type(self) -> int:
        """Number of the type of the values."""
        return descriptors.MESSAGE if self.message is not None else int(self.kind.type)

    @property
    def cpp_type(self) -> int:
        """Number of the type of the values in C++."""
        return descriptors.CPP_TYPES[self.type]

    @property
    def json_name(self) -> str:
        """Name of the field in JSON."""
        return descriptors.json_name(self.name)

    @property
    def index(self) -> int:
        """Position of the field in its message."""
        return self.containing_type.fields.index(self)

    @property
    def containing_type(self) -> Descriptor:
        """Descriptor of the message that contains the field."""
        return self.owner.DESCRIPTOR

    @property
    def containing_oneof(self) -> descriptors.OneofDescriptor | None:
        """Group of fields that exclude each other, or None."""
        return self.containing_type.oneofs_by_name.get(self.oneof or "")

    @property
    def message_type(self) -> Descriptor | None:
        """Descriptor of the values that are messages, or None."""
        return None if self.message is None else self.message.DESCRIPTOR

    @property
    def enum_type(self) -> descriptors.EnumDescriptor | None:
        """Enumeration of the values, or None."""
        return None if self.kind is None else self.kind.enum_type

    @property
    def default_value(self) -> Any:
        """Value of the field if it is not set. It is None for a message."""
        if self.is_repeated:
            return []
        return None if self.kind is None else self.kind.default

    def GetOptions(self) -> descriptors.FieldOptions:  # noqa: N802 - protobuf's name
        """Return the options, which have their defaults."""
        return descriptors.FieldOptions()


def _content(data: memoryview, at: int, tag: int) -> tuple[memoryview, int]:
    """Read the bytes of a field. Also return the position of the next field."""
    found, at = read_value(data, at, tag)
    assert not isinstance(found, int)
    return found, at


def _place(key: str | int) -> Any:
    """Return the sort key of a map's key in protobuf's deterministic encoding.

    A string follows the strings that begin with it. Integers are sorted in descending order of
    their unsigned values.
    """
    if isinstance(key, int):
        return -(key & (1 << 64) - 1)
    return (*key.encode(), 256)


class ScalarField(Field):
    """A number, string or bytes."""

    def __init__(self, number: int, kind: Kind, oneof: str | None = None) -> None:
        super().__init__(number, oneof)
        self.kind: Kind = kind
        self.wire = kind.wire
        self.has_presence = oneof is not None

    def __set__(self, instance: ProtoMessage, value: Any) -> None:
        checked = self.kind.checked(value, self.full_name)
        instance.SetInParent()
        self._store(instance, checked)

    def _store(self, message: ProtoMessage, value: Any) -> None:
        for other in message.DESCRIPTOR.others_of(self):
            message._values.pop(other.name, None)
        message._values[self.name] = value

    def is_set(self, value: Any) -> bool:
        return self.has_presence or bool(value)

    def new(self, message: ProtoMessage) -> Any:
        return self.kind.default

    def initialize(self, message: ProtoMessage, value: Any) -> None:
        self._store(message, self.kind.checked(value, self.full_name))

    def encode(self, value: Any) -> bytes:
        data = self.kind.encoded([value])
        return self._chunk(data) if self.wire == BYTES else self._tag + data

    def read(self, message: ProtoMessage, data: memoryview, at: int, tag: int, depth: int) -> int:
        found, at = self.kind.read(data, at, tag, self.full_name)
        self._store(message, found[0])
        return at

    def lines(self, value: Any) -> list[str]:
        return [f"{self.name}: {self.kind.text(value)}"]


class MessageField(Field):
    """A message."""

    has_presence = True
    assignable = "message field"

    def __init__(self, number: int, message: type[ProtoMessage], oneof: str | None = None) -> None:
        super().__init__(number, oneof)
        self.message = message

    def new(self, message: ProtoMessage) -> ProtoMessage:
        found = message._unset.get(self.name)
        if found is None:
            found = self.message()
            found._owner = (message, self)
            message._unset[self.name] = found
        return found

    def initialize(self, message: ProtoMessage, value: Any) -> None:
        target = self.__get__(message, type(message))
        target.SetInParent()
        if isinstance(value, dict):
            target._initialize(value)
        elif isinstance(value, self.message):
            target.MergeFrom(value)
        else:
            raise TypeError(
                "Parameter to initialize message field must be dict or instance of same class: "
                f"expected {self.message} got {type(value)}."
            )

    def is_set(self, value: Any) -> bool:
        return True

    def encode(self, value: ProtoMessage) -> bytes:
        return self._chunk(value._encoded())

    def read(self, message: ProtoMessage, data: memoryview, at: int, tag: int, depth: int) -> int:
        target = self.__get__(message, type(message))
        target.SetInParent()
        inner, at = _content(data, at, tag)
        target._read(inner, depth + 1)
        return at

    def lines(self, value: ProtoMessage) -> list[str]:
        return self._lines_of(value)


class RepeatedField(Field):
    """A list of numbers, strings or messages."""

    is_repeated = True

    def __init__(self, number: int, of: Kind | type[ProtoMessage]) -> None:
        super().__init__(number)
        if isinstance(of, Kind):
            self.kind = of
        else:
            self.message = of

    def new(self, message: ProtoMessage) -> RepeatedValues:
        kind = RepeatedScalarContainer if self.message is None else RepeatedCompositeContainer
        found = message._values[self.name] = kind(self, message)
        return found

    def initialize(self, message: ProtoMessage, value: Any) -> None:
        found: RepeatedValues = self.__get__(message, type(message))
        if self.message is not None and not isinstance(value, RepeatedValues):
            value = [self.message(**v) if isinstance(v, dict) else v for v in value]
        found.extend(value)

    def encode(self, value: RepeatedValues) -> bytes:
        items = value._items
        if self.message is not None:
            return b"".join(self._chunk(item._encoded()) for item in items)
        if self.kind.packs:
            return self._chunk(self.kind.encoded(items))
        return b"".join(self._chunk(self.kind.encoded([item])) for item in items)

    def accepts(self, wire: int) -> bool:
        return wire == BYTES or (self.kind is not None and wire == self.kind.wire)

    def read(self, message: ProtoMessage, data: memoryview, at: int, tag: int, depth: int) -> int:
        items = self.__get__(message, type(message))._items
        if self.message is None:
            found, at = self.kind.read(data, at, tag, self.full_name)
            items.extend(found)
            return at
        inner, at = _content(data, at, tag)
        made = self.message()
        made._read(inner, depth + 1)
        items.append(made)
        return at

    def lines(self, value: RepeatedValues) -> list[str]:
        if self.message is None:
            return [f"{self.name}: {self.kind.text(item)}" for item in value._items]
        return [line for item in value._items for line in self._lines_of(item)]


class MapField(Field):
    """A map from numbers or strings to scalars or messages.

    In the encoding, it is a list of messages with the fields `key` and `value`.
    """

    is_repeated = True

    def __init__(self, number: int, entry: type[ProtoMessage]) -> None:
        super().__init__(number)
        self.message = entry
        entry.DESCRIPTOR.is_map_entry = True
        self._key, self._value = entry.DESCRIPTOR.fields
        self.key, self.kind = self._key.kind, self._value.kind
        self.value_message = self._value.message

    def new(self, message: ProtoMessage) -> MapValues:
        kind = ScalarMapContainer if self.value_message is None else MessageMapContainer
        found = message._values[self.name] = kind(self, message)
        return found

    def initialize(self, message: ProtoMessage, value: Any) -> None:
        found: MapValues = self.__get__(message, type(message))
        if not isinstance(value, Mapping):
            raise TypeError(
                f"bad argument type for built-in operation: the field {self.full_name} is "
                f"initialized with a mapping, got {type(value).__name__}"
            )
        for key, item in value.items():
            if self.value_message is None:
                found[key] = item
            elif isinstance(item, dict):
                found[key]._initialize(item)
            else:
                found[key].CopyFrom(item)

    def merge(self, message: ProtoMessage, value: Any) -> None:
        self.__get__(message, type(message)).MergeFrom(value)

    def encode(self, value: MapValues) -> bytes:
        encode_key, encode_value = self._key.encode, self._value.encode
        keys = sorted(value._items, key=_place)
        return b"".join(
            self._chunk(encode_key(key) + encode_value(value._items[key])) for key in keys
        )

    def read(self, message: ProtoMessage, data: memoryview, at: int, tag: int, depth: int) -> int:
        inner, at = _content(data, at, tag)
        entry = self.message()
        entry._read(inner, depth + 1)
        items = self.__get__(message, type(message))._items
        value = entry.value
        if self.value_message is not None:
            value.SetInParent()
        items[entry.key] = value
        return at

    def lines(self, value: MapValues) -> list[str]:
        found = []
        for key, item in sorted(value._items.items(), key=lambda pair: pair[0]):
            inner = [*self._key.lines(key), *self._value.lines(item)]
            found += [f"{self.name} {{", *(f"  {line}" for line in inner), "}"]
        return found
