"""A long short-term memory (Hochreiter and Schmidhuber, 1997) over a sequence, seeded weights."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]

STEPS = 100
BATCH = 8
INPUTS = 64
UNITS = 128


def weights(seed: int = 0) -> dict[str, Array]:
    """Return the kernel of both inputs, [64 + 128, 4 * 128], and the bias, float32."""
    rng = np.random.default_rng(seed)
    shape = (INPUTS + UNITS, 4 * UNITS)
    scale = np.float32(1 / np.sqrt(shape[0]))
    return {
        "kernel": rng.standard_normal(shape, dtype=np.float32) * scale,
        "bias": rng.uniform(-0.1, 0.1, 4 * UNITS).astype(np.float32),
    }


def sequence(seed: int = 1) -> Array:
    """Return noise of shape [100, 8, 64]."""
    return np.random.default_rng(seed).standard_normal((STEPS, BATCH, INPUTS), dtype=np.float32)


def forward(tf: Any, w: Mapping[str, Any], x: Any) -> Any:
    """Return the last state [8, 128] for a sequence [100, 8, 64]. ``w`` has tensors."""
    state = memory = tf.zeros([BATCH, UNITS])
    for step in tf.unstack(x):
        gates = tf.matmul(tf.concat([step, state], 1), w["kernel"]) + w["bias"]
        i, j, f, o = tf.split(gates, 4, 1)
        memory = memory * tf.sigmoid(f + 1.0) + tf.sigmoid(i) * tf.tanh(j)
        state = tf.tanh(memory) * tf.sigmoid(o)
    return state
