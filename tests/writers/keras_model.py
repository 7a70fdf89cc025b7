"""Write a Keras model on tfpy: ``python keras_model.py FOLDER``."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import tfpy as tf

tf.as_tensorflow(replace=True)
import keras  # noqa: E402  on tfpy

folder = Path(sys.argv[1])
keras.utils.set_random_seed(1)
model = keras.Sequential(
    [
        keras.Input((8, 8, 2)),
        keras.layers.Conv2D(4, 3, padding="same", activation="relu"),
        keras.layers.BatchNormalization(),
        keras.layers.MaxPooling2D(),
        keras.layers.Reshape((8, 8)),
        keras.layers.LSTM(5),
        keras.layers.Dropout(0.5),
        keras.layers.Dense(3, activation="softmax"),
    ]
)
x = np.random.default_rng(1).normal(size=(3, 8, 8, 2)).astype(np.float32)
np.save(folder / "x.npy", x)
np.save(folder / "y.npy", np.asarray(model.predict(x, verbose=0)))
tf.save_graph_model(model, folder)
tf.save_onnx(model, folder / "model.onnx")

first, second = keras.Input((2,), name="first"), keras.Input((2,), name="second")
added = keras.layers.Add()([first, second])
tf.save_graph_model(keras.Model([second, first], [added, first, added]), folder / "shared")
tf.save_onnx(keras.Model([second, first], [added, first, added]), folder / "shared.onnx")
