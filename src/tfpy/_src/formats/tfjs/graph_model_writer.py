"""Writer of TensorFlow.js graph models."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from typing import Any

from tfpy._src.base.atomic_files import replace_files
from tfpy._src.base.version import __version__
from tfpy._src.formats.graph_writing.emitter import FileNode, NodeValue
from tfpy._src.formats.graph_writing.source import FunctionPort, FunctionSource, source_of
from tfpy._src.formats.model_files import MODEL
from tfpy._src.formats.tensorflow.writer import Nodes, json_function, json_node
from tfpy._src.formats.tensorflow.writer.nodes import shape_of, type_name
from tfpy._src.formats.tfjs.weights_manifest import QUANTIZED
from tfpy._src.formats.tfjs.weights_writer import SHARD_SIZE, encoded, sharded
from tfpy._src.functions.tf_function.signature import TensorSpec


def save_graph_model(
    fn: Callable[..., Any],
    folder: str | os.PathLike[str],
    signatures: Sequence[TensorSpec] | None = None,
    quantization: str | None = None,
    shard_size: int = SHARD_SIZE,
) -> None:
    """Write a function or model as a graph model of TensorFlow.js: `model.json` and weight files.

    The files can be loaded by `tf.loadGraphModel` in TensorFlow.js and by `tf.load_graph_model`.
    Tensors and Variables that the function reads become weights of the model, and `if`, `while` and
    `for` statements that depend on tensors become control flow of the model. If the function
    returns a dict, the loaded model returns a dict too.

    Args:
        fn: Function or model to write. It can be a `tf.function`, a concrete function, a Python
            function, a Keras model, or a `tf.GraphModel`.
        folder: Folder to write the files to. It is created if it does not exist.
        signatures: List with a `tf.TensorSpec` for each argument. A batch dimension of None stays
            unknown in the file, and so do other dimensions of None if the function only multiplies
            them. Default: the `input_signature` of the function, or the inputs of the model.
        quantization: Type in which float32 weights are stored. Legal values are `"float16"`,
            `"uint8"`, `"uint16"`, and None for float32. Arrays of at most 16 elements are not
            quantized.
        shard_size: Maximum number of bytes in a weight file. Default: 4 MiB.

    Raises:
        ValueError: If the function has no signature, assigns Variables, or cannot be written for an
            unknown dimension.
        tf.errors.UnimplementedError: If TensorFlow.js does not support an operation.

    Example:
        >>> import tfpy as tf
        >>> w = tf.Variable([[2.0], [1.0]])
        >>> @tf.function(input_signature=[tf.TensorSpec([None, 2])])
        ... def line(x):
        ...     return x @ w
        >>> tf.save_graph_model(line, "line")
        >>> tf.models.load("line")(tf.constant([[1.0, 3.0]])).numpy().tolist()
        [[5.0]]

    See also: `tf.load_graph_model`, `tf.save_onnx`, `tf.save_layers_model`, `tf.export`.
    """
    if quantization is not None and quantization not in QUANTIZED:
        kinds = ", ".join(map(repr, sorted(QUANTIZED)))
        raise ValueError(f"quantization must be None or one of {kinds}, got {quantization!r}")
    if shard_size < 1:
        raise ValueError(f"shard_size must be positive, got {shard_size}")
    source = source_of(fn, signatures)
    graph = graph_of(source)
    functions = graph.library
    kept = [node.name for part in (graph, *functions) for node in part.nodes if node.op == "Const"]
    manifest, files = sharded(
        [encoded(name, graph.constants[name], _stored(graph, name, quantization)) for name in kept],
        shard_size,
    )
    written: dict[str, Any] = {
        "format": "graph-model",
        "generatedBy": f"tfpy v{__version__}",
        "convertedBy": f"tfpy v{__version__}",
        "signature": {
            "inputs": {p.name: _info(p, p.name) for p in source.inputs},
            "outputs": {
                p.name: _info(p, name)
                for p, name in zip(source.outputs, graph.outputs, strict=True)
            },
        },
        "modelTopology": {
            "node": [json_node(node) for node in graph.nodes],
            "library": {"function": [json_function(f) for f in functions]},
            "versions": {"producer": 1882},
        },
        "weightsManifest": manifest,
    }
    if source.structured:
        names = [port.name for port in source.outputs]
        written["userDefinedMetadata"] = {"structuredOutputKeys": names}
    replace_files(folder, {**files, MODEL: json.dumps(written).encode()})


def graph_of(source: FunctionSource) -> Nodes:
    """Convert a function to the main graph of a file, with its library of functions.

    Raises:
        UnimplementedError: If TensorFlow.js does not support an operation.
    """
    graph = Nodes(source)
    for port in source.inputs:
        attrs = {"dtype": port.dtype, "shape": {"shape": shape_of(port.shape)}}
        graph.nodes.append(FileNode("Placeholder", port.name, [], [port.name], attrs))
        graph.inputs.append(NodeValue(port.name, port.dtype, source.graph.avals[port.value]))
        graph.bind(source.graph, port.value, graph.inputs[-1])
    graph.read_weights()
    graph.write(source.graph)
    # Outputs get their own nodes: one may be an argument, or the same value as another output.
    for number, port in enumerate(source.outputs):
        given = graph.value(port.value)
        name = "Identity" + (f"_{number}" if number else "")
        graph.nodes.append(FileNode("Identity", name, [given.name], [name], {"T": given.dtype}))
        graph.outputs.append(name)
    placeholders = graph.nodes[: len(source.inputs)]
    graph.pruned()
    graph.nodes = placeholders + [node for node in graph.nodes if node.op != "Placeholder"]
    graph.checked()
    return graph


def _info(port: FunctionPort, name: str) -> dict[str, Any]:
    return {
        "name": f"{name}:0",
        "dtype": type_name(port.dtype),
        "tensorShape": shape_of(port.shape),
    }


def _stored(graph: Nodes, name: str, quantization: str | None) -> str | None:
    """Return the quantization of a constant. Small arrays are not weights and are not quantized."""
    return quantization if graph.constants[name].size > 16 else None
