"""``tf.IndexedSlices``: some rows of a larger tensor."""

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

_MANY = 100_000_000  # elements from which on TensorFlow warns


class IndexedSlices(Composite):
    """Rows of a larger tensor: ``values[i]`` is part of its row ``indices[i]``.

    The gradient of ``tf.gather`` and ``tf.nn.embedding_lookup`` by the table. Functions that take
    tensors take the larger one, if its shape is known.

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
        """The larger tensor's shape; unknown without ``dense_shape``."""
        if self.dense_shape is None:
            return TensorShape(None)
        return TensorShape(self.dense_shape.host_view().tolist())

    @property
    def dtype(self) -> DType:
        """The type of the values."""
        return self.values.dtype

    @property
    def device(self) -> str:
        """Where the values are."""
        return self.values.device

    def __neg__(self) -> IndexedSlices:
        return self.with_differentiable(-self.values)

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
                f"Tensor conversion requested for IndexedSlices for argument `value` "
                f"without dense_shape: {self}; "
                "give it one, or compute with its values and indices"
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
        """The rows of both; their sum."""
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
    """The gradient that a rule gave as rows."""
    return IndexedSlices(rows.values, rows.indices, constant(list(rows.shape), int32))


def dense(gradient: Any) -> Any:
    """A gradient as a tensor; None as it is."""
    return gradient.as_tensor() if isinstance(gradient, IndexedSlices) else gradient
