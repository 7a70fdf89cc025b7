"""`tf.autograph.experimental.do_not_convert`."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from tfpy._src.functions.trace.converting import converting

_MARK = "ag__do_not_convert"


def do_not_convert(func: Callable[..., Any] | None = None) -> Callable[..., Any]:
    """Exclude a function, and the functions that it calls, from the conversion by AutoGraph.

    In a `tf.function`, their `if`, `while` and `for` statements run in Python while tracing.

    Args:
        func: Function to exclude. If None, return a decorator.

    Returns:
        A function that calls `func`.

    Example:
        >>> import tfpy as tf
        >>> @tf.autograph.experimental.do_not_convert
        ... def plain(x):
        ...     return x if isinstance(x, int) else x * 2
        >>> tf.function(plain)(tf.constant(4)).numpy().tolist()
        8

    See also: `tf.autograph.to_graph`.
    """
    if func is None:
        return do_not_convert
    function = func

    @functools.wraps(function)
    def unconverted(*args: Any, **kwargs: Any) -> Any:
        with converting(False):
            return function(*args, **kwargs)

    setattr(unconverted, _MARK, True)
    return unconverted


def is_marked(function: Any) -> bool:
    return getattr(function, _MARK, False) is True
