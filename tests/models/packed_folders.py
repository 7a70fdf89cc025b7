"""Folders of Hugging Face with a small Llama. Its weights are packed or have two bytes."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from models.packing import packed_awq, packed_rows

from tfpy._src.formats.safetensors.writer import write_safetensors

Array = np.ndarray[Any, Any]
TOKENS = ["<s>", "</s>", "\u0120", *"abcdefghijklmnopqrstuvwxyz!", "th", "the", "\u0120d"]
CONFIG: dict[str, Any] = {
    "model_type": "llama",
    "architectures": ["LlamaForCausalLM"],
    "vocab_size": len(TOKENS),
    "hidden_size": 256,
    "intermediate_size": 512,
    "num_hidden_layers": 1,
    "num_attention_heads": 2,
    "num_key_value_heads": 1,
    "head_dim": 128,
    "rms_norm_eps": 1e-5,
    "rope_theta": 100.0,
    "tie_word_embeddings": True,
    "bos_token_id": 0,
    "eos_token_id": 1,
}
LAYERS = (".q_proj.", ".k_proj.", ".v_proj.", ".o_proj.", ".gate_proj.", ".up_proj.", ".down_proj.")
"""Parts of the names of packed weights."""
DTYPES = {np.float16: "F16", np.int32: "I32"}


class Packed(NamedTuple):
    """The layout of the weights of a folder."""

    method: str
    bits: int
    group: int
    acts: bool = False
    """True if the inputs are in the order of their activations."""
    is_symmetric: bool = False


FOLDERS = {
    "gptq_4_128": Packed("gptq", 4, 128),
    "gptq_4_32": Packed("gptq", 4, 32),
    "gptq_4_symmetric": Packed("gptq", 4, 64, is_symmetric=True),
    "gptq_4_desc_act": Packed("gptq", 4, 128, acts=True),
    "gptq_8_64": Packed("gptq", 8, 64),
    "gptq_8_desc_act": Packed("gptq", 8, 32, acts=True),
    "awq_128": Packed("awq", 4, 128),
    "awq_64": Packed("awq", 4, 64),
}
FLOATS = ("F16", "BF16")
NAMES = (*FOLDERS, *FLOATS)


def folder(name: str) -> dict[str, bytes]:
    """Return the files of a folder by their names."""
    rng = np.random.default_rng(NAMES.index(name))
    weights = {name: _weight(shape, rng) for name, shape in _shapes().items()}
    config = dict(CONFIG)
    if name in FOLDERS:
        how = FOLDERS[name]
        facts = {"quant_method": how.method, "bits": how.bits, "group_size": how.group}
        config["quantization_config"] = facts
        data = _file(_packed(weights, how, rng))
    else:
        out = io.BytesIO()
        shapes = {name: weight.shape for name, weight in weights.items()}
        write_safetensors(out, shapes, weights.__getitem__, name)
        data = out.getvalue()
    files = {
        "config.json": config,
        "tokenizer.json": _tokenizer(),
        "tokenizer_config.json": {"bos_token": TOKENS[0], "eos_token": TOKENS[1]},
    }
    documents = {name: json.dumps(value).encode() for name, value in files.items()}
    return {**documents, "model.safetensors": data}


def _shapes() -> dict[str, tuple[int, ...]]:
    hidden, wide = CONFIG["hidden_size"], CONFIG["intermediate_size"]
    few = CONFIG["head_dim"]
    layer = {
        "input_layernorm": (hidden,),
        "self_attn.q_proj": (hidden, hidden),
        "self_attn.k_proj": (few, hidden),
        "self_attn.v_proj": (few, hidden),
        "self_attn.o_proj": (hidden, hidden),
        "post_attention_layernorm": (hidden,),
        "mlp.gate_proj": (wide, hidden),
        "mlp.up_proj": (wide, hidden),
        "mlp.down_proj": (hidden, wide),
    }
    found = {"embed_tokens": (len(TOKENS), hidden), "norm": (hidden,)}
    found |= {f"layers.0.{name}": shape for name, shape in layer.items()}
    return {f"model.{name}.weight": shape for name, shape in found.items()}


def _weight(shape: tuple[int, ...], rng: np.random.Generator) -> Array:
    """Return random values. The results of a product are about as large as its operand."""
    return (rng.normal(size=shape) / (1 if len(shape) == 1 else 16)).astype(np.float32)


def _tokenizer() -> dict[str, Any]:
    vocab = {token: number for number, token in enumerate(TOKENS)}
    return {
        "added_tokens": [{"id": n, "content": TOKENS[n], "special": True} for n in (0, 1)],
        "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": False},
        "model": {"type": "BPE", "vocab": vocab, "merges": ["t h", "th e", "\u0120 d"]},
    }


def _packed(weights: Mapping[str, Array], how: Packed, rng: np.random.Generator) -> dict[str, Any]:
    found: dict[str, Array] = {}
    for name, value in weights.items():
        if any(part in name for part in LAYERS):
            stem = name.removesuffix(".weight")
            parts = _parts(value.T, how, rng)
            found |= {f"{stem}.{part}": array for part, array in parts.items()}
        else:
            found[name] = value.astype(np.float16)
    return found


def _parts(values: Array, how: Packed, rng: np.random.Generator) -> dict[str, Array]:
    """Quantize values [inputs, outputs], and pack the integers."""
    inputs, most = len(values), 2**how.bits - 1
    groups = np.arange(inputs, dtype=np.int32) // how.group
    if how.acts:
        groups = rng.permutation(groups)
    order = np.argsort(groups, kind="stable")
    by_group = values[order].reshape(inputs // how.group, how.group, -1)
    low, high = by_group.min(1), by_group.max(1)
    if how.is_symmetric:
        high = np.maximum(-low, high)
        low = -high
    scales = ((high - low) / most).astype(np.float16)
    zeros = np.clip(np.round(-low / scales), 1, most).astype(np.int64)
    if how.is_symmetric:
        zeros[:] = 1 << (how.bits - 1)
    codes = np.clip(np.round(values / scales[groups] + zeros[groups]), 0, most).astype(np.int64)
    if how.method == "awq":
        return {"qweight": packed_awq(codes), "qzeros": packed_awq(zeros), "scales": scales}
    qzeros = packed_rows((zeros - 1).T, how.bits).T
    found = {"qweight": packed_rows(codes, how.bits), "qzeros": qzeros, "scales": scales}
    return {**found, "g_idx": groups}


def _file(arrays: Mapping[str, Array]) -> bytes:
    header: dict[str, Any] = {}
    end = 0
    for name, array in arrays.items():
        offsets = [end, end := end + array.nbytes]
        dtype = DTYPES[array.dtype.type]
        header[name] = {"dtype": dtype, "shape": list(array.shape), "data_offsets": offsets}
    text = json.dumps(header).encode()
    data = b"".join(np.ascontiguousarray(array).tobytes() for array in arrays.values())
    return len(text).to_bytes(8, "little") + text + data
