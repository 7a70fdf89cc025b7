"""What checkpoints see of a program: objects, by name the objects that they hold, their values."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from tfpy._src.base import tracing
from tfpy._src.base.dtypes import WIDER, as_dtype
from tfpy._src.compiler.ir.aval import Array
from tfpy._src.core.tensor import Tensor
from tfpy._src.tensors.variables.tracking import DictWrapper, ListWrapper, Tracked
from tfpy._src.tensors.variables.variable import Variable

VARIABLE_VALUE = "VARIABLE_VALUE"
"""TensorFlow's name of a Variable's value."""
_CONTAINERS = frozenset((list, dict, OrderedDict, ListWrapper, DictWrapper))
"""Others may not be made of their items alone."""


def is_trackable(value: Any) -> bool:
    """Whether checkpoints follow an attribute of this value.

    TensorFlow's methods make an object one, too: ``_trackable_children`` gives the objects that it
    holds, ``_serialize_to_tensors`` its values, and ``_restore_from_tensors`` takes these.
    """
    if isinstance(value, Variable | Tracked) or type(value) in _CONTAINERS:
        return True
    if isinstance(value, tuple):
        return any(map(is_trackable, value))
    return hasattr(type(value), "_trackable_children") or _has_values(value)


def _has_values(value: Any) -> bool:
    """Whether an object gives values of its own."""
    return hasattr(type(value), "_serialize_to_tensors")


def children(holder: Any) -> dict[str, Any]:
    """The objects that an object holds, by name.

    Raises:
        ValueError: for a dictionary of such with a key that is no text.
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
    return {name: value for name, value in pairs if is_trackable(value)}


def _items(mapping: dict[Any, Any]) -> Iterator[tuple[str, Any]]:
    for key, value in mapping.items():
        if isinstance(key, str):
            yield key, value
        elif is_trackable(value):
            raise ValueError(
                f"a checkpoint cannot hold {value!r} of a dictionary: its key {key!r} is no text"
            )


def variable_of(value: Any) -> Variable | None:
    """The Variable that an object is, or is around, as Keras's are."""
    if isinstance(value, Variable):
        return value.origin
    found = getattr(value, "handle", None) if _has_values(value) else None
    return found.origin if isinstance(found, Variable) else None


@dataclass
class TrackedValue:
    """A value of an object.

    Attributes:
        key: in the file.
        dtype: its number in the file.
    """

    key: str
    dtype: int
    value: Tensor | Array


@dataclass
class TrackedObject:
    """An object, and what the file says of it.

    Attributes:
        path: the names that lead to it.
        children: numbers of nodes, by name.
        values: by the names of its attributes.
    """

    value: Any
    path: tuple[str, ...]
    children: dict[str, int] = field(default_factory=dict)
    values: dict[str, list[TrackedValue]] = field(default_factory=dict)
    full_name: str = ""


def nodes_of(root: Any, attached: dict[str, Any]) -> list[TrackedObject]:
    """The objects that can be reached, nearest first, the root before all.

    Args:
        attached: objects that count as the root's.
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
    """Notes an object's values."""
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
    """The values that an object gives itself, by their names, by the attributes they are parts of.

    A name that has a ``-`` is that of a part of what stands before it.
    """
    found: dict[str, dict[str, Any]] = {}
    if _has_values(value):
        for name, tensor in value._serialize_to_tensors().items():
            found.setdefault(name.partition("-")[0], {})[name] = tensor
    return found


def has_values(value: Any) -> bool:
    """Whether a checkpoint has values of an object itself."""
    return variable_of(value) is not None or bool(values_of(value))


def number_of(dtype: Any) -> int:
    """TensorFlow's number of a dtype of a tensor or an array."""
    return WIDER.get(str(dtype)) or as_dtype(dtype).as_datatype_enum


def _declared(value: Any) -> int | None:
    """The wide dtype that a variable of Keras says it has."""
    return None if isinstance(value, Variable) else WIDER.get(str(getattr(value, "dtype", "")))


def key(path: tuple[str, ...], name: str) -> str:
    """The key of an object's value in the file."""
    escaped = [part.replace(".", "..").replace("/", ".S") for part in path]
    return "/".join([*escaped, ".ATTRIBUTES", name])
