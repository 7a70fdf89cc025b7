"""The keys of Variables in checkpoints, where the parts of a larger Variable share one key."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from tfpy._src.library.compat.graphs.partitioned import PartitionedVariable, SaveSliceInfo
from tfpy._src.tensors.variables.variable import Variable

Held = Variable | list[Variable]
"""A Variable, or the parts of a larger one."""


def place_of(variable: Variable) -> SaveSliceInfo | None:
    """Return the place of a part in the whole Variable, or None for other Variables."""
    return vars(variable).get("_save_slice_info")


def keyed_variables(given: Mapping[str, Any] | Sequence[Any]) -> dict[str, Held]:
    """Return Variables by their keys in a checkpoint.

    Args:
        given: Variables, or a mapping from keys to Variables or their parts.

    Raises:
        ValueError: If two Variables have the same name.
    """
    if isinstance(given, Mapping):
        return {
            key: list(held) if isinstance(held, PartitionedVariable | Sequence) else held
            for key, held in given.items()
        }
    found: dict[str, Held] = {}
    groups = (held if isinstance(held, PartitionedVariable) else [held] for held in given)
    for variable in itertools.chain.from_iterable(groups):
        place = place_of(variable)
        if place is not None:
            parts = found.setdefault(place.full_name, [])
            assert isinstance(parts, list)
            parts.append(variable)
            continue
        name = variable.name.partition(":")[0]
        if name in found:
            raise ValueError(f"At least two variables have the same name: {name}")
        found[name] = variable
    return found


def parts_of(held: Held) -> list[Variable]:
    """Return the Variables that are stored under one key."""
    return held if isinstance(held, list) else [held]


def joined(items: Mapping[str, Held], values: Sequence[Any]) -> Iterator[tuple[str, Variable, Any]]:
    """Yield the keys with a Variable and the stored value.

    Args:
        items: Variables by key.
        values: Values of all Variables and parts, in order.
    """
    rest = iter(values)
    for key, held in items.items():
        if not isinstance(held, list):
            yield key, held, next(rest)
            continue
        whole: Any = None
        for part in held:
            value, place = np.asarray(next(rest)), place_of(part)
            assert place is not None
            if whole is None:
                whole = np.zeros(place.full_shape, value.dtype)
            whole[_slices(place)] = value
        yield key, held[0], whole


def divided(held: Held, value: Any) -> Iterator[tuple[Variable, Any]]:
    """Yield each Variable with its part of a stored value."""
    for variable in parts_of(held):
        place = place_of(variable) if isinstance(held, list) else None
        yield variable, value if place is None else value[_slices(place)]


def _slices(place: SaveSliceInfo) -> tuple[slice, ...]:
    pairs = zip(place.var_offset, place.var_shape, strict=True)
    return tuple(slice(start, start + size) for start, size in pairs)
