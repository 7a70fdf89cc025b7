"""GGUF and safetensors files: reading, and the form in which KerasHub receives their models."""

from __future__ import annotations

import asyncio
import io
import json
import struct
import sys
import types
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from models import gguf_files

import tfpy as tf
from tfpy._src.formats.encodings.protobuf import BOOL, FLOAT, INT, STRING, Message, many, read
from tfpy._src.formats.gguf.blocks import FORMATS
from tfpy._src.formats.gguf.reader import GgufFile
from tfpy._src.formats.model_files import ModelFiles, ProgressCounter
from tfpy._src.formats.pretrained import loading, phi3
from tfpy._src.formats.pretrained.gguf_model import read_model
from tfpy._src.formats.pretrained.hub import HubWeights
from tfpy._src.formats.pretrained.source import POOLING, Pretrained
from tfpy._src.formats.safetensors.reader import SafetensorsFile, ShardedFiles, places_of
from tfpy._src.library.io.checked_json import ModelFileError

OPEN = io.BytesIO


def opened(metadata: dict[str, Any], tensors: dict[str, Any], **options: int) -> GgufFile:
    return GgufFile(OPEN(gguf_files.gguf(metadata, tensors, **options)))


@pytest.mark.parametrize("number", FORMATS, ids=lambda number: FORMATS[number].name)
def test_values_are_those_of_the_package_gguf(number: int) -> None:
    record = FORMATS[number]
    count = gguf_files.BLOCKS
    data = gguf_files.random_bytes(record.name, count * record.layout.itemsize)
    shape = 2, count * record.size // 2
    file = opened({}, {"a": ((3,), 24, b"\1\2\xff"), "b": (shape, number, data)})
    assert file.read("a").tolist() == [1, 2, -1]
    found = file.read("b")
    assert (found.shape, found.dtype) == (shape, record.result)
    digests = json.loads(gguf_files.DIGESTS.read_text())
    if record.name in digests:
        assert gguf_files.digest(found) == digests[record.name]
    else:
        np.testing.assert_array_equal(found.ravel(), np.frombuffer(data, record.layout))


def test_metadata() -> None:
    given = {
        "text": "ü",
        "number": 3,
        "float": 0.5,
        "yes": True,
        "texts": ["a", "", "b"],
        "floats": np.array([1, 2.5], np.float32),
        "nested": [[1, 2], [3]],
        "general.alignment": 64,
    }
    file = opened(given, {"a": gguf_files.floats(3)}, version=2, alignment=64)
    found = dict(file.metadata)
    np.testing.assert_array_equal(found.pop("floats"), given.pop("floats"))
    assert [item.tolist() for item in found.pop("nested")] == given.pop("nested")
    assert found == given
    assert file.tensors["a"].begin % 64 == 0


def changed(data: bytes, at: int, code: str, number: int) -> bytes:
    out = bytearray(data)
    struct.pack_into(code, out, at, number)
    return bytes(out)


FILE = gguf_files.gguf({"k": True}, {"a": ((2, 32), 8, bytes(68)), "b": ((1,), 0, bytes(4))})
KEY = 24
KIND = KEY + 8 + 1
TENSOR = KIND + 4 + 1
RANK = TENSOR + 8 + 1
SHAPE = RANK + 4
NUMBER = SHAPE + 16
OTHER = NUMBER + 4 + 8
DAMAGED = {
    "begin with": b"GGML" + FILE[4:],
    "version 1 ": changed(FILE, 4, "<I", 1),
    "big-endian": changed(FILE, 4, ">I", 3),
    r"contain \d+ tensors": changed(FILE, 8, "<Q", 2**63),
    r"contain \d+ metadata": changed(FILE, 16, "<Q", 2**40),
    "file ends in a key": changed(FILE, KEY, "<Q", 2**40),
    "UTF-8": changed(FILE, KEY + 8, "B", 0xFF),
    "unknown type 13": changed(FILE, KIND, "<I", 13),
    "true": changed(FILE, KIND + 4, "B", 2),
    "from 1 to": changed(FILE, TENSOR, "<Q", 0),
    "5 dimensions": changed(FILE, RANK, "<I", 5),
    "rows of 33": changed(FILE, SHAPE, "<Q", 33),
    "no elements": changed(FILE, SHAPE, "<Q", 0),
    "incomplete": changed(FILE, SHAPE + 8, "<Q", 2**62),
    "unknown format 4": changed(FILE, NUMBER, "<I", 4),
    "multiple of 32": changed(FILE, NUMBER + 4, "<Q", 8),
    "overlap": changed(FILE, OTHER + 8 + 1 + 4 + 8 + 4, "<Q", 64),
    "tensor 'a' twice": changed(FILE, OTHER + 8, "B", ord("a")),
    "file ends in the header": FILE[:6],
    "the file has 227 bytes": FILE[:-1],
}


