"""The ONNX files of the benchmark of language models, compared with NumPy in ONNX Runtime."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime

from bench import onnx_decoder
from tfpy._src.formats.gguf.reader import GgufFile
from tfpy._src.formats.gguf.writer import TensorPlan, write_gguf

Array = np.ndarray[Any, Any]
LAYERS, WIDTH, INNER, HEADS, KEYS, VOCABULARY = 2, 64, 96, 4, 2, 160
SIZE = WIDTH // HEADS
EPSILON, THETA = 1e-5, 100.0
TOKENS = [3, 150, 77, 9, 41, 120]
FACTS = {
    "llama.block_count": LAYERS,
    "llama.embedding_length": WIDTH,
    "llama.feed_forward_length": INNER,
    "llama.attention.head_count": HEADS,
    "llama.attention.head_count_kv": KEYS,
    "llama.attention.layer_norm_rms_epsilon": EPSILON,
    "llama.rope.freq_base": THETA,
}
LAYER = {
    "attn_q": (WIDTH, WIDTH),
    "attn_k": (KEYS * SIZE, WIDTH),
    "attn_v": (KEYS * SIZE, WIDTH),
    "attn_output": (WIDTH, WIDTH),
    "ffn_gate": (INNER, WIDTH),
    "ffn_up": (INNER, WIDTH),
    "ffn_down": (WIDTH, INNER),
}
NORMS = ("attn_norm", "ffn_norm")


def write(path: Path) -> None:
    """Write a GGUF file with random weights."""
    plans = {"token_embd.weight": TensorPlan((VOCABULARY, WIDTH), "Q8_0")}
    plans["output_norm.weight"] = TensorPlan((WIDTH,), "F32")
    for i in range(LAYERS):
        plans |= {f"blk.{i}.{name}.weight": TensorPlan((WIDTH,), "F32") for name in NORMS}
        plans |= {f"blk.{i}.{name}.weight": TensorPlan(s, "F32") for name, s in LAYER.items()}
    rng = np.random.default_rng(0)
    values = {name: rng.normal(size=plan.shape) * 0.3 for name, plan in plans.items()}
    with path.open("wb") as file:
        write_gguf(file, FACTS, plans, values.__getitem__)


def rounded(weights: Array) -> Array:
    """Return weights after quantization to four bits."""
    numbers, scales, points = onnx_decoder.quantized(weights)
    steps = numbers.astype(np.float32) - points[..., None]
    return (steps * scales.astype(np.float32)[..., None]).reshape(weights.shape)


def normed(x: Array, scale: Array) -> Array:
    return x / np.sqrt((x * x).mean(-1, keepdims=True) + EPSILON) * scale


def rotated(x: Array) -> Array:
    """Rotate neighbours [tokens, heads, size] by their positions."""
    angles = np.arange(len(x))[:, None] * THETA ** (-np.arange(0, SIZE, 2) / SIZE)
    turned = (x[..., ::2] + 1j * x[..., 1::2]) * np.exp(1j * angles)[:, None]
    return np.stack([turned.real, turned.imag], -1).reshape(x.shape)


def attended(q: Array, k: Array, v: Array) -> Array:
    k, v = (np.repeat(one, HEADS // KEYS, axis=1) for one in (k, v))
    scores = np.einsum("qhd,khd->hqk", q, k) / np.sqrt(SIZE)
    scores = np.where(np.tri(len(q), dtype=bool), scores, -np.inf)
    parts = np.exp(scores - scores.max(-1, keepdims=True))
    parts /= parts.sum(-1, keepdims=True)
    return np.einsum("hqk,khd->qhd", parts, v).reshape(len(q), -1)


def expected(file: GgufFile, tokens: list[int]) -> Array:
    """Return the logits after each token."""
    table = file.read("token_embd.weight")
    x = table[tokens]
    for i in range(LAYERS):
        w = {name: rounded(file.read(f"blk.{i}.{name}.weight")) for name in LAYER}
        w |= {name: file.read(f"blk.{i}.{name}.weight") for name in NORMS}
        y = normed(x, w["attn_norm"])
        q, k, v = ((y @ w[f"attn_{one}"].T).reshape(len(x), -1, SIZE) for one in "qkv")
        x = x + attended(rotated(q), rotated(k), v) @ w["attn_output"].T
        y = normed(x, w["ffn_norm"])
        gate = y @ w["ffn_gate"].T
        x = x + (gate / (1 + np.exp(-gate)) * (y @ w["ffn_up"].T)) @ w["ffn_down"].T
    return normed(x, file.read("output_norm.weight")) @ table.T


def computed(path: Path, dtype: Any) -> list[Array]:
    """Return the logits of a prompt, and of one more token with the keys and values."""
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    past = {
        f"past_key_values.{i}.{part}": np.zeros((1, KEYS, 0, SIZE), dtype)
        for i in range(LAYERS)
        for part in ("key", "value")
    }
    found = []
    for given in (TOKENS[:-1], TOKENS[-1:]):
        count = len(TOKENS) if found else len(given)
        mask = np.ones((1, count), np.int64)
        feeds = {"input_ids": np.array([given]), "attention_mask": mask, **past}
        logits, *present = session.run(None, feeds)
        past = dict(zip(past, present, strict=True))
        found.append(logits[0, 0])
    return found


def test_written_decoder() -> None:
    onnx_decoder.LEVEL = 0  # without rounding of the products' inputs
    with tempfile.TemporaryDirectory() as name:
        source = Path(name, "model.gguf")
        write(source)
        with source.open("rb") as opened:
            file = GgufFile(opened)
            wanted = expected(file, TOKENS)[-2:]
            for model, dtype in onnx_decoder.FILES.items():
                path = Path(name, model)
                onnx_decoder.write_model(file, dtype, path)
                tolerance = 1e-4 if dtype is np.float32 else 2e-2
                for logits, row in zip(computed(path, dtype), wanted, strict=True):
                    most = tolerance * np.abs(row).max()
                    np.testing.assert_allclose(logits, row, rtol=0, atol=most)


if __name__ == "__main__":
    test_written_decoder()
