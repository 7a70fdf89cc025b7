"""Values between the host and tensors.

Shapes, axes, permutations and indices stay arrays of NumPy, in int64: they must be known while a
function is traced, and files have values such as INT64_MAX in them.
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
    """A tensor of an array; of int64 beyond int32 the nearest number."""
    if isinstance(value, np.ndarray | np.generic):
        array = np.asarray(value)
        if array.dtype == np.int64:
            array = array.clip(_INT32.min, _INT32.max).astype(np.int32)
        return constant(array)
    return convert_to_tensor(value)


def host(value: Any) -> Array:
    """The values on the host; whole numbers of 32 bits as int64.

    Raises:
        NotTraceableError: for a tensor that stands for unknown values.
    """
    array = value if isinstance(value, np.ndarray) else host_values(value)
    return array.astype(np.int64) if array.dtype == np.int32 else array


def ints(value: Any) -> tuple[int, ...]:
    """The whole numbers of a value on the host.

    Raises:
        NotTraceableError: for a tensor that stands for unknown values.
    """
    return tuple(int(n) for n in host(value).reshape(-1))


def is_host(*values: Any) -> bool:
    """Whether all are arrays of the host."""
    return all(isinstance(value, np.ndarray | np.generic) for value in values)


def shape_of(value: Any) -> tuple[int, ...]:
    """The sizes of a tensor or array."""
    if isinstance(value, np.ndarray):
        return value.shape
    shape: tuple[int, ...] = tensor(value).aval.shape
    return shape


def bounded(op: str, shape: Iterable[int]) -> tuple[int, ...]:
    """A shape that a model computed.

    Raises:
        InvalidArgumentError: when a size is negative, or an array would be huge.
    """
    sizes = tuple(map(size_of, shape))
    if min(sizes, default=0) < 0 or math.prod(sizes) > MAX_ELEMENTS or len(sizes) > 32:
        raise invalid(op, f"the result would have the shape {list(sizes)[:40]}")
    return sizes


def positive(axis: int, rank: int, op: str) -> int:
    """An axis counted from the front.

    Raises:
        InvalidArgumentError: when there is no such axis.
    """
    if not -rank <= axis < max(rank, 1):
        raise invalid(op, f"axis {axis} of a tensor with {rank} axes")
    return axis + rank if axis < 0 else axis


def all_positive(axes: Iterable[int], rank: int, op: str) -> tuple[int, ...]:
    """Axes counted from the front.

    Raises:
        InvalidArgumentError: when there is no such axis, or one is there twice.
    """
    found = tuple(positive(int(axis), rank, op) for axis in axes)
    if len(set(found)) != len(found):
        raise invalid(op, f"an axis is there twice: {list(found)}")
    return found


def dtype_of(number: int, op: str) -> DType:
    """The dtype with ONNX's number; float64 is float32, and int64 int32.

    Raises:
        ModelFileError: when there is no such dtype.
        UnimplementedError: when tfpy lacks it.
    """
    name = dtype_name(number, op)
    numpy_dtype(name)
    return as_dtype(name)


def host_dtype(number: int, op: str) -> Any:
    """NumPy's dtype with ONNX's number."""
    return object if DTYPES.get(number) == "string" else numpy_dtype(dtype_name(number, op))


def like(value: Any, other: Tensor) -> Tensor:
    """A tensor of the dtype of another."""
    return cast(tensor(value), other.dtype)
