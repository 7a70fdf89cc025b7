"""The structure of ragged tensors: rows of values, in each of the ways TensorFlow has to say it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np

from tfpy._src.base.dtypes import DType
from tfpy._src.base.errors import invalid_value
from tfpy._src.compiler.ops import indexing
from tfpy._src.core.conversion import constant, convert_to_tensor
from tfpy._src.core.operand import CompositeOperand
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.tensor_shape import TensorShape
from tfpy._src.tensors.composite.ragged import row_partition as partition
from tfpy._src.tensors.composite.ragged.row_partition import Ints


class RaggedRows(CompositeOperand):
    """Rows that ``splits`` marks among ``values``; all row partitions that it gives are int32."""

    __slots__ = ("splits", "uniform_row_length", "values")

    def __init__(self, values: Any, splits: Ints, uniform: int | None = None) -> None:
        self.values = values
        """A tensor, or another ragged one."""
        self.splits = splits
        """Row splits [rows + 1] on the host: row ``i`` is ``values[splits[i]:splits[i + 1]]``."""
        self.uniform_row_length = uniform

    # Constructors

    @classmethod
    def from_row_splits(
        cls, values: Any, row_splits: Any, name: str | None = None, validate: bool = True
    ) -> Self:
        """Row ``i`` is ``values[row_splits[i]:row_splits[i + 1]]``."""
        inner, splits = _values(values), partition.ints(row_splits, "row_splits")
        partition.check(splits, row_count(inner), "from_row_splits")
        return cls(inner, splits)

    @classmethod
    def from_row_lengths(
        cls, values: Any, row_lengths: Any, name: str | None = None, validate: bool = True
    ) -> Self:
        """Rows of the given lengths, one after the other."""
        lengths = partition.ints(row_lengths, "row_lengths")
        return cls.from_row_splits(values, partition.from_lengths(lengths))

    @classmethod
    def from_value_rowids(
        cls,
        values: Any,
        value_rowids: Any,
        nrows: Any = None,
        name: str | None = None,
        validate: bool = True,
    ) -> Self:
        """Row ``i`` has the values whose (ascending) row id is ``i``."""
        ids = partition.ints(value_rowids, "value_rowids")
        return cls.from_row_splits(values, partition.from_rowids(ids, nrows))

    @classmethod
    def from_row_starts(
        cls, values: Any, row_starts: Any, name: str | None = None, validate: bool = True
    ) -> Self:
        """Rows that begin at the given positions."""
        inner, starts = _values(values), partition.ints(row_starts, "row_starts")
        return cls.from_row_splits(inner, np.append(starts, np.int32(row_count(inner))))

    @classmethod
    def from_row_limits(
        cls, values: Any, row_limits: Any, name: str | None = None, validate: bool = True
    ) -> Self:
        """Rows that end before the given positions."""
        limits = partition.ints(row_limits, "row_limits")
        return cls.from_row_splits(values, np.append(np.int32(0), limits))

    @classmethod
    def from_uniform_row_length(
        cls,
        values: Any,
        uniform_row_length: Any,
        nrows: Any = None,
        validate: bool = True,
        name: str | None = None,
    ) -> Self:
        """Rows of one length; the dimension stays uniform in the shape.

        Raises:
            InvalidArgumentError: when the values are not so many rows of that length.
        """
        inner, n = _values(values), int(uniform_row_length)
        count = row_count(inner)
        rows = (count // n if n else 0) if nrows is None else int(nrows)
        if rows * n != count:
            raise invalid_value(
                "RaggedTensor",
                f"Arguments to from_uniform_row_length do not form a valid RaggedTensor: {count} "
                f"values are not {rows} rows of {n}",
            )
        return cls(inner, np.arange(rows + 1, dtype=np.int32) * n, n)

    @classmethod
    def from_nested_row_splits(
        cls,
        flat_values: Any,
        nested_row_splits: Sequence[Any],
        name: str | None = None,
        validate: bool = True,
    ) -> Any:
        """Row splits of each ragged dimension, outermost first."""
        result = _values(flat_values)
        for splits in reversed(list(nested_row_splits)):
            result = cls.from_row_splits(result, splits)
        return result

    @classmethod
    def from_nested_row_lengths(
        cls,
        flat_values: Any,
        nested_row_lengths: Sequence[Any],
        name: str | None = None,
        validate: bool = True,
    ) -> Any:
        """Row lengths of each ragged dimension, outermost first."""
        result = _values(flat_values)
        for lengths in reversed(list(nested_row_lengths)):
            result = cls.from_row_lengths(result, lengths)
        return result

    @classmethod
    def from_nested_value_rowids(
        cls,
        flat_values: Any,
        nested_value_rowids: Sequence[Any],
        nested_nrows: Sequence[Any] | None = None,
        name: str | None = None,
        validate: bool = True,
    ) -> Any:
        """Row ids of each ragged dimension, outermost first.

        Raises:
            ValueError: when ``nested_nrows`` has another length.
        """
        ids = list(nested_value_rowids)
        counts = [None] * len(ids) if nested_nrows is None else list(nested_nrows)
        if len(counts) != len(ids):
            raise ValueError("`nested_nrows` must have the same length as `nested_value_rowids`.")
        result = _values(flat_values)
        for rows, count in zip(reversed(ids), reversed(counts), strict=True):
            result = cls.from_value_rowids(result, rows, count)
        return result

    # What it is

    @property
    def dtype(self) -> DType:
        """The type of the values."""
        return self.values.dtype

    @property
    def ragged_rank(self) -> int:
        """Number of partitioned dimensions."""
        return 1 + (self.values.ragged_rank if isinstance(self.values, RaggedRows) else 0)

    @property
    def shape(self) -> TensorShape:
        """The static shape, None for ragged dimensions."""
        return TensorShape((self.splits.size - 1, self.uniform_row_length, *self.values.shape[1:]))

    def get_shape(self) -> TensorShape:
        """:attr:`shape`."""
        return self.shape

    @property
    def ndim(self) -> int:
        """How many dimensions it has, ragged ones and those of the values."""
        return 1 + int(self.values.ndim)

    @property
    def flat_values(self) -> Tensor:
        """The innermost values, without ragged dimensions."""
        values = self.values
        while isinstance(values, RaggedRows):
            values = values.values
        return values

    def row_lengths(self, axis: int = 1, name: str | None = None) -> Any:
        """Lengths of the rows of a dimension; ragged for inner dimensions."""
        if axis == 0:
            return self.nrows()
        if axis == 1:
            return constant(np.diff(self.splits))
        if isinstance(self.values, RaggedRows):
            return self.with_values(self.values.row_lengths(axis - 1))
        n = self.values.shape[axis - 1]
        return self.with_values(constant(np.full(row_count(self.values), n, np.int32)))

    def bounding_shape(
        self, axis: Any = None, name: str | None = None, out_type: Any = None
    ) -> Tensor:
        """The smallest dense shape that holds every row."""
        sizes = np.array([self.splits.size - 1, *self._bounds()], np.int32)
        return constant(sizes if axis is None else sizes[np.asarray(axis)])

    def _bounds(self) -> list[int]:
        longest = int(np.diff(self.splits).max(initial=0))
        inner = self.values
        return [
            longest,
            *(inner._bounds() if isinstance(inner, RaggedRows) else inner.aval.shape[1:]),
        ]

    # Row partitions

    @property
    def row_splits(self) -> Tensor:
        """Where each row begins, and the last one ends: [rows + 1]."""
        return constant(self.splits)

    def nrows(self, out_type: Any = None, name: str | None = None) -> Tensor:
        """How many rows there are."""
        return constant(self.splits.size - 1)

    def row_starts(self, name: str | None = None) -> Tensor:
        """Where each row begins: [rows]."""
        return constant(self.splits[:-1].copy())

    def row_limits(self, name: str | None = None) -> Tensor:
        """Where each row ends: [rows]."""
        return constant(self.splits[1:].copy())

    def value_rowids(self, name: str | None = None) -> Tensor:
        """The row of each value: [values]."""
        return constant(partition.rowids(self.splits))

    @property
    def nested_splits(self) -> tuple[Ints, ...]:
        """Row splits of each ragged dimension on the host, outermost first."""
        inner = self.values
        return (self.splits, *(inner.nested_splits if isinstance(inner, RaggedRows) else ()))

    @property
    def nested_row_splits(self) -> tuple[Tensor, ...]:
        """:attr:`row_splits` of each ragged dimension, outermost first."""
        return tuple(constant(s) for s in self.nested_splits)

    def nested_row_lengths(self, name: str | None = None) -> tuple[Tensor, ...]:
        """The rows' lengths in each ragged dimension, outermost first."""
        return tuple(constant(np.diff(s)) for s in self.nested_splits)

    def nested_value_rowids(self, name: str | None = None) -> tuple[Tensor, ...]:
        """:meth:`value_rowids` of each ragged dimension, outermost first."""
        return tuple(constant(partition.rowids(s)) for s in self.nested_splits)

    # Other values, the same rows

    def with_values(self, new_values: Any) -> Self:
        """The same rows over other values, of which there must be as many."""
        inner = _values(new_values)
        partition.check(self.splits, row_count(inner), "with_values")
        return type(self)(inner, self.splits, self.uniform_row_length)

    def with_flat_values(self, new_values: Any) -> Self:
        """The same rows over other innermost values, of which there must be as many."""
        inner = self.values
        return self.with_values(
            inner.with_flat_values(new_values) if isinstance(inner, RaggedRows) else new_values
        )

    def with_row_splits_dtype(self, dtype: Any) -> Self:
        """The tensor itself: row splits are int32."""
        return self


def _values(values: Any) -> Any:
    return values if isinstance(values, RaggedRows) else convert_to_tensor(values)


def row_count(values: Any) -> int:
    """The size of the first dimension of a tensor or ragged tensor.

    Raises:
        ValueError: for a scalar.
    """
    if isinstance(values, RaggedRows):
        return values.splits.size - 1
    if values.ndim == 0:
        raise ValueError("RaggedTensor: values must have at least one dimension, got a scalar")
    return int(values.aval.shape[0])


def take_rows(values: Any, rows: Ints) -> Any:
    """The rows (of the first dimension) at host positions, which must be in range."""
    if isinstance(values, RaggedRows):
        splits, picked = partition.take(values.splits, rows)
        return type(values)(take_rows(values.values, picked), splits, values.uniform_row_length)
    n = values.aval.shape[0]
    if rows.size == n and (rows == np.arange(n)).all():
        return values
    return indexing.gather(values, constant(rows.astype(np.int32)), axis=0, batch_dims=0)
