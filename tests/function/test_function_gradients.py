"""Gradients through and inside compiled functions equal TensorFlow's."""

from __future__ import annotations

from typing import Any

import numpy as np
from api.same import compare, same
from api.twin import check
from function.orders import derivatives

import tfpy as tf

X = np.random.default_rng(1).uniform(-1, 1, (3, 4)).astype(np.float32)
W = np.random.default_rng(2).uniform(-1, 1, (4, 5)).astype(np.float32)


def test_through_a_function() -> None:
    def program(tf: Any, x: Any, w: Any) -> Any:
        f = tf.function(lambda x, w: (tf.nn.relu(x @ w), tf.exp(x), tf.argmax(x, 1)))
        return f(x, w)

    check(program, X, W, grads=True)


def test_some_outputs_only() -> None:
    def program(tf: Any, x: Any) -> Any:
        @tf.function
        def f(x: Any) -> Any:
            return tf.sin(x) * x, tf.exp(x), tf.stop_gradient(x) * x

        a, _, c = f(x)
        return a, c

    check(program, X, grads=True)


def test_of_captured_tensors_and_variables() -> None:
    def program(tf: Any, x: Any, w: Any) -> Any:
        v, small = tf.Variable(w), tf.constant(2.0)
        big = tf.constant(np.ones((3, 5), np.float32))

        @tf.function
        def f(x: Any) -> Any:
            return tf.tanh(x @ v + big) * small

        with tf.GradientTape() as tape:
            tape.watch([x, big, small])
            y = f(x)
        return tape.gradient(y, [x, v, big, small])

    check(program, X, W)


def test_higher_orders() -> None:
    def program(tf: Any, x: Any) -> Any:
        @tf.function
        def f(x: Any) -> Any:
            h = tf.tanh(x) * x
            return tf.reduce_sum(h * tf.exp(h)), h

        with tf.GradientTape() as t3:
            t3.watch(x)
            with tf.GradientTape() as t2:
                t2.watch(x)
                with tf.GradientTape() as t1:
                    t1.watch(x)
                    y, h = f(x)
                    total = y * tf.reduce_sum(h)
                g1 = t1.gradient(total, x)
            g2 = t2.gradient(g1, x)
        return g1, g2, t3.gradient(g2, x)

    check(program, X, tolerance=1e-4)


@same
def test_higher_orders_of_functions_within_functions(lib: Any) -> Any:
    """Compute derivatives of nested calls.

    They read intermediate values of the called function.
    """
    w = lib.Variable(W)
    cube = lib.function(lambda x: x[0] ** 3)
    layer = lib.function(lambda x: lib.tanh(x @ w) ** 2)
    given = lib.constant(X)

    def within(f: Any) -> Any:
        return lib.function(lambda x: f(x) * 1.0)

    def of_variables(f: Any) -> Any:
        with lib.GradientTape() as outer:
            with lib.GradientTape() as inner:
                total = lib.reduce_sum(f(given) ** 2)
            gradient = inner.gradient(total, w)
        return outer.gradient(gradient, w)

    inside = lib.function(lambda: derivatives(lib, within(cube), given, 3))
    functions = [within(cube), within(within(cube)), within(layer)]
    found = [derivatives(lib, f, given, 3) for f in functions]
    return [*found, inside(), of_variables(within(layer))]


def test_inside_a_function() -> None:
    def program(tf: Any, x: Any, w: Any) -> Any:
        v = tf.Variable(w)

        @tf.function
        def step(x: Any) -> Any:
            with tf.GradientTape() as outer:
                with tf.GradientTape() as tape:
                    loss = tf.reduce_sum(tf.nn.softmax(x @ v) ** 2)
                grad = tape.gradient(loss, v)
                norm = tf.reduce_sum(grad * grad)
            second = outer.gradient(norm, v)
            v.assign_sub(0.1 * grad)
            return loss, grad, second

        return [step(x) for _ in range(3)], v

    check(program, X, W)


def test_a_function_with_gradients_inside_differentiated_from_outside() -> None:
    def program(tf: Any, x: Any) -> Any:
        @tf.function
        def slope(x: Any) -> Any:
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = x * x * tf.sin(x)
            return tape.gradient(y, x)

        return slope(x)

    check(program, X, grads=True)


