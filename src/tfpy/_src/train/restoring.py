"""Values of a checkpoint, put back into a program's objects.

Objects are found from the root on by their names, as the checkpoint has them. What is not there yet
waits where it belongs: when the object there, or one in a list or dictionary there, gets an
attribute or item, it is looked for again.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple
from weakref import WeakSet

from tfpy._src import tracing
from tfpy._src.core.tensor import Tensor
from tfpy._src.dtypes import as_dtype
from tfpy._src.errors import InvalidArgumentError
from tfpy._src.ir.aval import Array, Aval
from tfpy._src.runtime.interface import Ranges
from tfpy._src.runtime.storage import Storage, host_storage
from tfpy._src.train.messages import SavedNode
from tfpy._src.train.objects import VARIABLE_VALUE, children, values_of, variable_of
from tfpy._src.train.reader import CheckpointReader
from tfpy._src.variables.tracking import WAITING, Tracked, WatchedDict, WatchedList
from tfpy._src.variables.variable import Variable

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
        self._waiting: WeakSet[Waiting] = WeakSet()
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
            if name in found:
                inner = self._watched(child, value, name, found[name], owner)
                left.append((child, inner, owner))
            elif owner is not None:
                self._wait(owner, _Place(self, value, name, child))
        return left

    def _watched(
        self, number: int, holder: Any, name: str, value: Any, owner: Tracked | None
    ) -> Any:
        """A list or dictionary; where items of it are missing, one that tells when they come."""
        kind = _WATCHED.get(type(value))
        missing = self.nodes[number].children.keys() - self.children(value).keys()
        if kind is None or owner is None or not missing or not _puts(holder, name, value):
            return value
        made = kind(value, owner)
        _put(holder, name, made)
        return made

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
            waiting = vars(owner)[WAITING] = Waiting(owner)
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
        if variable is not None and VARIABLE_VALUE in attributes:
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


_WATCHED: dict[type, Callable[[Any, Tracked], Any]] = {list: WatchedList, dict: WatchedDict}


def _puts(holder: Any, name: str, value: Any) -> bool:
    """Whether a list in an object may be another one: not in Keras's, which know it elsewhere."""
    if isinstance(holder, list):
        return True
    if isinstance(holder, dict):
        return holder.get(name) is value
    own = isinstance(holder, Tracked) and not hasattr(type(holder), "_trackable_children")
    return own and vars(holder).get(name) is value


def _put(holder: Any, name: str, value: Any) -> None:
    if isinstance(holder, list):
        list.__setitem__(holder, int(name), value)
    elif isinstance(holder, dict):
        dict.__setitem__(holder, name, value)
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


class Waiting:
    """What waits for attributes of an object, or for items of lists and dictionaries there."""

    def __init__(self, owner: Tracked) -> None:
        self._owner = owner
        self._places: list[_Place] = []

    def add(self, place: _Place) -> None:
        """Waits for one more; the checkpoint that was restored later counts."""
        same = [p for p in self._places if p.holder is place.holder and p.name == place.name]
        self._places = [p for p in self._places if p not in same] + [place]

    def look(self) -> None:
        """Restores what is there now."""
        places, self._places = self._places, []
        for place in places:
            found = place.restoration.children(place.holder)
            if place.name in found:
                place.restoration.bind(place.node, found[place.name], self._owner)
            elif not place.restoration.is_done(place.node):
                self._places.append(place)
        if not self._places:
            vars(self._owner).pop(WAITING, None)

    def __deepcopy__(self, memo: dict[int, Any]) -> None:
        """A copy of the object waits for nothing."""

    def __reduce__(self) -> Any:
        return type(None), ()


def assign(variable: Variable, reader: CheckpointReader, key: str) -> None:
    """Gives a Variable its value, on the devices that have its present one.

    Raises:
        ValueError: when the shapes differ.
        InvalidArgumentError: when the dtypes do, or a number of 64 bits has no place in 32.
    """
    shape, number, dtype = reader.shape(key), reader.number(key), variable.dtype
    if not variable.shape.is_compatible_with(shape):
        raise ValueError(
            f"Received incompatible tensor with shape {shape} when attempting to restore variable "
            f"with shape {variable.shape} and name {variable.name}."
        )
    if as_dtype(number) != dtype:
        raise InvalidArgumentError(
            None,
            "RestoreV2",
            f"{key} in the checkpoint is of dtype {as_dtype(number).name}, the variable "
            f"{variable.name} of {dtype.name}",
        )
    aval = Aval(shape, dtype)

    def read(ranges: Ranges | None = None) -> Array:
        return _narrowed(reader.part(key, ranges), aval, key)

    with tracing.init_scope():
        storage = variable.held.storage
        slot = None
        if storage.backend is not None and not storage.backend.gone and aval is variable.aval:
            slot = storage.backend.refill(storage.slot, aval, read)
        if slot is None:
            variable.hold(Tensor(aval, host_storage(read(), aval)))
        else:
            variable.hold(Tensor(aval, Storage(aval, backend=storage.backend, slot=slot)))
    if number != dtype.as_datatype_enum:
        variable.saved_as = number


def _narrowed(array: Array, aval: Aval, key: str) -> Array:
    """An array of a file in a Variable's dtype, which may be narrower.

    Raises:
        InvalidArgumentError: when an integer has no place in it.
    """
    narrow = array.astype(aval.dtype.as_numpy_dtype, copy=False)
    if array.dtype.kind in "iu" and narrow.dtype != array.dtype and (narrow != array).any():
        raise InvalidArgumentError(
            None,
            "RestoreV2",
            f"{key} in the checkpoint has integers that {aval.dtype.name} has not",
        )
    return narrow
