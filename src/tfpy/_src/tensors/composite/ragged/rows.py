"""The structure of ragged tensors: row partitions in each of TensorFlow's forms."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from tfpy._src.base.dtypes import DType
from tfpy._src.compiler.ops import indexing
from tfpy._src.core.conversion import constant
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.tensor_shape import TensorShape
from tfpy._src.core.typing import Axis, DTypeLike, TensorLike
from tfpy._src.tensors.composite.ragged import row_partition as partition
from tfpy._src.tensors.composite.ragged.row_constructors import (
    ConstructedRows,
    as_values,
    row_count as row_count,
)
from tfpy._src.tensors.composite.ragged.row_partition import Ints


class RaggedRows(ConstructedRows):
    """Rows of `values` between `splits`. All row partitions are int32."""

    __slots__ = ()

    # Properties

    @property
    def dtype(self) -> DType:
        """Dtype of the values."""
        return self.values.dtype

    @property
    def ragged_rank(self) -> int:
        """Number of ragged axes, including uniform axes outside of other ragged axes."""
        return 1 + (self.values.ragged_rank if isinstance(self.values, RaggedRows) else 0)

    @property
    def shape(self) -> TensorShape:
        """Shape, in which the dimension of a ragged axis is None."""
        return TensorShape((self.splits.size - 1, self.uniform_row_length, *self.values.shape[1:]))

    def get_shape(self) -> TensorShape:
        """Return the shape, in which the dimension of a ragged axis is None.

        Returns:
            A `tf.TensorShape`.

        Example:
            >>> import tfpy as tf
            >>> tf.ragged.constant([[1, 2], [3]]).get_shape()
            TensorShape([2, None])
        """
        return self.shape

    @property
    def ndim(self) -> int:
        """Number of dimensions, including ragged axes."""
        return 1 + int(self.values.ndim)

    @property
    def flat_values(self) -> Tensor:
        """Values of all rows in one tensor, without any ragged axis."""
        values = self.values
        while isinstance(values, RaggedRows):
            values = values.values
        return values

    def row_lengths(self, axis: int = 1, name: str | None = None) -> Tensor | Self:
        """Return the lengths of the rows along an axis.

        Args:
            axis: Axis whose row lengths are returned. Negative axes count from the last.
                Default: 1.

        Returns:
            Int32 tensor of shape `[rows]` for axis 1, a `tf.RaggedTensor` for later axes, and the
            number of rows for axis 0.

        Raises:
            ValueError: If the axis is out of range.

        Example:
            >>> import tfpy as tf
            >>> tf.ragged.constant([[1, 2], [], [3]]).row_lengths().numpy().tolist()
            [2, 0, 1]
        """
        if not -self.ndim <= axis < self.ndim:
            raise ValueError(f"axis={axis} out of bounds: expected -{self.ndim}<=axis<{self.ndim}")
        axis %= self.ndim
        if axis == 0:
            return self.nrows()
        if axis == 1:
            return constant(np.diff(self.splits))
        if isinstance(self.values, RaggedRows):
            return self.with_values(self.values.row_lengths(axis - 1))
        n = self.values.shape[axis - 1]
        return self.with_values(constant(np.full(row_count(self.values), n, np.int32)))

    def bounding_shape(
        self, axis: Axis = None, name: str | None = None, out_type: DTypeLike | None = None
    ) -> Tensor:
        """Return the shape of the smallest dense tensor that could contain every row.

        Args:
            axis: Axis or axes whose dimensions are returned. Default: all axes.
            out_type: Has no effect: the result is always int32.

        Returns:
            Int32 tensor with one dimension for each axis, or a scalar if `axis` is an integer.

        Example:
            >>> import tfpy as tf
            >>> tf.ragged.constant([[1, 2], [], [3]]).bounding_shape().numpy().tolist()
            [3, 2]
        """
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
        """Positions in `values` where rows begin and end, an int32 tensor of shape `[rows + 1]`.

        Row `i` contains the values from `row_splits[i]` to `row_splits[i + 1]`, exclusive.
        """
        return constant(self.splits)

    def nrows(self, out_type: DTypeLike | None = None, name: str | None = None) -> Tensor:
        """Return the number of rows.

        Args:
            out_type: Has no effect: the result is always int32.

        Returns:
            Scalar int32 tensor.

        Example:
            >>> import tfpy as tf
            >>> tf.ragged.constant([[1, 2], [], [3]]).nrows().numpy()
            np.int32(3)
        """
        return constant(self.splits.size - 1)

    def row_starts(self, name: str | None = None) -> Tensor:
        """Return the positions in `values` where rows begin.

        Returns:
            Int32 tensor of shape `[rows]`.

        Example:
            >>> import tfpy as tf
            >>> tf.ragged.constant([[1, 2], [], [3]]).row_starts().numpy().tolist()
            [0, 2, 2]
        """
        return constant(self.splits[:-1].copy())

    def row_limits(self, name: str | None = None) -> Tensor:
        """Return the positions in `values` where rows end.

        Returns:
            Int32 tensor of shape `[rows]`.

        Example:
            >>> import tfpy as tf
            >>> tf.ragged.constant([[1, 2], [], [3]]).row_limits().numpy().tolist()
            [2, 2, 3]
        """
        return constant(self.splits[1:].copy())

    def value_rowids(self, name: str | None = None) -> Tensor:
        """Return the index of the row of each value.

        Returns:
            Int32 tensor of shape `[n]`, where `n` is the number of values.

        Example:
            >>> import tfpy as tf
            >>> tf.ragged.constant([[1, 2], [], [3]]).value_rowids().numpy().tolist()
            [0, 0, 2]
        """
        return constant(partition.rowids(self.splits))

    @property
    def nested_splits(self) -> tuple[Ints, ...]:
        """Row splits of each ragged axis as NumPy arrays, outermost axis first."""
        inner = self.values
        return (self.splits, *(inner.nested_splits if isinstance(inner, RaggedRows) else ()))

    @property
    def nested_row_splits(self) -> tuple[Tensor, ...]:
        """Row splits of each ragged axis as int32 tensors, outermost axis first."""
        return tuple(constant(s) for s in self.nested_splits)

    def nested_row_lengths(self, name: str | None = None) -> tuple[Tensor, ...]:
        """Return the row lengths of each ragged axis, outermost axis first.

        Returns:
            Tuple of int32 tensors.

        Example:
            >>> import tfpy as tf
            >>> x = tf.ragged.constant([[[1, 2]], [[3]]])
            >>> [n.numpy().tolist() for n in x.nested_row_lengths()]
            [[1, 1], [2, 1]]
        """
        return tuple(constant(np.diff(s)) for s in self.nested_splits)

    def nested_value_rowids(self, name: str | None = None) -> tuple[Tensor, ...]:
        """Return the indices of the rows of the values of each ragged axis, outermost axis first.

        Returns:
            Tuple of int32 tensors.

        Example:
            >>> import tfpy as tf
            >>> x = tf.ragged.constant([[[1, 2]], [[3]]])
            >>> [n.numpy().tolist() for n in x.nested_value_rowids()]
            [[0, 1], [0, 0, 1]]
        """
        return tuple(constant(partition.rowids(s)) for s in self.nested_splits)

    # Other values, the same rows

    def with_values(self, new_values: TensorLike) -> Self:
        """Return a ragged tensor with the same rows and new values.

        Args:
            new_values: Values that replace `values`, a tensor of shape `[n, ...]` or a
                `tf.RaggedTensor` with `n` rows, where `n` is the number of `values`.

        Returns:
            A `tf.RaggedTensor`.

        Raises:
            tf.errors.InvalidArgumentError: If the number of new values is not `n`.

        Example:
            >>> import tfpy as tf
            >>> tf.ragged.constant([[1, 2], [], [3]]).with_values(["a", "b", "c"]).to_list()
            [[b'a', b'b'], [], [b'c']]
        """
        inner = as_values(new_values)
        partition.check(self.splits, row_count(inner), "with_values")
        return type(self)(inner, self.splits, self.uniform_row_length)

    def with_flat_values(self, new_values: TensorLike) -> Self:
        """Return a ragged tensor with the same rows on all axes and new innermost values.

        Args:
            new_values: Values that replace `flat_values`, a tensor of shape `[n, ...]`, where `n`
                is the first dimension of `flat_values`.

        Returns:
            A `tf.RaggedTensor`.

        Raises:
            tf.errors.InvalidArgumentError: If the number of new values is not `n`.

        Example:
            >>> import tfpy as tf
            >>> tf.ragged.constant([[[1, 2]], [[3]]]).with_flat_values([4, 5, 6]).to_list()
            [[[4, 5]], [[6]]]
        """
        inner = self.values
        return self.with_values(
            inner.with_flat_values(new_values) if isinstance(inner, RaggedRows) else new_values
        )

    def with_row_splits_dtype(self, dtype: DTypeLike) -> Self:
        """Return the tensor itself, because row splits are always int32.

        Args:
            dtype: Has no effect.

        Returns:
            The `tf.RaggedTensor`.

        Example:
            >>> import tfpy as tf
            >>> tf.ragged.constant([[1, 2], [3]]).with_row_splits_dtype(tf.int64).row_splits.dtype
            tf.int32
        """
        return self


def take_rows(values: Any, rows: Ints) -> Any:
    """Return the rows of the first axis at positions on the host, which must be in range."""
    if isinstance(values, RaggedRows):
        splits, picked = partition.take(values.splits, rows)
        return type(values)(take_rows(values.values, picked), splits, values.uniform_row_length)
    n = values.aval.shape[0]
    if rows.size == n and (rows == np.arange(n)).all():
        return values
    return indexing.gather(values, constant(rows.astype(np.int32)), axis=0, batch_dims=0)
