"""Language models in GGUF files and folders of Hugging Face, which tfpy writes."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from models import decoders, encoded_files

import tfpy as tf
from tfpy._src.formats.encodings.protobuf_writer import chunk, integer, real
from tfpy._src.formats.gguf.encoders import ENCODERS
from tfpy._src.formats.gguf.reader import GgufFile
from tfpy._src.formats.gguf.writer import TensorPlan, write_gguf
from tfpy._src.formats.pretrained import folder_model, gguf_model, pre_tokenizers
from tfpy._src.formats.pretrained.architectures import ARCHITECTURES
from tfpy._src.formats.pretrained.correspondence import linked
from tfpy._src.formats.pretrained.gguf_writer import format_of
from tfpy._src.formats.pretrained.origins import remember
from tfpy._src.formats.pretrained.source import Pretrained, TokenizerFacts
from tfpy._src.formats.safetensors.reader import SafetensorsFile
from tfpy._src.library.io.checked_json import ModelFileError

QUERY = "model.layers.1.self_attn.q_proj.weight"


@pytest.fixture(autouse=True)
def converter(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let Llama be converted without KerasHub."""
    monkeypatch.setitem(sys.modules, decoders.CONVERTER, decoders.LLAMA)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ENCODERS)
def test_bytes_are_those_of_the_package_gguf(name: str) -> None:
    digests = json.loads(encoded_files.DIGESTS.read_text())
    assert encoded_files.digest(ENCODERS[name](encoded_files.values())) == digests[name]


def test_files_come_back() -> None:
    """Check metadata of each type, and tensors of each format with their distances."""
    values = encoded_files.values()
    metadata = {
        "text": "ü",
        "number": 3,
        "float": 0.5,
        "yes": True,
        "texts": ["a", "", "b"],
        "kinds": np.array([1, -2], np.int32),
    }
    plans = {name: TensorPlan(values.shape, name) for name in ENCODERS}
    plans["vector"] = TensorPlan((5,), "F32")
    out = io.BytesIO()
    write_gguf(out, metadata, plans, lambda n: np.arange(5) if n == "vector" else values)
    file = GgufFile(out)
    found = dict(file.metadata)
    np.testing.assert_array_equal(found.pop("kinds"), metadata.pop("kinds"))
    assert found == metadata
    assert file.read("vector").tolist() == [0, 1, 2, 3, 4]
    largest = np.abs(values.reshape(len(values), 2, 32)).max(axis=-1, keepdims=True)
    for name, steps in {"F32": 1e-9, "F16": 1e-3, "BF16": 4e-3, "Q8_0": 254, "Q4_0": 7.9}.items():
        distance = np.abs(file.read(name) - values).reshape(len(values), 2, 32)
        allowed = largest * (steps if steps < 1 else 1.3 / steps)
        assert (distance <= allowed + 1e-5).all(), name


@pytest.mark.parametrize("name", ARCHITECTURES)
def test_changes_can_be_undone(name: str) -> None:
    architecture = ARCHITECTURES[name]
    config = {"num_attention_heads": 4, "num_key_value_heads": 2}
    weight = np.arange(96, dtype=np.float32).reshape(16, 6)
    for change in architecture.changes.values():
        done = change.redo(weight, config)
        assert not np.array_equal(done, weight)
        np.testing.assert_array_equal(change.undo(done, config), weight)


def read_gguf(path: Path, folder: Path) -> Pretrained:
    folder.mkdir()
    return gguf_model.read_model(GgufFile(io.BytesIO(path.read_bytes())), folder)


def same_weights(found: Pretrained, model: Any) -> None:
    expected = {name: weight.read() for name, weight in linked(model).weights.items()}
    assert set(found.weights.names) == set(expected)
    for name, value in expected.items():
        np.testing.assert_array_equal(found.weights.read(name), value)


