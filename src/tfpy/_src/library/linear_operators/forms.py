"""Tables of closed forms: the class of an adjoint, inverse, factor, product or solution.

`closed_forms.py` fills the tables. The rule of a class also holds for its subclasses, unless these
have a rule of their own.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

Rule = Callable[..., Any]
F = TypeVar("F", bound=Rule)


class Table:
    """Rules by the classes of their operands."""

    def __init__(self) -> None:
        self._rules: dict[tuple[type, ...], Rule] = {}

    def of(self, *kinds: type) -> Callable[[F], F]:
        """Return a decorator that enters the rule for operands of these classes."""

        def enter(rule: F) -> F:
            self._rules[kinds] = rule
            return rule

        return enter

    def apply(self, *operands: Any) -> Any:
        """Apply the most specific rule for the first operand, and then for the second one."""
        chains: list[tuple[type, ...]] = [()]
        for operand in operands:
            chains = [(*chain, kind) for chain in chains for kind in type(operand).__mro__]
        return next(self._rules[kinds] for kinds in chains if kinds in self._rules)(*operands)


ADJOINTS, INVERSES, CHOLESKY_FACTORS = Table(), Table(), Table()
PRODUCTS, SOLUTIONS = Table(), Table()
