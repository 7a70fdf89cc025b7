"""Keras networks that learn while ``page/tasks.mjs`` watches how long the event loop is kept.

Before it is imported, tfpy takes TensorFlow's name. The sizes are those of
``e2e/test_keras_tasks.py``; what the networks learn is noise.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import keras
import numpy as np

from bench.networks.keras_tasks import LENGTH, WORDS, digits, head, lstm, transformer

BATCH = 64
EPOCHS = 4

NETWORKS: dict[str, tuple[Callable[[], Any], int, tuple[int, ...], int]] = {
    "digits": (digits, 1437, (8, 8, 1), 10),
    "lstm": (lstm, 512, (LENGTH,), 2),
    "transformer": (transformer, 512, (LENGTH,), 2),
    "head": (head, 192, (32, 32, 3), 3),
}
"""Each with the number of examples, the shape of one, and of how many classes they are."""


class Task:
    """A network and its examples."""

    def __init__(self, name: str) -> None:
        make, count, shape, classes = NETWORKS[name]
        rng = np.random.default_rng(0)
        self.steps = EPOCHS * -(-count // BATCH)
        self._x = (
            rng.integers(1, WORDS, (count, *shape)).astype(np.int32)
            if shape == (LENGTH,)
            else rng.uniform(0, 1, (count, *shape)).astype(np.float32)
        )
        self._y = rng.integers(0, classes, count).astype(np.int32)
        self._model: Any = make()
        loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
        self._model.compile(keras.optimizers.Adam(1e-3), loss, metrics=["accuracy"])

    async def learn(self) -> None:
        """Some epochs with validation, then what is known in the end."""
        given = {"batch_size": BATCH, "verbose": 0}
        held_out = (self._x[:BATCH], self._y[:BATCH])
        await self._model.fit_async(
            self._x, self._y, epochs=EPOCHS, validation_data=held_out, **given
        )
        await self._model.evaluate_async(self._x, self._y, **given)
