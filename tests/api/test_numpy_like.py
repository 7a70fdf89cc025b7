"""The supported part of ``tf.experimental.numpy``, and paddings for space_to_batch."""

from __future__ import annotations

from typing import Any

import numpy as np
from api.same import error, same


@same
def test_select(tf: Any) -> Any:
    select = tf.experimental.numpy.select
    a, b = tf.constant([[1, 2], [3, 4]]), tf.constant([10, 20])
    first, second = tf.constant([[True, False], [False, False]]), tf.constant([True, False])
    return [
        select([first, second], [a, b]),
        select([first, second], [a, b], default=7),
        select([second], [tf.cast(a, tf.float32)], 0.5),
        select([first], [a], 0.5),
        select([first, True], [a, tf.constant(2.5)]),
        error(lambda: select([first], [a, b])),
        error(lambda: select([], [])),
    ]


@same
def test_facts_of_dtypes(tf: Any) -> Any:
    facts = [tf.experimental.numpy.finfo(d) for d in (tf.float32, tf.float16)]
    return [[f.eps, f.max, f.tiny] for f in facts]


@same
def test_paddings_of_blocks(tf: Any) -> Any:
    f = tf.required_space_to_batch_paddings
    return [
        *f([5, 4, 9], [2, 4, 5]),
        *f(np.array([5, 4]), [3, 3], [[1, 0], [0, 2]]),
        *f(tf.constant([7]), tf.constant([2]), tf.constant([[1, 1]])),
    ]
