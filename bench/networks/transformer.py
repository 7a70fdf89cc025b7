"""A transformer encoder (Vaswani et al., 2017), post-norm, with seeded weights."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]

LAYERS = 4
WIDTH = 256
HEADS = 4
TOKENS = 128
INNER = 1024
EPSILON = 1e-5


def weights(seed: int = 0) -> dict[str, Array]:
    """Return matrices, biases and scales by name, float32."""
    rng = np.random.default_rng(seed)
    made: dict[str, Array] = {}

    def dense(name: str, inputs: int, outputs: int) -> None:
        scale = np.float32(1 / np.sqrt(inputs))
        made[f"{name}/matrix"] = rng.standard_normal((inputs, outputs), dtype=np.float32) * scale
        made[f"{name}/bias"] = rng.uniform(-0.1, 0.1, outputs).astype(np.float32)

    def norm(name: str) -> None:
        made[f"{name}/scale"] = rng.uniform(0.8, 1.2, WIDTH).astype(np.float32)
        made[f"{name}/offset"] = rng.uniform(-0.1, 0.1, WIDTH).astype(np.float32)

    for layer in range(LAYERS):
        for name in ("query", "key", "value", "mixed"):
            dense(f"{layer}/{name}", WIDTH, WIDTH)
        dense(f"{layer}/inner", WIDTH, INNER)
        dense(f"{layer}/outer", INNER, WIDTH)
        norm(f"{layer}/attended")
        norm(f"{layer}/fed")
    return made


def tokens(seed: int = 1) -> Array:
    """Return embedded tokens [128, 256]."""
    return np.random.default_rng(seed).standard_normal((TOKENS, WIDTH), dtype=np.float32)


def forward(tf: Any, w: Mapping[str, Any], x: Any) -> Any:
    """Return encoded tokens [128, 256]. ``w`` has tensors."""

    def dense(y: Any, name: str) -> Any:
        return tf.matmul(y, w[f"{name}/matrix"]) + w[f"{name}/bias"]

    def heads(y: Any) -> Any:
        return tf.transpose(tf.reshape(y, [TOKENS, HEADS, WIDTH // HEADS]), [1, 0, 2])

    def norm(y: Any, name: str) -> Any:
        mean, variance = tf.nn.moments(y, [-1], keepdims=True)
        return tf.nn.batch_normalization(
            y, mean, variance, w[f"{name}/offset"], w[f"{name}/scale"], EPSILON
        )

    for layer in range(LAYERS):
        query, key, value = (heads(dense(x, f"{layer}/{n}")) for n in ("query", "key", "value"))
        scores = tf.matmul(query, key, transpose_b=True) * (1 / np.sqrt(WIDTH // HEADS))
        mixed = tf.transpose(tf.matmul(tf.nn.softmax(scores), value), [1, 0, 2])
        attended = dense(tf.reshape(mixed, [TOKENS, WIDTH]), f"{layer}/mixed")
        x = norm(x + attended, f"{layer}/attended")
        fed = dense(tf.nn.relu(dense(x, f"{layer}/inner")), f"{layer}/outer")
        x = norm(x + fed, f"{layer}/fed")
    return x
