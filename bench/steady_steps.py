"""A training loop that ``steady.py`` observes in a page: a compiled step, and single ops."""

from __future__ import annotations

import gc
import json
from typing import Any

import numpy as np

import tfpy as tf

BATCH, FEATURES, HIDDEN, CLASSES = 16, 32, 32, 4
READ_EVERY = 100


class Training:
    """A small network that learns noise."""

    def __init__(self) -> None:
        rng = np.random.default_rng(0)
        shapes = (FEATURES, HIDDEN), (HIDDEN,), (HIDDEN, CLASSES), (CLASSES,)
        weights = [tf.Variable(rng.normal(0, 0.2, n).astype(np.float32)) for n in shapes]
        momenta = [tf.Variable(tf.zeros(n)) for n in shapes]
        self._x = tf.constant(rng.normal(size=(BATCH, FEATURES)).astype(np.float32))
        self._y = tf.constant(rng.integers(0, CLASSES, BATCH).astype(np.int32))
        self._mean = tf.constant(1.0)
        self._done = 0

        @tf.function
        def step(x: Any, y: Any) -> Any:
            w1, b1, w2, b2 = weights
            with tf.GradientTape() as tape:
                logits = tf.matmul(tf.nn.relu(tf.matmul(x, w1) + b1), w2) + b2
                losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=logits)
                loss = tf.reduce_mean(losses)
            for weight, momentum, gradient in zip(
                weights, momenta, tape.gradient(loss, weights), strict=True
            ):
                momentum.assign(0.9 * momentum + gradient)
                weight.assign_sub(0.01 * momentum)
            return loss

        self._step = step

    async def run(self, steps: int) -> float:
        """Run some steps, and return the mean of the losses with smaller weights for older ones."""
        for _ in range(steps):
            self._done += 1
            x = self._x * (1.0 + self._done % 7 * 0.01) + 0.01
            self._mean = self._mean * 0.99 + self._step(x, self._y) * 0.01
            if self._done % READ_EVERY == 0:
                await self._mean.data()
        return float(await self._mean.data())

    def figures(self) -> str:
        """Return what is held, as JSON."""
        gc.collect()
        tf.memory()  # collects garbage
        memory = tf.memory()
        device = memory["backend"]
        return json.dumps(
            {
                "tensors": memory["numTensors"],
                "slots": device["slots"],
                "bytes": device["bytes"],
                "device": device.get("allocatedBytes", device["bytes"]),
                "programs": device.get("programs", 0),
                "module heap": device.get("heapBytes", 0),
                "Python objects": len(gc.get_objects()),
            }
        )
