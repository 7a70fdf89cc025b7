"""The division of nested lists into rows and values, for ragged tensors and ragged arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from tfpy._src.core.operand import HostComposite
from tfpy._src.tensors.composite.ragged.tensor import RaggedTensor


class Divided(NamedTuple):
    """The parts of a nested list."""

    lengths: list[list[int]]
    """Row lengths of each ragged axis, outermost first."""
    values: Any
    """List of the values in all rows."""
    shape: tuple[int, ...] | None
    """Shape of the values; None if NumPy finds it."""


def divided(pylist: Any, ragged_rank: int | None, inner_shape: Sequence[int] | None) -> Divided:
    """Divide a nested list.

    Args:
        pylist: Nested list, tuple or array, or a scalar.
        ragged_rank: Number of ragged axes. Default: as many as possible.
        inner_shape: Shape of the innermost values. Default: the shape that they have.

    Raises:
        TypeError: If `pylist` is a ragged tensor.
        ValueError: If the scalars are nested at different depths, or another argument does not
            match.
    """
    if isinstance(pylist, RaggedTensor | HostComposite):
        raise TypeError("pylist may not be a RaggedTensor or RaggedTensorValue.")
    inner = None if inner_shape is None else tuple(int(n) for n in inner_shape)
    if not _is_nested(pylist):
        _check_scalar(pylist, ragged_rank, inner)
        return Divided([], pylist, ())
    scalars, deepest = _depths(pylist)
    _check(pylist, ragged_rank, inner, scalars, deepest)
    if ragged_rank is None:
        levels = deepest - 1 - len(inner or ())
        if levels < 1:
            return Divided([], pylist, inner)
        if scalars is None:
            levels = deepest - 1
    else:
        levels = ragged_rank
    lengths, values = [], pylist
    for level in range(levels):
        if not all(map(_is_nested, values)):
            raise ValueError(
                f"pylist has scalar values depth {level + 1}, but ragged_rank={levels} requires "
                f"scalar value depth greater than {levels}"
            )
        lengths.append([len(row) for row in values])
        values = [item for row in values for item in row]
    if not levels:
        return Divided([], pylist, inner)
    if inner is None:
        inner = () if ragged_rank is None else _shape(values)[1:]
    return Divided(lengths, values, (len(values), *inner))


def _is_nested(value: Any) -> bool:
    return isinstance(value, list | tuple) or np.ndim(value) > 0


def _check_scalar(value: Any, ragged_rank: int | None, inner: tuple[int, ...] | None) -> None:
    if ragged_rank:
        raise ValueError(f"Invalid pylist={value!r}: incompatible with ragged_rank={ragged_rank}")
    if inner:
        raise ValueError(
            f"Invalid pylist={value!r}: incompatible with dim(inner_shape)={len(inner)}"
        )


def _check(
    pylist: Any,
    ragged_rank: int | None,
    inner: tuple[int, ...] | None,
    scalars: int | None,
    deepest: int,
) -> None:
    """Raise a ValueError if the arguments do not match the depths of a nested list."""
    if ragged_rank is not None and ragged_rank < 0:
        raise ValueError(f"Invalid ragged_rank={ragged_rank!r}: must be nonnegative")
    if scalars is not None and deepest > scalars:
        raise ValueError(
            f"Invalid pylist={pylist!r}: empty list nesting is greater than scalar value nesting"
        )
    if ragged_rank is None:
        return
    if scalars is not None and deepest < ragged_rank:
        raise ValueError(
            f"Invalid pylist={pylist}, max depth smaller than ragged_rank={ragged_rank}"
        )
    if inner is not None:
        wanted = ragged_rank + len(inner) + 1
        if wanted < deepest if scalars is None else wanted != scalars:
            raise ValueError(
                f"Invalid pylist={pylist!r}: incompatible with ragged_rank={ragged_rank} and "
                f"dim(inner_shape)={len(inner)}"
            )


def _depths(value: Any) -> tuple[int | None, int]:
    """Return the depth of the scalars, or None if there are none, and the depth of all lists."""
    if not _is_nested(value):
        return 0, 0
    found = [_depths(item) for item in value]
    scalars = {depth for depth, _ in found} - {None}
    if len(scalars) > 1:
        raise ValueError("all scalar values must have the same nesting depth")
    first = next(iter(scalars), None)
    deepest = 1 + max((depth for _, depth in found), default=0)
    return None if first is None else first + 1, deepest


def _shape(values: Any) -> tuple[int, ...]:
    """Return the shape of nested lists whose rows have equal lengths."""
    if not _is_nested(values):
        return ()
    shapes = {_shape(item) for item in values}
    if len(shapes) > 1:
        raise ValueError("inner values have inconsistent shape")
    return (len(values), *next(iter(shapes), ()))
