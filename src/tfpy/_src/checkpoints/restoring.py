"""Values of a checkpoint, put back into a program's objects.

Objects are found from the root on by their names, as the checkpoint has them. What is not there yet
waits where it belongs: when the object there, or one in a list or dictionary there, gets an
attribute or item, it is looked for again.
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

_log = logging.getLogger("tfpy")


class Restoration:
    """A checkpoint that is being restored.

    Args:
        reader: of its values.
        nodes: its objects.
        root: the object that its first one is.
        attached: objects that count as the root's.
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
        """The objects that nodes are, by the nodes' numbers."""
        self.unused: dict[int, list[str]] = {}
        """Attributes of nodes that their objects have not."""
        self.partial = False
        """Whether it is meant that values are left."""
        self._reader = reader
        self._attached = attached
        self._root = root
        self._waiting: WeakSet[PendingValues] = WeakSet()
        self.bind(0, root, None)

    def bind(self, number: int, value: Any, owner: Tracked | None) -> None:
        """Restores an object, and those that it holds.

        Args:
            owner: the nearest object around it that can tell when it gets attributes.
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
        """The objects that an object holds and that are to be restored; others wait."""
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
        """Return the object of a place, in which lists and dictionaries wait for their items.

        Those with missing items are replaced by wrappers, which restore the items that are added.
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
        """Whether all values of an object, and of those that it holds, have found their objects."""
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
        """The objects that an object holds, by name."""
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
        """Restores what has come by other ways than those that are watched."""
        for waiting in list(self._waiting):
            waiting.look()

    def _restore(self, number: int, value: Any) -> None:
        """Gives an object its values."""
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
        """Gives an object that has values of its own those that it knows; their names."""
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
        """The nodes with values of which there is no object."""
        return [i for i, n in enumerate(self.nodes) if n.attributes and i not in self.bound]

    def path(self, number: int) -> str:
        """By which names a node is reached."""
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
            "%d values of a checkpoint were not restored, as the program has no objects for them;"
            " status.expect_partial() says that this is meant:%s",
            len(left), some,
        )  # fmt: skip


_WRAPPERS: dict[type, Callable[[Any, Tracked], Any]] = {
    list: ListWrapper,
    dict: DictWrapper,
    OrderedDict: DictWrapper,
}


def _puts(holder: Any, name: str, value: Any) -> bool:
    """Return True if the holder's item or attribute may be replaced.

    Keras stores the lists of its objects in other places, too.
    """
    if isinstance(holder, list):
        return True
    if isinstance(holder, dict):
        return holder.get(name) is value
    own = isinstance(holder, Tracked) and not hasattr(type(holder), "_trackable_children")
    return own and vars(holder).get(name) is value


def _put(holder: Any, name: str, value: Any) -> None:
    """Replace an item or an attribute; nothing that waits looks for it again."""
    if isinstance(holder, list):
        unwrapped(holder)[int(name)] = value
    elif isinstance(holder, dict):
        unwrapped(holder)[name] = value
    else:
        vars(holder)[name] = value


def _warn_of_two(one: Any, other: Any) -> None:
    _log.warning(
        "a checkpoint has one object where the program has two; the second one is not restored: "
        "%r and %r", one, other,
    )  # fmt: skip


class _Place(NamedTuple):
    """Where an object is missing."""

    restoration: Restoration
    holder: Any
    name: str
    node: int


class PendingValues:
    """What waits for attributes of an object, or for items of lists and dictionaries there."""

    def __init__(self, owner: Tracked) -> None:
        self._owner = owner
        self._places: list[_Place] = []

    def add(self, place: _Place) -> None:
        """Waits for one more; the checkpoint that was restored later counts."""
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
            # TensorFlow's containers accept items that a checkpoint does not fit: optimizers
            # whose variables are others than those that were saved continue with new ones.
            if not isinstance(place.holder, list | dict | tuple):
                raise
            _log.warning("a value of a checkpoint was not restored: %s", error)

    def __deepcopy__(self, memo: dict[int, Any]) -> None:
        """A copy of the object waits for nothing."""

    def __reduce__(self) -> Any:
        return type(None), ()
