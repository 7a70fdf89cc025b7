"""Pre-tokenizers, which split a text into words that are tokenized independently."""

from collections.abc import Callable, Sequence as Items
from typing import Any

from .byte_level import CHARACTERS
from .patterns import Part, Regex, pattern_of

WORDS = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
"""The pattern of GPT-2's words."""


def _merged_with_previous(parts: list[Part]) -> list[str]:
    words: list[str] = []
    before = False
    for text, matched in parts:
        if matched and not before and words:
            words[-1] += text
        else:
            words.append(text)
        before = matched
    return words


def _merged_with_next(parts: list[Part]) -> list[str]:
    turned = _merged_with_previous([(text[::-1], matched) for text, matched in reversed(parts)])
    return [word[::-1] for word in reversed(turned)]


def _contiguous(parts: list[Part]) -> list[str]:
    words: list[str] = []
    before: bool | None = None
    for text, matched in parts:
        if matched == before:
            words[-1] += text
        else:
            words.append(text)
        before = matched
    return words


BEHAVIORS: dict[str, Callable[[list[Part]], list[str]]] = {
    "removed": lambda parts: [text for text, matched in parts if not matched],
    "isolated": lambda parts: [text for text, _ in parts],
    "merged_with_previous": _merged_with_previous,
    "merged_with_next": _merged_with_next,
    "contiguous": _contiguous,
}


class PreTokenizer:
    """The base class of pre-tokenizers."""

    def split(self, text: str) -> list[str]:
        """Return the words of a text."""
        raise NotImplementedError


class Split(PreTokenizer):
    """A pre-tokenizer that splits strings at a pattern.

    Args:
        pattern: String, or regular expression.
        behavior: Name of a function in BEHAVIORS, which specifies what becomes of the matches.
        invert: If True, the parts between the matches take the place of the matches.
    """

    def __init__(self, pattern: Any, behavior: str, invert: bool = False) -> None:
        self._pattern, self._invert = pattern_of(pattern), invert
        self._behavior = BEHAVIORS[behavior]

    def split(self, text: str) -> list[str]:
        parts = self._pattern.parts(text)
        return self._behavior([(part, matched != self._invert) for part, matched in parts])


class ByteLevel(PreTokenizer):
    """A pre-tokenizer that replaces each byte by a character, after it has split the text.

    Args:
        add_prefix_space: If True, a text begins with a space.
        trim_offsets: Has no effect, because encodings have no offsets.
        use_regex: If True, the text is split into GPT-2's words.
    """

    def __init__(
        self, add_prefix_space: bool = True, trim_offsets: bool = True, use_regex: bool = True
    ) -> None:
        self._add_prefix_space = add_prefix_space
        self._words = Split(Regex(WORDS), "isolated") if use_regex else None

    def split(self, text: str) -> list[str]:
        if self._add_prefix_space and text and not text.startswith(" "):
            text = f" {text}"
        words = [text] if self._words is None else self._words.split(text)
        return ["".join([CHARACTERS[byte] for byte in word.encode()]) for word in words if word]


class Sequence(PreTokenizer):
    """A pre-tokenizer that applies others in turn.

    Args:
        pretokenizers: The others. Each splits the words of the one before it.
    """

    def __init__(self, pretokenizers: Items[PreTokenizer]) -> None:
        self._members = pretokenizers

    def split(self, text: str) -> list[str]:
        words = [text]
        for member in self._members:
            words = [piece for word in words for piece in member.split(word)]
        return words
