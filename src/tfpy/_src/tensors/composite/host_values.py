"""The values of sparse and ragged tensors as NumPy arrays, with TensorFlow 1's names."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from tfpy._src.core.operand import HostComposite
from tfpy._src.tensors.composite.ragged.tensor import RaggedTensor

Array = np.ndarray[Any, Any]


class SparseTensorValue(NamedTuple):
    """The arrays of a sparse tensor.

    Args:
        indices: Integer array of shape [n, rank].
        values: Array of shape [n].
        dense_shape: Integer array of shape [rank].

    Example:
        >>> import tfpy as tf
        >>> tf.compat.v1.SparseTensorValue([[0, 1]], [3.0], [2, 2]).values
        [3.0]

    See also: `tf.SparseTensor`.
    """

    indices: Array
    values: Array
    dense_shape: Array


class IndexedSlicesValue(NamedTuple):
    """The arrays of a `tf.IndexedSlices`."""

    values: Array
    indices: Array
    dense_shape: Array | None


class RaggedTensorValue(HostComposite):
    """The arrays of a ragged tensor.

    Args:
        values: Array of all rows, or another RaggedTensorValue if the rows are ragged as well.
        row_splits: Integer array of shape `[rows + 1]`, the bounds of the rows in `values`.

    Example:
        >>> import numpy as np
        >>> import tfpy as tf
        >>> value = tf.compat.v1.ragged.RaggedTensorValue(np.arange(3), np.array([0, 2, 3]))
        >>> value.to_list()
        [[0, 1], [2]]

    See also: `tf.RaggedTensor`.
    """

    def __init__(self, values: Array | RaggedTensorValue, row_splits: Array) -> None:
        self.values = values
        self.row_splits = row_splits

    def as_composite(self) -> RaggedTensor:
        """Return the ragged tensor with these values."""
        return RaggedTensor.from_nested_row_splits(self.flat_values, self.nested_row_splits)

    def __str__(self) -> str:
        return f"<tf.RaggedTensorValue {self.to_list()}>"

    def __repr__(self) -> str:
        return f"tf.RaggedTensorValue(values={self.values!r}, row_splits={self.row_splits!r})"

    @property
    def dtype(self) -> np.dtype[Any]:
        """NumPy dtype of the values."""
        return self.values.dtype

    @property
    def flat_values(self) -> Array:
        """Array of the values without any row splits."""
        inner = self.values
        return inner.flat_values if isinstance(inner, RaggedTensorValue) else inner

    @property
    def nested_row_splits(self) -> tuple[Array, ...]:
        """Row splits of all ragged dimensions, the outermost first."""
        inner = self.values
        rest = inner.nested_row_splits if isinstance(inner, RaggedTensorValue) else ()
        return (self.row_splits, *rest)

    @property
    def ragged_rank(self) -> int:
        """Number of ragged dimensions."""
        return len(self.nested_row_splits)

    @property
    def shape(self) -> tuple[int | None, ...]:
        """Shape, in which ragged dimensions are None."""
        return (len(self.row_splits) - 1, None, *self.values.shape[1:])

    def to_list(self) -> list[Any]:
        """Return the rows as nested lists."""
        inner = self.values
        values = inner.to_list() if isinstance(inner, RaggedTensorValue) else inner.tolist()
        bounds = self.row_splits.tolist()
        return [values[start:end] for start, end in pairwise(bounds)]
