"""Traced Graphs as messages GraphDef, so that TensorBoard draws them.

Each equation becomes a node with TensorFlow's name of its primitive, for example `MatMul`. Bodies
of control flow become functions of the library. TensorFlow cannot run these graphs; functions such
as `tf.save_graph_model` write graphs that it can run.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from tfpy._src.base.dtypes import DType
from tfpy._src.base.version import GRAPH_DEF_VERSION
from tfpy._src.compiler.ir.aval import Array, Aval
from tfpy._src.compiler.ir.graph import Eqn, Graph
from tfpy._src.formats.encodings.protobuf_writer import chunk, integer, real
from tfpy._src.formats.summary.event_messages import shape_message, tensor_message
from tfpy._src.formats.summary.operations import graph_def_to_show
from tfpy._src.functions.graph_mode import graph as graphs

_MAX_CONSTANT = 1024
"""Largest number of elements of a constant whose values are written."""


def serialized_graph(graph: Any) -> bytes:
    """Return a serialized GraphDef.

    Args:
        graph: A traced Graph, an object with the method `as_graph_def`, or a message GraphDef.

    Raises:
        ValueError: If the object is neither of these.
    """
    if isinstance(graph, Graph):
        return graph_def(graph, {})
    if isinstance(graph, graphs.Graph):
        graph = graph_def_to_show(graph, add_shapes=True)
    if hasattr(graph, "as_graph_def"):
        graph = graph.as_graph_def(add_shapes=True)
    if hasattr(graph, "SerializeToString"):
        return bytes(graph.SerializeToString())
    raise ValueError(
        "Argument 'graph_data' is not tf.Graph or tf.compat.v1.GraphDef. Received "
        f"graph_data={graph} of type {type(graph).__name__}. Pass the attribute `graph` of a "
        "concrete function."
    )


def graph_def(graph: Graph, names: Mapping[int, str]) -> bytes:
    """Return a traced Graph as a GraphDef.

    Args:
        graph: The Graph.
        names: Names of some of its inputs, by the number of the value.
    """
    body = _Nodes(graph, [])
    for value in graph.inputs:
        body.add_input(value, names.get(value, "input"))
    body.add_equations()
    for value in graph.outputs:
        body.add_result(value)
    library = b"".join(chunk(1, function) for function in body.library)
    nodes = b"".join(chunk(1, node) for node in body.nodes)
    return nodes + (chunk(2, library) if library else b"") + chunk(4, integer(1, GRAPH_DEF_VERSION))


class _Nodes:
    """The nodes of a Graph.

    Args:
        graph: The Graph.
        library: List to which the functions of its bodies are appended, as FunctionDef messages.
    """

    def __init__(self, graph: Graph, library: list[bytes]) -> None:
        self.graph, self.library = graph, library
        self.nodes: list[bytes] = []
        self.sources: dict[int, str] = {}
        """Names of the nodes' outputs, by the number of the value."""
        self._used: dict[str, int] = {}

    def free(self, wanted: str) -> str:
        """Return a name that no node has: the name itself, or with a number."""
        name = "".join(c if c.isascii() and (c.isalnum() or c in "_./") else "_" for c in wanted)
        name = name.lstrip("_/") or "value"
        count = self._used[name] = self._used.get(name, -1) + 1
        return self.free(f"{name}_{count}") if count else name

    def add_input(self, value: int, name: str) -> None:
        aval = self.graph.avals[value]
        self._add("Placeholder", name, [], [value], {"dtype": aval.dtype, "shape": aval})

    def add_result(self, value: int) -> None:
        self._add("Identity", "Identity", [value], [], {"T": self.graph.avals[value].dtype})

    def add_equations(self) -> None:
        for value, array in self.graph.constants.items():
            self._add("Const", "Const", [], [value], {"dtype": self.graph.avals[value].dtype,
                                                      "value": array})  # fmt: skip
        for eqn in self.graph.eqns:
            self._add_equation(eqn)

    def _add_equation(self, eqn: Eqn) -> None:
        attrs: dict[str, Any] = {}
        if eqn.inputs:
            attrs["T"] = self.graph.avals[eqn.inputs[0]].dtype
        for name, value in eqn.attrs:
            graphs = value if isinstance(value, tuple) else (value,)
            if graphs and all(isinstance(one, Graph) for one in graphs):
                for number, one in enumerate(graphs):
                    attrs[f"{name}_{number}" if len(graphs) > 1 else name] = self._function(
                        one, f"{eqn.op.name}_{name}"
                    )
            else:
                attrs[name] = value
        op = _OPS.get(eqn.op.name) or "".join(map(_capitalized, eqn.op.name.split("_")))
        self._add(op, op, eqn.inputs, eqn.outputs, attrs)

    def _add(self, op: str, name: str, inputs: Any, outputs: Any, attrs: dict[str, Any]) -> None:
        node = self.free(name)
        for number, value in enumerate(outputs):
            self.sources[value] = f"{node}:{number}" if number else node
        fields = [chunk(1, node), chunk(2, op), *(chunk(3, self.sources[v]) for v in inputs)]
        encoded = {key: attribute(value) for key, value in attrs.items()}
        shapes = b"".join(chunk(7, _shape(self.graph.avals[v])) for v in outputs)
        if shapes:
            encoded["_output_shapes"] = chunk(1, shapes)
        for key, data in sorted(encoded.items()):
            if data:
                fields.append(chunk(5, chunk(1, key) + chunk(2, data)))
        self.nodes.append(b"".join(fields))

    def _function(self, graph: Graph, name: str) -> _FunctionName:
        """Add a body to the library and return its name."""
        inner = _Nodes(graph, self.library)
        for number, value in enumerate(graph.inputs):
            inner.sources[value] = f"arg_{number}"
        inner.add_equations()
        made = f"{name}_{len(self.library)}"
        results = [inner.sources[value] for value in graph.outputs]
        signature = [chunk(1, made)]
        for field, kind, values in ((2, "arg", graph.inputs), (3, "ret", graph.outputs)):
            for number, value in enumerate(values):
                dtype = graph.avals[value].dtype.as_datatype_enum
                signature.append(chunk(field, chunk(1, f"{kind}_{number}") + integer(3, dtype)))
        fields = [chunk(1, b"".join(signature)), *(chunk(3, node) for node in inner.nodes)]
        for number, source in enumerate(results):
            fields.append(chunk(4, chunk(1, f"ret_{number}") + chunk(2, source)))
        self.library.append(b"".join(fields))
        return _FunctionName(made)


