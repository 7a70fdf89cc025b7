"""Elementwise values that are computed again for late readers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from blocks import random_weights
from passes.fusing import traced
from passes.sketch import Sketch, check, lines

import tfpy as tf
from tfpy._src.base.dtypes import int8
from tfpy._src.compiler.ir.graph import Graph
from tfpy._src.compiler.lower import wasm
from tfpy._src.compiler.lower.wasm.target import WasmTarget
from tfpy._src.compiler.passes import recomputation
from tfpy._src.compiler.passes.block_weights import recompute_with_block_weights

WIDTH, LAYERS = 256, 24
PLAIN = {"transpose_a": False, "transpose_b": False}


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Apply the pass to small Graphs."""
    monkeypatch.setattr(recomputation, "DISTANCE", 4)
    monkeypatch.setattr(recomputation, "BYTES", 64)


def run(graph: Graph) -> Graph:
    return check(graph, lambda given: recomputation.recompute(given, WasmTarget()))


def arena(graph: Graph) -> int:
    found = wasm.lower(graph).arena
    assert found is not None
    return found.nbytes


def gradients(activation: Any) -> Any:
    """Return a function that computes gradients of a network with an activation."""

    def function(x: Any, w: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x
            for _ in range(LAYERS):
                y += activation(y @ w) @ w
            loss = tf.reduce_sum(y)
        return tape.gradient(loss, x)

    return function


def test_a_training_step_needs_less_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """Check that only products are stored for the gradients, not activations of them."""
    monkeypatch.setattr(recomputation, "DISTANCE", 20)
    shape = (WIDTH, WIDTH)
    graph = traced(gradients(lambda x: x * tf.sigmoid(x)), shape, shape)
    after = recomputation.recompute(graph, WasmTarget())
    rng = np.random.default_rng(0)
    x = rng.normal(size=shape).astype(np.float32)
    w = (rng.normal(size=shape) * 0.1 / WIDTH**0.5).astype(np.float32)
    check(graph, lambda _: after, inputs=[x, w])
    size = WIDTH * WIDTH * 4
    assert arena(graph) > 1.8 * LAYERS * size
    assert arena(after) < 1.5 * LAYERS * size


def test_example(small: None) -> None:
    s = Sketch((8, 8))
    product = s("matmul", 0, 0, **PLAIN)
    act = s("sigmoid", product)
    x = s("matmul", act, 0, **PLAIN)
    for _ in range(4):
        x = s("matmul", x, 0, **PLAIN)
    graph = s.returns(s("multiply", s("add", x, act), product))
    found = lines(run(graph))
    assert found[-4:] == [
        "%8:float32[8,8] = sigmoid(%1)",
        "%9:float32[8,8] = add(%7, %8)",
        "%10:float32[8,8] = multiply(%9, %1)",
        "return %10",
    ]
    assert found[1] == "%2:float32[8,8] = sigmoid(%1)"


def test_values_in_other_shapes(small: None) -> None:
    """Check that a reshaped value shares the decision about the value."""
    s = Sketch((8, 8))
    product = s("matmul", 0, 0, **PLAIN)
    act = s("sigmoid", s("reshape", product, shape=(64,)))
    square = s("reshape", act, shape=(8, 8))
    x = s("matmul", square, 0, **PLAIN)
    for _ in range(6):
        x = s("matmul", x, 0, **PLAIN)
    graph = s.returns(s("multiply", s("add", x, square), product))
    assert [line for line in lines(run(graph)) if "sigmoid" in line] == [
        "%3:float32[64] = sigmoid(%2)",
        "%12:float32[64] = sigmoid(%2)",
    ]


def test_chains(small: None) -> None:
    """Check that a value is computed again from others that are computed again."""
    s = Sketch((8, 8))
    product = s("matmul", 0, 0, **PLAIN)
    gate = s("sigmoid", product)
    act = s("multiply", product, gate)
    x = s("matmul", act, 0, **PLAIN)
    for _ in range(6):
        x = s("matmul", x, 0, **PLAIN)
    x = s("matmul", s("multiply", x, act), 0, **PLAIN)
    graph = s.returns(s("multiply", s("multiply", x, gate), product))
    names = [line.split(" = ")[1].split("(")[0] for line in lines(run(graph))[:-1]]
    assert names == [
        *("matmul", "sigmoid", "multiply", *["matmul"] * 7),
        *("sigmoid", "multiply", "multiply", "matmul", "multiply", "multiply"),
    ]


def chain(*, keeps_product: bool = True, length: int = 6, is_output: bool = False) -> Graph:
    s = Sketch((8, 8))
    product = s("matmul", 0, 0, **PLAIN)
    act = s("sigmoid", product)
    x = s("matmul", act, 0, **PLAIN)
    for _ in range(length):
        x = s("matmul", x, 0, **PLAIN)
    x = s("add", x, act)
    return s.returns(s("add", x, product if keeps_product else 1.0), *[act] * is_output)


def test_other_values_are_stored(small: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Check values with operands that nothing else keeps, near readers, outputs, small values."""
    graph = chain()
    assert run(graph) is not graph
    for graph in (chain(keeps_product=False), chain(length=1), chain(is_output=True)):
        assert run(graph) is graph
    monkeypatch.setattr(recomputation, "BYTES", 257)
    graph = chain()
    assert run(graph) is graph


def test_graphs_with_blocks(small: None) -> None:
    graph = chain()
    assert recompute_with_block_weights(graph, WasmTarget()) is graph
    data, _ = random_weights("Q8_0", 32, 32)
    s = Sketch((32, 32), (data.shape, int8))
    product = s("multiply_blocks", 0, 1, form="Q8_0", shape=(32, 32), transpose_b=True)
    act = s("sigmoid", product)
    x = s("matmul", act, 0, **PLAIN)
    for _ in range(6):
        x = s("matmul", x, 0, **PLAIN)
    graph = s.returns(s("multiply", s("add", x, act), product))
    found = recompute_with_block_weights(graph, WasmTarget())
    assert sum("sigmoid" in line for line in lines(found)) == 2
