"""`tf.IndexedSlicesSpec`, `tf.NoneTensorSpec` and `tf.TensorArraySpec`."""

from __future__ import annotations

from typing import Any

from tfpy._src.base.dtypes import as_dtype, float32, int64
from tfpy._src.core.indexed_slices import IndexedSlices
from tfpy._src.core.tensor_shape import TensorShape
from tfpy._src.core.type_spec import TypeSpec
from tfpy._src.core.typing import DTypeLike, ShapeLike
from tfpy._src.functions.control.tensor_array import TensorArray


class _FieldsSpec(TypeSpec):
    """A spec of shapes, dtypes and bools. Specs of one class with equal fields are equal."""

    def __init__(self, *fields: Any) -> None:
        self._fields = fields

    def _serialize(self) -> tuple[Any, ...]:
        return tuple(self._fields)

    def _fits(self, other: Any) -> bool:
        """Return True if the shapes are compatible and the other fields are equal."""
        return all(
            a.is_compatible_with(b) if isinstance(a, TensorShape) else a == b
            for a, b in zip(self._fields, other._fields, strict=True)
        )

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and repr(other) == repr(self)

    def __hash__(self) -> int:
        return hash(repr(self))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(map(repr, self._fields))})"


class IndexedSlicesSpec(_FieldsSpec):
    """A description of `tf.IndexedSlices` by their shape and dtypes.

    Args:
        shape: Shape of the dense tensor. A dimension of None matches any size. Default: any shape.
        dtype: Dtype of the values. Default: float32.
        indices_dtype: Dtype of the indices. Default: int64.
        dense_shape_dtype: Dtype of `dense_shape`. Default: the slices have no `dense_shape`.
        indices_shape: Shape of the indices. Default: any number of indices.

    Example:
        >>> import tfpy as tf
        >>> rows = tf.IndexedSlices(tf.constant([[1.0], [2.0]]), tf.constant([2, 0]))
        >>> tf.IndexedSlicesSpec([None, 1], indices_dtype=tf.int32).is_compatible_with(rows)
        True

    See also: `tf.IndexedSlices`, `tf.TensorSpec`.
    """

    value_type = IndexedSlices

    def __init__(
        self,
        shape: ShapeLike | None = None,
        dtype: DTypeLike = float32,
        indices_dtype: DTypeLike = int64,
        dense_shape_dtype: DTypeLike | None = None,
        indices_shape: ShapeLike | None = None,
    ) -> None:
        super().__init__(
            TensorShape(shape),
            as_dtype(dtype),
            as_dtype(indices_dtype),
            None if dense_shape_dtype is None else as_dtype(dense_shape_dtype),
            TensorShape([None] if indices_shape is None else indices_shape),
        )

    @classmethod
    def from_value(cls, value: IndexedSlices) -> IndexedSlicesSpec:
        """Return the description of given slices.

        Args:
            value: A `tf.IndexedSlices`.

        Returns:
            A `tf.IndexedSlicesSpec`.

        Example:
            >>> import tfpy as tf
            >>> rows = tf.IndexedSlices(tf.constant([[1.0], [2.0]]), tf.constant([2, 0]))
            >>> tf.IndexedSlicesSpec.from_value(rows)
            IndexedSlicesSpec(TensorShape([None, 1]), tf.float32, tf.int32, None, TensorShape([2]))
        """
        dense = value.dense_shape
        shape = value.shape if dense is not None else TensorShape([None, *value.values.shape[1:]])
        dense_dtype = None if dense is None else dense.dtype
        return cls(shape, value.dtype, value.indices.dtype, dense_dtype, value.indices.shape)

    def is_compatible_with(self, spec_or_value: object) -> bool:
        """Return True if slices match this description.

        Args:
            spec_or_value: A `tf.IndexedSlices` or a `tf.IndexedSlicesSpec`. Other values do not
                match.

        Returns:
            True if the dtypes are equal and the shapes are compatible.

        Example:
            >>> import tfpy as tf
            >>> tf.IndexedSlicesSpec([None]).is_compatible_with(tf.IndexedSlicesSpec([3]))
            True
        """
        if isinstance(spec_or_value, IndexedSlices):
            spec_or_value = self.from_value(spec_or_value)
        return isinstance(spec_or_value, IndexedSlicesSpec) and self._fits(spec_or_value)