def test_concrete_functions_within_functions() -> None:
    def program(tf: Any, x: Any) -> Any:
        inner = tf.function(lambda x: tf.exp(x) * x).get_concrete_function(
            tf.TensorSpec(x.shape, x.dtype)
        )
        return tf.function(lambda x: inner(inner(x)) + x)(x)

    check(program, X, grads=True)


def test_custom_gradients() -> None:
    def program(tf: Any, x: Any) -> Any:
        @tf.custom_gradient
        def clipped(x: Any) -> Any:
            return tf.identity(x), lambda g: tf.clip_by_value(g, -0.1, 0.1)

        return tf.function(lambda x: clipped(x * 2.0) * x)(x)

    check(program, X, grads=True)


def test_assigned_variables() -> None:
    def program(tf: Any, x: Any) -> Any:
        v = tf.Variable(2.0)

        @tf.function
        def f(x: Any) -> Any:
            y = x * v
            v.assign(v * 3.0)
            return y * v

        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        return y, tape.gradient(y, x), v

    check(program, X)


def test_random_numbers_are_the_same_forward_and_backward() -> None:
    x = tf.ones([1000])
    f = tf.function(lambda x: x * tf.random.uniform([1000]))
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    np.testing.assert_array_equal(tape.gradient(y, x).numpy(), y.numpy())


def test_jacobians_and_forward_mode() -> None:
    def program(tf: Any, x: Any) -> Any:
        f = tf.function(lambda x: tf.nn.softmax(x * x))
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        with tf.autodiff.ForwardAccumulator(x, tf.ones_like(x)) as forward:
            z = f(x)
        return tape.jacobian(y, x), forward.jvp(z)

    check(program, X, tolerance=1e-4)


def test_unconnected_inputs_have_none() -> None:
    f = tf.function(lambda x, y: x * 2.0)
    x, y = tf.constant(1.0), tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch([x, y])
        z = f(x, y)
    compare(tape.gradient(z, x), tf.constant(2.0), 0, "gradient")
    with tf.GradientTape() as tape:
        tape.watch([x, y])
        z = f(x, y)
    assert tape.gradient(z, y) is None


@same
def test_of_tensors_with_which_ops_run_while_tracing(lib: Any) -> Any:
    """Check that ops whose inputs all have values run while tracing."""
    c, d = lib.constant([1.0, 2.0, 3.0]), lib.constant(np.full([40], 3.0, np.float32))

    def mixed() -> Any:
        return lib.reduce_sum(c * c * c) * lib.reduce_sum(d * d) * c

    def inner() -> Any:
        return lib.function(lambda: c * 2.0 * lib.reduce_sum(d))()

    def branch() -> Any:
        return lib.cond(lib.reduce_sum(d) > 0.0, lambda: c * 2.0, lambda: c)

    found = []
    for body in (mixed, inner, branch, lambda: c):
        function = lib.function(body)
        with lib.GradientTape() as outer:
            outer.watch([c, d])
            with lib.GradientTape() as tape:
                tape.watch([c, d])
                y = function() ** 2
            slopes = tape.gradient(y, [c, d])
        found += [slopes, outer.gradient(slopes[0], [c, d])]

        def inside(function: Any = function) -> Any:
            with lib.GradientTape() as tape:
                tape.watch([c, d])
                y = function() * c
            return tape.gradient(y, [c, d])

        found.append(lib.function(inside)())
    return found


@same
def test_higher_orders_by_captured_tensors(lib: Any) -> Any:
    """Check that ops on captured tensors run while a function or its derivative is traced."""

    def layer(x: Any) -> Any:
        return x[0] * lib.tanh(x[1] * x[1]) + x[2] ** 3

    compiled = lib.function(layer)
    nested = lib.function(lambda x: compiled(x) * 1.0)
    found = []
    for size in (2, 12):  # a captured tensor is a constant or an input
        x = lib.constant(np.linspace(-0.9, 0.8, 3 * size).reshape(3, size).astype(np.float32))
        order = 3 if size == 12 else 2
        found += derivatives(lib, lib.function(lambda q, x=x: nested(x) * nested(q)), x, order)

    def branch(q: Any) -> Any:
        return lib.cond(q[0, 0] < 9.0, lambda: compiled(x), lambda: q[0])

    found += derivatives(lib, lib.function(branch), x, 2)
    found += derivatives(lib, lib.function(lambda q: layer(x) * layer(q)), x, 3)
    return found
