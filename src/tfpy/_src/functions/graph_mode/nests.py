"""The items of the nests that operations of a graph accept and return."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from tfpy._src.core.indexed_slices import IndexedSlices
from tfpy._src.functions.control.staged_array import StagedArray
from tfpy._src.functions.graph_mode.composites import COMPOSITES, rebuilt


def mapped(
    value: Any, change: Callable[[Any], Any], build: Callable[[Any, list[Any]], Any] = rebuilt
) -> Any:
    """Apply a function to the items of nested lists, tuples, dicts, slices and TensorArrays.

    Args:
        value: The nest.
        change: Function of an item.
        build: Function of a sparse or ragged tensor and its changed components.
    """
    if isinstance(value, Mapping) and type(value) is dict:
        return {k: mapped(v, change, build) for k, v in value.items()}
    if type(value) is list:
        return [mapped(v, change, build) for v in value]
    if isinstance(value, tuple):
        items = [mapped(v, change, build) for v in value]
        return type(value)(*items) if hasattr(value, "_fields") else tuple(items)
    if isinstance(value, StagedArray):
        return value.with_values(mapped(value.values, change, build))
    if type(value) is slice:
        return slice(*mapped((value.start, value.stop, value.step), change, build))
    if isinstance(value, IndexedSlices):
        return value.with_components([change(c) for c in value.components])
    if isinstance(value, COMPOSITES):
        return build(value, [change(c) for c in value.components])
    return change(value)


def leaves(value: Any) -> list[Any]:
    """Return the items of nested lists, tuples, dicts, slices and TensorArrays."""
    found: list[Any] = []

    def add(item: Any) -> Any:
        found.append(item)
        return item

    mapped(value, add, lambda composite, _: composite)
    return found