@pytest.mark.parametrize("error", DAMAGED)
def test_damaged_gguf(error: str) -> None:
    with pytest.raises(ModelFileError, match=error):
        GgufFile(OPEN(DAMAGED[error]))


def test_depth_and_alignment_are_limited() -> None:
    deep: Any = 1
    for _ in range(6):
        deep = [deep]
    with pytest.raises(ModelFileError, match="nested"):
        opened({"deep": deep}, {})
    for alignment in (0, 48):
        with pytest.raises(ModelFileError, match="power of 2"):
            opened({"general.alignment": alignment}, {})


def safetensors(header: Any, data: bytes) -> bytes:
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return len(text).to_bytes(8, "little") + text + data


def described(dtype: str, shape: list[Any], begin: int, end: int) -> dict[str, Any]:
    return {"dtype": dtype, "shape": shape, "data_offsets": [begin, end]}


def test_safetensors() -> None:
    halves = np.array([[1.5, -2]], ml_dtypes.bfloat16)
    bits = np.array([0.5, 448], ml_dtypes.float8_e4m3fn)
    header = {
        "__metadata__": {"by": "ü"},
        "half": described("BF16", [1, 2], 0, 4),
        "none": described("I64", [0, 3], 4, 4),
        "bits": described("F8_E4M3", [2], 4, 6),
    }
    file = SafetensorsFile(OPEN(safetensors(header, halves.tobytes() + bits.tobytes())))
    assert file.metadata == {"by": "ü"}
    for name, value in (("half", halves), ("bits", bits), ("none", np.zeros((0, 3), np.int64))):
        found = file.read(name)
        assert (found.dtype, found.tolist()) == (value.dtype, value.tolist())
    places = places_of(b'{"weight_map": {"half": "1", "bits": "2"}}', "index")
    shards = ShardedFiles(places, {"1": file, "2": file})
    assert list(shards.names) == ["half", "bits"]
    assert shards.read("half").tolist() == halves.tolist()
    with pytest.raises(ModelFileError, match="1 does not contain 'other'"):
        ShardedFiles({"other": "1"}, {"1": file})


DAMAGED_HEADERS = {
    "should have": (2**63).to_bytes(8, "little"),
    "not valid JSON": safetensors(b"{", b""),
    "must be an object": safetensors(b"[]", b""),
    "only strings": safetensors({"__metadata__": {"a": 1}}, b""),
    "dtype 'F4'": safetensors({"a": described("F4", [1], 0, 4)}, bytes(4)),
    "an integer from 0": safetensors({"a": described("F32", [-1], 0, 4)}, bytes(4)),
    "two integers": safetensors({"a": described("F32", [1], -4, 0)}, bytes(4)),
    "needs 8 bytes": safetensors({"a": described("F32", [2], 0, 4)}, bytes(4)),
    "incomplete": safetensors({"a": described("F32", [2], 0, 8)}, bytes(4)),
    "overlap": safetensors(
        {"a": described("F32", [2], 0, 8), "b": described("F32", [1], 4, 8)}, bytes(8)
    ),
}


@pytest.mark.parametrize("error", DAMAGED_HEADERS)
def test_damaged_safetensors(error: str) -> None:
    with pytest.raises(ModelFileError, match=error):
        SafetensorsFile(OPEN(DAMAGED_HEADERS[error]))


