"""``tf.check_float16``: the first op for which float16 is not sufficient, and its source line."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tfpy as tf


def line_of(found: Any) -> str:
    """Return the source text of the reported line, which is in this file."""
    place, _, text = found.line.partition(": ")
    assert place.rpartition(":")[0] == __file__
    return str(text)


def test_overflow() -> None:
    def f(x: Any) -> Any:
        y = tf.exp(x)
        return tf.math.log(y + 1.0)

    found = tf.check_float16(f, tf.constant([1.0, 12.0]))
    assert not found
    assert (found.problem, found.op) == ("overflow", "exp")
    assert line_of(found) == "y = tf.exp(x)"
    assert found.detail == "162755 is beyond 65504, the largest number of float16"
    assert found.error == float("inf")
    assert str(found).startswith("overflow in exp: 162755")


def test_what_is_too_small_is_lost() -> None:
    """Check that the error names the sum that loses a small term.

    It does not name the logarithm, which becomes infinite.
    """

    @tf.function
    def f(x: Any) -> Any:
        small = x + 1e-9
        return tf.math.log(small)

    found = tf.check_float16(f, tf.constant([0.0, 0.0]))
    assert (found.problem, found.op) == ("precision", "add")
    assert line_of(found) == "small = x + 1e-9"
    assert found.detail == "1e-09 became 0; the relative error of the result is 1"


def test_infinite_where_the_number_is_small() -> None:
    found = tf.check_float16(lambda x: tf.math.log(x), tf.constant([1e-9, 1.0]))
    assert (found.problem, found.op) == ("overflow", "log")
    assert found.detail == "-20.7233 became -inf"


def test_cancellation() -> None:
    def f(x: Any) -> Any:
        return (x + 1000.0) - 1000.0

    found = tf.check_float16(f, tf.constant([0.4, 0.7]))
    assert (found.problem, found.op) == ("precision", "subtract")
    assert tf.check_float16(f, tf.constant([0.4, 0.7]), tolerance=0.5)
    assert tf.check_float16(f, tf.constant([100.0, 200.0]))


def test_in_gradients() -> None:
    def f(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(tf.sqrt(x * 1e-3))
        return tape.gradient(y, x)

    found = tf.check_float16(f, tf.constant([1e-6, 1.0]))
    assert found.problem == "overflow"
    assert line_of(found) == "return tape.gradient(y, x)"


def test_in_loops_and_custom_gradients() -> None:
    @tf.custom_gradient
    def squared(x: Any) -> Any:
        return x * x, lambda g: g

    @tf.function
    def grown(x: Any) -> Any:
        for _ in tf.range(4):
            x = squared(x)
        return x

    for function in (grown, grown.python_function):
        found = tf.check_float16(function, tf.constant([3.0]))
        assert (found.problem, found.op) == ("overflow", "multiply")
        assert found.detail == "4.30467e+07 is beyond 65504, the largest number of float16"
        assert line_of(found) == "return x * x, lambda g: g"


def test_what_does() -> None:
    """Check that float16 is sufficient if lost values do not matter.

    The epsilon follows the device.
    """
    rng = np.random.default_rng(0)

    def f(x: Any, weights: dict[str, Any]) -> Any:
        y = tf.nn.softmax(tf.matmul(x, weights["w"]) * 20.0)
        return {"y": [y], "top": tf.argmax(y, 1), "unit": tf.nn.l2_normalize(tf.zeros([3]))}

    x = rng.normal(size=(5, 8)).astype(np.float32)
    found = tf.check_float16(f, [x, {"w": tf.Variable(rng.normal(size=(8, 4)), dtype=tf.float32)}])
    assert found
    assert 0 < found.error < 0.02
    assert str(found).startswith("float16 is sufficient")


def test_log_loss_at_its_worst() -> None:
    def f(y: Any, x: Any) -> Any:
        return tf.losses.log_loss(y, x)

    ends = np.array([0.0, 1.0, 1.0, 0.0], np.float32)
    assert tf.check_float16(f, [ends, 1 - ends])
    tiny = tf.check_float16(lambda y, x: tf.losses.log_loss(y, x, epsilon=1e-9), [ends, 1 - ends])
    assert tiny, "an epsilon that is given follows the device, too"


def test_everything_is_as_before() -> None:
    def failing(x: Any) -> Any:
        raise KeyError("mine")

    backend = tf.get_backend()
    with pytest.raises(KeyError, match="mine"):
        tf.check_float16(failing, tf.constant(1.0))
    assert tf.get_backend() == backend
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        assert tf.check_float16(lambda x: x * x, x)
        y = x * 2.0
    assert tape.gradient(y, x).numpy() == 2.0


def test_nothing_is_left(no_leaks: None) -> None:
    v = tf.Variable([1.0, 2.0])
    tf.check_float16(lambda: v.assign_add(tf.exp(v)))
    np.testing.assert_allclose(v.numpy(), [1 + np.e, 2 + np.e**2], rtol=1e-6)


def test_the_backend_s_epsilon(monkeypatch: pytest.MonkeyPatch) -> None:
    assert tf.backend() is tf.find_backend(tf.get_backend())
    assert tf.backend().epsilon() == 1e-7
    zeros, ones = tf.zeros([2]), tf.ones([2])
    plain = tf.losses.log_loss(ones, zeros).numpy()
    np.testing.assert_allclose(plain, -np.log(1e-7), rtol=1e-3)
    near = tf.constant([[1.0, 1.0], [1.0, 1.0005]])  # float16 represents one of the two rows
    assert tf.linalg.matrix_rank(near).numpy() == 2
    monkeypatch.setattr(tf.backend(), "stores_float16", True)
    assert tf.linalg.matrix_rank(near).numpy() == 1
    assert tf.backend().epsilon() == 1e-4
    np.testing.assert_allclose(tf.losses.log_loss(ones, zeros).numpy(), -np.log(1e-4), rtol=1e-3)
    np.testing.assert_allclose(
        tf.math.l2_normalize(tf.constant([1e-3, 0.0])).numpy(), [0.1, 0], rtol=1e-5
    )
