"""Constants of rank 0 that stay uploaded, so that ``x * 2.0`` crosses with integers only."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfpy._src.backends.devices import sharder_of
from tfpy._src.backends.interrupts import held
from tfpy._src.backends.registry import active_backend
from tfpy._src.backends.storage import Storage, host_storage
from tfpy._src.base import tracing
from tfpy._src.base.dtypes import DType, int32
from tfpy._src.compiler.ir.aval import Aval
from tfpy._src.compiler.ir.op import OPS
from tfpy._src.core.tensor import Tensor

Number = bool | int | float

_scalars: dict[tuple[Any, type, str], Tensor] = {}
_MAX_SCALARS = 512


def scalar(value: Number, dtype: DType) -> Tensor:
    """The tensor of a Python number; the same object each time.

    Raises:
        TypeError: when the number cannot stand for one of that dtype without loss of kind.
    """
    key = (value or repr(value), type(value), dtype.name)  # 0.0 and -0.0 are equal
    found = _scalars.get(key)
    if found is None:
        if not _adapts(value, dtype):
            raise TypeError(f"Cannot convert {value!r} to EagerTensor of dtype {dtype.name}")
        if len(_scalars) >= _MAX_SCALARS:
            _scalars.clear()
        aval = Aval((), dtype)
        with np.errstate(over="ignore"):  # 1e300 is infinite as float32
            array = np.array(value).astype(dtype.as_numpy_dtype)
        found = _scalars[key] = Tensor(aval, host_storage(array, aval, counted=False))
        found.kept = True  # by all, whichever tf.tidy it was first asked for in
    return found


def filled(value: Number, aval: Aval) -> Tensor:
    """A tensor with that number everywhere."""
    repeated: Tensor = OPS["broadcast_to"](scalar(value, aval.dtype), shape=aval.shape)
    return repeated


def filled_like(value: Number, aval: Aval, like: Tensor) -> Tensor:
    """:func:`filled`, on the devices on which a tensor of that shape lies if it is on a mesh."""
    backend, storage = active_backend(), like.storage
    sharder = sharder_of(backend)
    if tracing.local.active or sharder is None or storage.backend is not backend:
        return filled(value, aval)
    sharding = sharder.sharding(storage.slot, like.aval)
    if sharding is None:
        return filled(value, aval)
    array = np.broadcast_to(np.array(value, aval.dtype.as_numpy_dtype), aval.shape)
    with held:
        slot = sharder.upload(array, sharding)
        return Tensor(aval, Storage(aval, None, backend, slot))


def _adapts(value: Number, dtype: DType) -> bool:
    if isinstance(value, bool):
        return dtype.is_bool or dtype.is_floating or dtype.is_complex or dtype == int32
    if isinstance(value, int):
        return dtype.is_numeric and (not dtype.is_integer or dtype.holds(value))
    return dtype.is_floating or dtype.is_complex


def scalar_count() -> int:
    """How many constants :func:`scalar` holds."""
    return len(_scalars)


def clear_scalars() -> None:
    """Frees the constants of :func:`scalar`; leak checks call it before they count."""
    _scalars.clear()
