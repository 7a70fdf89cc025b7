"""What a flag is: its values, its default, and when it is read."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

Value = bool | int | str
Facts = Mapping[str, Any]
"""What was found of the host and its browser, as ``web/common/probe.mjs`` says it."""
Get = Callable[[str], Value]
"""The value of another flag."""


class FlagKind(NamedTuple):
    """The values that a flag may have."""

    name: str
    """"bool", "number" or "string"."""
    takes: Callable[[Any], bool]
    values: str
    """In words."""


def _whole(least: int) -> FlagKind:
    def takes(value: Any) -> bool:
        return isinstance(value, int) and not isinstance(value, bool) and value >= least

    return FlagKind("number", takes, f"a whole number from {least}")


SWITCH = FlagKind("bool", lambda value: isinstance(value, bool), "True or False")
LIMIT = _whole(-1)
COUNT = _whole(0)
SIZE = _whole(1)
TEXT = FlagKind("string", lambda value: isinstance(value, str), "a string")


def one_of(*names: str) -> FlagKind:
    """The kind of a flag that is one of some words."""
    return FlagKind("string", lambda value: value in names, " or ".join(map(repr, names)))


class Found(NamedTuple):
    """A default that is a fact of the host."""

    of: Callable[[Facts], Value]
    words: str


class Follows(NamedTuple):
    """A default that other flags decide."""

    of: Callable[[Get], Value]
    words: str


class Flag(NamedTuple):
    """A line of the table."""

    name: str
    kind: FlagKind
    default: Value | Found | Follows
    meaning: str
    backend: str = ""
    """Whose it is: a flag of a backend is read when that opens, and so must be set before."""
    fixed: bool = False
    """Whether it is a fact, which nobody sets."""
    lowers: bool = False
    """Whether the default is the most that there is: what is set is taken where it is less."""

    @property
    def words(self) -> str:
        """The default, as the documentation has it."""
        if isinstance(self.default, (Found, Follows)):
            return self.default.words
        return f"`{self.default!r}`"
