"""The axes of ragged tensors in arguments. TensorFlow checks them in Python."""

from __future__ import annotations

from typing import Any

from tfpy._src.compiler.ir.sizes import size_of


def positive_axis(op: str, axis: Any, rank: int, name: str = "axis") -> int:
    """Return an axis as a nonnegative number.

    Args:
        op: Function that the errors name.
        axis: The axis.
        rank: Number of dimensions.
        name: Name of the argument.

    Raises:
        ValueError: If the axis is outside of `[-rank, rank)`.
        TypeError: If the axis is not an integer.
    """
    try:
        number = axis if type(axis) is int else size_of(axis)
    except TypeError:
        raise TypeError(f"{op}: {name} must be an int; got {type(axis).__name__}") from None
    if not -rank <= number < rank:
        raise ValueError(f"{op}: {name}={axis} out of bounds: expected {-rank}<={name}<{rank}")
    return number % rank if rank else 0