def test_llama_in_the_form_of_hugging_face(tmp_path: Path) -> None:
    metadata, tensors = gguf_files.llama()
    file = opened(metadata, tensors)
    found = read_model(file, tmp_path)
    assert found.config["model_type"] == "llama"
    assert found.config["vocab_size"] == len(metadata["tokenizer.ggml.tokens"])
    assert found.config["tie_word_embeddings"]
    assert (found.config["num_key_value_heads"], found.config["rope_theta"]) == (1, 100.0)
    assert "model.layers.0.mlp.gate_proj.weight" in found.weights.names
    query = found.weights.read("model.layers.0.self_attn.q_proj.weight")
    rows = file.read("blk.0.attn_q.weight")
    np.testing.assert_array_equal(query, rows[[0, 2, 1, 3, 4, 6, 5, 7]])
    tokenizer = json.loads((tmp_path / "tokenizer.json").read_text())
    assert tokenizer["model"]["vocab"]["the"] == metadata["tokenizer.ggml.tokens"].index("the")
    assert [token["content"] for token in tokenizer["added_tokens"]] == ["<s>", "</s>"]
    assert found.tokenizer.chat_template == "{{ messages }}"
    assert found.tokenizer.adds_start is False


def test_scaled_angles_of_llama_3(tmp_path: Path) -> None:
    metadata, tensors = gguf_files.llama()
    metadata["llama.rope.freq_base"] = 5e7
    for factors, wrong in (([1, 8], False), ([2, 8], True)):
        data = np.array(factors, np.float32).tobytes()
        file = opened(metadata, {**tensors, "rope_freqs.weight": ((2,), 0, data)})
        with pytest.raises(ModelFileError, match="Llama 3") if wrong else nullcontext():
            assert read_model(file, tmp_path).config["rope_scaling"]["factor"] == 8


def test_sentence_pieces(tmp_path: Path) -> None:
    metadata, tensors = gguf_files.llama()
    count = len(metadata["tokenizer.ggml.tokens"])
    scores = -np.arange(count, dtype=np.float32)
    metadata |= {"tokenizer.ggml.model": "llama", "tokenizer.ggml.scores": scores}
    del metadata["tokenizer.ggml.add_bos_token"]
    found = read_model(opened(metadata, tensors), tmp_path)
    assert found.tokenizer.adds_start
    assert found.tokenizer.pre_tokenizer is None
    piece = Message("Piece", {1: ("piece", STRING), 2: ("score", FLOAT), 3: ("type", INT)})
    spec = Message("Normalizer", {3: ("begins", BOOL)})
    model = Message("Model", {1: ("pieces", many(piece)), 3: ("normalizer", spec)})
    pieces = read((tmp_path / "tokenizer.model").read_bytes(), model)
    assert pieces["normalizer"] == {"begins": True}
    assert pieces["pieces"][:3:2] == [
        {"piece": "<s>", "score": 0.0, "type": 3},
        {"piece": "Ġ", "score": -2.0, "type": 1},
    ]
    del metadata["llama.attention.head_count"]
    with pytest.raises(ModelFileError, match=r"do not contain llama\.attention\.head_count"):
        read_model(opened(metadata, tensors), tmp_path)
    metadata["llama.attention.head_count"] = 2
    with pytest.raises(ModelFileError, match="same length"):
        read_model(opened({**metadata, "tokenizer.ggml.scores": scores[1:]}, tensors), tmp_path)


