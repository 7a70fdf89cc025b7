"""Tokenizers of language models in the form that pages read."""

from __future__ import annotations

import itertools
import json
from collections.abc import Mapping, Sequence
from typing import Any

from tfpy._src.base.errors import UnimplementedError
from tfpy._src.formats.encodings.protobuf import read
from tfpy._src.formats.pretrained.gguf_tokenizer import BYTE_PAIR_MODEL
from tfpy._src.formats.pretrained.piece_models import PIECES, UNKNOWN_TEXT
from tfpy._src.formats.pretrained.pre_tokenizers import DIGIT, GPT2, LLAMA3, QWEN2

Json = dict[str, Any]

PATTERNS = {DIGIT: "digit", GPT2: "gpt2", LLAMA3: "llama3", QWEN2: "qwen2"}
"""Patterns that split strings into words, with their names in files. Pages do not run patterns that
files contain, because a pattern can take a very long time."""


def tokenizer_of(tokenizer: Any) -> Json:
    """Return the description of a tokenizer.

    Raises:
        UnimplementedError: If pages do not have such a tokenizer.
    """
    name = type(tokenizer).__name__
    if getattr(tokenizer, "proto", None) is not None:
        return _sentence_pieces(name, tokenizer)
    inner: Any = getattr(tokenizer, "_tokenizer", None)
    if not hasattr(inner, "to_str"):
        raise _refused(name, "it does not use byte-pair encoding")
    return _byte_pairs(name, json.loads(inner.to_str()))


def _refused(name: str, why: str) -> UnimplementedError:
    text = f"tf.export: pages without Python do not have the tokenizer {name}: {why}"
    return UnimplementedError(None, None, text)


def _sentence_pieces(name: str, tokenizer: Any) -> Json:
    """Convert a model of SentencePiece."""
    given = read(tokenizer.proto, PIECES)
    trainer, normalizer = given.get("trainer", {}), given.get("normalizer", {})
    if trainer.get("model_type", 1) != BYTE_PAIR_MODEL:
        raise _refused(name, "its SentencePiece model is not byte-pair encoding")
    others = [given.get(key, {}).get("characters") for key in ("normalizer", "denormalizer")]
    if any(others):
        raise _refused(name, "its SentencePiece model replaces characters")
    if trainer.get("spaces_end_words") or not normalizer.get("escapes_spaces", True):
        raise _refused(name, "its SentencePiece model has another form of spaces")
    if tokenizer.add_bos or tokenizer.add_eos:
        raise _refused(name, "it adds tokens to each string")
    pieces = given["pieces"]
    return {
        "type": "sentence_pieces",
        "pieces": [piece["piece"] for piece in pieces],
        "kinds": [piece.get("type", 1) for piece in pieces],
        "scores": [piece.get("score", 0.0) for piece in pieces],
        "unknown_text": trainer.get("unknown_text", UNKNOWN_TEXT),
        "begins_with_space": normalizer.get("begins_with_space", True),
        "removes_spaces": normalizer.get("removes_spaces", True),
        "has_bytes": trainer.get("has_bytes", False),
    }


_PLAIN_MODEL = (
    *("dropout", "unk_token", "continuing_subword_prefix", "end_of_word_suffix"),
    *("fuse_unk", "byte_fallback"),
)
"""Properties of a model that pages do not support."""
_PLAIN_TOKEN = ("single_word", "lstrip", "rstrip")
"""Properties of added tokens that pages do not support."""


def _byte_pairs(name: str, given: Json) -> Json:
    """Convert a description in the form of Hugging Face's `tokenizer.json`."""
    model, added = given["model"], given["added_tokens"]
    special = [key for key in _PLAIN_MODEL if model.get(key)]
    special += [key for key in ("normalizer", "post_processor") if given.get(key) is not None]
    special += [key for key in _PLAIN_TOKEN if any(token[key] for token in added)]
    if model["type"] != "BPE" or special:
        raise _refused(name, f"{model['type']} with {', '.join(special) or 'other tokens'}")
    if any(_last_kind(given[key]) != "ByteLevel" for key in ("pre_tokenizer", "decoder")):
        raise _refused(name, "its tokens are not bytes")
    numbers = {**model["vocab"], **{token["content"]: token["id"] for token in added}}
    merges = [pair.split(" ") if isinstance(pair, str) else pair for pair in model["merges"]]
    return {
        "type": "byte_pairs",
        "tokens": _by_number(numbers),
        "merges": [model["vocab"][part] for part in itertools.chain.from_iterable(merges)],
        # Tokens that are not normalized are found first.
        "added": [
            [token["id"] for token in added if bool(token["normalized"]) == normalized]
            for normalized in (False, True)
        ],
        "splits": _splits(name, given["pre_tokenizer"] or {"type": "None"}),
        "whole": bool(model.get("ignore_merges")),
    }


def _last_kind(given: Json | None) -> str:
    """Return the type of the last step of a part of the description."""
    given = given or {"type": "None"}
    steps = given.get("pretokenizers") or [given]
    return str(steps[-1]["type"])


def _by_number(numbers: Mapping[str, int]) -> list[str | None]:
    found: list[str | None] = [None] * (max(numbers.values(), default=-1) + 1)
    for token, number in numbers.items():
        found[number] = token
    return found


def _splits(name: str, given: Json) -> list[Json]:
    """Return the steps that split a string into words."""
    if given["type"] == "Sequence":
        return [step for one in given["pretokenizers"] for step in _splits(name, one)]
    if given["type"] == "ByteLevel":
        patterns: Sequence[Json] = [{"pattern": "gpt2"}] if given["use_regex"] else []
        prefix = [{"prefix": " "}] if given["add_prefix_space"] else []
        return [*prefix, *patterns]
    is_plain = given.get("behavior") == "Isolated" and not given.get("invert")
    pattern = given.get("pattern", {}) if given["type"] == "Split" and is_plain else {}
    if pattern.get("Regex") in PATTERNS:
        return [{"pattern": PATTERNS[pattern["Regex"]]}]
    if pattern.get("String"):
        # KerasHub passes its pattern in this form, which matches only the same characters.
        return [{"literal": pattern["String"]}]
    raise _refused(name, f"it splits words in an unknown way, {json.dumps(given)[:200]}")
