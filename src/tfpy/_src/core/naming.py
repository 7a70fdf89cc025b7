"""Names for functions that a table makes."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


def named(name: str, doc: str, function: Callable[..., T]) -> Callable[..., T]:
    """The function with a name and a text, for functions of a table that share their body."""
    function.__name__ = function.__qualname__ = name
    function.__doc__ = doc
    return function
