"""``tf.experimental.RowPartition``."""

from __future__ import annotations

from typing import Any

from api.same import error, same


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
