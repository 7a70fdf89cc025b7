"""ONNX files, written."""

from __future__ import annotations

import os
from typing import Any

from tfpy._src.base.atomic_files import replace_file
from tfpy._src.base.version import __version__
from tfpy._src.formats.encodings.protobuf_writer import chunk, integer
from tfpy._src.formats.graph_writing.emitter import NodeValue
from tfpy._src.formats.graph_writing.source import FunctionPort, FunctionSource, source_of
from tfpy._src.formats.onnx.writer import OPSET, Nodes
from tfpy._src.formats.onnx.writer.nodes import info_bytes, node_bytes, tensor_bytes

_IR = 8  # of the file; the one of this operator set
_LIMIT = (1 << 31) - 1  # bytes of a message of Protocol Buffers


def save_onnx(fn: Any, file: str | os.PathLike[str], signatures: Any = None) -> None:
    """Writes a function as an ONNX file (operator set 18), which ONNX Runtime runs.

    Tensors and Variables that the function reads are its initializers; Python's control flow on
    tensors becomes ``If`` and ``Loop``.

    Args:
        fn: a ``tf.function``, a concrete function, a Keras or graph model, or a plain function.
        file: where it goes.
        signatures: a list with a ``tf.TensorSpec`` for each argument, by default the function's
            ``input_signature`` or the model's inputs. Sizes that are None stay open: the batch's
            always, others as far as the function computes products of them alone.

    Raises:
        ValueError: for a function without a signature, one that assigns Variables, one that
            computes otherwise for other open sizes, or weights of 2 GiB and more.
        tf.errors.UnimplementedError: for an operation or a dtype that ONNX has not.

    Example:
        >>> import tfpy as tf
        >>> w = tf.Variable([[2.0], [1.0]])
        >>> @tf.function(input_signature=[tf.TensorSpec([None, 2])])
        ... def line(x):
        ...     return x @ w
        >>> tf.save_onnx(line, "line.onnx")
        >>> tf.models.load("line.onnx")(tf.constant([[1.0, 3.0]])).numpy().tolist()
        [[5.0]]
    """
    source = source_of(fn, signatures)
    data = model_bytes(source, graph_of(source))
    if len(data) > _LIMIT:
        raise ValueError(f"an ONNX file has at most 2 GiB; this one would have {len(data)} bytes")
    replace_file(file, data)


def graph_of(source: FunctionSource) -> Nodes:
    """The main graph of a file.

    Raises:
        UnimplementedError: for an operation that ONNX has not.
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
    """The name of an output, which no input has."""
    taken = {other.name for other in source.inputs}
    taken |= {weight.name for weight in source.weights.values()}
    return f"{port.name}_out" if port.name in taken else port.name


def model_bytes(source: FunctionSource, graph: Nodes) -> bytes:
    """A ModelProto."""
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
    """What is said of an input or output; open sizes have names."""
    shape = [f"{name}_{axis}" if n is None else n for axis, n in enumerate(port.shape)]
    return info_bytes(name, port.dtype, shape)
