"""The part of Hugging Face's tokenizers that KerasHub uses, in plain Python: byte-pair encoding.

The package itself is compiled from Rust, and there is no build of it for pages. This one has the
same names, arguments and results. Its regular expressions are those of the package regex.

Source: https://huggingface.co/docs/tokenizers
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from . import decoders, models, normalizers, pre_tokenizers
from .patterns import Regex, literal

__all__ = [
    "Encoding",
    "Regex",
    "Tokenizer",
    "decoders",
    "models",
    "normalizers",
    "pre_tokenizers",
]
__version__ = "0.23.3"


@dataclass(frozen=True)
class Encoding:
    """The tokens of a text: their numbers and their strings."""

    ids: list[int]
    tokens: list[str]

    def __len__(self) -> int:
        return len(self.ids)


class Tokenizer:
    """A pipeline from text to tokens: a normalizer, a pre-tokenizer and a model, and a decoder.

    Args:
        model: Model that splits words into tokens.
    """

    def __init__(self, model: models.BPE) -> None:
        self.model = model
        self.normalizer: Any = None
        self.pre_tokenizer: Any = None
        self.decoder: Any = None
        self._special: dict[str, int] = {}
        self._names: dict[int, str] = {}
        self._split: Any = None

    def add_special_tokens(self, tokens: Iterable[str]) -> int:
        """Add tokens that are never split. Return the number of new ones."""
        before = len(self._special)
        for token in tokens:
            if token and token not in self._special:
                self._special[token] = self._new_id(token)
        self._names = {number: token for token, number in self._special.items()}
        # The longest of the tokens that begin at a position is found.
        longest_first = sorted(self._special, key=len, reverse=True)
        self._split = literal(*longest_first) if longest_first else None
        return len(self._special) - before

    def _new_id(self, token: str) -> int:
        number = self.model.token_to_id(token)
        if number is not None:
            return number
        return max([len(self.model.vocab), *(last + 1 for last in self._special.values())])

    def token_to_id(self, token: str) -> int | None:
        """Return the number of a token, or None if there is no such token."""
        number = self._special.get(token)
        return self.model.token_to_id(token) if number is None else number

    def id_to_token(self, id: int) -> str | None:
        """Return the token with a number, or None if there is no such number.

        Raises:
            OverflowError: If the number is negative or has more than 32 bits.
        """
        if not 0 <= id < 1 << 32:
            raise OverflowError(f"{id} is not an unsigned number of 32 bits")
        token = self._names.get(id)
        return self.model.id_to_token(id) if token is None else token

    def get_vocab(self, with_added_tokens: bool = True) -> dict[str, int]:
        """Return the tokens with their numbers."""
        return {**self.model.vocab, **(self._special if with_added_tokens else {})}

    def get_vocab_size(self, with_added_tokens: bool = True) -> int:
        """Return the number of tokens."""
        return len(self.get_vocab(with_added_tokens))

    def encode(self, sequence: str) -> Encoding:
        """Return the tokens of a text."""
        ids: list[int] = []
        tokens: list[str] = []
        for text, is_special in self._parts(sequence):
            if is_special:
                ids.append(self._special[text])
                tokens.append(text)
                continue
            for word in self._words(text):
                pieces = self.model.tokenize(word)
                ids += [number for number, _ in pieces]
                tokens += [token for _, token in pieces]
        return Encoding(ids, tokens)

    def encode_batch(self, input: Sequence[str]) -> list[Encoding]:
        """Return the tokens of strings."""
        return [self.encode(text) for text in input]

    def decode(self, ids: Sequence[int], skip_special_tokens: bool = True) -> str:
        """Return the text of tokens. Numbers without a token are left out."""
        found = [self.id_to_token(number) for number in ids]
        hidden = self._special if skip_special_tokens else {}
        tokens = [token for token in found if token is not None and token not in hidden]
        return " ".join(tokens) if self.decoder is None else str(self.decoder.decode(tokens))

    def decode_batch(
        self, sequences: Sequence[Sequence[int]], skip_special_tokens: bool = True
    ) -> list[str]:
        """Return the strings of sequences of tokens."""
        return [self.decode(ids, skip_special_tokens) for ids in sequences]

    def _parts(self, text: str) -> list[tuple[str, bool]]:
        """Return the special tokens in a text (True) and the parts between them (False)."""
        return [(text, False)] if self._split is None else self._split.parts(text)

    def _words(self, text: str) -> list[str]:
        if self.normalizer is not None:
            text = self.normalizer.normalize_str(text)
        if self.pre_tokenizer is None:
            return [text] if text else []
        words: list[str] = self.pre_tokenizer.split(text)
        return words
