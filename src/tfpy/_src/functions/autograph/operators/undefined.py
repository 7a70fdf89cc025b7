"""The values of names that are not bound."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class Undefined:
    """A placeholder for the value of an unbound name. :func:`load` raises an error for it."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return f"<undefined {self.name}>"


class UndefinedResult(Undefined):
    """A placeholder for the result of a function that has not returned."""

    def __init__(self) -> None:
        super().__init__("the return value")


def load(value: Any) -> Any:
    """Return the value of a name.

    Raises:
        UnboundLocalError: If the name is not bound.
    """
    if isinstance(value, Undefined):
        raise UnboundLocalError(
            f"cannot access local variable '{value.name}' where it is not associated with a value"
        )
    return value


def part(read: Callable[[], Any], name: str) -> Any:
    """Return the value of an attribute or item, or `Undefined` if it does not exist."""
    try:
        return read()
    except (AttributeError, KeyError, IndexError, TypeError, NameError):
        return Undefined(name)


def result(value: Any) -> Any:
    """Return the result of a function, which is None without a return statement."""
    return None if isinstance(value, Undefined) else value
