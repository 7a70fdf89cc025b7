"""`tf.TypeSpec`: base of the descriptions of values, also of those that libraries define."""

from __future__ import annotations

from abc import ABCMeta
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any

import numpy as np

from tfpy._src.core import nest
from tfpy._src.core.operand import FieldRecord
from tfpy._src.core.tensor_shape import TensorShape


class TypeSpec:
    """Base class of the objects that describe the dtype and shape of tensors and similar values.

    Signatures of functions and elements of datasets are described by instances of the subclasses,
    such as `tf.TensorSpec`.

    A library can describe values of its own class. Its subclass defines `value_type`,
    `_component_specs`, `_to_components(value)`, `_from_components(components)` and `_serialize()`,
    as for TensorFlow. Two specs of such a class are equal if the results of `_serialize()` are.

    Example:
        >>> import tfpy as tf
        >>> spec = tf.TensorSpec([None, 2], tf.float32)
        >>> isinstance(spec, tf.TypeSpec), spec.is_compatible_with(tf.zeros([5, 2]))
        (True, True)

    See also: `tf.TensorSpec`, `tf.RaggedTensorSpec`, `tf.SparseTensorSpec`.
    """

    __slots__ = ()

    def is_compatible_with(self, spec_or_value: Any) -> bool:
        """Return True if a value or another spec matches this description.

        Args:
            spec_or_value: A spec, or a value with a spec of the same class.

        Returns:
            True if the classes are equal, the shapes and dtypes match, and all else is equal.

        Example:
            >>> import tfpy as tf
            >>> tf.TensorSpec([None]).is_compatible_with(tf.TensorSpec([3]))
            True
        """
        other = spec_or_value
        if not isinstance(other, TypeSpec):
            other = getattr(spec_or_value, "_type_spec", None)
        if type(other) is not type(self):
            return False
        return self.__is_compatible(_serialized(self), _serialized(other))

    def is_subtype_of(self, other: Any) -> bool:
        """Return True if every value of this description also has another description.

        Args:
            other: A spec.

        Returns:
            True if the classes are equal, and the parts of this spec are subtypes of the parts of
            the other spec.

        Example:
            >>> import tfpy as tf
            >>> tf.TensorSpec([3]).is_subtype_of(tf.TensorSpec([None]))
            True
        """
        return type(other) is type(self) and _match(self, other, _is_subtype)

    def most_specific_common_supertype(self, others: Sequence[Any]) -> Any:
        """Return the most specific spec that this spec and others are subtypes of.

        Args:
            others: Specs.

        Returns:
            A spec, or None if there is none.

        Example:
            >>> import tfpy as tf
            >>> tf.TensorSpec([3]).most_specific_common_supertype([tf.TensorSpec([4])])
            TensorSpec(shape=(None,), dtype=tf.float32, name=None)
        """
        if any(type(other) is not type(self) for other in others):
            return None
        own = _serialized(self)
        try:
            for other in others:
                nest.assert_same_structure(own, _serialized(other))
        except (TypeError, ValueError):
            return None
        columns = zip(*(nest.flatten(_serialized(s)) for s in (self, *others)), strict=True)
        found = [_supertype(*column) for column in columns]
        pairs = zip(found, nest.flatten(own), strict=True)
        if any(new is None and old is not None for new, old in pairs):
            return None
        return self._deserialize(nest.pack_sequence_as(own, found))

    def most_specific_compatible_type(self, other: Any) -> Any:
        """Return the most specific spec that is compatible with this spec and another one.

        Args:
            other: A spec.

        Returns:
            A spec.

        Raises:
            ValueError: If there is none.

        Example:
            >>> import tfpy as tf
            >>> tf.TensorSpec([3]).most_specific_compatible_type(tf.TensorSpec([3])).shape
            TensorShape([3])
        """
        found = self.most_specific_common_supertype([other])
        if found is None:
            raise ValueError(f"No TypeSpec is compatible with both {self} and {other}")
        return found

    def _serialize(self) -> Any:
        raise NotImplementedError(f"{type(self).__name__} must define _serialize()")

    @classmethod
    def _deserialize(cls, serialization: Any) -> Any:
        return cls(*serialization)

    def _with_tensor_ranks_only(self) -> Any:
        return self._deserialize(nest.map_structure(_open, _serialized(self)))

    def _without_tensor_names(self) -> Any:
        return self._deserialize(nest.map_structure(_unnamed, _serialized(self)))

    @staticmethod
    def __is_compatible(first: Any, second: Any) -> bool:
        return _fits(first, second)

    def __make_cmp_key(self, value: Any) -> Hashable:
        return hashable(value)

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and _key(other) == _key(self)

    def __hash__(self) -> int:
        return hash((type(self), _key(self)))

    def __repr__(self) -> str:
        return f"{type(self).__name__}{_serialized(self)!r}"

    def __reduce_ex__(self, protocol: Any) -> Any:
        if not isinstance(self, RecordSpec) or type(self).__reduce__ is not object.__reduce__:
            return super().__reduce_ex__(protocol)
        return _restored, (type(self), _serialized(self))

    # Records: values of a class that a library describes (`core/records.py`)

    def __record__(self) -> FieldRecord:
        """Return a record with the specs of its parts in place of the parts."""
        return DescribedRecord(self)

    def __encode__(self, value: Any, minimum_rank: int) -> list[Any]:
        """Return tensors and composites whose rows are the rows of a record.

        Raises:
            TypeError: If records of this class cannot be divided into rows.
        """
        own: Any = self
        return nest.flatten(own._to_components(value))

    def __decode__(self, encoded: Sequence[Any]) -> Any:
        """Return the record with this spec for the results of :meth:`__encode__`."""
        own: Any = self
        return own._from_components(nest.pack_sequence_as(own._component_specs, list(encoded)))

    def __encoding__(self) -> list[Any]:
        """Return the specs of the results of :meth:`__encode__`."""
        own: Any = self
        return nest.flatten(own._component_specs)

    def __batched__(self, size: int | None) -> Any:
        """Return the spec of a batch of records."""
        own: Any = self
        return own._batch(size)

    def __unbatched__(self) -> Any:
        """Return the spec of a row of a record."""
        own: Any = self
        return own._unbatch()


