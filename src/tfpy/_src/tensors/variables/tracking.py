"""Objects with attributes that checkpoints follow, and the restoration of later attributes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

WAITING = "_waiting"
"""Name of the attribute for parts of a checkpoint that wait for further attributes."""


class DeferredRestore(Protocol):
    """Parts of a checkpoint whose objects do not exist yet."""

    def look(self) -> None:
        """Restore the parts whose objects exist now."""


class Tracked:
    """A base class of objects with attributes that are part of checkpoints."""

    def __setattr__(self, name: str, value: Any) -> None:
        super().__setattr__(name, value)
        look_in(self)

    def _no_dependency(self, value: Any) -> Any:
        """Return a value that libraries assign to an attribute, which is then not searched."""
        return value


def look_in(owner: Tracked) -> None:
    """Restore parts that wait for attributes of an object, if these exist now."""
    waiting: DeferredRestore | None = vars(owner).get(WAITING)
    if waiting is not None:
        waiting.look()


def _reading(name: str) -> Callable[..., Any]:
    """Return a method that calls the method of the wrapped list or dictionary."""

    def read(self: Any, *args: Any, **kwargs: Any) -> Any:
        return getattr(self.wrapped, name)(*map(unwrapped, args), **kwargs)

    return read


def _changing(name: str) -> Callable[..., Any]:
    """Return a method that changes the wrapped list or dictionary and restores new items."""

    def change(self: Any, *args: Any, **kwargs: Any) -> Any:
        found = getattr(self.wrapped, name)(*map(unwrapped, args), **kwargs)
        if self.owner is not None:
            look_in(self.owner)
        return self if found is self.wrapped else found

    return change


def unwrapped(value: Any) -> Any:
    """Return the list or dictionary inside a wrapper, and other values unchanged."""
    return value.wrapped if isinstance(value, ListWrapper | DictWrapper) else value


class ListWrapper(list[Any]):
    """A list that restores missing items when they are added.

    It shares its items with the wrapped list, so that changes through either are visible in both.

    Args:
        wrapped_list: The list.
        owner: The nearest enclosing object that stores parts of a checkpoint that wait for items.
    """

    __hash__ = None

    def __init__(self, wrapped_list: list[Any], owner: Tracked | None = None) -> None:
        super().__init__()  # the inherited storage stays empty
        self.wrapped, self.owner = wrapped_list, owner

    def __repr__(self) -> str:
        return f"ListWrapper({self.wrapped!r})"

    def __reduce_ex__(self, protocol: Any) -> Any:
        return list, (list(self.wrapped),)

    def __radd__(self, other: list[Any]) -> list[Any]:
        return other + self.wrapped


class DictWrapper(dict[Any, Any]):
    """A dictionary that restores missing items when they are added.

    It shares its items with the wrapped dictionary.

    Args:
        wrapped_dict: The dictionary. Default: an empty dictionary.
        owner: The nearest enclosing object that stores parts of a checkpoint that wait for items.
    """

    __hash__ = None

    def __init__(
        self, wrapped_dict: dict[Any, Any] | None = None, owner: Tracked | None = None
    ) -> None:
        super().__init__()  # the inherited storage stays empty
        self.wrapped = {} if wrapped_dict is None else wrapped_dict
        self.owner = owner

    def __repr__(self) -> str:
        return f"DictWrapper({self.wrapped!r})"

    def __str__(self) -> str:
        return str(self.wrapped)

    def __reduce_ex__(self, protocol: Any) -> Any:
        return type(self.wrapped), (list(self.wrapped.items()),)

    def __ror__(self, other: dict[Any, Any]) -> dict[Any, Any]:
        return other | self.wrapped


_COMPARING = ("__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__")
_SHARED = ("__getitem__", "__delitem__", "__len__", "__iter__", "__reversed__", "__contains__")
_OF_LISTS = ("__add__", "__mul__", "__rmul__", "copy", "count", "index", "pop", "remove")
_OF_DICTS = ("__or__", "copy", "get", "items", "keys", "values", "pop", "popitem", "clear")
for _kind, _reads, _changes in (
    (
        ListWrapper,
        (*_COMPARING, *_SHARED, *_OF_LISTS, "clear", "reverse", "sort"),
        ("__iadd__", "__imul__", "__setitem__", "append", "extend", "insert"),
    ),
    (
        DictWrapper,
        (*_COMPARING[:2], *_SHARED, *_OF_DICTS),
        ("__ior__", "__setitem__", "setdefault", "update"),
    ),
):
    for _name in _reads:
        setattr(_kind, _name, _reading(_name))
    for _name in _changes:
        setattr(_kind, _name, _changing(_name))
