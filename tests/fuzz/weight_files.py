"""Corrupt files of weights: GGUF and safetensors files, and the folders that contain them."""

from __future__ import annotations

import io
import json
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from models import gguf_files

from tfpy._src.formats.gguf.blocks import FORMATS
from tfpy._src.formats.gguf.reader import GgufFile
from tfpy._src.formats.pretrained import folder_model, gguf_model
from tfpy._src.formats.safetensors.reader import SafetensorsFile, ShardedFiles, places_of
from tfpy._src.formats.weight_file import WeightFile

from .damage import Files
from .trying import Door

INDEX = "model.safetensors.index.json"
TOKENIZER = {
    "added_tokens": [],
    "model": {"vocab": {"a": 0}, "merges": []},
    "post_processor": {"type": "TemplateProcessing"},
    "pre_tokenizer": {"type": "Digits", "individual_digits": True},
}
JSON = {
    INDEX: {"weight_map": {"a": "1.safetensors", "b": "2.safetensors"}},
    "config.json": {"model_type": "llama", "architectures": ["LlamaForCausalLM"], "vocab_size": 3},
    "tokenizer.json": TOKENIZER,
    "tokenizer_config.json": {"chat_template": [{"name": "default", "template": "x"}]},
}


def _gguf() -> Files:
    metadata, tensors = gguf_files.llama()
    metadata |= {"nested": [[1, 2], [3]], "floats": np.ones(3, np.float32)}
    for number, record in FORMATS.items():
        data = gguf_files.random_bytes(record.name, 2 * record.layout.itemsize)
        tensors[record.name] = (2, record.size), number, data
    return {"model.gguf": gguf_files.gguf(metadata, tensors)}


def _read_gguf(files: Files) -> None:
    file = GgufFile(io.BytesIO(files.get("model.gguf", b"")))
    _read(file)
    with tempfile.TemporaryDirectory() as folder:
        _read(gguf_model.read_model(file, Path(folder)).weights)


def _read(weights: WeightFile) -> None:
    for name in weights.names:
        weights.read(name)


def _safetensors(name: str) -> bytes:
    header: dict[str, Any] = {
        "__metadata__": {"format": "pt"},
        name: {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]},
        "half": {"dtype": "BF16", "shape": [2], "data_offsets": [24, 28]},
    }
    text = json.dumps(header).encode()
    return len(text).to_bytes(8, "little") + text + bytes(28)


def _folder() -> Files:
    texts = {name: json.dumps(value).encode() for name, value in JSON.items()}
    return {**texts, "1.safetensors": _safetensors("a"), "2.safetensors": _safetensors("b")}


def _read_folder(files: Files) -> None:
    places = places_of(files.get(INDEX, b""), INDEX)
    opened = {
        place: SafetensorsFile(io.BytesIO(files.get(place, b""))) for place in places.values()
    }
    weights = ShardedFiles(places, opened)
    _read(weights)
    with tempfile.TemporaryDirectory() as folder:
        for name in (*folder_model.FILES, "config.json"):
            if name in files:
                Path(folder, name).write_bytes(files[name])
        folder_model.read_model(weights, Path(folder))


DOORS: dict[str, Door] = {
    "gguf": (_gguf, _read_gguf),
    "safetensors": (_folder, _read_folder),
}
"""For each kind of file, a function that makes a valid file and one that reads such files."""
