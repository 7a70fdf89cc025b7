"""NumPy's dtype promotion, and the conversion of values to tensors with it.

Python's numbers adapt to the dtypes of tensors, and int32 with float32 becomes float64, as in NumPy
2. In the modes "safe" and "all" of `experimental_enable_numpy_behavior`, the lattice of `lattice`
applies instead.
"""

from __future__ import annotations

import builtins
import numbers
from collections.abc import Iterator
from typing import Any

import numpy as np

from tfpy._src.base import dtypes
from tfpy._src.base.dtypes import DType, as_dtype
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.operand import Holder
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.tensor_shape import TensorShape
from tfpy._src.core.typing import DTypeLike, TensorLike
from tfpy._src.library.experimental_numpy import lattice
from tfpy._src.library.experimental_numpy.documented import documented
from tfpy._src.tensors.array.making import cast


class NumpyBehavior:
    """The choices of `experimental_enable_numpy_behavior`."""

    prefer_float32 = False
    """True if Python floats are float32 in the dtype rules of this namespace."""
    mode = "off"
    """One of "off", "legacy", "safe" and "all"."""
    are_functions_replaced = False
    """True if the functions of the public modules return weak tensors."""

    @property
    def has_weak_types(self) -> bool:
        """True in the modes with weakly typed tensors."""
        return self.mode in ("safe", "all")


settings = NumpyBehavior()


@documented(
    "Return the dtype to which NumPy promotes arrays, numbers and dtypes.",
    "tnp.result_type(tf.int8, tf.float16)",
    "tf.float16",
    "A `tf.DType`.",
    arrays_and_dtypes="Tensors, arrays, Python numbers and dtypes.",
)
def result_type(*arrays_and_dtypes: Any) -> DType:
    if settings.has_weak_types:
        return lattice.result_type(*_leaves(arrays_and_dtypes), mode=settings.mode)[0]
    values = [_for_numpy(x) for x in _leaves(arrays_and_dtypes)]
    return as_dtype(np.result_type(*values or [np.asarray([])]))


@documented(
    "Return the dtype to which NumPy promotes two dtypes.",
    "tnp.promote_types(tf.int8, tf.float16)",
    "dtype('float16')",
    "A `numpy.dtype`.",
    type1="Dtype.",
    type2="Dtype.",
)
def promote_types(type1: DTypeLike, type2: DTypeLike) -> np.dtype[Any]:
    return np.promote_types(_numpy_type(type1), _numpy_type(type2))


def _leaves(values: Any) -> Iterator[Any]:
    """Yield the elements of nested lists and tuples."""
    for value in values:
        if isinstance(value, list | tuple):
            yield from _leaves(value)
        else:
            yield value


def _for_numpy(value: Any) -> Any:
    """Return an argument of `numpy.result_type`: an array, a number or a dtype."""
    if settings.prefer_float32 and isinstance(value, builtins.float):
        return np.float32(value)
    if settings.prefer_float32 and isinstance(value, builtins.complex):
        return np.complex64(value)
    if isinstance(value, numbers.Number | np.ndarray):
        return value
    if isinstance(value, TensorShape):
        return np.int32
    if isinstance(value, DType):
        return value.as_numpy_dtype
    dtype = getattr(value, "dtype", None)
    return dtype.as_numpy_dtype if isinstance(dtype, DType) else value


def _numpy_type(dtype: Any) -> Any:
    return dtype.as_numpy_dtype if isinstance(dtype, DType) else np.dtype(dtype)


def chosen(dtype: DTypeLike | None, *values: Any) -> DType:
    """Return a requested dtype, or the result type of some values if there is none."""
    if dtype:
        return result_type(dtype)
    if len(values) == 1 and isinstance(values[0], str | bytes):
        return dtypes.string
    return result_type(*values)


def float_type() -> DType:
    """Return the dtype to which integers are converted for functions such as `exp`."""
    return result_type(builtins.float)


def draws_doubles() -> bool:
    """Return True if `tf.float64`, the dtype of TensorFlow's random numbers, is `tf.float32`."""
    return dtypes.float64 is dtypes.float32


def new_type(dtype: DTypeLike | None) -> DType:
    """Return the dtype of a new tensor. None stands for Python's float."""
    if dtype:
        return result_type(dtype)
    return dtypes.float32 if settings.prefer_float32 else dtypes.float64


def as_array(value: TensorLike, dtype: DTypeLike | None = None) -> Tensor:
    """Convert a value to a tensor, with NumPy's dtype if no other one is requested."""
    if isinstance(value, Holder):
        value = value.value()
    if isinstance(value, Tensor):
        wanted = chosen(dtype, value) if dtype else value.dtype
        return value if value.dtype == wanted else cast(value, wanted)
    wanted = chosen(dtype, value)
    found = convert_to_tensor(value, dtype_hint=wanted)
    return found if found.dtype == wanted else cast(found, wanted)


def as_floats(value: TensorLike) -> Tensor:
    """Convert a value to a tensor. Integers and booleans become floats."""
    x = as_array(value)
    return x if is_inexact(x) else cast(x, float_type())


def is_inexact(x: Tensor) -> bool:
    """Return True for the float and complex dtypes of NumPy, which does not have bfloat16."""
    return np.issubdtype(x.dtype.as_numpy_dtype, np.inexact)


def promoted(*values: Any) -> list[Tensor]:
    """Convert values to tensors of their common dtype."""
    dtype = result_type(*values)
    return [as_array(x, dtype) for x in values]
