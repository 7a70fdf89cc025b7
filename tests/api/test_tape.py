"""``tf.GradientTape``, ``tf.custom_gradient``, ``tf.stop_gradient``."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from api.same import same

import tfpy


@same
def test_sources(tf: Any) -> Any:
    a, b = tf.constant(2.0), tf.constant(3.0)
    nest = {"a": a, "b": [b, tf.constant(4.0)]}
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(nest)
        y = nest["a"] * nest["b"][0] + nest["b"][1]
    return [
        tape.gradient(y, a),
        tape.gradient(y, [a, b]),
        tape.gradient(y, (a, b)),
        tape.gradient(y, nest),
        tape.gradient(y, y),
        tape.gradient(y, tf.constant(1.0)) is None,
    ]


@same
def test_targets(tf: Any) -> Any:
    a = tf.constant([2.0, 3.0])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(a)
        y, z, same_a = a * a, tf.reduce_sum(a) * 3, a
    return [
        tape.gradient([y, z], a),
        tape.gradient({"y": y, "z": z}, a),
        tape.gradient(y, a, output_gradients=tf.constant([1.0, 10.0])),
        tape.gradient([y, z], a, output_gradients=[tf.constant([1.0, 0.0]), tf.constant(2.0)]),
        tape.gradient(same_a, a),
        tape.gradient(z, y) is None,
    ]


@same
def test_unconnected(tf: Any) -> Any:
    x, w = tf.constant([3.0, 1.0]), tf.constant([[1.0], [2.0]])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch([x, w])
        y = x * x
    return [
        tape.gradient(y, [x, w])[1] is None,
        tape.gradient(y, [x, w], unconnected_gradients=tf.UnconnectedGradients.ZERO),
        tape.gradient(y, w, unconnected_gradients="zero"),
    ]


@same
def test_variables(tf: Any) -> Any:
    x, u = tf.Variable(2.0, name="x"), tf.Variable(3.0, name="u")
    w, n = tf.Variable(1.0, trainable=False), tf.Variable(4)
    with tf.GradientTape() as tape:
        y = u * x * w * tf.cast(n, tf.float32)
    names = [v.name for v in tape.watched_variables()]
    found = tape.gradient(y, [x, u, w, n])
    return [names, found[:2], found[2] is None, found[3] is None]


@same
def test_variables_watched_by_hand(tf: Any) -> Any:
    w, u = tf.Variable(1.0), tf.Variable(2.0, trainable=False)
    with tf.GradientTape(watch_accessed_variables=False) as tape:
        tape.watch(u)
        y = w * u
    found = tape.gradient(y, [w, u])
    return [found[0] is None, found[1]]


@same
def test_variables_read_after_assign(tf: Any) -> Any:
    w = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = w * w
        w.assign(5.0)
        z = y * w
    v = tf.Variable(2.0)
    with tf.GradientTape() as second:
        v.assign_add(v * 3)
        q = v * v
    return [z, tape.gradient(z, w), q, second.gradient(q, v)]


@same
def test_training_step(tf: Any) -> Any:
    w, b = tf.Variable([[0.5], [-0.25]]), tf.Variable([0.0])
    x = tf.constant([[1.0, 2.0], [3.0, -1.0], [0.5, 0.25]])
    y = tf.constant([[1.0], [2.0], [3.0]])
    losses = []
    for _ in range(20):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(x @ w + b - y))
        losses.append(loss)
        for variable, gradient in zip([w, b], tape.gradient(loss, [w, b]), strict=True):
            variable.assign_sub(0.1 * gradient)
    return losses, w, b


@same
def test_persistent(tf: Any) -> Any:
    x = tf.Variable(3.0)
    with tf.GradientTape(persistent=True) as tape:
        y = x * x
        z = y * y
    return [tape.gradient(z, x), tape.gradient(y, x), tape.gradient(z, y)]


@same
def test_nested(tf: Any) -> Any:
    x = tf.Variable(2.0)
    with tf.GradientTape() as third, tf.GradientTape() as second:
        with tf.GradientTape() as first:
            y = x**4
        d1 = first.gradient(y, x)
        d2 = second.gradient(d1, x)
        result = [y, d1, d2]
    return [*result, third.gradient(d2, x) is None]


@same
def test_three_times(tf: Any) -> Any:
    x = tf.constant(2.0)
    with tf.GradientTape() as third:
        third.watch(x)
        with tf.GradientTape() as second:
            second.watch(x)
            with tf.GradientTape() as first:
                first.watch(x)
                y = tf.sin(x) * x**3
            d1 = first.gradient(y, x)
        d2 = second.gradient(d1, x)
    return [y, d1, d2, third.gradient(d2, x)]


@same
def test_recording(tf: Any) -> Any:
    x = tf.Variable(2.0)
    with tf.GradientTape(persistent=True) as tape:
        y = x * x
        with tape.stop_recording():
            z = y * y
        w = y * 3
    with tf.GradientTape() as reset:
        y = x * x
        reset.reset()
        q = x * 3
    with tf.GradientTape() as inside:
        p = x * x
        found = inside.gradient(p, x)
    return [tape.gradient(z, x) is None, tape.gradient(w, x), reset.gradient(q, x), found]


@same
def test_misuse(tf: Any) -> Any:
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    tape.gradient(y, x)
    with tf.GradientTape(persistent=True) as usable:
        usable.watch(x)
    calls = [
        lambda: tape.gradient(y, x),
        lambda: tf.GradientTape().watch(np.ones(2)),
        lambda: tape.__enter__().__enter__(),
        lambda: usable.gradient(None, x),
        lambda: usable.gradient(y, [None]),
        lambda: usable.gradient(y, x, unconnected_gradients="other"),
    ]
    classes = []
    for call in calls:
        with pytest.raises(Exception) as caught:  # noqa: PT011 - compared with TensorFlow's
            call()
        classes.append(type(caught.value).__name__)
    tape.__exit__(None, None, None)
    return classes


@same
def test_integers_carry_no_gradient(tf: Any) -> Any:
    x, n = tf.constant(3.5), tf.constant(3)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch([x, n])
        y = tf.cast(tf.cast(x, tf.int32), tf.float32) * x
        z = tf.cast(tf.argmax([x, 1.0]), tf.float32) * x
        m = n * n
    return [tape.gradient(y, x), tape.gradient(z, x), tape.gradient(m, n) is None]


@same(tolerance=1e-4)
def test_kinks_and_masks(tf: Any) -> Any:
    x = tf.constant([-1.0, 0.0, 2.0, 6.0, 4.0])
    functions = [
        tf.abs,
        tf.nn.relu,
        tf.nn.relu6,
        tf.nn.leaky_relu,
        tf.nn.elu,
        tf.nn.selu,
        tf.sign,
        tf.round,
        lambda v: tf.maximum(v, 0.0),
        lambda v: tf.minimum(2.0, v),
        lambda v: tf.clip_by_value(v, 0.0, 6.0),
        lambda v: tf.where(v > 0, tf.sqrt(tf.abs(v)), 0.0),
        lambda v: tf.where(v > 0, v * 2, v * v),
        lambda v: tf.math.divide_no_nan(v, v),
        lambda v: v**2,
        lambda v: v**0.0,
        lambda v: tf.constant(2.0) ** v,
        lambda v: tf.reduce_max(v),
        lambda v: tf.reduce_min(tf.stack([v, v]), 0),
        lambda v: tf.reduce_prod(v),
        lambda v: tf.reduce_prod(tf.stack([v, v]), 0),
        lambda v: v % 3.0,
        lambda v: v // 3.0,
    ]
    found = []
    for function in functions:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = function(x)
        found.append(tape.gradient(y, x, unconnected_gradients="zero"))
    return found


@same(tolerance=1e-4)
def test_composed_functions(tf: Any) -> Any:
    x = tf.constant([[0.0, 1.0, 5.0], [2.0, -1.0, 0.5]])
    labels = tf.constant([[0.0, 1.0, 0.0], [0.5, 0.5, 0.0]])
    weights = tf.constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])

    def normalized(v: Any) -> Any:
        mean, variance = tf.nn.moments(v, [0])
        one = tf.constant(1.0)
        return tf.nn.batch_normalization(v, mean, variance, one, one, 1e-3) * weights

    functions = [
        lambda v: tf.nn.softmax(v) * weights,
        lambda v: tf.nn.log_softmax(v, 0) * weights,
        lambda v: tf.nn.softmax_cross_entropy_with_logits(labels, v),
        lambda v: tf.nn.softmax_cross_entropy_with_logits(v, weights),
        lambda v: tf.nn.sparse_softmax_cross_entropy_with_logits([0, 2], v),
        lambda v: tf.nn.sigmoid_cross_entropy_with_logits(labels, v),
        normalized,
        lambda v: tf.norm(v, axis=1),
        lambda v: tf.nn.l2_normalize(v, 1) * weights,
        lambda v: tf.math.reduce_std(v, 0),
        lambda v: tf.reduce_logsumexp(v, 1),
        lambda v: tf.reduce_mean(v, 0) * 3.0,
        lambda v: tf.nn.gelu(v),
        lambda v: tf.nn.silu(v),
        lambda v: tf.math.log_sigmoid(v),
        lambda v: tf.tensordot(v, weights, [[1], [1]]),
        lambda v: tf.matmul(tf.stack([v, v]), weights, transpose_b=True),
        lambda v: tf.pad(v, [[1, 0], [0, 1]], "REFLECT"),
        lambda v: tf.tile(v, [2, 1]) * tf.concat([weights, -weights], 0),
        lambda v: tf.repeat(v, [1, 3], axis=0),
        lambda v: tf.gather(v, [0, 1, 0]),
        lambda v: tf.boolean_mask(v, [True, False]),
        lambda v: tf.nn.embedding_lookup(v, [1, 1]),
        lambda v: v[:, ::-2] * v[0:1, 1:],
    ]
    found = []
    for function in functions:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = function(x)
        found.append(tf.convert_to_tensor(tape.gradient(y, x)))
    return found


@same
def test_stop_gradient(tf: Any) -> Any:
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * tf.stop_gradient(x)
    return tape.gradient(y, x)


@same
def test_custom_gradient(tf: Any) -> Any:
    @tf.custom_gradient
    def scaled(x: Any) -> Any:
        return x * 2, lambda dy: dy * 100.0

    @tf.custom_gradient
    def both(x: Any, y: Any) -> Any:
        return (x * y, x + y), lambda a, b: (a * y + b, a * x)

    x, z = tf.constant(3.0), tf.constant(4.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch([x, z])
        y = scaled(x) * 2
        a, b = both(x, z)
        s = a * 2 + b
    return [y, tape.gradient(y, x), tape.gradient(s, [x, z]), tape.gradient(b, z)]


@same
def test_custom_gradient_twice(tf: Any) -> Any:
    @tf.custom_gradient
    def cubed(x: Any) -> Any:
        return x**3, lambda dy: dy * 3 * x * x

    x = tf.constant(2.0)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = cubed(x)
        d = inner.gradient(y, x)
    return [y, d, outer.gradient(d, x)]


def test_custom_gradient_of_wrong_length() -> None:
    @tfpy.custom_gradient
    def wrong(x: Any, y: Any) -> Any:
        return x * y, lambda dy: (dy,)

    x = tfpy.Variable(1.0)
    with tfpy.GradientTape() as tape:
        z = wrong(x, x)
    with pytest.raises(ValueError, match=r"2 inputs.*1 gradients"):
        tape.gradient(z, x)


def test_op_without_gradient_is_named() -> None:
    x = tfpy.constant([5.0, -7.0])
    with tfpy.GradientTape() as tape:
        tape.watch(x)
        y = tfpy.truncatemod(x, 3.0)
    with pytest.raises(LookupError, match=r"truncatemod.*stop_gradient"):
        tape.gradient(y, x)


@same
def test_second_order_of_max_pool(tf: Any) -> Any:
    x = tf.constant(np.arange(32).reshape(1, 4, 4, 2) % 7, tf.float32)
    with tf.GradientTape() as second:
        second.watch(x)
        with tf.GradientTape() as first:
            first.watch(x)
            y = tf.nn.max_pool2d(x * x, 2, 1, "SAME")
            loss = tf.reduce_sum(y * y)
        d = first.gradient(loss, x)
    return [d, second.gradient(d, x)]
