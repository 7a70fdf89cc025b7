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


def map_nest(nest: Any, function: Callable[[Any], Any]) -> Any:
    """The nest with ``function`` of each leaf; named tuples keep their type."""
    if isinstance(nest, Mapping):
        return type(nest)((k, map_nest(v, function)) for k, v in nest.items())  # type: ignore[call-arg]
    if isinstance(nest, tuple) and hasattr(nest, "_fields"):
        return type(nest)(*(map_nest(v, function) for v in nest))
    if isinstance(nest, list | tuple):
        return type(nest)(map_nest(v, function) for v in nest)
    if isinstance(nest, Composite):
        mapped = function(nest.differentiable)
        return None if mapped is None else nest.with_differentiable(mapped)
    return function(nest)
