"""The base class of messages, with the methods of protobuf's messages."""

from __future__ import annotations

from typing import Any, ClassVar, Self

from tfpy._src.library.io.checked_json import ModelFileError
from tfpy._src.library.protos.descriptors import FieldOptions, FileDescriptor, OneofDescriptor
from tfpy._src.library.protos.fields import Field
from tfpy._src.library.protos.wire import MAX_DEPTH, read_varint, skip_value


class DecodeError(Exception):
    """Bytes are not the encoding of a message."""


class Descriptor:
    """The fields of a message class.

    Attributes:
        name: Name of the message.
        full_name: Name with the package.
        fields: The fields in the order of their numbers.
        fields_by_name: The fields by name.
        fields_by_number: The fields by number.
        oneofs: Groups of fields that exclude each other.
        oneofs_by_name: These groups by name.
        is_map_entry: True if the messages are the entries of a map.
    """

    is_extendable = False

    def __init__(self, name: str, full_name: str, fields: list[Field]) -> None:
        self.name, self.full_name = name, full_name
        self.is_map_entry = False
        self.fields = sorted(fields, key=lambda field: field.number)
        self.fields_by_name = {field.name: field for field in self.fields}
        self.fields_by_number = {field.number: field for field in self.fields}
        self.oneofs_by_name: dict[str, OneofDescriptor] = {}
        for field in self.fields:
            if field.oneof is not None:
                group = OneofDescriptor(field.oneof, f"{full_name}.{field.oneof}")
                self.oneofs_by_name.setdefault(field.oneof, group).fields.append(field)
        self.oneofs = list(self.oneofs_by_name.values())

    @property
    def file(self) -> FileDescriptor:
        """File that defines the message."""
        return FileDescriptor(self.full_name.partition(".")[0])

    @property
    def has_options(self) -> bool:
        """True if an option does not have its default."""
        return self.is_map_entry

    def GetOptions(self) -> FieldOptions:  # noqa: N802 - protobuf's name
        """Return the options."""
        return FieldOptions(self.is_map_entry)

    def others_of(self, field: Field) -> list[Field]:
        """Return the fields that are reset when a field is set, with the field itself."""
        group = self.oneofs_by_name.get(field.oneof or "")
        return [] if group is None else group.fields

    def field(self, name: str) -> Field:
        """Return a field by its name.

        Raises:
            ValueError: If there is no such field.
        """
        if name not in self.fields_by_name:
            raise ValueError(f'Protocol message {self.name} has no "{name}" field.')
        return self.fields_by_name[name]


