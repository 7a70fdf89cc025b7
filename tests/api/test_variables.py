"""``tf.Variable``."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from api.same import same

import tfpy


@same
def test_making(tf: Any) -> Any:
    return [
        tf.Variable([1.0, 2.0]),
        tf.Variable(3),
        tf.Variable(3, name="a"),
        tf.Variable(1, dtype=tf.float32),
        tf.Variable(lambda: tf.ones([2])),
        tf.Variable(tf.Variable([1.0])),
        tf.Variable(initial_value=np.array([[1.5]])),
    ]


@same
def test_facts(tf: Any) -> Any:
    v = tf.Variable([[1.0, 2.0]], name="q")
    w = tf.Variable(1.0, trainable=False)
    return [v.name, v.shape, v.dtype, v.trainable, w.trainable, v.numpy(), v.value(), v[0], v[0, 1]]


@same
def test_assign(tf: Any) -> Any:
    v = tf.Variable([1.0, 2.0])
    seen = [v.numpy()]
    for value in ([3, 4], np.array([5, 6]), tf.constant([7.0, 8.0]), tf.Variable([9.0, 1.0])):
        v.assign(value)
        seen.append(v.numpy())
    v.assign_add([1.0, 1.0])
    v.assign_sub([0.5, 2.5])
    seen.append(v.numpy())
    v.assign(v)
    return seen, v


@same
def test_assign_copies(tf: Any) -> Any:
    v = tf.Variable([1.0])
    w = tf.Variable(v)
    before = v.value() + 0.0
    v.assign([2.0])
    return v, w, before


@same
def test_operators(tf: Any) -> Any:
    v, t = tf.Variable([4.0, 9.0]), tf.Variable([True, False])
    return [
        v + 1,
        1 - v,
        v * v,
        v / 2,
        v**2,
        v % 5,
        -v,
        abs(-v),
        ~t,
        t & True,
        v > 5,
        v == [4.0, 1.0],
        tf.sqrt(v),
        tf.reduce_sum(v),
        tf.concat([v, v], 0),
        tf.stack([v, v]),
        list(v),
        v[::-1],
        tf.Variable([[1.0, 2.0]]) @ tf.Variable([[1.0], [2.0]]),
        np.asarray(v),
        np.sqrt(v),
        bool(tf.Variable(True)),
        int(tf.Variable(3)),
        float(tf.Variable(2.5)),
    ]


@same
def test_references(tf: Any) -> Any:
    v = tf.Variable(1.0)
    found = {v.ref(): 2}
    return found[v.ref()], v.ref().deref() is v


@same
def test_refused_values(tf: Any) -> Any:
    v, n = tf.Variable([1.0, 2.0]), tf.Variable([1, 2])
    wrong = [
        lambda: v.assign([1.0]),
        lambda: v.assign(tf.constant([1, 2])),
        lambda: v.assign_add([[1.0, 1.0]]),
        lambda: v.assign_sub(0.5),
        lambda: n.assign([1.5, 2.5]),
        lambda: hash(v),
    ]
    classes = []
    for call in wrong:
        with pytest.raises(Exception) as caught:  # noqa: PT011 - compared with TensorFlow's
            call()
        classes.append(type(caught.value).__name__)
    return classes, v, n


def test_texts_name_the_variable() -> None:
    v = tfpy.Variable([1.0, 2.0], name="kernel")
    with pytest.raises(ValueError, match=r"kernel:0.*\(2,\).*\(3,\)"):
        v.assign([1.0, 2.0, 3.0])
    with pytest.raises(tfpy.errors.InvalidArgumentError, match=r"\[2\].*\[\]"):
        v.assign_add(1.0)


@same
def test_scattering(tf: Any) -> Any:
    v = tf.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    seen = [
        scatter([[2, 1], [0, 0], [2, 1]] if scatter != v.scatter_nd_update else [[2, 1]], updates)
        for scatter, updates in (
            (v.scatter_nd_add, [1.0, 2.0, 3.0]),
            (v.scatter_nd_sub, [0.5, 1.5, 2.5]),
            (v.scatter_nd_max, [7.0, 8.0, 9.0]),
            (v.scatter_nd_min, [0.0, -1.0, -2.0]),
            (v.scatter_nd_update, [4.0]),
        )
    ]
    rows = tf.Variable([1, 2, 3]).scatter_nd_update([[0], [2]], [9, 8])
    compiled = tf.function(lambda i, x: v.scatter_nd_add([[i, 0]], [x]).read_value())
    out = compiled(tf.constant(1), tf.constant(10.0))
    return [*(s.numpy() for s in seen), rows.numpy(), out, v.numpy()]
