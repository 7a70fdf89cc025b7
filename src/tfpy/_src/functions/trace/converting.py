"""The conversion of functions that programs pass to other functions, such as `tf.map_fn`."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

CONVERTERS: list[Callable[..., Any]] = [lambda function: function]
"""Functions that convert the control flow of a Python function to ops. The last one is used.

`functions/autograph/` appends its own.
"""


class _Status(threading.local):
    """The state of a thread: False in functions that AutoGraph must not convert."""

    enabled = True


_status = _Status()


def passed(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return the converted version of a function that a program passes to a function of tfpy.

    The function itself is returned within a `tf.function` without AutoGraph, and within
    `tf.autograph.experimental.do_not_convert`. Like TensorFlow, tfpy does not convert the functions
    that are passed to `tf.cond`, `tf.while_loop` and `tf.scan`.
    """
    return CONVERTERS[-1](function) if _status.enabled else function


def is_converting() -> bool:
    """Return True if functions that are passed on are converted."""
    return _status.enabled


@contextmanager
def converting(enabled: bool) -> Iterator[None]:
    """Specify if functions that are passed on within the context are converted."""
    before, _status.enabled = _status.enabled, enabled
    try:
        yield
    finally:
        _status.enabled = before
