"""Folders of Hugging Face: a configuration, safetensors files and the files of a tokenizer."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tfpy._src.formats.pretrained.packed_weights import unpacked
from tfpy._src.formats.pretrained.source import (
    ACCENTS,
    CONFIG,
    POOLING,
    SENTENCE_PIECES,
    TOKENIZER,
    TOKENIZER_CONFIG,
    Pretrained,
    TokenizerFacts,
)
from tfpy._src.formats.weight_file import WeightFile
from tfpy._src.library.io.checked_json import ModelFileError, a_list, an_object, parse

TEMPLATE = "chat_template.jinja"
FILES = (
    *(TOKENIZER, TOKENIZER_CONFIG, TEMPLATE, "vocab.json", "merges.txt", "vocab.txt"),
    *(SENTENCE_PIECES, "sentencepiece.bpe.model", "spiece.model", "special_tokens_map.json"),
    *("modules.json", POOLING, "sentence_bert_config.json"),
)
"""Files that converters of KerasHub read, if they exist."""


def read_model(weights: WeightFile, folder: Path) -> Pretrained:
    """Return the model in a folder.

    Args:
        weights: Its weights.
        folder: The folder with all other files.

    Raises:
        ModelFileError: If a file is damaged.
    """
    config = _object(folder, CONFIG)
    if not isinstance(config.get("model_type"), str):
        raise ModelFileError(f"{CONFIG} must contain 'model_type', the name of an architecture")
    return Pretrained(config, unpacked(weights, config), folder, _facts(folder), FILES)


def _object(folder: Path, name: str) -> dict[str, Any]:
    """Return the content of a JSON file; an empty dict if there is no such file."""
    file = folder / name
    return parse(file.read_bytes(), name) if file.exists() else {}


def _facts(folder: Path) -> TokenizerFacts:
    tokenizer = _object(folder, TOKENIZER)
    config = _object(folder, TOKENIZER_CONFIG)
    spec = tokenizer.get("pre_tokenizer")
    return TokenizerFacts(
        chat_template=_template(folder, config.get("chat_template")),
        adds_start=_adds(tokenizer, config, "bos"),
        adds_end=_adds(tokenizer, config, "eos"),
        pre_tokenizer=None if spec is None else an_object(spec, "pre_tokenizer"),
        arguments=_accents(config),
        added=_added(tokenizer),
    )


def _added(tokenizer: Mapping[str, Any]) -> dict[str, bool]:
    """Return the tokens that are never split, with True for those that have no text."""
    listed = a_list(tokenizer.get("added_tokens") or [], "added_tokens")
    tokens = [an_object(token, "a token") for token in listed]
    return {str(token.get("content")): bool(token.get("special")) for token in tokens}


def _accents(config: Mapping[str, Any]) -> dict[str, Any]:
    """Return arguments for tokenizers that convert to lowercase, which also removes accents."""
    lowers = config.get("do_lower_case")
    strips = config.get("strip_accents")
    if not isinstance(lowers, bool):
        return {}
    return {ACCENTS: lowers if strips is None else bool(strips)}


def _template(folder: Path, value: Any) -> str | None:
    """Return the chat template: a file, a string, or the default of several with names."""
    file = folder / TEMPLATE
    if file.exists():
        return file.read_text(encoding="utf-8")
    if isinstance(value, list):
        named = [item for item in value if isinstance(item, dict) and item.get("name") == "default"]
        value = named[0].get("template") if named else None
    return value if isinstance(value, str) else None


def _adds(tokenizer: Mapping[str, Any], config: Mapping[str, Any], name: str) -> bool | None:
    """Return True if the tokenizer adds the start token `bos` or the end token `eos`."""
    adds = config.get(f"add_{name}_token")
    token = config.get(f"{name}_token")
    if isinstance(adds, bool) or not tokenizer:
        return adds
    if isinstance(token, dict):
        token = token.get("content")
    return json.dumps(token) in json.dumps(tokenizer.get("post_processor"))
