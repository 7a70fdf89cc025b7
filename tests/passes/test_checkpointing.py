"""Segments of a forward pass that are computed again for the backward pass."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest
from passes.fusing import traced
from passes.sketch import Sketch, check

import tfpy as tf
from tfpy._src.compiler.ir.graph import Graph
from tfpy._src.compiler.lower import wasm
from tfpy._src.compiler.passes import checkpointing
from tfpy._src.compiler.passes.checkpointing import keep_checkpoints

SHAPE = (32, 32)
SIZE = 4 * 32 * 32
PLAIN = {"transpose_a": False, "transpose_b": False}


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Apply the pass to small Graphs."""
    monkeypatch.setattr(checkpointing, "SMALL", SIZE)
    monkeypatch.setattr(checkpointing, "LEAST", 1)


def gradient_of(layers: int, layer: Any) -> Graph:
    """Return the Graph of the gradient of a network of equal layers."""

    def function(x: Any, w: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x
            for _ in range(layers):
                y = y + layer(y, w)
            loss = tf.reduce_sum(tf.square(y))
        return loss, tape.gradient(loss, x)

    return traced(function, SHAPE, SHAPE)


def block(x: Any, w: Any) -> Any:
    """Apply a layer with several stored values."""
    gate = tf.tanh(x @ w)
    return (tf.sin(gate @ w) * gate) @ w


def inputs(graph: Graph) -> list[Any]:
    """Return a matrix, weights, and ones for captured tensors, which are gradients of sums."""
    rng = np.random.default_rng(0)
    x, w = (rng.normal(size=SHAPE).astype(np.float32) for _ in range(2))
    ones = [np.ones(graph.avals[value].shape, np.float32) for value in graph.inputs[2:]]
    return [x, w * 0.1, *ones]


def arena(graph: Graph) -> int:
    found = wasm.lower(graph).arena
    assert found is not None
    return found.nbytes


def products(graph: Graph) -> int:
    return Counter(eqn.op.name for eqn in graph.eqns)["matmul"]


def test_memory_grows_with_the_root_of_the_number_of_layers() -> None:
    graph = gradient_of(24, block)
    after = check(graph, keep_checkpoints, inputs=inputs(graph))
    assert arena(graph) > 24 * 3 * SIZE
    assert arena(after) < 16 * SIZE
    assert products(graph) < products(after) < 1.8 * products(graph)


def test_one_level_suffices(monkeypatch: pytest.MonkeyPatch) -> None:
    """Check that no more is computed than the bytes of the inputs require."""
    monkeypatch.setattr(checkpointing, "LEAST", 24 * SIZE)
    graph = gradient_of(24, block)
    after = check(graph, keep_checkpoints, inputs=inputs(graph))
    assert 16 * SIZE < arena(after) < 24 * SIZE
    assert products(after) < 1.5 * products(graph)


def test_a_step_that_needs_little_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = gradient_of(4, block)
    monkeypatch.setattr(checkpointing, "LEAST", 100 * SIZE)
    assert keep_checkpoints(graph) is graph


def test_no_narrow_position() -> None:
    """Check that a Graph is unchanged if all values are passed on everywhere."""
    s = Sketch(SHAPE)
    values = [s("matmul", 0, 0, **PLAIN) for _ in range(8)]
    total = values[0]
    for value in values[1:]:
        total = s("multiply", total, value)
    for value in values:
        total = s("multiply", total, value)
    graph = s.returns(total)
    after = check(graph, keep_checkpoints)
    assert arena(after) <= arena(graph)


def test_results_and_values_in_other_shapes() -> None:
    """Check that outputs are not computed twice, and that reshaped values are found."""

    def layer(x: Any, w: Any) -> Any:
        flat = tf.reshape(tf.tanh(x @ w), (-1,))
        return tf.reshape(tf.sin(flat) * flat, SHAPE) @ w

    def function(x: Any, w: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y, seen = x, []
            for _ in range(12):
                y = y + layer(y, w)
                seen.append(y)
            loss = tf.reduce_sum(tf.square(y))
        return loss, tape.gradient(loss, x), seen[3], seen[7]

    graph = traced(function, SHAPE, SHAPE)
    after = check(graph, keep_checkpoints, inputs=inputs(graph))
    assert arena(after) < 0.6 * arena(graph)


def test_random_numbers_are_the_same() -> None:
    """Check that a value with random numbers is computed again from the same state."""

    def function(x: Any, w: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x
            for i in range(12):
                kept = tf.random.stateless_uniform(SHAPE, (i, 2)) < 0.9
                y = y + tf.where(kept, tf.tanh(y @ w) @ w, 0.0)
            loss = tf.reduce_sum(tf.square(y))
        return loss, tape.gradient(loss, x)

    graph = traced(function, SHAPE, SHAPE)
    after = check(graph, keep_checkpoints, inputs=inputs(graph))
    assert products(after) > products(graph)
