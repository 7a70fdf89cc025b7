"""Single kernels and whole networks as Programs, to tune the WebGL2 runtime without Pyodide.

    PYTHONPATH=src python -m bench.programs FOLDER

writes ``programs.json`` to FOLDER, next to the files of ``pack.py``. ``page/programs.html`` runs
each Program on the runtime, in turns with the same computation in TensorFlow.js.
"""

from __future__ import annotations

import argparse
import base64
import json
import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import tfpy as tf
from bench.networks import mobilenet_v1
from tfpy._src.compiler.ir.aval import Aval
from tfpy._src.compiler.ir.graph import Graph, single_equation
from tfpy._src.compiler.lower.program import Program
from tfpy._src.compiler.lower.webgl import WebGLTarget, lower
from tfpy._src.compiler.ops import OPS
from tfpy._src.compiler.passes.pipeline import optimize

LIMITS: dict[str, Any] = {"targets": 8, "block": 1 << 16}
Shape = tuple[int, ...]
Record = dict[str, Any]


def record(name: str, graph: Graph, peer: Record, gigaflop: float) -> Record:
    """Return the record with which the page runs a Graph. ``peer`` names TensorFlow.js's call."""
    program: Program = lower(optimize(graph, WebGLTarget()), **LIMITS)
    return {
        "name": name,
        "program": program.to_json(),
        "constants": base64.b64encode(program.constant_bytes()).decode(),
        "inputs": [list(graph.avals[v].shape) for v in graph.inputs],
        "peer": peer,
        "gigaflop": gigaflop,
    }


def equation(op: str, shapes: Sequence[Shape], **attrs: Any) -> Graph:
    avals = [Aval(shape, tf.float32) for shape in shapes]
    return single_equation(OPS[op], avals, tuple(sorted(attrs.items())))


def traced(function: Callable[..., Any], shapes: Sequence[Shape]) -> Graph:
    """Return the Graph of a Python function of float32 tensors."""
    specs = [tf.TensorSpec(shape, tf.float32) for shape in shapes]
    graph: Graph = tf.function(function).get_concrete_function(*specs).traced.graph
    return graph


def matmul(m: int, n: int, k: int, a: bool = False, b: bool = False) -> Record:
    shapes = [(k, m) if a else (m, k), (n, k) if b else (k, n)]
    graph = traced(lambda x, y: tf.matmul(x, y, transpose_a=a, transpose_b=b), shapes)
    name = f"matmul {m}x{n}x{k}{' a^T' if a else ''}{' b^T' if b else ''}"
    return record(name, graph, {"kind": "matmul", "args": [a, b]}, 2 * m * n * k / 1e9)


def conv(size: int, inputs: int, outputs: int, kernel: int, stride: int = 1) -> Record:
    shapes = [(1, size, size, inputs), (kernel, kernel, inputs, outputs)]
    graph = traced(lambda x, f: tf.nn.conv2d(x, f, stride, "SAME"), shapes)
    out = math.ceil(size / stride)
    work = 2 * out * out * outputs * inputs * kernel * kernel / 1e9
    name = f"conv {size}x{size}x{inputs} {kernel}x{kernel} -> {outputs} /{stride}"
    return record(name, graph, {"kind": "conv2d", "args": [stride]}, work)


def depthwise(size: int, channels: int, stride: int = 1) -> Record:
    shapes = [(1, size, size, channels), (3, 3, channels, 1)]
    strides = [1, stride, stride, 1]
    graph = traced(lambda x, f: tf.nn.depthwise_conv2d(x, f, strides, "SAME"), shapes)
    out = math.ceil(size / stride)
    work = 2 * out * out * channels * 9 / 1e9
    name = f"depthwise {size}x{size}x{channels} /{stride}"
    return record(name, graph, {"kind": "depthwiseConv2d", "args": [stride]}, work)


def network() -> Record:
    weights = {name: w.shape for name, w in mobilenet_v1.weights().items()}
    names = [*weights, "input"]
    shapes = [*weights.values(), mobilenet_v1.image().shape]

    def forward(*tensors: Any) -> Any:
        given = dict(zip(names, tensors, strict=True))
        return mobilenet_v1.forward(tf, given, given["input"])

    strides = [stride for stride, _ in mobilenet_v1.BLOCKS]
    peer = {"kind": "mobilenet", "names": names, "args": [{"mobilenetV1": strides}]}
    return record("mobilenet_v1", traced(forward, shapes), peer, 1.14)


def small_steps(count: int) -> Record:
    """Return steps that no pass can join: each sum needs the whole result of the previous one."""

    def chain(x: Any) -> Any:
        for _ in range(count):
            x = tf.cumsum(x)
        return x

    peer = {"kind": "chain", "args": [count]}
    return record(f"{count} small steps", traced(chain, [(8,)]), peer, 0)


def records() -> list[Record]:
    return [
        *(matmul(n, n, n) for n in (256, 512, 1024, 2048)),
        matmul(1024, 1024, 1024, b=True),
        matmul(1024, 1024, 1024, a=True),
        matmul(1022, 1023, 1021),
        matmul(128, 128, 784),
        matmul(784, 128, 128, a=True),
        matmul(128, 10, 128),
        matmul(1, 1000, 1024),
        conv(224, 3, 32, 3, 2),
        *(conv(size, i, o, 1) for size, i, o in ((112, 32, 64), (56, 128, 128), (28, 256, 256))),
        *(conv(size, i, o, 1) for size, i, o in ((14, 512, 512), (7, 512, 1024), (7, 1024, 1024))),
        conv(56, 64, 64, 3),
        conv(14, 256, 256, 3),
        *(
            depthwise(size, c)
            for size, c in ((112, 32), (56, 128), (28, 256), (14, 512), (7, 1024))
        ),
        depthwise(112, 64, 2),
        network(),
        small_steps(1),
        small_steps(1000),
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("folder", type=Path)
    folder: Path = parser.parse_args().folder
    (folder / "programs.json").write_text(json.dumps(records()))


if __name__ == "__main__":
    main()
