"""``tf.IndexedSlices``: some rows of a larger tensor."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tfpy._src.array.segments import unsorted_segment_sum
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.operand import Composite
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.tensor_shape import TensorShape
from tfpy._src.dtypes import DType


class IndexedSlices(Composite):
    """Rows of a larger tensor: ``values[i]`` is part of its row ``indices[i]``.

    Functions that take tensors take the larger one, if its shape is known.

    Args:
        values: a tensor [n, ...].
        indices: row numbers [n], int32.
        dense_shape: the larger tensor's shape, if it is known.

    Example:
        >>> import tfpy as tf
        >>> rows = tf.IndexedSlices(tf.constant([[1.0], [2.0]]), tf.constant([2, 0]))
        >>> v = tf.Variable(tf.zeros([3, 1]))
        >>> print(v.scatter_add(rows).numpy().tolist())
        [[2.0], [0.0], [1.0]]
    """

    __slots__ = ("dense_shape", "indices", "values")

    def __init__(self, values: Any, indices: Any, dense_shape: Any = None) -> None:
        self.values = convert_to_tensor(values)
        self.indices = convert_to_tensor(indices)
        self.dense_shape = None if dense_shape is None else convert_to_tensor(dense_shape)

    @property
    def shape(self) -> TensorShape:
        """The larger tensor's shape, None for a size that is not known."""
        if self.dense_shape is not None:
            return TensorShape(self.dense_shape.host_view().tolist())
        return TensorShape((None, *self.values.shape[1:]))

    @property
    def dtype(self) -> DType:
        """The type of the values."""
        return self.values.dtype

    def __neg__(self) -> IndexedSlices:
        return IndexedSlices(-self.values, self.indices, self.dense_shape)

    def __repr__(self) -> str:
        shape = "" if self.dense_shape is None else f", dense_shape={self.dense_shape!s}"
        return f"IndexedSlices(indices={self.indices!s}, values={self.values!s}{shape})"

    def as_tensor(self) -> Tensor:
        """The larger tensor [dense_shape[0], ...]: rows of equal indices are added up.

        Raises:
            ValueError: without ``dense_shape``.
        """
        if self.dense_shape is None:
            raise ValueError(
                f"Tensor conversion requested for IndexedSlices without dense_shape: {self}; "
                "give it one, or compute with its values and indices"
            )
        return unsorted_segment_sum(self.values, self.indices, self.dense_shape.host_view()[0])

    @property
    def differentiable(self) -> Tensor:
        return self.values

    def with_differentiable(self, tensor: Any) -> IndexedSlices:
        return IndexedSlices(tensor, self.indices, self.dense_shape)

    @property
    def components(self) -> tuple[Tensor, ...]:
        known = () if self.dense_shape is None else (self.dense_shape,)
        return (self.values, self.indices, *known)

    def with_components(self, components: Sequence[Any]) -> IndexedSlices:
        return IndexedSlices(*components)
