"""`tf.experimental.RowPartition`: a partition of values into rows, without the values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tfpy._src.base import dtypes
from tfpy._src.base.dtypes import DType
from tfpy._src.core.conversion import constant
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import DTypeLike, IntLike, TensorLike
from tfpy._src.tensors.composite.ragged import row_partition as partition
from tfpy._src.tensors.composite.ragged.rows import RaggedRows


class RowPartition:
    """A division of a sequence of values into rows, without the values themselves.

    Create one with a class method such as `from_row_lengths`. All results are int32.

    Example:
        >>> import tfpy as tf
        >>> rows = tf.experimental.RowPartition.from_row_lengths([2, 0, 1])
        >>> rows.row_splits().numpy().tolist(), rows.value_rowids().numpy().tolist()
        ([0, 2, 2, 3], [0, 0, 2])
    """

    dtype: DType = dtypes.int32

    def __init__(self, rows: RaggedRows, **given: Any) -> None:
        self._rows = rows
        self._given = {k: v for k, v in given.items() if isinstance(v, Tensor)}
        """Tensors from which the partition was created, by the names of the methods."""

    @classmethod
    def from_row_splits(
        cls,
        row_splits: TensorLike,
        validate: bool = True,
        dtype: DTypeLike | None = None,
        dtype_hint: DTypeLike | None = None,
    ) -> RowPartition:
        """Create a partition from the positions where rows begin and end.

        Args:
            row_splits: Integer tensor of shape `[nrows + 1]`. Row `i` contains the values from
                `row_splits[i]` to `row_splits[i + 1]`, exclusive.
            validate: Has no effect: the arguments are always checked.
            dtype, dtype_hint: Has no effect: partitions are always int32.

        Returns:
            A `tf.experimental.RowPartition`.

        Raises:
            ValueError: If `row_splits` is empty.
            tf.errors.InvalidArgumentError: If the splits do not ascend from 0.

        Example:
            >>> import tfpy as tf
            >>> tf.experimental.RowPartition.from_row_splits([0, 2, 2, 3])
            tf.RowPartition(row_splits=[0 2 2 3])
        """
        splits = partition.ints(row_splits, "row_splits")
        if not splits.size:
            raise ValueError("row_splits tensor may not be empty; [0] has no rows")
        return cls(RaggedRows.from_row_splits(_places(splits[-1]), splits), row_splits=row_splits)

    @classmethod
    def from_row_lengths(
        cls,
        row_lengths: TensorLike,
        validate: bool = True,
        dtype: DTypeLike | None = None,
        dtype_hint: DTypeLike | None = None,
    ) -> RowPartition:
        """Create a partition from the lengths of its rows.

        Args:
            row_lengths: Lengths of the rows, an integer tensor of shape `[nrows]`.
            validate: Has no effect: the arguments are always checked.
            dtype, dtype_hint: Has no effect: partitions are always int32.

        Returns:
            A `tf.experimental.RowPartition`.

        Raises:
            tf.errors.InvalidArgumentError: If a length is negative.

        Example:
            >>> import tfpy as tf
            >>> tf.experimental.RowPartition.from_row_lengths([2, 0, 1])
            tf.RowPartition(row_splits=[0 2 2 3])
        """
        lengths = partition.ints(row_lengths, "row_lengths")
        splits = partition.from_lengths(lengths)
        rows = RaggedRows.from_row_splits(_places(splits[-1]), splits)
        return cls(rows, row_lengths=row_lengths)

    @classmethod
    def from_value_rowids(
        cls,
        value_rowids: TensorLike,
        nrows: IntLike | None = None,
        validate: bool = True,
        dtype: DTypeLike | None = None,
        dtype_hint: DTypeLike | None = None,
    ) -> RowPartition:
        """Create a partition from the index of the row of each value.

        Args:
            value_rowids: Row index of each value, an ascending integer tensor of shape `[nvals]`.
            nrows: Number of rows. Default: the last row index plus 1.
            validate: Has no effect: the arguments are always checked.
            dtype, dtype_hint: Has no effect: partitions are always int32.

        Returns:
            A `tf.experimental.RowPartition`.

        Raises:
            tf.errors.InvalidArgumentError: If the row indices do not ascend, or reach `nrows`.

        Example:
            >>> import tfpy as tf
            >>> tf.experimental.RowPartition.from_value_rowids([0, 0, 2])
            tf.RowPartition(row_splits=[0 2 2 3])
        """
        ids = partition.ints(value_rowids, "value_rowids")
        rows = RaggedRows.from_value_rowids(_places(ids.size), ids, nrows)
        return cls(rows, value_rowids=value_rowids, nrows=nrows)

    @classmethod
    def from_row_starts(
        cls,
        row_starts: TensorLike,
        nvals: IntLike,
        validate: bool = True,
        dtype: DTypeLike | None = None,
        dtype_hint: DTypeLike | None = None,
    ) -> RowPartition:
        """Create a partition from the positions where rows begin.

        Args:
            row_starts: Integer tensor of shape `[nrows]`, in ascending order. Element 0 must be 0.
            nvals: Number of values.
            validate: Has no effect: the arguments are always checked.
            dtype, dtype_hint: Has no effect: partitions are always int32.

        Returns:
            A `tf.experimental.RowPartition`.

        Raises:
            tf.errors.InvalidArgumentError: If the positions do not ascend from 0.

        Example:
            >>> import tfpy as tf
            >>> tf.experimental.RowPartition.from_row_starts([0, 2, 2], nvals=3)
            tf.RowPartition(row_splits=[0 2 2 3])
        """
        return cls(RaggedRows.from_row_starts(_places(nvals), row_starts))

    @classmethod
    def from_row_limits(
        cls,
        row_limits: TensorLike,
        validate: bool = True,
        dtype: DTypeLike | None = None,
        dtype_hint: DTypeLike | None = None,
    ) -> RowPartition:
        """Create a partition from the positions where rows end.

        Args:
            row_limits: Integer tensor of shape `[nrows]`, in ascending order.
            validate: Has no effect: the arguments are always checked.
            dtype, dtype_hint: Has no effect: partitions are always int32.

        Returns:
            A `tf.experimental.RowPartition`.

        Raises:
            tf.errors.InvalidArgumentError: If the positions do not ascend.

        Example:
            >>> import tfpy as tf
            >>> tf.experimental.RowPartition.from_row_limits([2, 2, 3])
            tf.RowPartition(row_splits=[0 2 2 3])
        """
        limits = partition.ints(row_limits, "row_limits")
        return cls(RaggedRows.from_row_limits(_places(limits[-1:].sum()), limits))

    @classmethod
    def from_uniform_row_length(
        cls,
        uniform_row_length: int | Tensor,
        nvals: int | Tensor | None = None,
        nrows: int | Tensor | None = None,
        validate: bool = True,
        dtype: DTypeLike | None = None,
        dtype_hint: DTypeLike | None = None,
    ) -> RowPartition:
        """Create a partition into rows of the same length.

        Args:
            uniform_row_length: Length of each row.
            nvals: Number of values. Default: the row length multiplied by `nrows`.
            nrows: Number of rows. Default: `nvals` divided by the row length.
            validate: Has no effect: the arguments are always checked.
            dtype, dtype_hint: Has no effect: partitions are always int32.

        Returns:
            A `tf.experimental.RowPartition`.

        Raises:
            ValueError: If neither `nvals` nor `nrows` is given.
            tf.errors.InvalidArgumentError: If `nvals` is not the row length multiplied by `nrows`.

        Example:
            >>> import tfpy as tf
            >>> tf.experimental.RowPartition.from_uniform_row_length(2, nrows=3)
            tf.RowPartition(nrows=3, uniform_row_length=2)
        """
        if nvals is None and nrows is None:
            raise ValueError("RowPartition: either nvals or nrows must be given")
        length = partition.count(uniform_row_length, "uniform_row_length")
        count = length * int(nrows or 0) if nvals is None else int(nvals)
        return cls(RaggedRows.from_uniform_row_length(_places(count), uniform_row_length, nrows))

    def row_splits(self) -> Tensor:
        """Return the positions where rows begin, followed by the number of values.

        Returns:
            Int32 tensor of shape `[nrows + 1]`.

        Example:
            >>> import tfpy as tf
            >>> rows = tf.experimental.RowPartition.from_row_lengths([2, 0, 1])
            >>> rows.row_splits().numpy().tolist()
            [0, 2, 2, 3]
        """
        return self._known("row_splits", lambda: self._rows.row_splits)

    def row_lengths(self) -> Tensor:
        """Return the lengths of the rows.

        Returns:
            Int32 tensor of shape `[nrows]`.

        Example:
            >>> import tfpy as tf
            >>> rows = tf.experimental.RowPartition.from_row_splits([0, 2, 2, 3])
            >>> rows.row_lengths().numpy().tolist()
            [2, 0, 1]
        """
        return self._known("row_lengths", lambda: constant(np.diff(self._rows.splits)))

    def row_starts(self) -> Tensor:
        """Return the positions where rows begin.

        Returns:
            Int32 tensor of shape `[nrows]`.

        Example:
            >>> import tfpy as tf
            >>> rows = tf.experimental.RowPartition.from_row_lengths([2, 0, 1])
            >>> rows.row_starts().numpy().tolist()
            [0, 2, 2]
        """
        return self._rows.row_starts()

    def row_limits(self) -> Tensor:
        """Return the positions where rows end.

        Returns:
            Int32 tensor of shape `[nrows]`.

        Example:
            >>> import tfpy as tf
            >>> rows = tf.experimental.RowPartition.from_row_lengths([2, 0, 1])
            >>> rows.row_limits().numpy().tolist()
            [2, 2, 3]
        """
        return self._rows.row_limits()

    def value_rowids(self) -> Tensor:
        """Return the index of the row of each value.

        Returns:
            Int32 tensor of shape `[nvals]`.

        Example:
            >>> import tfpy as tf
            >>> rows = tf.experimental.RowPartition.from_row_lengths([2, 0, 1])
            >>> rows.value_rowids().numpy().tolist()
            [0, 0, 2]
        """
        return self._known("value_rowids", self._rows.value_rowids)

    def offsets_in_rows(self) -> Tensor:
        """Return the position of each value in its row.

        Returns:
            Int32 tensor of shape `[nvals]`.

        Example:
            >>> import tfpy as tf
            >>> rows = tf.experimental.RowPartition.from_row_lengths([2, 0, 1])
            >>> rows.offsets_in_rows().numpy().tolist()
            [0, 1, 0]
        """
        return constant(partition.positions(self._rows.splits))

    def nrows(self) -> Tensor:
        """Return the number of rows.

        Returns:
            Scalar int32 tensor.

        Example:
            >>> import tfpy as tf
            >>> int(tf.experimental.RowPartition.from_row_lengths([2, 0, 1]).nrows())
            3
        """
        return self._known("nrows", self._rows.nrows)

    def nvals(self) -> Tensor:
        """Return the number of values.

        Returns:
            Scalar int32 tensor.

        Example:
            >>> import tfpy as tf
            >>> int(tf.experimental.RowPartition.from_row_lengths([2, 0, 1]).nvals())
            3
        """
        return constant(self._rows.splits[-1])

    def is_uniform(self) -> bool:
        """Return True if the partition was created by `from_uniform_row_length`.

        Returns:
            True or False. Rows that merely have equal lengths do not count.

        Example:
            >>> import tfpy as tf
            >>> tf.experimental.RowPartition.from_row_lengths([2, 2]).is_uniform()
            False
        """
        return self._rows.uniform_row_length is not None

    def uniform_row_length(self) -> Tensor | None:
        """Return the length of each row, if `from_uniform_row_length` created the partition.

        Returns:
            Scalar int32 tensor, or None for other partitions.

        Example:
            >>> import tfpy as tf
            >>> int(tf.experimental.RowPartition.from_uniform_row_length(2, 6).uniform_row_length())
            2
        """
        length = self._rows.uniform_row_length
        return None if length is None else constant(np.int32(length))

    @property
    def static_nrows(self) -> int:
        """Number of rows, a Python integer."""
        return len(self._rows.splits) - 1

    @property
    def static_nvals(self) -> int:
        """Number of values, a Python integer."""
        return int(self._rows.splits[-1])

    @property
    def static_uniform_row_length(self) -> int | None:
        """Length of each row if `from_uniform_row_length` created the partition, else None."""
        return self._rows.uniform_row_length

    def with_dtype(self, dtype: DTypeLike) -> RowPartition:
        """Return the partition itself, because partitions are always int32.

        Args:
            dtype: Has no effect.

        Returns:
            The partition.

        Example:
            >>> import tfpy as tf
            >>> tf.experimental.RowPartition.from_row_lengths([2, 0, 1]).with_dtype(tf.int64).dtype
            tf.int32
        """
        return self

    def _known(self, name: str, compute: Callable[[], Tensor]) -> Tensor:
        """Return the tensor from which the partition was created, or compute it."""
        given = self._given.get(name)
        return compute() if given is None or given.dtype != self.dtype else given

    def __repr__(self) -> str:
        if self.is_uniform():
            length = self.static_uniform_row_length
            return f"tf.RowPartition(nrows={self.static_nrows}, uniform_row_length={length})"
        return f"tf.RowPartition(row_splits={self._rows.splits})"


def _places(count: Any) -> Tensor:
    """Return `count` values of no size, to be partitioned."""
    return constant(np.zeros((int(count), 0), np.int32))
