"""The conversion of Graphs to nodes of another format.

A format is a table of functions that make nodes, by the names of primitives. An `Emitter` makes one
graph of the file: it visits the equations, looks up each primitive in the table, and records the
node value of each value of the Graph.
"""

from __future__ import annotations

import itertools
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np

from tfpy._src.base import dtypes
from tfpy._src.base.dtypes import DType
from tfpy._src.base.errors import UnimplementedError
from tfpy._src.compiler.ir.aval import Array, Aval
from tfpy._src.compiler.ir.graph import Eqn, Graph
from tfpy._src.compiler.ir.sizes import OpenSize
from tfpy._src.formats.graph_writing.open_sizes import OpenSizeError, SizeProduct
from tfpy._src.formats.graph_writing.source import FunctionSource

Record = Callable[..., Any]
NOT_YET = "its writer does not support it yet"
"""The reason for primitives that a table neither supports nor refuses."""


@dataclass(frozen=True)
class NodeValue:
    """A value that a node of the file makes.

    Attributes:
        name: Name in the file.
        dtype: Dtype in the file.
        aval: Aval of the corresponding value of the Graph. None for intermediate values.
        array: Values, if they are known.
    """

    name: str
    dtype: DType
    aval: Aval | None = None
    array: Array | None = None

    @property
    def shape(self) -> tuple[int, ...]:
        """Sizes. Some may be open."""
        assert self.aval is not None
        return self.aval.shape

    @property
    def rank(self) -> int:
        return len(self.shape)


@dataclass
class FileNode:
    """One operation of the file."""

    op: str
    name: str
    inputs: list[str]
    outputs: list[str]
    attrs: dict[str, Any]
    graphs: dict[str, Emitter] = field(default_factory=dict)
    """Attributes that are graphs, by name."""


class FormatTable:
    """The primitives that a format supports, and the reasons for those that it does not.

    Attributes:
        format: Name of the format.
        records: Functions that make nodes, by name of the primitive.
        refused: Reasons, by name of the primitive.
    """

    def __init__(self, format: str) -> None:
        self.format = format
        self.records: dict[str, Record] = {}
        self.refused: dict[str, str] = {}

    def record(self, *names: str) -> Callable[[Record], Record]:
        """Register a function that makes nodes: (emitter, *values, **attributes) -> value(s)."""

        def enter(function: Record) -> Record:
            self.records.update(dict.fromkeys(names, function))
            return function

        return enter

    def refuse(self, reason: str, names: str) -> None:
        """Register the reason why the format does not support some primitives."""
        self.refused.update(dict.fromkeys(names.split(), reason))


