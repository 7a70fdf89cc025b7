"""Keras networks that learn while ``page/tasks.mjs`` measures how long the event loop is blocked.

Before the import, tfpy takes TensorFlow's name. The small networks have the sizes of
``e2e/test_keras_tasks.py``. All networks learn noise.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import keras
import numpy as np

from bench.networks.keras_steps import cnn
from bench.networks.keras_tasks import LENGTH, WORDS, digits, head, lstm, transformer
from tfpy._src.backends import event_loop

EPOCHS = 4


def mobilenet() -> Any:
    """Return a trainable layer on the features of a frozen MobileNetV2 1.0 224, in one program."""
    shape = (224, 224, 3)
    base = keras.applications.MobileNetV2(
        input_shape=shape, include_top=False, weights=None, pooling="avg"
    )
    base.trainable = False
    images = keras.Input(shape)
    return keras.Model(images, keras.layers.Dense(5)(base(images, training=False)))


class Network(NamedTuple):
    """A network and its training data."""

    make: Callable[[], Any]
    examples: int
    shape: tuple[int, ...]
    """Shape of an example."""
    classes: int
    batch: int = 64


NETWORKS = {
    "digits": Network(digits, 1437, (8, 8, 1), 10),
    "lstm": Network(lstm, 512, (LENGTH,), 2),
    "transformer": Network(transformer, 512, (LENGTH,), 2),
    "head": Network(head, 192, (32, 32, 3), 3),
    "cnn": Network(cnn, 1280, (28, 28, 1), 10, 128),
    "mobilenet": Network(mobilenet, 32, (224, 224, 3), 5, 16),
}


class Task:
    """A network and its examples."""

    def __init__(self, name: str) -> None:
        network = NETWORKS[name]
        rng = np.random.default_rng(0)
        size = (network.examples, *network.shape)
        self._x = (
            rng.integers(1, WORDS, size).astype(np.int32)
            if network.shape == (LENGTH,)
            else rng.uniform(0, 1, size).astype(np.float32)
        )
        self._y = rng.integers(0, network.classes, network.examples).astype(np.int32)
        self._batch = network.batch
        self._model: Any = network.make()
        loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
        self._model.compile(keras.optimizers.Adam(1e-3), loss, metrics=["accuracy"])

    async def learn(self) -> None:
        """Train some epochs with validation, and return the final results."""
        given = {"batch_size": self._batch, "verbose": 0}
        held_out = (self._x[: self._batch], self._y[: self._batch])
        await self._model.fit_async(
            self._x, self._y, epochs=EPOCHS, validation_data=held_out, **given
        )
        await self._model.evaluate_async(self._x, self._y, **given)

    async def learn_whole(self) -> None:
        """Train in the same way, with steps that are never split."""
        usual, event_loop.SHORT = event_loop.SHORT, math.inf
        try:
            await self.learn()
        finally:
            event_loop.SHORT = usual
