"""``GradientTape.jacobian`` and ``batch_jacobian``."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from api.same import same


@same
def test_jacobian(tf: Any) -> Any:
    x = tf.constant([[1.0, 2.0, 3.0], [0.5, -1.0, 4.0]])
    v = tf.Variable([0.5, 2.0])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = tf.sin(x) @ tf.reshape(x, [3, 2]) * v
        scalar = tf.reduce_sum(v) * x[0, 0]
        alone = v * v
    return [
        tape.jacobian(y, x),
        tape.jacobian(y, v),
        tape.jacobian(y, {"x": x, "more": [v]}),
        tape.jacobian(scalar, [x, v]),
        tape.jacobian(alone, [v, x])[1] is None,
        tape.jacobian(alone, x, unconnected_gradients=tf.UnconnectedGradients.ZERO),
        tape.jacobian(alone, v, experimental_use_pfor=False),
    ]


@same
def test_jacobian_of_a_tape_used_once(tf: Any) -> Any:
    x = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        y = x**2
    found = tape.jacobian(y, x)
    with pytest.raises(RuntimeError):
        tape.jacobian(y, x)
    return found


@same
def test_batch_jacobian(tf: Any) -> Any:
    x = tf.constant(np.arange(12).reshape(2, 3, 2) / 5, tf.float32)
    w = tf.constant([[1.0, 2.0], [3.0, -1.0]])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch([x, w])
        y = tf.exp(x) @ w
        z = w * w
    return [
        tape.batch_jacobian(y, x),
        tape.batch_jacobian(z, tf.constant([[1.0], [2.0]])),
    ]


@same
def test_hessian(tf: Any) -> Any:
    x = tf.constant([1.0, 2.0, 3.0])
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = tf.reduce_prod(x) * tf.reduce_sum(tf.sin(x))
        d = inner.gradient(y, x)
    return outer.jacobian(d, x)


@same
def test_misuse(tf: Any) -> Any:
    x = tf.constant([[1.0], [2.0]])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x
    calls = [
        lambda: tape.batch_jacobian(y[:1], x),
        lambda: tape.batch_jacobian(tf.reshape(y, [2]), x),
        lambda: tf.gradients(y, x),
        lambda: tf.hessians(y, x),
    ]
    classes = []
    for call in calls:
        with pytest.raises(Exception) as caught:  # noqa: PT011 - compared with TensorFlow's
            call()
        classes.append(type(caught.value).__name__)
    return classes
