"""``tf.autodiff.ForwardAccumulator``."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from api.same import same


@same
def test_products(tf: Any) -> Any:
    x, v = tf.constant([[1.0, 2.0], [3.0, 0.5]]), tf.constant([[1.0, 0.0], [-1.0, 2.0]])
    image = tf.constant(np.arange(48).reshape(1, 4, 4, 3) % 5, tf.float32)
    functions = [
        lambda t: t * t + 3.0 * t,
        lambda t: tf.exp(tf.sin(t)) / t,
        lambda t: tf.matmul(t, t, transpose_b=True),
        lambda t: tf.reduce_sum(t, 0) * tf.reduce_max(t),
        lambda t: tf.nn.softmax(t) * tf.reduce_prod(t),
        lambda t: tf.concat([t, t[::-1]], 1)[:, 1:],
        lambda t: tf.gather(t, [1, 0, 1]),
        lambda t: tf.where(t > 1.0, t * t, tf.sqrt(t)),
        lambda t: tf.stop_gradient(t) * t,
        lambda t: tf.nn.conv2d(image * tf.reduce_sum(t), tf.ones([2, 2, 3, 2]), 1, "SAME"),
        lambda t: tf.nn.max_pool2d(image * tf.reduce_sum(t), 2, 2, "SAME"),
        lambda t: tf.stack(tf.unstack(t)) @ tf.transpose(t),
        lambda t: tf.broadcast_to(t, [3, 2, 2]) ** 2.0,
    ]
    found = []
    for function in functions:
        with tf.autodiff.ForwardAccumulator(x, v) as accumulator:
            y = function(x)
        found.append(accumulator.jvp(y))
    return found


@same
def test_variables_and_nests(tf: Any) -> Any:
    w, b, x = tf.Variable([1.0, 2.0]), tf.Variable(0.5), tf.constant([3.0, -1.0])
    tangents = [tf.constant([1.0, -1.0]), tf.constant(2.0)]
    with tf.autodiff.ForwardAccumulator([w, b], tangents) as accumulator:
        y = tf.tanh(w * x + b)
        loss = tf.reduce_sum(y**2)
        inside = accumulator.jvp(loss)
        outside = tf.constant(1.0) * 2.0
    return [
        inside,
        accumulator.jvp([loss, {"y": y}]),
        accumulator.jvp(outside) is None,
        accumulator.jvp(outside, unconnected_gradients=tf.UnconnectedGradients.ZERO),
        accumulator.jvp(w),
    ]


@same
def test_forward_over_reverse(tf: Any) -> Any:
    x = tf.constant([1.0, 2.0, 3.0])
    with tf.autodiff.ForwardAccumulator(x, tf.constant([1.0, 0.0, -2.0])) as accumulator:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_prod(x) * tf.reduce_sum(tf.exp(x))
        d = tape.gradient(y, x)
    return [d, accumulator.jvp(d), accumulator.jvp(y)]


@same
def test_reverse_over_forward(tf: Any) -> Any:
    x = tf.constant([1.0, 2.0, 3.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        with tf.autodiff.ForwardAccumulator(x, tf.constant([1.0, 0.0, -2.0])) as accumulator:
            y = tf.reduce_sum(tf.sin(x) ** 3)
        product = accumulator.jvp(y)
    return [product, tape.gradient(product, x)]


@same
def test_nested(tf: Any) -> Any:
    x = tf.constant(1.1)
    one = tf.constant(1.0)
    with tf.autodiff.ForwardAccumulator(x, one) as outer:
        with tf.autodiff.ForwardAccumulator(x, one) as inner:
            y = tf.sqrt(x) * x**3
        first = inner.jvp(y)
        second = outer.jvp(first)
    return [first, second, outer.jvp(y)]


@same
def test_custom_gradient(tf: Any) -> Any:
    @tf.custom_gradient
    def doubled(t: Any) -> Any:
        return t * 1.0, lambda dy: dy * 2.0 * t

    x = tf.constant([2.0, 3.0])
    with tf.autodiff.ForwardAccumulator(x, tf.ones(2)) as accumulator:
        y = doubled(x) * x
    return accumulator.jvp(y)


@same
def test_misuse(tf: Any) -> Any:
    x = tf.constant(1.0)
    kind = tf.autodiff.ForwardAccumulator
    usable = kind(x, x)
    calls = [
        lambda: kind([x, x], [x, x]),
        lambda: kind([x], [x, x]),
        lambda: usable.__enter__().__enter__(),
    ]
    classes = []
    for call in calls:
        with pytest.raises(Exception) as caught:  # noqa: PT011 - compared with TensorFlow's
            call()
        classes.append(type(caught.value).__name__)
    usable.__exit__(None, None, None)
    return classes
