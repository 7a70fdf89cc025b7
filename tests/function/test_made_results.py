"""Large results that a function makes while it is traced are computed by its Graph."""

from __future__ import annotations

import gc
from typing import Any

import numpy as np
import pytest
from api.same import same
from api.twin import check

import tfpy as tf

SIZE = 200


def angles() -> Any:
    """Return an array of more elements than a constant may have, made from few numbers."""
    positions = tf.cast(tf.range(SIZE), tf.float32)
    return tf.cos(positions[:, None] * tf.constant(np.linspace(0, 1, 50, dtype=np.float32)))


def test_they_are_not_kept() -> None:
    x = tf.ones([SIZE, 50])

    @tf.function
    def f(x: Any) -> Any:
        cache = tf.zeros([3, SIZE, 50])
        return x * angles() + cache[1] + tf.reduce_sum(cache[2:], 0)

    f(x)  # programs of single ops may keep memory
    gc.collect()
    before = tf.memory()["numBytes"]
    concrete = f.get_concrete_function(tf.TensorSpec([SIZE, 50]))
    again = tf.function(f.python_function).get_concrete_function(tf.TensorSpec([SIZE, 50]))
    gc.collect()
    assert concrete.captured_inputs == again.captured_inputs == []
    assert tf.memory()["numBytes"] - before < 4 * SIZE * 50
    np.testing.assert_allclose(again(x), angles(), 1e-6, 1e-6)


def test_equal_results_are_computed_once() -> None:
    @tf.function
    def f(x: Any) -> Any:
        return x * angles() - tf.exp(x * angles())

    concrete = f.get_concrete_function(tf.TensorSpec([SIZE, 50]))
    concrete(tf.ones([SIZE, 50]))
    assert str(concrete.lower()).count("cos") <= 1


def test_they_have_values_while_tracing() -> None:
    @tf.function
    def f(x: Any) -> Any:
        made = tf.ones([SIZE, 50])
        return x * float(np.asarray(made).sum()) + made

    assert f(tf.constant(2.0)).numpy()[0, 0] == 2 * SIZE * 50 + 1


def test_results_of_outside_tensors_stay_captured() -> None:
    outside = tf.random.normal([SIZE])

    @tf.function
    def f(x: Any) -> Any:
        return x + outside[:, None] * tf.ones([SIZE, 50])

    assert len(f.get_concrete_function(tf.TensorSpec([])).captured_inputs) >= 1
    expected = outside.numpy()[:, None] + np.ones((1, 50), np.float32)
    np.testing.assert_allclose(f(tf.constant(1.0)), expected, 1e-6)


def test_random_results_are_not_repeated() -> None:
    @tf.function
    def f(x: Any) -> Any:
        noise = tf.random.stateless_uniform([SIZE, 50], [1, 2])
        return x + noise, x + noise

    first, second = f(tf.constant(0.0))
    np.testing.assert_array_equal(first, second)
    np.testing.assert_array_equal(first, tf.random.stateless_uniform([SIZE, 50], [1, 2]))


@same
def test_gradients(lib: Any) -> Any:
    weight = lib.constant(np.linspace(-1, 1, SIZE, dtype=np.float32))

    @lib.function
    def f(x: Any) -> Any:
        made = lib.ones([SIZE, 50]) * 3.0
        with lib.GradientTape() as tape:
            tape.watch([made, x])
            y = lib.reduce_mean(made * made * x[:, None] * lib.tanh(weight)[:, None])
        inner, of_x = tape.gradient(y, [made, x])
        return lib.reduce_sum(inner * made) + lib.reduce_mean(of_x * x**2), inner

    x = lib.constant(np.linspace(0, 2, SIZE, dtype=np.float32))
    with lib.GradientTape() as tape:
        tape.watch([x, weight])
        with lib.GradientTape() as second:
            second.watch([x, weight])
            y, inner = f(x)
        found = second.gradient(y, [x, weight])
    return [y, inner, *found, *tape.gradient(found, [x, weight])]


@pytest.mark.parametrize("kind", ["while_loop", "cond"])
def test_in_parts_of_control_flow(kind: str) -> None:
    def program(tf: Any, x: Any) -> Any:
        @tf.function
        def f(x: Any) -> Any:
            state = tf.zeros([SIZE, 50])
            if kind == "cond":
                return tf.cond(x[0] > 0, lambda: state + x[:50], lambda: tf.ones([SIZE, 50]) * 2.0)
            add = tf.ones([SIZE, 50]) * 0.5
            return tf.while_loop(
                lambda i, _: i < 3,
                lambda i, s: (i + 1, s + add * x[0] + tf.ones([SIZE, 50])),
                (tf.constant(0), state),
            )[1]

        return f(x), f(-x)

    check(program, np.linspace(1, 2, 60).astype(np.float32), grads=True)


def test_a_large_result_of_a_captured_number() -> None:
    """Test that the number stays the input that other equations read."""

    @tf.function
    def scaled(x: tf.Tensor) -> tf.Tensor:
        count = tf.cast(tf.constant(4000), tf.float32)
        y = x / count
        return y + tf.reduce_sum(tf.broadcast_to(tf.reshape(count, [1, 1]), [80, 80]) * x)

    np.testing.assert_allclose(scaled(tf.constant(2.0)), 2 / 4000 + 2.0 * 4000 * 6400, 1e-6)
