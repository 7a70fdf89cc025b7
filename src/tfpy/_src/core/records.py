"""Records: values of fields, such as extension types, and nests in which they are expanded.

The public functions of `tf.nest` treat a record as one leaf. Functions and control flow compute
with its tensors, and therefore use the functions of this module. The only public
attributes of a record are its fields, because users choose their names.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import Any

from tfpy._src.core import nest
from tfpy._src.core.operand import FieldRecord


def flatten(structure: Any) -> list[Any]:
    """Return the leaves of a nest, with the parts of records in place of the records."""
    leaves = nest.flatten(structure)
    if not any(isinstance(leaf, FieldRecord) for leaf in leaves):
        return leaves
    return [part for leaf in leaves for part in _parts(leaf)]


def _parts(leaf: Any) -> Iterator[Any]:
    if isinstance(leaf, FieldRecord):
        for part in leaf.__parts__():
            yield from _parts(part)
    else:
        yield leaf


def pack_sequence_as(structure: Any, flat: Sequence[Any]) -> Any:
    """Build a nest like `structure` from leaves in the order of :func:`flatten`.

    Raises:
        ValueError: If the number of leaves differs.
    """
    if not has_records(structure):
        return nest.pack_sequence_as(structure, flat)
    count = len(flatten(structure))
    if len(flat) != count:
        raise ValueError(f"The structure has {count} leaves, but {len(flat)} were passed")
    return packer(structure)(iter(flat))


def packer(structure: Any) -> Callable[[Iterator[Any]], Any]:
    """Return a function that builds a nest like `structure` from the next leaves of an iterator."""
    if not has_records(structure):
        return nest.packer(structure)
    packed = nest.packer(structure)
    leaves = nest.flatten(structure)
    return lambda given: packed(iter([_packed(leaf, given) for leaf in leaves]))


def _packed(leaf: Any, given: Iterator[Any]) -> Any:
    if isinstance(leaf, FieldRecord):
        return leaf.__with_parts__([_packed(part, given) for part in leaf.__parts__()])
    return next(given)


def map_structure(function: Callable[[Any], Any], structure: Any) -> Any:
    """Apply a function to the leaves of a nest and to the parts of its records."""
    if not has_records(structure):
        return nest.map_structure(function, structure)
    return pack_sequence_as(structure, [function(leaf) for leaf in flatten(structure)])


def has_records(structure: Any) -> bool:
    """Return True if a leaf of the nest is a record."""
    return any(isinstance(leaf, FieldRecord) for leaf in nest.flatten(structure))


def assert_same_structure(first: Any, second: Any, check_types: bool = True) -> None:
    """Raise an error if two nests or the static fields of their records differ.

    Raises:
        ValueError: If the nesting, the lengths, the keys or the records differ.
        TypeError: If the types of sequences differ.
    """
    nest.assert_same_structure(first, second, check_types)
    for one, other in zip(nest.flatten(first), nest.flatten(second), strict=True):
        if kind_of(one) != kind_of(other):
            raise ValueError(
                "The two structures don't have the same nested structure. First structure: "
                f"{one!r}. Second structure: {other!r}"
            )


def kind_of(leaf: Any) -> Hashable:
    """Return the class and the static fields of a record, or None for another leaf."""
    if not isinstance(leaf, FieldRecord):
        return None
    return type(leaf), leaf.__facts__(), tuple(kind_of(part) for part in leaf.__parts__())
