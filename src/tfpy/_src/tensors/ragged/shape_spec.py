"""`tf.experimental.DynamicRaggedShape.Spec`: the static description of a ragged shape."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tfpy._src.base.dtypes import DType, int32
from tfpy._src.core.tensor_shape import TensorShape
from tfpy._src.core.type_spec import TypeSpec
from tfpy._src.core.typing import DTypeLike, ShapeLike
from tfpy._src.tensors.ragged.row_partitions import RowPartition


class DynamicRaggedShapeSpec(TypeSpec):
    """The static description of a `tf.experimental.DynamicRaggedShape`.

    Args:
        row_partitions: Divisions into rows, the outermost first.
        static_inner_shape: Shape of the flat values. Sizes can be None.
        dtype: Has no effect: sizes are always int32.

    Example:
        >>> import tfpy as tf
        >>> rows = tf.experimental.RowPartition.from_row_lengths([2, 1])
        >>> spec = tf.experimental.DynamicRaggedShape.Spec([rows], [3, 5], tf.int32)
        >>> spec.rank, spec.shape
        (3, TensorShape([2, None, 5]))

    See also: `tf.experimental.DynamicRaggedShape`.
    """

    dtype: DType = int32

    def __init__(
        self,
        row_partitions: Sequence[RowPartition],
        static_inner_shape: ShapeLike,
        dtype: DTypeLike,
    ) -> None:
        self._partitions = tuple(row_partitions)
        self._inner = TensorShape(static_inner_shape)

    @classmethod
    def from_value(cls, value: Any) -> DynamicRaggedShapeSpec:
        """Return the description of a shape.

        Args:
            value: A `tf.experimental.DynamicRaggedShape`.

        Returns:
            A `tf.experimental.DynamicRaggedShape.Spec`.

        Example:
            >>> import tfpy as tf
            >>> shape = tf.shape(tf.ragged.constant([[1, 2], [3]]))
            >>> tf.experimental.DynamicRaggedShape.Spec.from_value(shape).shape
            TensorShape([2, None])
        """
        return cls(value.row_partitions, value.inner_shape.host_view().tolist(), value.dtype)

    @property
    def num_row_partitions(self) -> int:
        """Number of axes that are partitioned into rows."""
        return len(self._partitions)

    @property
    def inner_rank(self) -> int | None:
        """Rank of the flat values, or None if it is unknown."""
        return self._inner.rank

    @property
    def rank(self) -> int | None:
        """Rank, including partitioned axes, or None if it is unknown."""
        return self.shape.rank

    @property
    def shape(self) -> TensorShape:
        """Shape, in which the size of a ragged axis is None."""
        if not self._partitions or self._inner.rank is None:
            return self._inner
        rows = [p.static_uniform_row_length for p in self._partitions]
        return TensorShape([self._partitions[0].static_nrows, *rows, *self._inner[1:]])

    def _serialize(self) -> Any:
        rows = tuple(tuple(p.row_splits().host_view().tolist()) for p in self._partitions)
        return rows, self._inner
