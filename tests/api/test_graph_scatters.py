"""Scatter functions in graphs of ``tf.compat.v1`` with arguments of unknown shapes."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
from api.same import same

INDICES = [[[0, 1], [1, 0]], [[1, 1], [0, 0]]]
UPDATES = [[[1, 2], [3, 4]], [[5, 6], [7, 8]]]


@same
def test_unknown_shapes(tf: Any) -> Any:
    pairs = itertools.product((None, [2, 2, 2], [None, None, 2]), (None, [2, 2, 2], [2, None, 2]))
    return [results(tf, given, taken) for given, taken in pairs]


def results(tf: Any, given: Any, taken: Any) -> Any:
    """Scatter updates with placeholders of some shapes, and with several forms of the result's."""
    v1 = tf.compat.v1
    found = []
    for specify in (
        lambda: v1.placeholder(tf.int32),
        lambda: v1.placeholder(tf.int32, [None]),
        lambda: tf.constant([2, 2, 2]),
    ):
        with tf.Graph().as_default(), v1.Session() as session:
            indices, updates = v1.placeholder(tf.int32, given), v1.placeholder(tf.float32, taken)
            shape = specify()
            made = tf.scatter_nd(indices, updates, shape)
            added = tf.tensor_scatter_nd_add(tf.ones([2, 2, 2]), indices, updates)
            feeds = {indices: INDICES, updates: UPDATES}
            if shape.op.type == "Placeholder":
                feeds[shape] = [2, 2, 2]
            found.append([str(added.shape), session.run([made, added], feeds)])
    return found


@same
def test_shapes_that_do_not_match_in_a_run(tf: Any) -> Any:
    v1 = tf.compat.v1
    with tf.Graph().as_default(), v1.Session() as session:
        indices, updates = v1.placeholder(tf.int32), v1.placeholder(tf.float32)
        made = tf.scatter_nd(indices, updates, [0, 3, 2])
        with pytest.raises(tf.errors.InvalidArgumentError, match="specified for empty"):
            session.run(made, {indices: INDICES, updates: UPDATES})
        return str(made.shape)