class TensorArraySpec(_FieldsSpec):
    """A description of `tf.TensorArray` objects by the shape and dtype of their elements.

    Args:
        element_shape: Shape of all elements. A dimension of None matches any size. Default: any
            shape.
        dtype: Dtype of the elements. Default: float32.
        dynamic_size: If True, writing past the end extends the array.
        infer_shape: If True, all elements must have the same shape.

    Example:
        >>> import tfpy as tf
        >>> tf.TensorArraySpec([2], tf.int32)
        TensorArraySpec(TensorShape([2]), tf.int32, False, True)

    See also: `tf.TensorArray`.
    """

    value_type = TensorArray

    def __init__(
        self,
        element_shape: ShapeLike | None = None,
        dtype: DTypeLike = float32,
        dynamic_size: bool = False,
        infer_shape: bool = True,
    ) -> None:
        shape = TensorShape(element_shape)
        super().__init__(shape, as_dtype(dtype), bool(dynamic_size), bool(infer_shape))

    @classmethod
    def from_value(cls, value: TensorArray) -> TensorArraySpec:
        """Return the description of a given array.

        Args:
            value: A `tf.TensorArray`.

        Returns:
            A `tf.TensorArraySpec`.

        Example:
            >>> import tfpy as tf
            >>> tf.TensorArraySpec.from_value(tf.TensorArray(tf.int32, 3, element_shape=[2]))
            TensorArraySpec(TensorShape([2]), tf.int32, False, True)
        """
        return cls(value._shape, value.dtype, value._dynamic, value._infer)

    def is_compatible_with(self, spec_or_value: object) -> bool:
        """Return True if an array matches this description.

        Args:
            spec_or_value: A `tf.TensorArray` or a `tf.TensorArraySpec`. Other values do not match.

        Returns:
            True if the shapes of the elements are compatible, and dtypes and settings are equal.

        Example:
            >>> import tfpy as tf
            >>> tf.TensorArraySpec([None]).is_compatible_with(tf.TensorArraySpec([3]))
            True
        """
        if isinstance(spec_or_value, TensorArray):
            spec_or_value = self.from_value(spec_or_value)
        return isinstance(spec_or_value, TensorArraySpec) and self._fits(spec_or_value)


class NoneTensorSpec(TypeSpec):
    """A description of None, for example as a component of a dataset's elements.

    Example:
        >>> import tfpy as tf
        >>> tf.data.Dataset.from_tensors((1, None)).element_spec[1]
        NoneTensorSpec()

    See also: `tf.TypeSpec`.
    """

    value_type = type(None)

    def _serialize(self) -> tuple[()]:
        return ()

    @property
    def shape(self) -> TensorShape:
        """Unknown shape."""
        return TensorShape(None)

    def is_compatible_with(self, spec_or_value: object) -> bool:
        """Return True for None and its spec.

        Args:
            spec_or_value: Spec or value.

        Returns:
            A bool.

        Example:
            >>> import tfpy as tf
            >>> tf.NoneTensorSpec().is_compatible_with(None)
            True
        """
        return spec_or_value is None or isinstance(spec_or_value, NoneTensorSpec)

    def most_specific_compatible_type(self, other: NoneTensorSpec) -> NoneTensorSpec:
        """Return the spec itself.

        Args:
            other: A `tf.NoneTensorSpec`.

        Returns:
            The spec.

        Raises:
            ValueError: If `other` is another spec.

        Example:
            >>> import tfpy as tf
            >>> tf.NoneTensorSpec().most_specific_compatible_type(tf.NoneTensorSpec())
            NoneTensorSpec()
        """
        if not isinstance(other, NoneTensorSpec):
            raise ValueError(f"No TypeSpec is compatible with both {self} and {other}")
        return self

    def __eq__(self, other: object) -> bool:
        return isinstance(other, NoneTensorSpec)

    def __hash__(self) -> int:
        return hash(NoneTensorSpec)

    def __repr__(self) -> str:
        return "NoneTensorSpec()"
