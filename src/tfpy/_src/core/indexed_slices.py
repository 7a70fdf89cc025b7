"""`tf.IndexedSlices`: some rows of a larger tensor."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from typing import Any

from tfpy._src.base import tracing
from tfpy._src.base.dtypes import DType, int32
from tfpy._src.compiler.ops import concatenation, indexing
from tfpy._src.compiler.ops.rules import Rows
from tfpy._src.core.conversion import constant, convert_to_tensor
from tfpy._src.core.operand import Composite
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.tensor_shape import TensorShape
from tfpy._src.core.typing import ShapeLike, TensorLike

_MANY = 100_000_000  # number of elements at which TensorFlow warns


class IndexedSlices(Composite):
    """A tensor that is represented by some of its rows, whereas its other rows are zeros.

    Row `indices[i]` of the tensor is `values[i]`. Rows with the same index are added. The gradient
    of `tf.gather` and `tf.nn.embedding_lookup` with respect to the table has this type. Functions
    that accept tensors convert the slices to a dense tensor if `dense_shape` is known.

    Args:
        values: Tensor of shape `[n, ...]`, the rows.
        indices: int32 tensor of shape `[n]`, the numbers of the rows.
        dense_shape: int32 tensor of rank 1, the shape of the dense tensor. Default: unknown.

    Example:
        >>> import tfpy as tf
        >>> rows = tf.IndexedSlices(tf.constant([[1.0], [2.0]]), tf.constant([2, 0]))
        >>> v = tf.Variable(tf.zeros([3, 1]))
        >>> print(v.scatter_add(rows).numpy().tolist())
        [[2.0], [0.0], [1.0]]
    """

    __slots__ = ("dense_shape", "indices", "values")

    def __init__(
        self,
        values: TensorLike,
        indices: TensorLike,
        dense_shape: ShapeLike | None = None,
    ) -> None:
        self.values = convert_to_tensor(values)
        self.indices = convert_to_tensor(indices)
        self.dense_shape = None if dense_shape is None else convert_to_tensor(dense_shape)

    @property
    def shape(self) -> TensorShape:
        """Shape of the dense tensor. It is unknown if `dense_shape` is None."""
        if self.dense_shape is None:
            return TensorShape(None)
        return TensorShape(self.dense_shape.host_view().tolist())

    @property
    def dtype(self) -> DType:
        """Dtype of the values."""
        return self.values.dtype

    @property
    def device(self) -> str:
        """Name of the device that holds the values."""
        return self.values.device

    def __neg__(self) -> IndexedSlices:
        return self.with_differentiable(-self.values)

    def __repr__(self) -> str:
        shape = "" if self.dense_shape is None else f", dense_shape={self.dense_shape!s}"
        return f"IndexedSlices(indices={self.indices!s}, values={self.values!s}{shape})"

    def as_tensor(self) -> Tensor:
        """Return the dense tensor. Rows with the same index are added.

        Returns:
            Tensor of shape `dense_shape`, the dtype of `values`.

        Raises:
            ValueError: If `dense_shape` is None.
        """
        if self.dense_shape is None:
            raise ValueError(
                f"Tensor conversion requested for IndexedSlices for argument `value` "
                f"without dense_shape: {self}; "
                "pass dense_shape, or compute with the values and indices"
            )
        sizes = self.dense_shape.host_view().tolist()
        if tracing.local.active and math.prod(sizes) >= _MANY:
            warnings.warn(
                "Converting sparse IndexedSlices to a dense Tensor with "
                f"{math.prod(sizes)} elements. This may consume a large amount of memory.",
                stacklevel=2,
            )
        dense: Tensor = indexing.segment_sum(self.values, self.indices, segments=sizes[0])
        return dense

    def followed_by(self, more: IndexedSlices) -> IndexedSlices:
        """Return slices with the rows of both, which represent the sum.

        Args:
            more: Slices of the same larger tensor.

        Returns:
            An IndexedSlices.
        """
        values, indices = (
            concatenation.concat(first, second, axis=0)
            for first, second in ((self.values, more.values), (self.indices, more.indices))
        )
        return IndexedSlices(values, indices, self.dense_shape)

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


def slices_of(rows: Rows) -> IndexedSlices:
    """Convert the rows that a gradient rule returned to indexed slices."""
    return IndexedSlices(rows.values, rows.indices, constant(list(rows.shape), int32))


def dense(gradient: Any) -> Any:
    """Convert a gradient to a tensor; return None unchanged."""
    return gradient.as_tensor() if isinstance(gradient, IndexedSlices) else gradient
