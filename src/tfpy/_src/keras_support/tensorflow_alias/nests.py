"""Functions of `tensorflow.python.util.nest` that libraries use in addition to `tf.nest`.

A shallow nest has leaves where the other nest may have further nests.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from tfpy._src.core import nest
from tfpy._src.core.operand import Composite, FieldRecord

Path = tuple[Any, ...]


def is_mapping(value: Any) -> bool:
    """Return True for dictionaries and other mappings."""
    return isinstance(value, Mapping)


def is_namedtuple(value: Any, strict: bool = False) -> bool:
    """Return True for a named tuple."""
    return isinstance(value, tuple) and hasattr(value, "_fields")


def sequence_like(like: Any, values: Sequence[Any]) -> Any:
    """Return a nest of the kind of `like` with other items."""
    return nest.rebuilt(like, list(values))


def yield_value(structure: Any) -> Iterator[Any]:
    """Yield the items of a nest in order."""
    yield from nest.contents(structure)


def yield_sorted_items(structure: Any) -> Iterator[tuple[Any, Any]]:
    """Yield the keys and items of a nest in order."""
    yield from nest.items(structure)


def _items(structure: Any, expand_composites: bool) -> list[tuple[Any, Any]] | None:
    """Return the keys and items of a nest or composite, or None for a leaf."""
    if nest.is_nested(structure):
        return nest.items(structure)
    if expand_composites and isinstance(structure, FieldRecord | Composite):
        return [(type(structure).__name__, _components(structure))]
    return None


def _components(value: Any) -> Any:
    """Return the components of a composite: a tensor, or a nest of tensors."""
    if isinstance(value, Composite):
        return list(value.components)
    spec = getattr(value, "_type_spec", None)
    found = getattr(spec, "_to_components", None)
    return list(value.__parts__()) if found is None else found(value)


def flatten_with_tuple_paths(
    structure: Any, expand_composites: bool = False
) -> list[tuple[Path, Any]]:
    """Return the leaves, each with the tuple of keys that lead to it."""
    items = _items(structure, expand_composites)
    if items is None:
        return [((), structure)]
    return [
        ((key, *path), leaf)
        for key, item in items
        for path, leaf in flatten_with_tuple_paths(item, expand_composites)
    ]


def flatten_with_joined_string_paths(
    structure: Any, separator: str = "/", expand_composites: bool = False
) -> list[tuple[str, Any]]:
    """Return the leaves, each with its path as text."""
    pairs = flatten_with_tuple_paths(structure, expand_composites)
    return [(separator.join(map(str, path)), leaf) for path, leaf in pairs]


def yield_flat_paths(structure: Any, expand_composites: bool = False) -> Iterator[Path]:
    """Yield the paths of the leaves."""
    for path, _ in flatten_with_tuple_paths(structure, expand_composites):
        yield path


def map_structure_with_tuple_paths(func: Callable[..., Any], *structure: Any, **kwargs: Any) -> Any:
    """Apply a function to the path and the corresponding leaves of nests of one structure."""
    expand = kwargs.pop("expand_composites", False)
    for other in structure[1:]:
        nest.assert_same_structure(structure[0], other, expand_composites=expand, **kwargs)
    paths = list(yield_flat_paths(structure[0], expand))
    columns = zip(paths, *(nest.flatten(s, expand) for s in structure), strict=True)
    found = [func(*column) for column in columns]
    return nest.pack_sequence_as(structure[0], found, expand)


def assert_shallow_structure(
    shallow_tree: Any, input_tree: Any, check_types: bool = True, expand_composites: bool = False
) -> None:
    """Raise an error unless a nest has at least the structure of a shallow nest.

    Raises:
        TypeError: If the types of sequences differ, or a sequence is missing.
        ValueError: If the lengths or keys differ.
    """
    _pairs(shallow_tree, input_tree, check_types, expand_composites)


def flatten_up_to(
    shallow_tree: Any, input_tree: Any, check_types: bool = True, expand_composites: bool = False
) -> list[Any]:
    """Return the parts of a nest at the leaves of a shallow nest."""
    return [part for _, part in _pairs(shallow_tree, input_tree, check_types, expand_composites)]


def flatten_with_tuple_paths_up_to(
    shallow_tree: Any, input_tree: Any, check_types: bool = True, expand_composites: bool = False
) -> list[tuple[Path, Any]]:
    """Return the parts of a nest at the leaves of a shallow nest, with their paths."""
    return _pairs(shallow_tree, input_tree, check_types, expand_composites)


def map_structure_up_to(
    shallow_tree: Any, func: Callable[..., Any], *inputs: Any, **kwargs: Any
) -> Any:
    """Apply a function to the parts of nests at the leaves of a shallow nest."""
    return map_structure_with_tuple_paths_up_to(
        shallow_tree, lambda path, *parts: func(*parts), *inputs, **kwargs
    )


def map_structure_with_tuple_paths_up_to(
    shallow_tree: Any, func: Callable[..., Any], *inputs: Any, **kwargs: Any
) -> Any:
    """Apply a function to the path and the parts of nests at the leaves of a shallow nest.

    Raises:
        ValueError: If there is no nest.
    """
    if not inputs:
        raise ValueError("Cannot map over no sequences")
    expand = kwargs.get("expand_composites", False)
    check = kwargs.get("check_types", True)
    paths = list(yield_flat_paths(shallow_tree, expand))
    parts = (flatten_up_to(shallow_tree, s, check, expand) for s in inputs)
    columns = zip(paths, *parts, strict=True)
    return nest.pack_sequence_as(shallow_tree, [func(*column) for column in columns], expand)


def _pairs(shallow: Any, value: Any, check_types: bool, expand: bool) -> list[tuple[Path, Any]]:
    items = _items(shallow, expand)
    if items is None:
        return [((), value)]
    others = _items(value, expand)
    if others is None:
        raise TypeError(
            "If shallow structure is a sequence, input must also be a sequence. Input has type: "
            f"{type(value)}."
        )
    if check_types:
        _check_types(shallow, value)
    if len(items) != len(others):
        raise ValueError(
            "The two structures don't have the same sequence length. Input structure has length "
            f"{len(others)}, while shallow structure has length {len(items)}."
        )
    if isinstance(shallow, Mapping) and isinstance(value, Mapping):
        missing = [key for key, _ in items if key not in value]
        if missing:
            raise ValueError(
                "The shallow_tree's keys are not a subset of the input_tree's keys. The "
                f"shallow_tree has the following keys that are not in the input_tree: {missing}."
            )
    return [
        ((key, *path), part)
        for (key, item), (_, other) in zip(items, others, strict=True)
        for path, part in _pairs(item, other, check_types, expand)
    ]


def _check_types(shallow: Any, value: Any) -> None:
    """Raise a TypeError if two nests do not have the same type."""
    same = isinstance(value, type(shallow)) or isinstance(shallow, type(value))
    if is_namedtuple(shallow) and is_namedtuple(value):
        same = type(shallow).__name__ == type(value).__name__ and shallow._fields == value._fields
    elif is_namedtuple(shallow) or is_namedtuple(value):
        same = type(shallow) is type(value)
    elif isinstance(shallow, Mapping) and isinstance(value, Mapping):
        same = True
    if not same:
        raise TypeError(
            "The two structures don't have the same sequence type. Input structure has type "
            f"{type(value)}, while shallow structure has type {type(shallow)}."
        )


def get_traverse_shallow_structure(
    traverse_fn: Callable[[Any], Any], structure: Any, expand_composites: bool = False
) -> Any:
    """Return a shallow nest of bools that ends where a function returns False.

    Raises:
        TypeError: If the function does not return a bool, or a nest of bools for the items.
    """
    to_traverse = traverse_fn(structure)
    if not nest.is_nested(structure):
        if not isinstance(to_traverse, bool):
            raise TypeError(f"traverse_fn returned a non-bool for a leaf: {to_traverse!r}")
        return to_traverse
    if isinstance(to_traverse, bool):
        if not to_traverse:
            return False
        kept = [True] * len(nest.contents(structure))
    else:
        assert_shallow_structure(to_traverse, structure)
        kept = nest.contents(to_traverse)
    parts = [
        get_traverse_shallow_structure(traverse_fn, item) if keep else False
        for keep, item in zip(kept, nest.contents(structure), strict=True)
    ]
    return nest.rebuilt(structure, parts)


NAMES: dict[str, Any] = {
    **{name: getattr(nest, name) for name in nest.__all__},
    **{
        function.__name__: function
        for function in (
            assert_shallow_structure,
            flatten_up_to,
            flatten_with_joined_string_paths,
            flatten_with_tuple_paths,
            flatten_with_tuple_paths_up_to,
            get_traverse_shallow_structure,
            is_mapping,
            map_structure_up_to,
            map_structure_with_tuple_paths,
            map_structure_with_tuple_paths_up_to,
            yield_flat_paths,
        )
    },
    "is_namedtuple": is_namedtuple,
    "is_nested_or_composite": lambda x: nest.is_nested(x) or isinstance(x, FieldRecord),
    "is_sequence": nest.is_nested,
    "_is_namedtuple": is_namedtuple,
    "_sequence_like": sequence_like,
    "_yield_sorted_items": yield_sorted_items,
    "_yield_value": yield_value,
}
"""Public and private names of the module `nest`."""
