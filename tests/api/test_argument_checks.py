"""Arguments that TensorFlow rejects or accepts in special cases: same results, same errors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import tensorflow

import tfpy

MATRIX = [[1 + 2j, 0], [0, 3 - 1j]]
DENSE = [[1j, 2], [3, 4j]]


def product(tf: Any, adjoint_a: bool, adjoint_b: bool) -> Any:
    a = tf.sparse.from_dense(tf.constant(MATRIX, tf.complex64))
    b = tf.constant(DENSE, tf.complex64)
    return tf.sparse.sparse_dense_matmul(a, b, adjoint_a=adjoint_a, adjoint_b=adjoint_b)


def product_with_sparse(tf: Any, adjoint_a: bool, adjoint_b: bool) -> Any:
    b = tf.sparse.from_dense(tf.constant(MATRIX, tf.complex64))
    a = tf.constant(DENSE, tf.complex64)
    return tf.sparse.sparse_dense_matmul(a, b, adjoint_a=adjoint_a, adjoint_b=adjoint_b)


CASES: dict[str, Callable[[Any], Any]] = {
    "constant of a tensor with its dtype": lambda tf: tf.constant(tf.constant(1.5), tf.float32),
    "constant of a tensor with a different dtype": lambda tf: tf.constant(
        tf.constant(1.5), tf.int32
    ),
    "constant of one element": lambda tf: tf.constant(tf.constant([1.0]), shape=[2, 3]),
    "constant of a scalar": lambda tf: tf.constant(tf.constant(1), shape=[2]),
    "constant of more elements": lambda tf: tf.constant(tf.constant([1.0, 2.0]), shape=[2, 1]),
    "zeros of strings": lambda tf: tf.zeros([2], tf.string),
    "ones of strings": lambda tf: tf.ones([2], tf.string),
    "add_n of nothing": lambda tf: tf.add_n([]),
    "mean of segments, int16 ids": lambda tf: tf.math.unsorted_segment_mean(
        [1.0, 2.0, 4.0], np.int16([0, 1, 1]), 2
    ),
    "sqrt_n of segments, int16 ids": lambda tf: tf.math.unsorted_segment_sqrt_n(
        [1.0, 2.0, 4.0], np.int16([0, 1, 1]), 2
    ),
    "one padding": lambda tf: tf.pad([1, 2], [[1]]),
    "three paddings": lambda tf: tf.pad([1, 2], [[1, 2, 3]]),
    "convolution that pads the batch": lambda tf: tf.nn.conv2d(
        tf.ones([1, 3, 3, 1]), tf.ones([1, 1, 1, 1]), 1, [[1, 1], [0, 0], [0, 0], [0, 0]]
    ),
    "pooling that pads the channels": lambda tf: tf.nn.max_pool2d(
        tf.ones([1, 3, 3, 1]), 2, 1, [[0, 0], [0, 0], [0, 0], [0, 1]]
    ),
    "grid of bools and numbers": lambda tf: tf.meshgrid([True, False], [1, 2]),
    "grid of integers and floats": lambda tf: tf.meshgrid([1, 2], [1.0]),
    "convert None": lambda tf: tf.convert_to_tensor(None),
    **{
        f"sparse product {a} {b}": lambda tf, a=a, b=b: product(tf, a, b)
        for a in (False, True)
        for b in (False, True)
    },
    **{
        f"product with sparse {a} {b}": lambda tf, a=a, b=b: product_with_sparse(tf, a, b)
        for a in (False, True)
        for b in (False, True)
    },
}


def outcome(tf: Any, case: Callable[[Any], Any]) -> Any:
    try:
        return [np.asarray(part).tolist() for part in tf.nest.flatten(case(tf))]
    except Exception as error:
        return type(error).__name__


@pytest.mark.parametrize("name", CASES)
def test_arguments(name: str) -> None:
    assert outcome(tfpy, CASES[name]) == outcome(tensorflow, CASES[name])


@pytest.mark.parametrize("index", [-1, 5, [2, 7]])
def test_an_index_outside_of_a_permutation(index: Any) -> None:
    with pytest.raises(tfpy.errors.InvalidArgumentError, match=r"must be >= (0|index)"):
        tfpy.random.experimental.index_shuffle(index, [1, 2, 3], 4)


@pytest.mark.parametrize(("count", "wanted"), [(5, 3), (None, -1)])
def test_cardinality_of_batches_for_replicas(count: int | None, wanted: int) -> None:
    """Check that infinite and unknown cardinalities are unchanged."""
    from tfpy._src.distribute.input import DistributedBatches

    batches = object.__new__(DistributedBatches)
    batches._dataset = tfpy.data.Dataset.range(2).repeat(count)
    batches._replicas = type("Replicas", (), {"local": (0, 1, 2, 3)})()
    assert int(batches.cardinality) == wanted
    batches._dataset = tfpy.data.Dataset.range(8).filter(lambda x: x > 2)
    assert int(batches.cardinality) == -2
