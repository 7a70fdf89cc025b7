"""Keras under a strategy of eight devices trains as on one device, also in bfloat16."""

from __future__ import annotations

import json
import subprocess
import sys

import numpy as np

PROGRAM = """
import tfpy
tfpy.set_backend("jax")
tfpy.as_tensorflow(replace=True)
import asyncio, keras, numpy as np, tensorflow as tf

rng = np.random.default_rng(0)
x, y = rng.normal(size=(36, 6)).astype("float32"), rng.integers(0, 3, 36)

def learnt(strategy):
    keras.utils.set_random_seed(3)
    with strategy.scope():
        model = keras.Sequential([
            keras.Input((6,)), keras.layers.Reshape((2, 3)), keras.layers.LSTM(8),
            keras.layers.Dense(8, activation="relu"),
            keras.layers.BatchNormalization(synchronized=True), keras.layers.Dense(3),
        ])
        loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
        optimizer = keras.optimizers.LossScaleOptimizer(keras.optimizers.Adam(0.01))
    model.compile(optimizer, loss, metrics=["accuracy"])
    told = model.fit(x[:32], y[:32], batch_size=16, epochs=1, shuffle=False, verbose=0).history
    told = [number for name in sorted(told) for number in told[name]]
    again = model.fit_async(x[:32], y[:32], batch_size=16, shuffle=False, verbose=0)
    told += asyncio.run(again).history["loss"]
    batches = tf.data.Dataset.from_tensor_slices((x, y)).take(32).batch(16)
    batches = strategy.experimental_distribute_dataset(batches)
    told += model.fit(batches, shuffle=False, verbose=0).history["loss"]
    told += model.evaluate(x[:32], y[:32], batch_size=16, verbose=0)
    return [told, model.predict(x, batch_size=16, verbose=0), *(w.numpy() for w in model.weights)]

eight = tf.distribute.MirroredStrategy()
assert eight.num_replicas_in_sync == 8
for one, other in zip(learnt(tf.distribute.get_strategy()), learnt(eight), strict=True):
    np.testing.assert_allclose(other, one, 1e-5, 1e-5)

keras.config.set_dtype_policy("mixed_bfloat16")
told = {}
for backend in ("jax", "cpu"):
    tfpy.set_backend(backend)
    _, told[backend], kernel, *_ = learnt(tf.distribute.get_strategy())
    assert str(told[backend].dtype) == "bfloat16" and kernel.dtype == "float32"
wanted = told["cpu"].astype("float32")
np.testing.assert_allclose(told["jax"].astype("float32"), wanted, 0.02, 0.02)
print("the same")
"""


def test_fit_evaluate_predict() -> None:
    """Compare `fit`, `evaluate` and `predict` under a strategy with the results on one device.

    The program has metrics created outside the scope, synchronized batch normalization, a loop, a
    scaled loss, and a last batch of four rows. With the policy mixed_bfloat16 it trains as on
    NumPy.
    """
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True)
    assert done.stdout.endswith("the same\n"), done.stderr[-2000:]


WORDS = """
import tfpy
tfpy.set_backend("jax")
tfpy.as_tensorflow(replace=True)
import keras, numpy as np, tensorflow as tf

rng = np.random.default_rng(0)
x, y = rng.integers(0, 9, (32, 6)), rng.normal(size=(32, 1)).astype("float32")

def learnt(strategy, layer):
    keras.utils.set_random_seed(3)
    with strategy.scope():
        model = keras.Sequential([
            keras.Input((6,)), keras.layers.Embedding(9, 4, mask_zero=True), layer(),
            keras.layers.Dense(1),
        ])
    model.compile(keras.optimizers.SGD(0.1), "mse")
    told = model.fit(x, y, batch_size=16, epochs=2, shuffle=False, verbose=0).history["loss"]
    return [told, *(w.numpy() for w in model.weights)]

two = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
assert two.num_replicas_in_sync == 2
layers = keras.layers
for layer in (lambda: layers.LSTM(5), lambda: layers.Bidirectional(layers.GRU(3))):
    one = learnt(tf.distribute.get_strategy(), layer)
    for alone, among in zip(one, learnt(two, layer), strict=True):
        np.testing.assert_allclose(among, alone, 1e-5, 1e-5)
print("the same")
"""


