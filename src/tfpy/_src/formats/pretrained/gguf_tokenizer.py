"""Tokenizers of GGUF files, written in the form of Hugging Face."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tfpy._src.formats.gguf.metadata import Metadata
from tfpy._src.formats.pretrained.pre_tokenizers import LLAMA3, PATTERNS, of_gguf
from tfpy._src.formats.pretrained.source import (
    TOKENIZER,
    TOKENIZER_CONFIG,
    TokenizerFacts,
    write_json,
)
from tfpy._src.library.io.checked_json import ModelFileError

PREFIX = "tokenizer.ggml."
TEMPLATE = "tokenizer.chat_template"
BYTE_PAIRS = "gpt2"
CONTROL = 3
USER_DEFINED = 4
"""Types of tokens that are never split."""


def write_tokenizer(metadata: Metadata, folder: Path) -> TokenizerFacts:
    """Write the files of the tokenizer, and return what they do not contain.

    Raises:
        ModelFileError: If the metadata are damaged or describe an unsupported tokenizer.
    """
    kind = metadata.get(f"{PREFIX}model")
    if kind != BYTE_PAIRS:
        raise ModelFileError(
            f"{PREFIX}model is {str(kind)[:80]!r}. tf.models.load supports {BYTE_PAIRS!r}, which "
            "is byte-pair encoding"
        )
    pre = str(metadata.get(f"{PREFIX}pre", "default"))
    spec = of_gguf(pre)
    tokens = _texts(metadata, "tokens")
    merges = _texts(metadata, "merges")
    vocabulary = {token: number for number, token in enumerate(tokens)}
    special = _special(metadata, tokens)
    model = {"type": "BPE", "vocab": vocabulary, "merges": merges}
    write_json(folder, TOKENIZER, {"model": model, "added_tokens": special})
    config = {f"{name}_token": _token(metadata, name, tokens) for name in ("bos", "eos")}
    write_json(folder, TOKENIZER_CONFIG, config)
    write_json(folder, "vocab.json", vocabulary)
    (folder / "merges.txt").write_text("\n".join(merges), encoding="utf-8")
    template = metadata.get(TEMPLATE)
    return TokenizerFacts(
        chat_template=template if isinstance(template, str) else None,
        adds_start=bool(metadata.get(f"{PREFIX}add_bos_token", PATTERNS[pre] == (LLAMA3,))),
        adds_end=bool(metadata.get(f"{PREFIX}add_eos_token", False)),
        pre_tokenizer=spec,
    )


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
