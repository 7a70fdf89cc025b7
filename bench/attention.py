"""The speed of attention on a GPU, for all tokens and for one new token, with ``throughput.py``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import tfpy as tf
from bench.throughput import Kernel

HEADS, DEPTH = 12, 64


def kernels() -> Iterator[Kernel]:
    """Yield all works. A causal one counts only the scores that are not masked."""
    for tokens in (128, 256, 512, 1024, 2048, 4096, 8192):
        shapes = ((1, tokens, HEADS, DEPTH),) * 3
        amount = 4 * HEADS * DEPTH * tokens**2 / 1e12
        yield Kernel(f"attention {tokens}", attention, shapes, amount, "TFLOP")
        yield Kernel(f"causal attention {tokens}", causal, shapes, amount / 2, "TFLOP")
    for tokens in (512, 2048, 8192):
        shapes = ((1, 1, HEADS, DEPTH), *((1, tokens, HEADS, DEPTH),) * 2)
        yield Kernel(f"attention of one token, cache of {tokens}", attention, shapes, 0.0, "")


def attention(q: Any, k: Any, v: Any, mask: Any = None) -> Any:
    """Compute attention as Keras's layers do."""
    scores = tf.einsum("btnh,bsnh->bnts", q, k) * DEPTH**-0.5
    if mask is not None:
        scores = tf.where(mask, scores, -1e30)
    return tf.einsum("bnts,bsnh->btnh", tf.nn.softmax(scores), v)


def causal(q: Any, k: Any, v: Any) -> Any:
    seen = tf.linalg.band_part(tf.ones([q.shape[1], k.shape[1]], tf.bool), -1, 0)
    return attention(q, k, v, seen[tf.newaxis, tf.newaxis])
