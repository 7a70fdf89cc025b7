"""``tf.experimental.RowPartition``."""

from __future__ import annotations

import functools
from typing import Any

import pytest
import tensorflow
from api.same import error, same
from guides.printed import refused

import tfpy


def described(partition: Any) -> list[Any]:
    """Return all properties of a partition."""
    methods = (
        *("row_splits", "row_lengths", "row_starts", "row_limits", "value_rowids", "nrows"),
        *("nvals", "offsets_in_rows", "is_uniform", "uniform_row_length"),
    )
    return [repr(partition), *(getattr(partition, name)() for name in methods)]


@same
def test_partitions(tf: Any) -> Any:
    make = tf.experimental.RowPartition
    return [
        described(p)
        for p in (
            make.from_row_splits([0, 2, 2, 3]),
            make.from_row_splits([0]),
            make.from_row_lengths([2, 0, 1]),
            make.from_row_lengths([]),
            make.from_value_rowids([0, 0, 2]),
            make.from_value_rowids([0, 0, 2], nrows=5),
            make.from_row_starts([0, 2, 2], nvals=3),
            make.from_row_limits([2, 2, 3]),
            make.from_uniform_row_length(2, nvals=6),
            make.from_uniform_row_length(2, nrows=3),
            make.from_uniform_row_length(0, nrows=3),
            make.from_uniform_row_length(tf.constant(0), 0),
        )
    ]


@same
def test_errors(tf: Any) -> Any:
    make = tf.experimental.RowPartition
    return [
        error(call)
        for call in (
            lambda: make.from_uniform_row_length(2),
            lambda: make.from_row_splits([1, 2]),
            lambda: make.from_row_splits([]),
            lambda: make.from_row_splits([0, 2, 1]),
            lambda: make.from_row_lengths([-1, 1]),
            lambda: make.from_value_rowids([1, 0]),
            lambda: make.from_row_starts([0, 3], nvals=2),
            lambda: make.from_row_limits([2, 1]),
            lambda: make.from_row_lengths([[1]]),
        )
    ]


@same
def test_ragged_shapes(tf: Any) -> Any:
    shape, rows = tf.experimental.DynamicRaggedShape, tf.experimental.RowPartition
    made = [
        shape.from_lengths([2, (2, 1), 3]),
        shape.from_lengths([2, 3]),
        shape.from_lengths([]),
        shape.from_lengths([2, 2, 2], num_row_partitions=1),
        shape.from_lengths([2, (0, 3), 2, (1, 1, 1, 1, 1, 1)]),
        shape([rows.from_row_lengths([2, 1])], [3, 3]),
        shape([], [2, 3]),
        shape.from_row_partitions(
            [rows.from_row_lengths([2, 1]), rows.from_row_lengths([1, 1, 3])]
        ),
        shape.from_tensor(tf.ragged.constant([[1], [2, 3]])),
        shape.from_tensor(tf.zeros([2, 3])).with_dtype(tf.int32),
    ]
    facts = [(repr(s), s.rank, s.inner_rank, s.num_row_partitions, s.inner_shape) for s in made]
    partitions = [[p.row_splits() for p in s.row_partitions] for s in made]
    equal = made[0] == shape.from_lengths([2, (2, 1), 3]), made[0] == made[1]
    return facts, partitions, equal, made[0].is_uniform(1), tf.reshape(tf.range(9), made[0])


@pytest.mark.parametrize("lengths", [[2, (3, 1, 1)], [(1, 2)]])
def test_ragged_shapes_that_do_not_exist(lengths: list[Any]) -> None:
    for library in (tfpy, tensorflow):
        make = library.experimental.DynamicRaggedShape.from_lengths
        assert refused(functools.partial(make, lengths)) == "ValueError"
