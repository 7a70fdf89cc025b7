"""Sizes, axes and counts, which a function needs as numbers while it is traced, too."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from tfpy._src.compiler.ir.sizes import is_open, size_of
from tfpy._src.compiler.ops import movement
from tfpy._src.core.conversion import host_values, is_operand, is_tensor, offers_tensor
from tfpy._src.core.host_arrays import is_array_like
from tfpy._src.core.sizes import Sizes


def static_ints(value: Any) -> tuple[int, ...]:
    """A shape, axis list or the like as ints; tensors are read. Open sizes stay open."""
    if type(value) in (list, tuple) and all(type(n) is int for n in value):
        return tuple(value)  # nearly always
    if isinstance(value, int | np.integer):
        return (size_of(value),)
    if isinstance(value, Sizes):
        return value.sizes
    if is_operand(value) or is_array_like(value) or offers_tensor(value):
        value = host_values(value)
    if isinstance(value, np.ndarray):
        return tuple(size_of(v) for v in value.reshape(-1).tolist())
    if not isinstance(value, Iterable) or isinstance(value, str):
        return (size_of(value),)  # raises
    return tuple(_packed_size(v) for v in value)


def attribute_ints(value: Any) -> tuple[int, ...]:
    """Integers of a window or stride, which TensorFlow's attributes take from floats, too."""
    if isinstance(value, float | np.floating):
        return (int(value),)
    if isinstance(value, list | tuple):
        value = [int(n) if isinstance(n, float | np.floating) else n for n in value]
    return static_ints(value)


def _packed_size(value: Any) -> int:
    """A size out of a sequence: TensorFlow casts tensors there, and refuses a tensor of floats."""
    if is_tensor(value) and value.dtype.is_floating:
        return int(static_number(value))
    return static_int(value)


def static_int(value: Any) -> int:
    """A size, axis or count as an int; a tensor is read. An open size stays open.

    Raises:
        TypeError: when it is none, or more than one number.
        NotTraceableError: for a tensor that is being traced.
    """
    if isinstance(value, Sizes):
        return value.sizes[0]
    return size_of(static_number(value))


def static_number(value: Any) -> Any:
    """A number; a tensor is read.

    Raises:
        TypeError: when it is more than one.
        NotTraceableError: for a tensor that is being traced.
    """
    if not is_operand(value) and not is_array_like(value) and not offers_tensor(value):
        return value
    found = host_values(value)
    if found.size != 1:
        raise TypeError(f"expected a single number, got {value!r}")
    return found.item()


def sized(values: np.ndarray[Any, Any], shape: tuple[int, ...]) -> Any:
    """Values that were made for sizes, as a tensor where a size is open: so is its shape then."""
    return movement.broadcast_to(values, shape=shape) if is_open(shape) else values
