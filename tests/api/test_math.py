"""Reductions, composed math functions and linear algebra."""

from __future__ import annotations

from typing import Any

import numpy as np
from api.same import same

X = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 7.0]], np.float32)


@same
def test_reductions(tf: Any) -> Any:
    cube = tf.constant(np.arange(24, dtype=np.float32).reshape(2, 3, 4) / 5)
    functions = [tf.reduce_sum, tf.reduce_prod, tf.reduce_max, tf.reduce_min, tf.reduce_mean]
    cases: list[Any] = [None, 0, -1, [0, 1], [0, 2], [-1, 0], [], [1]]
    return [f(cube, axis, keepdims=k) for f in functions for axis in cases for k in (False, True)]


@same
def test_reductions_of_other_things(tf: Any) -> Any:
    return [
        tf.reduce_sum([1, 2, 3]),
        tf.reduce_sum(3.0),
        tf.reduce_sum(X, axis=tf.constant(1)),
        tf.reduce_sum(X, axis=tf.constant([0, 1])),
        tf.reduce_mean([1, 2, 4]),
        tf.reduce_mean([-1, -2, -4]),
        tf.reduce_mean([20000001]),
        tf.reduce_mean([[1, 2], [5, 7]], 0, keepdims=True),
        tf.reduce_any([True, False]),
        tf.reduce_all([[True, False], [True, True]], 1),
        tf.reduce_all(tf.zeros([0], tf.bool)),
        tf.reduce_sum(tf.zeros([0])),
        tf.reduce_prod(tf.zeros([0])),
        tf.reduce_max(tf.zeros([0])),
        tf.reduce_min(tf.zeros([0, 2]), 0),
        tf.reduce_mean(tf.zeros([0])),
        tf.reduce_max(tf.zeros([0], tf.int32)),
        tf.reduce_max([1.0, np.nan]),
        tf.reduce_min([np.nan, 1.0]),
        tf.math.count_nonzero([0, 1, 2]),
        tf.math.count_nonzero(X, axis=1, keepdims=True),
        tf.math.reduce_variance(X),
        tf.math.reduce_variance(X, 1, keepdims=True),
        tf.math.reduce_std(X, 0),
        tf.math.reduce_euclidean_norm(X, 1),
        tf.math.reduce_euclidean_norm([1, 2]),
        tf.reduce_logsumexp(X),
        tf.reduce_logsumexp([1000.0, 1000.0]),
        tf.reduce_logsumexp([-np.inf, -np.inf]),
        tf.reduce_logsumexp(X, 1, keepdims=True),
    ]


@same
def test_arg_reductions(tf: Any) -> Any:
    return [
        tf.argmax(X, 1),
        tf.argmax(X),
        tf.argmin(X, -1),
        tf.argmax([1, 3, 3]),
        tf.argmin([2, 1, 1]),
        tf.argmax([np.nan, 1.0]),
        tf.argmin([1.0, np.nan, 0.0]),
        tf.argmax([False, True]),
        tf.argmax(X, 1, output_type=tf.int32),
    ]


@same
def test_elementwise(tf: Any) -> Any:
    x = tf.constant([-2.5, -0.5, 0.0, 0.5, 1.5, 2.5])
    return [
        tf.round(x),
        tf.sign(x),
        tf.sign([-2, 0, 3]),
        tf.floor(x),
        tf.math.ceil(x),
        tf.square(x),
        tf.math.divide_no_nan(x, [1.0, 0.0, 0.0, 2.0, 0.0, 1.0]),
        tf.math.multiply_no_nan([np.inf, 1.0], [0.0, 2.0]),
        tf.math.log_sigmoid([1.0, -100.0]),
        tf.math.squared_difference(x, 1.0),
        tf.math.floormod(x, 2.0),
        tf.math.floordiv([7, -7], [2, 2]),
        tf.math.mod([7, -7], [3, 3]),
        tf.math.is_nan([np.nan, 1.0]),
        tf.math.logical_xor([True, False], [True, True]),
        tf.bitwise.bitwise_xor([5, 6], [3, 3]),
        tf.bitwise.invert([5, -1]),
        tf.add_n([tf.constant(1.0), 2.0]),
        tf.add_n([[1.0, 2.0], [3.0, 4.0]]),
        tf.divide([1, 2], [2, 4]),
        tf.truediv([1.0, 2.0], 4.0),
        tf.math.divide(3, 2),
        tf.atan2(1.0, -1.0),
        tf.math.atan2(x=-1.0, y=1.0),
        tf.pow([2, 3], [3, 2]),
        tf.subtract(x=[3.0], y=[1.0], name="difference"),
    ]


@same(tolerance=1e-4)
def test_products(tf: Any) -> Any:
    r = np.random.default_rng(1)

    def normal(*shape: int) -> Any:
        return r.normal(size=shape).astype(np.float32)

    return [
        tf.matmul(X, X, transpose_b=True),
        tf.matmul(X, X, transpose_a=True),
        tf.matmul(X, X, adjoint_a=True),
        tf.matmul([[1, 2]], [[3], [4]]),
        tf.matmul(normal(2, 1, 3, 4), normal(5, 4, 2)),
        tf.matmul(normal(2, 3, 4), normal(4, 5)),
        tf.matmul(normal(2, 4, 3), normal(4, 5), transpose_a=True),
        tf.matmul(normal(4, 3), normal(2, 3, 5)),
        tf.matmul(normal(2, 3, 4), normal(2, 5, 4), transpose_b=True),
        tf.matmul(normal(0, 3), normal(3, 2)),
        tf.matmul(normal(2, 0), normal(0, 2)),
        tf.linalg.matvec(X, [1.0, 2.0, 3.0]),
        tf.linalg.matvec(X, [1.0, 2.0], transpose_a=True),
        tf.tensordot(X, X, [[1], [1]]),
        tf.tensordot(X, X, 2),
        tf.tensordot(X, [1.0, 2.0, 3.0], 1),
        tf.tensordot(2.0, X, 0),
        tf.tensordot(normal(2, 3, 4), normal(4, 3, 5), [[1, 2], [1, 0]]),
        tf.constant(X) @ X.T,
    ]


@same
def test_norms(tf: Any) -> Any:
    return [
        tf.norm(X),
        tf.norm(X, axis=1),
        tf.norm(X, 1, axis=0, keepdims=True),
        tf.norm(X, np.inf),
        tf.norm(X, ord=3, axis=1),
        tf.norm(X, "fro", axis=[0, 1]),
        tf.norm(X, 1, axis=[0, 1]),
        tf.norm(X, np.inf, axis=[-2, -1]),
        tf.norm(X, np.inf, axis=[0, 1], keepdims=True),
        tf.linalg.norm(X, 1),
        tf.math.l2_normalize(X, 1),
        tf.linalg.l2_normalize([0.0, 0.0]),
        tf.nn.l2_normalize(X, [0, 1]),
    ]
