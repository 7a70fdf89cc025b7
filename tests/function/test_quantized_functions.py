"""tf.function(quantize="int8") on a NumPy backend that has the kernel."""

from __future__ import annotations

import asyncio
from typing import Any

import numpy as np
import pytest
from function.quantizing import off

import tfpy as tf

RNG = np.random.default_rng(7)
X = RNG.normal(size=(6, 70)).astype(np.float32)
W = RNG.normal(size=(70, 80)).astype(np.float32)


def text_of(function: Any, *args: Any) -> str:
    text: str = function.lower(*args).as_text()
    return text


def is_int8(function: Any, *args: Any) -> bool:
    """Return True if the last trace, or the trace for the arguments, computes in int8."""
    return "quantized_matmul" in text_of(function, *args)


@pytest.mark.usefixtures("quantizing")
def test_products_with_weights_are_quantized() -> None:
    w = tf.constant(W)
    exact = tf.function(lambda x: x @ w)
    quick = tf.function(lambda x: x @ w, quantize="int8")
    assert off(exact(tf.constant(X)), X @ W) < 1e-6
    assert 1e-5 < off(quick(tf.constant(X)), X @ W) < 0.02
    assert (is_int8(exact), is_int8(quick)) == (False, True)
    assert "quantized_matmul" not in str(quick.get_concrete_function(tf.constant(X)).traced.graph)


@pytest.mark.usefixtures("quantizing")
def test_activations_are_not() -> None:
    quick = tf.function(lambda x, y: x @ y, quantize="int8")
    assert off(quick(tf.constant(X), tf.constant(W)), X @ W) < 1e-6
    assert not is_int8(quick)


def test_backends_without_the_kernel_compute_in_float32() -> None:
    quick = tf.function(lambda x: x @ tf.constant(W), quantize="int8")
    assert off(quick(tf.constant(X)), X @ W) < 1e-6


@pytest.mark.usefixtures("quantizing")
def test_variables_may_be_assigned_outside() -> None:
    v = tf.Variable(W)
    quick = tf.function(lambda x: x @ v, quantize="int8")
    for factor in (1, -2, 300):
        v.assign(W * factor)
        assert off(quick(tf.constant(X)), X @ W * factor) < 0.02
    assert is_int8(quick)
    assert quick.experimental_get_tracing_count() == 1


@pytest.mark.usefixtures("quantizing")
def test_variables_that_the_function_assigns_are_not_quantized() -> None:
    v = tf.Variable(W)

    @tf.function(quantize="int8")
    def step(x: Any) -> Any:
        v.assign_add(tf.ones_like(v))
        return x @ v

    assert off(step(tf.constant(X)), X @ (W + 1)) < 1e-6
    assert not is_int8(step)


@pytest.mark.usefixtures("quantizing")
def test_gradients_are_those_of_float32() -> None:
    v = tf.Variable(W)
    quick = tf.function(lambda x: tf.reduce_sum(tf.square(x @ v)), quantize="int8")
    x = tf.constant(X)
    quick(x)
    with tf.GradientTape() as tape:
        tape.watch(x)
        loss = quick(x)
    to_x, to_v = tape.gradient(loss, [x, v])
    assert off(loss, np.square(X @ W).sum()) < 1e-5
    assert off(to_x, 2 * (X @ W) @ W.T) < 1e-5
    assert off(to_v, 2 * X.T @ (X @ W)) < 1e-5


@pytest.mark.usefixtures("quantizing")
def test_methods_and_signatures_keep_the_option() -> None:
    class Model:
        def __init__(self) -> None:
            self.w = tf.constant(W)

        @tf.function(quantize="int8")
        def call(self, x: Any) -> Any:
            return x @ self.w

    model = Model()
    model.call(tf.constant(X))
    assert is_int8(model.call)
    restricted = model.call.get_concrete_function(tf.TensorSpec([None, 70]))
    assert is_int8(restricted, tf.constant(X))


@pytest.mark.usefixtures("quantizing")
def test_the_outer_function_decides() -> None:
    w = tf.constant(W)
    inner = tf.function(lambda x: x @ w, quantize="int8")
    outer = tf.function(lambda x: inner(x) + 1.0)
    assert off(outer(tf.constant(X)), X @ W + 1) < 1e-6
    plain = tf.function(lambda x: x @ w)
    quick = tf.function(lambda x: plain(x) + 1.0, quantize="int8")
    quick(tf.constant(X))
    assert is_int8(quick)


@pytest.mark.usefixtures("quantizing")
def test_compile_model() -> None:
    w = tf.constant(W)
    spec = tf.TensorSpec([6, 70])
    model = asyncio.run(tf.compile_model_async(lambda x: x @ w, spec, quantize="int8"))
    assert is_int8(model)
    assert off(model(tf.constant(X)), X @ W) < 0.02
    asyncio.run(tf.compile_model_async(model, spec))
    with pytest.raises(ValueError, match="pass quantize to"):
        asyncio.run(tf.compile_model_async(model, spec, quantize="int8"))


@pytest.mark.parametrize("wrong", ["int2", "float16", True, 8])
def test_refused(wrong: Any) -> None:
    with pytest.raises(ValueError, match=f"quantize is 'int8', 'int4' or None, not {wrong!r}"):
        tf.function(lambda x: x, quantize=wrong)
    with pytest.raises(ValueError, match="quantize is 'int8', 'int4' or None"):
        asyncio.run(tf.compile_model_async(lambda x: x, tf.TensorSpec([1]), quantize=wrong))
