"""The parts of language models that ``tf.export`` writes, and models that it refuses."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import tfpy as tf
from tfpy._src.formats.encodings.protobuf_writer import chunk, integer, real
from tfpy._src.formats.exported.chat_formats import chat_format, rendered
from tfpy._src.formats.exported.tokenizers import tokenizer_of
from tfpy._src.formats.pretrained.pre_tokenizers import of_gguf

Messages = Sequence[Mapping[str, str]]


def _chatml(messages: Messages) -> str:
    default = "" if messages[0]["role"] == "system" else "<s>system\nBe kind.</s>\n"
    lines = [f"<s>{one['role']}\n{one['content']}</s>\n" for one in messages]
    return f"{default}{''.join(lines)}<s>assistant\n"


def _gemma(messages: Messages) -> str:
    if messages[0]["role"] == "system":
        raise ValueError("System role not supported")
    names = {"user": "user", "assistant": "model"}
    lines = [f"<t>{names[one['role']]}\n{one['content'].strip()}</t>\n" for one in messages]
    return f"<bos>{''.join(lines)}<t>model\n"


def _mistral(messages: Messages) -> str:
    parts = {"user": "[INST] {} [/INST]", "assistant": " {}</s>", "system": "<<SYS>>{}<</SYS>>"}
    return "<s>" + "".join(parts[one["role"]].format(one["content"].strip()) for one in messages)


def _numbered(messages: Messages) -> str:
    return "".join(f"{n}. {one['role']}: {one['content']}" for n, one in enumerate(messages))


def _of(template: Callable[[Messages], str]) -> Any:
    return SimpleNamespace(chat_template="a template", apply_chat_template=template)


@pytest.mark.parametrize("template", [_chatml, _gemma, _mistral])
def test_chat_formats(template: Callable[[Messages], str]) -> None:
    """Check that the strings between messages write conversations as the template does."""
    form = chat_format(_of(template))
    assert form is not None
    assert ("system" in form["joins"]["start"]) == (template is not _gemma)
    conversation = [
        *(("user", " a\n"), ("assistant", "b"), ("user", "\u00fc"), ("assistant", "d")),
        ("user", "{{ x }}"),
    ]
    given = [{"role": role, "content": text} for role, text in conversation]
    assert rendered(form, conversation) == template(given)


def test_templates_without_a_chat_format() -> None:
    """Check that a template with more than strings between messages is reported."""
    assert chat_format(SimpleNamespace(chat_template=None)) is None
    with pytest.warns(UserWarning, match="the file has no chat format"):
        assert chat_format(_of(_numbered)) is None


def _tokenizer(**changes: Any) -> Any:
    """Return a tokenizer with a description in the form of Hugging Face."""
    given: dict[str, Any] = {
        "model": {"type": "BPE", "vocab": {"a": 0, "b": 1, "ab": 3}, "merges": [["a", "b"]]},
        "added_tokens": [
            {"id": number, "content": text, "normalized": normalized}
            | dict.fromkeys(("single_word", "lstrip", "rstrip"), False)
            for number, text, normalized in ((4, "<s>", False), (5, "<t>", True))
        ],
        "pre_tokenizer": of_gguf("smollm"),
        "decoder": {"type": "ByteLevel"},
    }
    given["model"] |= changes.pop("model", {})
    return SimpleNamespace(_tokenizer=SimpleNamespace(to_str=lambda: json.dumps(given | changes)))


def test_tokenizers() -> None:
    wanted = {
        "type": "byte_pairs",
        "tokens": ["a", "b", None, "ab", "<s>", "<t>"],
        "merges": [0, 1],
        "added": [[4], [5]],
        "splits": [{"pattern": "digit"}, {"pattern": "gpt2"}],
        "whole": False,
    }
    assert tokenizer_of(_tokenizer()) == wanted
    assert tokenizer_of(_tokenizer(model={"merges": ["a b"]})) == wanted
    assert tokenizer_of(_tokenizer(model={"ignore_merges": True}))["whole"]
    byte_level = {"type": "ByteLevel", "add_prefix_space": True, "use_regex": True}
    found = tokenizer_of(_tokenizer(pre_tokenizer=byte_level))
    assert found["splits"] == [{"prefix": " "}, {"pattern": "gpt2"}]


def _sentence_pieces(
    trainer: Sequence[Any] = ((3, 2), (35, 1)),
    normalizer: Sequence[Any] = ((3, 0), (4, 0)),
    add_bos: bool = False,
) -> Any:
    """Return a tokenizer with a model of SentencePiece that has these fields."""
    given = [("<unk>", 0.0, 2), ("<0x0A>", 0.0, 6), ("\u2581a", -1.5, 1)]
    pieces = [chunk(1, chunk(1, p) + real(2, s) + integer(3, k)) for p, s, k in given]
    fields = [
        b"".join(
            chunk(field, value) if isinstance(value, bytes) else integer(field, value)
            for field, value in part
        )
        for part in (trainer, normalizer)
    ]
    proto = b"".join(pieces) + chunk(2, fields[0]) + chunk(3, fields[1])
    return SimpleNamespace(proto=proto, add_bos=add_bos, add_eos=False)


def test_sentence_pieces() -> None:
    wanted = {
        "type": "sentence_pieces",
        "pieces": ["<unk>", "<0x0A>", "\u2581a"],
        "kinds": [2, 6, 1],
        "scores": [0.0, 0.0, -1.5],
        "unknown_text": " \u2047 ",
        "begins_with_space": False,
        "removes_spaces": False,
        "has_bytes": True,
    }
    assert tokenizer_of(_sentence_pieces()) == wanted
    found = tokenizer_of(_sentence_pieces(trainer=[(3, 2), (44, b"?")], normalizer=[]))
    changes = {"unknown_text": "?", "has_bytes": False}
    assert found == wanted | changes | {"begins_with_space": True, "removes_spaces": True}


@pytest.mark.parametrize(
    ("tokenizer", "reason"),
    [
        (SimpleNamespace(), "it does not use byte-pair encoding"),
        (_sentence_pieces(trainer=[(3, 1)]), "is not byte-pair encoding"),
        (_sentence_pieces(normalizer=[(2, b"x")]), "replaces characters"),
        (_sentence_pieces(trainer=[(3, 2), (24, 1)]), "another form of spaces"),
        (_sentence_pieces(normalizer=[(5, 0)]), "another form of spaces"),
        (_sentence_pieces(add_bos=True), "it adds tokens to each string"),
        (_tokenizer(model={"type": "Unigram"}), "Unigram with other tokens"),
        (_tokenizer(model={"byte_fallback": True}), "BPE with byte_fallback"),
        (_tokenizer(normalizer={"type": "NFC"}), "BPE with normalizer"),
        (_tokenizer(decoder=None), "its tokens are not bytes"),
        (_tokenizer(pre_tokenizer={"type": "Metaspace"}), "its tokens are not bytes"),
        (
            _tokenizer(
                pre_tokenizer={
                    "type": "Sequence",
                    "pretokenizers": [
                        {"type": "Split", "pattern": {"Regex": "x+"}, "behavior": "Isolated"},
                        {"type": "ByteLevel", "add_prefix_space": False, "use_regex": False},
                    ],
                }
            ),
            "it splits words in an unknown way",
        ),
    ],
)
def test_unsupported_tokenizers(tokenizer: Any, reason: str) -> None:
    with pytest.raises(tf.errors.UnimplementedError, match=re.escape(reason)):
        tokenizer_of(tokenizer)


def _model(**members: Any) -> Any:
    """Return an object with the members of a language model."""
    names = ("generate", "generate_step", "preprocessor")
    return SimpleNamespace(**{**dict.fromkeys(names), **members})


def _build(token_ids: Any) -> None:
    """Stand in for a method of a model that is not called."""


def _build_with_images(token_ids: Any, images: Any) -> None:
    """Stand in for a method of a model that is not called."""


def test_refused_models(tmp_path: Path) -> None:
    path = tmp_path / "model.tfpy"
    with pytest.raises(tf.errors.UnimplementedError, match="it has no cache of keys and values"):
        tf.export(_model(), path)
    with pytest.raises(tf.errors.UnimplementedError, match="inputs that are not tokens: images"):
        tf.export(_model(_build_cache=_build_with_images, call_with_cache=_build), path)
    with pytest.raises(ValueError, match="has no preprocessor"):
        tf.export(_model(_build_cache=_build, call_with_cache=_build), path)
    assert not path.exists()


@pytest.mark.parametrize("name", ["max_length", "prefill_lengths", "candidates"])
def test_options_of_other_functions(tmp_path: Path, name: str) -> None:
    options: dict[str, Any] = {name: (4,) if name == "prefill_lengths" else 4}
    with pytest.raises(ValueError, match="are options of language models"):
        tf.export(tf.nn.relu, tmp_path / "relu.tfpy", tf.TensorSpec([2]), **options)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"max_length": 1}, "max_length must be from 2 to 32, got 1"),
        ({"max_length": 33}, "max_length must be from 2 to 32, got 33"),
        ({"candidates": 0}, "candidates must be positive, got 0"),
        ({"prefill_lengths": (1, 4)}, "prefill_lengths must be from 2 to max_length, 32"),
        ({"prefill_lengths": (64,)}, "prefill_lengths must be from 2 to max_length, 32"),
    ],
)
def test_options_of_language_models(tmp_path: Path, options: Any, message: str) -> None:
    model = _model(
        _build_cache=_build,
        call_with_cache=_build,
        backbone=SimpleNamespace(max_sequence_length=32, vocabulary_size=100),
        preprocessor=SimpleNamespace(sequence_length=1024),
    )
    with pytest.raises(ValueError, match=re.escape(message)):
        tf.export(model, tmp_path / "model.tfpy", **options)
