"""``tf.TensorShape`` and ``set_shape``, with TensorFlow's results and errors."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
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
    lambda tf: (isinstance(tf.TensorShape([2]), tuple), type(tf.TensorShape(None)).__name__),
    lambda tf: type(tf.TensorShape(None)) is tf.TensorShape,
    lambda tf: [f"%s, {tf.TensorShape(n)}" % tf.TensorShape(n) for n in ([2, 3], [None], [], None)],
    lambda tf: [repr(tf.TensorShape(n)) for n in ([2, 3], [None, 1], [], None)],
    lambda tf: [tf.TensorShape([2, 3]) == n for n in ((2, 3), [2, 3], (2,), None, "ab", [[2], 3])],
    lambda tf: [n == tf.TensorShape([2, 3]) for n in ((2, 3), [2, 3], (2,), None)],
    lambda tf: [tf.TensorShape(None) == n for n in (None, tf.TensorShape(None), (), [2])],
    lambda tf: ({(2, 3): 1}.get(tf.TensorShape([2, 3])), {tf.TensorShape(None): 1}),
    lambda tf: [n + tf.TensorShape([2]) for n in ((1,), [1], tf.TensorShape(None))],
    lambda tf: [tf.TensorShape([2]) + n for n in ((1,), [1], tf.TensorShape(None))],
    lambda tf: [tf.TensorShape(None)[k] for k in (0, slice(1, 3), slice(1, None), slice(-1))],
    lambda tf: [tf.TensorShape([2, 3, 4])[k] for k in (0, -1, slice(1), slice(1, None), slice(9))],
    lambda tf: tf.TensorShape([2])[1],
    lambda tf: tf.TensorShape([2, 3]) * 2,
    lambda tf: tf.TensorShape([2, 3]).index(3),
    lambda tf: json.dumps(tf.TensorShape([2, 3])),
    lambda tf: (3 in tf.TensorShape([2, 3]), [*reversed(tf.TensorShape([2, 3]))]),
    lambda tf: [copy.deepcopy(tf.TensorShape(n)) for n in ([2, None], None)],
    lambda tf: tf.nest.flatten({"a": tf.TensorShape([2, 3]), "b": [tf.TensorShape(None)]}),
    lambda tf: (tf.nest.is_nested(tf.TensorShape([2])), isinstance(tf.TensorShape([2]), Sequence)),
    lambda tf: [np.zeros(tf.TensorShape([2, 3])).shape, np.asarray(tf.TensorShape([2, 3]))],
    lambda tf: tf.stack([tf.TensorShape([2, 3]), [4, 5]]).numpy().tolist(),
    lambda tf: tf.convert_to_tensor(tf.TensorShape([2, None])),
    lambda tf: tf.convert_to_tensor(tf.TensorShape(None)),
]


def outcome(tf: Any, call: Callable[[Any], Any]) -> str:
    try:
        return repr(call(tf))
    except (AttributeError, IndexError, TypeError, ValueError) as error:
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
