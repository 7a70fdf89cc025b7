"""Kernels and gradients that a program adds: by backend and op, and by op."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Kernel = Callable[..., Any]
"""(*values, **attrs) -> value, or a tuple for an op of several outputs; what a value is, the
backend says."""
Gradient = Callable[..., Any]
"""(g, y, *inputs, **attrs) -> the gradient of each input, or None."""

KERNELS: dict[str, dict[str, Kernel]] = {}
"""Backend -> op -> its kernel."""
GRADIENTS: dict[str, Gradient] = {}
"""Op -> the rule that is used in place of its record's."""
