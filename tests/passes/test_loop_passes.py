"""Loops are reduced to the values that are read before they are compiled."""

from __future__ import annotations

from typing import Any

import numpy as np

import tfpy as tf
from tfpy._src.compiler.ir.evaluate import evaluate
from tfpy._src.compiler.ir.graph import Eqn, Graph
from tfpy._src.compiler.ir.verify import verify
from tfpy._src.compiler.passes.loop_constants import embed_loop_constants
from tfpy._src.compiler.passes.loop_variables import divide_loop_variables
from tfpy._src.compiler.passes.loops import reduce_loops, share_loops

X = np.arange(1.0, 5.0, dtype=np.float32)


def compiled(graph: Graph) -> Graph:
    return reduce_loops(share_loops(graph))


def loops(graph: Graph) -> list[Eqn]:
    return [e for e in graph.eqns if e.op.name == "while_loop"]


def test_variables_that_nobody_reads_go() -> None:
    @tf.function
    def program(x: Any) -> Any:
        i, y, z = tf.constant(0), x, x
        while i < 3:
            y = y * 2.0
            z = z + y
            i += 1
        return y

    before = program.get_concrete_function(tf.constant(X)).traced.graph
    after = compiled(before)
    verify(after)
    assert [len(e.outputs) for e in loops(before)] == [3]
    assert [len(e.outputs) for e in loops(after)] == [2]
    np.testing.assert_array_equal(evaluate(after, [X])[0], X * 8)


def test_effects_keep_what_they_read() -> None:
    seen: list[float] = []

    @tf.function
    def program(x: Any) -> Any:
        i, y = tf.constant(0), tf.constant(1.0)
        while i < 3:
            y = y * 2.0
            tf.py_function(lambda v: seen.append(float(v)), [y], [])
            i += 1
        return x

    program(tf.constant(X))
    assert seen[-3:] == [2, 4, 8]


def test_the_loop_that_notes_serves_both() -> None:
    @tf.function
    def program(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x
            for _ in tf.range(3):
                y = tf.sin(y) * x
        return y, tape.gradient(y, x)

    before = program.get_concrete_function(tf.constant(X)).traced.graph
    after = compiled(before)
    verify(after)
    assert len(loops(before)) == 3
    assert len(loops(after)) == 2
    concrete = program.get_concrete_function(tf.constant(X))
    arrays = [X, *(np.asarray(e.tensor) for e in concrete.extras)]
    for mine, wanted in zip(evaluate(after, arrays), program(tf.constant(X)), strict=True):
        np.testing.assert_allclose(mine, wanted, rtol=1e-6)


def test_gradients_of_tables_are_lists_of_rows() -> None:
    @tf.function
    def program(table: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(table)
            total = tf.zeros([2])
            for i in tf.range(6):
                total = total * 0.5 + table[i % 3]
        return tape.gradient(total, table)

    table = tf.constant(np.ones([3, 2], np.float32))
    graph = compiled(program.get_concrete_function(table).traced.graph)
    back = loops(graph)[-1]
    whole = [v for v in back.outputs if graph.avals[v].shape == (3, 2)]
    assert not whole
    weights = np.array([2.0**-5 + 2.0**-2, 2.0**-4 + 2.0**-1, 2.0**-3 + 1.0], np.float32)
    np.testing.assert_allclose(program(table), np.stack([weights, weights], 1))


def caches(layers: int, unstacked: Any) -> Any:
    """Return a function with a loop over a stack of arrays. The body updates each array."""

    @tf.function
    def program(x: Any, cache: Any) -> Any:
        i = tf.constant(0)
        while i < 3:
            parts = []
            for layer in range(layers):
                pair = unstacked(cache, layer)
                key = pair[:, 0] * x
                value = pair[:, 1] + tf.reduce_sum(key, 1, keepdims=True)
                parts.append(tf.stack([key, value], 1))
            cache = tf.stack(parts, 1)
            x = x * 2.0
            i += 1
        return cache

    return program


def divided(program: Any, layers: int) -> tuple[Eqn, Eqn]:
    """Return the loop before and after its variables are divided. The results must be equal."""
    arguments = [np.arange(3, dtype=np.float32), np.ones([2, layers, 2, 6, 3], np.float32)]
    before = program.get_concrete_function(*map(tf.constant, arguments)).traced.graph
    after = divide_loop_variables(before)
    verify(after)
    results = [evaluate(graph, arguments)[0] for graph in (before, after)]
    np.testing.assert_array_equal(*results)
    assert divide_loop_variables(after) is after
    return loops(before)[0], loops(after)[0]


def test_variables_that_are_stacks_are_divided() -> None:
    _, loop = divided(caches(2, lambda cache, layer: cache[:, layer]), 2)
    body = dict(loop.attrs)["body"]
    shapes = [body.avals[v].shape for v in body.inputs]
    assert shapes.count((2, 6, 3)) == 4
    assert len(loop.outputs) == 2 + 4  # the counter, x, and the arrays


def test_variables_that_are_read_as_a_whole_stay() -> None:
    for layers, unstacked in (
        (2, lambda cache, layer: cache[:, layer] + tf.reduce_max(cache)),
        (3, lambda cache, layer: cache[:, :2][:, 1] + cache[:, layer]),
    ):
        before, after = divided(caches(layers, unstacked), layers)
        assert len(before.outputs) == len(after.outputs)


def test_variables_that_are_only_reshaped_stay() -> None:
    @tf.function
    def program(x: Any, y: Any) -> Any:
        i = tf.constant(0)
        while i < 3:
            x = tf.reshape(x, [3])
            i += 1
        return x + tf.reduce_sum(y)

    before, after = divided(program, 1)
    assert len(before.outputs) == len(after.outputs)


def test_variables_that_the_test_returns_stay() -> None:
    @tf.function
    def program(x: Any, y: Any) -> Any:
        return tf.while_loop(
            lambda goes_on, x: goes_on,
            lambda goes_on, x: (tf.reshape(x[:1] < 3.0, []), x + 1.0),
            (tf.constant(True), x + tf.reduce_sum(y) * 0.0),
        )[1]

    before, after = divided(program, 1)
    assert [v.shape for v in dict(after.attrs)["test"].avals[:1]] == [()]
    assert len(before.outputs) == len(after.outputs)


def test_numbers_that_are_read_become_constants() -> None:
    @tf.function
    def program(x: Any) -> Any:
        least, shift = tf.constant(2.5), tf.constant([0.5, 1.0, 1.5, 2.0])
        i, y = tf.constant(0), x
        while i < tf.constant(3):
            z = y
            for _ in tf.range(2):
                z = tf.where(z > least, z, z + shift)
            y, i = z, i + 1
        return y, least

    before = program.get_concrete_function(tf.constant(X)).traced.graph
    after = embed_loop_constants(before)
    verify(after)
    (loop,) = loops(after)
    assert len(loop.inputs) < len(loops(before)[0].inputs)
    body = dict(loop.attrs)["body"]
    (inner,) = loops(body)
    assert len(inner.inputs) == dict(inner.attrs)["state"], "all constants are inside"
    for got, wanted in zip(evaluate(after, [X]), evaluate(before, [X]), strict=True):
        np.testing.assert_array_equal(got, wanted)
    assert embed_loop_constants(after) is after
