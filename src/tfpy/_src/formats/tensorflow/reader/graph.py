"""The conversion of GraphDefs to node lists.

Values have the names that nodes use: "node" or "node:1" in a graph, "node:output:0" in a function.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from tfpy._src.base.unpack_limit import Room
from tfpy._src.compiler.ir.aval import Array
from tfpy._src.formats.node_graphs.node import Node, NodeGraph, Spec
from tfpy._src.formats.node_graphs.weights import Weights
from tfpy._src.formats.tensorflow.reader.control_v1 import (
    CONSTANT,
    check_inputs,
    complete,
    maker_of,
    structured,
)
from tfpy._src.formats.tensorflow.reader.dialect import DIALECT, TensorFlowDialect
from tfpy._src.formats.tensorflow.reader.values import attribute, dtype
from tfpy._src.library.io.checked_json import ModelFileError

Given = Mapping[str, Array | Callable[[str], Array]]
Constants = dict[str, Array | Callable[[str], Array]]
Attributes = Callable[[Any, str], Mapping[str, Any]]
"""A function that reads a node's attributes. Its second argument, the name, is for errors."""
_NO_OP = "NoOp"
INPUTS = frozenset(("Placeholder", "PlaceholderV2"))
_NO_ATTRIBUTES: Mapping[str, Any] = {}
_NO_INPUTS: list[str] = []


def read_graph(
    graph: Mapping[str, Any],
    outputs: Sequence[str] = (),
    weights: Given | None = None,
    name: str = "model",
    dialect: TensorFlowDialect = DIALECT,
    attributes: Attributes | None = None,
    size: int = 0,
) -> NodeGraph:
    """Convert a GraphDef to a node list.

    Args:
        graph: The message, as `encodings.protobuf` or `from_json` reads it.
        outputs: Names of the output values. Default: the values that no node reads.
        weights: Values of constants that are stored outside of the graph, by node name.
        name: Name of the graph for error messages.
        dialect: Implementation of the operations.
        attributes: Function that reads the attributes of a node. Default: they are messages.
        size: Number of bytes of the file, which limits the memory of the graph's constants.

    Raises:
        ModelFileError: If the graph is invalid, or its constants need too much memory.
    """
    reader = _Nodes(weights or {}, attributes or _attributes, Room(size))
    library = graph.get("library", {}).get("function", [])
    functions = dict(_function(one, reader, dialect) for one in library)
    messages = graph["node"]
    if not isinstance(messages, NodeMessages):
        messages = NodeMessages.of(messages)
    nodes, constants = reader.read(messages)
    inputs = tuple(
        Spec(node.name, node.attrs.get("dtype"), node.attrs.get("shape"))
        for node in nodes
        if node.op in INPUTS
    )
    wanted = tuple(map(canonical, outputs)) or _leaves(nodes)
    kept = structured([node for node in nodes if node.op not in INPUTS])
    made = complete(kept, wanted)
    found = NodeGraph(name, dialect, inputs, wanted, made, Weights(constants), functions)
    _check_outputs(found)
    return found


def _check_outputs(graph: NodeGraph) -> None:
    """Check that a node makes each output, so that an invalid file is refused when it is read.

    Raises:
        ModelFileError: If no node makes an output.
    """
    given = {*graph.weights, *(spec.name for spec in graph.inputs)}
    for name in graph.outputs:
        maker = graph.makers.get(name)
        if maker is None and name not in given:
            raise ModelFileError(
                f"{graph.name}: nothing makes the output {name!r}. Name one of the graph's nodes"
            )
        if maker is not None and maker.op == _NO_OP:
            raise ModelFileError(f"{graph.name}: the output {name!r} is a NoOp, which has no value")


def canonical(name: str) -> str:
    """Return a value's name without the number of a first output: "node:0" becomes "node"."""
    return name.removesuffix(":0")


def _function(
    message: Mapping[str, Any], reader: _Nodes, dialect: TensorFlowDialect
) -> tuple[str, NodeGraph]:
    """Convert a FunctionDef, and return its name and node list."""
    signature = message.get("signature", {"input_arg": [], "output_arg": []})
    name = signature.get("name", "")
    inputs = tuple(
        Spec(arg.get("name", ""), dtype(int(arg.get("type", 0)), f"argument of {name}"))
        for arg in signature["input_arg"]
    )
    try:
        outputs = tuple(message["ret"][arg["name"]] for arg in signature["output_arg"])
    except KeyError as error:
        raise ModelFileError(f"the function {name} does not return the output {error}") from None
    messages = NodeMessages.of(message["node_def"])
    nodes, constants = reader.read(messages, _constant_in_function)
    given = {spec.name for spec in inputs}
    nodes = [_without_waits(node, given) for node in nodes]
    outputs = tuple(_constant_in_function(name, constants) for name in outputs)
    effects = tuple(message["control_ret"].values())
    made = complete(structured(nodes), outputs)
    weights = Weights(constants)
    return name, NodeGraph(name, dialect, inputs, outputs, made, weights, effects=effects)


