"""Tells the user of functions that are traced again and again."""

from __future__ import annotations

import logging
from collections import deque

_log = logging.getLogger("tfpy")

_CALLS = 10  # the last calls, which are looked at
_MANY = 5  # of these that traced
_MAX_WARNINGS = 2  # for a function

_TEXT = """%d out of the last %d calls of the tf.function '%s' traced it again, which is slow. \
Make a tf.function once, outside of loops; give numbers that change as tensors, since each Python \
value has a trace of its own, and so has each shape: input_signature with None in a shape serves \
all sizes"""


class Retracing:
    """Watches one function, by TensorFlow's rule: five traces within ten calls are too many."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._at = deque[int]()
        self._warnings = 0

    def note(self, call: int) -> None:
        """Told of a call that traces, by its number."""
        self._at.append(call)
        while call - self._at[0] >= _CALLS:
            self._at.popleft()
        if len(self._at) >= _MANY and self._warnings < _MAX_WARNINGS:
            self._warnings += 1
            _log.warning(_TEXT, len(self._at), call - self._at[0] + 1, self._name)