_OPS = {
    "add": "AddV2", "avg_pool": "AvgPool", "conv2d": "Conv2D", "conv3d": "Conv3D", "cond": "If",
    "gather": "GatherV2", "matmul": "MatMul", "multiply": "Mul", "negative": "Neg", "pad": "PadV2",
    "permute": "Transpose", "real_div": "RealDiv", "reduce_all": "All", "reduce_any": "Any",
    "reduce_max": "Max", "reduce_min": "Min", "reduce_prod": "Prod", "reduce_sum": "Sum",
    "select": "SelectV2", "stateful_cond": "If", "stateful_while_loop": "While", "subtract": "Sub",
    "while_loop": "While",
}  # fmt: skip
"""TensorFlow's names of primitives whose names differ in more than the case."""


def _capitalized(part: str) -> str:
    return part[:1].upper() + part[1:]


class _FunctionName(str):
    """The name of a function of the library."""


def _shape(aval: Aval) -> bytes:
    if aval.shown is None:
        return integer(3, 1)  # the rank is unknown
    return shape_message(aval.shown)


def attribute(value: Any) -> bytes:
    """Return an AttrValue. It is empty for values that have no counterpart."""
    if isinstance(value, tuple | list):
        kinds = {type(item) for item in value}
        return chunk(1, b"".join(map(attribute, value))) if len(kinds) == 1 else b""
    match value:
        case _FunctionName():
            return chunk(10, chunk(1, value))
        case str():
            return chunk(2, value)
        case bool():
            return integer(5, value)
        case int() | np.integer() if -(1 << 63) <= value < 1 << 63:
            return integer(3, int(value))
        case float() | np.floating():
            number = float(value)
            return real(4, number) if math.isfinite(number) and abs(number) < 3e38 else b""
        case DType():
            return integer(6, value.as_datatype_enum)
        case Aval():
            return chunk(7, _shape(value))
        case np.ndarray():
            return _tensor(value)
    return b""


def _tensor(array: Array) -> bytes:
    return chunk(8, tensor_message(array)) if array.size <= _MAX_CONSTANT else b""
