"""`tf.RaggedTensorSpec` and `tf.SparseTensorSpec`: shapes and dtypes of such tensors."""

from __future__ import annotations

from typing import Any

from tfpy._src.base.dtypes import DType, as_dtype, float32, int32
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.tensor_shape import TensorShape
from tfpy._src.core.type_spec import TypeSpec
from tfpy._src.core.typing import DTypeLike, ShapeLike
from tfpy._src.tensors.composite.ragged.tensor import RaggedTensor
from tfpy._src.tensors.composite.sparse_tensor import SparseTensor


class _CompositeSpec(TypeSpec):
    """A shape and a dtype; specs with the same fields are equal."""

    def __init__(self, shape: Any, dtype: Any) -> None:
        self._shape = TensorShape(shape)
        self._dtype = as_dtype(dtype)

    @property
    def shape(self) -> TensorShape:
        """Shape, in which a dimension of None matches any size."""
        return self._shape

    def _serialize(self) -> tuple[Any, ...]:
        return (self._shape, self._dtype)

    @property
    def dtype(self) -> DType:
        """Dtype of the values."""
        return self._dtype

    def _facts(self) -> tuple[Any, ...]:
        """Return the fields that `repr` prints."""
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
    """A description of ragged tensors by their shape and dtype.

    Like `tf.TensorSpec` for tensors, it specifies arguments and results of functions.

    Args:
        shape: Shape. A dimension of None is ragged or matches any size. If the shape itself is None
            (default), it matches any shape.
        dtype: Dtype of the values. Default: float32.
        ragged_rank: Number of ragged axes. Default: the number of axes minus 1, because the first
            axis is never ragged.
        row_splits_dtype: Has no effect: row splits are always int32.
        flat_values_spec: Has no effect.

    Raises:
        ValueError: If `ragged_rank` is not less than the number of axes, or is missing although
            `shape` is None.

    Example:
        >>> import tfpy as tf
        >>> rows = tf.RaggedTensorSpec([None], tf.int32)
        >>> print(tf.map_fn(tf.range, tf.constant([3, 1]), fn_output_signature=rows))
        <tf.RaggedTensor [[0, 1, 2], [0]]>

    See also: `tf.TensorSpec`, `tf.SparseTensorSpec`.
    """

    value_type = RaggedTensor

    def __init__(
        self,
        shape: ShapeLike | None = None,
        dtype: DTypeLike = float32,
        ragged_rank: int | None = None,
        row_splits_dtype: DTypeLike = int32,
        flat_values_spec: TypeSpec | None = None,
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

    def _serialize(self) -> tuple[Any, ...]:
        return (self._shape, self._dtype, self.ragged_rank, self.row_splits_dtype)

    @classmethod
    def from_value(cls, value: Any) -> RaggedTensorSpec:
        """Return the description of a given ragged tensor.

        Args:
            value: A `tf.RaggedTensor`.

        Returns:
            A `tf.RaggedTensorSpec` that matches the tensor.

        Example:
            >>> import tfpy as tf
            >>> tf.RaggedTensorSpec.from_value(tf.ragged.constant([[1, 2], [3]])).shape
            TensorShape([2, None])
        """
        return cls(value.shape, value.dtype, value.ragged_rank)

    def is_compatible_with(self, spec_or_value: object) -> bool:
        """Return True if a ragged tensor matches this description.

        Args:
            spec_or_value: A value, or a spec to compare with this one.

        Returns:
            True if dtype and `ragged_rank` are equal and the shapes are compatible. A tensor or
            `tf.TensorSpec` has the `ragged_rank` 0.

        Example:
            >>> import tfpy as tf
            >>> spec = tf.RaggedTensorSpec([None, None], tf.int32)
            >>> spec.is_compatible_with(tf.ragged.constant([[1, 2], [3]]))
            True
        """
        kinds = (RaggedTensor, RaggedTensorSpec)
        if self.ragged_rank == 0 and _is_dense(spec_or_value):
            return self._fits(spec_or_value)
        return (
            isinstance(spec_or_value, kinds)
            and spec_or_value.ragged_rank == self.ragged_rank
            and self._fits(spec_or_value)
        )

    def _facts(self) -> tuple[Any, ...]:
        return (*super()._facts(), self.ragged_rank, self.row_splits_dtype)


def _is_dense(spec_or_value: object) -> bool:
    kind = getattr(spec_or_value, "value_type", None)
    return isinstance(spec_or_value, Tensor) or kind is Tensor


class SparseTensorSpec(_CompositeSpec):
    """A description of sparse tensors by their shape and dtype.

    Like `tf.TensorSpec` for tensors, it specifies arguments and results of functions.

    Args:
        shape: Shape of the dense tensor. A dimension of None matches any size. If the shape itself
            is None (default), it matches any shape.
        dtype: Dtype of the values. Default: float32.

    Example:
        >>> import tfpy as tf
        >>> tf.SparseTensorSpec([None, 3], tf.float32)
        SparseTensorSpec(TensorShape([None, 3]), tf.float32)

    See also: `tf.TensorSpec`, `tf.RaggedTensorSpec`.
    """

    value_type = SparseTensor

    def __init__(self, shape: ShapeLike | None = None, dtype: DTypeLike = float32) -> None:
        super().__init__(shape, dtype)

    @classmethod
    def from_value(cls, value: Any) -> SparseTensorSpec:
        """Return the description of a given sparse tensor.

        Args:
            value: A `tf.SparseTensor`.

        Returns:
            A `tf.SparseTensorSpec` that matches the tensor.

        Example:
            >>> import tfpy as tf
            >>> tf.SparseTensorSpec.from_value(tf.SparseTensor([[0, 1]], [5.0], [3, 2]))
            SparseTensorSpec(TensorShape([3, 2]), tf.float32)
        """
        return cls(value.shape, value.dtype)

    def is_compatible_with(self, spec_or_value: object) -> bool:
        """Return True if a sparse tensor matches this description.

        Args:
            spec_or_value: A `tf.SparseTensor`, or a `tf.SparseTensorSpec` to compare with this one.
                Any other value does not match.

        Returns:
            True if the dtypes are equal and the shapes are compatible.

        Example:
            >>> import tfpy as tf
            >>> spec = tf.SparseTensorSpec([None, 2], tf.float32)
            >>> spec.is_compatible_with(tf.SparseTensor([[0, 1]], [5.0], [3, 2]))
            True
        """
        kinds = (SparseTensor, SparseTensorSpec)
        return isinstance(spec_or_value, kinds) and self._fits(spec_or_value)
