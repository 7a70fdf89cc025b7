"""Conversion between host arrays and tensors.

Shapes, axes, permutations and indices stay NumPy arrays of int64: they must be known during
tracing, and files contain values such as INT64_MAX.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from tfpy._src.base.dtypes import DType, as_dtype
from tfpy._src.base.errors import invalid
from tfpy._src.compiler.ir.aval import Array
from tfpy._src.compiler.ir.sizes import size_of
from tfpy._src.core.conversion import constant, convert_to_tensor, host_values
from tfpy._src.core.tensor import Tensor
from tfpy._src.formats.onnx.reader.tensors import DTYPES, MAX_ELEMENTS, dtype_name, numpy_dtype
from tfpy._src.tensors.array.making import cast

_INT32 = np.iinfo(np.int32)


def tensor(value: Any) -> Tensor:
    """Convert an array to a tensor; int64 values saturate at the limits of int32."""
    if isinstance(value, np.ndarray | np.generic):
        array = np.asarray(value)
        if array.dtype == np.int64:
            array = array.clip(_INT32.min, _INT32.max).astype(np.int32)
        return constant(array)
    return convert_to_tensor(value)


def host(value: Any) -> Array:
    """Return the values as a host array; int32 becomes int64.

    Raises:
        NotTraceableError: If the values are unknown during tracing.
    """
    array = value if isinstance(value, np.ndarray) else host_values(value)
    return array.astype(np.int64) if array.dtype == np.int32 else array


def ints(value: Any) -> tuple[int, ...]:
    """Return the integers of a value on the host.

    Raises:
        NotTraceableError: If the values are unknown during tracing.
    """
    return tuple(int(n) for n in host(value).reshape(-1))


def is_host(*values: Any) -> bool:
    """Return True if all values are host arrays."""
    return all(isinstance(value, np.ndarray | np.generic) for value in values)


def shape_of(value: Any) -> tuple[int, ...]:
    """Return the shape of a tensor or array."""
    if isinstance(value, np.ndarray):
        return value.shape
    shape: tuple[int, ...] = tensor(value).aval.shape
    return shape


def bounded(op: str, shape: Iterable[int]) -> tuple[int, ...]:
    """Check a computed shape.

    Raises:
        InvalidArgumentError: If a size is negative, or the array would be too large.
    """
    sizes = tuple(map(size_of, shape))
    if min(sizes, default=0) < 0 or math.prod(sizes) > MAX_ELEMENTS or len(sizes) > 32:
        raise invalid(op, f"the result would have the invalid shape {list(sizes)[:40]}")
    return sizes


def positive(axis: int, rank: int, op: str) -> int:
    """Return an axis, counted from the front.

    Raises:
        InvalidArgumentError: If there is no such axis.
    """
    if not -rank <= axis < max(rank, 1):
        raise invalid(op, f"axis {axis} is out of range for a tensor with {rank} axes")
    return axis + rank if axis < 0 else axis


def all_positive(axes: Iterable[int], rank: int, op: str) -> tuple[int, ...]:
    """Return axes, counted from the front.

    Raises:
        InvalidArgumentError: If an axis does not exist or is repeated.
    """
    found = tuple(positive(int(axis), rank, op) for axis in axes)
    if len(set(found)) != len(found):
        raise invalid(op, f"the axes {list(found)} contain duplicates")
    return found


def dtype_of(number: int, op: str) -> DType:
    """Return the dtype for ONNX's enum value; float64 becomes float32, and int64 becomes int32.

    Raises:
        ModelFileError: If there is no such dtype.
        UnimplementedError: If tfpy does not support the dtype.
    """
    name = dtype_name(number, op)
    numpy_dtype(name)
    return as_dtype(name)


def host_dtype(number: int, op: str) -> Any:
    """Return NumPy's dtype for ONNX's enum value."""
    return object if DTYPES.get(number) == "string" else numpy_dtype(dtype_name(number, op))


def like(value: Any, other: Tensor) -> Tensor:
    """Convert a value to a tensor with the dtype of another one."""
    return cast(tensor(value), other.dtype)
