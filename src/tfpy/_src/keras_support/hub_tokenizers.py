"""Tokenizers of KerasHub that need little of tensorflow_text, but do not work without it."""

from __future__ import annotations

import functools
import types
import unicodedata
from typing import Any

import numpy as np

from tfpy._src.functions.control.effects import numpy_function


def replace(module: Any) -> None:
    """Patch the module of CLIPTokenizer, PARSeqTokenizer or the trainer of SentencePiece models."""
    if hasattr(module, "CLIPTokenizer"):
        _set_attributes(module.CLIPTokenizer)
        return
    module.assert_tf_libs_installed = lambda name: None  # the trainer calls only sentencepiece
    if hasattr(module, "PARSeqTokenizer"):
        module.tf_text = types.SimpleNamespace(normalize_utf8=_normalize_utf8)


def _normalize_utf8(input: Any, normalization_form: Any) -> Any:
    """Return strings in a normal form of Unicode."""

    def normalized(texts: Any) -> Any:
        made = [
            unicodedata.normalize(normalization_form, text.decode()).encode()
            for text in np.ravel(texts)
        ]
        return np.array(made, object).reshape(np.shape(texts))

    return numpy_function(normalized, [input], "string")


def _set_attributes(tokenizer: Any) -> None:
    """Make the tokenizer set the attributes that it reads. Only its ops for TensorFlow set them."""
    plain = tokenizer._set_vocabulary_and_merges_tokenizers

    @functools.wraps(plain)
    def made(self: Any, vocabulary: dict[str, int], merges: list[str]) -> None:
        self.vocabulary, self.merges = dict(vocabulary), merges
        plain(self, vocabulary, merges)

    tokenizer._set_vocabulary_and_merges_tokenizers = made