def test_recurrent_layers_behind_an_embedding() -> None:
    done = subprocess.run([sys.executable, "-c", WORDS], capture_output=True, text=True)
    assert done.stdout.endswith("the same\n"), done.stderr[-2000:]


INTERRUPTED = """
import tfpy
tfpy.as_tensorflow(replace=True)
import json, os, tempfile
import keras, numpy as np, tensorflow as tf

rng = np.random.default_rng(0)
x, y = rng.normal(size=(32, 6)).astype("float32"), rng.integers(0, 3, 32)
start = [rng.normal(size=s).astype("float32") / 3 for s in ((6, 8), (8,), (8, 3), (3,))]

class Stop(keras.callbacks.Callback):
    def __init__(self, at):
        super().__init__()
        self.at, self.epochs = at, []
    def on_epoch_begin(self, epoch, logs=None):
        self.epochs.append(epoch)
        if epoch == self.at:
            raise KeyboardInterrupt

def fit(strategy, folder, at):
    with strategy.scope():
        model = keras.Sequential([
            keras.Input((6,)), keras.layers.Dense(8, activation="relu"), keras.layers.Dense(3),
        ])
        loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
        model.compile(keras.optimizers.Adam(0.01), loss)
        model.set_weights(start)
    stop = Stop(at)
    calls = [
        keras.callbacks.BackupAndRestore(folder + "/backup"), stop,
        keras.callbacks.ModelCheckpoint(
            folder + "/{epoch}.weights.h5", "loss", save_best_only=True, save_weights_only=True
        ),
        keras.callbacks.ModelCheckpoint(folder + "/model.keras"),
    ]
    try:
        model.fit(x, y, batch_size=16, epochs=4, shuffle=False, verbose=0, callbacks=calls)
    except KeyboardInterrupt:
        pass
    return model, [stop.epochs, sorted(os.listdir(folder))]

for backend, devices in (("cpu", ["CPU:0"]), ("jax", ["CPU:0", "CPU:1"])):
    tfpy.set_backend(backend)
    folder = tempfile.mkdtemp()
    _, first = fit(tf.distribute.MirroredStrategy(devices), folder, 2)
    model, then = fit(tf.distribute.MirroredStrategy(devices), folder, None)
    saved = keras.models.load_model(folder + "/model.keras").get_weights()
    for one, other in zip(saved, model.get_weights(), strict=True):
        np.testing.assert_array_equal(one, other)
    sums = [float(w.sum()) for w in model.get_weights()]
    print(json.dumps([*first, *then, int(model.optimizer.iterations.numpy()), sums]))
"""
OF_TENSORFLOW = [
    [0, 1, 2],
    ["1.weights.h5", "2.weights.h5", "backup", "model.keras"],
    [2, 3],
    ["1.weights.h5", "2.weights.h5", "3.weights.h5", "4.weights.h5", "model.keras"],
    8,
    [-0.39171898, 0.25777084, -2.38289, -0.8837033],
]
"""Output of the program with Keras on TensorFlow."""


def test_fit_that_is_interrupted_goes_on() -> None:
    """Resume training with `BackupAndRestore` and `ModelCheckpoint`, on one device and on two."""
    done = subprocess.run([sys.executable, "-c", INTERRUPTED], capture_output=True, text=True)
    found = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(found) == 2, done.stderr[-2000:]
    for *told, sums in found:
        assert told == OF_TENSORFLOW[:-1]
        np.testing.assert_allclose(sums, OF_TENSORFLOW[-1], 1e-4, 1e-5)
