"""The protocol buffer messages of a checkpoint's object graph (trackable_object_graph.proto)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

from tfpy._src.checkpoints.objects import TrackedObject, key
from tfpy._src.formats.encodings.protobuf import INT, STRING, Message, many, read
from tfpy._src.formats.encodings.protobuf_writer import chunk, integer
from tfpy._src.library.io.checked_json import ModelFileError

OBJECT_GRAPH = "_CHECKPOINTABLE_OBJECT_GRAPH"
"""Key of the object graph in a checkpoint."""

_CHILD = Message("ObjectReference", {1: ("node_id", INT), 2: ("local_name", STRING)})
_ATTRIBUTE = Message(
    "SerializedTensor", {1: ("name", STRING), 2: ("full_name", STRING), 3: ("key", STRING)}
)
_NODE = Message(
    "TrackableObject",
    {1: ("children", many(_CHILD)), 2: ("attributes", many(_ATTRIBUTE))},
)
_GRAPH = Message("TrackableObjectGraph", {1: ("nodes", many(_NODE))})


@dataclass(frozen=True)
class SavedNode:
    """An object in a checkpoint's object graph.

    Attributes:
        children: Node numbers of the objects that it holds, by name.
        attributes: Keys of its values in the file, by attribute name.
    """

    children: dict[str, int]
    attributes: dict[str, str]


def written(nodes: Sequence[TrackedObject]) -> bytes:
    """Return the serialized object graph of a program's objects."""
    holding = _holding_values(nodes)
    return b"".join(chunk(1, _node(node, i in holding)) for i, node in enumerate(nodes))


def _node(node: TrackedObject, has_values: bool) -> bytes:
    children = (
        chunk(1, integer(1, number) + chunk(2, name)) for name, number in node.children.items()
    )
    attributes = (
        chunk(2, chunk(1, name) + chunk(2, node.full_name) + chunk(3, key(node.path, name)))
        for name in node.values
    )
    return b"".join([*children, *attributes, chunk(5, integer(1, 1) if has_values else b"")])


def _holding_values(nodes: Sequence[TrackedObject]) -> set[int]:
    """Return the nodes that have values or lead to nodes with values."""
    parents: list[list[int]] = [[] for _ in nodes]
    for i, node in enumerate(nodes):
        for child in node.children.values():
            parents[child].append(i)
    found: set[int] = set()
    left = [i for i, node in enumerate(nodes) if node.values]
    while left:
        i = left.pop()
        if i not in found:
            found.add(i)
            left += parents[i]
    return found


def keys_by_name(data: bytes) -> dict[str, str]:
    """Return the keys of Variables in a serialized object graph, by the names of the Variables."""
    attributes = chain.from_iterable(node["attributes"] for node in read(data, _GRAPH)["nodes"])
    found = {one.get("full_name", ""): one.get("key", "") for one in attributes}
    return {name: key for name, key in found.items() if name}


def nodes_in(data: bytes) -> list[SavedNode]:
    """Parse a serialized object graph.

    Raises:
        ModelFileError: If the bytes contain no objects, or refer to a missing one.
    """
    nodes = read(data, _GRAPH)["nodes"]
    if not nodes:
        raise ModelFileError("The checkpoint is corrupt: its object graph has no objects.")
    made = [
        SavedNode(
            {child.get("local_name", ""): int(child.get("node_id", 0)) for child in n["children"]},
            {one.get("name", ""): one.get("key", "") for one in n["attributes"]},
        )
        for n in nodes
    ]
    if not all(0 <= i < len(made) for i in chain(*(node.children.values() for node in made))):
        raise ModelFileError(
            "The checkpoint is corrupt: its object graph refers to a missing object."
        )
    return made
