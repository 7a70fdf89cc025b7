"""Programs with Python control flow on tensors; each is compiled by TensorFlow and by tfpy.

A program takes the module and tensors. ``inputs`` are what it is run on.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

PROGRAMS: list[tuple[Callable[..., Any], list[list[Any]]]] = []


def program(*inputs: list[Any]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Enters a program with the argument lists that it is run on."""

    def enter(function: Callable[..., Any]) -> Callable[..., Any]:
        PROGRAMS.append((function, list(inputs)))
        return function

    return enter
