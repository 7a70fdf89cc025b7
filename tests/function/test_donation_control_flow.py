"""Donation in nested functions, conditionals and loops."""

from __future__ import annotations

import numpy as np
import pytest
from function.in_place import SIZE, InPlaceDevice, numbers

import tfpy as tf


def test_functions_within_functions(device: InPlaceDevice) -> None:
    v = tf.Variable(tf.constant(numbers()))

    @tf.function
    def inner(x: tf.Tensor) -> tf.Tensor:
        v.assign(v + x)
        return v.value()

    @tf.function
    def outer() -> tf.Tensor:
        before = v.value()
        inner(tf.ones([SIZE]))
        after = inner(before)
        return after - before

    wanted = numbers()
    for _ in range(3):
        np.testing.assert_allclose(outer().numpy(), wanted + 1, atol=1e-4)
        wanted = 2 * wanted + 1
        np.testing.assert_allclose(v.numpy(), wanted, rtol=1e-5, atol=1e-4)


def test_python_code_that_reads_the_variable(device: InPlaceDevice) -> None:
    """Check that Python code between the Programs of a call reads and may keep the old value."""
    v = tf.Variable(tf.constant(numbers()))
    seen: list[tf.Tensor] = []

    def see(x: tf.Tensor) -> tf.Tensor:
        seen.extend((v.value(), x))
        return x

    @tf.function
    def step() -> None:
        v.assign_add(tf.ones([SIZE]))
        tf.py_function(see, [v], tf.TensorSpec([SIZE]))
        v.assign_add(tf.ones([SIZE]))

    for i in range(3):
        step()
        np.testing.assert_allclose(v.numpy(), numbers() + 2 * i + 2, atol=1e-5)
    old, between = seen[::2], seen[1::2]
    for i in range(3):
        np.testing.assert_allclose(old[i].numpy(), numbers() + 2 * i, atol=1e-5)
        np.testing.assert_allclose(between[i].numpy(), numbers() + 2 * i + 1, atol=1e-5)


def test_an_assertion_that_fails_leaves_the_variable(device: InPlaceDevice) -> None:
    v = tf.Variable(tf.constant(numbers()))

    @tf.function
    def step(limit: tf.Tensor) -> None:
        v.assign_add(tf.ones([SIZE]))
        tf.debugging.assert_less(tf.reduce_max(v), limit)

    step(tf.constant(100.0))
    old = v.numpy()
    with pytest.raises(tf.errors.InvalidArgumentError):
        step(tf.constant(0.0))
    np.testing.assert_array_equal(v.numpy(), old)


def test_conditionals(device: InPlaceDevice) -> None:
    v = tf.Variable(tf.constant(numbers()))

    @tf.function
    def step(up: tf.Tensor) -> tf.Tensor:
        if up:
            v.assign_add(tf.ones([SIZE]))
        else:
            v.assign(v * 2.0)
        return v + 0.0

    wanted = numbers()
    for up in (True, False, False, True):
        held = v.value()
        old = wanted
        wanted = wanted + 1 if up else wanted * 2
        np.testing.assert_allclose(step(tf.constant(up)).numpy(), wanted, rtol=1e-5, atol=1e-5)
        np.testing.assert_allclose(v.numpy(), wanted, rtol=1e-5, atol=1e-5)
        np.testing.assert_allclose(held.numpy(), old, rtol=1e-5, atol=1e-5)


def test_the_state_of_a_loop(device: InPlaceDevice) -> None:
    """Check that the state is overwritten from the second iteration on.

    The loop's initial value does not change.
    """
    start = tf.constant(numbers())

    @tf.function
    def powers(x: tf.Tensor) -> tf.Tensor:
        for _ in tf.range(5):
            x = x * 0.5 + 1.0
        return x

    wanted = numbers()
    for _ in range(5):
        wanted = wanted * 0.5 + 1
    for run in range(2):
        np.testing.assert_allclose(powers(start).numpy(), wanted, rtol=1e-5)
        np.testing.assert_array_equal(start.numpy(), numbers())
        assert device.donated >= 4 * (run + 1)


def test_a_loop_that_collects_its_states(device: InPlaceDevice) -> None:
    v = tf.Variable(tf.constant(numbers()))

    @tf.function
    def run() -> tf.Tensor:
        states = tf.TensorArray(tf.float32, 4)
        last = tf.zeros([SIZE])
        for i in tf.range(4):
            states = states.write(i, v.value())
            last = v.value()
            v.assign(v * 2.0)
        return tf.stack([*tf.unstack(states.stack()), last])

    rows = run().numpy()
    for i in range(4):
        np.testing.assert_allclose(rows[i], numbers() * 2**i, rtol=1e-5)
    np.testing.assert_allclose(rows[4], numbers() * 8, rtol=1e-5)
    np.testing.assert_allclose(v.numpy(), numbers() * 16, rtol=1e-5)


def test_the_gradient_of_a_loop(device: InPlaceDevice) -> None:
    w = tf.Variable(tf.constant(numbers()))

    @tf.function
    def step() -> tf.Tensor:
        with tf.GradientTape() as tape:
            y = w * 1.0
            for _ in tf.range(3):
                y = y * w
            loss = tf.reduce_sum(y)
        gradient = tape.gradient(loss, w)
        w.assign_sub(0.01 * gradient)
        return gradient

    wanted = numbers().astype(np.float64)
    for _ in range(4):
        np.testing.assert_allclose(step().numpy(), 4 * wanted**3, rtol=1e-3, atol=1e-4)
        wanted = wanted - 0.01 * 4 * wanted**3
        np.testing.assert_allclose(w.numpy(), wanted, rtol=1e-3, atol=1e-4)
    assert device.donated > 3
