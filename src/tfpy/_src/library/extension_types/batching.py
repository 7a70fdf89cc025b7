"""`tf.experimental.ExtensionTypeBatchEncoder`, and specs of types that can be divided into rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tfpy._src.core import nest
from tfpy._src.core.operand import FieldRecord
from tfpy._src.core.tensor_shape import TensorShape
from tfpy._src.core.type_spec import RecordSpec
from tfpy._src.core.typing import Nest
from tfpy._src.functions.tf_function.type_specs import with_shape
from tfpy._src.library.extension_types.construction import created, is_part, values_of
from tfpy._src.library.extension_types.specs import ExtensionTypeSpec


class ExtensionTypeBatchEncoder:
    """The conversion of extension types to tensors that can be stacked and divided into rows.

    `tf.data`, `tf.map_fn` and `tf.vectorized_map` use it for subclasses of
    `tf.experimental.BatchableExtensionType`. This class stacks every tensor of the fields, and adds
    an axis to every `tf.TensorShape`. A subclass can represent values differently by overriding
    all of its methods. The class attribute `__batch_encoder__` of the extension type is then an
    instance of the subclass.

    Example:
        >>> import tfpy as tf
        >>> class Vehicle(tf.experimental.BatchableExtensionType):
        ...     top_speed: tf.Tensor
        ...     __batch_encoder__ = tf.experimental.ExtensionTypeBatchEncoder()
        >>> batch = Vehicle([120, 150])
        >>> faster = tf.map_fn(lambda v: v.top_speed + 1, batch, fn_output_signature=tf.int32)
        >>> faster.numpy().tolist()
        [121, 151]

    See also: `tf.experimental.BatchableExtensionType`.
    """

    def batch(self, spec: Any, batch_size: int | None) -> Any:
        """Return the spec of a batch of values.

        Args:
            spec: Spec of one value.
            batch_size: Number of values, or None if it is unknown.

        Returns:
            The spec of the batch.
        """
        return _with_shapes(
            spec,
            lambda part: batched(part, batch_size),
            lambda shape: TensorShape([batch_size]).concatenate(shape),
        )

    def unbatch(self, spec: Any) -> Any:
        """Return the spec of one value of a batch.

        Args:
            spec: Spec of the batch.

        Returns:
            The spec of one value.
        """
        return _with_shapes(spec, unbatched, lambda shape: shape[1:])

    def encode(self, spec: Any, value: Any, minimum_rank: int = 0) -> Nest:
        """Convert a value to tensors that can be stacked.

        Args:
            spec: Spec of the value.
            value: Value to convert.
            minimum_rank: Number of leading axes along which the result must be divisible.

        Returns:
            Nest of tensors, ragged or sparse tensors, and extension types.
        """
        return spec._to_components(value)

    def decode(self, spec: Any, encoded_value: Nest) -> Any:
        """Convert the result of `encode`, or its rows or a stack of several results, to a value.

        Args:
            spec: Spec of the value to create.
            encoded_value: Nest in the structure that `encode` returns.

        Returns:
            The value.
        """
        return spec._from_components(encoded_value)

    def encoding_specs(self, spec: Any) -> Nest:
        """Return the specs of the results of `encode`.

        Args:
            spec: Spec of a value.

        Returns:
            Nest of specs, in the structure that `encode` returns.
        """
        return spec._component_specs


def _with_shapes(
    spec: Any, of_part: Callable[[Any], Any], of_shape: Callable[[TensorShape], TensorShape]
) -> Any:
    """Return a spec with other specs and shapes in its fields."""

    def changed(leaf: Any) -> Any:
        if is_part(leaf):
            return of_part(leaf)
        return of_shape(leaf) if isinstance(leaf, TensorShape) else leaf

    values = values_of(spec)
    return created(type(spec), {k: nest.map_structure(changed, v) for k, v in values.items()})


def batched(spec: Any, size: int | None) -> Any:
    """Return the spec of a batch."""
    if isinstance(spec, RecordSpec):
        return spec.__batched__(size)
    return with_shape(spec, TensorShape([size]).concatenate(spec.shape))


def unbatched(spec: Any) -> Any:
    """Return the spec of a row."""
    if isinstance(spec, RecordSpec):
        return spec.__unbatched__()
    return with_shape(spec, spec.shape[1:])


class BatchableExtensionTypeSpec(ExtensionTypeSpec):
    """The base class of specs of extension types that can be divided into rows."""

    __batch_encoder__ = ExtensionTypeBatchEncoder()

    def _batch(self, batch_size: int | None) -> Any:
        return self.__batch_encoder__.batch(self, batch_size)

    def _unbatch(self) -> Any:
        return self.__batch_encoder__.unbatch(self)

    def __batched__(self, size: int | None) -> Any:
        return self._batch(size)

    def __unbatched__(self) -> Any:
        return self._unbatch()

    def __encode__(self, value: Any, minimum_rank: int) -> list[Any]:
        encoded = nest.flatten(self.__batch_encoder__.encode(self, value, minimum_rank))
        return [
            leaf
            for part in encoded
            for leaf in (
                part.__spec__().__encode__(part, minimum_rank)
                if isinstance(part, FieldRecord)
                else [part]
            )
        ]

    def __encoding__(self) -> list[Any]:
        specs = nest.flatten(self.__batch_encoder__.encoding_specs(self))
        return [
            leaf
            for spec in specs
            for leaf in (spec.__encoding__() if isinstance(spec, RecordSpec) else [spec])
        ]

    def __decode__(self, encoded: Sequence[Any]) -> Any:
        specs = self.__batch_encoder__.encoding_specs(self)
        given = iter(encoded)

        def decoded(spec: Any) -> Any:
            if not isinstance(spec, RecordSpec):
                return next(given)
            return spec.__decode__([next(given) for _ in spec.__encoding__()])

        return self.__batch_encoder__.decode(self, nest.map_structure(decoded, specs))
