"""The splitting of strings into word pieces, as the encoders of Hugging Face do it.

KerasHub replaces characters by compatible ones (NFKC) after the splitting: "…" becomes "...", and
Korean letters, which NFD separates, are joined again. In addition, it only splits words at spaces
in ASCII, splits them at invisible characters, and limits the bytes of a word.

Source: https://github.com/google-research/bert/blob/master/tokenization.py
"""

from __future__ import annotations

import re
import types
import unicodedata
from collections.abc import Iterator, Sequence
from typing import Any

LONGEST = 100
"""Number of characters above which a word is unknown."""
METHOD = "_tokenize_python"
WORDS = "pretokenize_python"
PIECES = "_tokenize_word_python"
"""Names in KerasHub of the method for strings, the function for words and the method for pieces."""
_IGNORED = "\0\ufffd"
_INVISIBLE = ("Cc", "Cf", "Co")
"""Categories of characters without a glyph. Unassigned ones may be letters of later versions."""
_ASCII_MARKS = frozenset("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")
_IDEOGRAPHS = (
    *((0x4E00, 0x9FFF), (0x3400, 0x4DBF), (0x20000, 0x2A6DF), (0x2A700, 0x2B73F)),
    *((0x2B740, 0x2B81F), (0x2B820, 0x2CEAF), (0xF900, 0xFAFF), (0x2F800, 0x2FA1F)),
)
"""First and last characters of blocks in which each character is a word."""


def set_word_pieces(tokenizer: Any) -> None:
    """Let a word-piece tokenizer of KerasHub split strings as its encoder was trained.

    Versions of KerasHub that split strings with TensorFlow Text are not changed.
    """
    plain = getattr(type(tokenizer), METHOD, None)
    if plain is None or WORDS not in plain.__globals__:
        return
    # The method with another function for words. It also converts inputs and pads results.
    names = {**plain.__globals__, WORDS: words}
    method = types.FunctionType(plain.__code__, names, METHOD, plain.__defaults__)
    setattr(tokenizer, METHOD, types.MethodType(method, tokenizer))
    setattr(tokenizer, PIECES, types.MethodType(pieces, tokenizer))


def words(
    text: str,
    lowercase: bool = False,
    strip_accents: bool = True,
    split: bool = True,
    split_on_cjk: bool = True,
    special_tokens: Sequence[str] | None = None,
) -> list[str]:
    """Return the words of a string.

    Args:
        text: The string.
        lowercase: True to convert the words to lowercase.
        strip_accents: True to remove accents.
        split: False if the string is one word.
        split_on_cjk: True if each ideograph is a word.
        special_tokens: Tokens that are kept as they are.
    """
    tokens = "|".join(map(re.escape, special_tokens or ()))
    parts = re.split(f"({tokens})", text) if tokens else [text]
    found: list[str] = []
    for number, part in enumerate(parts):
        if number % 2:  # `re.split` returns separators at odd indices
            found.append(part)
            continue
        plain = _normalized(part, lowercase, strip_accents)
        found += _split(plain, split_on_cjk) if split else [plain]
    return found


def pieces(tokenizer: Any, word: str) -> list[str]:
    """Return the pieces of a word: each is the longest one at its place, from left to right.

    Args:
        tokenizer: The tokenizer, with a vocabulary.
        word: The word.
    """
    found: list[str] = []
    start = 0
    while start < len(word) <= LONGEST:
        prefix = tokenizer.suffix_indicator if start else ""
        ends = range(len(word), start, -1)
        end = next((n for n in ends if prefix + word[start:n] in tokenizer._token_to_id_map), 0)
        if not end:
            break
        found.append(prefix + word[start:end])
        start = end
    return found if start == len(word) else [tokenizer.oov_token]


def _normalized(text: str, lowercase: bool, strip_accents: bool) -> str:
    text = "".join(" " if c.isspace() else c for c in text if _is_kept(c))
    if strip_accents:
        parts = unicodedata.normalize("NFD", text)
        text = "".join(c for c in parts if unicodedata.category(c) != "Mn")
    # In contrast to `text.lower()`, the result for a character does not depend on its neighbors.
    return "".join(map(str.lower, text)) if lowercase else text


def _is_kept(char: str) -> bool:
    """Return False for a character without a glyph that is not a space."""
    is_visible = char not in _IGNORED and unicodedata.category(char) not in _INVISIBLE
    return is_visible or char in "\t\n\r"


def _split(text: str, split_on_cjk: bool) -> Iterator[str]:
    """Yield words without spaces. Each punctuation mark is a word."""
    start = 0
    for place, char in enumerate(text):
        is_word = _is_mark(char) or (split_on_cjk and _is_ideograph(char))
        if not is_word and not char.isspace():
            continue
        if start < place:
            yield text[start:place]
        if is_word:
            yield char
        start = place + 1
    if start < len(text):
        yield text[start:]


def _is_mark(char: str) -> bool:
    return char in _ASCII_MARKS or unicodedata.category(char).startswith("P")


def _is_ideograph(char: str) -> bool:
    return any(first <= ord(char) <= last for first, last in _IDEOGRAPHS)
