"""Saving and restoring of a Keras model and its optimizer. Run with a folder, it uses tfpy."""

from __future__ import annotations

import json
import sys
from typing import Any

import numpy as np

if __name__ == "__main__":
    import tfpy

    tfpy.as_tensorflow(replace=True)

import keras
import tensorflow as tf

X = np.linspace(-1, 1, 32, dtype=np.float32).reshape(8, 4)


def made() -> Any:
    keras.utils.set_random_seed(1)
    layers = [keras.layers.Dense(3), keras.layers.BatchNormalization(), keras.layers.Dense(1)]
    model = keras.Sequential(layers)
    model.compile(keras.optimizers.Adam(0.1), "mse")
    return model, tf.train.Checkpoint(model=model, optimizer=model.optimizer)


def seen(model: Any) -> list[float]:
    """Return a model's predictions, and the sums of its optimizer's variables."""
    found = np.ravel(model(X)).tolist()
    return [*found, *(float(np.sum(v.numpy())) for v in model.optimizer.variables)]


def save(path: str) -> list[float]:
    model, checkpoint = made()
    model.fit(X, X[:, :1] ** 2, epochs=3, verbose=0)
    checkpoint.write(path)
    return seen(model)


def restore(path: str) -> list[list[float]]:
    """Restore after the model was built, and before."""
    found = []
    for late in (False, True):
        model, checkpoint = made()
        status = checkpoint.read(path) if late else None
        model.build((None, 4))
        model.optimizer.build(model.trainable_variables)
        (status or checkpoint.read(path)).assert_consumed()
        found.append(seen(model))
    return found


class Network(keras.Model):  # type: ignore[misc]
    """A model with layers that are built at its first call."""

    def __init__(self) -> None:
        super().__init__()
        self.first = keras.layers.Dense(3, activation="tanh")
        self.others = [keras.layers.Dense(2), keras.layers.Dense(1)]

    def call(self, x: Any) -> Any:
        x = self.first(x)
        for layer in self.others:
            x = layer(x)
        return x


def resumed(path: str) -> list[list[float]]:
    """Train in a custom loop for three steps, and for two steps after restoring a checkpoint."""
    found = []
    for begin in (0, 1):
        optimizer, network = keras.optimizers.Adam(0.1), Network()
        checkpoint = tf.train.Checkpoint(net=network, optimizer=optimizer)
        if begin:
            checkpoint.read(path)
        for step in range(begin, 3):
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean((network(X) - X[:, :1]) ** 2)
            variables = network.trainable_variables
            optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables, strict=True))
            if not begin and not step:
                checkpoint.write(path)
        kept = [*network.variables, *optimizer.variables]
        found.append([float(np.sum(v.numpy())) for v in kept])
    return found


if __name__ == "__main__":
    folder = sys.argv[1]
    print(
        json.dumps(
            [save(f"{folder}/tfpy"), restore(f"{folder}/tensorflow"), resumed(f"{folder}/own")]
        )
    )
