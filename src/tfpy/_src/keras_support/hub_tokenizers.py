"""Tokenizers of KerasHub that do not need tensorflow_text, but do not work without it."""

from __future__ import annotations

import functools
from typing import Any


def replace(module: Any) -> None:
    """Patch the module of CLIPTokenizer or of the trainer of SentencePiece models."""
    if hasattr(module, "CLIPTokenizer"):
        _set_attributes(module.CLIPTokenizer)
    else:
        module.assert_tf_libs_installed = lambda name: None  # it calls only sentencepiece


def _set_attributes(tokenizer: Any) -> None:
    """Make the tokenizer set the attributes that it reads. Only its ops for TensorFlow set them."""
    plain = tokenizer._set_vocabulary_and_merges_tokenizers

    @functools.wraps(plain)
    def made(self: Any, vocabulary: dict[str, int], merges: list[str]) -> None:
        self.vocabulary, self.merges = dict(vocabulary), merges
        plain(self, vocabulary, merges)

    tokenizer._set_vocabulary_and_merges_tokenizers = made
