"""Constants of rank 0 that stay uploaded, so that ``x * 2.0`` crosses with integers only."""

from __future__ import annotations

import numpy as np

from tfpy.dtypes import DType
from tfpy.ir.graph import Aval
from tfpy.runtime.storage import host_storage
from tfpy.tensor import Tensor

_scalars: dict[tuple[str, str], Tensor] = {}
_MAX_SCALARS = 512


def scalar(value: float | int | bool, dtype: DType) -> Tensor:
    """The tensor of a Python number; the same object each time."""
    key = (repr(value), dtype.name)
    found = _scalars.get(key)
    if found is None:
        if len(_scalars) >= _MAX_SCALARS:
            _scalars.clear()
        aval = Aval((), dtype)
        array = np.array(value, dtype.as_numpy_dtype)
        found = _scalars[key] = Tensor(aval, host_storage(array, aval, counted=False))
    return found


def scalar_count() -> int:
    """How many constants :func:`scalar` holds."""
    return len(_scalars)


def clear_scalars() -> None:
    """Frees the constants of :func:`scalar`; leak checks call it before they count."""
    _scalars.clear()
