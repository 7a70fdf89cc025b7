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

    Within `tf.function` the time is read at each call. Without 64-bit dtypes, the result is the
    float32 time since the program began, because float32 cannot distinguish times within a minute
    when it counts from 1970. With 64-bit dtypes the result is float64 and counts from 1970, as in
    TensorFlow.

    Returns:
        Scalar float64 tensor (float32 without 64-bit dtypes).

    Example:
        >>> import tfpy as tf
        >>> start = tf.timestamp()
        >>> bool(tf.timestamp() >= start)
        True
    """
    trace = tracing.current()
    if trace is None:
        return from_array(_seconds())
    return trace.feed(lambda: _seconds, Aval((), float64), "timestamp")


def _seconds() -> np.ndarray[tuple[()], np.dtype[Any]]:
    return np.array(time.perf_counter() - _BEGAN, float64.as_numpy_dtype)
