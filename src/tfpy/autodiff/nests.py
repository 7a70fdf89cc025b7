"""Nests of tensors: lists, tuples, named tuples and mappings."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from tfpy.operand import Composite


def leaves(nest: Any) -> list[Any]:
    """What the nest holds, in order."""
    if isinstance(nest, list | tuple):
        return [leaf for item in nest for leaf in leaves(item)]
    if isinstance(nest, Mapping):
        return [leaf for item in nest.values() for leaf in leaves(item)]
    if isinstance(nest, Composite):
        return [nest.differentiable]
    return [nest]


def map_items(value: Any, function: Callable[[Any], Any]) -> Any:
    """A list, tuple or mapping with ``function`` of its items; other values as they are.

    Named tuples keep their type; tuples of a type of their own, such as shapes, are no nests.
    """
    if isinstance(value, Mapping):
        return type(value)((k, function(v)) for k, v in value.items())  # type: ignore[call-arg]
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*(function(v) for v in value))
    if type(value) in (list, tuple):
        return type(value)(function(v) for v in value)
    return value


def map_nest(nest: Any, function: Callable[[Any], Any]) -> Any:
    """The nest with ``function`` of each leaf."""
    if isinstance(nest, list | tuple | Mapping):
        return map_items(nest, lambda item: map_nest(item, function))
    if isinstance(nest, Composite):
        mapped = function(nest.differentiable)
        return None if mapped is None else nest.with_differentiable(mapped)
    return function(nest)
