"""KerasHub's CLIPTokenizer, which reads attributes that only its ops for TensorFlow set."""

from __future__ import annotations

import functools
import types
from typing import Any


def replace(module: types.ModuleType) -> None:
    """Set the attributes before the tokenizer is made."""
    tokenizer = module.CLIPTokenizer
    plain = tokenizer._set_vocabulary_and_merges_tokenizers

    @functools.wraps(plain)
    def made(self: Any, vocabulary: dict[str, int], merges: list[str]) -> None:
        self.vocabulary, self.merges = dict(vocabulary), merges
        plain(self, vocabulary, merges)

    tokenizer._set_vocabulary_and_merges_tokenizers = made
