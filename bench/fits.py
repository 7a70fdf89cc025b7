"""Keras's ``fit`` of small networks. One run is an epoch over noise, with Adam and accuracy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import tfpy as tf
from bench.networks import digits

Array = np.ndarray[Any, Any]

STEPS = 20
RATE = 1e-3
MLP_SIZES = (784, 128, 10)
BATCHES = {"mlp_fit": 128, "digits_fit": digits.BATCH}


def mlp_arrays() -> dict[str, Array]:
    """Return examples, one-hot labels, and the weights of two layers."""
    inputs, hidden, classes = MLP_SIZES
    rng = np.random.default_rng(1)
    return {
        **_examples(STEPS * BATCHES["mlp_fit"], (inputs,), classes),
        "0/kernel": rng.uniform(-0.05, 0.05, (inputs, hidden)).astype(np.float32),
        "0/bias": np.zeros(hidden, np.float32),
        "1/kernel": rng.uniform(-0.1, 0.1, (hidden, classes)).astype(np.float32),
        "1/bias": np.zeros(classes, np.float32),
    }


def digits_arrays() -> dict[str, Array]:
    """Return examples, labels and weights for the convolutional network."""
    examples = _examples(STEPS * digits.BATCH, (28, 28, 1), digits.CLASSES)
    return {**examples, **digits.weights()}


def _examples(count: int, shape: tuple[int, ...], classes: int) -> dict[str, Array]:
    rng = np.random.default_rng(0)
    labels = np.eye(classes, dtype=np.float32)[rng.integers(0, classes, count)]
    return {"input": rng.uniform(0, 1, (count, *shape)).astype(np.float32), "labels": labels}


def _mlp(layers: Any) -> list[Any]:
    inputs, hidden, classes = MLP_SIZES
    return [
        layers.Input((inputs,)),
        layers.Dense(hidden, activation="relu"),
        layers.Dense(classes, activation="softmax"),
    ]


def _digits(layers: Any) -> list[Any]:
    return [
        layers.Input((28, 28, 1)),
        layers.Conv2D(16, 3, padding="same", activation="relu"),
        layers.MaxPooling2D(),
        layers.Conv2D(32, 3, padding="same", activation="relu"),
        layers.MaxPooling2D(),
        layers.Flatten(),
        layers.Dense(digits.CLASSES, activation="softmax"),
    ]


NETWORKS: dict[str, Callable[[Any], list[Any]]] = {"mlp_fit": _mlp, "digits_fit": _digits}


class Fit:
    """A model and its examples. A call starts an epoch; ``data`` awaits its loss."""

    def __init__(self, name: str, arrays: dict[str, Any]) -> None:
        values = {key: np.asarray(value) for key, value in arrays.items()}
        self._input, self._labels = (tf.constant(values.pop(n)) for n in ("input", "labels"))
        self._batch = BATCHES[name]
        library: Any = tf  # available if Keras is installed
        self._model: Any = library.keras.Sequential(NETWORKS[name](library.keras.layers))
        self._model.set_weights(list(values.values()))
        adam = library.keras.optimizers.Adam(RATE)
        self._model.compile(adam, "categorical_crossentropy", metrics=["accuracy"])

    def __call__(self) -> Fit:
        return self

    async def data(self) -> Array:
        """Train for an epoch, and return its mean loss."""
        history = await self._model.fit_async(
            self._input, self._labels, batch_size=self._batch, shuffle=False, verbose=0
        )
        return np.array(history.history["loss"], np.float32)
