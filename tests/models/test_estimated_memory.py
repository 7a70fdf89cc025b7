"""The estimate of the memory that a language model needs, from the headers of its files."""

from __future__ import annotations

import asyncio
import json
from math import prod
from pathlib import Path
from typing import Any

import pytest
from models import gguf_files

import tfpy as tf
from tfpy._src.formats.memory import MemoryEstimate
from tfpy._src.library.io.checked_json import ModelFileError

LLAMA = {
    "architectures": ["LlamaForCausalLM"],
    "num_hidden_layers": 3,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "hidden_size": 64,
}
SHAPES = {"model.embed_tokens.weight": (100, 64), "model.norm.weight": (64,)}
GPT2 = {
    "config.json": {"config": {"num_layers": 12, "num_heads": 12, "hidden_dim": 768}},
    "metadata.json": {"parameter_count": 124_439_808},
    "task.json": {"class_name": "GPT2CausalLM"},
}


def safetensors(shapes: dict[str, tuple[int, ...]]) -> bytes:
    header, end = {}, 0
    for name, shape in shapes.items():
        begin, end = end, end + 2 * prod(shape)
        header[name] = {"dtype": "F16", "shape": shape, "data_offsets": [begin, end]}
    text = json.dumps(header).encode()
    return len(text).to_bytes(8, "little") + text + bytes(end)


def encoded(files: dict[str, Any]) -> dict[str, bytes]:
    return {name: json.dumps(value).encode() for name, value in files.items()}


def hugging_face(shapes: dict[str, tuple[int, ...]], **changes: Any) -> dict[str, bytes]:
    return encoded({"config.json": LLAMA | changes}) | {"model.safetensors": safetensors(shapes)}


def test_gguf_file(tmp_path: Path) -> None:
    metadata, tensors = gguf_files.llama()
    data = gguf_files.gguf(metadata, tensors)
    (tmp_path / "model.gguf").write_bytes(data)
    count = sum(prod(shape) for shape, *_ in tensors.values())
    for source in (data, tmp_path / "model.gguf", str(tmp_path)):
        found = tf.models.estimate_memory(source, max_length=16, batch_size=2)
        keys_and_values = 2 * gguf_files.SIZES["keys"] * 4  # one layer, heads of 4 numbers
        assert found == MemoryEstimate(count, 4 * count, keys_and_values * 16 * 2 * 4)
        assert found.total == found.weights + found.cache


def test_folder_of_hugging_face(tmp_path: Path) -> None:
    files = hugging_face(SHAPES)
    found = tf.models.estimate_memory(files, max_length=10)
    assert found == MemoryEstimate(6464, 4 * 6464, 3 * 2 * 2 * 16 * 10 * 4)
    halves = tf.models.estimate_memory(files, max_length=10, dtype=tf.float16)
    assert (halves.weights, halves.cache) == (found.weights // 2, found.cache // 2)
    assert tf.models.estimate_memory(files, quantize="int8").weights == 6400 + 4 * 100 + 4 * 64
    assert tf.models.estimate_memory(files, quantize="int4").weights == 3200 + 5 * 100 + 4 * 64
    assert tf.models.estimate_memory(hugging_face(SHAPES, architectures=["BertModel"])).cache == 0
    both = SHAPES | {"lm_head.weight": (100, 64)}
    assert tf.models.estimate_memory(hugging_face(both)).parameters == 12864
    tied = tf.models.estimate_memory(hugging_face(both, tie_word_embeddings=True))
    assert tied.parameters == 6464
    nested = {"architectures": ["Gemma3ForCausalLM"], "text_config": LLAMA}
    files |= encoded({"config.json": nested})
    assert tf.models.estimate_memory(files, max_length=10) == found


def test_preset() -> None:
    found = asyncio.run(tf.models.estimate_memory_async(encoded(GPT2)))
    assert found == MemoryEstimate(124_439_808, 497_759_232, 75_497_472)
    int8 = tf.models.estimate_memory(encoded(GPT2), quantize="int8")
    assert int8.weights == pytest.approx(124_439_808, rel=0.01)
    int4 = tf.models.estimate_memory(encoded(GPT2), quantize="int4")
    assert int4.weights == pytest.approx(124_439_808 * (0.5 + 5 / 128), rel=0.01)
    del (encoder := dict(GPT2))["task.json"]
    assert tf.models.estimate_memory(encoded(encoder)).cache == 0


def test_errors() -> None:
    files = hugging_face(SHAPES)
    wrong = {"max_length": 0, "batch_size": -1, "dtype": "int32", "quantize": "int2"}
    for name, value in wrong.items():
        with pytest.raises(ValueError, match=f"estimate_memory: .*{name}"):
            tf.models.estimate_memory(files, **{name: value})  # type: ignore[arg-type]
    damaged = [
        hugging_face(SHAPES, num_hidden_layers=-1),
        hugging_face(SHAPES, num_hidden_layers=None),
        hugging_face(SHAPES, architectures="LlamaForCausalLM"),
        files | {"config.json": b"{"},
        encoded(GPT2 | {"metadata.json": {"parameter_count": 1 << 60}}),
        encoded(GPT2 | {"metadata.json": {"parameter_count": True}}),
        {"model.json": b"GGML"},
    ]
    for source in damaged:
        with pytest.raises(ModelFileError):
            tf.models.estimate_memory(source)
