"""Specs of the elements of a dataset, and the specs of batches and joined datasets."""

from __future__ import annotations

from typing import Any

from tfpy._src.core.tensor_shape import TensorShape
from tfpy._src.core.type_spec import RecordSpec, TypeSpec
from tfpy._src.core.typing import Nest, ShapeLike
from tfpy._src.functions.tf_function.signature import TensorSpec
from tfpy._src.functions.tf_function.type_specs import with_shape
from tfpy._src.functions.tf_function.value_specs import NoneTensorSpec
from tfpy._src.tensors.composite.specs import RaggedTensorSpec, SparseTensorSpec


class OptionalSpec(TypeSpec):
    """A `tf.TypeSpec` that describes a `tf.experimental.Optional`.

    Args:
        element_spec: The `tf.TypeSpec` of the value, such as a `tf.TensorSpec`, or a nested
            structure (tuple or dict) of them.

    Example:
        >>> import tfpy as tf
        >>> tf.OptionalSpec(tf.TensorSpec([2], tf.float32))
        OptionalSpec(TensorSpec(shape=(2,), dtype=tf.float32, name=None),)
    """

    def __init__(self, element_spec: Nest) -> None:
        self.element_spec = element_spec

    def _serialize(self) -> tuple[Nest]:
        return (self.element_spec,)

    def __repr__(self) -> str:
        return f"OptionalSpec({self.element_spec!r},)"


class IteratorSpec(TypeSpec):
    """A `tf.TypeSpec` that describes an iterator over the elements of a dataset.

    Args:
        element_spec: The `tf.TypeSpec` of an element, such as a `tf.TensorSpec`, or a nested
            structure (tuple or dict) of them.

    Example:
        >>> import tfpy as tf
        >>> tf.type_spec_from_value(iter(tf.data.Dataset.from_tensors([1.0])))
        IteratorSpec(TensorSpec(shape=(1,), dtype=tf.float32, name=None),)
    """

    def __init__(self, element_spec: Nest) -> None:
        self.element_spec = element_spec

    def _serialize(self) -> tuple[Nest]:
        return (self.element_spec,)

    def __repr__(self) -> str:
        return f"IteratorSpec({self.element_spec!r},)"


class DatasetSpec(TypeSpec):
    """A `tf.TypeSpec` that describes a dataset by the type of its elements.

    Args:
        element_spec: The `tf.TypeSpec` of an element, such as a `tf.TensorSpec`, or a nested
            structure (tuple or dict) of them.
        dataset_shape: Shape of a list of datasets, such as `[2]`. Default: one dataset.

    Example:
        >>> import tfpy as tf
        >>> spec = tf.data.DatasetSpec(tf.TensorSpec([], tf.float32))
        >>> spec.is_compatible_with(tf.data.Dataset.from_tensor_slices([1.0, 2.0]))
        True
        >>> spec.is_compatible_with(tf.data.Dataset.from_tensor_slices(["one", "two"]))
        False
    """

    def __init__(self, element_spec: Nest, dataset_shape: ShapeLike = ()) -> None:
        self._element_spec = element_spec
        self._dataset_shape = TensorShape(dataset_shape)

    @property
    def element_spec(self) -> Nest:
        """The `tf.TypeSpec` of an element, or a nest of them."""
        return self._element_spec

    @property
    def shape(self) -> TensorShape:
        """The shape `()` of one dataset, or the shape of a list of datasets."""
        return self._dataset_shape

    def is_compatible_with(self, spec_or_value: object) -> bool:
        """Return True if the elements of a dataset match this description.

        Args:
            spec_or_value: A `tf.data.Dataset`, or the `tf.data.DatasetSpec` of one.

        Returns:
            A bool.
        """
        other = getattr(spec_or_value, "element_spec", None)
        return other is not None and are_compatible(self._element_spec, other)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, DatasetSpec)
            and other._element_spec == self._element_spec
            and other._dataset_shape == self._dataset_shape
        )

    def __hash__(self) -> int:
        return hash(repr(self))

    def __repr__(self) -> str:
        return f"DatasetSpec({self._element_spec!r}, {self._dataset_shape!r})"


SPECS = (
    TensorSpec, RaggedTensorSpec, SparseTensorSpec, NoneTensorSpec, DatasetSpec, RecordSpec,
)  # fmt: skip


def are_compatible(spec: Any, other: Any) -> bool:
    """Return True if two nests of specs have the same structure and compatible leaves."""
    if isinstance(spec, SPECS) or isinstance(other, SPECS):
        return isinstance(spec, SPECS) and bool(spec.is_compatible_with(other))
    if isinstance(spec, dict) or isinstance(other, dict):
        both = isinstance(spec, dict) and isinstance(other, dict) and spec.keys() == other.keys()
        return both and all(are_compatible(spec[key], other[key]) for key in spec)
    if not isinstance(spec, tuple) or not isinstance(other, tuple) or len(spec) != len(other):
        return False
    return all(map(are_compatible, spec, other))


def batched(spec: Any, size: int | None) -> Any:
    """Return the spec of a batch.

    Args:
        size: Batch size; None if it is unknown.

    Raises:
        TypeError: If the elements are lists of datasets.
    """
    if isinstance(spec, DatasetSpec):
        if spec.shape.rank:
            raise TypeError("batch: lists of datasets cannot be batched. Use unbatch first.")
        return DatasetSpec(spec.element_spec, [size])
    if isinstance(spec, RecordSpec):
        return spec.__batched__(size)
    if isinstance(spec, NoneTensorSpec):
        return spec
    return with_shape(spec, TensorShape([size]).concatenate(spec.shape))


def unbatched(spec: Any) -> Any:
    """Return the spec of a slice along the first axis.

    Raises:
        ValueError: If the spec is scalar.
    """
    if isinstance(spec, RecordSpec):
        return spec.__unbatched__()
    shape = spec.shape
    if isinstance(spec, NoneTensorSpec) or shape.rank is None:
        return spec
    if not shape.rank:
        raise ValueError("Unbatching a tensor is only supported for rank >= 1")
    if isinstance(spec, DatasetSpec):
        return DatasetSpec(spec.element_spec, shape[1:])
    return with_shape(spec, shape[1:])


def rows_of(spec: Any) -> int | None:
    """Return the first dimension if it is known."""
    if isinstance(spec, RecordSpec):
        return next((n for n in map(rows_of, spec.__encoding__()) if n is not None), None)
    return spec.shape[0] if spec.shape.rank else None


def common(spec: Any, other: Any) -> Any:
    """Return the most specific spec that is compatible with two specs.

    Raises:
        TypeError: If there is none.
    """
    if type(spec) is type(other) and spec.is_compatible_with(spec):
        if isinstance(spec, NoneTensorSpec):
            return spec
        if isinstance(spec, DatasetSpec):
            return spec
        if isinstance(spec, RecordSpec):
            return spec.most_specific_compatible_type(other)
        if spec.dtype == other.dtype:
            return with_shape(spec, spec.shape.most_specific_compatible_shape(other.shape))
    raise TypeError(f"No common supertype of {spec} and {other}.")
