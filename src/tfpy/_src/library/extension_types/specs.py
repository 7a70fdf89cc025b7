"""`tf.experimental.ExtensionTypeSpec`: the descriptions of extension types."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any

from tfpy._src.core import nest
from tfpy._src.core.operand import FieldRecord
from tfpy._src.core.tensor_shape import TensorShape
from tfpy._src.core.type_spec import RecordSpec, TypeSpec
from tfpy._src.functions.tf_function.type_specs import type_spec_from_value
from tfpy._src.library.extension_types.construction import (
    CONSTRUCTING,
    created,
    fields_of,
    is_part,
    map_parts,
    static,
    values_of,
)
from tfpy._src.library.extension_types.fields import SpecConversion


class ExtensionTypeSpec(RecordSpec):
    """Base class of the descriptions of extension types.

    Each subclass of `tf.experimental.ExtensionType` has its own class `Spec` with the same fields,
    which contain specs in place of tensors. It is used like `tf.TensorSpec`.

    Example:
        >>> import tfpy as tf
        >>> class Masked(tf.experimental.ExtensionType):
        ...     values: tf.Tensor
        ...     mask: tf.Tensor
        >>> spec = Masked.Spec(tf.TensorSpec([None], tf.int32), tf.TensorSpec([None], tf.bool))
        >>> isinstance(spec, tf.experimental.ExtensionTypeSpec)
        True
        >>> spec.is_compatible_with(Masked([1, 2], [True, False]))
        True

    See also: `tf.experimental.ExtensionType`, `tf.TypeSpec`.
    """

    value_type: Any = None

    @classmethod
    def from_value(cls, value: FieldRecord) -> Any:
        """Return the description of a value.

        Args:
            value: A `tf.experimental.ExtensionType`.

        Returns:
            A `tf.experimental.ExtensionTypeSpec` with the shapes and dtypes of the value's tensors.

        Example:
            >>> import tfpy as tf
            >>> class Scaled(tf.experimental.ExtensionType):
            ...     values: tf.Tensor
            ...     scale: float
            >>> Scaled.Spec.from_value(Scaled([1, 2], 0.5))
            Scaled.Spec(values=TensorSpec(shape=(2,), dtype=tf.int32, name=None), scale=0.5)
        """
        return created(cls, {k: map_parts(_spec_of, v) for k, v in values_of(value).items()})

    def __convert_fields__(self) -> None:
        """Convert the fields to their annotations."""
        SpecConversion().fields(fields_of(self.value_type), vars(self))

    def __validate__(self) -> None:
        """Check the fields. Subclasses raise an error if the specs do not fit together."""

    def _serialize(self) -> tuple[Any, ...]:
        names = (field.name for field in fields_of(self.value_type))
        return tuple((name, _as_dicts(vars(self)[name])) for name in names)

    def __reduce__(self) -> Any:
        return _restored, (self.value_type, tuple(values_of(self).items()))

    # Relations

    def _key(self) -> Hashable:
        values = tuple(values_of(self).values())
        specs = tuple(leaf for leaf in nest.flatten(values) if is_part(leaf))
        return static(values), specs

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and other._key() == self._key()

    def __hash__(self) -> int:
        return hash((type(self).__qualname__, self._key()))

    def __repr__(self) -> str:
        shown = (f"{name}={value!r}" for name, value in self._serialize())
        return f"{type(self).__qualname__}({', '.join(shown)})"

    def is_compatible_with(self, spec_or_value: Any) -> bool:
        """Return True if a value or another spec matches this description.

        Args:
            spec_or_value: An extension type or its spec.

        Returns:
            True if the classes and the static fields are equal, and the tensors match.

        Example:
            >>> import tfpy as tf
            >>> class Named(tf.experimental.ExtensionType):
            ...     values: tf.Tensor
            ...     name: str
            >>> spec = Named.Spec(tf.TensorSpec([None]), "a")
            >>> [spec.is_compatible_with(Named([1.0], name)) for name in "ab"]
            [True, False]
        """
        is_spec = isinstance(spec_or_value, TypeSpec)
        other = spec_or_value if is_spec else type_spec_from_value(spec_or_value)
        if type(other) is not type(self):
            return False
        return _combined(self, other, lambda a, b: _fits(a, b) or None) is not None

    def is_subtype_of(self, other: Any) -> bool:
        """Return True if every value that matches this spec also matches another one.

        Args:
            other: Spec to compare with.

        Returns:
            A bool.

        Example:
            >>> import tfpy as tf
            >>> class Wrapped(tf.experimental.ExtensionType):
            ...     values: tf.Tensor
            >>> Wrapped.Spec(tf.TensorSpec([3])).is_subtype_of(Wrapped.Spec(tf.TensorSpec([None])))
            True
        """
        if type(other) is not type(self):
            return False
        return _combined(self, other, lambda a, b: _is_subtype(a, b) or None) is not None

    def most_specific_compatible_type(self, other: Any) -> Any:
        """Return the most specific spec that matches all values that match either spec.

        Args:
            other: Spec of the same class with the same static fields.

        Returns:
            A spec, with None for each dimension in which the two specs differ.

        Raises:
            ValueError: If there is no such spec.

        Example:
            >>> import tfpy as tf
            >>> class Wrapped(tf.experimental.ExtensionType):
            ...     x: tf.Tensor
            >>> three, four = (Wrapped.Spec(tf.TensorSpec([n])) for n in (3, 4))
            >>> three.most_specific_compatible_type(four)
            Wrapped.Spec(x=TensorSpec(shape=(None,), dtype=tf.float32, name=None))
        """
        found = _combined(self, other, _common) if type(other) is type(self) else None
        if found is None:
            raise ValueError(f"No TypeSpec is compatible with both {self} and {other}")
        return found

    # Components

    @property
    def _component_specs(self) -> tuple[Any, ...]:
        return tuple(x for x in nest.flatten(tuple(values_of(self).values())) if is_part(x))

    def _to_components(self, value: Any) -> tuple[Any, ...]:
        values = tuple(vars(value)[name] for name in values_of(self))
        return tuple(leaf for leaf in nest.flatten(values) if is_part(leaf))

    def _from_components(self, components: Sequence[Any]) -> Any:
        given = list(components)
        if len(given) != len(self._component_specs):
            raise ValueError(
                f"{self!r} describes {len(self._component_specs)} tensors, but {len(given)} were "
                "passed."
            )
        rest = iter(given)
        values = values_of(self)
        replaced = map_parts(lambda leaf: next(rest), tuple(values.values()))
        return created(self.value_type, dict(zip(values, replaced, strict=True)))

    def __record__(self) -> FieldRecord:
        parts = [s.__record__() if isinstance(s, RecordSpec) else s for s in self._component_specs]
        record: FieldRecord = self._from_components(parts)
        return record

    def __setattr__(self, name: str, value: Any) -> None:
        self._check_mutable(name)
        vars(self)[name] = value

    def __delattr__(self, name: str) -> None:
        self._check_mutable(name)
        del vars(self)[name]

    def _check_mutable(self, name: str) -> None:
        is_field = any(field.name == name for field in fields_of(self.value_type))
        if not (is_field and CONSTRUCTING in vars(self)):
            raise AttributeError(
                f"Cannot mutate attribute `{name}` outside the custom constructor of "
                "ExtensionTypeSpec."
            )

    # Rows

    def __encode__(self, value: Any, minimum_rank: int) -> list[Any]:
        raise TypeError(
            f"{self.value_type.__name__} cannot be divided into rows or batched, because it is not "
            "a tf.experimental.BatchableExtensionType. Change its base class."
        )

    def __encoding__(self) -> list[Any]:
        return self.__encode__(None, 0)

    def __batched__(self, size: int | None) -> RecordSpec:
        self.__encode__(None, 0)
        return self

    def __unbatched__(self) -> RecordSpec:
        return self.__batched__(None)


def _restored(kind: Any, values: tuple[tuple[str, Any], ...]) -> Any:
    return created(kind.Spec, dict(values))


def _spec_of(part: Any) -> Any:
    return part if isinstance(part, TypeSpec) else type_spec_from_value(part)


def _as_dicts(value: Any) -> Any:
    """Return a field with dicts in place of immutable mappings."""
    if isinstance(value, Mapping):
        return {key: _as_dicts(item) for key, item in value.items()}
    return tuple(map(_as_dicts, value)) if type(value) is tuple else value


def _combined(first: Any, second: Any, combine: Callable[[Any, Any], Any]) -> Any:
    """Return a spec with combined fields, or None if `combine` returns None for a leaf.

    The leaves are specs, shapes and static values.
    """
    one, other = values_of(first), values_of(second)
    values, others = tuple(one.values()), tuple(other.values())
    try:
        nest.assert_same_structure(values, others)
    except (TypeError, ValueError):
        return None
    pairs = zip(nest.flatten(values), nest.flatten(others), strict=True)
    leaves = [combine(a, b) if type(a) is type(b) else None for a, b in pairs]
    kept = nest.flatten(values)
    if any(leaf is None and own is not None for leaf, own in zip(leaves, kept, strict=True)):
        return None
    return created(type(first), dict(zip(one, nest.pack_sequence_as(values, leaves), strict=True)))


def _fits(first: Any, second: Any) -> bool:
    if is_part(first) or isinstance(first, TensorShape):
        return bool(first.is_compatible_with(second))
    return bool(first == second)


def _is_subtype(first: Any, second: Any) -> bool:
    own = getattr(first, "is_subtype_of", None)
    return bool(first == second if own is None else own(second))


def _common(first: Any, second: Any) -> Any:
    if first == second:
        return first
    if isinstance(first, TensorShape):
        return first.most_specific_compatible_shape(second)
    common = getattr(first, "most_specific_compatible_type", None)
    return None if common is None else common(second)
