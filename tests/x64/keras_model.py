"""Train networks in float64 and store the results: ``python keras_model.py BACKEND OUT.npz``.

Recurrent layers are trained on cpu only, because XLA takes long to compile them.
"""

from __future__ import annotations

import importlib
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

import tfpy


def trained(keras: Any, also_words: bool) -> list[Any]:
    layers, rng = keras.layers, np.random.default_rng(1)
    keras.config.set_floatx("float64")
    keras.utils.set_random_seed(3)
    x, labels = rng.normal(size=(16, 6, 6, 2)), rng.integers(0, 3, 16)
    images = keras.Sequential(
        [
            *(keras.Input((6, 6, 2)), layers.Conv2D(4, 3, activation="relu")),
            *(layers.BatchNormalization(), layers.MaxPooling2D(), layers.Flatten()),
            *(layers.Dropout(0.2), layers.Dense(8, "tanh"), layers.LayerNormalization()),
            layers.Dense(3),
        ]
    )
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    images.compile(keras.optimizers.Adam(1e-2), loss, metrics=["accuracy"], jit_compile=False)
    options = {"epochs": 2, "batch_size": 8, "shuffle": False, "verbose": 0}
    history = images.fit(x, labels, **options).history
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.keras"
        images.save(path)
        again = keras.models.load_model(path).predict(x, verbose=0)
    found = [*images.get_weights(), again, *map(np.array, history.values())]
    if also_words:
        words = keras.Sequential([keras.Input((4,), dtype="int64")])
        for layer in (layers.Embedding(9, 3), layers.LSTM(4), layers.Dense(1)):
            words.add(layer)
        words.compile("sgd", "mse", jit_compile=False)
        words.fit(rng.integers(0, 9, (8, 4)), rng.normal(size=(8, 1)), **options)
        found += words.get_weights()
    return found


def main(backend: str, out: str) -> None:
    tfpy.set_backend(backend)
    tfpy.as_tensorflow(replace=True)
    np.savez(out, *trained(importlib.import_module("keras"), also_words=backend == "cpu"))


if __name__ == "__main__":
    main(*sys.argv[1:])
