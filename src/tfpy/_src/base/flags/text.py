"""Flags as text: ``NAME:value,NAME:value``, in a page's address or a variable."""

from __future__ import annotations

from tfpy._src.base.flags.kinds import Flag, Value

_WORDS = {"true": True, "false": False}


def pairs(text: str) -> list[tuple[str, str]]:
    """The names and values that a text has.

    Raises:
        ValueError: for a part that is not ``NAME:value``.
    """
    found = []
    for part in filter(None, map(str.strip, text.split(","))):
        name, colon, value = part.partition(":")
        if not colon:
            raise ValueError(f"{part!r} is no flag with its value; write NAME:value,NAME:value")
        found.append((name.strip(), value.strip()))
    return found


def value_of(flag: Flag, text: str) -> Value:
    """The value that a text means; itself where the flag's kind is not what it spells."""
    if flag.kind.name == "bool":
        return _WORDS.get(text.lower(), text)
    if flag.kind.name == "number":
        try:
            return int(text)
        except ValueError:
            return text
    return text
