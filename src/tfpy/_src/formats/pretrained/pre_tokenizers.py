"""The splitting of strings into words before byte-pair encoding, which KerasHub does in one way.

Descriptions have the form of the entry `pre_tokenizer` in `tokenizer.json` of Hugging Face.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from tfpy._src.library.io.checked_json import ModelFileError

Spec = Mapping[str, Any]

DIGIT = r"\p{N}"
GPT2 = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
_CASELESS = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{{L}}\p{{N}}]?\p{{L}}+|{numbers}|"
    r" ?[^\s\p{{L}}\p{{N}}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
LLAMA3 = _CASELESS.format(numbers=r"\p{N}{1,3}")
QWEN2 = _CASELESS.format(numbers=DIGIT)
PATTERNS = {
    **dict.fromkeys(("default", "gpt-2", "phi-2", "jina-es", "jina-de", "olmo"), (GPT2,)),
    **dict.fromkeys(("smollm", "starcoder", "refact", "command-r", "codeshell"), (DIGIT, GPT2)),
    **dict.fromkeys(("llama-bpe", "llama3", "llama-v3", "dbrx", "smaug-bpe"), (LLAMA3,)),
    **dict.fromkeys(("qwen2", "stablelm2", "deepseek-r1-qwen", "megrez"), (QWEN2,)),
}
"""Patterns of words, which split the text in turn, by the names in GGUF files.

Source: https://github.com/ggml-org/llama.cpp/blob/master/src/llama-vocab.cpp
"""

BYTE_LEVEL = {
    "type": "ByteLevel",
    "add_prefix_space": False,
    "trim_offsets": True,
    "use_regex": False,
}
"""The conversion of words to bytes, and back."""
WRITTEN = ("gpt-2", "smollm", "llama-bpe", "qwen2")
"""The name that is written for each of the patterns."""
DEFAULTS = {"Llama3Tokenizer": "llama-bpe", "QwenTokenizer": "qwen2", "Qwen3Tokenizer": "qwen2"}
"""Names for tokenizers of KerasHub without a description; for all others it is `gpt-2`."""


def of_gguf(name: str) -> Spec:
    """Return the description for the value of `tokenizer.ggml.pre` in a GGUF file.

    Raises:
        ModelFileError: If the name is unknown.
    """
    if name not in PATTERNS:
        raise ModelFileError(
            f"the tokenizer splits words like {name!r}, which tfpy does not support. Supported: "
            f"{', '.join(PATTERNS)}"
        )
    splits = [
        {"type": "Split", "pattern": {"Regex": pattern}, "behavior": "Isolated", "invert": False}
        for pattern in PATTERNS[name]
    ]
    return {"type": "Sequence", "pretokenizers": [*splits, BYTE_LEVEL]}


def name_of(spec: Spec | None, tokenizer: str) -> str:
    """Return the name in GGUF files for a description.

    Args:
        spec: The description, or None for the default of a tokenizer.
        tokenizer: Name of KerasHub's class of the tokenizer.

    Raises:
        ValueError: If GGUF files have no name for the description that tfpy knows.
    """
    if spec is None:
        return DEFAULTS.get(tokenizer, "gpt-2")
    found = tuple(_patterns(spec))
    for name in WRITTEN:
        if PATTERNS[name] == found:
            return name
    raise ValueError(
        "the tokenizer splits words by other patterns than those of GGUF files that tfpy supports: "
        f"{', '.join(WRITTEN)}"
    )


def _patterns(spec: Spec) -> Iterator[str]:
    """Yield the patterns of a description that splits words as byte-pair encoding needs it."""
    kind = spec.get("type")
    if kind == "Sequence":
        for member in spec["pretokenizers"]:
            yield from _patterns(member)
    elif kind == "Split":
        yield str(spec["pattern"].get("Regex"))
    elif kind == "Digits" and spec.get("individual_digits"):
        yield DIGIT
    elif kind == "ByteLevel" and spec.get("use_regex", True):
        yield GPT2
    elif kind != "ByteLevel":
        yield str(kind)


def set_pre_tokenizer(tokenizer: Any, spec: Spec) -> None:
    """Let a byte-pair tokenizer of KerasHub split texts as described.

    Descriptions with parts that byte-pair tokenizers do not have are ignored.
    """
    inner = getattr(tokenizer, "_tokenizer", None)
    package = importlib.import_module("tokenizers")
    if isinstance(inner, package.Tokenizer) and _is_supported(spec):
        inner.pre_tokenizer = _made(package, spec)


def _is_supported(spec: Spec) -> bool:
    kind = spec.get("type")
    if kind == "Sequence":
        return all(map(_is_supported, spec["pretokenizers"]))
    return kind in _MAKERS


def _made(package: Any, spec: Spec) -> Any:
    if spec["type"] == "Sequence":
        members = [_made(package, member) for member in spec["pretokenizers"]]
        return package.pre_tokenizers.Sequence(members)
    return _MAKERS[spec["type"]](package, spec)


def _split(package: Any, spec: Spec) -> Any:
    pattern = spec["pattern"]
    regex = pattern.get("String") or package.Regex(pattern["Regex"])
    words = "".join([f"_{c.lower()}" if c.isupper() else c for c in spec["behavior"]])
    return package.pre_tokenizers.Split(regex, words.lstrip("_"), bool(spec.get("invert")))


def _digits(package: Any, spec: Spec) -> Any:
    how = "isolated" if spec.get("individual_digits") else "contiguous"
    return package.pre_tokenizers.Split(package.Regex(DIGIT), how)


def _byte_level(package: Any, spec: Spec) -> Any:
    return package.pre_tokenizers.ByteLevel(
        add_prefix_space=bool(spec.get("add_prefix_space")),
        use_regex=bool(spec.get("use_regex", True)),
    )


_MAKERS: dict[str, Callable[[Any, Spec], Any]] = {
    "Split": _split,
    "Digits": _digits,
    "ByteLevel": _byte_level,
}
