"""Keras networks that learn while ``page/tasks.mjs`` watches how long the event loop is kept.

The networks and the sizes are those of ``e2e/test_keras_tasks.py``; what they learn is noise.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import tfpy as tf

BATCH = 64
EPOCHS = 4
LENGTH, WORDS = 7, 14

tf.as_tensorflow()

import keras  # noqa: E402 - tfpy takes TensorFlow's name before
from keras import Input, Model, Sequential, layers, ops  # noqa: E402


def digits() -> Model:
    """A convolutional network."""
    return Sequential(
        [
            Input((8, 8, 1)),
            layers.Conv2D(16, 3, padding="same", use_bias=False),
            layers.BatchNormalization(momentum=0.9),
            layers.ReLU(),
            layers.Conv2D(32, 3, padding="same", activation="relu"),
            layers.MaxPooling2D(),
            layers.Flatten(),
            layers.Dropout(0.3),
            layers.Dense(64, activation="relu"),
            layers.Dropout(0.3),
            layers.Dense(10),
        ]
    )


def lstm() -> Model:
    """An LSTM over words."""
    words = [Input((LENGTH,), dtype="int32"), layers.Embedding(WORDS, 8, mask_zero=True)]
    return Sequential([*words, layers.LSTM(16), layers.Dense(2)])


def transformer() -> Model:
    """A block of a transformer over words and places."""
    words = Input((LENGTH,), dtype="int32")
    x = layers.Embedding(WORDS, 16)(words)
    x = x + layers.Embedding(LENGTH, 16)(ops.arange(LENGTH))
    x = layers.LayerNormalization()(x + layers.MultiHeadAttention(2, 8)(x, x))
    x = layers.LayerNormalization()(x + layers.Dense(16)(layers.Dense(32, "gelu")(x)))
    return Model(words, layers.Dense(2)(layers.GlobalMaxPooling1D()(x)))


def head() -> Model:
    """A layer on the features of a MobileNetV2 that does not learn."""
    whole = keras.applications.MobileNetV2(
        input_shape=(32, 32, 3), alpha=0.35, include_top=False, weights=None
    )
    base = Model(whole.input, whole.get_layer("block_3_expand_relu").output)
    base.trainable = False
    images = Input((32, 32, 3))
    x = layers.GlobalAveragePooling2D()(base(images, training=False))
    return Model(images, layers.Dense(3)(layers.LayerNormalization(epsilon=1e-12)(x)))


NETWORKS: dict[str, tuple[Callable[[], Model], int, tuple[int, ...], int]] = {
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