class RecordSpec(TypeSpec, metaclass=ABCMeta):
    """Base of the specs of records: of extension types, and of classes that libraries describe."""

    __slots__ = ()

    @classmethod
    def __subclasshook__(cls, other: type) -> Any:
        described = cls is RecordSpec and hasattr(other, "_from_components")
        return True if described and issubclass(other, TypeSpec) else NotImplemented


class DescribedRecord(FieldRecord):
    """A record with specs in the place of its values."""

    def __init__(self, spec: Any) -> None:
        self._spec = spec

    def __parts__(self) -> list[Any]:
        specs = nest.flatten(self._spec._component_specs)
        return [s.__record__() if isinstance(s, RecordSpec) else s for s in specs]

    def __with_parts__(self, parts: Sequence[Any]) -> Any:
        if any(isinstance(part, TypeSpec | DescribedRecord) for part in parts):
            return self
        return self._spec.__decode__(parts)

    def __facts__(self) -> Hashable:
        return self._spec

    def __spec__(self) -> Any:
        return self._spec


def hashable(value: Any) -> Hashable:
    """Return a nest of lists, dicts and other values as a hashable key."""
    if isinstance(value, Mapping):
        return (Mapping, *((key, hashable(value[key])) for key in sorted(value)))
    if isinstance(value, TensorShape):
        return (TensorShape, None if value.rank is None else tuple(value.as_list()))
    if isinstance(value, list | tuple):
        return (tuple, *map(hashable, value))
    if isinstance(value, np.ndarray):
        return (np.ndarray, value.dtype, value.shape, *value.ravel().tolist())
    return (type(value), value)


def _serialized(spec: TypeSpec) -> Any:
    return spec._serialize()


def _key(spec: Any) -> Hashable:
    return hashable(_serialized(spec))


def _restored(kind: Any, serialization: Any) -> Any:
    return kind._deserialize(serialization)


def _fits(first: Any, second: Any) -> bool:
    """Return True if two serialized specs are compatible."""
    if isinstance(first, TypeSpec):
        return first.is_compatible_with(second)
    if isinstance(first, TensorShape) and isinstance(second, TensorShape):
        return first.is_compatible_with(second)
    if type(first) is not type(second) and not _are_alike(first, second):
        return False
    if isinstance(first, list | tuple):
        return len(first) == len(second) and all(map(_fits, first, second))
    if isinstance(first, Mapping):
        return {*first} == {*second} and all(_fits(first[key], second[key]) for key in first)
    return _is_same(first, second)


def _are_alike(first: Any, second: Any) -> bool:
    """Return True for two named tuples with the same name and fields."""
    fields = [getattr(value, "_fields", None) for value in (first, second)]
    same = fields[0] is not None and fields[0] == fields[1]
    return same and type(first).__name__ == type(second).__name__


def _match(first: Any, second: Any, test: Callable[[Any, Any], bool]) -> bool:
    """Return True if a test is True for all leaves of two serialized specs."""
    one, other = _serialized(first), _serialized(second)
    try:
        nest.assert_same_structure(one, other)
    except (TypeError, ValueError):
        return False
    return all(map(test, nest.flatten(one), nest.flatten(other)))


def _is_subtype(first: Any, second: Any) -> bool:
    own = getattr(first, "is_subtype_of", None)
    return _is_same(first, second) if own is None else bool(own(second))


def _supertype(first: Any, *others: Any) -> Any:
    if all(_is_same(first, other) for other in others):
        return first
    common = getattr(first, "most_specific_common_supertype", None)
    return None if common is None else common(others)


def _is_same(first: Any, second: Any) -> bool:
    return hashable(first) == hashable(second)


def _open(value: Any) -> Any:
    if isinstance(value, TypeSpec):
        return value._with_tensor_ranks_only()
    if not isinstance(value, TensorShape) or value.rank is None:
        return value
    return TensorShape([None] * value.rank)


def _unnamed(value: Any) -> Any:
    return value._without_tensor_names() if isinstance(value, TypeSpec) else value