def test_encoder_in_the_form_of_hugging_face(tmp_path: Path) -> None:
    tokens = ["[CLS]", "\u2581the", "s", "<x>"]
    metadata = {
        "general.architecture": "bert",
        "bert.block_count": 1,
        "bert.embedding_length": 8,
        "bert.attention.head_count": 2,
        "bert.pooling_type": 2,
        "tokenizer.ggml.model": "bert",
        "tokenizer.ggml.tokens": tokens,
        "tokenizer.ggml.token_type": np.array([3, 1, 1, 3], np.int32),
    }
    tensors = {
        "token_embd.weight": gguf_files.floats(4, 8),
        "blk.0.attn_q.bias": gguf_files.floats(8),
    }
    found = read_model(opened(metadata, tensors), tmp_path)
    assert (tmp_path / "vocab.txt").read_text().split() == ["[CLS]", "the", "##s", "<x>"]
    assert json.loads((tmp_path / POOLING).read_text()) == {"pooling_mode_cls_token": True}
    assert found.tokenizer.arguments == {"strip_accents": True}
    assert "encoder.layer.0.attention.self.query.bias" in found.weights.names
    assert found.weights.read("pooler.dense.weight").shape == (8, 8)


def settings(name: str, **changes: Any) -> dict[str, Any]:
    """Return the metadata of the small model as another architecture."""
    metadata, _ = gguf_files.llama()
    renamed = {key.replace("llama.", f"{name}."): value for key, value in metadata.items()}
    own = {f"{name}.{key.replace('__', '.')}": value for key, value in changes.items()}
    return {**renamed, "general.architecture": name, **own}


def test_gemma_3(tmp_path: Path) -> None:
    """Check the layers with windows, the scaling of the other layers, and the changed weights."""
    _, tensors = gguf_files.llama()
    tensors["blk.0.attn_q_norm.weight"] = tensors["blk.0.ffn_norm.weight"]
    facts = {"attention__sliding_window": 16, "rope__freq_base": 1e6, "block_count": 7}
    scaling = {"rope__scaling__type": "linear", "rope__scaling__factor": 8.0}
    file = opened(settings("gemma3", **facts, **scaling), tensors)
    found = read_model(file, tmp_path)
    assert found.config["model_type"] == "gemma3_text"
    assert found.config["rope_scaling"] == {"rope_type": "linear", "factor": 8}
    assert found.config["layer_types"].index("full_attention") == 5
    assert len(found.config["layer_types"]) == 7
    assert (found.config["sliding_window"], found.config["query_pre_attn_scalar"]) == (16, 4)
    norm = found.weights.read("model.layers.0.self_attn.q_norm.weight")
    np.testing.assert_array_equal(norm, file.read("blk.0.ffn_norm.weight") - 1)
    assert "model.layers.0.pre_feedforward_layernorm.weight" in found.weights.names
    largest = settings("gemma3", **facts | {"block_count": 62, "attention__key_length": 8})
    assert read_model(opened(largest, tensors), tmp_path).config["query_pre_attn_scalar"] == 4
    everywhere = settings("gemma3", rope__freq_base=1e6)
    assert "layer_types" not in read_model(opened(everywhere, tensors), tmp_path).config
    with pytest.raises(ModelFileError, match="KerasHub supports 1000000"):
        read_model(opened(settings("gemma3", rope__freq_base=1e4), tensors), tmp_path)


def test_phi_3(tmp_path: Path) -> None:
    """Check the names of fused weights, and factors of angles for long prompts."""
    _, tensors = gguf_files.llama()
    tensors["blk.0.attn_qkv.weight"] = gguf_files.floats(16, 8)
    for length, value in (("long", 2), ("short", 1.5)):
        data = np.full(2, value, np.float32).tobytes()
        tensors[f"rope_factors_{length}.weight"] = (2,), 0, data
    metadata = settings("phi3", rope__scaling__original_context_length=16)
    found = read_model(opened(metadata, tensors), tmp_path)
    scaling = {"type": "longrope", "long_factor": [2, 2], "short_factor": [1.5, 1.5]}
    assert found.config["rope_scaling"] == scaling
    assert found.config["original_max_position_embeddings"] == 16
    assert "model.layers.0.self_attn.qkv_proj.weight" in found.weights.names
    assert "model.layers.0.mlp.gate_up_proj.weight" in found.weights.names
    arguments = phi3.convert_backbone_config(found.config)
    assert arguments["rope_scaling_short_factor"] == [1.5, 1.5]
    assert (arguments["max_sequence_length"], arguments["pretraining_sequence_length"]) == (32, 16)
    back = phi3.config_of({**arguments, "dropout": 0})
    for key in ("vocab_size", "max_position_embeddings", "rope_scaling", "rms_norm_eps"):
        assert back[key] == found.config[key]
    with pytest.raises(ValueError, match=r"part of 0\.75"):
        phi3.convert_backbone_config({**found.config, "partial_rotary_factor": 0.75})
    with pytest.raises(ValueError, match="scaled by 'yarn'"):
        phi3.convert_backbone_config({**found.config, "rope_scaling": {"type": "yarn"}})
    tensors["rope_factors_long.weight"] = gguf_files.floats(1, 2)
    with pytest.raises(ModelFileError, match="must be a vector"):
        read_model(opened(metadata, tensors), tmp_path)


