"""The compiled module of dm-tree, in plain Python, for pages."""

from collections.abc import Iterator, Mapping, MappingView, Sequence
from typing import Any


def is_namedtuple(instance: object, strict: bool) -> bool:
    """Return True for an instance of a named tuple; with `strict`, not for one of a subclass."""
    if not isinstance(instance, tuple):
        return False
    if strict and type(instance).__base__ is not tuple:
        return False
    fields = getattr(instance, "_fields", None)
    return isinstance(fields, Sequence) and all(isinstance(name, str) for name in fields)


def same_namedtuples(a: object, b: object) -> bool:
    """Return True if the classes of two named tuples have the same name and fields."""
    of_a, of_b = (_class_of(x) for x in (a, b))
    same: bool = of_a.__name__ == of_b.__name__ and of_a._fields == of_b._fields
    return same


def is_attrs(instance: object) -> bool:
    """Return True for an instance of a class that the package attrs has made."""
    return hasattr(_class_of(instance), "__attrs_attrs__")


def is_sequence(instance: object) -> bool:
    """Return True for a value that has parts: no leaf of a structure."""
    if isinstance(instance, str | bytes | bytearray):
        return False
    return isinstance(instance, Sequence | Mapping | MappingView) or is_attrs(instance)


def flatten(structure: object) -> list[Any]:
    """Return the leaves of a structure."""
    return [*_leaves(structure)]


def assert_same_structure(a: object, b: object, check_types: bool) -> None:
    """Check that two structures are nested in the same way.

    Raises:
        ValueError: If they have different keys, lengths or depths.
        TypeError: If types of their nodes differ and `check_types` is true.
    """
    error, more = _difference(a, b, check_types)
    if error:
        raise error(
            "The two structures don't have the same nested structure.\n\n"
            f"First structure: {_described(a)}\n\nSecond structure: {_described(b)}\n\n"
            f"More specifically: {more}"
        )


def _class_of(instance: Any) -> Any:
    """Return the class of a value, also through an object proxy of wrapt."""
    return instance.__class__


def _sorted_keys(mapping: Mapping[Any, Any]) -> list[Any]:
    try:
        return sorted(mapping)
    except TypeError:
        raise TypeError("tree only supports dicts with sortable keys.") from None


def _parts(structure: Any) -> Iterator[Any]:
    if isinstance(structure, Mapping):
        return (structure[key] for key in _sorted_keys(structure))
    if is_attrs(structure):
        fields = _class_of(structure).__attrs_attrs__
        return (getattr(structure, field.name) for field in fields)
    return iter(structure)


def _leaves(structure: object) -> Iterator[Any]:
    if not is_sequence(structure):
        yield structure
        return
    for part in _parts(structure):
        yield from _leaves(part)


def _described(structure: object) -> str:
    return f"type={type(structure).__name__} str={structure}"


def _difference(a: Any, b: Any, check_types: bool) -> tuple[type[Exception] | None, str]:
    """Return the error for the first difference of two structures, or None, and its text."""
    if is_sequence(a) != is_sequence(b):
        nested, leaf = (a, b) if is_sequence(a) else (b, a)
        return ValueError, (
            f'Substructure "{_described(nested)}" is a sequence, while substructure '
            f'"{_described(leaf)}" is not'
        )
    if not is_sequence(a):
        return None, ""
    if check_types and (text := _types_differ(a, b)):
        return TypeError, text
    if isinstance(a, Mapping) and isinstance(b, Mapping) and {*a} != {*b}:
        return ValueError, (
            "The two dictionaries don't have the same set of keys. First structure has keys "
            f"{[*a]}, while second structure has keys {[*b]}"
        )
    of_a, of_b = [*_parts(a)], [*_parts(b)]
    for x, y in zip(of_a, of_b, strict=False):
        found = _difference(x, y, check_types)
        if found[0]:
            return found
    if len(of_a) != len(of_b):
        return ValueError, (
            "The two structures don't have the same number of elements. First structure: "
            f"{_described(a)}. Second structure: {_described(b)}"
        )
    return None, ""


def _types_differ(a: Any, b: Any) -> str:
    """Return a text if the classes of two nodes differ, or "" if they count as the same."""
    of_a, of_b = _class_of(a), _class_of(b)
    if of_a is of_b or (isinstance(a, Mapping) and isinstance(b, Mapping)):
        return ""
    if is_namedtuple(a, False) and is_namedtuple(b, False) and same_namedtuples(a, b):
        return ""
    if issubclass(of_a, list) and issubclass(of_b, list):
        return ""
    return (
        "The two structures don't have the same sequence type. First structure has type "
        f"{of_a.__name__}, while second structure has type {of_b.__name__}"
    )
