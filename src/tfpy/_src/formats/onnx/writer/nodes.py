"""ONNX nodes and their serialization."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np

from tfpy._src.base import dtypes
from tfpy._src.base.dtypes import DType
from tfpy._src.base.errors import UnimplementedError
from tfpy._src.compiler.ir.aval import Array
from tfpy._src.compiler.ir.graph import Graph
from tfpy._src.compiler.ir.sizes import OpenSize
from tfpy._src.formats.encodings.protobuf_writer import chunk, integer, integers, real, reals
from tfpy._src.formats.graph_writing.emitter import (
    BOOL,
    INT,
    Emitter,
    FileNode,
    FormatTable,
    NodeValue,
)
from tfpy._src.formats.graph_writing.source import FunctionSource

OPSET = 18
TABLE = FormatTable("ONNX")
record, refuse = TABLE.record, TABLE.refuse

NUMBERS = {
    "float32": 1, "uint8": 2, "int8": 3, "uint16": 4, "int16": 5, "int32": 6, "int64": 7,
    "bool": 9, "float16": 10, "float64": 11, "uint32": 12, "uint64": 13,
}  # fmt: skip
"""ONNX's enum values of dtypes."""
INT64 = DType("int64", 8, 9)
"""The dtype of ONNX's sizes and axes, which tfpy tensors do not have."""


def number_of(dtype: DType) -> int:
    """Return ONNX's enum value of a dtype.

    Raises:
        UnimplementedError: If ONNX's operators do not support the dtype.
    """
    if dtype.name not in NUMBERS:
        raise UnimplementedError(
            None, "save_onnx", f"ONNX's operators do not support {dtype.name}."
        )
    return NUMBERS[dtype.name]


class Nodes(Emitter):
    """An ONNX graph: the main graph, or a branch of an If, or the body of a Loop."""

    table = TABLE

    def __init__(self, source: FunctionSource, name: str = "", outer: Nodes | None = None) -> None:
        super().__init__(source, name, outer)
        self.made: list[DType] = []
        """Dtypes of the outputs."""

    def op(self, op: str, *inputs: Any, dtype: DType | None = None, **attrs: Any) -> NodeValue:
        given = [self.operand(x) for x in inputs]
        return self.several(op, given, [dtype or given[0].dtype], **attrs)[0]

    def operand(self, x: Any) -> NodeValue:
        """Return a value; an array becomes a constant."""
        return x if isinstance(x, NodeValue) else self.constant(np.asarray(x))

    def several(
        self,
        op: str,
        given: Sequence[NodeValue],
        made: Sequence[DType],
        graphs: Any = None,
        **attrs: Any,
    ) -> list[NodeValue]:
        """Add a node with several outputs."""
        name = self.fresh(op)
        outputs = [name if i == 0 else f"{name}_{i}" for i in range(len(made))]
        self.nodes.append(FileNode(op, name, [v.name for v in given], outputs, attrs, graphs or {}))
        return [NodeValue(n, d) for n, d in zip(outputs, made, strict=True)]

    def constant(self, array: Array, name: str = "const") -> NodeValue:
        dtype = INT64 if array.dtype == np.int64 else dtypes.as_dtype(array.dtype)
        made = self.fresh(name) if name == "const" else name
        self.constants[made] = array
        return NodeValue(made, dtype, None, array)

    def inline(self, graph: Graph, inputs: Sequence[NodeValue]) -> list[NodeValue]:
        """Add the nodes of a Graph to this graph and return its outputs."""
        around, self._values = self._values, {}
        for value, given in zip(graph.inputs, inputs, strict=True):
            self.bind(graph, value, given)
        self.write(graph)
        found = [self.value(v) for v in graph.outputs]
        self._values = around
        return found

    def give(self, values: Sequence[NodeValue]) -> None:
        """Define the outputs, through Identity nodes because values may be from an outer graph."""
        for value in values:
            self.outputs.append(self.op("Identity", value).name)
            self.made.append(value.dtype)
        if self.outer is not None:
            self.pruned()

    def _open_size(self, number: int) -> NodeValue:
        return super()._open_size(number) if self.outer is None else self.outer._open_size(number)

    def inner(self, name: str) -> Self:
        return type(self)(self.source, name, self)

    @staticmethod
    def integers(numbers: Any) -> Array:
        return np.array(list(map(int, numbers)), np.int64)

    def dimension(self, value: NodeValue, axis: int) -> NodeValue:
        return self.op("Shape", value, dtype=INT64, start=axis, end=axis + 1)

    def cast(self, value: NodeValue, dtype: DType) -> NodeValue:
        if value.dtype == dtype:
            return value
        return self.op("Cast", value, dtype=dtype, to=number_of(dtype))

    def joined(self, parts: Sequence[NodeValue]) -> NodeValue:
        return self.op("Concat", *parts, axis=0)

    def scalar(self, value: NodeValue) -> NodeValue:
        return self.op("Reshape", value, self.integers([]))

    def reshape(self, value: NodeValue, shape: Sequence[int]) -> NodeValue:
        return self.op("Reshape", value, self.target(shape), allowzero=int(0 in shape))

    def where(self, test: NodeValue, x: NodeValue, y: NodeValue) -> NodeValue:
        """Select elements from two values."""
        if x.dtype == BOOL:  # ONNX Runtime does not implement Where for bool
            return self.cast(self.where(test, *(self.cast(v, INT) for v in (x, y))), BOOL)
        return self.op("Where", test, x, y, dtype=x.dtype)

    def test(self, op: str, x: NodeValue, y: NodeValue) -> NodeValue:
        """Compare two values."""
        return self.op(op, x, y, dtype=BOOL)