@pytest.mark.parametrize("cls", [decoders.LlamaBackbone, decoders.Phi3Backbone])
def test_gguf_files(cls: Any, tmp_path: Path) -> None:
    """Check that a file contains the weights with LoRA, the settings and the tokenizer."""
    model = decoders.task(cls())
    model.backbone.adapt("query", "down")
    path = tmp_path / "model.gguf"
    tf.models.save(model, path)
    found = read_gguf(path, tmp_path / "read")
    same_weights(found, model)
    own = linked(model).description.config
    for key in ("hidden_size", "num_attention_heads", "num_key_value_heads", "rms_norm_eps"):
        assert found.config[key] == pytest.approx(own[key])
    assert found.config["architectures"] == own["architectures"]
    scaling = {key: found.config["rope_scaling"][key] for key in own["rope_scaling"]}
    assert scaling == own["rope_scaling"]
    assert found.tokenizer.chat_template == "{{ messages }}"
    assert found.tokenizer.adds_start
    assert dict(found.tokenizer.added) == {"<s>": True, "</s>": True}
    vocabulary = json.loads((tmp_path / "read" / "vocab.json").read_text())
    assert vocabulary["abc"] == model.preprocessor.tokenizer.vocabulary["abc"]
    assert vocabulary["[PAD19]"] == 19
    assert (tmp_path / "read" / "merges.txt").read_text().splitlines() == ["a b", "ab c"]


def test_formats_of_weights(tmp_path: Path) -> None:
    found = {
        name: [format_of(name, shape, kind) for kind in ("F32", "F16", "Q8_0", "Q4_0")]
        for name, shape in {
            "blk.0.attn_q.weight": (8, 64),
            "token_embd.weight": (8, 64),
            "output_norm.weight": (64,),
            "position_embd.weight": (8, 64),
            "blk.0.ffn_down.weight": (64, 8),
        }.items()
    }
    exact = ["F32"] * 4
    assert found == {
        "blk.0.attn_q.weight": ["F32", "F16", "Q8_0", "Q4_0"],
        "token_embd.weight": ["F32", "F16", "Q8_0", "Q8_0"],
        "output_norm.weight": exact,
        "position_embd.weight": exact,
        "blk.0.ffn_down.weight": ["F32", "F16", "F16", "F16"],
    }
    model = decoders.task(decoders.LlamaBackbone())
    with pytest.raises(ValueError, match=r"'Q4_0' for a GGUF file, not 'Q4_K'"):
        tf.models.save(model, tmp_path / "model.gguf", "Q4_K")
    with pytest.raises(ValueError, match=r"'BF16' for a folder, not 'Q8_0'"):
        tf.models.save(model, tmp_path / "model", "Q8_0")
    with pytest.raises(ValueError, match="no preprocessor"):
        tf.models.save(model.backbone, tmp_path / "model.gguf")
    del model.preprocessor.tokenizer.vocabulary
    with pytest.raises(ValueError, match="byte-pair encoding or SentencePiece"):
        tf.models.save(model, tmp_path / "model.gguf")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("dtype", ["F32", "F16", "BF16"])
def test_folders(dtype: str, tmp_path: Path) -> None:
    """Check that a folder contains the weights in a dtype, the configuration and the tokenizer."""
    model = decoders.task(decoders.LlamaBackbone())
    model.backbone.adapt("query")
    facts = TokenizerFacts(adds_start=True, added={"<x>": False})
    config = {"max_position_embeddings": 99, "rope_theta": 7}
    remember(model, Pretrained(config, None, tmp_path, facts))  # type: ignore[arg-type]
    tf.models.save(model, tmp_path / "new" / "model", dtype)
    folder = tmp_path / "new" / "model"
    file = SafetensorsFile(io.BytesIO((folder / "model.safetensors").read_bytes()))
    kinds = {"F32": np.float32, "F16": np.float16, "BF16": ml_dtypes.bfloat16}
    for name, weight in linked(model).weights.items():
        np.testing.assert_array_equal(file.read(name), weight.read().astype(kinds[dtype]))
    found = folder_model.read_model(file, folder)
    assert found.config["max_position_embeddings"] == 99
    assert found.config["rope_theta"] == 1e8
    assert (found.config["bos_token_id"], found.config["eos_token_id"]) == (0, 1)
    assert found.tokenizer.chat_template == "{{ messages }}"
    assert (found.tokenizer.adds_start, found.tokenizer.adds_end) == (True, False)
    assert found.tokenizer.added == {"<s>": True, "</s>": True, "<x>": False}
    tokenizer = json.loads((folder / "tokenizer.json").read_text())
    assert tokenizer["model"]["merges"] == [["a", "b"], ["ab", "c"]]
    assert tokenizer["post_processor"]["single"][0]["SpecialToken"]["id"] == "<s>"
    assert tokenizer["pre_tokenizer"] == pre_tokenizers.of_gguf("gpt-2")
    for part in (tokenizer["decoder"], tokenizer["pre_tokenizer"]["pretokenizers"][-1]):
        assert part["type"] == "ByteLevel"
        assert "trim_offsets" in part  # which the package tokenizers requires