def _without_waits(node: Node, given: Set[str]) -> Node:
    """Return a node that does not wait for arguments, which are always available."""
    if given.isdisjoint(node.after):
        return node
    after = tuple(name for name in node.after if name not in given)
    return Node(node.name, node.op, node.inputs, node.outputs, node.attrs, after, node.version)


class NodeMessages(NamedTuple):
    """NodeDefs as columns. Constants without inputs can be in separate columns."""

    names: list[str]
    ops: list[str]
    inputs: list[Sequence[str]]
    attrs: list[Any]
    constants: Sequence[str] = ()
    """Names of the separate constants."""
    values: Sequence[Any] = ()
    """Attributes of the separate constants."""

    @classmethod
    def of(cls, messages: Sequence[Mapping[str, Any]]) -> NodeMessages:
        """Convert messages to columns."""
        return cls(
            [message.get("name", "") for message in messages],
            [message.get("op", "") for message in messages],
            [message.get("input", _NO_INPUTS) for message in messages],
            [message.get("attr", _NO_ATTRIBUTES) for message in messages],
        )


@dataclass(frozen=True)
class _Nodes:
    """A reader of node messages.

    Args:
        given: Values of constants that are stored outside of the graph.
        attributes: Function that reads the attributes of a message.
        room: Limit for arrays in attributes, which may repeat a value of the file.
    """

    given: Given
    attributes: Attributes
    room: Room

    def read(
        self, messages: NodeMessages, named: Callable[[str, Constants], str] | None = None
    ) -> tuple[list[Node], Constants]:
        """Return the nodes and the constants.

        A constant with control inputs is also a node, which keeps these inputs.
        """
        names, ops, inputs, attrs, *apart = messages
        constants = {
            name: self.given[name] if name in self.given else self._constant(name, said)
            for name, said in zip(*apart, strict=True)
        }
        constants |= {
            name: self.given[name] if name in self.given else self._constant(name, said)
            for name, op, said in zip(names, ops, attrs, strict=True)
            if op == CONSTANT and name
        }
        nodes: dict[str, Node] = {}
        known: dict[int, Mapping[str, Any]] = {}  # by id of the attributes, which messages share
        taken = _taken(inputs, constants, named)
        for name, op, (read, after), said in zip(names, ops, taken, attrs, strict=True):
            if op == CONSTANT and name:
                if after:
                    nodes[name] = Node(name, op, (), (), {}, after)
                continue
            if not name or name in nodes or name in constants:
                raise ModelFileError(f"the node name {name!r} is empty or occurs several times")
            check_inputs(name, op, read)
            found = known.get(id(said))
            if found is None:
                found = known[id(said)] = self._counted(said, name)
            nodes[name] = Node(name, op, read, (), found, after)
        return list(nodes.values()), constants

    def _constant(self, name: str, said: Any) -> Array:
        value = self._counted(said, name).get("value")
        if not isinstance(value, np.ndarray):
            raise ModelFileError(f"the constant {name!r} has no value")
        return value

    def _counted(self, said: Any, name: str) -> Mapping[str, Any]:
        """Return a node's attributes after adding the size of their arrays to the limit."""
        found = self.attributes(said, name)
        for value in found.values():
            for array in value if isinstance(value, list) else (value,):
                if isinstance(array, np.ndarray):
                    too_large = self.room.refusal(f"the constant {name!r}", array.nbytes)
                    if too_large is not None:
                        raise ModelFileError(too_large)
        return found


def _taken(
    inputs: Sequence[Sequence[str]],
    constants: Constants,
    named: Callable[[str, Constants], str] | None,
) -> Iterable[tuple[tuple[str, ...], tuple[str, ...]]]:
    """Return the values that each node reads, and its control inputs."""
    marks = "\n".join(itertools.chain.from_iterable(inputs))  # most graphs have none
    if "^" not in marks and ":" not in marks:
        return zip(map(tuple, inputs), itertools.repeat(()))
    found = []
    for read in inputs:
        values = [i for i in read if i[:1] != "^"]
        waits = [i[1:] for i in read if i[:1] == "^" and i[1:] not in constants]
        values = [named(i, constants) if named else canonical(i) for i in values]
        found.append((tuple(values), tuple(waits)))
    return found


def _constant_in_function(name: str, constants: Constants) -> str:
    """Return a value's name. Constants are called "constant:output:0" in functions."""
    node = name.removesuffix(":output:0")
    return node if node in constants else name


def _attributes(values: Mapping[str, Any], name: str) -> dict[str, Any]:
    return {
        key: attribute(value or {}, f"{name}.{key}")
        for key, value in values.items()
        if not key.startswith("_")
    }


def _leaves(nodes: Sequence[Node]) -> tuple[str, ...]:
    """Return the names of the nodes with values that no node reads."""
    taken = {maker_of(name) for node in nodes for name in (*node.inputs, *node.after)}
    return tuple(n.name for n in nodes if n.name not in taken and n.op not in (_NO_OP, CONSTANT))
