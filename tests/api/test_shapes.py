"""``tf.TensorShape`` and ``set_shape``, with TensorFlow's results and errors."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest
import tensorflow

import tfpy

CALLS: list[Callable[[Any], Any]] = [
    lambda tf: tf.TensorShape([2, 3]).is_compatible_with([2, 3]),
    lambda tf: tf.TensorShape([2, None]).is_compatible_with(tf.TensorShape([2, 3])),
    lambda tf: tf.TensorShape([2, 3]).is_compatible_with([2]),
    lambda tf: tf.TensorShape([2, 3]).is_compatible_with(None),
    lambda tf: tf.TensorShape([2, None]).merge_with([None, 3]),
    lambda tf: tf.TensorShape([2, 3]).merge_with([2, 4]),
    lambda tf: tf.TensorShape([2, 3]).merge_with([2]),
    lambda tf: tf.TensorShape([2, 3]).merge_with(None),
    lambda tf: tf.TensorShape([2]).concatenate([3, None]),
    lambda tf: tf.TensorShape([2]).concatenate(tf.TensorShape([])),
    lambda tf: tf.TensorShape(None).__radd__([1]),
    lambda tf: len(tf.TensorShape(None)),
    lambda tf: tf.TensorShape([2, None]).__reduce__()[1],
    lambda tf: [bool(tf.compat.v1.Dimension(n)) for n in (0, 2, None)],
    lambda tf: tf.compat.v1.Dimension(6) / 2,
    lambda tf: copy.copy(tf.compat.v1.Dimension(3)),
    lambda tf: tf.TensorShape([2, 3]).assert_is_compatible_with([2, 4]),
    lambda tf: tf.TensorShape([2, 3]).assert_is_compatible_with([2, None]),
    lambda tf: tf.TensorShape([2, 3]).with_rank(2),
    lambda tf: tf.TensorShape([2, 3]).with_rank(3),
    lambda tf: tf.TensorShape([2, 3]).with_rank_at_least(1),
    lambda tf: tf.TensorShape([2, 3]).with_rank_at_least(3),
    lambda tf: tf.TensorShape([2, 3]).with_rank_at_most(1),
    lambda tf: tf.TensorShape([2, 3]).assert_has_rank(1),
    lambda tf: tf.TensorShape([2, 3]).assert_same_rank([1]),
    lambda tf: tf.TensorShape([2, 3]).assert_same_rank(None),
    lambda tf: tf.TensorShape(None).assert_same_rank([1]),
    lambda tf: tf.TensorShape(None).with_rank(2),
    lambda tf: tf.TensorShape(None).with_rank_at_least(2),
    lambda tf: tf.TensorShape(None).with_rank_at_most(2),
    lambda tf: tf.TensorShape([3]).assert_is_fully_defined(),
    lambda tf: tf.TensorShape([None]).assert_is_fully_defined(),
    lambda tf: tf.constant([1.0, 2.0]).set_shape([2]),
    lambda tf: tf.constant([1.0, 2.0]).set_shape([None]),
    lambda tf: tf.constant([1.0, 2.0]).set_shape([3]),
    lambda tf: tf.constant([1.0, 2.0]).set_shape([2, 1]),
]


def outcome(tf: Any, call: Callable[[Any], Any]) -> str:
    try:
        return repr(call(tf))
    except (TypeError, ValueError) as error:
        return f"{type(error).__name__}: {error}"


@pytest.mark.parametrize("call", CALLS)
def test_as_tensorflow(call: Callable[[Any], Any]) -> None:
    assert outcome(tfpy, call) == outcome(tensorflow, call)


@pytest.mark.parametrize("tf", [tensorflow, tfpy])
def test_while_tracing(tf: Any) -> None:
    def tripled(x: Any, size: int) -> Any:
        y = tf.py_function(lambda a: a.numpy() * 3, [x], tf.float32)
        y.set_shape([size])
        return y

    function = tf.function(tripled)
    assert function(tf.constant([1.0, 2.0]), 2).numpy().tolist() == [3.0, 6.0]
    symbolic = tf.function(lambda x: x.set_shape([3]))
    with pytest.raises(ValueError, match="hape"):
        symbolic(tf.constant([1.0, 2.0]))


@pytest.mark.parametrize("tf", [tensorflow, tfpy])
def test_tensors_that_leave_their_trace(tf: Any) -> None:
    kept: list[Any] = []
    tf.function(lambda x: kept.append(x + 1))(tf.constant(1))
    (leaked,) = kept
    for use in (lambda: leaked + 1, lambda: tf.abs(leaked), lambda: tf.stack([leaked, 1])):
        with pytest.raises(TypeError, match="out of scope"):
            use()
