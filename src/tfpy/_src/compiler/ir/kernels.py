"""Kernels and gradients that a program registers: by backend and op, and by op."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Kernel = Callable[..., Any]
"""(*values, **attrs) -> value, or a tuple for an op with several outputs. The backend defines the
type of values."""
Gradient = Callable[..., Any]
"""(g, y, *inputs, **attrs) -> the gradient of each input, or None."""

KERNELS: dict[str, dict[str, Kernel]] = {}
"""Map backend -> op -> its kernel."""
GRADIENTS: dict[str, Gradient] = {}
"""Map op -> the rule that replaces the gradient of its record."""
