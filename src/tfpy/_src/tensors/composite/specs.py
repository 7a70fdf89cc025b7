"""``tf.RaggedTensorSpec`` and ``tf.SparseTensorSpec``: shapes and dtypes of such tensors."""

from __future__ import annotations

from typing import Any

from tfpy._src.base.dtypes import DType, as_dtype, float32, int32
from tfpy._src.core.tensor_shape import TensorShape
from tfpy._src.core.type_spec import TypeSpec
from tfpy._src.tensors.composite.ragged.tensor import RaggedTensor
from tfpy._src.tensors.composite.sparse_tensor import SparseTensor


class _CompositeSpec(TypeSpec):
    """Shape and dtype; specs of equal facts are equal."""

    def __init__(self, shape: Any, dtype: Any) -> None:
        self._shape = TensorShape(shape)
        self._dtype = as_dtype(dtype)

    @property
    def shape(self) -> TensorShape:
        """The sizes, None for any size; unknown for any shape."""
        return self._shape

    @property
    def dtype(self) -> DType:
        """The type of the values."""
        return self._dtype

    def _facts(self) -> tuple[Any, ...]:
        """What follows the class's name when it is printed."""
        return (self._shape, self._dtype)

    def _fits(self, other: Any) -> bool:
        return as_dtype(other.dtype) == self._dtype and self._shape.is_compatible_with(other.shape)

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and repr(self) == repr(other)

    def __hash__(self) -> int:
        return hash(repr(self))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(map(repr, self._facts()))})"


class RaggedTensorSpec(_CompositeSpec):
    """What is known of a ragged tensor (``tf.RaggedTensorSpec``).

    Args:
        shape: sizes, None for any size and for ragged dimensions; None for any shape.
        ragged_rank: how many dimensions are partitioned; by default all but the first.
        row_splits_dtype: int32.
        flat_values_spec: of no effect.

    Raises:
        ValueError: without a rank and a ragged rank, and for a ragged rank that is no less than it.

    Example:
        >>> import tfpy as tf
        >>> rows = tf.RaggedTensorSpec([None], tf.int32)
        >>> print(tf.map_fn(tf.range, tf.constant([3, 1]), fn_output_signature=rows))
        <tf.RaggedTensor [[0, 1, 2], [0]]>
    """

    value_type = RaggedTensor

    def __init__(
        self,
        shape: Any = None,
        dtype: Any = float32,
        ragged_rank: int | None = None,
        row_splits_dtype: Any = int32,
        flat_values_spec: Any = None,
    ) -> None:
        super().__init__(shape, dtype)
        rank = self._shape.rank
        if ragged_rank is None:
            if rank is None:
                raise ValueError("Must specify ragged_rank or a shape with a known rank.")
            ragged_rank = rank - 1
        if rank is not None and ragged_rank >= rank:
            raise ValueError(
                f"Argument `ragged_rank` ({ragged_rank}) must be less than rank ({rank})."
            )
        self.ragged_rank = ragged_rank
        self.row_splits_dtype = as_dtype(row_splits_dtype)
        self.flat_values_spec = flat_values_spec

    @classmethod
    def from_value(cls, value: Any) -> RaggedTensorSpec:
        """The spec of a ragged tensor."""
        return cls(value.shape, value.dtype, value.ragged_rank)

    def is_compatible_with(self, spec_or_value: Any) -> bool:
        """Whether a ragged tensor, or all of another spec, may be of this one."""
        kinds = (RaggedTensor, RaggedTensorSpec)
        return (
            isinstance(spec_or_value, kinds)
            and spec_or_value.ragged_rank == self.ragged_rank
            and self._fits(spec_or_value)
        )

    def _facts(self) -> tuple[Any, ...]:
        return (*super()._facts(), self.ragged_rank, self.row_splits_dtype)


class SparseTensorSpec(_CompositeSpec):
    """What is known of a sparse tensor (``tf.SparseTensorSpec``).

    Args:
        shape: sizes of the dense tensor, None for any size; None for any shape.

    Example:
        >>> import tfpy as tf
        >>> tf.SparseTensorSpec([None, 3], tf.float32)
        SparseTensorSpec(TensorShape([None, 3]), tf.float32)
    """

    value_type = SparseTensor

    def __init__(self, shape: Any = None, dtype: Any = float32) -> None:
        super().__init__(shape, dtype)

    @classmethod
    def from_value(cls, value: Any) -> SparseTensorSpec:
        """The spec of a sparse tensor."""
        return cls(value.shape, value.dtype)

    def is_compatible_with(self, spec_or_value: Any) -> bool:
        """Whether a sparse tensor, or all of another spec, may be of this one."""
        kinds = (SparseTensor, SparseTensorSpec)
        return isinstance(spec_or_value, kinds) and self._fits(spec_or_value)
