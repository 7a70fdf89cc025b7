"""What is known of the elements of a dataset, and how batching and joining change it."""

from __future__ import annotations

from typing import Any

from tfpy._src.core.tensor_shape import TensorShape
from tfpy._src.core.type_spec import TypeSpec
from tfpy._src.functions.tf_function.signature import TensorSpec
from tfpy._src.tensors.composite.specs import RaggedTensorSpec, SparseTensorSpec


class NoneTensorSpec(TypeSpec):
    """The spec of None."""

    @property
    def shape(self) -> TensorShape:
        """Unknown."""
        return TensorShape(None)

    def is_compatible_with(self, spec_or_value: Any) -> bool:
        """Whether it is None, or its spec."""
        return spec_or_value is None or isinstance(spec_or_value, NoneTensorSpec)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, NoneTensorSpec)

    def __hash__(self) -> int:
        return hash(NoneTensorSpec)

    def __repr__(self) -> str:
        return "NoneTensorSpec()"


class OptionalSpec(TypeSpec):
    """The spec of a value that may be absent (``tf.OptionalSpec``).

    Args:
        element_spec: that of the value.

    Example:
        >>> import tfpy as tf
        >>> spec = tf.OptionalSpec(tf.TensorSpec([2], tf.float32))
        >>> some = tf.experimental.Optional.from_value(tf.constant([1.0, 2.0]))
        >>> isinstance(spec, tf.TypeSpec), some.element_spec
        (True, TensorSpec(shape=(2,), dtype=tf.float32, name=None))
    """

    def __init__(self, element_spec: Any) -> None:
        self.element_spec = element_spec

    def __repr__(self) -> str:
        return f"OptionalSpec({self.element_spec!r})"


class DatasetSpec(TypeSpec):
    """The spec of a dataset (``tf.data.DatasetSpec``).

    Args:
        element_spec: that of its elements.
        dataset_shape: of a tensor of datasets; scalar.

    Example:
        >>> import tfpy as tf
        >>> spec = tf.data.DatasetSpec(tf.TensorSpec([], tf.float32))
        >>> spec.is_compatible_with(tf.data.Dataset.from_tensor_slices([1.0, 2.0]))
        True
        >>> spec.is_compatible_with(tf.data.Dataset.from_tensor_slices(["one", "two"]))
        False
    """

    def __init__(self, element_spec: Any, dataset_shape: Any = ()) -> None:
        self._element_spec = element_spec
        self._dataset_shape = TensorShape(dataset_shape)

    @property
    def element_spec(self) -> Any:
        """The spec of the elements."""
        return self._element_spec

    @property
    def shape(self) -> TensorShape:
        """That of one dataset: scalar."""
        return self._dataset_shape

    def is_compatible_with(self, spec_or_value: Any) -> bool:
        """Whether a dataset, or its spec, has elements of this one's."""
        other = getattr(spec_or_value, "element_spec", None)
        return other is not None and are_compatible(self._element_spec, other)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, DatasetSpec) and other._element_spec == self._element_spec

    def __hash__(self) -> int:
        return hash(repr(self))

    def __repr__(self) -> str:
        return f"DatasetSpec({self._element_spec!r}, {self._dataset_shape!r})"


SPECS = (TensorSpec, RaggedTensorSpec, SparseTensorSpec, NoneTensorSpec, DatasetSpec)


def are_compatible(spec: Any, other: Any) -> bool:
    """Whether two nests of specs have one structure and fit each other, leaf by leaf."""
    if isinstance(spec, SPECS) or isinstance(other, SPECS):
        return isinstance(spec, SPECS) and bool(spec.is_compatible_with(other))
    if isinstance(spec, dict) or isinstance(other, dict):
        both = isinstance(spec, dict) and isinstance(other, dict) and spec.keys() == other.keys()
        return both and all(are_compatible(spec[key], other[key]) for key in spec)
    if not isinstance(spec, tuple) or not isinstance(other, tuple) or len(spec) != len(other):
        return False
    return all(map(are_compatible, spec, other))


def with_shape(spec: Any, shape: Any) -> Any:
    """The spec with another shape; that of a ragged tensor gains or loses ragged dimensions."""
    if isinstance(spec, TensorSpec):
        return TensorSpec(shape, spec.dtype)
    if isinstance(spec, SparseTensorSpec):
        return SparseTensorSpec(shape, spec.dtype)
    if isinstance(spec, RaggedTensorSpec):
        own, new = spec.shape.rank, TensorShape(shape).rank
        rank = spec.ragged_rank + (new - own if own is not None and new is not None else 0)
        return RaggedTensorSpec(shape, spec.dtype, max(rank, 0), spec.row_splits_dtype)
    return spec


def batched(spec: Any, size: int | None) -> Any:
    """The spec of so many values one after the other.

    Raises:
        TypeError: for datasets.
    """
    if isinstance(spec, DatasetSpec):
        raise TypeError("batch: elements that are datasets cannot be batched; use flat_map first")
    if isinstance(spec, NoneTensorSpec):
        return spec
    return with_shape(spec, TensorShape([size]).concatenate(spec.shape))


def unbatched(spec: Any) -> Any:
    """The spec of one of the rows.

    Raises:
        ValueError: for scalars.
    """
    shape = spec.shape
    if isinstance(spec, NoneTensorSpec) or shape.rank is None:
        return spec
    if not shape.rank:
        raise ValueError("Unbatching a tensor is only supported for rank >= 1")
    return with_shape(spec, shape[1:])


def rows_of(spec: Any) -> int | None:
    """The size of the first dimension, if it is known."""
    return spec.shape[0] if spec.shape.rank else None


def common(spec: Any, other: Any) -> Any:
    """The most specific spec of the values of both.

    Raises:
        TypeError: when there is none.
    """
    if type(spec) is type(other) and spec.is_compatible_with(spec):
        if isinstance(spec, NoneTensorSpec):
            return spec
        if isinstance(spec, DatasetSpec):
            return spec
        if spec.dtype == other.dtype:
            return with_shape(spec, spec.shape.most_specific_compatible_shape(other.shape))
    raise TypeError(f"No common supertype of {spec} and {other}.")
