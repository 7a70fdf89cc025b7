"""Objects that checkpoints follow by their attributes, and what waits for attributes to come."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, Protocol

WAITING = "_waiting"
"""The attribute that has what of a checkpoint waits for others."""


class Waiting(Protocol):
    """Parts of a checkpoint whose objects are not there yet."""

    def look(self) -> None:
        """Restores those that are there now."""


class Tracked:
    """Base of objects whose attributes are part of checkpoints."""

    def __setattr__(self, name: str, value: Any) -> None:
        super().__setattr__(name, value)
        look_in(self)


def look_in(owner: Tracked) -> None:
    """Restores what waits for attributes of an object, as far as it is there now."""
    waiting: Waiting | None = vars(owner).get(WAITING)
    if waiting is not None:
        waiting.look()


def _telling(kind: type, name: str) -> Callable[..., Any]:
    """A method of a list or dictionary that adds items, and tells the object that has it."""
    method = getattr(kind, name)

    @functools.wraps(method)
    def add(self: Any, *args: Any, **kwargs: Any) -> Any:
        found = method(self, *args, **kwargs)
        look_in(self.owner)
        return found

    return add


class WatchedList(list[Any]):
    """A list in which items are still to be restored."""

    def __init__(self, items: list[Any], owner: Tracked) -> None:
        super().__init__(items)
        self.owner = owner

    append = _telling(list, "append")
    extend = _telling(list, "extend")
    insert = _telling(list, "insert")
    __setitem__ = _telling(list, "__setitem__")
    __iadd__ = _telling(list, "__iadd__")

    def __reduce__(self) -> Any:
        return list, (list(self),)


class WatchedDict(dict[Any, Any]):
    """A dictionary in which items are still to be restored."""

    def __init__(self, items: dict[Any, Any], owner: Tracked) -> None:
        super().__init__(items)
        self.owner = owner

    __setitem__ = _telling(dict, "__setitem__")
    setdefault = _telling(dict, "setdefault")
    update = _telling(dict, "update")
    __ior__ = _telling(dict, "__ior__")

    def __reduce__(self) -> Any:
        return dict, (dict(self),)
