"""``tf.timestamp``."""

from __future__ import annotations

import time

import numpy as np

from tfpy._src import tracing
from tfpy._src.core.tensor import Tensor, from_array
from tfpy._src.dtypes import float32
from tfpy._src.ir.aval import Aval

_BEGAN = time.perf_counter()


def timestamp(name: str | None = None) -> Tensor:
    """Seconds since the program began, as float32; within ``tf.function``, at each call.

    TensorFlow counts from 1970 in float64: float32 would tell no two times of one minute apart.

    Example:
        >>> import tfpy as tf
        >>> start = tf.timestamp()
        >>> bool(tf.timestamp() >= start)
        True
    """
    trace = tracing.current()
    if trace is None:
        return from_array(_seconds())
    return trace.feed(lambda: _seconds, Aval((), float32), "timestamp")


def _seconds() -> np.ndarray[tuple[()], np.dtype[np.float32]]:
    return np.array(time.perf_counter() - _BEGAN, np.float32)
