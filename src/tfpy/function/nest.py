"""Nests of values as TensorFlow's control flow sees them: lists, tuples, mappings by sorted key."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any


def flatten(nest: Any) -> list[Any]:
    """The leaves in order."""
    return list(_leaves(nest))


def _leaves(nest: Any) -> Iterator[Any]:
    if isinstance(nest, Mapping):
        for key in sorted(nest):
            yield from _leaves(nest[key])
    elif _is_sequence(nest):
        for item in nest:
            yield from _leaves(item)
    else:
        yield nest


def pack(like: Any, leaves: Sequence[Any]) -> Any:
    """A nest like ``like`` over other leaves."""
    return _packed(like, iter(leaves))


def _packed(like: Any, leaves: Iterator[Any]) -> Any:
    if isinstance(like, Mapping):
        found = {key: _packed(like[key], leaves) for key in sorted(like)}
        return type(like)((key, found[key]) for key in like)  # type: ignore[call-arg]
    if isinstance(like, tuple) and hasattr(like, "_fields"):
        return type(like)(*(_packed(item, leaves) for item in like))
    if _is_sequence(like):
        return type(like)(_packed(item, leaves) for item in like)
    return next(leaves)


def same_structure(first: Any, second: Any, check_types: bool = True) -> None:
    """Checks that two nests have one structure.

    Raises:
        ValueError: where they differ in nesting or length.
        TypeError: where they differ in the type of sequence only.
    """
    if not _same_nesting(first, second):
        raise ValueError(
            "The two structures don't have the same nested structure. First structure: "
            f"{_outline(first)}. Second structure: {_outline(second)}"
        )
    if check_types and not _same_types(first, second):
        raise TypeError(
            "The two structures don't have the same sequence type. First structure: "
            f"{_outline(first)}. Second structure: {_outline(second)}"
        )


def _same_nesting(first: Any, second: Any) -> bool:
    if isinstance(first, Mapping) and isinstance(second, Mapping):
        return sorted(first) == sorted(second) and all(
            _same_nesting(first[k], second[k]) for k in first
        )
    if _is_sequence(first) and _is_sequence(second):
        return len(first) == len(second) and all(map(_same_nesting, first, second))
    return not _is_nest(first) and not _is_nest(second)


def _same_types(first: Any, second: Any) -> bool:
    if isinstance(first, Mapping):
        return all(_same_types(first[k], second[k]) for k in first)
    if _is_sequence(first):
        return type(first) is type(second) and all(map(_same_types, first, second))
    return True


def _outline(nest: Any) -> str:
    if isinstance(nest, Mapping):
        return "{" + ", ".join(f"{k!r}: {_outline(nest[k])}" for k in sorted(nest)) + "}"
    if _is_sequence(nest):
        inner = ", ".join(map(_outline, nest))
        return f"[{inner}]" if isinstance(nest, list) else f"({inner})"
    return "."


def _is_sequence(nest: Any) -> bool:
    from tfpy.tensor_shape import TensorShape

    return isinstance(nest, list | tuple) and not isinstance(nest, TensorShape)


def _is_nest(nest: Any) -> bool:
    return isinstance(nest, Mapping) or _is_sequence(nest)
