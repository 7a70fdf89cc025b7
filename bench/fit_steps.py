"""The time of a training step in Keras's ``fit``, in ``fit_async``, and compiled alone.

``page/fit.mjs`` takes them in turns. Before the import, tfpy takes TensorFlow's name. The compiled
step has the same network, loss and optimizer, and its batches are already on the device. ``fit``
has metrics only if they are requested.
"""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter
from typing import Any, NamedTuple

import keras
import numpy as np

import tfpy as tf
from bench.networks import keras_steps

EPOCHS = 2


class Network(NamedTuple):
    """A network and its training data."""

    make: Callable[[], Any]
    shape: tuple[int, ...]
    """Shape of an example."""
    words: int
    """Examples are numbers of this many words, or noise if it is 0."""
    classes: int
    batch: int
    steps: int
    """Number of steps per epoch."""


NETWORKS = {
    "mlp": Network(keras_steps.mlp, (784,), 0, 10, 128, 60),
    "cnn": Network(keras_steps.cnn, (28, 28, 1), 0, 10, 64, 30),
    "head": Network(keras_steps.head, (1280,), 0, 5, 32, 60),
    "lstm": Network(keras_steps.lstm, (20, 16), 0, 2, 16, 20),
    "transformer": Network(keras_steps.transformer, (32,), keras_steps.WORDS, 2, 16, 60),
}


class Steps:
    """Ways to train a network. Each returns the microseconds of a step.

    Args:
        metrics: Names of Keras's metrics, which ``fit`` also computes.
    """

    def __init__(self, name: str, *metrics: str) -> None:
        network = NETWORKS[name]
        rng = np.random.default_rng(0)
        size = (network.steps * network.batch, *network.shape)
        words = rng.integers(0, max(network.words, 1), size).astype(np.int32)
        self._x = words if network.words else rng.normal(size=size).astype(np.float32)
        self._y = rng.integers(0, network.classes, size[0]).astype(np.int32)
        self._network = network
        self._loss: Any = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
        self._model = network.make()
        self._model.compile(keras.optimizers.Adam(1e-3), self._loss, metrics=list(metrics))
        self._step = self._compiled()
        starts = range(0, size[0], network.batch)
        cut = [slice(start, start + network.batch) for start in starts]
        self._batches = [(tf.constant(self._x[c]), tf.constant(self._y[c])) for c in cut]

    def _compiled(self) -> Callable[[Any, Any], Any]:
        model, adam = self._network.make(), keras.optimizers.Adam(1e-3)
        adam.build(model.trainable_variables)

        @tf.function
        def step(x: Any, y: Any) -> Any:
            with tf.GradientTape() as tape:
                loss = self._loss(y, model(x, training=True))
            weights = model.trainable_variables
            adam.apply_gradients(zip(tape.gradient(loss, weights), weights, strict=True))
            return loss

        compiled: Callable[[Any, Any], Any] = step
        return compiled

    async def bare(self) -> float:
        """Time the compiled step in a loop over an epoch."""
        begun = perf_counter()
        for x, y in self._batches:
            loss = self._step(x, y)
        await loss.data()
        return self._a_step(perf_counter() - begun)

    async def fit(self) -> float:
        """Return the fastest epoch of ``fit``."""
        clock = Clock()
        self._model.fit(self._x, self._y, callbacks=[clock], **self._options)
        return self._a_step(clock.least)

    async def fit_async(self) -> float:
        """Return the fastest epoch of ``fit_async``."""
        clock = Clock()
        await self._model.fit_async(self._x, self._y, callbacks=[clock], **self._options)
        return self._a_step(clock.least)

    @property
    def _options(self) -> dict[str, Any]:
        return {"batch_size": self._network.batch, "epochs": EPOCHS, "verbose": 0}

    def _a_step(self, seconds: float) -> float:
        return seconds / self._network.steps * 1e6


class Clock(keras.callbacks.Callback):
    """A Keras callback that times epochs."""

    def __init__(self) -> None:
        super().__init__()
        self.least = float("inf")
        """Seconds of the fastest epoch."""
        self._begun = 0.0

    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
        self._begun = perf_counter()

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        self.least = min(self.least, perf_counter() - self._begun)
