"""`tf.timestamp`."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from tfpy._src.base import tracing
from tfpy._src.base.dtypes import float64
from tfpy._src.compiler.ir.aval import Aval
from tfpy._src.core.tensor import Tensor, from_array

_BEGAN = time.perf_counter() if float64.size == 4 else time.perf_counter() - time.time()


def timestamp(name: str | None = None) -> Tensor:
    """Return the current time in seconds.

    In a `tf.function`, the time is read at each call. If the environment variable `TFPY_ENABLE_X64`
    is set, the result counts from 1970, as in TensorFlow. Otherwise the result is a float32 number,
    which could not distinguish times within a minute if it counted from 1970. It therefore counts
    from the import of tfpy.

    Returns:
        Scalar float64 tensor, or float32 tensor unless `TFPY_ENABLE_X64` is set.

    Example:
        >>> import tfpy as tf
        >>> start = tf.timestamp()
        >>> seconds = tf.timestamp() - start
        >>> 0.0 <= float(seconds) < 60.0
        True
    """
    trace = tracing.current()
    if trace is None:
        return from_array(_seconds())
    return trace.feed(lambda: _seconds, Aval((), float64), "timestamp")


def _seconds() -> np.ndarray[tuple[()], np.dtype[Any]]:
    return np.array(time.perf_counter() - _BEGAN, float64.as_numpy_dtype)
