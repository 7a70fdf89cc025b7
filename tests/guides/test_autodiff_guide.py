"""The guide on automatic differentiation."""

from __future__ import annotations

from typing import Any

import numpy as np
from guides.printed import prints_the_same


@prints_the_same
def test_tapes(tf: Any, print: Any) -> None:
    x = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = x**2
    print(tape.gradient(y, x).numpy())

    w = tf.Variable(tf.reshape(tf.range(6, dtype=tf.float32) / 7, (3, 2)), name="w")
    b = tf.Variable(tf.zeros(2, dtype=tf.float32), name="b")
    x = [[1.0, 2.0, 3.0]]
    with tf.GradientTape(persistent=True) as tape:
        y = x @ w + b
        loss = tf.reduce_mean(y**2)
    dl_dw, dl_db = tape.gradient(loss, [w, b])
    print(w.shape)
    print(dl_dw.shape)
    print(dl_dw, dl_db)
    variables = {"w": w, "b": b}
    print(tape.gradient(loss, variables)["b"])


@prints_the_same
def test_what_the_tape_watches(tf: Any, print: Any) -> None:
    x0 = tf.Variable(3.0, name="x0")
    x1 = tf.Variable(3.0, name="x1", trainable=False)
    x2 = tf.Variable(2.0, name="x2") + 1.0
    x3 = tf.constant(3.0, name="x3")
    with tf.GradientTape() as tape:
        y = (x0**2) + (x1**2) + (x2**2)
    for g in tape.gradient(y, [x0, x1, x2, x3]):
        print(g)
    print([v.name for v in tape.watched_variables()])

    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x**2
    print(tape.gradient(y, x).numpy())

    x0, x1 = tf.Variable(0.0), tf.Variable(10.0)
    with tf.GradientTape(watch_accessed_variables=False) as tape:
        tape.watch(x1)
        y0 = tf.math.sin(x0)
        y1 = tf.nn.softplus(x1)
        ys = tf.reduce_sum(y0 + y1)
    grad = tape.gradient(ys, {"x0": x0, "x1": x1})
    print("dy/dx0:", grad["x0"])
    print("dy/dx1:", grad["x1"].numpy())


@prints_the_same
def test_intermediate_results(tf: Any, print: Any) -> None:
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
        z = y * y
    print(tape.gradient(z, y).numpy())
    x = tf.constant([1, 3.0])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x
        z = y * y
    print(tape.gradient(z, x).numpy())
    print(tape.gradient(y, x).numpy())


@prints_the_same
def test_targets_that_are_not_scalar(tf: Any, print: Any) -> None:
    x = tf.Variable(2.0)
    with tf.GradientTape(persistent=True) as tape:
        y0 = x**2
        y1 = 1 / x
    print(tape.gradient(y0, x).numpy())
    print(tape.gradient(y1, x).numpy())
    with tf.GradientTape() as tape:
        y0 = x**2
        y1 = 1 / x
    print(tape.gradient({"y0": y0, "y1": y1}, x).numpy())
    with tf.GradientTape() as tape:
        y = x * [3.0, 4.0]
    print(tape.gradient(y, x).numpy())
    x = tf.linspace(-10.0, 10.0, 200 + 1)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.nn.sigmoid(x)
    print(tape.gradient(y, x).numpy()[::25])


@prints_the_same
def test_control_flow(tf: Any, print: Any) -> None:
    x = tf.constant(1.0)
    v0, v1 = tf.Variable(2.0), tf.Variable(2.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        result = v0 if x > 0.0 else v1**2
    dv0, dv1 = tape.gradient(result, [v0, v1])
    print(dv0)
    print(dv1)
    print(tape.gradient(result, x))


@prints_the_same
def test_none(tf: Any, print: Any) -> None:
    x, y = tf.Variable(2.0), tf.Variable(3.0)
    with tf.GradientTape() as tape:
        z = y * y
    print(tape.gradient(z, x))

    # A variable replaced by a tensor
    x = tf.Variable(2.0)
    for _ in range(2):
        with tf.GradientTape() as tape:
            y = x + 1
        print(type(x).__name__.endswith("Variable"), ":", tape.gradient(y, x))
        x = x + 1

    # Outside of TensorFlow
    x = tf.Variable([[1.0, 2.0], [3.0, 4.0]], dtype=tf.float32)
    with tf.GradientTape() as tape:
        x2 = x**2
        y = np.mean(x2, axis=0)
        y = tf.reduce_mean(y, axis=0)
    print(tape.gradient(y, x))

    # Through an integer
    x = tf.constant(10)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    print(tape.gradient(y, x))

    # Through state
    x0, x1 = tf.Variable(3.0), tf.Variable(0.0)
    with tf.GradientTape() as tape:
        x1.assign_add(x0)
        y = x1**2
    print(tape.gradient(y, x0))

    x, y = tf.Variable([2.0, 2.0]), tf.Variable(3.0)
    with tf.GradientTape() as tape:
        z = y**2
    print(tape.gradient(z, x, unconnected_gradients=tf.UnconnectedGradients.ZERO))


@prints_the_same
def test_no_gradient_registered(tf: Any, print: Any) -> None:
    image = tf.Variable([[[0.5, 0.0, 0.0]]])
    delta = tf.Variable(0.1)
    with tf.GradientTape() as tape:
        changed = tf.cast(tf.cast(image + delta, tf.int32), tf.float32)
    print(tape.gradient(changed, [image, delta]))
