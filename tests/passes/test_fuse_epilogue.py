"""Kernels with elementwise tails."""

from __future__ import annotations

import struct
from typing import Any

import pytest
from passes.fusing import Builder, Greedy, check_same, fused_body, kinds, traced

import tfpy as tf
from tfpy._src.compiler.ir.fusion import fusion
from tfpy._src.compiler.ir.graph import Graph
from tfpy._src.compiler.lower import wasm, webgl, webgpu
from tfpy._src.compiler.lower.shaders.target import ShaderTarget
from tfpy._src.compiler.lower.target import Target
from tfpy._src.compiler.lower.wasm.target import WasmTarget
from tfpy._src.compiler.lower.webgl import WebGLTarget
from tfpy._src.compiler.lower.webgpu import WebGPUTarget
from tfpy._src.compiler.passes.fuse.elementwise import fuse_elementwise
from tfpy._src.compiler.passes.fuse.epilogue import fuse_epilogue
from tfpy._src.compiler.passes.fuse.softmax import fuse_softmax

CONV = {"strides": (1, 1), "dilations": (1, 1), "padding": ((1, 1), (1, 1))}
PRODUCT = {"transpose_a": False, "transpose_b": False}


def run(graph: Graph, target: Target) -> Graph:
    after = fuse_epilogue(graph, target)
    lower = wasm.lower if isinstance(target, WasmTarget) else webgl.lower
    check_same(graph, after, [lower], 1e-4)
    return after


def conv_bias(b: Builder, *, activation: bool = True) -> int:
    x, filter_, bias = b.input(2, 5, 5, 3), b.input(3, 3, 3, 8), b.input(8)
    y = b.op("add", b.op("conv2d", x, filter_, **CONV), bias)
    return b.op("relu6", y) if activation else y


def test_convolution_bias_activation() -> None:
    b = Builder()
    after = run(b.returns(conv_bias(b)), WasmTarget())
    assert kinds(after) == ["epilogue(conv2d add relu6)"]
    assert fused_body(after) == [
        "graph(%0:float32[2,5,5,3], %1:float32[3,3,3,8], %3:float32[8])",
        "%2:float32[2,5,5,8] = conv2d(%0, %1) strides=(1, 1) dilations=(1, 1) "
        "padding=((1, 1), (1, 1))",
        "%4:float32[2,5,5,8] = add(%2, %3)",
        "%5:float32[2,5,5,8] = relu6(%4)",
        "return %5",
    ]
    program = wasm.lower(after)
    (step,) = program.steps
    assert program.kernels[0].inputs == ("x", "filter", "bias")
    assert step.params["bias"] == "true"
    assert step.params["clamp_min_bits"] == 0
    assert step.params["clamp_max_bits"] == 0x40C00000


def test_wasm_takes_what_it_can_of_a_longer_tail() -> None:
    b = Builder()
    y = conv_bias(b, activation=False)
    residual = b.input(2, 5, 5, 8)
    graph = b.returns(b.op("relu", b.op("add", y, residual)))
    assert kinds(run(graph, WasmTarget())) == ["epilogue(conv2d add)", "add", "relu"]
    assert kinds(run(graph, WebGLTarget())) == ["epilogue(conv2d add add relu)"]


@pytest.mark.parametrize(
    ("shape", "taken"),
    [((6,), True), ((1, 6), True), ((1,), False), ((4, 6), False), ((4, 1), False)],
)
def test_the_bias_of_wasm_is_a_vector_of_channels(shape: tuple[int, ...], taken: bool) -> None:
    b = Builder()
    product = b.op("matmul", b.input(4, 5), b.input(5, 6), **PRODUCT)
    after = run(b.returns(b.op("add", b.input(*shape), product)), WasmTarget())
    assert (after.eqns[0].op is fusion) == taken


@pytest.mark.parametrize(
    ("tail", "low", "high"),
    [
        ((("maximum", -1.0), ("minimum", 2.0)), -1.0, 2.0),
        ((("minimum", 2.0), ("maximum", -1.0), ("minimum", 1.0)), -1.0, 1.0),
        ((("minimum", 3.0),), None, 3.0),
    ],
)
def test_clamps_of_wasm(
    tail: tuple[tuple[str, float], ...], low: float | None, high: float
) -> None:
    b = Builder()
    y = b.op("matmul", b.input(4, 5), b.input(5, 6), **PRODUCT)
    for name, limit in tail:
        y = b.op(name, y, limit)
    (step,) = wasm.lower(run(b.returns(y), WasmTarget())).steps
    bits = [step.params.get(f"clamp_{side}_bits") for side in ("min", "max")]
    found = [None if v is None else struct.unpack("<f", struct.pack("<i", v))[0] for v in bits]
    assert found == [low, high]
    assert step.params["bias"] == "false"


@pytest.mark.parametrize(("low", "high"), [(2.0, 1.0), (float("nan"), 1.0)])
def test_empty_ranges_and_nan_are_no_clamp(low: float, high: float) -> None:
    b = Builder()
    y = b.op("matmul", b.input(4, 5), b.input(5, 6), **PRODUCT)
    graph = b.returns(b.op("maximum", b.op("minimum", y, high), low))
    found = [name for name in kinds(fuse_epilogue(graph, WasmTarget())) if "maximum" in name]
    assert found == ["maximum"]


