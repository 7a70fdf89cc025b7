"""The definition of a flag: its kind, its default, and the time at which it is read."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

Value = bool | int | str
Facts = Mapping[str, Any]
"""Facts about the host and its browser, from `web/common/probe.mjs`."""
Get = Callable[[str], Value]
"""Function that takes the name of a flag and returns its value."""


class FlagKind(NamedTuple):
    """The set of values that a flag may have."""

    name: str
    """"bool", "number" or "string"."""
    takes: Callable[[Any], bool]
    values: str
    """Description of the values."""


def _whole(least: int) -> FlagKind:
    def takes(value: Any) -> bool:
        return isinstance(value, int) and not isinstance(value, bool) and value >= least

    return FlagKind("number", takes, f"an integer of at least {least}")


SWITCH = FlagKind("bool", lambda value: isinstance(value, bool), "True or False")
LIMIT = _whole(-1)
COUNT = _whole(0)
SIZE = _whole(1)
TEXT = FlagKind("string", lambda value: isinstance(value, str), "a string")


def one_of(*names: str) -> FlagKind:
    """Return the kind of a flag with one of these strings as its value."""
    return FlagKind("string", lambda value: value in names, " or ".join(map(repr, names)))


class Found(NamedTuple):
    """A default that is a fact about the host."""

    of: Callable[[Facts], Value]
    words: str


class Follows(NamedTuple):
    """A default that is computed from other flags."""

    of: Callable[[Get], Value]
    words: str


class Flag(NamedTuple):
    """A row of the table of flags."""

    name: str
    kind: FlagKind
    default: Value | Found | Follows
    meaning: str
    backend: str = ""
    """Backend that reads the flag when it opens. The flag must be set before."""
    fixed: bool = False
    """True for a fact, which cannot be set."""
    lowers: bool = False
    """True if the default is an upper bound: a larger value has no effect."""

    @property
    def words(self) -> str:
        """Default, as the documentation describes it."""
        if isinstance(self.default, (Found, Follows)):
            return self.default.words
        return f"`{self.default!r}`"
