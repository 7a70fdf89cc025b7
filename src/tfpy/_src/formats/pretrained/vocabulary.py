"""The vocabularies of KerasHub's tokenizers, and the metadata of GGUF files for them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from tfpy._src.formats.encodings.protobuf import read
from tfpy._src.formats.pretrained.gguf_tokenizer import (
    CONTROL,
    PREFIX,
    TEMPLATE,
    USER_DEFINED,
)
from tfpy._src.formats.pretrained.origins import Origin
from tfpy._src.formats.pretrained.piece_models import PIECES
from tfpy._src.formats.pretrained.pre_tokenizers import name_of

NORMAL, UNUSED = 1, 5
"""Types of tokens, as in SentencePiece."""
_SPECIAL = {
    "bos": "start_token",
    "eos": "end_token",
    "padding": "pad_token",
    "unknown": "unk_token",
}


def metadata_of(preprocessor: Any, size: int, origin: Origin) -> dict[str, Any]:
    """Return the metadata of GGUF files for the tokenizer of a model.

    Args:
        preprocessor: Preprocessor of the model.
        size: Number of rows of the table of embeddings.
        origin: Facts about the files from which the model was loaded.

    Raises:
        ValueError: If GGUF files do not support the tokenizer.
    """
    tokenizer = preprocessor.tokenizer
    has_pieces = getattr(tokenizer, "proto", None) is not None
    found = _pieces(tokenizer, size) if has_pieces else _pairs(tokenizer, size, origin)
    for key, (_, number) in special_tokens(tokenizer).items():
        found[f"{PREFIX}{key}_token_id"] = number
    starts = origin.tokenizer.adds_start
    if starts is None:
        starts = bool(getattr(preprocessor, "add_start_token", False))
    found[f"{PREFIX}add_bos_token"] = starts
    found[f"{PREFIX}add_eos_token"] = bool(origin.tokenizer.adds_end)
    template = getattr(tokenizer, "chat_template", None)
    return {**found, TEMPLATE: template} if isinstance(template, str) else found


def special_tokens(tokenizer: Any) -> dict[str, tuple[str, int]]:
    """Return tokens and their numbers by their names in the metadata, such as `bos`."""
    found = {}
    for key, name in _SPECIAL.items():
        token, number = getattr(tokenizer, name, None), getattr(tokenizer, f"{name}_id", None)
        if token is not None and number is not None:
            found[key] = str(token), int(number)
    return found


def byte_pairs(tokenizer: Any, added: Mapping[str, bool]) -> dict[str, tuple[int, int]]:
    """Return the numbers and types of the tokens of byte-pair encoding.

    Args:
        tokenizer: The tokenizer.
        added: Tokens that are never split, with True for those that have no text.

    Raises:
        ValueError: If the tokenizer does not have byte-pair encoding.
    """
    vocabulary = getattr(tokenizer, "vocabulary", None)
    if not isinstance(vocabulary, Mapping):
        raise ValueError(
            f"the tokenizer {type(tokenizer).__name__} cannot be written; tokenizers with "
            "byte-pair encoding or SentencePiece can"
        )
    special = {token: True for token in tokenizer.special_tokens if token is not None}
    kinds = {token: CONTROL if has_no_text else USER_DEFINED
             for token, has_no_text in {**special, **added}.items()}  # fmt: skip
    return {token: (number, kinds.get(token, NORMAL)) for token, number in vocabulary.items()}


def _pairs(tokenizer: Any, size: int, origin: Origin) -> dict[str, Any]:
    """Return the metadata of byte-pair encoding."""
    tokens = [f"[PAD{number}]" for number in range(size)]
    kinds = np.full(size, UNUSED, "<i4")
    for token, (number, kind) in byte_pairs(tokenizer, origin.tokenizer.added).items():
        _check_id(number, size)
        tokens[number], kinds[number] = token, kind
    return {
        f"{PREFIX}model": "gpt2",
        f"{PREFIX}pre": name_of(origin.tokenizer.pre_tokenizer, type(tokenizer).__name__),
        f"{PREFIX}tokens": tokens,
        f"{PREFIX}token_type": kinds,
        f"{PREFIX}merges": list(tokenizer.merges),
    }


def _check_id(number: int, size: int) -> None:
    if not 0 <= number < size:
        raise ValueError(f"the tokenizer has the token {number}, but the model has {size} tokens")


def _pieces(tokenizer: Any, size: int) -> dict[str, Any]:
    """Return the vocabulary of SentencePiece."""
    model = read(tokenizer.proto, PIECES)
    pieces = model["pieces"]
    _check_id(len(pieces) - 1, size)
    missing = range(len(pieces), size)
    kinds = [piece.get("type", NORMAL) for piece in pieces] + [UNUSED] * len(missing)
    scores = [piece.get("score", 0.0) for piece in pieces] + [-1000.0] * len(missing)
    starts = model.get("normalizer", {}).get("begins_with_space", True)
    return {
        f"{PREFIX}model": "llama",
        f"{PREFIX}pre": "default",
        f"{PREFIX}tokens": [p["piece"] for p in pieces] + [f"[PAD{n}]" for n in missing],
        f"{PREFIX}scores": np.array(scores, "<f4"),
        f"{PREFIX}token_type": np.array(kinds, "<i4"),
        f"{PREFIX}add_space_prefix": bool(starts),
    }
