"""Node lists: what every format's reader makes of a model.

Values have names. A node takes some and makes others; what it does is an operation of a *dialect*
(TensorFlow's graphs, ONNX, TFLite), which knows how to do it with tfpy's functions.
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
    """As messages call it: "ONNX"."""
    shape_ops: frozenset[str]
    """Operations whose values follow from shapes alone."""

    def run(self, node: Node, inputs: list[Any], scope: Scope) -> Sequence[Any]:
        """The values that a node makes of its inputs (None for one left out), one for each of its
        outputs.

        Raises:
            UnimplementedError: when there is no such operation.
        """

    def decides(self, node: Node) -> Sequence[str]:
        """Those of a node's inputs whose elements must be known while a function is traced, or
        say which of its subgraphs runs."""

    def calls(self, node: Node) -> Sequence[str]:
        """Return the names of the graph's functions that a node may call."""

    def outside(self, node: Node) -> str | None:
        """Return what a node does outside of its graph, such as "writes files"; None for nothing
        or what is allowed. ``run`` refuses a node that does something."""


@dataclass(frozen=True, slots=True)
class Spec:
    """A value that a graph takes; None where the dtype, the shape or a size is not said."""

    name: str
    dtype: DType | None = None
    shape: tuple[int | None, ...] | None = None


@dataclass(slots=True, eq=False)  # frozen ones take five times as long to make
class Node:
    """An operation on values; nothing changes it when a graph has it."""

    name: str
    op: str
    inputs: tuple[str, ...]
    """Names of values; "" is an input that was left out."""
    outputs: tuple[str, ...]
    """Names of values; "" is one that nobody wants."""
    attrs: Mapping[str, Any] = field(default_factory=dict)
    """Python and NumPy values; a subgraph is a :class:`NodeGraph`."""
    after: tuple[str, ...] = ()
    """Names of nodes that must have run before, for what they do."""
    version: int = 0
    """Of the operation, in dialects that have versions."""
    _reads: tuple[str, ...] | None = field(default=None, init=False, repr=False)

    def giving(self, outputs: tuple[str, ...]) -> Node:
        """The same with other names of its outputs."""
        own = (self.inputs, outputs, self.attrs, self.after, self.version)
        return Node(self.name, self.op, *own)

    @property
    def reads(self) -> tuple[str, ...]:
        """The values that it needs, and its subgraphs from around them; each once."""
        if self._reads is None:
            found = dict.fromkeys(self.inputs)
            found.pop("", None)
            for graph in self.subgraphs:
                found.update(dict.fromkeys(graph.free_names))
            self._reads = tuple(found)
        return self._reads

    @property
    def subgraphs(self) -> list[NodeGraph]:
        """Those among its attributes."""
        found: list[NodeGraph] = []
        for value in self.attrs.values():
            if type(value) is NodeGraph:
                found.append(value)
            elif type(value) in _LISTS and value and type(value[0]) is NodeGraph:
                found.extend(value)
        return found


@dataclass(frozen=True, eq=False)
class NodeGraph:
    """Nodes that make outputs of inputs and weights.

    A subgraph in a node's attributes may also use the values of the graphs around it.
    """

    name: str
    dialect: Dialect
    inputs: tuple[Spec, ...]
    outputs: tuple[str, ...]
    nodes: tuple[Node, ...]
    """In any order."""
    weights: Weights = field(default_factory=Weights)
    functions: Mapping[str, NodeGraph] = field(default_factory=dict)
    """Graphs that nodes call by name."""
    effects: tuple[str, ...] = ()
    """Names of nodes that run though nobody may want their values."""

    @functools.cached_property
    def makers(self) -> Mapping[str, Node]:
        """Which node makes a value.

        Raises:
            ModelFileError: when two make the same, or two nodes have one name.
        """
        found: dict[str, Node] = {}
        for node in self.nodes:
            for name in filter(None, node.outputs):
                if name in found:
                    raise ModelFileError(f"{self.name}: {name!r} is made twice")
                found[name] = node
        return found

    @functools.cached_property
    def by_name(self) -> Mapping[str, Node]:
        """Its nodes by their names."""
        return {node.name: node for node in self.nodes}

    @functools.cached_property
    def free_names(self) -> tuple[str, ...]:
        """The values that it uses and does not make: a subgraph's, of the graphs around it."""
        used = dict.fromkeys(self.outputs)
        for node in self.nodes:
            used.update(dict.fromkeys(node.reads))
        own = {*self.makers, *self.weights, *(spec.name for spec in self.inputs)}
        return tuple(name for name in used if name not in own)

    @functools.cached_property
    def plans(self) -> dict[Any, Any]:
        """Orders of its nodes that were found before (:func:`~plan.plan`)."""
        return {}


def named_outputs(values: Sequence[str]) -> dict[str, str]:
    """Return a name for each output of a graph, with its value.

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
