"""Derivatives of several orders."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def derivatives(lib: Any, program: Callable[[Any], Any], x: Any, order: int) -> list[Any]:
    """Return the squared sum of a program's results and its derivatives up to an order."""
    if order == 0:
        return [lib.reduce_sum(program(x) ** 2)]
    with lib.GradientTape() as tape:
        tape.watch(x)
        lower = derivatives(lib, program, x, order - 1)
    return [*lower, tape.gradient(lower[-1], x)]