class Emitter(ABC):
    """One graph of a file while it is built.

    Attributes:
        nodes: Nodes in order.
        constants: Arrays by name.
        inputs: Values of the graph's inputs.
        outputs: Names of the graph's outputs.
        result: Avals of the outputs of the equation that is being written.
    """

    table: FormatTable

    def __init__(
        self, source: FunctionSource, name: str = "", outer: Emitter | None = None
    ) -> None:
        self.source, self.name, self.outer = source, name, outer
        self.nodes: list[FileNode] = []
        self.constants: dict[str, Array] = {} if outer is None else outer.constants
        self.inputs: list[NodeValue] = []
        self.outputs: list[str] = []
        self.result: tuple[Aval, ...] = ()
        self._numbers: Any = itertools.count() if outer is None else outer._numbers
        self._taken = {port.name for port in source.inputs}
        self._taken |= {weight.name for weight in source.weights.values()}
        self._values: dict[int, NodeValue] = {}
        self._sizes: dict[int, NodeValue] = {}

    # Implemented by each format

    @abstractmethod
    def op(self, op: str, *inputs: Any, dtype: DType | None = None, **attrs: Any) -> NodeValue:
        """Add a node with one output. By default it has the dtype of the first input."""

    @abstractmethod
    def constant(self, array: Array, name: str = "const") -> NodeValue:
        """Add a node or initializer for an array."""

    @abstractmethod
    def inner(self, name: str) -> Self:
        """Create an empty graph inside this one."""

    @abstractmethod
    def dimension(self, value: NodeValue, axis: int) -> NodeValue:
        """Return one size of a value as an integer vector of one element."""

    # Used by the functions of a table

    def fresh(self, base: str) -> str:
        """Return a name that no node has."""
        name = f"{base}_{next(self._numbers)}"
        return self.fresh(base) if name in self._taken else name

    def aval(self, graph: Graph, value: int) -> Aval:
        """Return the aval of a value. A list has the aval of the tensor that it becomes."""
        return self.source.lists.tensor(graph, value)

    def write(self, graph: Graph) -> None:
        """Make the nodes of a Graph after its inputs have been bound."""
        for value, array in graph.constants.items():
            self.bind(graph, value, self._constant(graph, value, array))
        for eqn in _needed(graph):
            self._equation(graph, eqn)

    def bind(self, graph: Graph, value: int, found: NodeValue) -> None:
        """Record the node value of a value of the Graph."""
        self._values[value] = NodeValue(
            found.name, found.dtype, self.aval(graph, value), found.array
        )

    def value(self, value: int) -> NodeValue:
        """Return the node value of a value of the Graph."""
        return self._values[value]

    def read_weights(self) -> None:
        """Bind the values that the function reads in addition to its arguments."""
        graph = self.source.graph
        for value, weight in self.source.weights.items():
            made = self._constant(graph, value, weight.array, weight.name)
            array = weight.array if weight.is_fixed else None
            self.bind(graph, value, NodeValue(made.name, made.dtype, None, array))
        for value in self.source.fed:
            self.bind(graph, value, NodeValue(FED, dtypes.int32))

    def _constant(self, graph: Graph, value: int, array: Array, *name: str) -> NodeValue:
        scaled = (self.source.sizes.scaled or {}).get(value)
        if self.outer is not None or scaled is None:
            return self.constant(array, *name)
        number, product, divided = scaled
        dtype = graph.avals[value].dtype
        size = self.cast(self.scalar(self.product(product)), dtype)
        return self.quotient(number, size) if divided else self.times(number, size)

    def _equation(self, graph: Graph, eqn: Eqn) -> None:
        record = self.table.records.get(eqn.op.name)
        if record is None:
            reason = self.table.refused.get(eqn.op.name, NOT_YET)
            raise UnimplementedError(
                None, eqn.op.name, f"{self.table.format} cannot express {eqn.op.name}: {reason}"
            )
        operands = [self.value(v) for v in eqn.inputs]
        self.result = tuple(self.aval(graph, v) for v in eqn.outputs)
        try:
            found = record(self, *operands, **dict(eqn.attrs))
        except OpenSizeError as error:
            raise OpenSizeError(f"{eqn.op.name}: {error}") from None
        outputs = [found] if isinstance(found, NodeValue) else list(found)
        for value, made in zip(eqn.outputs, outputs, strict=True):
            self.bind(graph, value, made)

    def sizes(self, shape: Sequence[int]) -> NodeValue:
        """Return a shape as a vector. Nodes compute its open sizes."""
        if not any(isinstance(n, OpenSize) for n in shape):
            return self.constant(self.integers(shape))
        parts: list[NodeValue] = []
        for is_open, run in itertools.groupby(shape, lambda n: isinstance(n, OpenSize)):
            if not is_open:
                parts.append(self.constant(self.integers(list(run))))
                continue
            for size in run:
                product = self.source.sizes.product(size)
                assert product is not None
                parts.append(self.product(product))
        return parts[0] if len(parts) == 1 else self.joined(parts)

    def target(self, shape: Sequence[int]) -> NodeValue:
        """Return a shape for a reshape, which can infer one open size."""
        if sum(isinstance(n, OpenSize) for n in shape) == 1 and 0 not in shape:
            return self.constant(
                self.integers([-1 if isinstance(n, OpenSize) else n for n in shape])
            )
        return self.sizes(shape)

    def product(self, product: SizeProduct) -> NodeValue:
        """Compute a product of open sizes as an integer vector of one element."""
        found: NodeValue | None = None
        for number, power in enumerate(product.powers):
            for _ in range(power):
                size = self._open_size(number)
                found = size if found is None else self.op("Mul", found, size)
        assert found is not None
        if product.factor == 1:
            return found
        return self.op("Mul", found, self.constant(self.integers([product.factor])))

    def _open_size(self, number: int) -> NodeValue:
        """Return an open size, which is read from an input of this graph."""
        if number not in self._sizes:
            self._sizes[number] = self._found_size(number)
        return self._sizes[number]

    def _found_size(self, number: int) -> NodeValue:
        wanted = self.source.sizes.sizes[number]
        for value in self.inputs:
            for axis, size in enumerate(value.shape if value.aval else ()):
                if isinstance(size, OpenSize) and int(size) == wanted:
                    return self.dimension(value, axis)
        raise OpenSizeError(
            "control flow computes with an open size that it does not have as an input. Give the "
            "signature whole shapes"
        )

    @staticmethod
    def integers(numbers: Iterable[int]) -> Array:
        """Return sizes, axes or indices with the integer dtype of the format."""
        return np.array(list(map(int, numbers)), np.int32)

    # Operations that have different names in the formats

    @abstractmethod
    def cast(self, value: NodeValue, dtype: DType) -> NodeValue:
        """Convert a value to another dtype."""

    @abstractmethod
    def joined(self, parts: Sequence[NodeValue]) -> NodeValue:
        """Concatenate vectors."""

    @abstractmethod
    def scalar(self, value: NodeValue) -> NodeValue:
        """Convert a vector of one element to a scalar."""

    def number(self, number: Any, like: NodeValue | DType) -> NodeValue:
        """Return a scalar constant."""
        dtype = like.dtype if isinstance(like, NodeValue) else like
        return self.constant(np.array(number, dtype.as_numpy_dtype))

    def times(self, number: Array, size: NodeValue) -> NodeValue:
        return self.op("Mul", self.constant(number), size)

    def quotient(self, number: Array, size: NodeValue) -> NodeValue:
        return self.op("Div", self.constant(number), size)

    # Checks of the finished graph

    def pruned(self) -> None:
        """Remove the nodes that no output needs."""
        makers = {name: node for node in self.nodes for name in node.outputs}
        kept: set[int] = set()
        todo = list(self.outputs)
        while todo:
            node = makers.get(todo.pop())
            if node is not None and id(node) not in kept:
                kept.add(id(node))
                todo += node.inputs
                for inner in node.graphs.values():
                    todo += inner.read_outside()
        self.nodes = [node for node in self.nodes if id(node) in kept]

    def read_outside(self) -> set[str]:
        """Return the names that the graph reads but does not make."""
        made = {name for node in self.nodes for name in node.outputs}
        made |= {value.name for value in self.inputs}
        read = {name for node in self.nodes for name in node.inputs} | set(self.outputs)
        for node in self.nodes:
            for inner in node.graphs.values():
                read |= inner.read_outside()
        return read - made

    def checked(self) -> None:
        """Check that the file can contain everything that its nodes read.

        Raises:
            UnimplementedError: If a node reads the state of a random generator.
        """
        if FED in self.read_outside():
            raise unsupported(
                "the state of a random generator",
                "it is not a weight. Pass random numbers as arguments instead",
            )


def _needed(graph: Graph) -> list[Eqn]:
    """Return the equations that the outputs need. A file does not have side effects."""
    wanted, found = set(graph.outputs), []
    for eqn in reversed(graph.eqns):
        if not wanted.isdisjoint(eqn.outputs):
            wanted.update(eqn.inputs)
            found.append(eqn)
    return found[::-1]


FED = "random state"
"""The name of values that each call provides, which no node of a file may read."""


def unsupported(op: str, reason: str) -> UnimplementedError:
    """Return the error for something that a format does not support."""
    return UnimplementedError(None, op, f"{op} cannot be written: {reason}")


BOOL, INT, FLOAT = dtypes.bool, dtypes.int32, dtypes.float32
