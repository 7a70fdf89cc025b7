"""The writer of folders of Hugging Face: configuration, safetensors file and tokenizer."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, BinaryIO

from tfpy._src.formats.pretrained.correspondence import LinkedModel
from tfpy._src.formats.pretrained.gguf_tokenizer import CONTROL, USER_DEFINED
from tfpy._src.formats.pretrained.origins import Origin
from tfpy._src.formats.pretrained.pre_tokenizers import BYTE_LEVEL, name_of, of_gguf
from tfpy._src.formats.pretrained.source import (
    CONFIG,
    SENTENCE_PIECES,
    TOKENIZER,
    TOKENIZER_CONFIG,
)
from tfpy._src.formats.pretrained.vocabulary import byte_pairs, special_tokens
from tfpy._src.formats.safetensors.writer import write_safetensors

DTYPES = {"F32": "float32", "F16": "float16", "BF16": "bfloat16"}
"""Names of dtypes in configurations."""
WEIGHTS = "model.safetensors"
KEPT = (
    *("max_position_embeddings", "sliding_window", "bos_token_id", "eos_token_id"),
    *("pad_token_id", "initializer_range"),
)
"""Entries of a configuration that KerasHub's models do not contain."""


def text_files(
    model: LinkedModel, preprocessor: Any, origin: Origin, weights: str
) -> dict[str, bytes]:
    """Return the files of a folder except the weights, by their names."""
    own = model.description.config
    kept = {key: origin.config[key] for key in KEPT if key in origin.config}
    ids = special_tokens(preprocessor.tokenizer) if preprocessor is not None else {}
    found = {f"{name}_token_id": number for name, (_, number) in ids.items()
             if name in ("bos", "eos")}  # fmt: skip
    config = {**found, **own, **kept, "torch_dtype": DTYPES[weights]}
    files = {CONFIG: _json(config)}
    if origin.files:
        return {**files, **origin.unpacked()}
    return files if preprocessor is None else {**files, **_tokenizer(preprocessor, model, origin)}


def write_weights(file: BinaryIO, model: LinkedModel, weights: str) -> None:
    """Write the weights of a model."""
    shapes = {name: weight.shape for name, weight in model.weights.items()}
    write_safetensors(file, shapes, lambda name: model.weights[name].read(), weights)


def _json(value: Any) -> bytes:
    return json.dumps(value, indent=2, ensure_ascii=False).encode()


def _tokenizer(preprocessor: Any, model: LinkedModel, origin: Origin) -> dict[str, bytes]:
    """Return the files of a tokenizer."""
    tokenizer = preprocessor.tokenizer
    config: dict[str, Any] = {
        f"{name}_token": token for name, (token, _) in special_tokens(tokenizer).items()
    }
    template = getattr(tokenizer, "chat_template", None)
    config["chat_template"] = template if isinstance(template, str) else None
    facts = origin.tokenizer
    if facts.adds_start is not None:
        config["add_bos_token"], config["add_eos_token"] = facts.adds_start, bool(facts.adds_end)
    found = {TOKENIZER_CONFIG: _json({k: v for k, v in config.items() if v is not None})}
    if getattr(tokenizer, "proto", None) is not None:
        return {**found, SENTENCE_PIECES: bytes(tokenizer.proto)}
    fast = _fast_tokenizer(tokenizer, origin)
    merges = "".join(f"{merge}\n" for merge in tokenizer.merges)
    found |= {"vocab.json": _json(fast["model"]["vocab"]), "merges.txt": merges.encode()}
    return {**found, TOKENIZER: _json(fast)}


def _fast_tokenizer(tokenizer: Any, origin: Origin) -> dict[str, Any]:
    """Return the content of `tokenizer.json` for byte-pair encoding."""
    tokens = byte_pairs(tokenizer, origin.tokenizer.added)
    spec = origin.tokenizer.pre_tokenizer or of_gguf(name_of(None, type(tokenizer).__name__))
    added = [_added(number, token, kind) for token, (number, kind) in tokens.items()
             if kind in (CONTROL, USER_DEFINED)]  # fmt: skip
    start = getattr(tokenizer, "start_token", None)
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": added,
        "normalizer": None,
        "pre_tokenizer": spec,
        "post_processor": _start(start, tokens) if origin.tokenizer.adds_start else None,
        "decoder": BYTE_LEVEL,
        "model": {
            "type": "BPE",
            "vocab": {token: number for token, (number, _) in tokens.items()},
            "merges": [merge.split(" ") for merge in tokenizer.merges],
        },
    }


def _added(number: int, token: str, kind: int) -> dict[str, Any]:
    flags = dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), False)
    return {"id": number, "content": token, **flags, "special": kind == CONTROL}


def _start(token: str | None, tokens: Mapping[str, tuple[int, int]]) -> dict[str, Any] | None:
    """Return the description of the addition of a start token."""
    if token is None or token not in tokens:
        return None
    special = {"id": token, "ids": [tokens[token][0]], "tokens": [token]}
    start, text = (
        {"SpecialToken": {"id": token, "type_id": 0}},
        {"Sequence": {"id": "A", "type_id": 0}},
    )
    second = {"Sequence": {"id": "B", "type_id": 1}}
    return {
        "type": "TemplateProcessing",
        "single": [start, text],
        "pair": [start, text, second],
        "special_tokens": {token: special},
    }