def test_windows_of_phi_3(monkeypatch: pytest.MonkeyPatch) -> None:
    """Check that a query reads the keys in its window, with and without a cache."""
    ops = types.SimpleNamespace(shape=np.shape, arange=np.arange, logical_and=np.logical_and)
    ops.cast = lambda value, dtype: np.asarray(value).astype(dtype)
    monkeypatch.setitem(sys.modules, "keras.ops", ops)  # type: ignore[arg-type]

    def causal(attention_cache_update_index: int | None, count: int) -> np.ndarray:
        begin = attention_cache_update_index or 0
        return np.tri(count, 6, begin, dtype=int)[None]

    layer = types.SimpleNamespace(_compute_self_attention_mask=causal)
    phi3.set_window(types.SimpleNamespace(transformer_layers=[layer]), 3)
    for begin, count in ((None, 6), (4, 1), (2, 3)):
        found = layer._compute_self_attention_mask(attention_cache_update_index=begin, count=count)
        assert found.shape == (1, count, 6)
        for row, mask in enumerate(found[0]):
            query = row + (begin or 0)
            assert np.flatnonzero(mask).tolist() == list(range(max(query - 2, 0), query + 1))


UNSUPPORTED: dict[str, tuple[str, Any]] = {
    "'mamba'": ("general.architecture", "mamba"),
    "split into 3 files": ("split.count", 3),
    "number up to 99999": ("split.count", 0),
    "'rwkv'": ("tokenizer.ggml.model", "rwkv"),
    "splits words like 'x'": ("tokenizer.ggml.pre", "x"),
    "list of strings": ("tokenizer.ggml.tokens", 1),
    "one of the 33 tokens": ("tokenizer.ggml.bos_token_id", 33),
    "positive number": ("llama.block_count", 0),
    "2 of 4 dimensions": ("llama.rope.dimension_count", 2),
    r"scaled angles of positions \('yarn'\)": ("llama.rope.scaling.type", "yarn"),
    r"scaled angles of positions \('linear'\)": ("llama.rope.scaling.type", "linear"),
    r"scaled angles of positions \('longrope'\)": ("llama.rope.scaling.type", "longrope"),
}


@pytest.mark.parametrize("error", UNSUPPORTED)
def test_unsupported_models(error: str, tmp_path: Path) -> None:
    metadata, tensors = gguf_files.llama()
    key, value = UNSUPPORTED[error]
    file = tmp_path / "model.gguf"
    file.write_bytes(gguf_files.gguf({**metadata, key: value}, tensors))
    for source in (file, file.read_bytes()):
        with pytest.raises(ValueError, match=error):
            tf.models.load(source)


def part_name(number: int) -> str:
    return f"model-{number:05d}-of-00003.gguf"


def parts_of_llama(count: int = 11) -> dict[str, bytes]:
    """Return the files of a model that is split into three.

    Args:
        count: Number of tensors according to the metadata.
    """
    metadata, tensors = gguf_files.llama()
    found = {}
    for number in range(3):
        facts = {"split.no": number, "split.count": 3, "split.tensors.count": count}
        held = {name: tensors[name] for name in list(tensors)[number::3]}
        data = gguf_files.gguf({**({} if number else metadata), **facts}, held)
        found[part_name(number + 1)] = data
    return found


