"""Node lists, which the readers of all formats make from a model.

Values have names. A node reads values and makes others. The operation of a node belongs to a
*dialect* (TensorFlow's graphs, ONNX, TFLite), which implements it with tfpy's functions.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from tfpy._src.base.dtypes import DType
from tfpy._src.formats.node_graphs.weights import Weights
from tfpy._src.library.io.checked_json import ModelFileError

if TYPE_CHECKING:
    from tfpy._src.formats.node_graphs.scope import Scope


_LISTS = frozenset((list, tuple))


class Dialect(Protocol):
    """The operations of a format."""

    name: str
    """Name of the format in messages: "ONNX"."""
    shape_ops: frozenset[str]
    """Operations with results that depend on shapes alone."""

    def run(self, node: Node, inputs: list[Any], scope: Scope) -> Sequence[Any]:
        """Run a node and return a value for each of its outputs.

        Args:
            node: The node.
            inputs: Values of the node's inputs. None is an input that was left out.
            scope: The scope of the graph that contains the node.

        Raises:
            UnimplementedError: If the dialect does not support the operation.
        """

    def decides(self, node: Node) -> Sequence[str]:
        """Return the inputs of a node that a trace must know.

        Their elements determine shapes, or which of the node's subgraphs runs.
        """

    def calls(self, node: Node) -> Sequence[str]:
        """Return the names of the graph's functions that a node may call."""

    def outside(self, node: Node) -> str | None:
        """Return the effect of a node outside of its graph, such as "writes files".

        None means that the node has no such effect, or that the effect is allowed. `run` refuses
        the other nodes.
        """


@dataclass(frozen=True, slots=True)
class Spec:
    """An input of a graph. None is an unknown dtype, shape or size."""

    name: str
    dtype: DType | None = None
    shape: tuple[int | None, ...] | None = None


@dataclass(slots=True, eq=False)  # frozen instances take five times as long to create
class Node:
    """An operation on values. It does not change after it is in a graph."""

    name: str
    op: str
    inputs: tuple[str, ...]
    """Names of values. An empty name is an input that was left out."""
    outputs: tuple[str, ...]
    """Names of values. An empty name is an unused output."""
    attrs: Mapping[str, Any] = field(default_factory=dict)
    """Python and NumPy values. A subgraph is a `NodeGraph`."""
    after: tuple[str, ...] = ()
    """Names of nodes that must run first because of their effects."""
    version: int = 0
    """Version of the operation, in dialects that have versions."""
    _reads: tuple[str, ...] | None = field(default=None, init=False, repr=False)

    def giving(self, outputs: tuple[str, ...]) -> Node:
        """Return a copy of the node with other output names."""
        own = (self.inputs, outputs, self.attrs, self.after, self.version)
        return Node(self.name, self.op, *own)

    @property
    def reads(self) -> tuple[str, ...]:
        """Names of the values that the node or its subgraphs read, each once."""
        if self._reads is None:
            found = dict.fromkeys(self.inputs)
            found.pop("", None)
            for graph in self.subgraphs:
                found.update(dict.fromkeys(graph.free_names))
            self._reads = tuple(found)
        return self._reads

    @property
    def subgraphs(self) -> list[NodeGraph]:
        """Subgraphs in the attributes."""
        found: list[NodeGraph] = []
        for value in self.attrs.values():
            if type(value) is NodeGraph:
                found.append(value)
            elif type(value) in _LISTS and value and type(value[0]) is NodeGraph:
                found.extend(value)
        return found


@dataclass(frozen=True, eq=False)
class NodeGraph:
    """Nodes that compute outputs from inputs and weights.

    A subgraph in a node's attributes can also read the values of the graphs around it.
    """

    name: str
    dialect: Dialect
    inputs: tuple[Spec, ...]
    outputs: tuple[str, ...]
    nodes: tuple[Node, ...]
    """Nodes in any order."""
    weights: Weights = field(default_factory=Weights)
    functions: Mapping[str, NodeGraph] = field(default_factory=dict)
    """Graphs that nodes call by name."""
    effects: tuple[str, ...] = ()
    """Names of nodes that run even if no output needs their values."""

    @functools.cached_property
    def makers(self) -> Mapping[str, Node]:
        """Nodes by the names of the values that they make.

        Raises:
            ModelFileError: If two nodes make the same value.
        """
        found: dict[str, Node] = {}
        for node in self.nodes:
            for name in filter(None, node.outputs):
                if name in found:
                    raise ModelFileError(f"{self.name}: the value {name!r} is made by two nodes")
                found[name] = node
        return found

    @functools.cached_property
    def by_name(self) -> Mapping[str, Node]:
        """Nodes by name."""
        return {node.name: node for node in self.nodes}

    @functools.cached_property
    def free_names(self) -> tuple[str, ...]:
        """Names of the values that the graph reads from the graphs around it."""
        used = dict.fromkeys(self.outputs)
        for node in self.nodes:
            used.update(dict.fromkeys(node.reads))
        own = {*self.makers, *self.weights, *(spec.name for spec in self.inputs)}
        return tuple(name for name in used if name not in own)

    @functools.cached_property
    def plans(self) -> dict[Any, Any]:
        """Cache of the orders of nodes that `plan` computed."""
        return {}


def named_outputs(values: Sequence[str]) -> dict[str, str]:
    """Return the value of each output of a graph, by the output's name.

    Outputs have the names of their values. A value that is listed again has further names.
    """
    named: dict[str, str] = {}
    for value in values:
        name, number = value, 1
        while name in named or (number > 1 and name in values):
            number += 1
            name = f"{value}_{number}"
        named[name] = value
    return named
