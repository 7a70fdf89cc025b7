"""Graphs of TensorFlow 1 as messages GraphDef, for TensorBoard and for inspection."""

from __future__ import annotations

from typing import Any

from tfpy._src.base import dtypes
from tfpy._src.functions.graph_mode.graph import Graph
from tfpy._src.functions.graph_mode.operation import Operation
from tfpy._src.functions.graph_mode.tensors import GraphTensor
from tfpy._src.library.protos.graphs import GraphDef
from tfpy._src.library.protos.tensor_messages import TensorShapeProto
from tfpy._src.library.protos.tensor_protos import make_tensor_proto

_PRODUCER = 2221
"""The version of graphs that TensorFlow 2.21 writes."""
_TYPED = "T"


def graph_def_of(graph: Graph, add_shapes: bool = False) -> GraphDef:
    """Return a graph as a message.

    Args:
        graph: The graph.
        add_shapes: If True, nodes have the attribute `_output_shapes`.
    """
    found = GraphDef()
    found.versions.producer = _PRODUCER
    for op in graph.operations:
        _add_node(found.node.add(name=op.name, op=op.type), op, add_shapes)
    return found


def _add_node(node: Any, op: Operation, add_shapes: bool) -> None:
    node.input.extend(map(_input_name, op.inputs))
    node.input.extend(f"^{before.name}" for before in op.control_inputs)
    if op.outputs:
        first = op.outputs[0]
        named = op.type in ("Placeholder", "Const", "PlaceholderWithDefault")
        node.attr["dtype" if named else _TYPED].type = first.dtype.as_datatype_enum
        if op.type == "Placeholder":
            node.attr["shape"].shape.CopyFrom(_shape(first))
        if op.type == "Const" and first.constant is not None:
            node.attr["value"].tensor.CopyFrom(_tensor(first.constant))
    if add_shapes and op.outputs:
        node.attr["_output_shapes"].list.shape.extend(map(_shape, op.outputs))


def _input_name(tensor: GraphTensor) -> str:
    name, _, number = tensor.name.partition(":")
    return name if number == "0" else tensor.name


def _shape(tensor: GraphTensor) -> TensorShapeProto:
    if tensor.shape.rank is None:
        return TensorShapeProto(unknown_rank=True)
    sizes = (-1 if n is None else n for n in tensor.shape.as_list())
    return TensorShapeProto(dim=[TensorShapeProto.Dim(size=n) for n in sizes])


def _tensor(value: Any) -> Any:
    array = value.host_view()
    return make_tensor_proto(array, dtypes.as_dtype(value.dtype))
