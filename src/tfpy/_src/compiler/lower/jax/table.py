"""What computes each op with JAX, entered by the files of this folder, a family each."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import jax

Rule = Callable[..., Any]
"""(*arrays, **attrs) -> the op's result, of JAX arrays; a tuple for an op of several outputs. It is
what the record's ``ref`` is for NumPy, with zeros or nothing in place of errors of values."""

RULES: dict[str, Rule] = {}
"""By op. Elementwise ops need none: their expressions are evaluated (``expression.py``)."""

NARROW: set[str] = set()
"""Ops whose rules take float16 and bfloat16 as they are: products, which devices have units for
that add them up in float32. Others get float32."""


def lowers(*names: str, narrow: bool = False) -> Callable[[Rule], Rule]:
    """A decorator: the function computes these ops.

    Args:
        narrow: enters them in :data:`NARROW`.
    """

    def enter(rule: Rule) -> Rule:
        RULES.update(dict.fromkeys(names, rule))
        NARROW.update(names if narrow else ())
        return rule

    return enter


def wide(rule: Rule) -> Rule:
    """A decorator: in it float64 and uint64 are what they say, whatever JAX is configured to."""

    @functools.wraps(rule)
    def run(*arrays: Any, **attrs: Any) -> Any:
        with jax.enable_x64(True):
            return rule(*arrays, **attrs)

    return run