@pytest.fixture
def weights_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let `tf.models.load` return the weights of a model by their names."""

    def build(source: Pretrained, trainable: bool, progress: Any) -> dict[str, Any]:
        return {name: source.weights.read(name) for name in source.weights.names}

    monkeypatch.setattr(loading, "build", build)


@pytest.mark.usefixtures("weights_only")
def test_parts_of_a_model(tmp_path: Path) -> None:
    """Check that a folder, its first file and a mapping have the weights of the whole file."""
    wanted = tf.models.load(gguf_files.gguf(*gguf_files.llama()))
    parts = parts_of_llama()
    for name, data in parts.items():
        (tmp_path / name).write_bytes(data)
    for source in (tmp_path, tmp_path / part_name(1), parts):
        found = tf.models.load(source)
        assert found.keys() == wanted.keys()
        for name, value in wanted.items():
            np.testing.assert_array_equal(found[name], value)


FIRST, SECOND, THIRD = (part_name(number) for number in (1, 2, 3))
PARTS = parts_of_llama()
WRONG_PARTS = {
    f"'{THIRD}' is not there": {FIRST: PARTS[FIRST], SECOND: PARTS[SECOND]},
    "file 2 of 3 is part 2 of 3": {**PARTS, SECOND: PARTS[THIRD]},
    "file 3 of 3 is part 0 of 3": {**PARTS, THIRD: PARTS[FIRST]},
    "split into 3 files. Load the first one": {"part.gguf": PARTS[SECOND]},
    "contain 11 tensors, not 12": parts_of_llama(12),
}


@pytest.mark.usefixtures("weights_only")
@pytest.mark.parametrize("error", WRONG_PARTS)
def test_wrong_parts_of_a_model(error: str) -> None:
    with pytest.raises(ModelFileError, match=error):
        tf.models.load(WRONG_PARTS[error])


class _Downloaded(ModelFiles):
    """A file of which the first half arrives before the second."""

    model = "model.gguf"

    async def read(self, path: str, limit: int) -> bytes:
        data = gguf_files.gguf(*gguf_files.llama())
        assert isinstance(self.heard, ProgressCounter)
        self.heard.expect(len(data))
        self.heard(len(data) // 2)
        self.heard(-(-len(data) // 2))
        return data


def test_progress(monkeypatch: pytest.MonkeyPatch) -> None:
    def build(source: Pretrained, trainable: bool, progress: Any) -> None:
        HubWeights(source.weights, progress).port_weight(Variable([33, 8]), "embed_tokens.weight")

    monkeypatch.setattr(loading, "build", build)
    found: list[float] = []
    asyncio.run(loading.load_pretrained(_Downloaded(), b"", False, found.append))
    np.testing.assert_allclose(found, [0.25, 0.5, 0.5 + 0.5 / 11], atol=1e-3)
    del found[:]
    data = gguf_files.gguf(*gguf_files.llama())
    asyncio.run(loading.load_pretrained(_Downloaded(), data, False, found.append))
    np.testing.assert_allclose(found, [1 / 11])


class Variable:
    """A variable of Keras."""

    def __init__(self, shape: list[int]) -> None:
        self.shape = shape

    def assign(self, value: Any) -> None:
        assert list(value.shape) == self.shape
        self.value = value


def test_weights_are_not_rounded_to_float16() -> None:
    """Check that conversions to float16, as in KerasHub's converter of Mistral, have no effect."""
    file = opened(*gguf_files.llama())
    variable = Variable([33, 8])
    name = "token_embd.weight"
    HubWeights(file).port_weight(variable, name, lambda weight, _: weight.astype(np.float16))
    np.testing.assert_array_equal(variable.value, file.read(name))
    assert type(variable.value) is np.ndarray


def test_files_that_are_missing(tmp_path: Path) -> None:
    file = tmp_path / "model.safetensors"
    file.write_bytes(safetensors({}, b""))
    with pytest.raises(ModelFileError, match=r"'config\.json' is not there"):
        tf.models.load(tmp_path)
    (tmp_path / "config.json").write_text("{}")
    with pytest.raises(ModelFileError, match="'model_type'"):
        tf.models.load(file)
