"""Assertions about shapes that only a run of a graph knows, and casts of packed tensors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from api.same import error, same

ASSERTIONS: dict[str, Callable[[Any, Any, Any], Any]] = {
    "shapes": lambda tf, x, y: tf.compat.v1.debugging.assert_shapes([(x, ("N", 2)), (y, ("N", 3))]),
    "one shape": lambda tf, x, y: tf.compat.v1.debugging.assert_shapes([(x, (3, 2))]),
    "rank": lambda tf, x, y: tf.debugging.assert_rank(y, 2),
    "rank in": lambda tf, x, y: tf.debugging.assert_rank_in(y, (1, 2)),
    "rank at least": lambda tf, x, y: tf.debugging.assert_rank_at_least(y, 2),
}


@pytest.mark.parametrize("name", ASSERTIONS)
def test_assertions_run_before_dependent_operations(name: str) -> None:
    def program(tf: Any) -> list[Any]:
        one, found = tf.compat.v1, []
        with tf.Graph().as_default(), one.Session() as sess:
            x, y = one.placeholder(tf.float32, [None, 2]), one.placeholder(tf.float32)
            with tf.control_dependencies([ASSERTIONS[name](tf, x, y)]):
                total = tf.identity(x)
            for sizes in ([3, 3], [2, 3], [3], [3, 4], []):
                feed = {x: np.ones([3 if len(sizes) < 2 else sizes[0], 2]), y: np.ones(sizes)}
                found.append(error(lambda: sess.run(total, feed)))  # noqa: B023
        return found

    same(program)()


@same
def test_tensors_in_sequences_are_cast_to_the_wanted_dtype(tf: Any) -> Any:
    floats, numbers = tf.constant([1.5, 2.5]), tf.constant([1, 2])
    return [
        tf.convert_to_tensor([numbers, floats, [7, 8]], dtype=tf.float32),
        tf.convert_to_tensor([numbers, numbers], dtype=tf.float16),
        tf.constant(1) + tf.cast(tf.convert_to_tensor([numbers[0], 2]), tf.int32),
        error(lambda: tf.convert_to_tensor([floats, numbers])),
        error(lambda: tf.convert_to_tensor([floats, numbers], dtype=tf.float32)),
    ]


@same
def test_merged_values_of_sessions(tf: Any) -> Any:
    value = tf.compat.v1.SparseTensorValue
    indices = np.array([[0, 0], [0, 1], [1, 0]])
    ids = value(indices, np.array([4, 1, 3]), np.array([2, 2]))
    values = value(indices, np.array([0.4, 0.1, 0.3], np.float32), np.array([2, 2]))
    merged = tf.compat.v1.sparse_merge(ids, values, 5)
    return [merged.indices, merged.values, merged.dense_shape]
