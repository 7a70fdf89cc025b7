"""A small convolutional network for 28 × 28 digits, with seeded weights."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]

BATCH = 64
CLASSES = 10


def weights(seed: int = 0) -> dict[str, Array]:
    """Return filters and biases by name, float32."""
    rng = np.random.default_rng(seed)
    shapes = {"conv1": (3, 3, 1, 16), "conv2": (3, 3, 16, 32), "dense": (7 * 7 * 32, CLASSES)}
    made: dict[str, Array] = {}
    for name, shape in shapes.items():
        scale = np.float32(np.sqrt(2 / np.prod(shape[:-1])))
        made[f"{name}/filter"] = rng.standard_normal(shape, dtype=np.float32) * scale
        made[f"{name}/bias"] = np.zeros(shape[-1], np.float32)
    return made


def images(seed: int = 1) -> Array:
    """Return noise of shape [64, 28, 28, 1]."""
    return np.random.default_rng(seed).uniform(0, 1, (BATCH, 28, 28, 1)).astype(np.float32)


def logits(tf: Any, w: Mapping[str, Any], x: Any) -> Any:
    """Return logits [batch, 10]. ``w`` has tensors or Variables."""
    for name in ("conv1", "conv2"):
        x = tf.nn.conv2d(x, w[f"{name}/filter"], 1, "SAME")
        x = tf.nn.max_pool2d(tf.nn.relu(tf.nn.bias_add(x, w[f"{name}/bias"])), 2, 2, "SAME")
    return tf.matmul(tf.reshape(x, [x.shape[0], -1]), w["dense/filter"]) + w["dense/bias"]
