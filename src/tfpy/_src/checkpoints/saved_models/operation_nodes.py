"""Graphs of TensorFlow 1 as messages GraphDef, which TensorFlow can run."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from tfpy._src.base.dtypes import int32
from tfpy._src.base.version import GRAPH_DEF_VERSION
from tfpy._src.checkpoints.saved_models.operation_calls import (
    CallBody,
    WrittenCall,
    call_of,
    controls_of,
    input_name,
)
from tfpy._src.core.conversion import constant
from tfpy._src.core.tensor import Tensor
from tfpy._src.formats.summary.operations import add_node
from tfpy._src.functions.graph_mode.graph import Graph
from tfpy._src.functions.graph_mode.operation import Operation
from tfpy._src.functions.graph_mode.tensors import GraphTensor
from tfpy._src.functions.graph_mode.variables import GraphVariable
from tfpy._src.library.protos.graphs import FunctionDef, GraphDef, NodeDef
from tfpy._src.library.protos.tensor_protos import make_tensor_proto, shape_message

_PLAIN = frozenset(("Placeholder", "Const", "NoOp"))


def graph_def_of(graph: Graph, add_shapes: bool = False) -> GraphDef:
    """Return a graph as a message.

    Args:
        graph: The graph.
        add_shapes: If True, nodes have the attribute `_output_shapes`.
    """
    found = GraphDef()
    found.versions.producer = GRAPH_DEF_VERSION
    nodes = _Nodes(graph, found)
    for op in graph.operations:
        nodes.add(op)
        if add_shapes and op.outputs:
            shapes = (shape_message(x.shape) for x in op.outputs)
            found.node[-1].attr["_output_shapes"].list.shape.extend(shapes)
    return found


def node_def_of(op: Operation) -> NodeDef:
    """Return the node with the name of an operation."""
    found = GraphDef()
    _Nodes(op.graph, found).add(op)  # type: ignore[arg-type]
    (node,) = (node for node in found.node if node.name == op.name)
    return node


class _Nodes:
    """The nodes of a message while they are made.

    Args:
        graph: The graph.
        message: The message, to which nodes and functions are added.
    """

    def __init__(self, graph: Graph, message: GraphDef) -> None:
        self._message = message
        self._taken = {op.name for op in graph.operations}
        self._functions: set[str] = set()
        self._handles = {v.op: v for v in graph.variables if isinstance(v, GraphVariable)}
        self._initializers = {v.initializer: v for v in self._handles.values()}

    def add(self, op: Operation) -> None:
        """Add the nodes of an operation. The last one has its name."""
        self._add(op)
        if op.device and op.message is None:
            self._message.node[-1].device = op.device

    def _add(self, op: Operation) -> None:
        variable = self._handles.get(op)
        if op.message is not None:
            self._message.node.append(op.message)
            if op.library is not None:
                self._add_functions(op.library.function)
        elif variable is not None:
            self._add_variable(op, variable)
        elif op in self._initializers:
            self._add_assignment(op, self._initializers[op])
        elif op.type in _PLAIN or op.function is None:
            add_node(self._message.node.add(), op)
        elif op.type == "Shape" and len(op.inputs) == 1:
            self._add_shape(op)
        elif (key := _slice_key(op)) is not None:
            self._add_slice(op, key)
        elif not op.inputs and len(op.outputs) == 1 and op.outputs[0].constant is not None:
            self._constant(op.name, op.outputs[0].constant)
            self._message.node[-1].input.extend(controls_of(op))
        else:
            self._add_call(op)

    def _free(self, name: str) -> str:
        """Return a name that no node has."""
        found, number = name, 0
        while found in self._taken:
            number += 1
            found = f"{name}_{number}"
        self._taken.add(found)
        return found

    def _constant(self, name: str, value: Tensor) -> str:
        node: Any = self._message.node.add(name=name, op="Const")
        node.attr["dtype"].type = value.dtype.as_datatype_enum
        node.attr["value"].tensor.CopyFrom(make_tensor_proto(value.host_view(), value.dtype))
        return name

    def _add_functions(self, functions: Iterable[FunctionDef]) -> None:
        for function in functions:
            if function.signature.name not in self._functions:
                self._functions.add(function.signature.name)
                self._message.library.function.append(function)

    def _add_variable(self, op: Operation, variable: GraphVariable) -> None:
        node: Any = self._message.node.add(name=op.name, op="VarHandleOp")
        node.attr["dtype"].type = variable.dtype.as_datatype_enum
        node.attr["shape"].shape.CopyFrom(shape_message(variable.shape))
        node.attr["shared_name"].s = op.name.encode()
        node.attr["container"].s = b""

    def _add_assignment(self, op: Operation, variable: GraphVariable) -> None:
        value = op.args[0]
        if isinstance(value, GraphTensor):
            source = input_name(value)
        else:
            name = self._free(f"{variable.op.name}/initial_value")
            source = self._constant(name, value)
        node: Any = self._message.node.add(name=op.name, op="AssignVariableOp")
        node.input.extend([variable.op.name, source, *controls_of(op)])
        node.attr["dtype"].type = variable.dtype.as_datatype_enum
        self._add_reading(variable)

    def _add_reading(self, variable: GraphVariable) -> None:
        """Add the node with which TensorFlow reads a Variable in a collection."""
        name = f"{variable.op.name}/Read/ReadVariableOp"
        if name not in self._taken:
            node: Any = self._message.node.add(name=self._free(name), op="ReadVariableOp")
            node.input.append(variable.op.name)
            node.attr["dtype"].type = variable.dtype.as_datatype_enum

    def _add_shape(self, op: Operation) -> None:
        node: Any = self._message.node.add(name=op.name, op=op.type)
        node.input.extend([input_name(op.inputs[0]), *controls_of(op)])
        node.attr["T"].type = op.inputs[0].dtype.as_datatype_enum
        node.attr["out_type"].type = op.outputs[0].dtype.as_datatype_enum

    def _add_slice(self, op: Operation, key: tuple[Any, ...]) -> None:
        """Add a slice with the constants of its indices, which may exceed an unknown size."""
        node: Any = NodeDef(name=op.name, op=op.type)
        node.input.append(input_name(op.args[0]))
        numbers = zip(*(_bounds(one) for one in key), strict=True)
        for kind, values in zip(("begin", "end", "strides"), numbers, strict=True):
            known = [0 if value is None else value for value in values]
            name = self._free(f"{op.name}/{kind}")
            node.input.append(self._constant(name, constant(known, int32)))
            if kind != "strides":
                mask = sum(1 << i for i, value in enumerate(values) if value is None)
                node.attr[f"{kind}_mask"].i = mask
        for attr, marked in _MARKS.items():
            node.attr[attr].i = sum(1 << i for i, one in enumerate(key) if marked(one))
        node.input.extend(controls_of(op))
        node.attr["T"].type = op.outputs[0].dtype.as_datatype_enum
        node.attr["Index"].type = int32.as_datatype_enum
        self._message.node.append(node)

    def _add_call(self, op: Operation) -> None:
        if op.written is None:
            op.written = (call_of(op),)
        call: WrittenCall | None
        (call,) = op.written
        if call is None:
            add_node(self._message.node.add(), op)
            return
        own, *called = (FunctionDef.FromString(one) for one in call.function.messages)
        self._add_functions(called)
        body = CallBody(op, own, call, self._free)
        self._message.node.extend(body.nodes())


_MARKS: dict[str, Callable[[Any], bool]] = {
    "ellipsis_mask": lambda one: one is Ellipsis,
    "new_axis_mask": lambda one: one is None,
    "shrink_axis_mask": lambda one: isinstance(one, int),
}
"""Masks of a slice, with the indices that they mark."""


def _slice_key(op: Operation) -> tuple[Any, ...] | None:
    """Return the indices of a slice of a tensor, or None if they contain tensors."""
    if op.type != "StridedSlice" or not isinstance(op.args[0], GraphTensor) or len(op.args) < 2:
        return None
    key = op.args[1] if isinstance(op.args[1], tuple) else (op.args[1],)
    parts = [x for k in key for x in ((k.start, k.stop, k.step) if isinstance(k, slice) else (k,))]
    is_static = all(x is None or x is Ellipsis or type(x) is int for x in parts)
    return key if is_static and op.args[0].known is None else None


def _bounds(one: Any) -> tuple[int | None, int | None, int]:
    """Return the first index, the end and the stride of an index."""
    if isinstance(one, slice):
        return one.start, one.stop, 1 if one.step is None else one.step
    return (one, one + 1, 1) if isinstance(one, int) else (0, 0, 1)
