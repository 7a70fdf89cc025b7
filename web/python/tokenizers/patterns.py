"""Patterns of strings, which are strings or regular expressions."""

from typing import Any

import regex

Part = tuple[str, bool]
"""A part of a text, and True if the pattern matches it."""


class Regex:
    """A regular expression.

    Args:
        pattern: Expression in the syntax that Oniguruma and the package regex share.
    """

    def __init__(self, pattern: str) -> None:
        self.pattern = pattern
        self._compiled = regex.compile(pattern)

    def parts(self, text: str) -> list[Part]:
        """Return the matches in a text and the parts between them, without empty ones."""
        found: list[Part] = []
        end = 0
        for match in self._compiled.finditer(text):
            found += [(text[end : match.start()], False), (match.group(), True)]
            end = match.end()
        found.append((text[end:], False))
        return [part for part in found if part[0]]

    def replaced(self, text: str, content: str) -> str:
        """Return a text with other matches."""
        return str(self._compiled.sub(lambda match: content, text))


def literal(*texts: str) -> Regex:
    """Return the pattern of any of these strings. Earlier ones take precedence."""
    return Regex("|".join(map(regex.escape, texts)))


def pattern_of(pattern: Any) -> Regex:
    """Return the pattern for an argument: a string stands for itself."""
    return literal(pattern) if isinstance(pattern, str) else pattern
