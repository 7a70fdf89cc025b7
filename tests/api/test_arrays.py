"""Functions that reshape, join, split and index arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
from api.same import same

X = np.arange(24, dtype=np.float32).reshape(2, 3, 4)


@same
def test_shape_changes(tf: Any) -> Any:
    return [
        tf.reshape(X, [6, 4]),
        tf.reshape(X, [-1]),
        tf.reshape(X, [4, -1, 2]),
        tf.reshape(X, tf.constant([24])),
        tf.reshape([], [0, 3]),
        tf.reshape(3.0, [1, 1]),
        tf.squeeze([[[1], [2]]]),
        tf.squeeze([[[1], [2]]], axis=-1),
        tf.squeeze([[[1], [2]]], axis=[0, 2]),
        tf.expand_dims([1, 2], -1),
        tf.expand_dims([1, 2], 0),
        tf.transpose(X),
        tf.transpose(X, [1, 0, 2]),
        tf.transpose(X, [-1, 0, 1]),
        tf.transpose(3),
        tf.broadcast_to([1, 2], [2, 2]),
        tf.ensure_shape([1, 2], [None]),
        tf.identity([1, 2]),
        tf.reverse([[1, 2], [3, 4]], [1]),
        tf.reverse([1, 2], [-1]),
        tf.linalg.matrix_transpose(X),
    ]


@same
def test_joining(tf: Any) -> Any:
    return [
        tf.concat([X, X], 1),
        tf.concat([X, X], -1),
        tf.concat([tf.constant([1.0]), [1]], 0),
        tf.concat([[1], tf.constant([1.0])], 0),
        tf.concat([tf.constant([1.0]), np.array([1])], 0),
        tf.concat([[1, 2], [3]], axis=0),
        tf.concat(tf.constant([1, 2]), 0),
        tf.stack([[1, 2], [3, 4]], axis=1),
        tf.stack([[1, 2], [3, 4]], axis=-1),
        tf.stack([1, 2.5]),
        tf.stack([1, tf.constant(2.5)]),
        tf.stack([tf.constant([1, 2]), [3, 4]]),
        tf.meshgrid([1, 2, 3], [4, 5]),
        tf.meshgrid([1, 2], [4, 5], [6], indexing="ij"),
        tf.meshgrid([1, 2], [4, 5], [6, 7, 8]),
    ]


@same
def test_taking_apart(tf: Any) -> Any:
    return [
        tf.split(tf.range(6), 3),
        tf.split(tf.range(6), [1, -1, 2]),
        tf.split(X, 3, axis=1),
        tf.split(X, [1, 3], axis=-1),
        tf.split(tf.range(4), tf.constant([1, 3])),
        tf.unstack([[1, 2], [3, 4]]),
        tf.unstack([[1, 2], [3, 4]], axis=1),
        tf.unstack(X, num=3, axis=1),
        tf.slice([1, 2, 3], [1], [-1]),
        tf.slice([1, 2, 3], [3], [0]),
        tf.slice(X, [0, 1, 2], [1, 2, 2]),
    ]


@same
def test_repeating(tf: Any) -> Any:
    return [
        tf.tile([1, 2], [2]),
        tf.tile([[1, 2], [3, 4]], [2, 3]),
        tf.tile(1, []),
        tf.tile([1, 2], [0]),
        tf.repeat([1, 2], 2),
        tf.repeat(3, 4),
        tf.repeat([[1, 2], [3, 4]], [1, 2], axis=0),
        tf.repeat([[1, 2], [3, 4]], 2, axis=-1),
        tf.repeat([[1, 2], [3, 4]], 2),
    ]


@same
def test_padding(tf: Any) -> Any:
    return [
        tf.pad([[1, 2, 3]], [[1, 0], [0, 2]]),
        tf.pad([1.0, 2.0], [[1, 1]], constant_values=3),
        tf.pad([1.0, 2.0], [[1, 1]], constant_values=-0.5),
        tf.pad([True], [[1, 0]]),
        tf.pad([[1, 2, 3]], [[0, 0], [2, 2]], "REFLECT"),
        tf.pad([[1, 2, 3]], [[0, 0], [2, 2]], "symmetric"),
        tf.pad(X, tf.constant([[1, 0], [0, 1], [2, 2]])),
    ]


@same
def test_gathering(tf: Any) -> Any:
    return [
        tf.gather([1, 2, 3], 1),
        tf.gather([1, 2, 3], [2, 0]),
        tf.gather(X, [[0, 2], [1, 1]], axis=1),
        tf.gather([[1, 2], [3, 4]], [1], axis=-1),
        tf.gather([[1, 2], [3, 4]], [[1], [0]], batch_dims=1),
        tf.gather(X, [[0, 2], [1, 1]], axis=2, batch_dims=1),
        tf.gather([1, 2, 3], tf.zeros([0], tf.int32)),
        tf.boolean_mask([[1, 2], [3, 4]], [[True, False], [True, True]]),
        tf.boolean_mask([[1, 2], [3, 4]], [True, False]),
        tf.boolean_mask([[1, 2], [3, 4]], [True, False], axis=1),
        tf.boolean_mask(X, X[0, :, 0] > 3, axis=1),
        tf.where([[True, False], [True, True]]),
        tf.where([0, 3, 0, 2]),
        tf.math.unsorted_segment_sum([1, 2, 3, 4], [0, 1, 0, -1], 3),
        tf.math.unsorted_segment_sum(X[:, 0], [1, 1], num_segments=2),
    ]


@same
def test_one_hot(tf: Any) -> Any:
    return [
        tf.one_hot([0, 1], 2),
        tf.one_hot(1, 3),
        tf.one_hot([0, 3, -1], 3),
        tf.one_hot([0, 1], 2, on_value=5.0),
        tf.one_hot([0, 1], 2, 5, 1),
        tf.one_hot([[0, 1]], 3, axis=0),
        tf.one_hot([[0, 1]], 3, axis=1),
        tf.one_hot([1], 2, dtype=tf.int32),
        tf.one_hot(tf.constant([1, 0], tf.uint8), 2),
    ]


@same
def test_indexing(tf: Any) -> Any:
    x = tf.constant(X)
    return [
        x[0],
        x[-1, 1],
        x[0, 1, 2],
        x[:, 1],
        x[..., 1],
        x[1, ...],
        x[0:1, 1],
        x[:, ::-1],
        x[:, 2:0:-1, ::2],
        x[:, 5:],
        x[:, None, 0],
        x[..., tf.newaxis],
        x[tf.newaxis],
        x[()],
        x[tf.constant(1)],
        x[tf.constant(0) :],
        x[np.int64(1), 0],
        x[tf.constant([True, False])],
        x[x > 20],
        tf.constant(5)[None],
        tf.constant([1, 2, 3])[-1:-4:-2],
        tf.constant([1, 2])[5:],
    ]


@same
def test_choosing(tf: Any) -> Any:
    x = tf.constant([1.0, -2.0, 3.0])
    return [
        tf.where(x > 0, x, 0.0),
        tf.where(x > 0, x, -x),
        tf.where([[True], [False]], x, 0.0),
        tf.where(True, [1, 2], [3, 4]),
        tf.clip_by_value(x, -1.0, 2.0),
        tf.clip_by_value([1, 5, 9], 2, 6),
        tf.maximum(x, 0.0),
        tf.minimum(x, [0.0, 1.0, 5.0]),
    ]


@same
def test_the_first_few_of_many(tf: Any) -> Any:
    """Check that equal elements keep their order, also at the boundary of the result.

    Results that are not sorted have the order of TensorFlow's heap.
    """
    draw = np.random.default_rng(5)
    rows = draw.integers(0, 50, [3, 3000])
    floats = np.where(draw.random([2, 2, 1500]) < 0.1, np.inf, draw.random([2, 2, 1500]).round(2))
    values = [tf.constant(rows, tf.int32), tf.constant(floats, tf.float32)]
    found = [
        tf.math.top_k(x, k, sorted=ordered)
        for x in [*values, -values[0], -values[1]]
        for k in (1, 7, 100)
        for ordered in (True, False)
    ]
    return [[top.values, top.indices] for top in found]


@same
def test_unique_of_all_kinds(tf: Any) -> Any:
    draw = np.random.default_rng(6)
    vectors = [
        tf.constant(draw.integers(-20, 20, 500), tf.int32),
        tf.constant(draw.integers(-(2**31), 2**31, 500), tf.int32),
        tf.constant([-(2**31), 2**31 - 1, -(2**31)], tf.int32),
        tf.constant(draw.random(300).round(1), tf.float32),
        tf.constant([1.0, np.nan, np.nan, 1.0, -0.0, 0.0]),
        tf.constant(["b", "a", "b", "", "a"]),
        tf.constant([3, 3, 1], tf.uint8),
        tf.constant([], tf.int32),
        tf.constant([], tf.float32),
    ]
    return [list(tf.unique_with_counts(x)) for x in vectors]
