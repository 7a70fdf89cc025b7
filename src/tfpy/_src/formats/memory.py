"""The memory that a language model needs, without loading its weights."""

from __future__ import annotations

import importlib
from contextlib import ExitStack
from dataclasses import dataclass
from math import ceil, prod

from tfpy._src.backends.awaitable import awaitable
from tfpy._src.backends.javascript.bridge import wait
from tfpy._src.base import dtypes
from tfpy._src.base.dtypes import DTypeLike
from tfpy._src.formats.sources import ModelSource

_QUANTIZED = (None, "int8", "int4")
_SCALE = 4
"""Number of bytes of a scale of quantized weights."""
_GROUP = 128
"""Number of weights in int4 that share a scale and a zero point."""


@dataclass(frozen=True)
class MemoryEstimate:
    """The memory that a language model needs.

    Attributes:
        parameters: Number of weights.
        weights: Number of bytes of the weights.
        cache: Number of bytes of the keys and values, which a model that generates text keeps for
            each token.

    Example:
        >>> import tfpy as tf
        >>> memory = tf.models.MemoryEstimate(parameters=1000, weights=4000, cache=512)
        >>> memory.total
        4512

    See also: `tf.models.estimate_memory`.
    """

    parameters: int
    weights: int
    cache: int

    @property
    def total(self) -> int:
        """Return the number of bytes of the weights and of the cache."""
        return self.weights + self.cache


def estimate_memory(
    source: ModelSource,
    max_length: int = 1024,
    batch_size: int = 1,
    dtype: DTypeLike = "float32",
    quantize: str | None = None,
) -> MemoryEstimate:
    """Compute the memory that a language model needs, without loading its weights.

    Only the configuration and the header of the files are read. The estimate does not include
    temporary tensors. While a model is loaded, one weight of the file is in memory in addition. On
    wasm and webgpu, matrices that are quantized or in 16 bits have about their size in the file.

    Args:
        source: Path of a GGUF file, of a folder of Hugging Face, or of a preset of KerasHub;
            otherwise as for `tf.models.load`. A file at a URL is downloaded. Of a preset,
            `config.json`, `metadata.json` and `task.json` are sufficient.
        max_length: Number of tokens of a prompt and its continuation together.
        batch_size: Number of prompts that are continued together.
        dtype: Floating-point dtype of the model. `tf.models.load` creates models in float32.
        quantize: `"int8"` or `"int4"` if the model will be quantized with `model.quantize`.

    Returns:
        A `MemoryEstimate`: the number of weights, the bytes of the weights and of the cache, and
        their sum `total`. The cache is empty unless the model is a `CausalLM`.

    Raises:
        FileNotFoundError: If the path does not exist.
        ValueError: If a file is damaged or describes no language model, or if an argument has an
            illegal value.

    Example:
        >>> import json
        >>> import tfpy as tf
        >>> preset = {
        ...     "config.json": {"config": {"num_layers": 12, "num_heads": 12, "hidden_dim": 768}},
        ...     "metadata.json": {"parameter_count": 124_439_808},
        ...     "task.json": {"class_name": "GPT2CausalLM"},
        ... }
        >>> files = {name: json.dumps(value).encode() for name, value in preset.items()}
        >>> memory = tf.models.estimate_memory(files, max_length=1024)
        >>> memory.weights, memory.cache
        (497759232, 75497472)

    See also: `tf.models.load`, `tf.models.estimate_memory_async`.
    """
    remedy = "write `await tf.models.estimate_memory_async(source)`"
    return wait(estimate_memory_async(source, max_length, batch_size, dtype, quantize), remedy)


@awaitable("tf.models.estimate_memory_async(source)")
async def estimate_memory_async(
    source: ModelSource,
    max_length: int = 1024,
    batch_size: int = 1,
    dtype: DTypeLike = "float32",
    quantize: str | None = None,
) -> MemoryEstimate:
    """Compute the memory that a language model needs without blocking the page.

    Args:
        source: Source of the model, as for `tf.models.estimate_memory`.
        max_length: Number of tokens of a prompt and its continuation together.
        batch_size: Number of prompts that are continued together.
        dtype: Floating-point dtype of the model.
        quantize: `"int8"` or `"int4"` if the model will be quantized with `model.quantize`.

    Returns:
        An awaitable that resolves to a `MemoryEstimate`.

    Raises:
        FileNotFoundError: If the path does not exist.
        ValueError: If a file is damaged or describes no language model, or if an argument has an
            illegal value.

    Example:
        >>> import asyncio, json
        >>> import tfpy as tf
        >>> preset = {
        ...     "config.json": {"config": {"num_layers": 2, "num_heads": 2, "hidden_dim": 64}},
        ...     "metadata.json": {"parameter_count": 100_000},
        ...     "task.json": {"class_name": "GPT2CausalLM"},
        ... }
        >>> files = {name: json.dumps(value).encode() for name, value in preset.items()}
        >>> memory = asyncio.run(tf.models.estimate_memory_async(files, max_length=100))
        >>> memory.weights, memory.cache
        (400000, 102400)

    See also: `tf.models.estimate_memory`.
    """
    if max_length < 1 or batch_size < 1:
        sizes = f"got {max_length} and {batch_size}"
        raise ValueError(f"estimate_memory: max_length and batch_size must be positive, {sizes}")
    number = dtypes.as_dtype(dtype)
    if not number.is_floating:
        raise ValueError(f"estimate_memory: dtype must be a floating-point dtype, not {number}")
    if quantize not in _QUANTIZED:
        expected = ", ".join(map(repr, _QUANTIZED))
        raise ValueError(f"estimate_memory: quantize must be one of {expected}, not {quantize!r}")
    module = importlib.import_module("tfpy._src.formats.pretrained.description")  # rarely needed
    with ExitStack() as files:
        model = await module.described(source, files)
    weights = [
        blocks if blocks and quantize is None else _bytes(shape, number.size, quantize)
        for shape, blocks in zip(model.shapes, model.blocks, strict=True)
    ]
    cache = model.cached * max_length * batch_size * number.size
    return MemoryEstimate(sum(map(prod, model.shapes)), sum(weights), cache)


def _bytes(shape: tuple[int, ...], size: int, quantize: str | None) -> int:
    """Return the number of bytes of a weight. Vectors are not quantized."""
    if quantize is None or len(shape) < 2:
        return size * prod(shape)
    return _int8(shape) if quantize == "int8" else _int4(shape)


def _int8(shape: tuple[int, ...]) -> int:
    """Return the number of bytes of a matrix in int8, with a scale for each row."""
    return prod(shape) + _SCALE * prod(shape[:-1])


def _int4(shape: tuple[int, ...]) -> int:
    """Return the number of bytes of a matrix in int4, with a scale and a zero point per group."""
    groups = prod(shape[:-1]) * ceil(shape[-1] / _GROUP)
    return ceil(prod(shape) / 2) + (_SCALE + 1) * groups
