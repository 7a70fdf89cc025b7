"""TensorFlow 2's rules for dtypes, integers, empty tensors, NaN and infinities."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import tensorflow
from api.same import NARROWED, compare, outcome

import tfpy

NAN, INF, LAST = float("nan"), float("inf"), 2**31 - 1


def integers(tf: Any) -> Any:
    return tf.constant([7, -7, 2, -2])


def floats(tf: Any) -> Any:
    return tf.constant([1.5, -2.5, 0.0, 3.0])


def flags(tf: Any) -> Any:
    return tf.constant([True, False])


PYTHON_NUMBERS: list[Callable[[Any], Any]] = [
    lambda tf: integers(tf) + floats(tf),
    lambda tf: integers(tf) + 1.5,
    lambda tf: 1.5 + integers(tf),
    lambda tf: integers(tf) * 1.5,
    lambda tf: integers(tf) - [1.5],
    lambda tf: operator.add(integers(tf), [1.5]),
    lambda tf: integers(tf) ** 0.5,
    lambda tf: integers(tf) < 1.5,
    lambda tf: integers(tf) == 1.5,
    lambda tf: integers(tf) < floats(tf),
    lambda tf: integers(tf) == floats(tf),
    lambda tf: integers(tf) / 2.0,
    lambda tf: integers(tf) + True,
    lambda tf: integers(tf) & 3,
    lambda tf: integers(tf) & 1.5,
    lambda tf: ~integers(tf),
    lambda tf: floats(tf) + 1,
    lambda tf: floats(tf) + True,
    lambda tf: floats(tf) ** 2,
    lambda tf: 2.0 ** floats(tf),
    lambda tf: 1 / floats(tf),
    lambda tf: floats(tf) == 1,
    lambda tf: floats(tf) & 1,
    lambda tf: floats(tf) + None,
    lambda tf: floats(tf) + 1j,
    lambda tf: flags(tf) + 1,
    lambda tf: flags(tf) + flags(tf),
    lambda tf: -flags(tf),
    lambda tf: flags(tf) & True,
    lambda tf: flags(tf) ^ False,
    lambda tf: flags(tf) < flags(tf),
    lambda tf: tf.maximum(1, 2.0),
    lambda tf: tf.add(1.0, 2),
    lambda tf: tf.where([True, False], 1, 2.0),
    lambda tf: tf.stack([1, 2.0]),
    lambda tf: tf.concat([tf.constant([1]), tf.constant([2.0])], 0),
    lambda tf: tf.matmul(tf.ones([1, 1]), tf.ones([1, 1], tf.int32)),
    lambda tf: tf.sqrt([4]),
    lambda tf: tf.exp(tf.constant([1])),
    lambda tf: tf.clip_by_value(integers(tf), 0, 3),
    lambda tf: tf.clip_by_value(integers(tf), 0.5, 3.0),
    lambda tf: tf.Variable([1]) + 1.5,
    lambda tf: tf.Variable([1]).assign([1.5]),
    lambda tf: tf.Variable([1]).assign_add([1.5]),
    lambda tf: floats(tf) + np.float32(2),
    lambda tf: np.float32(2) + floats(tf),
    lambda tf: floats(tf) + np.int32(2),
    lambda tf: integers(tf) + np.float32(2),
    lambda tf: integers(tf) + np.array([1.5], np.float32),
    lambda tf: np.array([2.0], np.float32) * floats(tf),
    lambda tf: tf.constant([2.0], tf.float16) * 3,
    lambda tf: tf.constant([2.0], tf.float16) + tf.constant([2.0]),
    lambda tf: tf.constant([1, 2.5]),
    lambda tf: tf.constant([1, True]),
    lambda tf: tf.constant([1.5, True]),
    lambda tf: tf.constant([[1], [True]]),
    lambda tf: tf.constant([True, 1]),
    lambda tf: tf.constant([True, 1.5]),
    lambda tf: tf.constant([[True], [1]]),
    lambda tf: tf.constant([1, "a"]),
    lambda tf: tf.constant(1, tf.bool),
    lambda tf: tf.constant(True, tf.int32),
    lambda tf: tf.constant(1.5, tf.int32),
]

INTEGERS: list[Callable[[Any], Any]] = [
    lambda tf: integers(tf) // tf.constant([2, 2, -3, -3]),
    lambda tf: integers(tf) % tf.constant([3, 3, -3, -3]),
    lambda tf: 7 // integers(tf),
    lambda tf: 7 % integers(tf),
    lambda tf: integers(tf) / 2,
    lambda tf: integers(tf) // 0,
    lambda tf: integers(tf) % 0,
    lambda tf: floats(tf) // 2,
    lambda tf: floats(tf) % 2,
    lambda tf: floats(tf) // 0.0,
    lambda tf: floats(tf) % 0.0,
    lambda tf: floats(tf) / 0.0,
    lambda tf: str((floats(tf) % -2.0).numpy()),
    lambda tf: tf.constant([LAST]) + 1,
    lambda tf: tf.constant([LAST]) * 3,
    lambda tf: tf.constant([-LAST - 1]) - 1,
    lambda tf: -tf.constant([-LAST - 1]),
    lambda tf: tf.abs(tf.constant([-LAST - 1])),
    lambda tf: tf.constant([-LAST - 1]) // -1,
    lambda tf: tf.constant([-LAST - 1]) % -1,
    lambda tf: tf.reduce_sum(tf.constant([LAST, 1, 1])),
    lambda tf: tf.reduce_prod(tf.constant([LAST, LAST])),
    lambda tf: tf.constant([3]) ** 21,
    lambda tf: tf.constant([3]) ** -1,
    lambda tf: tf.square(tf.constant([70000])),
    lambda tf: tf.matmul([[70000]], [[70000]]),
    lambda tf: tf.reduce_mean(tf.constant([1, 2, 4])),
    lambda tf: tf.reduce_mean(tf.constant([-1, -2, -4])),
    lambda tf: tf.constant([250], tf.uint8) + 10,
    lambda tf: tf.constant([250], tf.uint8) // 7,
    lambda tf: tf.constant([127], tf.int8) + tf.constant([1], tf.int8),
]

NARROW: list[Callable[[Any], Any]] = [
    lambda tf: tf.constant(300, tf.uint8),
    lambda tf: tf.constant([-1, 300], tf.uint8),
    lambda tf: tf.constant(np.array([200]), tf.int8),
    lambda tf: tf.constant([1], tf.uint8) + 300,
    lambda tf: operator.add(tf.constant([1], tf.uint8), [300]),
    lambda tf: tf.constant([1], tf.uint8) + np.array([300]),
    lambda tf: tf.constant([0, 1, 255], tf.uint8) > -1,
    lambda tf: tf.constant([0, 1, 255], tf.uint8) * -1,
    lambda tf: -1 / tf.constant([0, 1, 255], tf.uint8),
    lambda tf: tf.clip_by_value(tf.constant([1, 200], tf.uint8), -5, 300),
    lambda tf: tf.maximum(tf.constant([1], tf.int8), 200),
    lambda tf: tf.constant([1], tf.int8) * True,
    lambda tf: True + tf.constant([1], tf.uint8),
    lambda tf: tf.constant([1], tf.float16) + True,
    lambda tf: -tf.constant([1], tf.uint8),
    lambda tf: -tf.constant([1], tf.int8),
    lambda tf: tf.abs(tf.constant([1], tf.uint8)),
    lambda tf: tf.abs(tf.constant([-128, 1], tf.int8)),
    lambda tf: tf.sign(tf.constant([1], tf.uint32)),
    lambda tf: tf.sign(tf.constant([-7], tf.int8)),
    lambda tf: tf.reduce_mean(tf.constant([[200, 200, 100], [255, 255, 255]], tf.uint8), 1),
    lambda tf: tf.reduce_mean(tf.constant([-128, -128, 100], tf.int8)),
    lambda tf: tf.reduce_mean(tf.constant([4294967295, 7, 1, 0], tf.uint32)),
    lambda tf: [tf.reduce_mean(tf.zeros([0, 2], tf.complex64), axis) for axis in (None, 0, 1)],
    lambda tf: tf.reduce_mean(tf.constant([2000000000, 2000000000, 2000000000])),
    lambda tf: tf.reduce_mean(tf.constant([[-2000000000, 3], [-2000000000, -9]]), 0),
    lambda tf: tf.reduce_mean(tf.constant([-7, 3, 5, -6, 1])),
    lambda tf: tf.reduce_mean(tf.constant([7, -3, -5, 6, 1])),
    lambda tf: tf.reduce_mean(tf.zeros([0, 2], tf.int32), 1),
]

KINDS: list[Callable[[Any], Any]] = [
    lambda tf: tf.logical_not(2),
    lambda tf: tf.logical_not([1.0]),
    lambda tf: tf.logical_not(np.array([1.5, 0.0])),
    lambda tf: tf.logical_not(np.float64(0.5)),
    lambda tf: tf.logical_not(tf.constant([1])),
    lambda tf: tf.logical_and(1, True),
    lambda tf: tf.reduce_any([1, 0]),
    lambda tf: tf.reduce_all(np.array([1, 0])),
    lambda tf: tf.reduce_any(tf.constant([1, 0])),
    lambda tf: integers(tf) + np.float64(2.5),
    lambda tf: integers(tf) / floats(tf),
    lambda tf: tf.math.divide_no_nan(integers(tf), floats(tf)),
    lambda tf: tf.divide(flags(tf), flags(tf)),
    lambda tf: tf.nn.gelu(integers(tf)),
    lambda tf: tf.nn.silu(integers(tf)),
    lambda tf: tf.nn.l2_loss(integers(tf)),
    lambda tf: tf.nn.l2_loss(tf.constant([1j])),
    lambda tf: tf.norm(integers(tf)),
    lambda tf: tf.norm(integers(tf), 1),
    lambda tf: tf.cast(["1"], tf.int32),
    lambda tf: tf.ones_like(["a"]),
    lambda tf: tf.where(["a", ""]),
    lambda tf: tf.math.l2_normalize(tf.constant([3j, 4.0])),
    lambda tf: tf.math.count_nonzero(["a", "", "b"]),
    lambda tf: tf.math.zero_fraction(["a", "", "b"]),
    lambda tf: tf.pad(["a"], [[1, 1]]),
    lambda tf: tf.nn.softmax_cross_entropy_with_logits([[0, 1]], [[2.0, -3.0]]),
]

LIMITS: list[Callable[[Any], Any]] = [
    lambda tf: [str(tf.float32.min), str(tf.float32.max), tf.int8.min],
    lambda tf: [str(tf.float16.max), tf.uint8.max, tf.int32.min],
]

ARGUMENTS: list[Callable[[Any], Any]] = [
    lambda tf: tf.clip_by_value(floats(tf), 1.0, -1.0),
    lambda tf: tf.clip_by_value(floats(tf), [[0.0], [1.0]], 1.0),
    lambda tf: tf.nn.softmax(tf.ones([2, 3]), axis=None),
    lambda tf: tf.nn.log_softmax(tf.ones([2, 3]), axis=None),
    lambda tf: tf.squeeze(tf.ones([1, 2, 1]), []),
    lambda tf: tf.reduce_logsumexp(tf.ones([1, 2]), []),
    lambda tf: tf.expand_dims(floats(tf), [1]),
    lambda tf: tf.ensure_shape(floats(tf), None),
    lambda tf: tf.pad(tf.constant(1.0), tf.zeros([0, 2], tf.int32)),
    lambda tf: tf.gather(tf.constant(1.0), [0]),
    lambda tf: tf.gather(tf.ones([2, 3]), [[0, 1], [1, 2]], batch_dims=-1),
    lambda tf: tf.tensordot(tf.ones([2]), tf.ones([2]), 3),
]

EMPTY: list[Callable[[Any], Any]] = [
    lambda tf: tf.zeros([0, 3]) + tf.zeros([3]),
    lambda tf: tf.zeros([0, 1]) + tf.zeros([1, 3]),
    lambda tf: tf.zeros([0]) + tf.zeros([1]),
    lambda tf: tf.zeros([0]) + tf.zeros([2]),
    lambda tf: tf.zeros([0]) < 1.0,
    lambda tf: tf.reduce_sum([]),
    lambda tf: tf.reduce_max(tf.zeros([0, 3]), 0),
    lambda tf: tf.reduce_mean(tf.zeros([0, 3]), 0),
    lambda tf: tf.reduce_prod(tf.zeros([0, 3]), 0),
    lambda tf: tf.argmax(tf.zeros([0, 3]), 0),
    lambda tf: tf.matmul(tf.zeros([2, 0]), tf.zeros([0, 3])),
    lambda tf: tf.concat([tf.zeros([0, 2]), tf.ones([1, 2])], 0),
    lambda tf: tf.cast(tf.zeros([0, 2]), tf.int32),
    lambda tf: tf.zeros([0], tf.int32) // tf.constant([0]),
    lambda tf: tf.zeros([0], tf.int32) % tf.constant([0]),
    lambda tf: tf.zeros([0], tf.int32) ** tf.constant([-1]),
    lambda tf: tf.truncatediv(tf.zeros([0], tf.int32), tf.constant([0])),
]

SPECIAL: list[Callable[[Any], Any]] = [
    lambda tf: tf.maximum(NAN, [1.0, 2.0]),
    lambda tf: tf.minimum([1.0, NAN], [2.0, 3.0]),
    lambda tf: tf.reduce_max([1.0, NAN]),
    lambda tf: tf.constant(NAN) == NAN,
    lambda tf: tf.constant(NAN) != NAN,
    lambda tf: tf.sign(NAN),
    lambda tf: tf.nn.relu(NAN),
    lambda tf: tf.clip_by_value([NAN, 9.0], 0.0, 1.0),
    lambda tf: tf.argmax([1.0, NAN, 3.0]),
    lambda tf: tf.constant(INF) - INF,
    lambda tf: tf.constant(0.0) * INF,
    lambda tf: tf.pow([1.0, 0.0, -8.0, NAN, -2.0], [NAN, 0.0, 1 / 3.0, 0.0, 2.0]),
    lambda tf: tf.round([0.5, 1.5, 2.5, -0.5]),
    lambda tf: tf.math.divide_no_nan([1.0, 2.0], [0.0, 2.0]),
    lambda tf: tf.where([True, False], [NAN, 1.0], [2.0, NAN]),
]

CASTS: list[Callable[[Any], Any]] = [
    lambda tf: tf.cast([-1.9, 1.9, -0.5], tf.int32),
    lambda tf: tf.cast([3e9, -3e9, INF, -INF, NAN], tf.int32),
    lambda tf: tf.cast([0.0, -0.0, 0.1, NAN, INF], tf.bool),
    lambda tf: tf.cast([0, 2, -1], tf.bool),
    lambda tf: tf.cast([True, False], tf.float32),
    lambda tf: tf.cast([True, False], tf.int32),
    lambda tf: tf.cast([300, -1, 256], tf.uint8),
    lambda tf: tf.cast([1.9, 254.9], tf.uint8),
    lambda tf: tf.cast([200, -129], tf.int8),
    lambda tf: tf.cast([65504.0, 65520.0, 1e-8], tf.float16),
    lambda tf: tf.cast([16777217, -16777219], tf.float32),
    lambda tf: tf.cast([1.5, -2.0], tf.complex64),
    lambda tf: tf.cast(3.7, tf.int32),
]

CASES = {
    f"{name}-{i}": case
    for name, cases in {
        "python": PYTHON_NUMBERS,
        "integer": INTEGERS,
        "narrow": NARROW,
        "kind": KINDS,
        "argument": ARGUMENTS,
        "limit": LIMITS,
        "empty": EMPTY,
        "special": SPECIAL,
        "cast": CASTS,
    }.items()
    for i, case in enumerate(cases)
}


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # NumPy's, while TensorFlow casts NaN
@pytest.mark.parametrize("name", CASES)
def test_as_tensorflow(name: str) -> None:
    (kind, mine), (wanted_kind, wanted) = (outcome(CASES[name], lib) for lib in (tfpy, tensorflow))
    assert kind == NARROWED.get(wanted_kind, wanted_kind)
    if wanted is not None:
        compare(mine, wanted, 1e-6, name)


@pytest.mark.parametrize(
    "function",
    [
        lambda tf, x: tf.where(x > 0, tf.sqrt(x), 0.0),
        lambda tf, x: tf.where(x > 0, tf.math.log(tf.where(x > 0, x, 1.0)), 0.0),
        lambda tf, x: tf.reduce_prod(x),
        lambda tf, x: tf.reduce_prod(tf.stack([x, x + 1.0]), 1),
        lambda tf, x: tf.math.divide_no_nan(1.0, x),
        lambda tf, x: tf.math.multiply_no_nan(x, tf.zeros_like(x)),
        lambda tf, x: tf.norm(x * 0.0),
        lambda tf, x: tf.maximum(x, NAN),
    ],
)
def test_gradients_at_zeros(function: Callable[[Any, Any], Any]) -> None:
    found = []
    for tf in (tfpy, tensorflow):
        x = tf.constant([0.0, 2.0, -1.0, 0.5])
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = function(tf, x)
        found.append(tape.gradient(y, x).numpy())
    np.testing.assert_allclose(*found, rtol=1e-6)


@pytest.mark.parametrize("name", ["relu", "relu6", "softplus", "sigmoid", "selu", "silu"])
def test_second_derivatives_at_kinks(name: str) -> None:
    """Check that the derivative of a step function is zero, not None."""
    found = []
    for tf in (tfpy, tensorflow):
        x = tf.constant([-1.0, 0.0, 0.5, 6.0, 7.0])
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                y = getattr(tf.nn, name)(x)
            slope = inner.gradient(y, x)
        found.append(outer.gradient(slope, x).numpy())
    np.testing.assert_allclose(*found, rtol=1e-5, atol=1e-6)
