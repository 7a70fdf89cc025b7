"""Hints of linear operators: facts such as "self-adjoint" that are known without the values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

Hint: TypeAlias = bool | None
"""True, False, or None if it is unknown."""

HINTS = ("is_non_singular", "is_self_adjoint", "is_positive_definite", "is_square")


def arguments(names: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of a constructor, from its local variables."""
    return {k: v for k, v in names.items() if k not in ("self", "__class__")}


def diagonal_hint(dtype: Any, given: Hint) -> Hint:
    """Return the hint `isdiagonal_hint` of a diagonal matrix."""
    if dtype.is_complex:
        return given
    if given is False:
        raise ValueError("A real diagonal operator is always self adjoint.")
    return True


def implied(operators: Sequence[Any], hint: str, given: Hint, subject: str, fact: str) -> Hint:
    """Return True if all operators have a hint, and the given hint otherwise.

    Raises:
        ValueError: If the given hint is False, although all operators have the hint.
    """
    if not all(getattr(operator, hint) for operator in operators):
        return given
    if given is False:
        raise ValueError(
            f"The {subject} of {fact} operators is always {fact}. Expected argument `{hint}` to be "
            f"True or None. Received: {given}."
        )
    return True


def same(operator: Any, hint: str, given: Hint, message: str) -> Hint:
    """Combine the hint of an operator with a given one.

    Raises:
        ValueError: If one of them is True and the other one is False.
    """
    own = getattr(operator, hint)
    if (own is False and given) or (own and given is False):
        raise ValueError(message)
    if own or given:
        return True
    return False if own is False or given is False else None


def non_singular(a: Any, b: Any) -> Hint:
    """Return the hint `is_non_singular` of the product of two square operators."""
    if a.is_non_singular is False or b.is_non_singular is False:
        return False
    return a.is_non_singular and b.is_non_singular


def self_adjoint(a: Any, b: Any) -> Hint:
    """Return the hint `is_self_adjoint` of the product of two operators that commute."""
    if a.is_self_adjoint and b.is_self_adjoint:
        return True
    return False if {a.is_self_adjoint, b.is_self_adjoint} == {True, False} else None


def positive_definite(a: Any, b: Any) -> Hint:
    """Return the hint `is_positive_definite` of the product of two operators that commute."""
    both = (a.is_positive_definite, a.is_self_adjoint, b.is_positive_definite, b.is_self_adjoint)
    return True if all(hint is True for hint in both) else None


def square(a: Any, b: Any) -> Hint:
    """Return the hint `is_square` of a product."""
    if a.is_square and b.is_square:
        return True
    if a.is_square is False and b.is_square is False:
        return bool(a.range_dimension == b.domain_dimension)
    return False


def commuting(a: Any, b: Any) -> dict[str, Any]:
    """Return the hints of the product of two square operators that commute."""
    return {
        "is_non_singular": non_singular(a, b),
        "is_self_adjoint": self_adjoint(a, b),
        "is_positive_definite": positive_definite(a, b),
        "is_square": True,
    }


def of_product(a: Any, b: Any) -> dict[str, Any]:
    """Return the hints of the product of any two operators."""
    is_square = square(a, b)
    if not is_square:
        return dict.fromkeys(HINTS, False)
    return {"is_non_singular": non_singular(a, b), "is_square": True}


def own(operator: Any) -> dict[str, Any]:
    """Return the hints of an operator for its adjoint or inverse, which is square as well."""
    return {**{hint: getattr(operator, hint) for hint in HINTS}, "is_square": True}


def _is_adjoint_pair(x: Any, y: Any) -> bool:
    if x is y and x.is_self_adjoint is not None:
        return bool(x.is_self_adjoint)
    return x.H is y or y.H is x


def is_symmetric_product(operators: Sequence[Any]) -> bool:
    """Return True if the product of the operators has the form `A @ A.H`."""
    if len(operators) % 2:
        return False
    half = len(operators) // 2
    return all(_is_adjoint_pair(operators[i], operators[-1 - i]) for i in range(half))
