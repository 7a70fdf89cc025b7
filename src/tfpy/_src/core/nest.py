"""`tf.nest`: flattening and rebuilding of nested lists, tuples, mappings and similar containers.

Mappings are traversed in the order of their sorted keys, and keep their own order when they are
rebuilt. Ragged and sparse tensors and extension types are leaves, unless their components are
requested.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, MappingView, MutableMapping, Sequence
from typing import Any

from tfpy._src.backends.javascript.bridge import IN_BROWSER
from tfpy._src.backends.javascript.interop import is_js_array
from tfpy._src.core.operand import Composite, FieldRecord, Operand
from tfpy._src.core.typing import Nest

__all__ = ["assert_same_structure", "flatten", "is_nested", "map_structure", "pack_sequence_as"]

_NESTED = (list, tuple, Mapping, MappingView, Sequence)
_LEAVES = (str, bytes, memoryview)
_PLAIN = frozenset([tuple, list, dict])
"""Types of most nests. An `isinstance` check for Mapping is slow."""


def is_nested(structure: Nest) -> bool:
    """Return True if the value is a container that the functions of `tf.nest` traverse.

    Containers are lists, tuples, mappings, views of mappings, attrs objects, objects with the
    methods `__tf_flatten__` and `__tf_unflatten__`, and other sequences except strings. JavaScript
    arrays are leaves, because they can be converted to tensors.

    Args:
        structure: Any value.

    Returns:
        A bool.

    Example:
        >>> import tfpy as tf
        >>> tf.nest.is_nested([1, 2]), tf.nest.is_nested("text")
        (True, False)

    See also: `tf.nest.flatten`.
    """
    if type(structure) in _PLAIN:
        return True
    if isinstance(structure, Operand):
        return False
    if isinstance(structure, _NESTED):
        if IN_BROWSER and is_js_array(structure):
            return False
        return not isinstance(structure, _LEAVES)
    return _is_attrs(structure) or is_flattened(structure)


def flatten(structure: Nest, expand_composites: bool = False) -> list[Any]:
    """Return the leaves of a nested structure (list, tuple, dict or similar container) in order.

    The values of a mapping are ordered by their sorted keys.

    Args:
        structure: Nested structure of values, or a single value.
        expand_composites: If True, replace ragged and sparse tensors by the tensors that they
            consist of.

    Returns:
        List of the leaves.

    Raises:
        TypeError: If the keys of a mapping cannot be sorted.

    Example:
        >>> import tfpy as tf
        >>> tf.nest.flatten({"b": (1, 2), "a": [3]})
        [3, 1, 2]

    See also: `tf.nest.pack_sequence_as`, `tf.nest.map_structure`.
    """
    return list(_leaves(structure, expand_composites))


def _leaves(structure: Any, expand_composites: bool) -> Iterator[Any]:
    if is_nested(structure):
        for item in contents(structure):
            yield from _leaves(item, expand_composites)
    elif expand_composites and isinstance(structure, Composite):
        yield from structure.components
    elif expand_composites and isinstance(structure, FieldRecord):
        for part in structure.__parts__():
            yield from _leaves(part, expand_composites)
    else:
        yield structure


def pack_sequence_as(
    structure: Nest, flat_sequence: Sequence[Any], expand_composites: bool = False
) -> Nest:
    """Build a nested structure (list, tuple, dict or similar container) from a flat list of leaves.

    Args:
        structure: Nested structure to imitate. Its leaves are not used.
        flat_sequence: Sequence of the new leaves, in the order of `tf.nest.flatten`.
        expand_composites: If True, build ragged and sparse tensors from the tensors that they
            consist of.

    Returns:
        Nested structure like `structure`, with the new leaves.

    Raises:
        TypeError: If `flat_sequence` is not a sequence.
        ValueError: If the number of leaves differs from that in `structure`.

    Example:
        >>> import tfpy as tf
        >>> tf.nest.pack_sequence_as({"a": 0, "b": (0, 0)}, [1, 2, 3])
        {'a': 1, 'b': (2, 3)}

    See also: `tf.nest.flatten`.
    """
    if not is_nested(flat_sequence):
        raise TypeError(
            f"Attempted to pack value:\n  {flat_sequence!r}\ninto a structure, but found "
            f"incompatible type `{type(flat_sequence)}` instead."
        )
    leaves = list(flat_sequence)
    if not is_nested(structure) and not expand_composites and len(leaves) != 1:
        raise ValueError(
            f"The target structure is of type `{type(structure)}`\n  {structure!r}\nHowever the "
            f"input is a sequence ({type(flat_sequence)}) of length {len(leaves)}.\n  "
            f"{flat_sequence!r}\nnest cannot guarantee that it is safe to map one to the other."
        )
    count = len(flatten(structure, expand_composites))
    if len(leaves) != count:
        raise ValueError(
            f"Could not pack sequence. Structure had {count} atoms, but flat_sequence had "
            f"{len(leaves)} items. Structure: {structure}, flat_sequence: {flat_sequence}"
        )
    return _packed(structure, iter(leaves), expand_composites)


def _packed(like: Any, leaves: Iterator[Any], expand_composites: bool) -> Any:
    if is_nested(like):
        return rebuilt(like, [_packed(item, leaves, expand_composites) for item in contents(like)])
    if expand_composites and isinstance(like, Composite):
        return like.with_components([next(leaves) for _ in like.components])
    if expand_composites and isinstance(like, FieldRecord):
        parts = [_packed(part, leaves, expand_composites) for part in like.__parts__()]
        return like.__with_parts__(parts)
    return next(leaves)


def map_structure(func: Callable[..., Any], *structure: Nest, **kwargs: bool) -> Nest:
    """Apply a function to the leaves of nested structures (lists, tuples, dicts and similar ones).

    With more than one structure, the function is applied to corresponding leaves.

    Args:
        func: Function that takes one leaf of each structure and returns a leaf of the result.
        *structure: One or more nested structures, which must have the same structure.
        **kwargs: `check_types` (default True) requires that sequences have equal types.
            `expand_composites` (default False) applies `func` to the tensors that ragged and sparse
            tensors consist of.

    Returns:
        Nested structure like the first one, with the results as leaves.

    Raises:
        TypeError: If `func` is not callable, or the types of sequences differ.
        ValueError: If no structure is passed, the structures differ, or a keyword is unknown.

    Example:
        >>> import tfpy as tf
        >>> tf.nest.map_structure(lambda x: x * 10, {"a": 1, "b": (2, 3)})
        {'a': 10, 'b': (20, 30)}
        >>> tf.nest.map_structure(lambda x, y: x + y, [1, (2, 3)], [10, (20, 30)])
        [11, (22, 33)]

    See also: `tf.nest.flatten`, `tf.nest.assert_same_structure`.
    """
    check_types = kwargs.pop("check_types", True)
    expand_composites = kwargs.pop("expand_composites", False)
    if kwargs:
        raise ValueError(
            "Only valid keyword arguments are `check_types` and `expand_composites`, not: "
            f"`{'`, `'.join(kwargs)}`"
        )
    if not callable(func):
        raise TypeError(f"func must be callable, got: {func!r}")
    if not structure:
        raise ValueError("Must provide at least one structure")
    first, *others = structure
    for other in others:
        assert_same_structure(first, other, check_types, expand_composites)
    columns = zip(*(flatten(s, expand_composites) for s in structure), strict=True)
    return _packed(first, iter([func(*leaves) for leaves in columns]), expand_composites)


def assert_same_structure(
    nest1: Nest, nest2: Nest, check_types: bool = True, expand_composites: bool = False
) -> None:
    """Raise an error if two nested structures differ in anything other than their leaves.

    Mappings of different types count as the same structure if their keys are equal.

    Args:
        nest1: First nested structure (list, tuple, dict or similar container).
        nest2: Second nested structure.
        check_types: If True, compare the types of sequences and the keys of mappings.
        expand_composites: If True, compare also the types and dtypes of ragged and sparse tensors.

    Raises:
        ValueError: If the nesting, the lengths or the keys differ.
        TypeError: If the types of sequences differ.

    Example:
        >>> import tfpy as tf
        >>> tf.nest.assert_same_structure({"a": 1, "b": (2, 3)}, {"a": 0, "b": (0, 0)})
        >>> try:
        ...     tf.nest.assert_same_structure([1, 2], [1, [2]])
        ... except ValueError:
        ...     print("they differ")
        they differ

    See also: `tf.nest.map_structure`.
    """

    def differ(error: type[Exception], why: str) -> Exception:
        return error(
            f"The two structures don't have the same {why}. First structure: {_outline(nest1)}. "
            f"Second structure: {_outline(nest2)}"
        )

    def compare(first: Any, second: Any) -> None:
        if is_nested(first) != is_nested(second):
            raise differ(ValueError, "nested structure")
        if expand_composites and not _same_composites(first, second):
            raise differ(ValueError, "nested structure")
        if not is_nested(first):
            return
        both_mappings = isinstance(first, Mapping) and isinstance(second, Mapping)
        if check_types and both_mappings and first.keys() != second.keys():
            raise differ(ValueError, "set of keys")
        if check_types and not both_mappings and not _same_type(first, second):
            raise differ(TypeError, "sequence type")
        items, others = contents(first), contents(second)
        if len(items) != len(others):
            raise differ(ValueError, "number of elements")
        for item, other in zip(items, others, strict=True):
            compare(item, other)

    compare(nest1, nest2)


def _same_type(first: Any, second: Any) -> bool:
    if _is_namedtuple(first) and _is_namedtuple(second):
        return type(first).__name__ == type(second).__name__ and first._fields == second._fields
    return type(first) is type(second) or (isinstance(first, list) and isinstance(second, list))


def _same_composites(first: Any, second: Any) -> bool:
    """Return True if both values are composites of the same kind, or neither is a composite.

    The spec of a composite (`tf.RaggedTensorSpec`, for example) counts as a composite.
    """
    for spec, other in ((first, second), (second, first)):
        if _is_spec(spec):
            return bool(spec == other if _is_spec(other) else spec.is_compatible_with(other))
    if isinstance(first, FieldRecord) or isinstance(second, FieldRecord):
        return type(first) is type(second) and _same_records(first, second)
    if not isinstance(first, Composite) or not isinstance(second, Composite):
        return not isinstance(first, Composite) and not isinstance(second, Composite)
    dtypes, others = ([part.dtype for part in x.components] for x in (first, second))
    return type(first) is type(second) and dtypes == others


def _is_spec(value: Any) -> bool:
    """Return True for the spec of a composite."""
    kind = getattr(value, "value_type", None)
    return isinstance(kind, type) and issubclass(kind, Composite | FieldRecord)


def _same_records(first: Any, second: Any) -> bool:
    """Return True if two records of one class have the same static fields and kinds of parts."""
    parts, others = first.__parts__(), second.__parts__()
    return first.__facts__() == second.__facts__() and all(map(_same_composites, parts, others))


def contents(nest: Any) -> list[Any]:
    """Return the items of a nest in order."""
    if type(nest) is tuple or type(nest) is list:
        return list(nest)
    if type(nest) is dict or isinstance(nest, Mapping):
        return [nest[key] for key in sorted(nest)]
    if _is_attrs(nest):
        return [getattr(nest, field.name) for field in nest.__attrs_attrs__]
    if is_flattened(nest):
        return list(nest.__tf_flatten__()[1])
    return list(nest)


def items(nest: Any) -> list[tuple[Any, Any]]:
    """Return the items of a nest in order, each with its key, field name or number."""
    values = contents(nest)
    if isinstance(nest, Mapping):
        keys: Any = sorted(nest)
    elif _is_namedtuple(nest):
        keys = nest._fields
    elif _is_attrs(nest):
        keys = [field.name for field in nest.__attrs_attrs__]
    else:
        keys = range(len(values))
    return list(zip(keys, values, strict=True))


def packer(structure: Any) -> Callable[[Iterator[Any]], Any]:
    """Return a function that builds a nest like `structure` from the next leaves of an iterator."""
    if not is_nested(structure):
        return next
    parts = [packer(item) for item in contents(structure)]
    if type(structure) is tuple:
        return lambda leaves: tuple([part(leaves) for part in parts])
    if type(structure) is not dict:
        return lambda leaves: rebuilt(structure, [part(leaves) for part in parts])
    named = list(zip(sorted(structure), parts, strict=True))
    names = list(structure)

    def mapping(leaves: Iterator[Any]) -> Any:
        found = {name: part(leaves) for name, part in named}
        return {name: found[name] for name in names}

    return mapping


def rebuilt(nest: Any, items: list[Any]) -> Any:
    """Return a nest of the same kind with other items. Views and ranges become lists."""
    if type(nest) is tuple or type(nest) is list:
        return type(nest)(items)
    if type(nest) is dict or isinstance(nest, Mapping):
        found = dict(zip(sorted(nest), items, strict=True))
        return mapping_like(nest, {key: found[key] for key in nest})
    if isinstance(nest, MappingView | range):
        return items
    if is_flattened(nest):
        return nest.__tf_unflatten__(nest.__tf_flatten__()[0], tuple(items))
    kind: Any = type(nest)
    return kind(*items) if _is_namedtuple(nest) or _is_attrs(nest) else kind(items)


def mapping_like(like: Mapping[Any, Any], found: dict[Any, Any]) -> Any:
    """Return a mapping of the same kind with other items."""
    kind: Any = type(like)
    if kind is dict:
        return found
    if not isinstance(like, MutableMapping):
        return kind(found)
    made = kind(like.default_factory) if isinstance(like, defaultdict) else kind()
    for key, value in found.items():
        made[key] = value
    return made


def _is_namedtuple(nest: Any) -> bool:
    return isinstance(nest, tuple) and hasattr(nest, "_fields")


def _is_attrs(nest: Any) -> bool:
    return hasattr(type(nest), "__attrs_attrs__")


def is_flattened(nest: Any) -> bool:
    """Return True for an object that defines its own items, usually a data class.

    `__tf_flatten__()` returns a pair of metadata and items, and the class method
    `__tf_unflatten__(metadata, items)` makes an object of them.
    """
    kind = type(nest)
    return hasattr(kind, "__tf_flatten__") and hasattr(kind, "__tf_unflatten__")


def _outline(nest: Any) -> str:
    """Return the structure as text, with a dot for each leaf."""
    if not is_nested(nest):
        return "."
    inner = [_outline(item) for item in contents(nest)]
    if isinstance(nest, Mapping):
        pairs = zip(sorted(nest), inner, strict=True)
        return f"{{{', '.join(f'{key!r}: {value}' for key, value in pairs)}}}"
    return f"({', '.join(inner)})" if isinstance(nest, tuple) else f"[{', '.join(inner)}]"
