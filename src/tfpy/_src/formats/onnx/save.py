"""The writer of ONNX files."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any

from tfpy._src.base.atomic_files import replace_file
from tfpy._src.base.version import __version__
from tfpy._src.formats.encodings.protobuf_writer import chunk, integer
from tfpy._src.formats.graph_writing.emitter import NodeValue
from tfpy._src.formats.graph_writing.source import FunctionPort, FunctionSource, source_of
from tfpy._src.formats.onnx.writer import OPSET, Nodes
from tfpy._src.formats.onnx.writer.nodes import info_bytes, node_bytes, tensor_bytes
from tfpy._src.functions.tf_function.signature import TensorSpec

_IR = 8  # version of the file format that belongs to the operator set
_LIMIT = (1 << 31) - 1  # maximum size of a protocol buffer message in bytes


def save_onnx(
    fn: Callable[..., Any],
    file: str | os.PathLike[str],
    signatures: Sequence[TensorSpec] | None = None,
) -> None:
    """Write a function or model as an ONNX file, which ONNX Runtime can execute.

    The file uses operator set 18. Tensors and Variables that the function reads become weights
    (initializers) of the file, and `if`, `while` and `for` statements that depend on tensors become
    `If` and `Loop`.

    Args:
        fn: Function or model to write. It can be a `tf.function`, a concrete function, a Python
            function, a Keras model, or a `tf.GraphModel`.
        file: Path of the file to write.
        signatures: List with a `tf.TensorSpec` for each argument. A batch dimension of None stays
            unknown in the file, and so do other dimensions of None if the function only multiplies
            them. Default: the `input_signature` of the function, or the inputs of the model.

    Raises:
        ValueError: If the function has no signature, assigns Variables, cannot be written for an
            unknown dimension, or has 2 GiB of weights or more.
        tf.errors.UnimplementedError: If ONNX does not support an operation or dtype.

    Example:
        >>> import tfpy as tf
        >>> w = tf.Variable([[2.0], [1.0]])
        >>> @tf.function(input_signature=[tf.TensorSpec([None, 2])])
        ... def line(x):
        ...     return x @ w
        >>> tf.save_onnx(line, "line.onnx")
        >>> tf.models.load("line.onnx")(tf.constant([[1.0, 3.0]])).numpy().tolist()
        [[5.0]]

    See also: `tf.models.load`, `tf.convert`.
    """
    source = source_of(fn, signatures)
    data = model_bytes(source, graph_of(source))
    if len(data) > _LIMIT:
        raise ValueError(
            f"ONNX files are limited to 2 GiB, but this file would have {len(data)} bytes."
        )
    replace_file(file, data)


def graph_of(source: FunctionSource) -> Nodes:
    """Build the main graph of a file.

    Raises:
        UnimplementedError: If ONNX does not support an operation.
    """
    graph = Nodes(source)
    for port in source.inputs:
        graph.inputs.append(NodeValue(port.name, port.dtype, source.graph.avals[port.value]))
        graph.bind(source.graph, port.value, graph.inputs[-1])
    graph.read_weights()
    graph.write(source.graph)
    graph.give([graph.value(port.value) for port in source.outputs])
    for node, port in zip(graph.nodes[-len(source.outputs) :], source.outputs, strict=True):
        node.outputs = [_output(port, source)]
    graph.outputs = [_output(port, source) for port in source.outputs]
    graph.pruned()
    graph.checked()
    return graph


def _output(port: FunctionPort, source: FunctionSource) -> str:
    """Return a name for an output that no input uses."""
    taken = {other.name for other in source.inputs}
    taken |= {weight.name for weight in source.weights.values()}
    return f"{port.name}_out" if port.name in taken else port.name


def model_bytes(source: FunctionSource, graph: Nodes) -> bytes:
    """Serialize a ModelProto."""
    used = graph.read_outside()
    parts = [chunk(1, node_bytes(node)) for node in graph.nodes]
    parts.append(chunk(2, source.name))
    parts += [
        chunk(5, tensor_bytes(name, array))
        for name, array in graph.constants.items()
        if name in used
    ]
    parts += [chunk(11, _info(port, port.name)) for port in source.inputs]
    parts += [
        chunk(12, _info(port, name))
        for port, name in zip(source.outputs, graph.outputs, strict=True)
    ]
    head = integer(1, _IR) + chunk(2, "tfpy") + chunk(3, __version__)
    return head + chunk(7, b"".join(parts)) + chunk(8, integer(2, OPSET))


def _info(port: FunctionPort, name: str) -> bytes:
    """Serialize the spec of an input or output; dynamic sizes get names."""
    shape = [f"{name}_{axis}" if n is None else n for axis, n in enumerate(port.shape)]
    return info_bytes(name, port.dtype, shape)
