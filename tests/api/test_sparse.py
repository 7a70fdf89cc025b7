"""Sparse tensors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import tensorflow
from api.same import error, same

import tfpy


def a_(tf: Any) -> Any:
    return tf.SparseTensor([[0, 0], [1, 2], [1, 3]], [1.0, -2.0, 3.0], [3, 4])


def b_(tf: Any) -> Any:
    return tf.SparseTensor([[0, 0], [0, 1], [1, 2]], [5.0, 6.0, 2.0], [3, 4])


@same
def test_construction(tf: Any) -> Any:
    a = a_(tf)
    return [
        a.shape,
        a.dtype,
        a,
    ]


@same
def test_arithmetic(tf: Any) -> Any:
    a = a_(tf)
    b = b_(tf)
    return [
        tf.sparse.add(a, b),
        tf.sparse.add(a, b, 0.5),
        tf.sparse.add(a, tf.ones([3, 4])),
        a * 2.0,
        a * tf.ones([4]) * 3,
        tf.constant(2.0) * a,
        a / 2.0,
        a * [[1.0], [2.0], [3.0]],
        tf.abs(a),
        tf.sqrt(a),
        tf.square(a),
        tf.negative(a),
        tf.cast(a, tf.int32),
    ]


@same
def test_arithmetic_errors(tf: Any) -> Any:
    a = a_(tf)
    return [
        error(lambda: a + a),
        error(lambda: a + 1.0),
    ]


@same
def test_repeated_indices(tf: Any) -> Any:
    a = tf.SparseTensor([[0, 0], [0, 0], [1, 1]], [1.0, 2.0, 5.0], [2, 2])
    b = tf.SparseTensor([[0, 0], [0, 1], [0, 1]], [10.0, 20.0, 30.0], [2, 2])
    whole = tf.SparseTensor([[1], [1]], [3, 4], [2])
    values, dense = tf.constant([1.0, 2.0, 5.0]), tf.ones([2, 2])
    with tf.GradientTape() as tape:
        tape.watch([values, dense])
        y = tf.sparse.add(dense, a.with_values(values)) * [[1.0, 2.0], [3.0, 4.0]]
    return [
        tf.sparse.add(dense, a),
        tf.function(lambda: tf.sparse.add(a, dense))(),
        tf.sparse.add(whole, tf.ones([2], tf.int32)),
        tape.gradient(y, [values, dense]),
        tf.sparse.add(a, b),
        tf.sparse.add(a, a),
        tf.sparse.maximum(a, b),
        tf.sparse.minimum(a, b),
        tf.sparse.sparse_dense_matmul(a, dense),
        tf.sparse.reduce_sum(a, 1),
        error(lambda: tf.sparse.add(a, tf.ones([2]))),
        error(lambda: tf.sparse.add(a, tf.ones([2, 1]))),
    ]


@same
def test_reductions(tf: Any) -> Any:
    a = a_(tf)
    return [
        tf.sparse.reduce_sum(a),
        tf.sparse.reduce_sum(a, 1),
        tf.sparse.reduce_sum(a, 1, output_is_sparse=True),
        tf.sparse.reduce_sum(a, 0, keepdims=True),
        tf.sparse.reduce_max(a, 1),
        tf.sparse.reduce_max(a, 1, output_is_sparse=True),
        tf.sparse.reduce_max(a),
    ]


@same
def test_shapes(tf: Any) -> Any:
    a = a_(tf)
    b = b_(tf)
    return [
        tf.sparse.transpose(a),
        tf.sparse.reshape(a, [2, -1]),
        tf.sparse.slice(a, [1, 1], [2, 2]),
        tf.sparse.split(a, 2, 1),
        tf.sparse.split(a, 3, 1),
        tf.sparse.concat(0, [a, b]),
        tf.sparse.concat(1, [a, b]),
        tf.sparse.fill_empty_rows(a, 9.0),
        tf.sparse.maximum(a, b),
        tf.sparse.minimum(a, b),
        tf.sparse.eye(2, 3),
        tf.sparse.expand_dims(a, 0),
        tf.sparse.expand_dims(a),
    ]


@same
def test_shapes_errors(tf: Any) -> Any:
    a = a_(tf)
    return [
        error(lambda: tf.sparse.reshape(a, [5, 2])),
    ]


@same
def test_values(tf: Any) -> Any:
    a = a_(tf)
    return [
        tf.sparse.map_values(tf.multiply, a, a),
        tf.sparse.retain(a, [True, False, True]),
        tf.sparse.reset_shape(a),
        tf.sparse.reset_shape(a, [5, 5]),
        tf.sparse.to_indicator(tf.SparseTensor([[0, 0], [1, 0]], [1, 3], [2, 1]), 5),
        tf.sparse.bincount([1, 1, 3]),
        tf.sparse.bincount([[1, 1, 3], [0, 0, 0]], axis=-1),
        tf.sparse.bincount([[1, 1, 3], [0, 0, 0]], axis=0),
        tf.sparse.bincount([[1, 1, 3], [0, 0, 0]], axis=-1, binary_output=True),
        tf.sparse.bincount(
            [[1, 1, 3], [0, 0, 0]], weights=[[1.0, 2.0, 3.0], [1.0, 1.0, 1.0]], axis=-1
        ),
        tf.sparse.bincount([1, 1, 3], minlength=6),
        tf.sparse.bincount([1, 1, 3], maxlength=2),
    ]


@same
def test_values_errors(tf: Any) -> Any:
    a = a_(tf)
    b = b_(tf)
    return [
        error(lambda: tf.sparse.map_values(tf.multiply, a, b)),
        error(lambda: tf.sparse.reset_shape(a, [1, 5])),
    ]


@same
def test_sums(tf: Any) -> Any:
    a = a_(tf)
    return [
        tf.sparse.segment_sum(tf.constant([[1.0, 2], [3, 4], [5, 6]]), [0, 2], [0, 0]),
        tf.sparse.segment_mean(tf.constant([[1.0, 2], [3, 4], [5, 6]]), [0, 2], [0, 2]),
        tf.sparse.segment_sqrt_n(
            tf.constant([[1.0, 2], [3, 4], [5, 6]]), [0, 2], [0, 0], num_segments=3
        ),
        tf.sparse.sparse_dense_matmul(a, tf.ones([4, 2])),
        tf.sparse.sparse_dense_matmul(a, tf.ones([3, 2]), adjoint_a=True),
        tf.sparse.sparse_dense_matmul(a, tf.ones([2, 4]), adjoint_b=True),
        tf.sparse.sparse_dense_matmul(tf.ones([2, 3]), a),
    ]


@same
def test_sums_errors(tf: Any) -> Any:
    a = a_(tf)
    return [
        error(lambda: tf.sparse.sparse_dense_matmul(a, tf.ones([3, 2]))),
    ]


@same
def test_dense(tf: Any) -> Any:
    a = a_(tf)
    return [
        tf.sparse.from_dense(["", "a"]),
        tf.sparse.from_dense([[True, False]]),
        tf.sparse.from_dense(tf.zeros([2, 0])),
        tf.sparse.reorder(tf.SparseTensor([[1, 0], [0, 1]], [1, 2], [2, 2])),
        tf.SparseTensor([[0]], ["a"], [2]),
        tf.sparse.to_dense(a, -1.0),
        tf.sparse.to_dense(tf.SparseTensor([[0]], ["a"], [2]), "z"),
        a.with_values([1.0, 1.0, 1.0]),
        tf.sparse.fill_empty_rows(tf.SparseTensor([[0, 0]], ["a"], [3, 2]), "z"),
        tf.shape(a),
        tf.size(a),
        tf.math.tanh(a),
        tf.sparse.mask(
            tf.IndexedSlices(tf.constant([[1], [2], [3]]), tf.constant([4, 5, 6])), [5]
        ).values,
    ]


@same
def test_dense_errors(tf: Any) -> Any:
    a = a_(tf)
    return [
        error(lambda: tf.sparse.to_dense(tf.SparseTensor([[1], [0]], [1, 2], [3]))),
        error(lambda: tf.sparse.to_dense(tf.SparseTensor([[1], [1]], [1, 2], [3]))),
        error(lambda: tf.sparse.to_dense(tf.SparseTensor([[5]], [1], [3]))),
        error(lambda: tf.SparseTensor([[0]], [1, 2], [3])),
        error(lambda: tf.SparseTensor([[0, 1]], [1], [3])),
        error(lambda: a[0]),
        error(lambda: tf.convert_to_tensor(a)),
        error(lambda: tf.reduce_sum(a)),
        error(
            lambda: tf.sparse.segment_sum(tf.constant([[1.0, 2], [3, 4], [5, 6]]), [0, 3], [0, 0])
        ),
        error(
            lambda: tf.sparse.segment_sum(tf.constant([[1.0, 2], [3, 4], [5, 6]]), [0, 1], [1, 0])
        ),
    ]


@pytest.mark.parametrize("tf", [tfpy, tensorflow], ids=["tfpy", "tensorflow"])
def test_weights_of_counts_have_the_kind_of_the_values(tf: Any) -> None:
    ragged, sparse = tf.ragged.constant([[1, 2], [3]]), tf.sparse.from_dense([[1, 0, 2]])
    other = tf.ragged.constant([[1], [2, 3]])
    for values, weights, text in [
        (ragged, [1, 2, 3], "must be a RaggedTensor"),
        (ragged, sparse, "must be a RaggedTensor"),
        (sparse, ragged, "must be a SparseTensor"),
        (np.array([[1, 2], [3, 4]]), ragged, "must be a tf.Tensor"),
    ]:
        with pytest.raises(ValueError, match=text):
            tf.sparse.bincount(values, weights=weights, axis=-1)
    with pytest.raises(tf.errors.InvalidArgumentError, match="must have the same row splits"):
        tf.sparse.bincount(ragged, weights=other, axis=-1)
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.sparse.bincount(np.array([1, 2]), weights=np.array([1, 2, 3]), axis=-1)
    moved = tf.sparse.from_dense([[1, 2, 0]])
    for count in (tf.sparse.bincount, tf.math.bincount):
        with pytest.raises(tf.errors.InvalidArgumentError, match="must have the same indices"):
            count(sparse, weights=moved, axis=-1)
    with pytest.raises(ValueError, match="No SparseTensor in argument list"):
        tf.sparse.map_values(tf.abs, 0.0)
    for values, weights in [(ragged, [1, 2, 3]), (sparse, ragged)]:
        with pytest.raises(ValueError, match="weights"):
            tf.math.bincount(values, weights=weights, axis=-1)


@same
def test_arrays_of_sparse_tensors(tf: Any) -> Any:
    value = tf.compat.v1.SparseTensorValue([[0, 1], [1, 0]], [2.0, 3.0], [2, 2])
    return [
        tf.sparse.to_dense(value),
        tf.sparse.to_dense(tf.sparse.add(value, value)),
        tf.sparse.sparse_dense_matmul(value, [[1.0, 2.0], [3.0, 4.0]]),
        tf.sparse.reduce_sum(value, 0),
        [tf.sparse.to_dense(x) for x in tf.data.Dataset.from_tensors(value)],
    ]


@same
def test_arguments_of_sparse_to_dense(tf: Any) -> Any:
    made = tf.compat.v1.sparse_to_dense
    wrong = [
        lambda: made([1, 3], [[5], [3]], 1),
        lambda: made([1, 3], [5], [[5], [3]]),
        lambda: made([1, 3], [5], [1, 2], [0]),
        lambda: made([3, 1], [5], [1, 2]),
        lambda: made([1, 1], [5], [1, 2]),
        lambda: made([1, 9], [5], [1, 2], validate_indices=False),
    ]
    found = [made([3, 1], [5], [1, 2], validate_indices=False), made(2, [4], 7)]
    return found, [error(call) for call in wrong]


@same
def test_sets_of_small_integers(tf: Any) -> Any:
    kinds = (tf.int16, tf.uint16)
    sets = [tf.sets.union(tf.constant([[1, 2]], k), tf.constant([[2, 3]], k)) for k in kinds]
    return [tf.sparse.to_dense(x) for x in sets]


WRONG_ARGUMENTS = {
    "ranks": lambda tf, x: tf.sparse.maximum(x, tf.SparseTensor([[0]], [1.0], [2])),
    "shapes": lambda tf, x: tf.sparse.minimum(x, tf.SparseTensor([[0, 0]], [1.0], [2, 5])),
    "low axis": lambda tf, x: tf.sparse.reduce_sum(x, -3),
    "high axis": lambda tf, x: tf.sparse.reduce_max(x, [0, 2]),
    "smaller": lambda tf, x: tf.sparse.reset_shape(x, np.array([3, 3])),
    "axis of split": lambda tf, x: tf.sparse.split(sp_input=x, num_split=2, axis=-3),
    "axes of split": lambda tf, x: tf.sparse.split(sp_input=x, num_split=2, axis=[0, 1]),
    "counts": lambda tf, x: tf.sparse.split(sp_input=x, num_split=[2], axis=0),
    "rows": lambda tf, x: tf.sparse.fill_empty_rows(
        tf.SparseTensor(np.array([[0, 1], [99, 1]]), [1.0, 2.0], [2, 5]), 0.0
    ),
}
MESSAGES = {
    "ranks": "Operands do not have the same ranks",
    "shapes": "Operands' shapes do not match",
    "low axis": "Invalid reduction dimension -3",
    "high axis": "Invalid reduction dimension 2",
    "smaller": "should have dimension sizes",
    "axis of split": r"axis should be in range \[-2, 2\)",
    "axes of split": "axis should be a scalar",
    "counts": "Expected int for argument 'num_split'",
    "rows": r"indices\(1, 0\) is invalid",
}


@pytest.mark.parametrize("name", WRONG_ARGUMENTS)
def test_wrong_arguments(name: str) -> None:
    kinds = []
    for tf in (tfpy, tensorflow):
        x = tf.SparseTensor([[0, 0], [2, 1]], [1.0, 2.0], [3, 4])
        with pytest.raises(Exception, match=MESSAGES[name]) as caught:
            WRONG_ARGUMENTS[name](tf, x)
        kinds.append(caught.type.__name__)
    assert kinds[0] == kinds[1]
