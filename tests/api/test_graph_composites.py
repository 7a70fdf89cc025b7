"""Sparse and ragged tensors in graphs of ``tf.compat.v1``, and results with sizes from values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from api.same import error, same

import tfpy

FEEDS = [[[0.0, 1.0], [2.0, 0.0]], [[3.0, 0.0, 1.0]]]


def lists(tf: Any, value: Any) -> Any:
    """Return results as nested lists, without the dtypes of indices, which differ."""
    if isinstance(value, tf.compat.v1.ragged.RaggedTensorValue):
        return ["ragged", value.to_list(), value.row_splits.tolist()]
    if isinstance(value, tf.compat.v1.SparseTensorValue):
        return ["sparse", *(np.asarray(part).tolist() for part in value)]
    if isinstance(value, list | tuple):
        return [lists(tf, part) for part in value]
    return np.asarray(value).tolist()


def in_graph(tf: Any, make: Callable[[Any, Any], Any]) -> Any:
    """Return the static shapes of a result, and its values for several feeds."""
    with tf.Graph().as_default():
        x = tf.compat.v1.placeholder(tf.float32, [None, None])
        result = make(tf, x)
        shapes = [str(part.shape) for part in tf.nest.flatten(result, expand_composites=True)]
        with tf.compat.v1.Session() as sess:
            return shapes, [lists(tf, sess.run(result, {x: value})) for value in FEEDS]


def ints(tf: Any, x: Any) -> Any:
    return tf.cast(x, tf.int32)


def words(tf: Any, x: Any) -> Any:
    return tf.strings.reduce_join(tf.strings.as_string(ints(tf, x)), -1, separator=" ")


def trimmed(tf: Any, x: Any) -> Any:
    return tf.RaggedTensor.from_tensor(x, padding=0.0)


def rows_of_lengths(tf: Any, x: Any) -> Any:
    values = tf.range(100)[: ints(tf, tf.reduce_sum(x))]
    return tf.RaggedTensor.from_row_lengths(values, tf.cast(tf.reshape(x, [-1]), tf.int64))


RESULTS: dict[str, Callable[[Any, Any], Any]] = {
    "from_dense": lambda tf, x: tf.sparse.from_dense(x),
    "to_dense": lambda tf, x: tf.sparse.to_dense(tf.sparse.from_dense(x)),
    "scaled": lambda tf, x: tf.sparse.to_dense(tf.sparse.from_dense(x) * 2.0),
    "concat": lambda tf, x: tf.sparse.concat(0, [tf.sparse.from_dense(x)] * 2),
    "sparse fill": lambda tf, x: tf.sparse.fill_empty_rows(tf.sparse.from_dense(x), 9.0),
    "retain": lambda tf, x: (s := tf.sparse.from_dense(x), tf.sparse.retain(s, s.values > 1))[1],
    "difference": lambda tf, x: tf.sparse.to_dense(
        tf.sets.difference(ints(tf, x), ints(tf, x) * 2)
    ),
    "from_tensor": trimmed,
    "lengths": lambda tf, x: tf.RaggedTensor.from_tensor(x, lengths=ints(tf, x[:, 0]) * 0 + 1),
    "to_sparse": lambda tf, x: trimmed(tf, x).to_sparse(),
    "to_tensor": lambda tf, x: trimmed(tf, x).to_tensor(),
    "row_lengths": lambda tf, x: trimmed(tf, x).row_lengths(),
    "row lengths": rows_of_lengths,
    "ragged sum": lambda tf, x: tf.reduce_sum(trimmed(tf, x) + 1.0, axis=1),
    "first row": lambda tf, x: trimmed(tf, x)[0],
    "split": lambda tf, x: tf.strings.split(words(tf, x)),
    "ragged range": lambda tf, x: tf.ragged.range(ints(tf, x[0])),
    "ragged mask": lambda tf, x: tf.ragged.boolean_mask(x, x > 0),
    "ones": lambda tf, x: tf.ones(ints(tf, x[0])),
    "fill": lambda tf, x: tf.fill(ints(tf, x[0]), 3.0),
    "random": lambda tf, x: tf.shape(tf.random.uniform(ints(tf, x[0]))),
    "reshape": lambda tf, x: tf.reshape(x, [-1, ints(tf, tf.reduce_sum(x)) * 0 + 1]),
    "segments": lambda tf, x: tf.math.unsorted_segment_sum(
        tf.reshape(x, [-1]), ints(tf, tf.reshape(x, [-1])), ints(tf, tf.reduce_max(x)) + 1
    ),
    "scatter": lambda tf, x: tf.scatter_nd(
        [[0], [1]], [1.0, 2.0], ints(tf, [tf.reduce_max(x) + 2.0])
    ),
}


@pytest.mark.parametrize("name", RESULTS)
def test_results_with_sizes_from_values(name: str) -> None:
    same(lambda tf: in_graph(tf, RESULTS[name]))()


@pytest.mark.parametrize("name", ["sparse sum", "sets.size", "where", "diag", "decoded"])
def test_values_of_results_with_less_exact_shapes(name: str) -> None:
    make: dict[str, Callable[[Any, Any], Any]] = {
        "sparse sum": lambda tf, x: tf.sparse.reduce_sum(tf.sparse.from_dense(x), 0),
        "sets.size": lambda tf, x: tf.sets.size(tf.sets.union(ints(tf, x), ints(tf, x) + 1)),
        "where": lambda tf, x: tf.where(x > 0),
        "diag": lambda tf, x: tf.linalg.diag(x[0], k=ints(tf, tf.reduce_max(x))),
        "decoded": lambda tf, x: tf.nn.ctc_greedy_decoder(
            tf.stack([x, x, x]), tf.fill([tf.shape(x)[0]], 3)
        )[0][0],
    }
    same(lambda tf: in_graph(tf, make[name])[1])()


@same
def test_sparse_placeholders(tf: Any) -> Any:
    one, found = tf.compat.v1, []
    with tf.Graph().as_default(), one.Session() as sess:
        x = one.sparse_placeholder(tf.float32)
        y = one.sparse_placeholder(tf.int32, [None, 4], name="y")
        z = one.sparse_placeholder(tf.float32, [3, 4])
        found += [str(t.shape) for t in (x, y, z)]
        found += [y.values.name, y.indices.name, y.dense_shape.name]
        fed = one.SparseTensorValue([[0, 1], [2, 0]], [5.0, 7.0], [3, 4])
        found.append(sess.run(tf.sparse.to_dense(x), {x: fed}).tolist())
        found.append(sess.run(tf.sparse.reduce_sum(x), {x: tuple(fed)}).tolist())
        found.append(lists(tf, sess.run(x, {x: fed})))
        found.append(sess.run(tf.sparse.to_dense(z), {z: fed}).tolist())
        product = tf.sparse.sparse_dense_matmul(z, tf.ones([4, 2]))
        found.append(sess.run(product, {z: fed}).tolist())
        fed = one.SparseTensorValue([[1, 1]], [2], [2, 4])
        found.append(sess.run(tf.sparse.to_dense(y), {y: fed}).tolist())
        made = tf.SparseTensor(y.indices, y.values * 3, y.dense_shape)
        found.append(lists(tf, sess.run(made, {y: fed})))
        found.append(error(lambda: tf.SparseTensor(y.values, y.values, y.dense_shape)))
    return found


@same
def test_ragged_placeholders(tf: Any) -> Any:
    one, found = tf.compat.v1, []
    with tf.Graph().as_default(), one.Session() as sess:
        x = one.ragged.placeholder(tf.int32, 1, [])
        y = one.ragged.placeholder(tf.float32, 2, [2])
        found += [y.ragged_rank, one.ragged.placeholder(tf.float32, 0).shape.rank]
        rows = one.ragged.constant_value([[1, 2], [], [3]])
        found.append(lists(tf, sess.run(x + 1, {x: rows})))
        found.append(sess.run(x.to_tensor(), {x: rows}).tolist())
        found.append(sess.run(tf.reduce_sum(x, axis=1), {x: rows}).tolist())
        found.append(lists(tf, sess.run(tf.concat([x, x], axis=1), {x: rows})))
        rows = one.ragged.constant_value([[[[1.0, 2.0]], []], [[[3.0, 4.0]]]], ragged_rank=2)
        found.append(lists(tf, sess.run(y.with_flat_values(y.flat_values * 2.0), {y: rows})))
        found.append(lists(tf, sess.run(y.row_lengths(axis=2), {y: rows})))
        found.append(lists(tf, sess.run(tf.gather(y, [1, 0]), {y: rows})))
    return found


@same
def test_gradients_through_composites(tf: Any) -> Any:
    with tf.Graph().as_default(), tf.compat.v1.Session() as sess:
        x = tf.compat.v1.placeholder(tf.float32, [None, 2])
        sparse = tf.sparse.from_dense(x)
        y = tf.sparse.reduce_sum(sparse.with_values(sparse.values**2))
        ragged = tf.RaggedTensor.from_row_lengths(x, tf.shape(x)[:1])
        z = tf.reduce_sum(ragged * ragged)
        feed = {x: FEEDS[0]}
        return [sess.run(tf.gradients(f, x), feed)[0].tolist() for f in (y, z)]


def test_composite_placeholders_need_a_graph() -> None:
    for make in (
        lambda tf: tf.compat.v1.sparse_placeholder("float32"),
        lambda tf: tf.compat.v1.ragged.placeholder("float32", 1),
    ):
        with pytest.raises(RuntimeError, match="not compatible with eager execution"):
            make(tfpy)
