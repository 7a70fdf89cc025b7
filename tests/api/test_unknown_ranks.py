"""Tensors of graphs whose rank or shape is known only in a run, with TensorFlow's results."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from api.same import error, same

VALUES = [np.float32(5), np.float32([1, 2]), np.ones([1, 3], np.float32)]

SHAPES: list[Callable[[Any, Any], Any]] = [
    lambda tf, x: tf.shape(x),
    lambda tf, x: tf.rank(x),
    lambda tf, x: tf.size(x),
    lambda tf, x: tf.shape(tf.shape(x)),
    lambda tf, x: tf.range(tf.rank(x)),
    lambda tf, x: tf.reshape(tf.reduce_sum(x, axis=tf.range(tf.rank(x))), []),
    lambda tf, x: tf.reduce_sum(x),
    lambda tf, x: tf.reshape(tf.transpose(x), [-1]),
    lambda tf, x: tf.reshape(x, [-1]),
    lambda tf, x: tf.reshape(x, tf.concat([tf.shape(x), [1]], 0)),
    lambda tf, x: x[tf.newaxis],
    lambda tf, x: x[..., tf.newaxis],
    lambda tf, x: tf.zeros(tf.shape(x)),
    lambda tf, x: tf.broadcast_to(x, tf.concat([[2], tf.shape(x)], 0)),
    lambda tf, x: tf.where(x > 1, x, -x) * 2.0,
    lambda tf, x: tf.zeros(tf.concat([[4], tf.shape(x)[: tf.rank(x) - 1]], 0)),
    lambda tf, x: tf.cond(tf.equal(tf.rank(x), 0), lambda: tf.shape(x), lambda: -tf.shape(x)),
]


@same
def test_placeholders_of_unknown_rank(tf: Any) -> Any:
    found = []
    with tf.Graph().as_default(), tf.compat.v1.Session() as sess:
        for value in VALUES:
            x = tf.compat.v1.placeholder_with_default(value, None)
            tensors = [shape(tf, x) for shape in SHAPES]
            static = [tf.get_static_value(t) for t in tensors]
            # The default value may have fixed the rank 0.
            ranks = [t.shape.rank for t in tensors] if value.ndim else []
            found.append([ranks, static, sess.run(tensors)])
    return found


@same
def test_functions_from_before_the_graph(tf: Any) -> Any:
    """Check that a function records one operation, however the program refers to it."""
    reshape, concat, total = tf.reshape, tf.concat, tf.reduce_sum
    with tf.Graph().as_default(), tf.compat.v1.Session() as sess:
        x = tf.compat.v1.placeholder(tf.float32, None)
        y = reshape(x, concat([[1], tf.shape(x)], 0))
        return [sess.run([y, total(y)], {x: value}) for value in VALUES]


@same
def test_slices_between_tensors(tf: Any) -> Any:
    with tf.Graph().as_default(), tf.compat.v1.Session() as sess:
        n = tf.compat.v1.placeholder(tf.int32, [])
        parts = [tf.range(4)[n:], tf.range(4)[:n], tf.range(5)[-n:4]]
        return sess.run(parts, {n: 2})


class Shifted:
    """An object that becomes a tensor of the graph when an operation converts it."""

    def __init__(self, tensor: Any) -> None:
        self.tensor = tensor

    def __tf_tensor__(self, dtype: Any = None, name: Any = None) -> Any:
        return self.tensor + 1.0


@same
def test_gradients_of_constants(tf: Any) -> Any:
    with tf.Graph().as_default(), tf.compat.v1.Session() as sess:
        x = tf.constant(3.0)
        shifted = Shifted(x)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.square(tf.convert_to_tensor(shifted))
        return sess.run([y, tape.gradient(y, x)])


@same
def test_assertions_evaluate_tensors(tf: Any) -> Any:
    case = tf.test.TestCase()
    with tf.Graph().as_default(), case.cached_session():
        x = tf.constant([1.0, 2.0]) * 2.0
        case.assertAllEqual(x, [2.0, 4.0])
        case.assertAllGreater(x, 1.0)
        case.assertDTypeEqual(x, np.float32)
        with pytest.raises(AssertionError):
            case.assertAllClose([2.0, 5.0], x)
        return case._GetNdArray(x)


@same
def test_converted_tensors_and_their_graphs(tf: Any) -> Any:
    found = [error(lambda: tf.constant(1.0).graph)]
    with tf.Graph().as_default() as graph:
        x = tf.constant([0.5, 2.0])
        found += [tf.convert_to_tensor(x) is x, x.graph is graph]
    traced = tf.function(lambda: found.append(tf.constant(1.0).graph is not None))
    traced()
    return found


@same
def test_variables_of_open_shapes(tf: Any) -> Any:
    one = tf.compat.v1
    with tf.Graph().as_default(), one.Session() as sess:
        v = tf.Variable(np.ones([2, 3], np.float32), shape=tf.TensorShape(None))
        w = tf.Variable([1.0, 2.0], shape=[None])
        shape = tf.Variable([3, 2])
        tensors = [tf.reduce_sum(v * 2.0, -1) + w, tf.shape(v), tf.reshape(tf.range(6), shape)]
        shapes = [str(t.shape) for t in [v, w, tf.convert_to_tensor(v), *tensors[:2]]]
        sess.run(one.global_variables_initializer())
        found = [shapes, sess.run(tensors)]
        sess.run([v.assign(tf.ones([4, 1])), w.assign([1.0] * 4)])
        return [*found, sess.run(tensors)]


@same
def test_tensor_arrays_from_loops(tf: Any) -> Any:
    with tf.Graph().as_default(), tf.compat.v1.Session() as sess:
        x = tf.compat.v1.placeholder(tf.float32, [None])
        array = tf.TensorArray(tf.float32, size=3, element_shape=[])
        _, array = tf.while_loop(
            lambda i, _: i < 2, lambda i, a: (i + 1, a.write(i, x[i] * 2.0)), (0, array)
        )
        array = array.write(2, tf.reduce_sum(x))
        return sess.run([array.stack(), array.read(1)], {x: [1.0, 2.0]})


@same
def test_assertions_about_constants(tf: Any) -> Any:
    with tf.Graph().as_default(), tf.compat.v1.Session() as sess:
        x = tf.constant([1.0, -1.0])
        with tf.control_dependencies([tf.debugging.Assert(tf.reduce_all(x > 0), [x])]):
            y = tf.identity(x)
        with pytest.raises(tf.errors.InvalidArgumentError):
            sess.run(y * 2.0)
        return sess.run(x)
