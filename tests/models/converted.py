"""TensorFlow's functions as files like those of TensorFlow.js's converter.

As in the converter, constants become weights, constants of functions are named "function/constant",
loops and branches become TensorFlow 1's when ``lowered``, and grappler's remapper fuses nodes when
``fused``.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import tensorflow
from google.protobuf import json_format
from tensorflow.core.framework import types_pb2
from tensorflow.core.protobuf import config_pb2, meta_graph_pb2
from tensorflow.python.framework.convert_to_constants import convert_variables_to_constants_v2
from tensorflow.python.grappler import tf_optimizer

v1 = tensorflow.compat.v1
NARROWED = {"int64": "int32", "uint8": "int32", "float64": "float32", "float16": "float32"}


@dataclass(frozen=True)
class Frozen:
    """A function without variables.

    Attributes:
        graph: The GraphDef.
        inputs, outputs: Tensors of the function.
    """

    graph: Any
    inputs: Sequence[Any]
    outputs: Sequence[Any]

    def run(self, *arrays: Any) -> list[Any]:
        """Return TensorFlow's results."""
        graph = tensorflow.Graph()
        with graph.as_default():
            tensorflow.import_graph_def(self.graph, name="")
        fed = {x.name: a for x, a in zip(self.inputs, arrays, strict=True)}
        with v1.Session(graph=graph) as session:
            found: list[Any] = session.run([y.name for y in self.outputs], fed)
            return found

    def files(self, **more: Any) -> dict[str, bytes]:
        """Return ``model.json`` with additional entries, and the file of weights."""
        signature = {
            "inputs": {x.name: info(x) for x in self.inputs},
            "outputs": {y.name: info(y) for y in self.outputs},
        }
        return files(self.graph, signature, **more)


def frozen(
    function: Callable[..., Any], *specs: Any, lowered: bool = False, fused: bool = False
) -> Frozen:
    """Return a function, or a concrete one, with its variables' values as constants."""
    if specs:
        function = tensorflow.function(function).get_concrete_function(*specs)
    made = convert_variables_to_constants_v2(function, lower_control_flow=lowered)
    graph = made.graph.as_graph_def()
    if fused:
        graph = _optimized(graph, made.inputs, made.outputs)
    return Frozen(graph, made.inputs, made.outputs)


def info(tensor: Any) -> dict[str, Any]:
    """Return a TensorInfo."""
    found = {"name": tensor.name, "dtype": types_pb2.DataType.Name(tensor.dtype.as_datatype_enum)}
    if tensor.shape.rank is not None:
        found["tensorShape"] = {
            "dim": [{"size": str(-1 if n is None else n)} for n in tensor.shape]
        }
    return found


def files(graph: Any, signature: Any, initializer: Any = None, **more: Any) -> dict[str, bytes]:
    """Return the files of a GraphDef, and of a GraphDef that initializes its tables."""
    entries: list[dict[str, Any]] = []
    stored: list[bytes] = []
    more["modelTopology"] = _topology(graph, entries, stored)
    if initializer is not None:
        more["modelInitializer"] = _topology(initializer, entries, stored)
    manifest = [{"paths": ["weights.bin"], "weights": entries}]
    model = {"format": "graph-model", "signature": signature, "weightsManifest": manifest, **more}
    return {"model.json": json.dumps(model).encode(), "weights.bin": b"".join(stored)}


def _topology(graph: Any, entries: list[dict[str, Any]], stored: list[bytes]) -> dict[str, Any]:
    """Return a GraphDef as JSON, without the constants' values."""
    copied = v1.GraphDef()
    copied.CopyFrom(graph)
    for function in copied.library.function:
        _prefix_constants(function)
    for nodes in (copied.node, *(f.node_def for f in copied.library.function)):
        for node in (node for node in nodes if node.op == "Const"):
            entry, data = _weight(node)
            entries.append(entry)
            stored.append(data)
    found: dict[str, Any] = json_format.MessageToDict(copied)
    return found


def _weight(node: Any) -> tuple[dict[str, Any], bytes]:
    """Return a constant's entry in the manifest and its bytes, and remove them from the node."""
    value = node.attr["value"].tensor
    array = tensorflow.make_ndarray(value)
    value.Clear()
    value.dtype = node.attr["dtype"].type
    name = "string" if array.dtype == object else NARROWED.get(array.dtype.name, array.dtype.name)
    entry = {"name": node.name, "shape": list(array.shape), "dtype": name}
    if name == "string":
        return entry, b"".join(len(s).to_bytes(4, "little") + s for s in array.ravel())
    return entry, array.astype(np.dtype(name)).tobytes()


def _prefix_constants(function: Any) -> None:
    """Rename the constants of a function to unique names."""
    prefix = function.signature.name
    constants = {node.name for node in function.node_def if node.op == "Const"}

    def renamed(name: str) -> str:
        mark, plain = ("^", name[1:]) if name.startswith("^") else ("", name)
        return f"{mark}{prefix}/{plain}" if plain.partition(":")[0] in constants else name

    for node in function.node_def:
        node.name = renamed(node.name)
        node.input[:] = map(renamed, node.input)
    for key in function.ret:
        function.ret[key] = renamed(function.ret[key])


def _optimized(graph: Any, inputs: Sequence[Any], outputs: Sequence[Any]) -> Any:
    for _ in range(2):
        holder = tensorflow.Graph()
        signature = meta_graph_pb2.SignatureDef()
        with holder.as_default():
            tensorflow.import_graph_def(graph, name="")
            for found, tensors in ((signature.inputs, inputs), (signature.outputs, outputs)):
                for tensor in tensors:
                    told = v1.saved_model.build_tensor_info(holder.get_tensor_by_name(tensor.name))
                    found[tensor.name].CopyFrom(told)
        meta = v1.train.export_meta_graph(graph_def=graph, graph=holder)
        meta.signature_def["serving_default"].CopyFrom(signature)
        names = [y.name.partition(":")[0] for y in outputs]
        meta.collection_def["train_op"].node_list.value.extend(names)
        config = config_pb2.ConfigProto()
        rewriting = config.graph_options.rewrite_options
        rewriting.optimizers.extend(["remap", "constfold", "arithmetic", "dependency"])
        rewriting.meta_optimizer_iterations = 1
        rewriting.min_graph_nodes = -1
        graph = tf_optimizer.OptimizeGraph(config, meta)
    return graph
