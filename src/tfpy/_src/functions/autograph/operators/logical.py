"""The expressions and, or, not and ternaries, and the assert statement."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tfpy._src.compiler.ops import logic
from tfpy._src.functions.autograph.operators.conditional import choose, run_branch
from tfpy._src.functions.control.assertion import Assert
from tfpy._src.functions.trace.symbolic import is_symbolic

Part = Callable[[], Any]


def and_(*parts: Part) -> Any:
    """Return `a and b …`. After a symbolic tensor, all other operands are evaluated."""
    return _chained(parts, logic.logical_and, lambda value: not value)


def or_(*parts: Part) -> Any:
    """Return `a or b …`. After a symbolic tensor, all other operands are evaluated."""
    return _chained(parts, logic.logical_or, bool)


def _chained(parts: tuple[Part, ...], op: Any, decides: Callable[[Any], bool]) -> Any:
    value = parts[0]()
    for i, part in enumerate(parts[1:]):
        if is_symbolic(value):
            return op(value, _chained(parts[i + 1 :], op, decides))
        if decides(value):
            return value
        value = part()
    return value


def not_(value: Any) -> Any:
    return logic.logical_not(value) if is_symbolic(value) else not value


def if_exp(condition: Any, body: Part, orelse: Part, source: str) -> Any:
    """Return `body if condition else orelse`."""
    if is_symbolic(condition):
        return choose(condition, body, orelse, source)
    return run_branch(condition, body, orelse)


def assert_(condition: Any, message: Part) -> None:
    """Run `assert condition, message`. A symbolic condition is checked when the function runs."""
    if is_symbolic(condition):
        Assert(condition, [message()])
    else:
        assert condition, message()
