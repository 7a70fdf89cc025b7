"""Graphs of TensorFlow 1 as messages GraphDef for TensorBoard, which does not run them."""

from __future__ import annotations

from typing import Any

from tfpy._src.base import dtypes
from tfpy._src.base.version import GRAPH_DEF_VERSION
from tfpy._src.functions.graph_mode.graph import Graph
from tfpy._src.functions.graph_mode.operation import Operation
from tfpy._src.functions.graph_mode.tensors import GraphTensor
from tfpy._src.library.protos.graphs import GraphDef
from tfpy._src.library.protos.tensor_protos import make_tensor_proto, shape_message

_TYPED = "T"


def graph_def_to_show(graph: Graph, add_shapes: bool = False) -> GraphDef:
    """Return a graph as a message.

    Args:
        graph: The graph.
        add_shapes: If True, nodes have the attribute `_output_shapes`.
    """
    found = GraphDef()
    found.versions.producer = GRAPH_DEF_VERSION
    for op in graph.operations:
        add_node(found.node.add(), op)
        if add_shapes and op.outputs:
            shapes = (shape_message(x.shape) for x in op.outputs)
            found.node[-1].attr["_output_shapes"].list.shape.extend(shapes)
    return found


def add_node(node: Any, op: Operation) -> None:
    """Fill a message with the name, type and inputs of an operation, and its main attributes."""
    node.name, node.op = op.name, op.type
    node.input.extend(map(_input_name, op.inputs))
    node.input.extend(f"^{before.name}" for before in op.control_inputs)
    if op.outputs:
        first = op.outputs[0]
        named = op.type in ("Placeholder", "Const", "PlaceholderWithDefault")
        node.attr["dtype" if named else _TYPED].type = first.dtype.as_datatype_enum
        if op.type == "Placeholder":
            node.attr["shape"].shape.CopyFrom(shape_message(first.shape))
        if op.type == "Const" and first.constant is not None:
            node.attr["value"].tensor.CopyFrom(_tensor(first.constant))


def _input_name(tensor: GraphTensor) -> str:
    name, _, number = tensor.name.partition(":")
    return name if number == "0" else tensor.name


def _tensor(value: Any) -> Any:
    array = value.host_view()
    return make_tensor_proto(array, dtypes.as_dtype(value.dtype))
