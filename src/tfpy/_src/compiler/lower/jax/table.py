"""The table of functions that compute ops with JAX. Each module of this folder enters a family."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import jax

Rule = Callable[..., Any]
"""(*arrays, **attrs) -> the op's result as JAX arrays, or a tuple for several outputs. It
corresponds to the record's `ref` for NumPy, but invalid values yield zeros or are dropped instead
of errors."""

RULES: dict[str, Rule] = {}
"""Map from op names to rules. Elementwise ops need none: their expressions are evaluated
(`expression.py`)."""

NARROW: set[str] = set()
"""Ops with rules that accept float16 and bfloat16: products, for which devices have units that sum
in float32. Other rules receive float32."""


def lowers(*names: str, narrow: bool = False) -> Callable[[Rule], Rule]:
    """Return a decorator for a function that computes these ops.

    Args:
        narrow: If True, enter the ops in :data:`NARROW`.
    """

    def enter(rule: Rule) -> Rule:
        RULES.update(dict.fromkeys(names, rule))
        NARROW.update(names if narrow else ())
        return rule

    return enter


def wide(rule: Rule) -> Rule:
    """Decorate a rule so that JAX computes float64 and uint64 in it, whatever its configuration."""

    @functools.wraps(rule)
    def run(*arrays: Any, **attrs: Any) -> Any:
        with jax.enable_x64(True):
            return rule(*arrays, **attrs)

    return run
