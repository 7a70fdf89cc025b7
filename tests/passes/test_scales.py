"""Scales and batch normalization folded into weights, and the prelude that computes them."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection
from typing import Any

import numpy as np
import pytest
from passes.sketch import Array, Sketch, lines

from tfpy._src.compiler.ir.evaluate import evaluate
from tfpy._src.compiler.ir.graph import Graph
from tfpy._src.compiler.ir.verify import verify
from tfpy._src.compiler.lower.target import NumpyTarget
from tfpy._src.compiler.ops import OPS
from tfpy._src.compiler.passes.pipeline import optimize_with_weights, simplify
from tfpy._src.compiler.passes.prelude import split_prelude
from tfpy._src.compiler.passes.scales import fold_scales

WINDOW: dict[str, Any] = {"strides": (1, 1), "dilations": (1, 1), "padding": ((1, 1), (1, 1))}
PLAIN = {"transpose_a": False, "transpose_b": False}


def values_of(graph: Graph) -> list[Array]:
    rng = np.random.default_rng(3)
    return [rng.uniform(0.2, 1.5, graph.avals[i].shape).astype(np.float32) for i in graph.inputs]


def folded(graph: Graph, weights: Collection[int]) -> Graph:
    """Return the Graph after the pass, which changes values by rounding only."""
    result = fold_scales(graph, weights)
    verify(result)
    assert_close(evaluate(graph, values_of(graph)), evaluate(result, values_of(graph)))
    return result


def assert_close(expected: list[Array], found: list[Array]) -> None:
    for a, b in zip(expected, found, strict=True):
        np.testing.assert_allclose(b, a, rtol=2e-5, atol=1e-5)


def names(graph: Graph) -> list[str]:
    return [eqn.op.name for eqn in graph.eqns]


def test_scales_of_convolutions() -> None:
    s = Sketch((1, 8, 8, 2), (3, 3, 2, 4), (4,), (4,))
    y = s("add", s("multiply", s("conv2d", 0, 1, **WINDOW), 2), 3)
    window = "strides=(1, 1) dilations=(1, 1) padding=((1, 1), (1, 1))"
    assert lines(folded(s.returns(y), {1, 2, 3})) == [
        "%4:float32[3,3,2,4] = multiply(%1, %2)",
        f"%5:float32[1,8,8,4] = conv2d(%0, %4) {window}",
        "%6:float32[1,8,8,4] = add(%5, %3)",
        "return %6",
    ]


def test_constants_are_weights() -> None:
    s = Sketch((1, 8, 8, 2))
    filters = s.constant(np.ones((3, 3, 2, 4), np.float32))
    y = s("multiply", s("conv2d", 0, filters, **WINDOW), np.arange(4, dtype=np.float32))
    graph = folded(s.returns(y), ())
    assert names(graph) == ["multiply", "conv2d"]
    assert names(simplify(graph)) == ["conv2d"]


@pytest.mark.parametrize("weights", [{1}, {2}, ()])
def test_data_is_not_folded(weights: Collection[int]) -> None:
    s = Sketch((1, 8, 8, 2), (3, 3, 2, 4), (4,))
    y = s("multiply", s("conv2d", 0, 1, **WINDOW), 2)
    assert names(folded(s.returns(y), weights)) == ["conv2d", "multiply"]


def test_a_convolution_that_is_read_twice_stays() -> None:
    s = Sketch((1, 8, 8, 2), (3, 3, 2, 4), (4,))
    y = s("conv2d", 0, 1, **WINDOW)
    assert names(folded(s.returns(s("multiply", y, 2), y), {1, 2})) == ["conv2d", "multiply"]


@pytest.mark.parametrize("shape", [(8, 1), (1, 8, 8, 4), (8, 8, 1)])
def test_scales_that_differ_between_pixels_stay(shape: Any) -> None:
    s = Sketch((1, 8, 8, 2), (3, 3, 2, 4), shape)
    y = s("multiply", s("conv2d", 0, 1, **WINDOW), 2)
    assert names(folded(s.returns(y), {1, 2})) == ["conv2d", "multiply"]


@pytest.mark.parametrize("scale", [(), (1,), (6,), (1, 1, 6), (1, 1, 1, 6)])
def test_depthwise_convolutions(scale: Any) -> None:
    s = Sketch((1, 8, 8, 3), (3, 3, 3, 2), scale)
    y = s("real_div", s("depthwise_conv2d", 0, 1, **WINDOW), 2)
    assert names(folded(s.returns(y), {1, 2}))[-1] == "depthwise_conv2d"


@pytest.mark.parametrize("transposed", [False, True])
def test_products(transposed: bool) -> None:
    s = Sketch((5, 3), (4, 3) if transposed else (3, 4), (4,))
    y = s("multiply", s("matmul", 0, 1, transpose_a=False, transpose_b=transposed), 2)
    assert names(folded(s.returns(y), {1, 2}))[-1] == "matmul"


def test_scales_pass_biases_and_reshapes() -> None:
    s = Sketch((6, 3), (3, 4), (4,), (4,))
    y = s("add", s("matmul", 0, 1, **PLAIN), 2)
    y = s("multiply", s("reshape", y, shape=(2, 3, 4)), 3)
    assert names(folded(s.returns(y), {1, 2, 3})) == [
        "multiply",
        "matmul",
        "multiply",
        "add",
        "reshape",
    ]


@pytest.mark.parametrize("shape", [(6, 2, 2), (24,)])
def test_channels_do_not_pass_reshapes_that_divide_them(shape: Any) -> None:
    s = Sketch((6, 3), (3, 4), shape[-1:])
    y = s("multiply", s("reshape", s("matmul", 0, 1, **PLAIN), shape=shape), 2)
    assert names(folded(s.returns(y), {1, 2})) == ["matmul", "reshape", "multiply"]


def test_a_number_passes_transposes_and_products_of_activations() -> None:
    """Check that the scale of attention moves into the weights of the queries."""
    s = Sketch((1, 6, 8), (8, 8), (8,), (8, 8))
    rows = s("reshape", 0, shape=(6, 8))

    def heads(x: int) -> int:
        return s("transpose", s("reshape", x, shape=(1, 6, 2, 4)), perm=(0, 2, 1, 3))

    queries = heads(s("add", s("matmul", rows, 1, **PLAIN), 2))
    keys = heads(s("matmul", rows, 3, **PLAIN))
    scores = s("matmul", queries, keys, transpose_a=False, transpose_b=True)
    graph = folded(s.returns(s("multiply", scores, 0.7)), {1, 2, 3})
    assert names(graph)[-1] == "matmul"
    prelude, main = split_prelude(graph, {1, 2, 3})
    assert names(prelude) == ["multiply", "multiply"]
    assert "multiply" not in names(main)


def test_shifts_are_joined() -> None:
    s = Sketch((5, 3), (3, 4), (4,), (4,), (4,))
    y = s("subtract", s("add", s("matmul", 0, 1, **PLAIN), 2), 3)
    graph = s.returns(s("add", s("relu", s("subtract", y, 4)), 4))
    assert names(folded(graph, {1, 2, 3, 4})) == [
        "matmul",
        "subtract",
        "subtract",
        "add",
        "relu",
        "add",
    ]


def test_biases_go_beside_their_products() -> None:
    s = Sketch((5, 3), (3, 4), (4,), (5, 4))
    y = s("add", 3, s("matmul", 0, 1, **PLAIN))
    assert lines(folded(s.returns(s("add", y, 2)), {1, 2})) == [
        "%4:float32[5,4] = matmul(%0, %1) transpose_a=False transpose_b=False",
        "%5:float32[5,4] = add(%4, %2)",
        "%6:float32[5,4] = add(%5, %3)",
        "return %6",
    ]


def test_shifts_of_other_values_keep_their_order() -> None:
    s = Sketch((4,), (4,), (4,))
    graph = s.returns(s("add", s("add", 0, 1), 2))
    assert lines(folded(graph, {1, 2})) == lines(graph)


def batch_norm(s: Sketch, x: int, scale: int, offset: int, mean: int, variance: int) -> int:
    factor = s("multiply", s("rsqrt", s("add", variance, 0.001)), scale)
    shift = s("add", s("multiply", s("negative", mean), factor), offset)
    return s("add", s("multiply", x, factor), shift)


def test_batch_normalization_is_one_convolution_with_a_bias() -> None:
    channel = [(4,)] * 5
    s = Sketch((1, 8, 8, 2), (3, 3, 2, 4), *channel)
    y = s("add", s("conv2d", 0, 1, **WINDOW), 2)
    graph = s.returns(s("relu", batch_norm(s, y, 3, 4, 5, 6)))
    weights = range(1, 7)
    prelude, main = optimize_with_weights(graph, NumpyTarget(), weights)
    verify(prelude)
    verify(main)
    assert names(main) == ["conv2d", "add", "relu"]
    inputs = values_of(graph)
    computed = evaluate(prelude, [inputs[i] for i in weights])
    assert_close(evaluate(graph, inputs), evaluate(main, [*inputs, *computed]))


def test_the_prelude_is_what_depends_on_weights_alone() -> None:
    s = Sketch((4, 4), (4, 4), (4, 4))
    e = s("exp", 1)
    graph = s.returns(s("add", 0, e), s("sin", e), s("multiply", s("exp", 2), 0))
    prelude, main = split_prelude(graph, [1])
    assert str(prelude).splitlines() == [
        "graph(%0:float32[4,4])",
        "  %1:float32[4,4] = exp(%0)",
        "  %2:float32[4,4] = sin(%1)",
        "  return %1, %2",
    ]
    assert len(main.inputs) == 5
    assert lines(main) == [
        "%5:float32[4,4] = add(%0, %3)",
        "%6:float32[4,4] = exp(%2)",
        "%7:float32[4,4] = multiply(%6, %0)",
        "return %5, %4, %7",
    ]


def test_what_costs_nothing_is_not_kept() -> None:
    s = Sketch((6, 4), (4,), (2, 2))
    rows = s("broadcast_to", s("exp", 1), shape=(6, 4))
    numbers = s("range", start=0, delta=1, count=4, dtype=s.builder.aval(0).dtype)
    y = s("add", s("multiply", s("add", 0, rows), s("reshape", 2, shape=(4,))), numbers)
    prelude, main = split_prelude(s.returns(y), [1, 2])
    assert names(prelude) == ["exp"]
    assert sorted(names(main)) == sorted(
        ["broadcast_to", "add", "reshape", "multiply", "range", "add"]
    )


def test_without_weights_there_is_no_prelude() -> None:
    s = Sketch((4,), (4,))
    graph = s.returns(s("add", 0, 1), 1)
    prelude, main = split_prelude(graph, [1])
    assert not prelude.outputs
    assert main is graph


def test_stateful_equations_run_at_each_call() -> None:
    effect = dataclasses.replace(OPS["exp"], name="effect", stateful=True)
    s = Sketch((4,), (4,))
    y = s.builder.apply(effect, s("sin", 1))
    prelude, main = split_prelude(s.returns(s("add", 0, s("cos", y))), [1])
    assert names(prelude) == ["sin"]
    assert names(main) == ["effect", "cos", "add"]


def test_constants_alone_are_computed_once() -> None:
    s = Sketch((300,))
    big = s("exp", s("range", start=0.0, delta=0.01, count=300, dtype=s.builder.aval(0).dtype))
    prelude, main = split_prelude(s.returns(s("add", 0, big)), [])
    assert names(prelude) == ["range", "exp"]
    (computed,) = evaluate(prelude, [])
    np.testing.assert_allclose(
        evaluate(main, [np.ones(300, np.float32), computed])[0],
        evaluate(s.graph, [np.ones(300, np.float32)])[0],
    )