def test_damaged_tokenizer(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text('{"model_type": "llama"}')
    for wrong in (True, {"a": 1}, [3]):
        (tmp_path / "tokenizer.json").write_text(json.dumps({"added_tokens": wrong}))
        with pytest.raises(ModelFileError, match=r"added_tokens must|a token must"):
            folder_model.read_model(None, tmp_path)  # type: ignore[arg-type]


def test_files_of_a_tokenizer_are_kept(tmp_path: Path) -> None:
    model = decoders.task(decoders.LlamaBackbone())
    (tmp_path / "tokenizer.json").write_text('{"own": 1}')
    source = Pretrained({}, None, tmp_path, kept=("tokenizer.json", "vocab.txt"))  # type: ignore[arg-type]
    remember(model, source)
    tf.models.save(model, tmp_path / "model")
    names = sorted(path.name for path in (tmp_path / "model").iterdir())
    assert names == ["config.json", "model.safetensors", "tokenizer.json"]
    assert (tmp_path / "model" / "tokenizer.json").read_text() == '{"own": 1}'


def test_sentence_pieces(tmp_path: Path) -> None:
    """Check that pieces come back with their scores and types, and that files contain the model."""
    pieces = [("<unk>", 0.0, 2), ("<s>", 0.0, 3), ("a", -1.5, 1)]
    proto = b"".join([chunk(1, chunk(1, t) + real(2, s) + integer(3, k)) for t, s, k in pieces])
    proto += chunk(3, integer(3, 0))
    model = decoders.task(decoders.LlamaBackbone(), proto=proto)
    tf.models.save(model, tmp_path / "model.gguf")
    metadata = GgufFile(io.BytesIO((tmp_path / "model.gguf").read_bytes())).metadata
    found = {key.rpartition(".")[2]: value for key, value in metadata.items()}
    assert found["tokens"][:4] == ["<unk>", "<s>", "a", "[PAD3]"]
    assert found["scores"][:4].tolist() == [0, 0, -1.5, -1000]
    assert found["token_type"][:4].tolist() == [2, 3, 1, 5]
    assert found["add_space_prefix"] is False
    tf.models.save(model, tmp_path / "model")
    assert (tmp_path / "model" / "tokenizer.model").read_bytes() == proto


def test_names_of_patterns() -> None:
    """Check the names for descriptions of Hugging Face and of GGUF files."""
    for name in pre_tokenizers.WRITTEN:
        assert pre_tokenizers.name_of(pre_tokenizers.of_gguf(name), "") == name
    digits = {"type": "Digits", "individual_digits": True}
    spec = {"type": "Sequence", "pretokenizers": [digits, {"type": "ByteLevel"}]}
    assert pre_tokenizers.name_of(spec, "") == "smollm"
    assert pre_tokenizers.name_of({"type": "ByteLevel"}, "") == "gpt-2"
    assert pre_tokenizers.name_of(None, "QwenTokenizer") == "qwen2"
    with pytest.raises(ValueError, match="other patterns"):
        pre_tokenizers.name_of({"type": "Whitespace"}, "")
