"""Trains a model with Keras's TensorBoard callback on tfpy, and writes to a folder (argument 1)."""

import sys

import numpy as np

import tfpy

tfpy.as_tensorflow(replace=True)
import keras  # noqa: E402
import tensorflow as tf  # noqa: E402

keras.utils.set_random_seed(0)


class Noted(keras.layers.Layer):
    """A layer that writes its mean."""

    def call(self, x):
        tf.summary.scalar("mean", tf.reduce_mean(x))
        return x


model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(3), Noted(), keras.layers.Dense(1)])
model.compile("sgd", "mse", metrics=["mae"])
x = np.arange(64, dtype=np.float32).reshape(16, 4) / 64
y = x.sum(1, keepdims=True)
for frequency in ("epoch", 1):
    callback = keras.callbacks.TensorBoard(
        f"{sys.argv[1]}/{frequency}",
        histogram_freq=1,
        write_graph=True,
        write_images=True,
        write_steps_per_second=frequency == 1,
        update_freq=frequency,
    )
    fitted = model.fit(
        x, y, epochs=2, batch_size=4, validation_data=(x, y), callbacks=[callback], verbose=0
    )
print(fitted.history["loss"], fitted.history["val_mae"])
