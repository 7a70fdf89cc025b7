"""A registry of programs with Python control flow, compiled by TensorFlow and by tfpy.

A program takes the module and tensors. ``inputs`` lists the arguments of its runs.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

PROGRAMS: list[tuple[Callable[..., Any], list[list[Any]]]] = []


def program(*inputs: list[Any]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register a program with the argument lists of its runs."""

    def enter(function: Callable[..., Any]) -> Callable[..., Any]:
        PROGRAMS.append((function, list(inputs)))
        return function

    return enter
