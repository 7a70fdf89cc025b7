"""Errors of row partitions, ragged tensors and classes, and the tensors that partitions return."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import tensorflow
from api.same import same

import tfpy

IDS = [0, 0, 2, 2, 2, 3, 4]

ERRORS: dict[str, tuple[Callable[[Any], Any], str]] = {
    "negative nrows": (
        lambda tf: tf.experimental.RowPartition.from_value_rowids(IDS, nrows=-2),
        "Expected nrows >= 0; got -2",
    ),
    "small nrows": (
        lambda tf: tf.RaggedTensor.from_value_rowids(IDS, IDS, nrows=2),
        r"Expected nrows >= value_rowids\[-1\] \+ 1; got nrows=2, value_rowids\[-1\]=4",
    ),
    "rank of rowids": (
        lambda tf: tf.experimental.RowPartition.from_value_rowids([[i] for i in IDS]),
        r"Shape \(7, 1\) must have rank 1",
    ),
    "rank of nrows": (
        lambda tf: tf.experimental.RowPartition.from_value_rowids(IDS, nrows=[7]),
        r"Shape \(1,\) must have rank 0",
    ),
    "order of rowids": (
        lambda tf: tf.experimental.RowPartition.from_value_rowids([2, 1], nrows=7),
        "RowPartition|RaggedTensor",
    ),
    "rank of a length": (
        lambda tf: tf.experimental.RowPartition.from_uniform_row_length([2], nvals=4),
        r"Shape \(1,\) must have rank 0",
    ),
    "negative length": (
        lambda tf: tf.experimental.RowPartition.from_uniform_row_length(-1, nvals=4),
        "uniform_row_length .*>= 0|uniform_row_length >= 0",
    ),
    "mask": (
        lambda tf: tf.ragged.boolean_mask(tf.ragged.constant([[1]]), tf.ragged.constant([[0]])),
        "Tensor conversion requested dtype bool for RaggedTensor with dtype int32",
    ),
    "where": (
        lambda tf: tf.where(tf.ragged.constant([[True]]), tf.ragged.constant([[1]])),
        "x and y must be either both None or both non-None",
    ),
    "axis of a reduction": (
        lambda tf: tf.reduce_sum(tf.ragged.constant([[1]]), axis="x"),
        "axis must be an int; got str",
    ),
    "axis of reverse": (
        lambda tf: tf.reverse(tf.ragged.constant([[1]]), None),
        "`axis` must be a list of int or a constant tensor",
    ),
    "ragged index vectors": (
        lambda tf: tf.gather_nd(
            tf.ragged.constant([["a", "b"], ["c"]]), tf.ragged.constant([[0], []], tf.int32)
        ),
        "The innermost dimension of indices may not be ragged",
    ),
    "negative label": (
        lambda tf: tf.math.confusion_matrix([0, -1], [0, 1], num_classes=3),
        "`labels` contains negative values",
    ),
    "large label": (
        lambda tf: tf.math.confusion_matrix([0, 4], [0, 1], num_classes=3),
        "`labels` out of bound",
    ),
    "negative prediction": (
        lambda tf: tf.math.confusion_matrix([0, 1], [0, -1], num_classes=3),
        "`predictions` contains negative values",
    ),
    "large prediction": (
        lambda tf: tf.math.confusion_matrix([0, 1], [0, 4], num_classes=3),
        "`predictions` out of bound",
    ),
    "eager parallel_stack": (lambda tf: tf.parallel_stack([1, 2]), "not compatible with eager"),
}


@pytest.mark.parametrize("name", ERRORS)
def test_errors(name: str) -> None:
    call, message = ERRORS[name]
    kinds = []
    for lib in (tfpy, tensorflow):
        with pytest.raises(Exception, match=message) as caught:
            call(lib)
        kinds.append(caught.type.__name__)
    assert kinds[0] == kinds[1]


def test_partitions_return_the_tensors_they_were_made_from() -> None:
    for tf in (tfpy, tensorflow):
        rows = tf.experimental.RowPartition
        splits, lengths, ids, count = (
            tf.constant(v, tf.int64) for v in ([0, 2, 3], [2, 1], [0, 0, 1], 2)
        )
        assert rows.from_row_splits(splits).row_splits() is splits
        assert rows.from_row_lengths(lengths).row_lengths() is lengths
        made = rows.from_value_rowids(ids, count)
        assert made.value_rowids() is ids
        assert made.nrows() is count


@same
def test_empty_index_vectors(tf: Any) -> Any:
    x = tf.ragged.constant([[["a", "b", "c"], ["d"]], [["e"]]])
    return [tf.gather_nd(x, tf.constant([], tf.int32)), tf.gather_nd(x, [[1]])]


@same
def test_parallel_stack_in_functions_and_graphs(tf: Any) -> Any:
    found = [tf.function(lambda x: tf.parallel_stack([x, x + 1.0]))(tf.constant([1.0, 2.0]))]
    with tf.Graph().as_default(), tf.compat.v1.Session() as sess:
        x = tf.compat.v1.placeholder(tf.float32, [2])
        y = tf.parallel_stack([x, x * 2.0])
        found += [str(y.shape), sess.run(y, {x: [1.0, 2.0]})]
    return found
