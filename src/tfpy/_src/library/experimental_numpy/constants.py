"""Constants, dtypes and facts of dtypes (`tf.experimental.numpy`)."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfpy._src.base.dtypes import DType
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import DTypeLike
from tfpy._src.library.experimental_numpy.documented import documented

ndarray = Tensor
newaxis = None
pi, e, inf = np.pi, np.e, np.inf

bool_ = np.bool_
int8, int16, int32, int64 = np.int8, np.int16, np.int32, np.int64
uint8, uint16, uint32, uint64 = np.uint8, np.uint16, np.uint32, np.uint64
float16, float32, float64 = np.float16, np.float32, np.float64
complex64, complex128 = np.complex64, np.complex128
int_, float_, complex_ = np.int_, np.float64, np.complex128
inexact, object_, string_, unicode_ = np.inexact, np.object_, np.bytes_, np.str_

iinfo = np.iinfo


@documented(
    "Return the numerical limits of a float dtype.",
    "tnp.finfo(tf.float32).eps.item()",
    "1.1920928955078125e-07",
    "A `numpy.finfo` object with attributes such as `eps`, `max` and `tiny`.",
    dtype="Float dtype. Bfloat16 is not supported.",
)
def finfo(dtype: DTypeLike) -> np.finfo[Any]:
    return np.finfo(dtype.as_numpy_dtype if isinstance(dtype, DType) else dtype)


@documented(
    "Return True if a dtype is equal to or more special than another one.",
    "tnp.issubdtype(tnp.int32, tnp.inexact)",
    "False",
    "A bool.",
    arg1="Dtype or scalar type.",
    arg2="Dtype or scalar type.",
)
def issubdtype(arg1: DTypeLike, arg2: DTypeLike) -> bool:
    return np.issubdtype(arg1, arg2)  # type: ignore[arg-type]
