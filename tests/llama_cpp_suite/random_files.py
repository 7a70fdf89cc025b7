"""GGUF files of a small Llama with random weights, in each format of weights."""

from __future__ import annotations

from typing import Any

import numpy as np
from models.gguf_files import gguf

from tfpy._src.formats.gguf.blocks import FORMATS

Array = np.ndarray[Any, Any]
HIDDEN, WIDE, LAYERS, HEADS, KEYS, TOKENS = 256, 512, 4, 4, 2, 512
NUMBERS = {record.name: number for number, record in FORMATS.items()}
OTHERS = ("I8", "I16", "I32", "I64", "F64")
"""Formats that are not used for the weights of language models."""
FORMS = tuple(name for name in NUMBERS if name not in OTHERS)
COUNT = 512
"""Number of forced tokens."""
LOGITS = 3.0
"""Standard deviation of the logits."""
RATIOS = {"Q2_K": 1.5, "Q4_K": 7.5, "Q5_K": 15.5}
"""Factors `dmin / d` with which the mean of the values is zero."""
MIDDLES = {"Q4_1": -7.5, "Q5_1": -15.5}
"""Factors `m / d` with which the mean of the values is zero."""
BIAS = 128
"""Code of the exponent zero in MXFP4, in which values have twice their size."""


def random_file(form: str, seed: int = 0) -> bytes:
    """Return a file with all matrices in one format."""
    rng = np.random.default_rng([seed, NUMBERS[form]])
    few = HIDDEN // HEADS * KEYS
    shapes: dict[str, tuple[int, ...]] = {
        "token_embd": (TOKENS, HIDDEN),
        "output": (TOKENS, HIDDEN),
        "output_norm": (HIDDEN,),
    }
    for layer in range(LAYERS):
        begin = f"blk.{layer}"
        shapes |= {
            f"{begin}.attn_norm": (HIDDEN,),
            f"{begin}.attn_q": (HIDDEN, HIDDEN),
            f"{begin}.attn_k": (few, HIDDEN),
            f"{begin}.attn_v": (few, HIDDEN),
            f"{begin}.attn_output": (HIDDEN, HIDDEN),
            f"{begin}.ffn_norm": (HIDDEN,),
            f"{begin}.ffn_gate": (WIDE, HIDDEN),
            f"{begin}.ffn_up": (WIDE, HIDDEN),
            f"{begin}.ffn_down": (HIDDEN, WIDE),
        }
    tensors = {f"{name}.weight": _tensor(name, shape, form, rng) for name, shape in shapes.items()}
    return gguf(_metadata(), tensors)


def _tensor(
    name: str, shape: tuple[int, ...], form: str, rng: np.random.Generator
) -> tuple[tuple[int, ...], int, bytes]:
    """Return a tensor. The results of a matrix are as large as its operand."""
    if len(shape) == 1:
        return shape, 0, rng.uniform(0.5, 1.5, shape).astype("<f4").tobytes()
    size = {"token_embd": 1.0, "output": LOGITS * shape[-1] ** -0.5}.get(name, shape[-1] ** -0.5)
    return shape, NUMBERS[form], random_weights(form, shape[0] * shape[1], size, rng).tobytes()


def random_weights(form: str, count: int, size: float, rng: np.random.Generator) -> Array:
    """Return weights in a format, with random bits in the formats of blocks.

    Args:
        form: Name of the format.
        count: Number of weights.
        size: Root mean square of the weights.
        rng: Generator of random numbers.
    """
    record = FORMATS[NUMBERS[form]]
    if record.size == 1:
        values = (size * rng.normal(size=count)).astype("<f4")
        high = (values.view("<u4") >> np.uint32(16)).astype("<u2")
        return {"F32": values, "F16": values.astype("<f2"), "BF16": high}[form]
    count //= record.size
    blocks = rng.integers(0, 256, count * record.layout.itemsize, np.uint8).view(record.layout)
    scales = rng.uniform(0.5, 1.5, count)
    _set_scales(form, blocks, np.ones(count))
    assert record.decode is not None
    norms = np.sqrt((record.decode(blocks) ** 2).mean(1))
    _set_scales(form, blocks, scales * size / norms)
    return blocks


def _set_scales(form: str, blocks: Array, scales: Array) -> None:
    """Set the scales of blocks, rounded to the scales that the format has."""
    if form == "MXFP4":
        blocks["e"] = np.clip(np.round(np.log2(scales)) + BIAS, 0, 254)
    elif form == "NVFP4":
        _, exponents = np.frexp(np.clip(scales, 2**-6, 2**7)[:, None])
        blocks["d"] = (exponents + 6 << 3) | (blocks["d"] & 7)
    elif form == "IQ1_M":
        bits = scales.astype("<f2").view("<u2")[:, None] >> np.array([0, 4, 8, 12], "<u2")
        blocks["scales"] = (blocks["scales"] & 0x0FFF) | (bits << 12)
    else:
        blocks["d"] = scales
    if form in RATIOS:
        blocks["dmin"] = RATIOS[form] * scales
    if form in MIDDLES:
        blocks["m"] = MIDDLES[form] * scales


def _metadata() -> dict[str, Any]:
    """Return the configuration, and a tokenizer with a token for each byte."""
    kept = [*range(33, 127), *range(161, 173), *range(174, 256)]
    bytes_ = [chr(b) for b in kept] + [chr(256 + i) for i in range(256 - len(kept))]
    tokens = ["<s>", "</s>", *bytes_, "th", "an"]
    tokens += [f"<unused {i}>" for i in range(TOKENS - len(tokens))]
    return {
        "general.architecture": "llama",
        "llama.block_count": LAYERS,
        "llama.context_length": 1024,
        "llama.embedding_length": HIDDEN,
        "llama.feed_forward_length": WIDE,
        "llama.attention.head_count": HEADS,
        "llama.attention.head_count_kv": KEYS,
        "llama.attention.layer_norm_rms_epsilon": 1e-5,
        "llama.rope.freq_base": 10000.0,
        "llama.vocab_size": TOKENS,
        "tokenizer.ggml.model": "gpt2",
        "tokenizer.ggml.pre": "smollm",
        "tokenizer.ggml.tokens": tokens,
        "tokenizer.ggml.token_type": np.array([3, 3, *[1] * (TOKENS - 2)], np.int32),
        "tokenizer.ggml.merges": ["t h", "a n"],
        "tokenizer.ggml.bos_token_id": 0,
        "tokenizer.ggml.eos_token_id": 1,
        "tokenizer.ggml.add_bos_token": False,
    }


def random_tokens() -> Array:
    """Return the tokens that are forced."""
    return np.random.default_rng(7).integers(2, TOKENS, COUNT).astype(np.int32)
