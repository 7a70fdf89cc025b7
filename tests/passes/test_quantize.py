"""Products with int8 weights: which are quantized, and the error of their results."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np
import pytest
from passes.fusing import kinds
from passes.sketch import Array, Sketch, lines

from tfpy._src.base.dtypes import int32
from tfpy._src.compiler.ir.evaluate import evaluate
from tfpy._src.compiler.ir.graph import Graph
from tfpy._src.compiler.ir.verify import verify
from tfpy._src.compiler.lower import wasm, webgl
from tfpy._src.compiler.lower.program import verify as verify_program
from tfpy._src.compiler.lower.target import NumpyTarget
from tfpy._src.compiler.lower.wasm.target import WasmTarget
from tfpy._src.compiler.ops.quantized import quantize_channels, quantize_rows
from tfpy._src.compiler.passes.pipeline import optimize_with_weights
from tfpy._src.compiler.passes.quantize import quantize

POINT: dict[str, Any] = {"strides": (1, 1), "dilations": (1, 1), "padding": ((0, 0), (0, 0))}
PLAIN = {"transpose_a": False, "transpose_b": False}


def values_of(graph: Graph) -> list[Array]:
    rng = np.random.default_rng(3)
    return [rng.normal(0.5, 1, graph.avals[i].shape).astype(np.float32) for i in graph.inputs]


def quantized(graph: Graph, weights: Collection[int] = (1,)) -> Graph:
    """Return the Graph after the pass, and check that its result is as exact as int8 allows."""
    result = quantize(graph, WasmTarget(), weights)
    verify(result)
    given = values_of(graph)
    for before, after in zip(evaluate(graph, given), evaluate(result, given), strict=True):
        assert before.shape == after.shape
        assert np.abs(before - after).max() <= 0.02 * np.abs(before).max()
    return result


def names(graph: Graph) -> list[str]:
    return [eqn.op.name for eqn in graph.eqns]


def test_example() -> None:
    s = Sketch((1, 8, 8, 48), (1, 1, 48, 96), (96,))
    y = s("add", s("conv2d", 0, 1, **POINT), 2)
    assert lines(quantized(s.returns(y), (1, 2))) == [
        "%3:float32[48,96] = reshape(%1) shape=(48, 96)",
        "%4:float32[1,8,8,96] = quantized_matmul(%0, %3) transpose_b=False",
        "%5:float32[1,8,8,96] = add(%4, %2)",
        "return %5",
    ]


@pytest.mark.parametrize("transposed", [False, True])
@pytest.mark.parametrize("batch", [(), (5,), (2, 3)])
def test_products_with_a_matrix(batch: tuple[int, ...], transposed: bool) -> None:
    s = Sketch((*batch, 7, 70), (80, 70) if transposed else (70, 80))
    y = s("matmul", 0, 1, transpose_a=False, transpose_b=transposed)
    assert names(quantized(s.returns(y))) == ["quantized_matmul"]


@pytest.mark.parametrize(
    ("size", "attrs"),
    [
        (3, {}),
        (3, {"padding": ((1, 1), (0, 2))}),
        (3, {"strides": (2, 1), "padding": ((1, 1), (1, 1))}),
        (2, {"dilations": (2, 3)}),
        (1, {"padding": ((0, 0), (0, 1))}),
        (5, {"strides": (3, 3)}),
    ],
)
def test_convolutions(size: int, attrs: dict[str, Any]) -> None:
    s = Sketch((2, 9, 8, 40), (size, size, 40, 112), (112,))
    y = s("conv2d", 0, 1, **{**POINT, **attrs})
    graph = quantized(s.returns(s("add", y, 2)), (1, 2))
    assert names(graph) == ["quantized_conv2d", "add"]


def test_strided_pixels_with_many_channels() -> None:
    s = Sketch((1, 8, 8, 64), (1, 1, 64, 512))
    graph = quantized(s.returns(s("conv2d", 0, 1, **{**POINT, "strides": (2, 2)})))
    assert names(graph) == ["quantized_conv2d"]


def test_a_matrix_with_more_dimensions() -> None:
    s = Sketch((7, 70), (1, 1, 70, 80))
    graph = quantized(s.returns(s("matmul", 0, 1, **PLAIN)))
    assert names(graph) == ["reshape", "quantized_matmul", "reshape"]
    assert graph.avals[graph.outputs[0]].shape == (1, 1, 7, 80)


def test_constants_are_weights() -> None:
    s = Sketch((7, 70))
    w = np.random.default_rng(0).normal(size=(70, 80)).astype(np.float32)
    assert names(quantized(s.returns(s("matmul", 0, w, **PLAIN)), ())) == ["quantized_matmul"]


def test_weights_may_be_computed_of_weights() -> None:
    s = Sketch((7, 70), (70, 80), (80,))
    graph = s.returns(s("relu", s("matmul", 0, s("multiply", 1, 2), **PLAIN)))
    assert names(quantized(graph, (1, 2))) == ["multiply", "quantized_matmul", "relu"]
    prelude, main = optimize_with_weights(graph, WasmTarget(), (1, 2), bits=8)
    assert kinds(prelude) == ["multiply"]
    assert kinds(main) == ["epilogue(quantized_matmul relu)"]


KEPT: dict[str, tuple[Sketch, str, dict[str, Any], Collection[int]]] = {
    "not weights": (Sketch((7, 70), (70, 80)), "matmul", PLAIN, ()),
    "weights on the left": (Sketch((70, 80), (80, 90)), "matmul", PLAIN, (0,)),
    "weights alone": (Sketch((70, 80), (80, 90)), "matmul", PLAIN, (0, 1)),
    "small": (Sketch((100, 60), (60, 64)), "matmul", PLAIN, (1,)),
    "few channels": (Sketch((100, 1000), (1000, 60)), "matmul", PLAIN, (1,)),
    "too deep": (Sketch((2, 65537), (65537, 64)), "matmul", PLAIN, (1,)),
    "several matrices": (Sketch((2, 7, 70), (2, 70, 80)), "matmul", PLAIN, (1,)),
    "integers": (Sketch(((7, 70), int32), ((70, 80), int32)), "matmul", PLAIN, (1,)),
    "transposed": (
        *(Sketch((70, 7), (70, 80)), "matmul"),
        *({"transpose_a": True, "transpose_b": False}, (1,)),
    ),
    "filters not weights": (Sketch((1, 8, 8, 64), (3, 3, 64, 64)), "conv2d", POINT, ()),
    "shallow windows": (Sketch((1, 8, 8, 16), (3, 3, 16, 64)), "conv2d", POINT, (1,)),
    "few windows": (
        *(Sketch((1, 8, 8, 64), (1, 1, 64, 64)), "conv2d"),
        *({**POINT, "strides": (2, 1)}, (1,)),
    ),
    "groups": (Sketch((1, 8, 8, 128), (1, 1, 64, 128)), "conv2d", POINT, (1,)),
    "groups of windows": (Sketch((1, 8, 8, 128), (3, 3, 64, 128)), "conv2d", POINT, (1,)),
}


@pytest.mark.parametrize("name", KEPT)
def test_kept(name: str) -> None:
    sketch, op, attrs, weights = KEPT[name]
    graph = sketch.returns(sketch(op, 0, 1, **attrs))
    assert quantize(graph, WasmTarget(), weights) is graph


@pytest.mark.parametrize("target", [NumpyTarget(), webgl.WebGLTarget()])
def test_targets_without_the_kernel(target: Any) -> None:
    s = Sketch((7, 70), (70, 80))
    graph = s.returns(s("matmul", 0, 1, **PLAIN))
    assert quantize(graph, target, (1,)) is graph


def test_only_on_request() -> None:
    s = Sketch((7, 70), (70, 80))
    graph = s.returns(s("matmul", 0, 1, **PLAIN))
    for bits, name in ((0, "matmul"), (4, "quantized_matmul"), (8, "quantized_matmul")):
        _, main = optimize_with_weights(graph, WasmTarget(), (1,), bits)
        assert names(main) == [name]


@pytest.mark.parametrize("pixels", [False, True])
def test_bias_and_clamp_are_the_kernels(pixels: bool) -> None:
    """Check that bias and relu6 become part of the kernel.

    Batch normalization is folded first.
    """
    s = (
        Sketch((2, 5, 6, 64), (1, 1, 64, 72), (72,), (72,))
        if pixels
        else Sketch((2, 7, 64), (64, 72), (72,), (72,))
    )
    y = s("conv2d", 0, 1, **POINT) if pixels else s("matmul", 0, 1, **PLAIN)
    graph = s.returns(s("relu6", s("add", s("multiply", y, 2), 3)))
    prelude, main = optimize_with_weights(graph, WasmTarget(), (1, 2, 3), bits=8)
    assert names(prelude) == ["multiply"]
    program = wasm.lower(main)
    verify_program(program)
    (step,) = program.steps
    assert program.kernels[step.kernel].name == "quantized_matmul"
    rows = 60 if pixels else 14
    assert {**step.params} == {
        **{"m": rows, "n": 72, "k": 64, "transpose_b": "false", "bias": "true"},
        **{"clamp_min_bits": 0, "clamp_max_bits": int(np.float32(6).view(np.int32))},
    }


def test_bias_and_clamp_are_the_convolutions() -> None:
    s = Sketch((2, 5, 6, 32), (3, 3, 32, 24), (24,), (24,))
    y = s("conv2d", 0, 1, **POINT)
    graph = s.returns(s("relu6", s("add", s("multiply", y, 2), 3)))
    prelude, main = optimize_with_weights(graph, WasmTarget(), (1, 2, 3), bits=8)
    assert names(prelude) == ["multiply"]
    program = wasm.lower(main)
    verify_program(program)
    (step,) = program.steps
    assert program.kernels[step.kernel].name == "quantized_conv2d"
    assert {"in_c": 32, "out_c": 24, "out_h": 3, "bias": "true"}.items() <= {**step.params}.items()
    assert step.params["clamp_max_bits"] == int(np.float32(6).view(np.int32))


def test_rows_are_quantized_to_half_a_step() -> None:
    rng = np.random.default_rng(1)
    x = rng.normal(rng.uniform(-3, 3, (50, 1)), 1, (50, 31)).astype(np.float32)
    values, scales = quantize_rows(x)
    assert (np.rint(values) == values).all()
    width = np.maximum(x.max(1), 0) - np.minimum(x.min(1), 0)
    np.testing.assert_allclose(scales[:, 0] * 255, width, rtol=1e-6)
    assert (values.max(1) - values.min(1) <= 255).all()
    # At one end of the range the rounded zero point may add another half.
    assert (np.abs(values * scales - x) <= scales * 1.001).all()
    assert (np.abs(values * scales - x) <= scales * 0.501).mean() > 0.95


def test_channels_are_quantized_to_half_a_step() -> None:
    w = np.random.default_rng(2).normal(size=(40, 31)).astype(np.float32)
    values, scales = quantize_channels(w)
    assert (np.abs(values).max(1) == 127).all()
    assert (np.abs(values * scales - w) <= scales * 0.501).all()


def test_zero_is_exact() -> None:
    """Check that zeros, e.g. from relu or padding, cause no error."""
    x = np.maximum(np.random.default_rng(3).normal(size=(20, 64)), 0).astype(np.float32)
    values = quantize_rows(x).values
    assert ((values == 0) >= (x == 0)).all()
    assert (quantize_rows(np.zeros((3, 8), np.float32)).values == 0).all()
