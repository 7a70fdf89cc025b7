"""The view that checkpoints have of a program: objects, the objects they hold, and their values."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from tfpy._src.base import tracing
from tfpy._src.base.dtypes import WIDER, as_dtype
from tfpy._src.compiler.ir.aval import Array
from tfpy._src.core.tensor import Tensor
from tfpy._src.functions.tf_function.polymorphic import Function
from tfpy._src.tensors.variables.tracking import DictWrapper, ListWrapper, Tracked
from tfpy._src.tensors.variables.variable import Variable

VARIABLE_VALUE = "VARIABLE_VALUE"
"""TensorFlow's attribute name for the value of a Variable."""
_CONTAINERS = frozenset((list, dict, OrderedDict, ListWrapper, DictWrapper))
"""Container types that are tracked. A subclass may need more than its items to be rebuilt."""


def is_trackable(value: Any) -> bool:
    """Return True if checkpoints follow an attribute with this value.

    An object with TensorFlow's methods is trackable: `_trackable_children` returns the objects it
    holds, `_serialize_to_tensors` returns its values, and `_restore_from_tensors` accepts them.
    """
    if isinstance(value, Variable | Tracked) or type(value) in _CONTAINERS:
        return True
    if isinstance(value, Function):
        return False  # SavedModels contain functions, checkpoints do not
    if isinstance(value, tuple):
        return any(map(is_trackable, value))
    return hasattr(type(value), "_trackable_children") or _has_values(value)


def _has_values(value: Any) -> bool:
    """Return True if an object serializes values itself."""
    return hasattr(type(value), "_serialize_to_tensors")


def children(holder: Any, follows: Callable[[Any], bool] = is_trackable) -> dict[str, Any]:
    """Return the objects that an object holds, by name.

    Args:
        holder: The object.
        follows: Function that returns True for the values that count as objects.

    Raises:
        ValueError: If a dictionary has a trackable value under a key that is not a string.
    """
    if isinstance(holder, Variable):
        return {}
    if isinstance(holder, list | tuple):
        named = zip(getattr(holder, "_fields", ()), holder, strict=False)
        pairs = [*named, *((str(i), item) for i, item in enumerate(holder))]
    elif isinstance(holder, dict):
        pairs = list(_items(holder))
    elif hasattr(type(holder), "_trackable_children"):
        pairs = list(holder._trackable_children().items())
    else:
        pairs = list(vars(holder).items()) if isinstance(holder, Tracked) else []
    return {name: value for name, value in pairs if follows(value)}


def _items(mapping: dict[Any, Any]) -> Iterator[tuple[str, Any]]:
    for key, value in mapping.items():
        if isinstance(key, str):
            yield key, value
        elif is_trackable(value):
            raise ValueError(
                f"A checkpoint cannot save {value!r}, because its dictionary key {key!r} is not a "
                "string. Use strings as keys."
            )


def check_trackable(name: str, value: Any, root: Any) -> None:
    """Check that an object may be part of a checkpoint under a name.

    Raises:
        ValueError: If the object has no values to save, or if the root has a different object of
            that name.
    """
    if not is_trackable(value):
        raise ValueError(
            f"`Checkpoint` was expecting {name} to be a trackable object (a Variable, a tf.Module, "
            f"a Keras model, or a container of these), got {value!r}."
        )
    if root is not None and name != "root" and children(root).get(name, value) is not value:
        raise ValueError(
            f"Cannot create a Checkpoint with keyword argument {name} if root.{name} already "
            "exists."
        )


def variable_of(value: Any) -> Variable | None:
    """Return the Variable that an object is or wraps, as Keras variables do."""
    if isinstance(value, Variable):
        return value.origin
    found = getattr(value, "handle", None) if _has_values(value) else None
    return found.origin if isinstance(found, Variable) else None


@dataclass
class TrackedValue:
    """A value of an object.

    Attributes:
        key: Key in the file.
        dtype: TensorFlow's enum value of the dtype in the file.
        value: The tensor or array.
    """

    key: str
    dtype: int
    value: Tensor | Array


async def on_host(values: list[TrackedValue]) -> list[TrackedValue]:
    """Return the values, read from the device."""

    async def one(value: TrackedValue) -> TrackedValue:
        if not isinstance(value.value, Tensor):
            return value
        host = await value.value.storage.to_host_async()
        return TrackedValue(value.key, value.dtype, host.reshape(value.value.aval.shape))

    return list(await asyncio.gather(*map(one, values)))


@dataclass
class TrackedObject:
    """An object of the program, with its entries in the file.

    Attributes:
        value: The object.
        path: Attribute names that lead to the object.
        children: Node numbers of the objects that it holds, by name.
        values: Values by attribute name.
        full_name: Name of the Variable, if the object is one.
    """

    value: Any
    path: tuple[str, ...]
    children: dict[str, int] = field(default_factory=dict)
    values: dict[str, list[TrackedValue]] = field(default_factory=dict)
    full_name: str = ""


def nodes_of(root: Any, attached: dict[str, Any]) -> list[TrackedObject]:
    """Return all objects that are reachable from the root, in breadth-first order.

    Args:
        root: First object.
        attached: Additional objects that count as attributes of the root.
    """
    nodes = [TrackedObject(root, ())]
    numbers = {id(root): 0}
    for node in nodes:
        found = children(node.value)
        if node is nodes[0]:
            found |= attached
        for name, value in found.items():
            inner = value.origin if isinstance(value, Variable) else value
            if id(inner) not in numbers:
                numbers[id(inner)] = len(nodes)
                nodes.append(TrackedObject(inner, (*node.path, name)))
            node.children[name] = numbers[id(inner)]
    return nodes


def add_values(node: TrackedObject) -> None:
    """Store an object's values in its node."""
    variable = variable_of(node.value)
    if variable is not None:
        with tracing.init_scope():
            node.full_name = variable._shared_name
            tensor = variable.tensor
            dtype = variable.saved_as or _declared(node.value) or number_of(tensor.dtype)
            value = TrackedValue(key(node.path, VARIABLE_VALUE), dtype, tensor)
            node.values[VARIABLE_VALUE] = [value]
        return
    for name, tensors in values_of(node.value).items():
        node.values[name] = [
            TrackedValue(key(node.path, part), number_of(tensor.dtype), tensor)
            for part, tensor in tensors.items()
        ]


def values_of(value: Any) -> dict[str, dict[str, Any]]:
    """Return the values that an object serializes itself: attribute name to part name to tensor.

    The attribute name is the part of the name before the first `-`.
    """
    found: dict[str, dict[str, Any]] = {}
    if _has_values(value):
        for name, tensor in value._serialize_to_tensors().items():
            found.setdefault(name.partition("-")[0], {})[name] = tensor
    return found


def has_values(value: Any) -> bool:
    """Return True if a checkpoint stores values of the object itself."""
    return variable_of(value) is not None or bool(values_of(value))


def number_of(dtype: Any) -> int:
    """Return TensorFlow's enum value of the dtype of a tensor or an array."""
    return WIDER.get(str(dtype)) or as_dtype(dtype).as_datatype_enum


def _declared(value: Any) -> int | None:
    """Return the enum value of the 64-bit dtype that a Keras variable declares, or None."""
    return None if isinstance(value, Variable) else WIDER.get(str(getattr(value, "dtype", "")))


def key(path: tuple[str, ...], name: str) -> str:
    """Return the key of an object's value in the file."""
    escaped = [part.replace(".", "..").replace("/", ".S") for part in path]
    return "/".join([*escaped, ".ATTRIBUTES", name])
