"""tf.function(quantize="int8"): products in loops and branches."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from function.quantizing import off

import tfpy as tf
from tfpy._src.compiler.ops.quantized import quantized_matmul

RNG = np.random.default_rng(7)
STEPS, BATCH, INPUTS, UNITS = 5, 3, 24, 64
X = RNG.normal(size=(STEPS, BATCH, INPUTS)).astype(np.float32)
W = (RNG.normal(size=(INPUTS + UNITS, UNITS)) / 9).astype(np.float32)
V = (RNG.normal(size=(UNITS, 80)) / 8).astype(np.float32)
ZEROS = np.zeros((BATCH, UNITS), np.float32)
Product = Callable[[Any, Any], Any]

pytestmark = pytest.mark.usefixtures("quantizing")


def int8(a: Any, b: Any) -> Any:
    return quantized_matmul.ref(a, b, transpose_b=False)


def recurrent(product: Product) -> Any:
    """Return the last state of a network with the weights W, computed by NumPy."""
    state = ZEROS
    for row in X:
        state = np.tanh(product(np.concatenate([row, state], 1), W))
    return state


def check(got: Any, wanted: Callable[[Product], Any]) -> None:
    """Check that a result comes from int8 products and differs slightly from the exact result."""
    exact = wanted(np.matmul)
    np.testing.assert_allclose(got.numpy(), wanted(int8), rtol=1e-5, atol=1e-6)
    assert 1e-4 < off(got, exact) < 0.05


def cell(row: Any, state: Any, w: Any) -> Any:
    return tf.tanh(tf.concat([row, state], 1) @ w)


def while_loop(x: Any, w: Any) -> Any:
    def step(i: Any, state: Any) -> Any:
        return i + 1, cell(x[i], state, w)

    return tf.while_loop(lambda i, _: i < STEPS, step, (tf.constant(0), tf.constant(ZEROS)))[1]


def with_weights_as_variables(x: Any, w: Any) -> Any:
    """Run a loop that carries its weights as a loop variable."""

    def step(i: Any, state: Any, w: Any) -> Any:
        return i + 1, cell(x[i], state, w), w

    start = (tf.constant(0), tf.constant(ZEROS), tf.convert_to_tensor(w))
    return tf.while_loop(lambda i, *_: i < STEPS, step, start)[1]


def scan(x: Any, w: Any) -> Any:
    return tf.scan(lambda state, row: cell(row, state, w), x, tf.constant(ZEROS))[-1]


def fold(x: Any, w: Any) -> Any:
    return tf.foldl(lambda state, row: cell(row, state, w), x, tf.constant(ZEROS))


def converted(x: Any, w: Any) -> Any:
    state = tf.constant(ZEROS)
    for row in x:
        state = cell(row, state, w)
    return state


def branch_in_a_loop(x: Any, w: Any) -> Any:
    def step(state: Any, row: Any) -> Any:
        wanted = tf.reduce_sum(row) < 1e9
        return tf.cond(wanted, lambda: cell(row, state, w), lambda: state)

    return tf.foldl(step, x, tf.constant(ZEROS))


def loop_in_a_branch(x: Any, w: Any) -> Any:
    return tf.cond(tf.size(x) > 0, lambda: while_loop(x, w), lambda: tf.constant(ZEROS))


LOOPS = [while_loop, with_weights_as_variables, scan, fold]
LOOPS += [converted, branch_in_a_loop, loop_in_a_branch]


@pytest.mark.parametrize("make", [tf.constant, tf.Variable, np.array], ids=["tensor", "v", "array"])
@pytest.mark.parametrize("loop", LOOPS)
def test_weights_from_outside(loop: Any, make: Any) -> None:
    w = make(W)

    @tf.function(quantize="int8")
    def quick(x: Any) -> Any:
        return loop(x, w)

    for _ in range(2):
        check(quick(tf.constant(X)), recurrent)


@pytest.mark.parametrize("loop", LOOPS)
def test_only_on_request(loop: Any) -> None:
    w = tf.constant(W)
    exact = tf.function(lambda x: loop(x, w))
    assert off(exact(tf.constant(X)), recurrent(np.matmul)) < 1e-5


@pytest.mark.parametrize("loop", LOOPS)
def test_arguments_are_not_weights(loop: Any) -> None:
    quick = tf.function(loop, quantize="int8")
    assert off(quick(tf.constant(X), tf.constant(W)), recurrent(np.matmul)) < 1e-5


def test_what_a_loop_changes_is_not_quantized() -> None:
    v = tf.Variable(W)

    @tf.function(quantize="int8")
    def step(x: Any) -> Any:
        w, y = tf.convert_to_tensor(V), tf.zeros([BATCH, 80])
        for _ in tf.range(2):
            y = y + x @ w
            w = w * 2.0
        for _ in tf.range(2):
            v.assign(v * 0.5)
            y = y + tf.reduce_sum(tf.concat([x, x[:, :INPUTS]], 1) @ v, 1, True)
        return y

    x = RNG.normal(size=(BATCH, UNITS)).astype(np.float32)
    again = np.concatenate([x, x[:, :INPUTS]], 1)
    wanted = x @ V * 3 + (again @ W * 0.75).sum(1, keepdims=True)
    assert off(step(tf.constant(x)), wanted) < 1e-5


def test_variables_may_be_assigned_outside() -> None:
    v = tf.Variable(W)
    quick = tf.function(lambda x: while_loop(x, v), quantize="int8")
    check(quick(tf.constant(X)), recurrent)
    v.assign(np.zeros_like(W))
    assert not quick(tf.constant(X)).numpy().any()
    v.assign(W)
    check(quick(tf.constant(X)), recurrent)


def test_branches() -> None:
    w, v = tf.constant(W[:UNITS]), tf.Variable(V)

    @tf.function(quantize="int8")
    def quick(x: Any, deep: Any) -> Any:
        return tf.cond(deep, lambda: tf.nn.relu(x @ w) @ v, lambda: x @ v)

    x = RNG.normal(size=(BATCH, UNITS)).astype(np.float32)
    deep = quick(tf.constant(x), tf.constant(True))
    check(deep, lambda by: by(np.maximum(by(x, W[:UNITS]), 0), V))
    check(quick(tf.constant(x), tf.constant(False)), lambda by: by(x, V))


def test_weights_may_be_computed_of_weights() -> None:
    w = tf.constant(W.T)

    def step(state: Any, row: Any) -> Any:
        return cell(row, state, tf.sin(tf.transpose(w)))

    quick = tf.function(lambda x: tf.foldl(step, x, tf.constant(ZEROS)), quantize="int8")
    check(quick(tf.constant(X)), lambda by: recurrent(lambda a, b: by(a, np.sin(b))))


def test_gradients_are_those_of_float32() -> None:
    v = tf.Variable(W)
    quick = tf.function(lambda x: tf.reduce_sum(while_loop(x, v)), quantize="int8")
    exact = tf.function(lambda x: tf.reduce_sum(while_loop(x, v)))
    quick(tf.constant(X))
    gradients = []
    for function in (quick, exact):
        with tf.GradientTape() as tape:
            loss = function(tf.constant(X))
        gradients.append(tape.gradient(loss, v))
    assert off(gradients[0], gradients[1].numpy()) < 1e-6
