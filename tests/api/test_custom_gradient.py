"""``tf.custom_gradient`` with Variables, ``tf.recompute_grad``, TensorFlow.js's ``custom_grad``."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from api.same import same

import tfpy


@same
def test_variables(tf: Any) -> Any:
    w, b = tf.Variable(3.0), tf.Variable(1.0)

    @tf.custom_gradient
    def layer(x: Any) -> Any:
        y = w * x + b

        def backward(dy: Any, variables: Any = None) -> Any:
            assert variables is not None
            return dy * 10.0, [dy * 100.0 for _ in variables]

        return y, backward

    x = tf.constant(2.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = layer(x) * 2.0
    return [y, tape.gradient(y, [x, w, b])]


@same
def test_second_order_through_intermediates(tf: Any) -> Any:
    @tf.custom_gradient
    def log1pexp(x: Any) -> Any:
        e = tf.exp(x)
        return tf.math.log(1 + e), lambda upstream: upstream * (1 - 1 / (1 + e))

    x = tf.constant([-2.0, 0.5, 30.0])
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = log1pexp(x)
        d = inner.gradient(y, x)
    return [y, d, outer.gradient(d, x)]


@same
def test_keywords_and_nests(tf: Any) -> Any:
    @tf.custom_gradient
    def scaled(x: Any, factor: float = 1.0) -> Any:
        return {"a": x * factor, "b": [x]}, lambda da, db: da * 7.0 + db

    x = tf.constant(3.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = scaled(x, factor=4.0)
        total = y["a"] * 2.0 + y["b"][0]
    return [y, tape.gradient(total, x)]


@same
def test_refused(tf: Any) -> Any:
    w, x = tf.Variable(3.0), tf.constant(2.0)

    @tf.custom_gradient
    def no_variables(x: Any) -> Any:
        return w * x, lambda dy: dy

    @tf.custom_gradient
    def too_few(x: Any) -> Any:
        return w * x, lambda dy, variables: (dy, [])

    classes = []
    for function in (no_variables, too_few):
        with pytest.raises(Exception) as caught:  # noqa: PT012, PT011
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = function(x)
            tape.gradient(y, x)
        classes.append(type(caught.value).__name__)
    return classes


@same
def test_recompute_grad(tf: Any) -> Any:
    w, x = tf.Variable(0.5), tf.constant([1.0, 2.0])
    calls = []

    @tf.recompute_grad
    def block(t: Any, power: float = 2.0) -> Any:
        calls.append(1)
        return tf.sin(t * w) ** power

    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = tf.reduce_sum(block(x) * block(2.0 * x, power=3.0))
    return [y, tape.gradient(y, [x, w]), len(calls)]


@same
def test_traced_functions_get_tensors_of_variables(tf: Any) -> Any:
    w, x = tf.Variable(3.0), tf.constant(2.0)

    @tf.custom_gradient
    def scaled(t: Any, scale: Any) -> Any:
        def backward(dy: Any, variables: Any = None) -> Any:
            assert variables is None
            return dy * scale, dy * 7.0

        return t * scale, backward

    @tf.function
    def gradients() -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = scaled(x, w)
        return tape.gradient(y, [x, w])

    return gradients()


def test_recompute_grad_twice() -> None:
    """Compute a second derivative, which TensorFlow does not support."""
    w, x = tfpy.Variable(0.5), tfpy.constant([1.0, 2.0])

    def block(t: Any) -> Any:
        return tfpy.sin(t * w) ** 2.0

    found = []
    for f in (block, tfpy.recompute_grad(block)):
        with tfpy.GradientTape(persistent=True) as outer:
            outer.watch(x)
            with tfpy.GradientTape() as inner:
                inner.watch(x)
                y = tfpy.reduce_sum(f(x))
            d = inner.gradient(y, x)
        found.append([t.numpy() for t in (d, *outer.gradient(d, [x, w]))])
    for plain, again in zip(*found, strict=True):
        np.testing.assert_allclose(again, plain, rtol=1e-6)


def test_custom_grad() -> None:
    def cube(x: Any, save: Any) -> dict[str, Any]:
        save([x])
        return {"value": x**3.0, "grad_func": lambda dy, saved: dy * tfpy.abs(saved[0])}

    f = tfpy.custom_grad(cube)
    x = tfpy.constant([-1.0, 2.0])
    assert f(x).numpy().tolist() == [-1.0, 8.0]
    assert tfpy.grad(lambda t: tfpy.reduce_sum(f(t)))(x).numpy().tolist() == [1.0, 2.0]
    with pytest.raises(TypeError, match="tensors"):
        f(1.0)
