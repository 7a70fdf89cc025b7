"""What computes each op with JAX, entered by the files of this folder, a family each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Rule = Callable[..., Any]
"""(*arrays, **attrs) -> the op's result, of JAX arrays; a tuple for an op of several outputs. It is
what the record's ``ref`` is for NumPy, with zeros or nothing in place of errors of values."""

RULES: dict[str, Rule] = {}
"""By op. Elementwise ops need none: their expressions are evaluated (``expression.py``)."""


def lowers(*names: str) -> Callable[[Rule], Rule]:
    """A decorator: the function computes these ops."""

    def enter(rule: Rule) -> Rule:
        RULES.update(dict.fromkeys(names, rule))
        return rule

    return enter
