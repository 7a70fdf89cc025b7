"""Graph-models of TensorFlow.js, written."""

from __future__ import annotations

import json
import os
from typing import Any

from tfpy._src.base.atomic_files import replace_files
from tfpy._src.base.version import __version__
from tfpy._src.formats.graph_writing.emitter import FileNode, NodeValue
from tfpy._src.formats.graph_writing.source import FunctionPort, FunctionSource, source_of
from tfpy._src.formats.sources import MODEL
from tfpy._src.formats.tensorflow.writer import Nodes, json_function, json_node
from tfpy._src.formats.tensorflow.writer.nodes import shape_of, type_name
from tfpy._src.formats.tfjs.weights_manifest import QUANTIZED
from tfpy._src.formats.tfjs.weights_writer import SHARD_SIZE, encoded, sharded


def save_graph_model(
    fn: Any,
    folder: str | os.PathLike[str],
    signatures: Any = None,
    quantization: str | None = None,
    shard_size: int = SHARD_SIZE,
) -> None:
    """Writes a function as a graph-model of TensorFlow.js: ``model.json`` and files of weights.

    TensorFlow.js's ``tf.loadGraphModel`` and :func:`load_graph_model` read it. Tensors and
    Variables that the function reads are its weights. Python's control flow on tensors becomes
    TensorFlow's; a dictionary that the function gives stays one.

    Args:
        fn: a ``tf.function``, a concrete function, a Keras or graph model, or a plain function.
        folder: where the files go; it is made when there is none.
        signatures: a list with a ``tf.TensorSpec`` for each argument, by default the function's
            ``input_signature`` or the model's inputs. Sizes that are None stay open: the batch's
            always, others as far as the function computes products of them alone.
        quantization: None, or how weights of float32 are stored: "float16", "uint8" or "uint16".
            Arrays of at most 16 numbers stay as they are.
        shard_size: the most bytes of a file of weights.

    Raises:
        ValueError: for a function without a signature, one that assigns Variables, or one that
            computes otherwise for other open sizes.
        tf.errors.UnimplementedError: for an operation that TensorFlow.js has not.

    Example:
        >>> import tfpy as tf
        >>> w = tf.Variable([[2.0], [1.0]])
        >>> @tf.function(input_signature=[tf.TensorSpec([None, 2])])
        ... def line(x):
        ...     return x @ w
        >>> tf.save_graph_model(line, "line")
        >>> tf.models.load("line")(tf.constant([[1.0, 3.0]])).numpy().tolist()
        [[5.0]]
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
    """The main graph of a file, with its library.

    Raises:
        UnimplementedError: for an operation that TensorFlow.js has not.
    """
    graph = Nodes(source)
    for port in source.inputs:
        attrs = {"dtype": port.dtype, "shape": {"shape": shape_of(port.shape)}}
        graph.nodes.append(FileNode("Placeholder", port.name, [], [port.name], attrs))
        graph.inputs.append(NodeValue(port.name, port.dtype, source.graph.avals[port.value]))
        graph.bind(source.graph, port.value, graph.inputs[-1])
    graph.read_weights()
    graph.write(source.graph)
    # The outputs are nodes of their own: an argument may be given back, or one value twice.
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
    """How a constant is stored: small ones as they are, for they are no weights."""
    return quantization if graph.constants[name].size > 16 else None
