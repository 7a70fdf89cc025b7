"""Restoration of checkpointed values into a program's objects.

Objects are matched by name, starting at the root. A value whose object does not exist yet waits at
its place: it is looked up again when the object at that place, or a list or dictionary in it,
receives an attribute or item.
"""

from __future__ import annotations

import logging
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple
from weakref import WeakSet

from tfpy._src.checkpoints.assigning import assign, initialize, is_uninitialized
from tfpy._src.checkpoints.messages import SavedNode
from tfpy._src.checkpoints.objects import VARIABLE_VALUE, children, values_of, variable_of
from tfpy._src.checkpoints.reader import CheckpointReader
from tfpy._src.core.nest import rebuilt
from tfpy._src.tensors.variables.tracking import (
    WAITING,
    DictWrapper,
    ListWrapper,
    Tracked,
    unwrapped,
)
from tfpy._src.tensors.variables.variable import Variable

_log = logging.getLogger("tensorflow")


class Restoration:
    """A checkpoint that is being restored.

    Args:
        reader: Reader of its values.
        nodes: Nodes of its object graph.
        root: Object of the program that corresponds to the first node.
        attached: Function that returns additional attributes of the root.
    """

    def __init__(
        self,
        reader: CheckpointReader,
        nodes: Sequence[SavedNode],
        root: Any,
        attached: Callable[[], dict[str, Any]],
    ) -> None:
        self.nodes = nodes
        self.bound: dict[int, Any] = {}
        """Objects of the program by node number."""
        self.unused: dict[int, list[str]] = {}
        """Attribute names, by node number, that the objects do not have."""
        self.partial = False
        """True if unrestored values are expected, so that no warning is logged."""
        self._reader = reader
        self._attached = attached
        self._root = root
        self._waiting: WeakSet[PendingValues] = WeakSet()
        self.bind(0, root, None)

    def bind(self, number: int, value: Any, owner: Tracked | None) -> None:
        """Restore an object and the objects that it holds.

        Args:
            number: Node number of the object.
            value: The object.
            owner: Nearest enclosing object that reports when attributes are added.
        """
        left = [(number, value, owner)]
        for number, value, owner in left:
            if number in self.bound:
                if self.bound[number] is not value:
                    _warn_of_two(self.bound[number], value)
                continue
            self.bound[number] = value
            self._restore(number, value)
            left += self._held(number, value, owner)

    def _held(
        self, number: int, value: Any, owner: Tracked | None
    ) -> list[tuple[int, Any, Tracked | None]]:
        """Return the held objects that can be restored now; register the others as waiting."""
        owner = value if isinstance(value, Tracked) else owner
        found = self.children(value)
        left = []
        for name, child in self.nodes[number].children.items():
            place = _Place(self, value, name, child)
            if name in found:
                left.append((child, self.watched(place, found[name], owner), owner))
            elif owner is not None:
                self._wait(owner, place)
        return left

    def watched(self, place: _Place, value: Any, owner: Tracked | None) -> Any:
        """Return the object of a place, in which lists and dictionaries report added items.

        Lists and dictionaries with missing items are replaced by wrappers, which restore added
        items.
        """
        if owner is None or not _puts(place.holder, place.name, value):
            return value
        made = self._wrapped(place.node, value, owner)
        if made is not value:
            _put(place.holder, place.name, made)
        return made

    def _wrapped(self, number: int, value: Any, owner: Tracked) -> Any:
        saved = self.nodes[number].children
        if isinstance(value, tuple):
            items = [
                self._wrapped(saved[str(i)], item, owner) if str(i) in saved else item
                for i, item in enumerate(value)
            ]
            changed = any(a is not b for a, b in zip(items, value, strict=True))
            return rebuilt(value, items) if changed else value
        kind = _WRAPPERS.get(type(value))
        missing = saved.keys() - self.children(value).keys() if kind else ()
        return kind(value, owner) if kind and missing else value

    def is_done(self, number: int) -> bool:
        """Return True if all values of a node and its descendants have been matched to objects."""
        left, seen = [number], {number}
        while left:
            node = self.nodes[(at := left.pop())]
            if node.attributes and at not in self.bound:
                return False
            new = set(node.children.values()) - seen
            seen |= new
            left += new
        return True

    def children(self, value: Any) -> dict[str, Any]:
        """Return the objects that an object holds, by name."""
        found = children(value)
        if value is self._root:
            found |= self._attached()
        return {
            name: held.origin if isinstance(held, Variable) else held
            for name, held in found.items()
        }

    def _wait(self, owner: Tracked, place: _Place) -> None:
        waiting = vars(owner).get(WAITING)
        if waiting is None:
            waiting = vars(owner)[WAITING] = PendingValues(owner)
        waiting.add(place)
        self._waiting.add(waiting)

    def look(self) -> None:
        """Restore objects that were added in ways that are not observed."""
        for waiting in list(self._waiting):
            waiting.look()

    def _restore(self, number: int, value: Any) -> None:
        """Assign the checkpointed values to an object."""
        attributes = self.nodes[number].attributes
        variable = variable_of(value)
        if VARIABLE_VALUE in attributes and is_uninitialized(value):
            initialize(value, self._reader, attributes[VARIABLE_VALUE])
            used = {VARIABLE_VALUE}
        elif variable is not None and VARIABLE_VALUE in attributes:
            assign(variable, self._reader, attributes[VARIABLE_VALUE])
            used = {VARIABLE_VALUE}
        else:
            used = self._restore_values(value, attributes)
        if unused := sorted(attributes.keys() - used):
            self.unused[number] = unused

    def _restore_values(self, value: Any, attributes: dict[str, str]) -> set[str]:
        """Restore the values that an object serializes itself; return their attribute names."""
        own = values_of(value)
        known = own.keys() & attributes.keys()
        arrays = {
            part: self._reader.part(attributes[name] + part.removeprefix(name))
            for name in sorted(known)
            for part in own[name]
        }
        if known:
            value._restore_from_tensors(arrays)
        return set(known)

    def unresolved(self) -> list[int]:
        """Return the numbers of the nodes with values that have no object."""
        return [i for i, n in enumerate(self.nodes) if n.attributes and i not in self.bound]

    def path(self, number: int) -> str:
        """Return the attribute names that lead to a node, as one dotted name."""
        paths = {0: "(root)"}
        for at in (order := [0]):
            for name, child in self.nodes[at].children.items():
                if child not in paths:
                    paths[child] = f"{paths[at]}.{name}"
                    order.append(child)
        return paths.get(number, f"object {number}")

    def __del__(self) -> None:
        if self.partial or not (left := self.unresolved()):
            return
        some = "".join(f"\n  {self.path(i)}" for i in left[:10])
        _log.warning(
            "%d values of a checkpoint were not restored, because the program has no objects for "
            "them. Call status.expect_partial() if this is intended:%s",
            len(left), some,
        )  # fmt: skip


