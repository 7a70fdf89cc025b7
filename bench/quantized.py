"""The gain of quantized weights on a GPU: products, MobileNetV1, decoding; for throughput.py."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import tfpy as tf
from bench.networks import mobilenet_v1
from bench.throughput import Kernel

LAYERS, WIDTH, HEADS, TOKENS, WORDS = 12, 768, 12, 512, 50257
"""Sizes of GPT-2's smallest model; the cache has ``TOKENS`` tokens."""

CACHE = (HEADS, TOKENS, WIDTH // HEADS)
LAYER = (
    *((WIDTH, 3 * WIDTH), (WIDTH, WIDTH), (WIDTH, 4 * WIDTH), (4 * WIDTH, WIDTH)),
    *((3 * WIDTH,), (WIDTH,), (4 * WIDTH,), (WIDTH,)),
    *(CACHE, CACHE),
)
"""Shapes of a layer's matrices, of their biases, and of its cached keys and values."""


def kernels() -> Iterator[Kernel]:
    """Yield all works, in float32 and quantized."""
    for quantize in (None, "int8"):
        for n in (1024, 2048, 4096):
            yield _product(n, quantize)
        for batch in (1, 16, 64):
            yield _mobilenet(batch, quantize)
    for quantize in (None, "int8", "int4"):
        yield _decoding(quantize)


def _named(name: str, quantize: str | None) -> str:
    return f"{name}, {quantize or 'float32'}"


def _product(n: int, quantize: str | None) -> Kernel:
    name = _named(f"matmul {n}", quantize)
    amount = 2 * n**3 / 1e12
    return Kernel(name, tf.matmul, ((n, n),), amount, "TFLOP", ((n, n),), quantize)


def _mobilenet(batch: int, quantize: str | None) -> Kernel:
    arrays = mobilenet_v1.weights()

    def forward(image: Any, *weights: Any) -> Any:
        return mobilenet_v1.forward(tf, dict(zip(arrays, weights, strict=True)), image)

    shapes = tuple(array.shape for array in arrays.values())
    images = (batch, mobilenet_v1.SIZE, mobilenet_v1.SIZE, 3)
    name = _named(f"MobileNetV1, batch {batch}", quantize)
    return Kernel(name, forward, (images,), 0, "", shapes, quantize)


def _decoding(quantize: str | None) -> Kernel:
    shapes = ((WORDS, WIDTH), *LAYER * LAYERS)
    return Kernel(_named("decoding step", quantize), _step, ((1, WIDTH),), 0, "", shapes, quantize)


def _step(x: Any, words: Any, *layers: Any) -> Any:
    """Return the logits of the next token from the embedding of the last one."""
    size = len(LAYER)
    for first in range(0, len(layers), size):
        x = _layer(x, layers[first : first + size])
    return tf.matmul(_norm(x), words, transpose_b=True)


def _layer(x: Any, weights: Sequence[Any]) -> Any:
    into, out, wide, narrow, into_bias, out_bias, wide_bias, narrow_bias, keys, values = weights
    projected = tf.reshape(_norm(x) @ into + into_bias, [3, HEADS, 1, WIDTH // HEADS])
    query, key, value = tf.unstack(projected)
    last = tf.reshape(tf.range(TOKENS) == TOKENS - 1, [1, TOKENS, 1])
    keys.assign(tf.where(last, key, keys))
    values.assign(tf.where(last, value, values))
    scores = tf.matmul(query, keys, transpose_b=True) * (WIDTH // HEADS) ** -0.5
    mixed = tf.matmul(tf.nn.softmax(scores), values)
    x = x + tf.reshape(mixed, [1, WIDTH]) @ out + out_bias
    hidden = tf.nn.gelu(_norm(x) @ wide + wide_bias, approximate=True)
    return x + hidden @ narrow + narrow_bias


def _norm(x: Any) -> Any:
    mean, variance = tf.nn.moments(x, [-1], keepdims=True)
    return (x - mean) * tf.math.rsqrt(variance + 1e-5)
