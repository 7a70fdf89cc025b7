"""The messages of a SavedModel's object graph that the loader reads (saved_object_graph.proto)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tfpy._src.checkpoints.saved_models.structures import FUNCTION_SPEC, VALUE
from tfpy._src.formats.encodings.protobuf import BOOL, INT, STRING, Message, many, mapped, read
from tfpy._src.formats.tensorflow.reader.messages import SHAPE
from tfpy._src.library.io.checked_json import ModelFileError

_REFERENCE = Message("ObjectReference", {1: ("node_id", INT), 2: ("local_name", STRING)})
_KINDS = {
    4: ("user_object", Message("SavedUserObject", {1: ("identifier", STRING)})),
    5: ("asset", Message("SavedAsset", {1: ("index", INT)})),
    6: (
        "function",
        Message(
            "SavedFunction",
            {1: ("concrete_functions", many(STRING)), 2: ("function_spec", FUNCTION_SPEC)},
        ),
    ),
    7: (
        "variable",
        Message(
            "SavedVariable",
            {
                1: ("dtype", INT),
                2: ("shape", SHAPE),
                3: ("trainable", BOOL),
                4: ("synchronization", INT),
                5: ("aggregation", INT),
                6: ("name", STRING),
            },
        ),
    ),
    8: (
        "bare_concrete_function",
        Message(
            "SavedBareConcreteFunction",
            {
                1: ("name", STRING),
                2: ("keywords", many(STRING)),
                3: ("positional", INT),
                4: ("function_spec", FUNCTION_SPEC),
            },
        ),
    ),
    9: ("constant", Message("SavedConstant", {1: ("operation", STRING)})),
    10: ("resource", Message("SavedResource", {1: ("device", STRING)})),
    12: (
        "captured_tensor",
        Message("CapturedTensor", {1: ("name", STRING), 2: ("function", STRING)}),
    ),
}
_OBJECT = Message(
    "SavedObject",
    {1: ("children", many(_REFERENCE)), 13: ("registered_name", STRING), **_KINDS},
)
_CONCRETE = Message(
    "SavedConcreteFunction",
    {2: ("bound_inputs", many(INT)), 3: ("inputs", VALUE), 4: ("outputs", VALUE)},
)
_GRAPH = Message(
    "SavedObjectGraph", {1: ("nodes", many(_OBJECT)), 2: ("concrete", mapped(_CONCRETE))}
)


@dataclass(frozen=True)
class LoadedNode:
    """An object of a SavedModel.

    Attributes:
        kind: Name of the kind of the object, such as `"variable"`.
        message: Message of that kind.
        children: Numbers of the objects that it holds, by name.
        registered_name: Name under which TensorFlow registers the class, or an empty string.
    """

    kind: str
    message: Mapping[str, Any]
    children: Mapping[str, int]
    registered_name: str


@dataclass(frozen=True)
class LoadedConcrete:
    """A function of the library that objects use.

    Attributes:
        bound: Numbers of the objects that follow its arguments.
        inputs: StructuredValue of its arguments.
        outputs: StructuredValue of its results.
    """

    bound: Sequence[int]
    inputs: Mapping[str, Any]
    outputs: Mapping[str, Any]


def object_graph(
    data: bytes | memoryview,
) -> tuple[list[LoadedNode], dict[str, LoadedConcrete]]:
    """Parse a SavedObjectGraph into its objects and its functions by name.

    Raises:
        ModelFileError: If the message is invalid, or refers to an object that does not exist.
    """
    message = read(data, _GRAPH)
    nodes = [_node(one) for one in message["nodes"]]
    if not nodes:
        raise ModelFileError("The SavedModel's object graph has no objects.")
    concrete = {
        name: LoadedConcrete(
            [int(i) for i in one["bound_inputs"]], one.get("inputs", {}), one.get("outputs", {})
        )
        for name, one in message["concrete"].items()
        if one is not None
    }
    numbers = [i for node in nodes for i in node.children.values()]
    numbers += [i for one in concrete.values() for i in one.bound]
    for i in numbers:
        if not 0 <= i < len(nodes):
            raise ModelFileError(
                f"The SavedModel's object graph refers to the object {i}, but it has only "
                f"{len(nodes)} objects."
            )
    return nodes, concrete


def _node(message: Mapping[str, Any]) -> LoadedNode:
    kinds = [(name, message[name]) for name, _ in _KINDS.values() if name in message]
    if len(kinds) > 1:
        raise ModelFileError("An object of the SavedModel has more than one kind.")
    kind, found = kinds[0] if kinds else ("user_object", {})
    children = {c.get("local_name", ""): int(c.get("node_id", 0)) for c in message["children"]}
    return LoadedNode(kind, found, children, message.get("registered_name", ""))
