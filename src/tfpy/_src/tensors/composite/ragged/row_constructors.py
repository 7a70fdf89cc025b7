"""The constructors of ragged tensors from row partitions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np

from tfpy._src.base.errors import invalid_value
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.operand import CompositeOperand
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import IntLike, TensorLike
from tfpy._src.tensors.composite.ragged import row_partition as partition
from tfpy._src.tensors.composite.ragged.row_partition import Ints


class ConstructedRows(CompositeOperand):
    """Rows of `values` between `splits`, and the constructors from TensorFlow's row partitions."""

    __slots__ = ("splits", "uniform_row_length", "values")

    def __init__(self, values: Any, splits: Ints, uniform: int | None = None) -> None:
        self.values = values
        """Concatenated rows, a tensor or a ragged tensor."""
        self.splits = splits
        """Row splits, a NumPy array: row `i` is `values[splits[i]:splits[i + 1]]`."""
        self.uniform_row_length = uniform
        """Length of each row if the axis is uniform, else None."""

    @classmethod
    def from_row_splits(
        cls,
        values: TensorLike,
        row_splits: TensorLike,
        name: str | None = None,
        validate: bool = True,
    ) -> Self:
        """Create a ragged tensor from the positions where rows begin and end.

        Args:
            values: Concatenated rows, a tensor of shape `[n, ...]` or a `tf.RaggedTensor`.
            row_splits: Integer tensor of shape `[rows + 1]`. Row `i` is
                `values[row_splits[i]:row_splits[i + 1]]`.
            validate: Has no effect: the arguments are always checked.

        Returns:
            A `tf.RaggedTensor`.

        Raises:
            tf.errors.InvalidArgumentError: If the splits do not ascend from 0 to `n`.

        Example:
            >>> import tfpy as tf
            >>> tf.RaggedTensor.from_row_splits([1, 2, 3], [0, 2, 2, 3])
            <tf.RaggedTensor [[1, 2], [], [3]]>
        """
        inner, splits = as_values(values), partition.ints(row_splits, "row_splits")
        partition.check(splits, row_count(inner), "from_row_splits")
        return cls(inner, splits)

    @classmethod
    def from_row_lengths(
        cls,
        values: TensorLike,
        row_lengths: TensorLike,
        name: str | None = None,
        validate: bool = True,
    ) -> Self:
        """Create a ragged tensor from the lengths of its rows.

        Args:
            values: Concatenated rows, a tensor of shape `[n, ...]` or a `tf.RaggedTensor`.
            row_lengths: Lengths of the rows, an integer tensor of shape `[rows]` whose sum is `n`.
            validate: Has no effect: the arguments are always checked.

        Returns:
            A `tf.RaggedTensor`.

        Raises:
            tf.errors.InvalidArgumentError: If a length is negative, or the sum of the lengths is
                not `n`.

        Example:
            >>> import tfpy as tf
            >>> tf.RaggedTensor.from_row_lengths([1, 2, 3], [2, 0, 1])
            <tf.RaggedTensor [[1, 2], [], [3]]>
        """
        lengths = partition.ints(row_lengths, "row_lengths")
        return cls.from_row_splits(values, partition.from_lengths(lengths))

    @classmethod
    def from_value_rowids(
        cls,
        values: TensorLike,
        value_rowids: TensorLike,
        nrows: IntLike | None = None,
        name: str | None = None,
        validate: bool = True,
    ) -> Self:
        """Create a ragged tensor from the index of the row of each value.

        Args:
            values: Concatenated rows, a tensor of shape `[n, ...]` or a `tf.RaggedTensor`.
            value_rowids: Index of the row of each value, in ascending order, an integer tensor of
                shape `[n]`.
            nrows: Number of rows. Default: the last row index plus 1.
            validate: Has no effect: the arguments are always checked.

        Returns:
            A `tf.RaggedTensor`.

        Raises:
            tf.errors.InvalidArgumentError: If the row indices do not ascend, or one of them is not
                less than `nrows`.

        Example:
            >>> import tfpy as tf
            >>> tf.RaggedTensor.from_value_rowids([1, 2, 3], [0, 0, 2])
            <tf.RaggedTensor [[1, 2], [], [3]]>
        """
        ids = partition.ints(value_rowids, "value_rowids")
        return cls.from_row_splits(values, partition.from_rowids(ids, nrows))

    @classmethod
    def from_row_starts(
        cls,
        values: TensorLike,
        row_starts: TensorLike,
        name: str | None = None,
        validate: bool = True,
    ) -> Self:
        """Create a ragged tensor from the positions where rows begin.

        Args:
            values: Concatenated rows, a tensor of shape `[n, ...]` or a `tf.RaggedTensor`.
            row_starts: Positions in `values` in ascending order, an integer tensor of shape
                `[rows]` whose first element is 0.
            validate: Has no effect: the arguments are always checked.

        Returns:
            A `tf.RaggedTensor`.

        Raises:
            tf.errors.InvalidArgumentError: If the positions do not ascend from 0.

        Example:
            >>> import tfpy as tf
            >>> tf.RaggedTensor.from_row_starts([1, 2, 3], [0, 2, 2])
            <tf.RaggedTensor [[1, 2], [], [3]]>
        """
        inner, starts = as_values(values), partition.ints(row_starts, "row_starts")
        return cls.from_row_splits(inner, np.append(starts, np.int32(row_count(inner))))

    @classmethod
    def from_row_limits(
        cls,
        values: TensorLike,
        row_limits: TensorLike,
        name: str | None = None,
        validate: bool = True,
    ) -> Self:
        """Create a ragged tensor from the positions where rows end.

        Args:
            values: Concatenated rows, a tensor of shape `[n, ...]` or a `tf.RaggedTensor`.
            row_limits: Positions in `values` in ascending order, an integer tensor of shape
                `[rows]` whose last element is `n`.
            validate: Has no effect: the arguments are always checked.

        Returns:
            A `tf.RaggedTensor`.

        Raises:
            tf.errors.InvalidArgumentError: If the positions do not ascend to `n`.

        Example:
            >>> import tfpy as tf
            >>> tf.RaggedTensor.from_row_limits([1, 2, 3], [2, 2, 3])
            <tf.RaggedTensor [[1, 2], [], [3]]>
        """
        limits = partition.ints(row_limits, "row_limits")
        return cls.from_row_splits(values, np.append(np.int32(0), limits))

    @classmethod
    def from_uniform_row_length(
        cls,
        values: TensorLike,
        uniform_row_length: int | Tensor,
        nrows: int | Tensor | None = None,
        validate: bool = True,
        name: str | None = None,
    ) -> Self:
        """Create a ragged tensor in which all rows of the outermost axis have the same length.

        Unlike a ragged axis, this axis has a known dimension in the shape.

        Args:
            values: Concatenated rows, a tensor of shape `[n, ...]` or a `tf.RaggedTensor`.
            uniform_row_length: Length of each row.
            nrows: Number of rows, required if the length is 0. Default: `n` divided by the length.
            validate: Has no effect: the arguments are always checked.

        Returns:
            A `tf.RaggedTensor`.

        Raises:
            tf.errors.InvalidArgumentError: If `n` is not the product of the length and the number
                of rows.

        Example:
            >>> import tfpy as tf
            >>> x = tf.ragged.constant([[1, 2], [], [3], [4]])
            >>> tf.RaggedTensor.from_uniform_row_length(x, 2).shape
            TensorShape([2, 2, None])
        """
        inner = as_values(values)
        n = partition.count(uniform_row_length, "uniform_row_length")
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
        flat_values: TensorLike,
        nested_row_splits: Sequence[TensorLike],
        name: str | None = None,
        validate: bool = True,
    ) -> Self:
        """Create a ragged tensor with more than one ragged axis from the row splits of each axis.

        Args:
            flat_values: Values of all rows, a tensor of shape `[n, ...]`.
            nested_row_splits: List with the row splits of each ragged axis, outermost axis first.
                See `from_row_splits`.
            validate: Has no effect: the arguments are always checked.

        Returns:
            A `tf.RaggedTensor`, or `flat_values` as a tensor if the list is empty.

        Example:
            >>> import tfpy as tf
            >>> tf.RaggedTensor.from_nested_row_splits([1, 2, 3], [[0, 1, 2], [0, 2, 3]]).to_list()
            [[[1, 2]], [[3]]]
        """
        result = as_values(flat_values)
        for splits in reversed(list(nested_row_splits)):
            result = cls.from_row_splits(result, splits)
        return result

    @classmethod
    def from_nested_row_lengths(
        cls,
        flat_values: TensorLike,
        nested_row_lengths: Sequence[TensorLike],
        name: str | None = None,
        validate: bool = True,
    ) -> Self:
        """Create a ragged tensor with more than one ragged axis from the row lengths of each axis.

        Args:
            flat_values: Values of all rows, a tensor of shape `[n, ...]`.
            nested_row_lengths: List with the row lengths of each ragged axis, outermost axis first.
                See `from_row_lengths`.
            validate: Has no effect: the arguments are always checked.

        Returns:
            A `tf.RaggedTensor`, or `flat_values` as a tensor if the list is empty.

        Example:
            >>> import tfpy as tf
            >>> tf.RaggedTensor.from_nested_row_lengths([1, 2, 3], [[1, 1], [2, 1]]).to_list()
            [[[1, 2]], [[3]]]
        """
        result = as_values(flat_values)
        for lengths in reversed(list(nested_row_lengths)):
            result = cls.from_row_lengths(result, lengths)
        return result

    @classmethod
    def from_nested_value_rowids(
        cls,
        flat_values: TensorLike,
        nested_value_rowids: Sequence[TensorLike],
        nested_nrows: Sequence[IntLike | None] | None = None,
        name: str | None = None,
        validate: bool = True,
    ) -> Self:
        """Create a ragged tensor with more than one ragged axis from the row indices of each axis.

        Args:
            flat_values: Values of all rows, a tensor of shape `[n, ...]`.
            nested_value_rowids: List with the row indices of each ragged axis, outermost axis
                first. See `from_value_rowids`.
            nested_nrows: List with the number of rows of each ragged axis. Default: the last row
                index of each axis plus 1.
            validate: Has no effect: the arguments are always checked.

        Returns:
            A `tf.RaggedTensor`, or `flat_values` as a tensor if the list is empty.

        Raises:
            ValueError: If `nested_nrows` and `nested_value_rowids` have different lengths.

        Example:
            >>> import tfpy as tf
            >>> tf.RaggedTensor.from_nested_value_rowids([1, 2, 3], [[0, 1], [0, 0, 1]]).to_list()
            [[[1, 2]], [[3]]]
        """
        ids = list(nested_value_rowids)
        counts = [None] * len(ids) if nested_nrows is None else list(nested_nrows)
        if len(counts) != len(ids):
            raise ValueError("`nested_nrows` must have the same length as `nested_value_rowids`.")
        result = as_values(flat_values)
        for rows, count in zip(reversed(ids), reversed(counts), strict=True):
            result = cls.from_value_rowids(result, rows, count)
        return result


def as_values(values: Any) -> Any:
    return values if isinstance(values, ConstructedRows) else convert_to_tensor(values)


def row_count(values: Any) -> int:
    """Return the size of the first axis of a tensor or ragged tensor.

    Raises:
        ValueError: If the value is a scalar.
    """
    if isinstance(values, ConstructedRows):
        return values.splits.size - 1
    if values.ndim == 0:
        raise ValueError("RaggedTensor: values must have at least one dimension, got a scalar")
    return int(values.aval.shape[0])
