"""Saves and restores a model of Keras and its optimizer; run with a folder it does so on tfpy."""

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
    """What a model predicts, and the sums of what its optimizer keeps."""
    found = np.ravel(model(X)).tolist()
    return [*found, *(float(np.sum(v.numpy())) for v in model.optimizer.variables)]


def save(path: str) -> list[float]:
    model, checkpoint = made()
    model.fit(X, X[:, :1] ** 2, epochs=3, verbose=0)
    checkpoint.write(path)
    return seen(model)


def restore(path: str) -> list[list[float]]:
    """Restored after the model was built, and before."""
    found = []
    for late in (False, True):
        model, checkpoint = made()
        status = checkpoint.read(path) if late else None
        model.build((None, 4))
        model.optimizer.build(model.trainable_variables)
        (status or checkpoint.read(path)).assert_consumed()
        found.append(seen(model))
    return found


if __name__ == "__main__":
    folder = sys.argv[1]
    print(json.dumps([save(f"{folder}/tfpy"), restore(f"{folder}/tensorflow")]))
