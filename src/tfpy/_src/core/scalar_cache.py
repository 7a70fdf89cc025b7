"""A cache of scalar constants on the device, so that `x * 2.0` transfers no values."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfpy._src.backends.devices import sharder_of
from tfpy._src.backends.interrupts import held
from tfpy._src.backends.registry import active_backend
from tfpy._src.backends.storage import Storage, host_storage
from tfpy._src.base import tracing
from tfpy._src.base.dtypes import DType
from tfpy._src.compiler.ir.aval import Aval
from tfpy._src.compiler.ir.op import OPS
from tfpy._src.core.host_arrays import takes_booleans
from tfpy._src.core.tensor import Tensor

Number = bool | int | float

scalars: dict[tuple[Any, type, str], Tensor] = {}
"""Tensors by number, its type and the name of the dtype. The dispatch extension reads them."""
_MAX_SCALARS = 512


def scalar(value: Number, dtype: DType) -> Tensor:
    """Return the tensor of a Python number, the same object for each call.

    Raises:
        TypeError: If the dtype cannot represent this kind of number.
    """
    key = (value or repr(value), type(value), dtype.name)  # 0.0 and -0.0 are equal
    found = scalars.get(key)
    if (found is None or isinstance(value, bool)) and not _adapts(value, dtype):
        raise TypeError(f"Cannot convert {value!r} to EagerTensor of dtype {dtype.name}")
    if found is None:
        if len(scalars) >= _MAX_SCALARS:
            scalars.clear()
        aval = Aval((), dtype)
        with np.errstate(over="ignore"):  # 1e300 is infinite as float32
            array = np.array(value).astype(dtype.as_numpy_dtype)
        found = scalars[key] = Tensor(aval, host_storage(array, aval, counted=False))
        found.kept = True  # the cache outlives the tf.tidy scope in which it was first used
    return found


def filled(value: Number, aval: Aval) -> Tensor:
    """Return a tensor with the same number in every element."""
    repeated: Tensor = OPS["broadcast_to"](scalar(value, aval.dtype), shape=aval.shape)
    return repeated


def filled_like(value: Number, aval: Aval, like: Tensor) -> Tensor:
    """Return `filled`, on the devices that hold a tensor of that shape if it is on a mesh."""
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
        return takes_booleans(dtype)
    if isinstance(value, int):
        return dtype.is_numeric and (not dtype.is_integer or dtype.holds(value))
    return dtype.is_floating or dtype.is_complex


def scalar_count() -> int:
    """Return the number of cached constants."""
    return len(scalars)


def clear_scalars() -> None:
    """Free the cached constants. Leak checks call this before they count tensors."""
    scalars.clear()