_WRAPPERS: dict[type, Callable[[Any, Tracked], Any]] = {
    list: ListWrapper,
    dict: DictWrapper,
    OrderedDict: DictWrapper,
}


def _puts(holder: Any, name: str, value: Any) -> bool:
    """Return True if the holder's item or attribute may be replaced.

    Keras stores references to its lists in other places as well, so these are not replaced.
    """
    if isinstance(holder, list):
        return True
    if isinstance(holder, dict):
        return holder.get(name) is value
    own = isinstance(holder, Tracked) and not hasattr(type(holder), "_trackable_children")
    return own and vars(holder).get(name) is value


def _put(holder: Any, name: str, value: Any) -> None:
    """Replace an item or an attribute without triggering another lookup."""
    if isinstance(holder, list):
        unwrapped(holder)[int(name)] = value
    elif isinstance(holder, dict):
        unwrapped(holder)[name] = value
    else:
        vars(holder)[name] = value


def _warn_of_two(one: Any, other: Any) -> None:
    _log.warning(
        "A checkpoint has one object where the program has two. The second one is not restored: "
        "%r and %r.", one, other,
    )  # fmt: skip


class _Place(NamedTuple):
    """A place where an object is missing."""

    restoration: Restoration
    holder: Any
    name: str
    node: int


class PendingValues:
    """The checkpointed values that wait for attributes of an object, or for items in it."""

    def __init__(self, owner: Tracked) -> None:
        self._owner = owner
        self._places: list[_Place] = []

    def add(self, place: _Place) -> None:
        """Add a place; it replaces a place of an earlier checkpoint."""
        same = [p for p in self._places if p.holder is place.holder and p.name == place.name]
        self._places = [p for p in self._places if p not in same] + [place]

    def look(self) -> None:
        """Restore the objects that have been added."""
        places, self._places = self._places, []
        try:
            while places:
                self._look_at(places.pop(0))
        finally:
            self._places += places
            if not self._places:
                vars(self._owner).pop(WAITING, None)

    def _look_at(self, place: _Place) -> None:
        restoration = place.restoration
        found = restoration.children(place.holder)
        if place.name not in found:
            if not restoration.is_done(place.node):
                self._places.append(place)
            return
        try:
            value = restoration.watched(place, found[place.name], self._owner)
            restoration.bind(place.node, value, self._owner)
        except ValueError as error:
            # TensorFlow's containers accept items that do not match the checkpoint: an optimizer
            # with different variables continues with new slots.
            if not isinstance(place.holder, list | dict | tuple):
                raise
            _log.warning("A value of a checkpoint was not restored: %s", error)

    def __deepcopy__(self, memo: dict[int, Any]) -> None:
        """Return None: a copy of the object does not wait for values."""

    def __reduce__(self) -> Any:
        return type(None), ()
