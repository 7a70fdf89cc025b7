"""Normalizers, which change a text before it is split."""

import unicodedata
from collections.abc import Sequence as Items
from typing import Any

from .patterns import pattern_of


class Normalizer:
    """The base class of normalizers."""

    def normalize_str(self, sequence: str) -> str:
        """Return the normalized text."""
        raise NotImplementedError


class NFC(Normalizer):
    """A normalizer to Unicode's form of composed characters."""

    def normalize_str(self, sequence: str) -> str:
        return unicodedata.normalize("NFC", sequence)


class Lowercase(Normalizer):
    """A normalizer to lowercase. It ignores neighboring characters."""

    def normalize_str(self, sequence: str) -> str:
        return "".join([character.lower() for character in sequence])


class Replace(Normalizer):
    """A normalizer that replaces matches of a pattern.

    Args:
        pattern: String, or regular expression.
        content: Text that takes the place of each match.
    """

    def __init__(self, pattern: Any, content: str) -> None:
        self._pattern, self._content = pattern_of(pattern), content

    def normalize_str(self, sequence: str) -> str:
        return self._pattern.replaced(sequence, self._content)


class Sequence(Normalizer):
    """A normalizer that applies others in turn.

    Args:
        normalizers: The others.
    """

    def __init__(self, normalizers: Items[Normalizer]) -> None:
        self._members = normalizers

    def normalize_str(self, sequence: str) -> str:
        for member in self._members:
            sequence = member.normalize_str(sequence)
        return sequence