class ProtoMessage:
    """A message of Protocol Buffers.

    Subclasses declare their fields as attributes. Every field is also an argument of the
    constructor, which accepts keyword arguments only.

    Raises:
        ValueError: If there is no field of this name, or a value is out of range.
        TypeError: If a value does not have the type of its field.
    """

    __slots__ = ("__weakref__", "_owner", "_unknown", "_unset", "_values")
    __hash__ = None  # type: ignore[assignment]
    DESCRIPTOR: ClassVar[Descriptor]
    _package: ClassVar[str] = "tensorflow"

    def __init_subclass__(cls) -> None:
        cls._describe()

    @classmethod
    def _describe(cls) -> None:
        fields = [value for value in vars(cls).values() if isinstance(value, Field)]
        cls.DESCRIPTOR = Descriptor(cls.__name__, cls._full_name(), fields)
        for field in fields:
            setattr(cls, f"{field.name.upper()}_FIELD_NUMBER", field.number)

    @classmethod
    def add_field(cls, name: str, field: Field) -> None:
        """Add a field whose type is defined after the class."""
        setattr(cls, name, field)
        field.__set_name__(cls, name)
        cls._describe()

    @classmethod
    def _full_name(cls) -> str:
        """Return the name of the message with its package."""
        return f"{cls._package}.{cls.__qualname__}"

    def __init__(self, *args: Any, **fields: Any) -> None:
        if args:
            raise TypeError("No positional arguments allowed")
        self._values: dict[str, Any] = {}
        self._unset: dict[str, ProtoMessage] = {}
        self._owner: tuple[ProtoMessage, Field] | None = None
        self._unknown = b""
        if fields:
            self._initialize(fields)

    def _initialize(self, fields: dict[str, Any]) -> None:
        """Set fields from the arguments of the constructor."""
        for name, value in fields.items():
            if name in self.DESCRIPTOR.oneofs_by_name:
                raise ValueError(f"Expected a field name, but got oneof name {name}.")
            field = self.DESCRIPTOR.field(name)
            if value is not None:
                field.initialize(self, value)

    def __setattr__(self, name: str, value: Any) -> None:
        try:
            object.__setattr__(self, name, value)
        except AttributeError:
            if name in self.DESCRIPTOR.fields_by_name:
                raise
            raise AttributeError(
                f'Protocol message {self.DESCRIPTOR.name} has no "{name}" field.'
            ) from None

    def __contains__(self, name: str) -> bool:
        return self.HasField(name)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ProtoMessage) or type(other) is not type(self):
            return NotImplemented
        return self._encoded() == other._encoded()

    def __repr__(self) -> str:
        return "".join(f"{line}\n" for line in self._lines())

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self).FromString, (self._encoded(),)

    def __deepcopy__(self, memo: Any) -> Self:
        return type(self).FromString(self._encoded())

    def _present(self) -> list[tuple[Field, Any]]:
        """Return the fields that are set, with their values."""
        values = self._values
        return [
            (field, values[field.name])
            for field in self.DESCRIPTOR.fields
            if field.name in values and field.is_set(values[field.name])
        ]

    def _lines(self) -> list[str]:
        return [line for field, value in self._present() for line in field.lines(value)]

    def _encoded(self) -> bytes:
        parts = [field.encode(value) for field, value in self._present()]
        return b"".join((*parts, self._unknown))

    def _attach(self, field: Field, value: ProtoMessage) -> None:
        """Set a message field whose value has been changed or set for the first time."""
        for other in self.DESCRIPTOR.others_of(field):
            self._values.pop(other.name, None)
        self._unset.pop(field.name, None)
        self._values[field.name] = value
        self.SetInParent()

    def _read(self, data: memoryview, depth: int) -> None:
        """Add the fields of an encoded message.

        Raises:
            ModelFileError: If the encoding is malformed.
        """
        if depth > MAX_DEPTH:
            raise ModelFileError("Exceeded maximum depth")
        fields, at, end = self.DESCRIPTOR.fields_by_number, 0, len(data)
        while at < end:
            tag, start = read_varint(data, at)
            field = fields.get(tag >> 3)
            if field is not None and field.accepts(tag & 7):
                at = field.read(self, data, start, tag, depth)
            else:
                after = skip_value(data, start, tag)
                self._unknown += bytes(data[at:after])
                at = after

    def SetInParent(self) -> None:  # noqa: N802 - protobuf's names, here and below
        """Set the field of the containing message that this message was read from.

        A message that is read from an unset field is set as soon as it is changed. This method
        sets it without a change.
        """
        if self._owner is not None:
            (owner, field), self._owner = self._owner, None
            owner._attach(field, self)

    def HasField(self, field_name: str) -> bool:  # noqa: N802
        """Return True if a message field, or a field of a oneof, is set.

        Args:
            field_name: Name of the field or of the oneof.

        Raises:
            ValueError: If there is no such field, or it does not distinguish between unset and
                default.
        """
        if field_name in self.DESCRIPTOR.oneofs_by_name:
            return self.WhichOneof(field_name) is not None
        field = self.DESCRIPTOR.field(field_name)
        if not field.has_presence:
            raise ValueError(f"Field {field.full_name} does not have presence.")
        return field_name in self._values

    def WhichOneof(self, oneof_group: str) -> str | None:  # noqa: N802
        """Return the name of the field of a oneof that is set, or None.

        Args:
            oneof_group: Name of the oneof, such as `"kind"` of `tf.train.Feature`.

        Raises:
            ValueError: If there is no such oneof.
        """
        if oneof_group not in self.DESCRIPTOR.oneofs_by_name:
            raise ValueError(
                f'Protocol message {self.DESCRIPTOR.name} has no "{oneof_group}" field.'
            )
        fields = self.DESCRIPTOR.oneofs_by_name[oneof_group].fields
        return next((field.name for field in fields if field.name in self._values), None)

    def ListFields(self) -> list[tuple[Field, Any]]:  # noqa: N802
        """Return the fields that are set, as pairs of a descriptor and a value."""
        return self._present()

    def Clear(self) -> None:  # noqa: N802
        """Reset all fields."""
        self.SetInParent()
        self._values, self._unset, self._unknown = {}, {}, b""

    def ClearField(self, field_name: str) -> None:  # noqa: N802
        """Reset a field, or the field of a oneof that is set.

        Args:
            field_name: Name of the field or of the oneof.

        Raises:
            ValueError: If there is no such field.
        """
        if field_name in self.DESCRIPTOR.oneofs_by_name:
            first = self.DESCRIPTOR.oneofs_by_name[field_name].fields[0]
            field_name = self.WhichOneof(field_name) or first.name
        self.DESCRIPTOR.field(field_name)
        self.SetInParent()
        self._values.pop(field_name, None)
        self._unset.pop(field_name, None)

    def CopyFrom(self, other: Self) -> None:  # noqa: N802
        """Replace all fields by those of another message of the same class."""
        self._check_same(other, "CopyFrom")
        if other is not self:
            self.Clear()
            self.MergeFrom(other)

    def MergeFrom(self, other: Self) -> None:  # noqa: N802
        """Add the fields of another message of the same class.

        Numbers and strings that are set replace those of this message. Messages are merged, and
        lists are appended.
        """
        self._check_same(other, "MergeFrom")
        if other is self:
            return
        self.SetInParent()
        for field, value in other._present():
            field.merge(self, value)
        self._unknown += other._unknown

    def _check_same(self, other: Any, method: str) -> None:
        if type(other) is not type(self):
            raise TypeError(
                f"Parameter to {method}() must be instance of same class: expected {type(self)} "
                f"got {type(other)}."
            )

    def SerializeToString(self, deterministic: bool | None = None) -> bytes:  # noqa: N802
        """Return the encoding of the message.

        Args:
            deterministic: Has no effect. Maps are always sorted by their keys.

        Returns:
            The encoding as bytes.
        """
        return self._encoded()

    SerializePartialToString = SerializeToString

    def ParseFromString(self, serialized: bytes) -> int:  # noqa: N802
        """Replace all fields by those of an encoded message.

        Args:
            serialized: The encoding, as bytes.

        Returns:
            The number of bytes.

        Raises:
            DecodeError: If the bytes are not the encoding of a message.
        """
        self.Clear()
        return self.MergeFromString(serialized)

    def MergeFromString(self, serialized: bytes) -> int:  # noqa: N802
        """Add the fields of an encoded message.

        Args:
            serialized: The encoding, as bytes.

        Returns:
            The number of bytes.

        Raises:
            DecodeError: If the bytes are not the encoding of a message.
        """
        if not isinstance(serialized, bytes | bytearray | memoryview):
            raise TypeError(f"expected bytes, {type(serialized).__name__} found")
        self.SetInParent()
        try:
            self._read(memoryview(serialized).cast("B"), 0)
        except ModelFileError as error:
            known = str(error).startswith(("String field", "Exceeded"))
            reason = error if known else "Wire format was corrupt"
            raise DecodeError(
                f"Error parsing message with type '{self._full_name()}': {reason}"
            ) from error
        return len(serialized)

    @classmethod
    def FromString(cls, s: bytes) -> Self:  # noqa: N802
        """Return the message with this encoding.

        Args:
            s: The encoding, as bytes.

        Raises:
            DecodeError: If the bytes are not the encoding of a message.
        """
        made = cls()
        made.MergeFromString(s)
        return made

    def ByteSize(self) -> int:  # noqa: N802
        """Return the number of bytes of the encoding."""
        return len(self._encoded())

    def IsInitialized(self) -> bool:  # noqa: N802
        """Return True, because these messages have no required fields."""
        return True

    def FindInitializationErrors(self) -> list[str]:  # noqa: N802
        """Return an empty list, because these messages have no required fields."""
        return []

    def DiscardUnknownFields(self) -> None:  # noqa: N802
        """Remove the fields that the message class does not have."""
        self._unknown = b""
        for field, value in self._present():
            if field.message is None:
                continue
            inner = value.values() if hasattr(value, "values") else value
            for message in inner if field.is_repeated else [value]:
                if isinstance(message, ProtoMessage):
                    message.DiscardUnknownFields()
