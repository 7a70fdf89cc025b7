"""Conversion of sizes, axes and counts to integers, which functions need while tracing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from tfpy._src.base.errors import ResourceExhaustedError
from tfpy._src.compiler.ir.aval import Array
from tfpy._src.compiler.ir.sizes import is_open, size_of
from tfpy._src.compiler.ops import movement
from tfpy._src.core.conversion import host_values, is_operand, is_tensor, offers_tensor
from tfpy._src.core.host_arrays import is_array_like
from tfpy._src.core.sizes import Sizes


def static_ints(value: Any) -> tuple[int, ...]:
    """Return a shape or a list of axes as integers. Tensors are read; open sizes stay open."""
    if type(value) in (list, tuple) and all(type(n) is int for n in value):
        return tuple(value)  # by far the most frequent case
    if isinstance(value, int | np.integer):
        return (size_of(value),)
    if isinstance(value, Sizes):
        return value.sizes
    if is_operand(value) or is_array_like(value) or offers_tensor(value):
        value = host_values(value)
    if isinstance(value, np.ndarray):
        return tuple(size_of(v) for v in value.reshape(-1).tolist())
    if not isinstance(value, Iterable) or isinstance(value, str):
        return (size_of(value),)  # raises a TypeError
    return tuple(_packed_size(v) for v in value)


def attribute_ints(value: Any) -> tuple[int, ...]:
    """Return the sizes or strides of a window as integers.

    Floats are accepted, as in TensorFlow.
    """
    if isinstance(value, float | np.floating):
        return (int(value),)
    if isinstance(value, list | tuple):
        value = [int(n) if isinstance(n, float | np.floating) else n for n in value]
    return static_ints(value)


def _packed_size(value: Any) -> int:
    """Return a size from a sequence.

    TensorFlow casts the tensors of such a sequence, but rejects a float tensor as the whole shape.
    """
    if is_tensor(value) and value.dtype.is_floating:
        return int(static_number(value))
    return static_int(value)


def static_int(value: Any) -> int:
    """Return a size, axis or count as an integer. A tensor is read; an open size stays open.

    Raises:
        TypeError: If the value is not a single integer.
        NotTraceableError: If the value is a traced tensor.
    """
    if isinstance(value, Sizes):
        return value.sizes[0]
    return size_of(static_number(value))


def static_number(value: Any) -> Any:
    """Return a number. A tensor is read.

    Raises:
        TypeError: If the value is not a single number.
        NotTraceableError: If the value is a traced tensor.
    """
    if not is_operand(value) and not is_array_like(value) and not offers_tensor(value):
        return value
    found = host_values(value)
    if found.size != 1:
        raise TypeError(f"Expected a single number, got {value!r}")
    return found.item()


def sized(values: np.ndarray[Any, Any], shape: tuple[int, ...]) -> Any:
    """Return an array as a tensor of an open shape if the shape is open, else the array itself."""
    return movement.broadcast_to(values, shape=shape) if is_open(shape) else values


def repeated(op: str, size: int, counts: Sequence[int]) -> Array:
    """Return the integers below `size`, each as many times as its count specifies.

    Raises:
        ResourceExhaustedError: If there is no memory for them.
    """
    try:
        return np.repeat(np.arange(size, dtype=np.int32), counts)
    except MemoryError as error:
        raise ResourceExhaustedError(None, op, f"{op}: {error}") from None
