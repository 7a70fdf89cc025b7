"""GraphDefs, as node lists.

A value is called as nodes call it: "node" or "node:1" in a graph, "node:output:0" in a function.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Mapping, Sequence
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
"""Reads a node's attributes; the node's name is for errors."""
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
    """The node list of a GraphDef.

    Args:
        graph: the message, as :mod:`~tfpy._src.formats.encodings.protobuf` or ``from_json`` reads
            it.
        outputs: the values that it gives; by default those that nobody takes.
        weights: values of constants that lie outside of the graph, by the nodes' names.
        name: for errors.
        dialect: what its operations do.
        attributes: reads nodes' attributes; by default they are messages.
        size: Number of bytes of the file, in proportion to which its constants may take memory.

    Raises:
        ModelFileError: when the graph is broken, or its constants need too much memory.
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
    """That something makes what a graph gives, so that its file is refused when it is read.

    Raises:
        ModelFileError: when nothing does.
    """
    given = {*graph.weights, *(spec.name for spec in graph.inputs)}
    for name in graph.outputs:
        maker = graph.makers.get(name)
        if maker is None and name not in given:
            raise ModelFileError(
                f"{graph.name}: nothing makes the output {name!r}: name one of the graph's nodes"
            )
        if maker is not None and maker.op == _NO_OP:
            raise ModelFileError(f"{graph.name}: the output {name!r} is a NoOp, which has no value")


def canonical(name: str) -> str:
    """A value's name without the number of a first output: "node:0" is "node"."""
    return name.removesuffix(":0")


def _function(
    message: Mapping[str, Any], reader: _Nodes, dialect: TensorFlowDialect
) -> tuple[str, NodeGraph]:
    """A FunctionDef's name and node list."""
    signature = message.get("signature", {"input_arg": [], "output_arg": []})
    name = signature.get("name", "")
    inputs = tuple(
        Spec(arg.get("name", ""), dtype(int(arg.get("type", 0)), f"argument of {name}"))
        for arg in signature["input_arg"]
    )
    try:
        outputs = tuple(message["ret"][arg["name"]] for arg in signature["output_arg"])
    except KeyError as error:
        raise ModelFileError(f"the function {name} does not return {error}") from None
    messages = NodeMessages.of(message["node_def"])
    nodes, constants = reader.read(messages, _constant_in_function)
    outputs = tuple(_constant_in_function(name, constants) for name in outputs)
    effects = tuple(message["control_ret"].values())
    made = complete(structured(nodes), outputs)
    weights = Weights(constants)
    return name, NodeGraph(name, dialect, inputs, outputs, made, weights, effects=effects)


class NodeMessages(NamedTuple):
    """NodeDefs, by columns; constants that take nothing may stand apart."""

    names: list[str]
    ops: list[str]
    inputs: list[Sequence[str]]
    attrs: list[Any]
    constants: Sequence[str] = ()
    """Their names."""
    values: Sequence[Any] = ()
    """Their attributes."""

    @classmethod
    def of(cls, messages: Sequence[Mapping[str, Any]]) -> NodeMessages:
        """The columns of messages."""
        return cls(
            [message.get("name", "") for message in messages],
            [message.get("op", "") for message in messages],
            [message.get("input", _NO_INPUTS) for message in messages],
            [message.get("attr", _NO_ATTRIBUTES) for message in messages],
        )


@dataclass(frozen=True)
class _Nodes:
    """What reads messages of nodes.

    Args:
        given: values of constants that lie outside of the graph.
        attributes: reads what a node's message says of its attributes.
        room: For arrays among the attributes, which may repeat a value of the file.
    """

    given: Given
    attributes: Attributes
    room: Room

    def read(
        self, messages: NodeMessages, named: Callable[[str, Constants], str] | None = None
    ) -> tuple[list[Node], Constants]:
        """The nodes, and apart from them the constants; one that waits for nodes is there for that,
        too."""
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
        known: dict[int, Mapping[str, Any]] = {}  # of attributes that messages share
        taken = _taken(inputs, constants, named)
        for name, op, (read, after), said in zip(names, ops, taken, attrs, strict=True):
            if op == CONSTANT and name:
                if after:
                    nodes[name] = Node(name, op, (), (), {}, after)
                continue
            if not name or name in nodes or name in constants:
                raise ModelFileError(f"{name!r} is the name of several nodes, or none")
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
        """Return a node's attributes, if there is room for their arrays."""
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
    """The values that each node takes, and the nodes that it waits for."""
    marks = "\n".join(itertools.chain.from_iterable(inputs))  # few graphs have any
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
    """A value's name, where those of constants are "constant:output:0"."""
    node = name.removesuffix(":output:0")
    return node if node in constants else name


def _attributes(values: Mapping[str, Any], name: str) -> dict[str, Any]:
    return {
        key: attribute(value or {}, f"{name}.{key}")
        for key, value in values.items()
        if not key.startswith("_")
    }


def _leaves(nodes: Sequence[Node]) -> tuple[str, ...]:
    """The nodes whose values nobody takes."""
    taken = {maker_of(name) for node in nodes for name in (*node.inputs, *node.after)}
    return tuple(n.name for n in nodes if n.name not in taken and n.op not in (_NO_OP, CONSTANT))
