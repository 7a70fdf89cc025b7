"""The fetches and fed values of ``tf.compat.v1.Session.run``."""

from __future__ import annotations

import collections
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import tensorflow
from api.same import compare, error, same

import tfpy

Pair = collections.namedtuple("Pair", ["first", "second"])


class Record:
    """An object with the fields that the package attrs describes."""

    __attrs_attrs__ = (SimpleNamespace(name="first"), SimpleNamespace(name="second"))

    def __init__(self, first: Any, second: Any) -> None:
        self.first, self.second = first, second


@same
def test_mappings_keep_their_kinds(tf: Any) -> Any:
    with tf.Graph().as_default():
        a, b = tf.constant(42.0, name="a"), tf.constant([1, 2])
        nothing = tf.no_op()
        ordered = collections.OrderedDict([(3, a), ("x", nothing), (1, b)])
        default = collections.defaultdict(list, {"b": [a], "a": {"c": b}})
        with tf.compat.v1.Session() as sess:
            found = sess.run([ordered, default, Pair(a, [b, nothing]), Record(a, (b,)), b"a:0"])
        kinds = [type(x).__name__ for x in found]
        record = found[3]
        return [kinds, list(found[0]), [*found[:3], found[4]], record.first, record.second]


@same
def test_composites(tf: Any) -> Any:
    with tf.Graph().as_default():
        values, indices = tf.constant([[1.0, 2.0]]), tf.constant([3])
        known = tf.IndexedSlices(values, indices, tf.constant([5, 2]))
        sparse = tf.SparseTensor(tf.constant([[0, 1]], tf.int64), tf.constant([2.0]), [2, 3])
        nests = {"open": tf.IndexedSlices(values, indices), "sparse": [sparse]}
        with tf.compat.v1.Session() as sess:
            first, others = sess.run([known, nests])
        opened, (found,) = others["open"], others["sparse"]
        names = [type(x).__name__ for x in (first, opened, found)]
        parts = [first.values, first.indices, first.dense_shape, opened.values]
        return [names, parts, opened.dense_shape, list(found), len(first)]


@same
def test_constants_can_be_fed(tf: Any) -> Any:
    """Values that follow from a fed constant are computed, even if they are known without it."""
    with tf.Graph().as_default():
        a, b = tf.constant([1.0, 2.0], name="a"), tf.constant(3.0)
        same, product = tf.identity(a), a * b
        total = tf.reduce_sum(product) + tf.reduce_sum(same)
        ones = tf.zeros([2])
        size = tf.constant([2, 1], name="size")
        column = tf.reshape(ones, size)
        with tf.compat.v1.Session() as sess:
            return [
                sess.run([same, product, total], {a: [5.0, 7.0]}),
                sess.run([same, product, total]),
                sess.run(total, {"a:0": [0.0, 1.0], b: 2.0}),
                sess.run(total, {product: [0.0, 1.0]}),
                sess.run(2 * ones, {ones: [1, 1]}),
                sess.run(column, {size: [1, 2]}),
                error(lambda: sess.run(column, {size: [3, 7]})),
                sess.run(column),
            ]


@same
def test_fed_strings(tf: Any) -> Any:
    """Strings keep zeros at their ends."""
    with tf.Graph().as_default():
        fed = tf.compat.v1.placeholder(tf.string, [2])
        found = tf.identity(fed)
        with tf.compat.v1.Session() as sess:
            rows = [[b"\n\x01\x00", b"\n\x00\x01"], ["a\x00", "⚣ b"]]
            arrays = [np.array(row, object) for row in rows]
            return [list(sess.run(found, {fed: row})) for row in (*rows, *arrays)]


@same
def test_sparse_placeholders_of_constant_shape(tf: Any) -> Any:
    one = tf.compat.v1
    with tf.Graph().as_default():
        sparse = one.sparse_placeholder(tf.float32, shape=[4, 5])
        total = tf.sparse.reduce_sum(sparse)
        value = np.array([[0, 1], [2, 3]]), np.array([1.0, 2.0], "float32")
        with one.Session() as sess:
            return [sess.run(total, {sparse: value}), sess.run(sparse.dense_shape)]


def test_refused_values() -> None:
    def program(tf: Any) -> Any:
        one = tf.compat.v1
        with tf.Graph().as_default():
            number = tf.constant(1)
            wrong = SimpleNamespace(x=1)
            session = one.Session()

            def twice() -> None:
                with one.Session() as sess, sess:
                    pass

            return [
                error(lambda: session.run(number, {number: 2**63 - 1})),
                error(lambda: session.run(number, {number: [1, 2]})),
                error(lambda: session.run(wrong)),
                error(lambda: session.run([number, None])),
                error(lambda: one.Session("elsewhere")),
                error(twice),
                session.run(number, {number: np.int64(2**31 - 1)}),
            ]

    compare(program(tfpy), program(tensorflow), 0, "refused")


def test_refused_integers() -> None:
    with tfpy.Graph().as_default():
        number = tfpy.constant(1)
        session = tfpy.compat.v1.Session()
        with pytest.raises(TypeError, match="is not compatible with Tensor type"):
            session.run(number, {number: 2**40})