def node_bytes(node: FileNode) -> bytes:
    """Serialize a NodeProto."""
    parts = [chunk(1, name) for name in node.inputs] + [chunk(2, name) for name in node.outputs]
    parts += [chunk(3, node.name), chunk(4, node.op)]
    parts += [chunk(5, _attribute(name, value)) for name, value in node.attrs.items()]
    for name, graph in node.graphs.items():
        assert isinstance(graph, Nodes)
        said = chunk(1, name) + chunk(6, inner_bytes(graph)) + integer(20, 5)
        parts.append(chunk(5, said))
    return b"".join(parts)


def _attribute(name: str, value: Any) -> bytes:
    """Serialize an AttributeProto."""
    head = chunk(1, name)
    match value:
        case bool() | int():
            return head + integer(3, int(value)) + integer(20, 2)
        case float():
            return head + real(2, value) + integer(20, 1)
        case str():
            return head + chunk(4, value) + integer(20, 3)
    items = list(value)
    if items and isinstance(items[0], float):
        return head + reals(7, items) + integer(20, 6)
    return head + integers(8, items) + integer(20, 7)


def tensor_bytes(name: str, array: Array) -> bytes:
    """Serialize a TensorProto."""
    kind = NUMBERS[array.dtype.name]
    data = np.ascontiguousarray(array).astype(array.dtype.newbyteorder("<")).tobytes()
    return integers(1, array.shape) + integer(2, kind) + chunk(8, name) + chunk(9, data)


def info_bytes(name: str, dtype: DType, shape: Sequence[int | str]) -> bytes:
    """Serialize the ValueInfoProto of a tensor."""
    sizes = b"".join(chunk(1, chunk(2, n) if isinstance(n, str) else integer(1, n)) for n in shape)
    tensor = integer(1, number_of(dtype)) + chunk(2, sizes)
    return chunk(1, name) + chunk(2, chunk(1, tensor))


def inner_bytes(graph: Nodes) -> bytes:
    """Serialize the GraphProto of an If branch or a Loop body, without shapes."""
    parts = [chunk(1, node_bytes(node)) for node in graph.nodes]
    parts.append(chunk(2, graph.name))
    parts += [chunk(11, _state(v)) for v in graph.inputs]
    made = zip(graph.outputs, graph.made, strict=True)
    parts += [chunk(12, _kind(name, dtype)) for name, dtype in made]
    return b"".join(parts)


def _state(value: NodeValue) -> bytes:
    """Serialize the ValueInfoProto of a loop state; dynamic sizes are omitted."""
    sizes = [b"" if isinstance(n, OpenSize) else integer(1, n) for n in value.shape]
    tensor = integer(1, number_of(value.dtype)) + chunk(2, b"".join(chunk(1, n) for n in sizes))
    return chunk(1, value.name) + chunk(2, chunk(1, tensor))


def _kind(name: str, dtype: DType) -> bytes:
    return chunk(1, name) + chunk(2, chunk(1, integer(1, number_of(dtype))))
