"""``tf.experimental.RowPartition``: how values are spread over rows, without the values."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfpy._src.base import dtypes
from tfpy._src.base.dtypes import DType
from tfpy._src.core.conversion import constant
from tfpy._src.core.tensor import Tensor
from tfpy._src.tensors.composite.ragged import row_partition as partition
from tfpy._src.tensors.composite.ragged.rows import RaggedRows


class RowPartition:
    """A partition of a number of values into rows (``tf.experimental.RowPartition``), int32.

    ``RowPartition.from_row_splits([0, 2, 2, 3])`` has the rows ``[0, 1]``, ``[]`` and ``[2]``. The
    other constructors take what the functions of the same names of ``tf.RaggedTensor`` take.

    Raises:
        InvalidArgumentError: for what partitions nothing.

    Example:
        >>> import tfpy as tf
        >>> rows = tf.experimental.RowPartition.from_row_lengths([2, 0, 1])
        >>> rows.row_splits().numpy().tolist(), rows.value_rowids().numpy().tolist()
        ([0, 2, 2, 3], [0, 0, 2])
    """

    dtype: DType = dtypes.int32

    def __init__(self, rows: RaggedRows) -> None:
        self._rows = rows

    @classmethod
    def from_row_splits(
        cls, row_splits: Any, validate: bool = True, dtype: Any = None, dtype_hint: Any = None
    ) -> RowPartition:
        """Row ``i`` has the values from ``row_splits[i]`` to before ``row_splits[i + 1]``.

        Raises:
            ValueError: when there are no splits.
        """
        splits = partition.ints(row_splits, "row_splits")
        if not splits.size:
            raise ValueError("RowPartition: row_splits must not be empty, [0] has no rows")
        return cls(RaggedRows.from_row_splits(_places(splits[-1]), splits))

    @classmethod
    def from_row_lengths(
        cls, row_lengths: Any, validate: bool = True, dtype: Any = None, dtype_hint: Any = None
    ) -> RowPartition:
        """Rows of the given lengths."""
        lengths = partition.ints(row_lengths, "row_lengths")
        return cls.from_row_splits(partition.from_lengths(lengths))

    @classmethod
    def from_value_rowids(
        cls,
        value_rowids: Any,
        nrows: Any = None,
        validate: bool = True,
        dtype: Any = None,
        dtype_hint: Any = None,
    ) -> RowPartition:
        """Row ``i`` has the values whose (ascending) row id is ``i``."""
        ids = partition.ints(value_rowids, "value_rowids")
        return cls(RaggedRows.from_value_rowids(_places(ids.size), ids, nrows))

    @classmethod
    def from_row_starts(
        cls,
        row_starts: Any,
        nvals: Any,
        validate: bool = True,
        dtype: Any = None,
        dtype_hint: Any = None,
    ) -> RowPartition:
        """Rows that begin at the given positions among ``nvals`` values."""
        return cls(RaggedRows.from_row_starts(_places(nvals), row_starts))

    @classmethod
    def from_row_limits(
        cls, row_limits: Any, validate: bool = True, dtype: Any = None, dtype_hint: Any = None
    ) -> RowPartition:
        """Rows that end before the given positions."""
        limits = partition.ints(row_limits, "row_limits")
        return cls(RaggedRows.from_row_limits(_places(limits[-1:].sum()), limits))

    @classmethod
    def from_uniform_row_length(
        cls,
        uniform_row_length: Any,
        nvals: Any = None,
        nrows: Any = None,
        validate: bool = True,
        dtype: Any = None,
        dtype_hint: Any = None,
    ) -> RowPartition:
        """Rows of one length, for a number of values or of rows.

        Raises:
            ValueError: when neither number is given.
        """
        if nvals is None and nrows is None:
            raise ValueError("RowPartition: either nvals or nrows must be given")
        count = int(uniform_row_length) * int(nrows or 0) if nvals is None else int(nvals)
        return cls(RaggedRows.from_uniform_row_length(_places(count), uniform_row_length, nrows))

    def row_splits(self) -> Tensor:
        """Where each row begins, and the number of values: [nrows + 1]."""
        return self._rows.row_splits

    def row_lengths(self) -> Tensor:
        """How many values each row has: [nrows]."""
        return constant(np.diff(self._rows.splits))

    def row_starts(self) -> Tensor:
        """Where each row begins: [nrows]."""
        return self._rows.row_starts()

    def row_limits(self) -> Tensor:
        """Where each row ends: [nrows]."""
        return self._rows.row_limits()

    def value_rowids(self) -> Tensor:
        """The row of each value: [nvals]."""
        return self._rows.value_rowids()

    def offsets_in_rows(self) -> Tensor:
        """The place of each value in its row: [nvals]."""
        return constant(partition.positions(self._rows.splits))

    def nrows(self) -> Tensor:
        """The number of rows, a scalar."""
        return self._rows.nrows()

    def nvals(self) -> Tensor:
        """The number of values, a scalar."""
        return constant(self._rows.splits[-1])

    def is_uniform(self) -> bool:
        """Whether the rows were made with one length."""
        return self._rows.uniform_row_length is not None

    def uniform_row_length(self) -> Tensor | None:
        """The length of each row, a scalar, if the rows were made with one."""
        length = self._rows.uniform_row_length
        return None if length is None else constant(np.int32(length))

    @property
    def static_nrows(self) -> int:
        """The number of rows."""
        return len(self._rows.splits) - 1

    @property
    def static_nvals(self) -> int:
        """The number of values."""
        return int(self._rows.splits[-1])

    @property
    def static_uniform_row_length(self) -> int | None:
        """The length of each row, if the rows were made with one."""
        return self._rows.uniform_row_length

    def with_dtype(self, dtype: Any) -> RowPartition:
        """Itself: partitions are int32."""
        return self

    def __repr__(self) -> str:
        if self.is_uniform():
            length = self.static_uniform_row_length
            return f"tf.RowPartition(nrows={self.static_nrows}, uniform_row_length={length})"
        return f"tf.RowPartition(row_splits={self._rows.splits})"


def _places(count: Any) -> Tensor:
    """Values to be partitioned: of no size, however many there are."""
    return constant(np.zeros((int(count), 0), np.int32))
