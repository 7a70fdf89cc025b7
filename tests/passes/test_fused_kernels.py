"""The table of fused kernels is complete.

Each record has a pass that makes the kernel and, on each device, a planner, a shader or a C++
kernel, and a size rule.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from passes.fusing import traced

import tfpy as tf
from tfpy._src.compiler.ir.graph import Graph, bodies
from tfpy._src.compiler.ir.op import OPS
from tfpy._src.compiler.lower import fused, wasm, webgl, webgpu
from tfpy._src.compiler.lower.fused import FUSED, FusedKernel, OnDevice
from tfpy._src.compiler.lower.program import Program, verify
from tfpy._src.compiler.lower.target import Target
from tfpy._src.compiler.lower.wasm.target import WasmTarget
from tfpy._src.compiler.lower.webgl import kernels as webgl_kernels
from tfpy._src.compiler.lower.webgpu import kernels as webgpu_kernels
from tfpy._src.compiler.ops.blocks import dequantize_blocks
from tfpy._src.compiler.passes import pipeline
from tfpy._src.compiler.passes.pipeline import optimize_with_weights

ROOT = Path(__file__).parents[2]
IN_WASM = re.findall(
    r"^KERNEL\((\w+)\)",
    (ROOT / "csrc/xnnpack_glue/program/kernels.def").read_text(encoding="utf-8"),
    re.MULTILINE,
)
TARGETS: dict[str, tuple[Target, Callable[[Graph], Program]]] = {
    "wasm": (WasmTarget(), wasm.lower),
    "webgl": (webgl.WebGLTarget(), webgl.lower),
    "webgpu": (webgpu.WebGPUTarget(), webgpu.lower),
}
OF_OPS = {
    "wasm": {*IN_WASM} - FUSED.keys(),
    "webgl": webgl_kernels._KERNELS.keys(),
    "webgpu": webgpu_kernels._KERNELS.keys(),
}
"""Kernels of op records, by device."""


class Sample(NamedTuple):
    """A function that uses the kernel on every device that has it."""

    function: Callable[..., Any]
    shapes: tuple[tuple[int, ...] | tf.TensorSpec, ...]
    bits: int = 0
    """Bits of the weights of products, which are all operands except the first."""


def layer_norm(x: Any) -> Any:
    mean, variance = tf.nn.moments(x, [-1], keepdims=True)
    return (x - mean) * tf.math.rsqrt(variance + 1e-3)


def attention(q: Any, k: Any, v: Any) -> Any:
    return tf.nn.softmax(q @ tf.linalg.matrix_transpose(k)) @ v


PRODUCT = Sample(tf.matmul, ((512, 512), (512, 1024)), bits=8)
ROW = Sample(tf.matmul, ((1, 1024), (1024, 2048)))
BYTES = tf.TensorSpec([64, 96], tf.int8)
BLOCKS = tf.TensorSpec([64 * 3 * 34], tf.int8)
"""Weights [64, 96] in Q8_0, 34 bytes in a block."""


def values(w: Any) -> Any:
    return dequantize_blocks(w, form="Q8_0", shape=(64, 96))


SAMPLES = {
    "attention": Sample(attention, ((2, 16, 8),) * 3),
    "softmax": Sample(tf.nn.softmax, ((8, 256),)),
    "log_softmax": Sample(tf.nn.log_softmax, ((8, 256),)),
    "layer_norm": Sample(layer_norm, ((8, 256),)),
    "quantized_matmul": PRODUCT,
    "quantized_conv2d": Sample(
        partial(tf.nn.conv2d, strides=1, padding="SAME"), ((1, 64, 64, 128), (3, 3, 128, 128)), 8
    ),
    "pack_bytes": PRODUCT,
    "packed_conv2d": PRODUCT,
    "packed_rows": ROW._replace(bits=8),
    "pack_nibbles": ROW._replace(bits=4),
    "multiply_stored": Sample(lambda x, w: x @ tf.cast(w, x.dtype), ((8, 64), BYTES)),
    "gather_stored": Sample(
        lambda i, w: tf.cast(tf.gather(w, i), tf.float32), (tf.TensorSpec([8], tf.int32), BYTES)
    ),
    "multiply_blocks": Sample(lambda x, w: x @ values(w), ((8, 64), BLOCKS)),
    "gather_blocks": Sample(
        lambda i, w: tf.gather(values(w), i), (tf.TensorSpec([8], tf.int32), BLOCKS)
    ),
    "dequantize_blocks": Sample(values, (BLOCKS,)),
}
ENTRIES = [
    pytest.param(kernel, device, on, id=f"{kernel.name}-{device}")
    for kernel in FUSED.values()
    for device, on in kernel.devices.items()
]


def test_each_record_has_a_sample_a_device_and_a_pass_of_the_pipeline() -> None:
    assert SAMPLES.keys() == FUSED.keys()
    passes = {one.function for stage in pipeline.STAGES.values() for one in stage}
    for name, kernel in FUSED.items():
        assert kernel.name == name
        assert kernel.pattern in passes
        assert any(on.plan for on in kernel.devices.values())


def test_no_name_is_registered_twice() -> None:
    with pytest.raises(ValueError, match="fused kernel softmax is already in the table"):
        fused.register(FUSED["softmax"])
    assert all(FUSED.keys().isdisjoint(names) for names in OF_OPS.values())


@pytest.mark.parametrize(("kernel", "device", "on"), ENTRIES)
def test_functions_that_records_name_exist(kernel: FusedKernel, device: str, on: OnDevice) -> None:
    """Check the functions that records name by strings, because no type checker verifies these."""
    assert on.plan or on.takes
    if on.plan:
        assert len(inspect.signature(fused.function_of(on.plan)).parameters) == 4
    if on.takes:
        assert list(inspect.signature(fused.function_of(on.takes)).parameters) == ["call"]


@pytest.mark.parametrize(("kernel", "device", "on"), ENTRIES)
def test_the_pass_makes_what_the_device_runs(
    kernel: FusedKernel, device: str, on: OnDevice
) -> None:
    target, lower = TARGETS[device]
    sample = SAMPLES[kernel.name]
    graph = traced(sample.function, *sample.shapes)
    weights = range(1, len(sample.shapes)) if sample.bits else ()
    graph = pipeline.prepare(graph, target, weights, target.dtypes, spreads=False)
    parts = optimize_with_weights(graph, target, weights, sample.bits)
    found = {name for part in parts for name in kernels(part)}
    if on.plan:
        assert kernel.name in found
    else:
        assert kernel.name not in found
        assert found & target.kernels, "others take its place"
    for part in parts:
        program = lower(part)
        verify(program)
        assert device != "wasm" or {k.name for k in program.kernels} <= {*IN_WASM}


def kernels(graph: Graph) -> Iterator[str]:
    """Yield the names of the ops and the kinds of the fusions in a Graph."""
    for eqn in graph.eqns:
        yield dict(eqn.attrs)["kind"] if eqn.op is OPS["fusion"] else eqn.op.name
        for _, body in bodies(eqn.attrs):
            yield from kernels(body)
