"""What a name holds before it is bound."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class Undefined:
    """Stands for a name that is not bound; :func:`load` refuses it."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return f"<undefined {self.name}>"


class UndefinedResult(Undefined):
    """Stands for the result of a function that has not returned."""

    def __init__(self) -> None:
        super().__init__("the return value")


def load(value: Any) -> Any:
    """The value of a name.

    Raises:
        UnboundLocalError: when it is not bound.
    """
    if isinstance(value, Undefined):
        raise UnboundLocalError(
            f"cannot access local variable '{value.name}' where it is not associated with a value"
        )
    return value


def part(read: Callable[[], Any], name: str) -> Any:
    """The value of an attribute or item, ``Undefined`` where there is none."""
    try:
        return read()
    except (AttributeError, KeyError, IndexError, TypeError, NameError):
        return Undefined(name)


def result(value: Any) -> Any:
    """What a function returns: None if it never said."""
    return None if isinstance(value, Undefined) else value
