"""What makes a function an op of ``tf.raw_ops``."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any


def raw(function: Callable[..., Any]) -> Callable[..., Any]:
    """The op of the function's name: it takes what the function takes, by name, and ``name``."""

    @functools.wraps(function)
    def call(*args: Any, name: str | None = None, **kwargs: Any) -> Any:
        if args:
            raise TypeError(f"{function.__name__} only takes keyword args")
        return function(**kwargs)

    return call
