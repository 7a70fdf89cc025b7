"""Corrupt files of weights: GGUF and safetensors files, folders with them, and adapters."""

from __future__ import annotations

import contextlib
import io
import json
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from models import decoders, gguf_files

import tfpy as tf
from tfpy._src.formats.gguf.blocks import FORMATS
from tfpy._src.formats.gguf.reader import GgufFile
from tfpy._src.formats.pretrained import folder_model, gguf_model, phi3
from tfpy._src.formats.pretrained.adapter_writer import adapter_files
from tfpy._src.formats.pretrained.block_weights import BlockFile
from tfpy._src.formats.pretrained.correspondence import linked
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
        if isinstance(weights, BlockFile):
            matrix = weights.matrix(name)
            assert matrix is None or matrix.blocks.nbytes
            weights.bytes_of_blocks(name)


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
        _read(folder_model.read_model(weights, Path(folder)).weights)


def _architecture(name: str, *tensors: str, **facts: Any) -> Callable[[], Files]:
    """Return a function that makes a file of an architecture.

    Args:
        name: Name of the architecture.
        *tensors: Names of further vectors.
        **facts: Further metadata, with two underscores instead of a dot.
    """

    def make() -> Files:
        metadata, found = gguf_files.llama()
        metadata = {key.replace("llama.", f"{name}."): value for key, value in metadata.items()}
        metadata |= {f"{name}.{key.replace('__', '.')}": value for key, value in facts.items()}
        found |= {tensor: gguf_files.floats(2) for tensor in tensors}
        return {"model.gguf": gguf_files.gguf(metadata | {"general.architecture": name}, found)}

    return make


def _read_architecture(files: Files) -> None:
    file = GgufFile(io.BytesIO(files.get("model.gguf", b"")))
    with tempfile.TemporaryDirectory() as folder:
        model = gguf_model.read_model(file, Path(folder))
    _read(model.weights)
    if model.config["model_type"] == "phi3":
        with contextlib.suppress(ArithmeticError, LookupError, TypeError):  # as KerasHub's errors
            phi3.convert_backbone_config(model.config)


def _packed(method: str, **shapes: tuple[int, int]) -> Callable[[], Files]:
    """Return a function that makes a folder with a weight of 4 bits in two groups of 16 inputs."""

    def make() -> Files:
        header, end = {}, 0
        for part, shape in (shapes | {"qzeros": (2, 2), "scales": (2, 16)}).items():
            begin, end = end, end + 4 * shape[0] * shape[1]
            kind = "F32" if part == "scales" else "I32"
            about = {"dtype": kind, "shape": list(shape), "data_offsets": [begin, end]}
            header[f"a.{part}"] = about
        header["a.g_idx"] = {"dtype": "I32", "shape": [32], "data_offsets": [end, end + 128]}
        text = json.dumps(header).encode()
        facts = {"quant_method": method, "bits": 4, "group_size": 16}
        index = {"weight_map": dict.fromkeys(header, "1.safetensors")}
        return {
            INDEX: json.dumps(index).encode(),
            "config.json": json.dumps({"model_type": "x", "quantization_config": facts}).encode(),
            "1.safetensors": len(text).to_bytes(8, "little") + text + bytes(end + 128),
        }

    return make


def _adapter() -> Files:
    model = decoders.Phi3Backbone()
    model.adapt("query", "value", "down")
    return adapter_files(linked(model))


def _read_adapter(files: Files) -> None:
    for merge in (False, True):
        tf.models.load_adapter(decoders.Phi3Backbone(), dict(files), merge=merge)


_GEMMA3 = {"attention__sliding_window": 16, "rope__freq_base": 1e6, "rope__scaling__factor": 8.0}
_PHI3 = {"rope__scaling__original_context_length": 16, "attention__sliding_window": 8}
_FACTORS = ("rope_factors_long.weight", "rope_factors_short.weight")
DOORS: dict[str, Door] = {
    "gguf": (_gguf, _read_gguf),
    "safetensors": (_folder, _read_folder),
    "gguf of gemma3": (
        _architecture(
            "gemma3", "blk.0.attn_q_norm.weight", rope__scaling__type="linear", **_GEMMA3
        ),
        _read_architecture,
    ),
    "gguf of phi3": (_architecture("phi3", *_FACTORS, **_PHI3), _read_architecture),
    "gptq": (_packed("gptq", qweight=(4, 16)), _read_folder),
    "awq": (_packed("awq", qweight=(32, 2)), _read_folder),
    "adapter": (_adapter, _read_adapter),
}
"""For each kind of file, a function that makes a valid file and one that reads such files."""
