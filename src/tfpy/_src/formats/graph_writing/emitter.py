"""Graphs as nodes of another format: what the formats share.

A format is a table from names of primitives to functions that make nodes. An :class:`Emitter` makes
one graph of the file: it goes through the equations, looks each up in the table and remembers the
node values that the Graph's values became.
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
"""The reason for primitives that a table neither writes nor refuses."""


@dataclass(frozen=True)
class NodeValue:
    """A value of a node.

    Attributes:
        name: in the file.
        aval: of the Graph's value that it is; None for one between nodes.
        array: its numbers, where they are known.
    """

    name: str
    dtype: DType
    aval: Aval | None = None
    array: Array | None = None

    @property
    def shape(self) -> tuple[int, ...]:
        """Its sizes, of which some may be open."""
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
    """Attributes that are graphs."""


class FormatTable:
    """What the primitives are in a format, and why some are not.

    Attributes:
        refused: reasons by name of the primitive.
    """

    def __init__(self, format: str) -> None:
        self.format = format
        self.records: dict[str, Record] = {}
        self.refused: dict[str, str] = {}

    def record(self, *names: str) -> Callable[[Record], Record]:
        """Enters a function that makes nodes: (emitter, *values, **attributes) -> value(s)."""

        def enter(function: Record) -> Record:
            self.records.update(dict.fromkeys(names, function))
            return function

        return enter

    def refuse(self, reason: str, names: str) -> None:
        """Says why the format has no nodes for some primitives."""
        self.refused.update(dict.fromkeys(names.split(), reason))


class Emitter(ABC):
    """One graph of a file, while it is made.

    Attributes:
        nodes: in order.
        constants: numbers by name.
        result: avals of the outputs of the equation that is being written.
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

    # What a format says

    @abstractmethod
    def op(self, op: str, *inputs: Any, dtype: DType | None = None, **attrs: Any) -> NodeValue:
        """A node with one output, by default of the first input's dtype."""

    @abstractmethod
    def constant(self, array: Array, name: str = "const") -> NodeValue:
        """A node or initializer that is an array."""

    @abstractmethod
    def inner(self, name: str) -> Self:
        """An empty graph within this one."""

    @abstractmethod
    def dimension(self, value: NodeValue, axis: int) -> NodeValue:
        """One size of a value, an int of rank 1."""

    # What writers use

    def fresh(self, base: str) -> str:
        """A name that no node has."""
        name = f"{base}_{next(self._numbers)}"
        return self.fresh(base) if name in self._taken else name

    def aval(self, graph: Graph, value: int) -> Aval:
        """The aval of a value, lists being tensors."""
        return self.source.lists.tensor(graph, value)

    def write(self, graph: Graph) -> None:
        """Makes the nodes of a Graph whose inputs are bound."""
        for value, array in graph.constants.items():
            self.bind(graph, value, self._constant(graph, value, array))
        for eqn in _needed(graph):
            self._equation(graph, eqn)

    def bind(self, graph: Graph, value: int, found: NodeValue) -> None:
        """Says what a value of the Graph is in the file."""
        self._values[value] = NodeValue(
            found.name, found.dtype, self.aval(graph, value), found.array
        )

    def value(self, value: int) -> NodeValue:
        """What a value of the Graph is in the file."""
        return self._values[value]

    def read_weights(self) -> None:
        """Binds what the function reads besides its arguments."""
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
        """A shape as a vector; of open sizes it is computed."""
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
        """A shape for a reshape, which finds one open size by itself."""
        if sum(isinstance(n, OpenSize) for n in shape) == 1 and 0 not in shape:
            return self.constant(
                self.integers([-1 if isinstance(n, OpenSize) else n for n in shape])
            )
        return self.sizes(shape)

    def product(self, product: SizeProduct) -> NodeValue:
        """A product of open sizes, an int of rank 1."""
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
        """An open size, read off an input of this graph."""
        if number not in self._sizes:
            self._sizes[number] = self._found_size(number)
        return self._sizes[number]

    def _found_size(self, number: int) -> NodeValue:
        wanted = self.source.sizes.sizes[number]
        for value in self.inputs:
            for axis, size in enumerate(value.shape if value.aval else ()):
                if isinstance(size, OpenSize) and int(size) == wanted:
                    return self.dimension(value, axis)
        raise OpenSizeError("an open size is computed with in control flow that does not see it")

    @staticmethod
    def integers(numbers: Iterable[int]) -> Array:
        """Sizes, axes or indices as the format wants them."""
        return np.array(list(map(int, numbers)), np.int32)

    # Operations that formats name differently

    @abstractmethod
    def cast(self, value: NodeValue, dtype: DType) -> NodeValue:
        """A value in another dtype."""

    @abstractmethod
    def joined(self, parts: Sequence[NodeValue]) -> NodeValue:
        """Vectors one after another."""

    @abstractmethod
    def scalar(self, value: NodeValue) -> NodeValue:
        """The number in a vector of one."""

    def number(self, number: Any, like: NodeValue | DType) -> NodeValue:
        """A scalar constant of a dtype."""
        dtype = like.dtype if isinstance(like, NodeValue) else like
        return self.constant(np.array(number, dtype.as_numpy_dtype))

    def times(self, number: Array, size: NodeValue) -> NodeValue:
        return self.op("Mul", self.constant(number), size)

    def quotient(self, number: Array, size: NodeValue) -> NodeValue:
        return self.op("Div", self.constant(number), size)

    # What is left at the end

    def pruned(self) -> None:
        """Leaves out nodes that no output needs."""
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
        """Names that are read but not made here."""
        made = {name for node in self.nodes for name in node.outputs}
        made |= {value.name for value in self.inputs}
        read = {name for node in self.nodes for name in node.inputs} | set(self.outputs)
        for node in self.nodes:
            for inner in node.graphs.values():
                read |= inner.read_outside()
        return read - made

    def checked(self) -> None:
        """Raises:
        UnimplementedError: when a node reads what the file cannot have.
        """
        if FED in self.read_outside():
            raise unsupported("a random state", "it is no weight; give random numbers as arguments")


def _needed(graph: Graph) -> list[Eqn]:
    """The equations that outputs need; a file has no effects."""
    wanted, found = set(graph.outputs), []
    for eqn in reversed(graph.eqns):
        if not wanted.isdisjoint(eqn.outputs):
            wanted.update(eqn.inputs)
            found.append(eqn)
    return found[::-1]


FED = "random state"
"""The name of what each call gives anew, which no node may read."""


def unsupported(op: str, reason: str) -> UnimplementedError:
    """The error for what a format cannot say."""
    return UnimplementedError(None, op, f"{op} cannot be written: {reason}")


BOOL, INT, FLOAT = dtypes.bool, dtypes.int32, dtypes.float32
