"""``tf.timestamp``."""

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
    """Seconds since the program began, as float32; within ``tf.function``, at each call.

    TensorFlow counts from 1970 in float64, as is done here where that is a dtype of its own: no two
    times of one minute differ in float32.

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
