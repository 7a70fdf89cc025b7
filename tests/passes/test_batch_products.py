"""Products of slices with the same matrix."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from passes.sketch import Sketch, check, lines

import tfpy as tf
from tfpy.ir.graph import Graph
from tfpy.passes.batch_products import batch_products
from tfpy.passes.pipeline import simplify


def whole_numbers(graph: Graph) -> list[Any]:
    """Inputs of which sums of products are exact."""
    rng = np.random.default_rng(2)
    shapes = (graph.avals[i].shape for i in graph.inputs)
    return [rng.integers(-4, 5, shape).astype(np.float32) for shape in shapes]


def step(s: Sketch, t: int, size: int = 1, *, transpose_b: bool = False) -> int:
    """Rows ``t`` of the second axis of value 0, of shape [4, 3, 8], times value 1."""
    part = s("strided_slice", 0, begin=(0, t, 0), size=(4, size, 8), strides=(1, 1, 1))
    rows = s("reshape", part, shape=(4 * size, 8))
    return s("matmul", rows, 1, transpose_a=False, transpose_b=transpose_b)


@pytest.mark.parametrize("transpose_b", [False, True])
def test_steps_of_a_recurrence(transpose_b: bool) -> None:
    s = Sketch((4, 3, 8), (16, 8) if transpose_b else (8, 16))
    graph = s.returns(*(step(s, t, transpose_b=transpose_b) for t in range(3)))
    result = check(graph, batch_products, inputs=whole_numbers(graph))
    assert lines(result) == [
        "%2:float32[12,8] = reshape(%0) shape=(12, 8)",
        f"%3:float32[12,16] = matmul(%2, %1) transpose_a=False transpose_b={transpose_b}",
        "%4:float32[4,3,16] = reshape(%3) shape=(4, 3, 16)",
        "%5:float32[4,1,16] = strided_slice(%4) begin=(0, 0, 0) size=(4, 1, 16) strides=(1, 1, 1)",
        "%6:float32[4,16] = reshape(%5) shape=(4, 16)",
        "%7:float32[4,1,16] = strided_slice(%4) begin=(0, 1, 0) size=(4, 1, 16) strides=(1, 1, 1)",
        "%8:float32[4,16] = reshape(%7) shape=(4, 16)",
        "%9:float32[4,1,16] = strided_slice(%4) begin=(0, 2, 0) size=(4, 1, 16) strides=(1, 1, 1)",
        "%10:float32[4,16] = reshape(%9) shape=(4, 16)",
        "return %6, %8, %10",
    ]


@pytest.mark.parametrize("steps", [[(0, 1), (2, 1)], [(0, 1)], [(0, 1), (1, 2), (0, 2)]])
def test_only_all_rows_are_multiplied_at_once(steps: list[tuple[int, int]]) -> None:
    s = Sketch((4, 3, 8), (8, 16))
    graph = s.returns(*(step(s, *one) for one in steps))
    assert batch_products(graph) is graph


def test_slices_of_columns_stay() -> None:
    s = Sketch((4, 6), (3, 5))
    parts = [s("strided_slice", 0, begin=(0, at), size=(4, 3), strides=(1, 1)) for at in (0, 3)]
    products = [s("matmul", x, 1, transpose_a=False, transpose_b=False) for x in parts]
    graph = s.returns(*products)
    assert batch_products(graph) is graph


def test_backwards_steps_of_two_layers() -> None:
    s = Sketch((4, 3, 8), (8, 8), (8, 5))
    hidden = [s("relu", step(s, t)) for t in (2, 1, 0)]
    total = s("reshape", s("concat", *hidden, axis=1), shape=(4, 3, 8))
    parts = [
        s("strided_slice", total, begin=(0, t, 0), size=(4, 1, 8), strides=(1, 1, 1))
        for t in range(3)
    ]
    products = [s("matmul", x, 2, transpose_a=False, transpose_b=False) for x in parts]
    graph = s.returns(*(s("relu", y) for y in products))
    result = check(graph, batch_products, inputs=whole_numbers(graph))
    assert [eqn.op.name for eqn in result.eqns].count("matmul") == 2


def test_lstm(rng: np.random.Generator) -> None:
    kernel, recurrent, bias = (
        tf.Variable(rng.normal(size=shape).astype(np.float32))
        for shape in ((3, 16), (4, 16), (16,))
    )

    def lstm(x: tf.Tensor) -> tf.Tensor:
        h = c = tf.zeros([2, 4])
        for t in range(5):
            z = tf.matmul(x[:, t], kernel) + tf.matmul(h, recurrent) + bias
            i, f, g, o = tf.split(z, 4, axis=1)
            c = tf.sigmoid(f) * c + tf.sigmoid(i) * tf.tanh(g)
            h = tf.sigmoid(o) * tf.tanh(c)
        return h

    x = tf.constant(rng.normal(size=(2, 5, 3)).astype(np.float32))
    compiled = tf.function(lstm)
    graph = simplify(compiled.get_concrete_function(x).graph)
    assert [eqn.op.name for eqn in graph.eqns].count("matmul") == 1 + 5
    np.testing.assert_allclose(compiled(x).numpy(), lstm(x).numpy(), rtol=1e-5, atol=1e-6)
