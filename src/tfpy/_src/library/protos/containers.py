"""The values of repeated fields and maps of messages."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator, MutableMapping
from typing import TYPE_CHECKING, Any

import numpy as np

from tfpy._src.compiler.ir.aval import Array
from tfpy._src.core.typing import DTypeLike

if TYPE_CHECKING:
    from tfpy._src.library.protos.fields import Field, MapField
    from tfpy._src.library.protos.message import ProtoMessage


class RepeatedValues:
    """The values of a repeated field, which behave like a list.

    Args:
        field: The field.
        owner: The message that contains the field. A change sets the message in its own owner.
    """

    __slots__ = ("_field", "_items", "_owner")
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, field: Field, owner: ProtoMessage) -> None:
        self._field = field
        self._owner: ProtoMessage | None = owner if owner._owner else None
        self._items: list[Any] = []

    def _changed(self) -> list[Any]:
        """Return the items for a change."""
        if self._owner is not None:
            self._owner.SetInParent()
            self._owner = None
        return self._items

    def _place(self, key: Any) -> int:
        try:
            return operator.index(key)
        except TypeError:
            raise TypeError("list indices must be integers") from None

    def __len__(self) -> int:
        return len(self._items)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._items)

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, slice):
            return self._items[key]
        place = self._place(key)
        if not -len(self._items) <= place < len(self._items):
            raise IndexError("list index out of range")
        return self._items[place]

    def __delitem__(self, key: Any) -> None:
        if not isinstance(key, slice):
            key = self._place(key)
        del self._changed()[key]

    def __eq__(self, other: object) -> bool:
        if isinstance(other, RepeatedValues):
            return self._items == other._items
        return self._items == other

    def __repr__(self) -> str:
        return repr(self._items)

    def __reduce__(self) -> tuple[Any, ...]:
        return list, (self._items,)

    def __deepcopy__(self, memo: Any) -> RepeatedValues:
        copied = type(self)(self._field, self._field.owner())
        copied.MergeFrom(self._items)
        return copied

    def MergeFrom(self, other: Iterable[Any]) -> None:  # noqa: N802 - protobuf's name
        """Append values."""
        self.extend(other)

    def extend(self, values: Iterable[Any]) -> None:
        """Append values."""
        raise NotImplementedError

    def append(self, value: Any) -> None:
        """Append a value."""
        self.extend([value])

    def insert(self, index: int, value: Any) -> None:
        """Insert a value before an index."""
        raise NotImplementedError

    def pop(self, index: int = -1) -> Any:
        """Remove and return the value at an index."""
        if not -len(self._items) <= index < len(self._items):
            raise IndexError(f"list index ({index}) out of range")
        return self._changed().pop(index)

    def remove(self, value: Any) -> None:
        """Remove the first item that is equal to a value."""
        if value not in self._items:
            raise ValueError("remove(x): x not in container")
        self._changed().remove(value)

    def clear(self) -> None:
        """Remove all items."""
        self._changed().clear()

    def reverse(self) -> None:
        """Reverse the order of the items."""
        self._items.reverse()

    def sort(self, key: Callable[[Any], Any] | None = None, reverse: bool = False) -> None:
        """Sort the items in place, as `list.sort` does."""
        self._items.sort(key=key, reverse=reverse)


class RepeatedScalarContainer(RepeatedValues):
    """The numbers, strings or bytes of a repeated field."""

    __slots__ = ()

    def __setitem__(self, key: Any, value: Any) -> None:
        if isinstance(key, slice):
            self._items[key] = self._field.kind.all_checked(value, self._field.full_name)
            return
        self[key]  # raises if there is no such item
        self._items[key] = self._field.kind.checked(value, self._field.full_name)

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> Array:
        return np.array(self._items, dtype)  # type: ignore[arg-type]

    def extend(self, values: Iterable[Any]) -> None:
        """Append values."""
        checked = self._field.kind.all_checked(values, self._field.full_name)
        self._changed().extend(checked)

    def insert(self, index: int, value: Any) -> None:
        """Insert a value before an index."""
        self._changed().insert(index, self._field.kind.checked(value, self._field.full_name))


class RepeatedCompositeContainer(RepeatedValues):
    """The messages of a repeated field."""

    __slots__ = ()

    def add(self, **fields: Any) -> ProtoMessage:
        """Append a new message with these fields, and return it."""
        made: ProtoMessage = self._field.message(**fields)
        self._changed().append(made)
        return made

    def _copied(self, value: Any) -> ProtoMessage:
        kind = self._field.message
        if not hasattr(value, "SerializeToString"):
            raise TypeError(f"Expected a message object, but got {value!r}.")
        made: ProtoMessage = kind()
        made.MergeFrom(value)
        return made

    def extend(self, values: Iterable[Any]) -> None:
        """Append copies of messages."""
        try:
            items = iter(values)
        except TypeError:
            raise TypeError("must assign iterable") from None
        copies = [self._copied(value) for value in items]
        self._changed().extend(copies)

    def insert(self, index: int, value: Any) -> None:
        """Insert a copy of a message before an index."""
        self._changed().insert(index, self._copied(value))


class MapValues(MutableMapping[Any, Any]):
    """The values of a map field, which behave like a dictionary.

    Args:
        field: The field.
        owner: The message that contains the field. A change sets the message in its own owner.
    """

    __slots__ = ("_field", "_items", "_owner")

    def __init__(self, field: MapField, owner: ProtoMessage) -> None:
        self._field = field
        self._owner: ProtoMessage | None = owner if owner._owner else None
        self._items: dict[Any, Any] = {}

    def _changed(self) -> dict[Any, Any]:
        """Return the items for a change."""
        if self._owner is not None:
            self._owner.SetInParent()
            self._owner = None
        return self._items

    def _key(self, key: Any) -> Any:
        return self._field.key.checked(key, f"{self._field.full_name}.key")

    def _new(self) -> Any:
        """Return the value of a key that is read for the first time."""
        raise NotImplementedError

    def __getitem__(self, key: Any) -> Any:
        found = self._items.get(key)
        if found is None:
            key = self._key(key)
            if key not in self._items:
                self._changed()[key] = self._new()
            found = self._items[key]
        return found

    def __delitem__(self, key: Any) -> None:
        key = self._key(key)
        if key not in self._items:
            raise KeyError("Key not present in map")
        del self._changed()[key]

    def __iter__(self) -> Iterator[Any]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def __contains__(self, key: object) -> bool:
        return key in self._items

    def __eq__(self, other: object) -> bool:
        return self._items == (other._items if isinstance(other, MapValues) else other)

    def __repr__(self) -> str:
        return repr(self._items)

    def get(self, key: Any, default: Any = None) -> Any:
        """Return the value of a key, or a default, without adding the key."""
        return self._items.get(self._key(key), default)

    def clear(self) -> None:
        """Remove all items."""
        self._changed().clear()

    def pop(self, key: Any, *default: Any) -> Any:
        """Remove a key and return its value."""
        if self._key(key) not in self._items:
            return self._items.pop(key, *default)
        return self._changed().pop(self._key(key))

    def GetEntryClass(self) -> type[ProtoMessage]:  # noqa: N802 - protobuf's name
        """Return the message class of one entry."""
        return self._field.message


class ScalarMapContainer(MapValues):
    """A map whose values are numbers, strings or bytes."""

    __slots__ = ()

    def _new(self) -> Any:
        return self._field.kind.default

    def __setitem__(self, key: Any, value: Any) -> None:
        checked = self._field.kind.checked(value, f"{self._field.full_name}.value")
        self._changed()[self._key(key)] = checked

    def MergeFrom(self, other: MapValues) -> None:  # noqa: N802 - protobuf's name
        """Copy the items of another map, which replace those with the same key."""
        self.update(other)


class MessageMapContainer(MapValues):
    """A map whose values are messages. Reading a key adds an empty message."""

    __slots__ = ()

    def _new(self) -> Any:
        return self._field.value_message()

    def __setitem__(self, key: Any, value: Any) -> None:
        raise ValueError("Message objects may not be assigned")

    def setdefault(self, key: Any, default: Any = None) -> Any:
        """Raise NotImplementedError, because messages cannot be assigned."""
        raise NotImplementedError("Set message map value directly is not supported.")

    def get_or_create(self, key: Any) -> ProtoMessage:
        """Return the message of a key, which is added if it does not exist."""
        found: ProtoMessage = self[key]
        return found

    def MergeFrom(self, other: MapValues) -> None:  # noqa: N802 - protobuf's name
        """Copy the items of another map, which replace those with the same key."""
        for key, value in other.items():
            self.pop(key, None)
            self[key].CopyFrom(value)
