"""Large values with independent rows, computed in parts."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from passes.fusing import traced
from passes.sketch import Sketch, assert_same_bits, check, lines

import tfpy as tf
from tfpy._src.compiler.ir.evaluate import evaluate
from tfpy._src.compiler.ir.graph import Graph
from tfpy._src.compiler.ir.verify import verify
from tfpy._src.compiler.passes import row_parts
from tfpy._src.compiler.passes.row_parts import divide_rows

PLAIN = {"transpose_a": False, "transpose_b": False}
WORDS = 40


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Apply the pass to small Graphs."""
    monkeypatch.setattr(row_parts, "LARGE", 256)
    monkeypatch.setattr(row_parts, "PART", 128)


def largest(graph: Graph) -> int:
    return max(graph.avals[eqn.outputs[0]].size for eqn in graph.eqns)


def test_example() -> None:
    s = Sketch((12, 4), (4, 40))
    product = s("matmul", 0, 1, **PLAIN)
    graph = s.returns(s("reduce_max", s("negative", product), axes=(1, 2)))
    after = check(graph, divide_rows, inputs=[np.ones((12, 4)), np.ones((4, 40))])
    assert lines(after)[:5] == [
        "%5:float32[2,4] = strided_slice(%0) begin=(0, 0) size=(2, 4) strides=(1, 1)",
        "%6:float32[2,40] = matmul(%5, %1) transpose_a=False transpose_b=False",
        "%7:float32[2,40] = negative(%6)",
        "%8:float32[2] = reduce_max(%7) axes=(1, 2)",
        "%9:float32[2,4] = strided_slice(%0) begin=(2, 0) size=(2, 4) strides=(1, 1)",
    ]
    assert "concat(%8, %12, %16, %20, %24, %28) axis=0" in str(after)


def test_the_last_part_is_smaller(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(row_parts, "PART", 8 * WORDS)
    s = Sketch((13, 4), (4, WORDS))
    graph = s.returns(s("argmax", s("matmul", 0, 1, **PLAIN), axis=1))
    after = check(graph, divide_rows, inputs=[np.eye(13, 4), np.arange(160.0).reshape(4, WORDS)])
    assert "%5:float32[5,4]" not in str(graph)
    assert [after.avals[e.outputs[0]].shape for e in after.eqns if e.op.name == "argmax"] == [
        *((8,), (5,)),
    ]


def losses(x: Any, w: Any, labels: Any) -> Any:
    """Return the losses of words at [batch, position], the gradient, and the best words."""
    with tf.GradientTape() as tape:
        tape.watch(x)
        logits = tf.reshape(tf.reshape(x, (-1, 8)) @ w, (3, 5, WORDS))
        loss = tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits)
        mean = tf.reduce_mean(loss)
    return loss, tape.gradient(mean, x), tf.argmax(logits, 2)


def test_loss_and_gradient_of_a_language_model() -> None:
    graph = traced(losses, (3, 5, 8), (8, WORDS), tf.TensorSpec((3, 5), tf.int32))
    rng = np.random.default_rng(0)
    x, w = (rng.normal(size=shape).astype(np.float32) for shape in ((3, 5, 8), (8, WORDS)))
    labels = rng.integers(0, WORDS, (3, 5)).astype(np.int32)
    ones = np.full((3, 5, 1), 1 / 15, np.float32)  # the gradient of the mean, which is captured
    after = divide_rows(graph)
    verify(after)
    assert largest(graph) == 15 * WORDS
    assert largest(after) < 256
    pairs = zip(*(evaluate(one, [x, w, labels, ones]) for one in (graph, after)), strict=True)
    for found, wanted in pairs:
        np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-6)


def test_operands_that_are_computed_in_between() -> None:
    """Check that the parts follow everything that they read."""
    s = Sketch((12, 4), (4, 40))
    product = s("matmul", 0, 1, **PLAIN)
    scale = s("negative", s("reduce_sum", 0, axes=(1, 2)))
    scaled = s("multiply", product, s("reshape", scale, shape=(12, 1)))
    graph = s.returns(s("reduce_sum", scaled, axes=(1, 2)), scale)
    after = check(graph, divide_rows, inputs=[np.ones((12, 4)), np.ones((4, 40))])
    assert largest(after) < 256


def test_rows_that_depend_on_each_other() -> None:
    s = Sketch((12, 4), (4, 40))
    product = s("matmul", 0, 1, **PLAIN)
    by_column = s("reduce_sum", product, axes=(0, 1))
    graph = s.returns(by_column)
    assert divide_rows(graph) is graph
    s = Sketch((12, 4), (4, 40))
    product = s("matmul", 0, 1, **PLAIN)
    turned = s("transpose", product, perm=(1, 0))
    graph = s.returns(s("reduce_sum", turned, axes=(0, 1)))
    assert divide_rows(graph) is graph
    s = Sketch((12, 4), (4, 40), (12, 40))
    product = s("matmul", 0, 1, **PLAIN)
    again = s("matmul", product, 2, transpose_a=True, transpose_b=False)
    graph = s.returns(s("reduce_sum", again, axes=(1, 2)))
    assert divide_rows(graph) is graph


def test_results_of_parts_that_other_parts_read() -> None:
    """Check that nothing is divided if a sum over all rows is read by rows."""
    s = Sketch((12, 4), (4, 40))
    product = s("matmul", 0, 1, **PLAIN)
    total = s("reduce_sum", s("reduce_sum", product, axes=(1, 2)), axes=(0, 1))
    graph = s.returns(s("reduce_sum", s("multiply", product, total), axes=(1, 2)))
    assert divide_rows(graph) is graph


def test_large_results_and_small_values() -> None:
    s = Sketch((12, 4), (4, 40))
    product = s("matmul", 0, 1, **PLAIN)
    graph = s.returns(s("negative", product))
    assert divide_rows(graph) is graph
    s = Sketch((2, 4), (4, 40))
    graph = s.returns(s("reduce_sum", s("matmul", 0, 1, **PLAIN), axes=(1, 2)))
    assert divide_rows(graph) is graph


def test_broadcast_operands() -> None:
    s = Sketch((12, 4), (4, 40), (40,), (1, 40), (12, 1))
    product = s("matmul", 0, 1, **PLAIN)
    for operand in (2, 3, 4):
        product = s("add", product, operand)
    graph = s.returns(s("reduce_max", product, axes=(1, 2)))
    rng = np.random.default_rng(1)
    shapes = [graph.avals[i].shape for i in graph.inputs]
    given = [rng.integers(-4, 4, shape).astype(np.float32) for shape in shapes]
    after = divide_rows(graph)
    verify(after)
    assert largest(after) < 256
    assert_same_bits(evaluate(graph, given)[0], evaluate(after, given)[0])
