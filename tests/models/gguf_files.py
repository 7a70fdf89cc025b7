"""A writer of small GGUF files, and digests of decoded blocks.

Run as a script with the package gguf installed, it prints DIGESTS.
"""

from __future__ import annotations

import hashlib
import importlib
import io
import json
import struct
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from blocks import random_blocks

from tfpy._src.compiler.ops.block_formats import ON_DEVICES

DIGESTS = Path(__file__).with_suffix(".json")
"""Digests of the values that the package gguf 0.19 decodes, by the names of the formats."""
BLOCKS = 64
NUMBERS = {bool: (7, "?"), int: (4, "I"), float: (6, "f")}
"""Types of metadata and formats of struct."""
DTYPES = {"float32": 6, "int32": 5}


def random_bytes(name: str, count: int) -> bytes:
    """Return bytes that depend on a name."""
    return hashlib.shake_256(name.encode()).digest(count)


def digest(values: Any) -> str:
    """Return a digest of float32 values, in which all NaNs are the same."""
    array = np.array(values, np.float32)
    array[np.isnan(array)] = np.nan
    return hashlib.sha256(array.tobytes()).hexdigest()[:16]


def text(value: str) -> bytes:
    data = value.encode()
    return struct.pack("<Q", len(data)) + data


def value(given: Any) -> bytes:
    """Return a value of the metadata with its type."""
    if isinstance(given, str):
        return struct.pack("<I", 8) + text(given)
    if isinstance(given, np.ndarray):
        kind = DTYPES[given.dtype.name]
        return struct.pack("<IIQ", 9, kind, len(given)) + given.tobytes()
    if isinstance(given, list):
        items = [value(item) for item in given]
        kind = struct.unpack("<I", items[0][:4])[0]
        return struct.pack("<IIQ", 9, kind, len(items)) + b"".join(item[4:] for item in items)
    kind, code = NUMBERS[type(given)]
    return struct.pack(f"<I{code}", kind, given)


def gguf(
    metadata: Mapping[str, Any],
    tensors: Mapping[str, tuple[tuple[int, ...], int, bytes]],
    version: int = 3,
    alignment: int = 32,
) -> bytes:
    """Return a file with tensors: their shapes, the numbers of their formats, and their data."""
    out = io.BytesIO()
    out.write(b"GGUF" + struct.pack("<IQQ", version, len(tensors), len(metadata)))
    for key, item in metadata.items():
        out.write(text(key) + value(item))
    offset = 0
    for name, (shape, number, data) in tensors.items():
        out.write(text(name) + struct.pack("<I", len(shape)))
        out.write(struct.pack(f"<{len(shape)}Q", *reversed(shape)))
        out.write(struct.pack("<IQ", number, offset))
        offset += -(-len(data) // alignment) * alignment
    for _, _, data in tensors.values():
        out.write(b"\0" * (-out.tell() % alignment) + data)
    return out.getvalue()


def floats(*shape: int, seed: int = 0) -> tuple[tuple[int, ...], int, bytes]:
    """Return a tensor of float32."""
    values = np.random.default_rng(seed).normal(size=shape).astype(np.float32)
    return shape, 0, values.tobytes()


SIZES = {"hidden": 8, "heads": 2, "keys": 1, "width": 16}


def llama(
    words: str = "abcdefghijklmnopqrstuvwxyz!", scale: int = 1
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the metadata and the tensors of a small model, with wider states for a scale."""
    tokens = ["<s>", "</s>", "Ġ", *words, "th", "the", "Ġd"]
    hidden, wide = SIZES["hidden"] * scale, SIZES["width"] * scale
    few = hidden // SIZES["heads"] * SIZES["keys"]
    metadata = {
        "general.architecture": "llama",
        "llama.block_count": 1,
        "llama.context_length": 32,
        "llama.embedding_length": hidden,
        "llama.feed_forward_length": wide,
        "llama.attention.head_count": SIZES["heads"],
        "llama.attention.head_count_kv": SIZES["keys"],
        "llama.attention.layer_norm_rms_epsilon": 1e-5,
        "llama.rope.freq_base": 100.0,
        "tokenizer.ggml.model": "gpt2",
        "tokenizer.ggml.pre": "smollm",
        "tokenizer.ggml.tokens": tokens,
        "tokenizer.ggml.token_type": np.array([3, 3, *[1] * (len(tokens) - 2)], np.int32),
        "tokenizer.ggml.merges": ["t h", "th e", "Ġ d"],
        "tokenizer.ggml.bos_token_id": 0,
        "tokenizer.ggml.eos_token_id": 1,
        "tokenizer.ggml.add_bos_token": False,
        "tokenizer.chat_template": "{{ messages }}",
    }
    shapes = {
        "token_embd.weight": (len(tokens), hidden),
        "output_norm.weight": (hidden,),
        "blk.0.attn_norm.weight": (hidden,),
        "blk.0.attn_q.weight": (hidden, hidden),
        "blk.0.attn_k.weight": (few, hidden),
        "blk.0.attn_v.weight": (few, hidden),
        "blk.0.attn_output.weight": (hidden, hidden),
        "blk.0.ffn_norm.weight": (hidden,),
        "blk.0.ffn_gate.weight": (wide, hidden),
        "blk.0.ffn_up.weight": (wide, hidden),
        "blk.0.ffn_down.weight": (hidden, wide),
    }
    tensors = {name: floats(*shape, seed=seed) for seed, (name, shape) in enumerate(shapes.items())}
    return metadata, tensors


def in_blocks(tensors: Mapping[str, Any], form: str, number: int) -> dict[str, Any]:
    """Return the tensors with random blocks in place of matrices."""
    found = dict(tensors)
    for seed, (name, (shape, *_)) in enumerate(tensors.items()):
        if len(shape) == 2:
            count = shape[0] * shape[1] // ON_DEVICES[form].size
            found[name] = shape, number, random_blocks(form, count, seed).tobytes()
    return found


if __name__ == "__main__":
    package = importlib.import_module("gguf")
    found = {}
    for kind in package.GGMLQuantizationType:
        size = package.GGML_QUANT_SIZES[kind][1]
        data = np.frombuffer(random_bytes(kind.name, BLOCKS * size), np.uint8).reshape(BLOCKS, -1)
        try:
            found[kind.name] = digest(package.dequantize(data, kind))
        except NotImplementedError:
            continue
    print(json.dumps(found, indent=1))
