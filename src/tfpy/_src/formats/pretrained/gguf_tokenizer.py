"""Tokenizers of GGUF files, written in the form of Hugging Face."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from tfpy._src.formats.encodings.protobuf_writer import chunk, integer, real
from tfpy._src.formats.gguf.metadata import Metadata
from tfpy._src.formats.pretrained.pre_tokenizers import LLAMA3, PATTERNS, of_gguf
from tfpy._src.formats.pretrained.source import (
    ACCENTS,
    POOLING,
    SENTENCE_PIECES,
    TOKENIZER,
    TOKENIZER_CONFIG,
    TokenizerFacts,
    write_json,
)
from tfpy._src.library.io.checked_json import ModelFileError

PREFIX = "tokenizer.ggml."
TEMPLATE = "tokenizer.chat_template"
CONTROL = 3
USER_DEFINED = 4
"""Types of tokens that are never split."""
BYTE = 6
"""Type of tokens for the bytes of unknown characters."""
SPACE = "\u2581"
MEAN, FIRST = 1, 2
"""Numbers of the ways to compute one vector: the mean of all tokens, or the first token."""
BYTE_PAIR_MODEL = 2
"""Number of byte-pair encoding in SentencePiece."""


def write_tokenizer(metadata: Metadata, folder: Path) -> TokenizerFacts:
    """Write the files of the tokenizer, and return what they do not contain.

    Raises:
        ModelFileError: If the metadata are damaged or describe an unsupported tokenizer.
    """
    kind = metadata.get(f"{PREFIX}model")
    if kind not in _WRITERS:
        raise ModelFileError(
            f"{PREFIX}model is {str(kind)[:80]!r}. tf.models.load supports {', '.join(_WRITERS)}"
        )
    facts = _WRITERS[kind](metadata, folder)
    template = metadata.get(TEMPLATE)
    return replace(
        facts,
        chat_template=template if isinstance(template, str) else None,
        adds_start=bool(metadata.get(f"{PREFIX}add_bos_token", facts.adds_start)),
        adds_end=bool(metadata.get(f"{PREFIX}add_eos_token", False)),
    )


def _write_byte_pairs(metadata: Metadata, folder: Path) -> TokenizerFacts:
    """Write a tokenizer with byte-pair encoding."""
    pre = str(metadata.get(f"{PREFIX}pre", "default"))
    spec = of_gguf(pre)
    tokens = _texts(metadata, "tokens")
    merges = [_pair(merge) for merge in _texts(metadata, "merges")]
    vocabulary = {token: number for number, token in enumerate(tokens)}
    special = _special(metadata, tokens)
    model = {"type": "BPE", "vocab": vocabulary, "merges": merges}
    write_json(folder, TOKENIZER, {"model": model, "added_tokens": special})
    config = {f"{name}_token": _token(metadata, name, tokens) for name in ("bos", "eos")}
    write_json(folder, TOKENIZER_CONFIG, config)
    write_json(folder, "vocab.json", vocabulary)
    lines = [" ".join(pair) for pair in merges]
    (folder / "merges.txt").write_text("\n".join(lines), encoding="utf-8")
    added = {token["content"]: token["special"] for token in special}
    starts = PATTERNS[pre] == (LLAMA3,)
    return TokenizerFacts(adds_start=starts, pre_tokenizer=spec, added=added)


def _pair(merge: str) -> list[str]:
    pair = merge.split(" ")
    if len(pair) != 2:
        raise ModelFileError(f"{PREFIX}merges contains {merge[:80]!r}, which is not a pair")
    return pair


def _write_sentence_pieces(metadata: Metadata, folder: Path) -> TokenizerFacts:
    """Write a model of SentencePiece, in which the types of tokens have the same numbers.

    Source: https://github.com/google/sentencepiece/blob/master/src/sentencepiece_model.proto
    """
    tokens = _texts(metadata, "tokens")
    scores, kinds = (metadata.get(PREFIX + name, []) for name in ("scores", "token_type"))
    if not len(tokens) == len(scores) == len(kinds):
        raise ModelFileError(f"{PREFIX}tokens, scores and token_type must have the same length")
    pieces = [
        chunk(1, chunk(1, token) + real(2, float(score)) + integer(3, int(kind)))
        for token, score, kind in zip(tokens, scores, kinds, strict=True)
    ]
    has_bytes = bool((np.asarray(kinds) == BYTE).any())
    trainer = integer(3, BYTE_PAIR_MODEL) + integer(35, has_bytes)
    begins_with_space = bool(metadata.get(f"{PREFIX}add_space_prefix", True))
    normalizer = chunk(1, "identity") + integer(3, begins_with_space) + integer(4, 0)
    parts = [*pieces, chunk(2, trainer), chunk(3, normalizer)]
    (folder / SENTENCE_PIECES).write_bytes(b"".join(parts))
    return TokenizerFacts(adds_start=True)


def _write_word_pieces(metadata: Metadata, folder: Path) -> TokenizerFacts:
    """Write the vocabulary of an encoder, and how it computes one vector for a text.

    In GGUF files, the beginnings of words are marked. In Hugging Face, the other pieces are.
    """
    tokens = _texts(metadata, "tokens")
    special = {token["content"] for token in _special(metadata, tokens)}
    pieces = [_word_piece(token, token in special) for token in tokens]
    (folder / "vocab.txt").write_text("\n".join(pieces), encoding="utf-8")
    write_json(folder, TOKENIZER_CONFIG, {"do_lower_case": True})
    pooling = metadata.get(f"{metadata.get('general.architecture')}.pooling_type")
    if pooling in (MEAN, FIRST):
        write_json(folder, "modules.json", [{"type": "Normalize"}])
        (folder / POOLING).parent.mkdir()
        write_json(folder, POOLING, {"pooling_mode_cls_token": pooling == FIRST})
    return TokenizerFacts(arguments={ACCENTS: True})


def _word_piece(token: str, is_special: bool) -> str:
    if is_special or (token.startswith("[") and token.endswith("]")):
        return token
    return token.removeprefix(SPACE) if token.startswith(SPACE) else f"##{token}"


_WRITERS = {
    "gpt2": _write_byte_pairs,
    "llama": _write_sentence_pieces,
    "bert": _write_word_pieces,
}
"""Functions that write tokenizers, by their names in GGUF files."""


def _texts(metadata: Metadata, name: str) -> list[str]:
    found = metadata.get(PREFIX + name)
    if not isinstance(found, list) or not all(isinstance(item, str) for item in found):
        raise ModelFileError(f"{PREFIX}{name} must be a list of strings")
    return found


def _token(metadata: Metadata, name: str, tokens: list[str]) -> str:
    """Return a special token.

    Raises:
        ModelFileError: If it is missing or not one of the tokens.
    """
    key = f"{PREFIX}{name}_token_id"
    number = metadata.get(key, metadata.get(f"{PREFIX}eos_token_id"))
    if type(number) is not int or not 0 <= number < len(tokens):
        raise ModelFileError(f"{key} must be one of the {len(tokens)} tokens, got {number!r}")
    return tokens[number]


def _special(metadata: Metadata, tokens: list[str]) -> list[dict[str, Any]]:
    """Return the tokens that are never split, in the form of `tokenizer.json`."""
    kinds = metadata.get(f"{PREFIX}token_type", [])
    if len(kinds) > len(tokens):
        raise ModelFileError(f"{PREFIX}token_type has more items than there are tokens")
    return [
        {"id": number, "content": tokens[number], "special": bool(kind == CONTROL)}
        for number, kind in enumerate(kinds)
        if kind in (CONTROL, USER_DEFINED)
    ]
