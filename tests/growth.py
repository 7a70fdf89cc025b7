"""Measurement of how the time of a computation grows with the size of its input."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable
from typing import Any

_LEAST_SECONDS = 0.02
"""Lower bound of measured times, so that fixed costs and the clock's resolution do not count."""


def growth(small: Callable[[], Any], large: Callable[[], Any]) -> float:
    """Return the time of ``large`` divided by the time of ``small``.

    Each time is the best of three in processor time. The garbage collector is off, because its time
    depends on the objects of other tests.
    """
    gc.collect()
    gc.disable()
    try:
        times = [(_seconds(small), _seconds(large)) for _ in range(3)]
    finally:
        gc.enable()
    least_small, least_large = (min(column) for column in zip(*times, strict=True))
    return least_large / max(least_small, _LEAST_SECONDS)


def _seconds(run: Callable[[], Any]) -> float:
    start = time.process_time()
    run()
    return time.process_time() - start