def test_a_tail_that_reads_the_result_twice() -> None:
    b = Builder()
    y = b.op("matmul", b.input(4, 5), b.input(5, 6), **PRODUCT)
    after = run(b.returns(b.op("multiply", y, b.op("sigmoid", y))), WebGLTarget())
    assert kinds(after) == ["epilogue(matmul sigmoid multiply)"]


def test_a_result_that_others_read_stays() -> None:
    b = Builder()
    y = b.op("matmul", b.input(4, 5), b.input(5, 6), **PRODUCT)
    graph = b.returns(b.op("relu", y), y)
    assert kinds(run(graph, WebGLTarget())) == ["matmul", "relu"]


def test_a_reshape_inside_and_none_at_the_end() -> None:
    b = Builder()
    y = b.op("matmul", b.input(6, 5), b.input(5, 8), **PRODUCT)
    wide = b.op("add", b.op("reshape", y, shape=(2, 3, 8)), b.input(2, 1, 8))
    after = run(b.returns(b.op("reshape", b.op("relu", wide), shape=(48,))), WebGLTarget())
    assert kinds(after) == ["epilogue(matmul reshape add relu)", "reshape"]


def test_a_broadcast_result_stays() -> None:
    b = Builder()
    mean = b.op("reduce_sum", b.input(6, 5), axes=(0, 1))
    graph = b.returns(b.op("subtract", b.input(6, 5), b.op("multiply", mean, 0.2)))
    assert kinds(run(graph, WebGLTarget())) == ["epilogue(reduce_sum multiply)", "subtract"]


def test_two_kernels_share_a_sum() -> None:
    b = Builder()
    first = b.op("matmul", b.input(4, 5), b.input(5, 6), **PRODUCT)
    second = b.op("matmul", b.input(4, 5), b.input(5, 6), **PRODUCT)
    after = run(b.returns(b.op("relu", b.op("add", first, second))), WebGLTarget())
    assert kinds(after) == ["matmul", "epilogue(matmul add relu)"]


def test_operands_that_only_the_epilogue_reads() -> None:
    """Check that scales are multiplied where a product is divided by them, as in int8 layers."""
    b = Builder()
    x, w, of_row, of_columns = b.input(1, 5), b.input(5, 12), b.input(1, 1, 1), b.input(4, 3)
    scales = b.op("reshape", b.op("multiply", of_row, of_columns), shape=(1, 12))
    y = b.op("real_div", b.op("matmul", x, w, **PRODUCT), scales)
    assert kinds(run(b.returns(y), WebGLTarget())) == ["epilogue(matmul multiply reshape real_div)"]


@pytest.mark.parametrize("reason", ["read elsewhere", "an output", "smaller", "expensive"])
def test_other_operands_stay(reason: str) -> None:
    b = Builder()
    x, w, z = b.input(4, 5), b.input(5, 6), b.input(4, 6)
    scale = b.op("multiply", b.input(6), b.input(6)) if reason == "smaller" else z
    for _ in range(40 if reason == "expensive" else 1):
        scale = b.op("exp", scale)
    outputs = [b.op("multiply", b.op("matmul", x, w, **PRODUCT), scale)]
    if reason == "read elsewhere":
        outputs.append(b.op("relu", scale))
    if reason == "an output":
        outputs.append(scale)
    found = kinds(run(b.returns(*outputs), WebGLTarget()))
    assert "exp" in found
    assert "epilogue(matmul multiply)" in found or "expensive" in reason


def test_results_of_another_type() -> None:
    b = Builder()
    y = b.op("matmul", b.input(4, 5), b.input(5, 8), **PRODUCT)
    graph = b.returns(b.op("greater", y, 0.0))
    assert kinds(run(graph, WebGLTarget())) == ["epilogue(matmul greater)"]
    assert kinds(run(graph, WasmTarget())) == ["matmul", "greater"]


def test_the_number_of_textures_limits() -> None:
    b = Builder()
    y = b.op("matmul", b.input(4, 5), b.input(5, 8), **PRODUCT)
    for _ in range(20):
        y = b.op("add", y, b.input(4, 8))
    after = fuse_elementwise(run(b.returns(y), WebGLTarget()), Greedy())
    check_same(b.graph, after, [webgl.lower], 1e-4)
    assert [len(eqn.inputs) for eqn in after.eqns] == [15, 8]


@pytest.mark.parametrize("target", [WebGLTarget(), WebGPUTarget()], ids=["webgl", "webgpu"])
def test_the_statistics_of_rows_count_as_an_array(target: ShaderTarget) -> None:
    """Check that the statistics count towards the limit of operands.

    The last step of a softmax of long rows reads the statistics and the epilogue's operands.
    """

    def tail(x: Any, *others: Any) -> Any:
        y = tf.nn.softmax(x)
        for other in others:
            y = y + other
        return y

    graph = fuse_softmax(traced(tail, *[(3, 5001)] * 21), target)
    lower = webgl.lower if isinstance(target, WebGLTarget) else webgpu.lower
    program = lower(fuse_epilogue(graph, target))
    assert max(len(step.inputs) for step in program.steps) == target.max_inputs
