"""Keras under a strategy of eight devices learns what it learns on one; and in bfloat16."""

from __future__ import annotations

import subprocess
import sys

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
            keras.Input((6,)), keras.layers.Dense(8, activation="relu"),
            keras.layers.BatchNormalization(synchronized=True), keras.layers.Dense(3),
        ])
        loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
        model.compile(keras.optimizers.Adam(0.01), loss, metrics=["accuracy"])
    told = model.fit(x[:32], y[:32], batch_size=16, epochs=1, shuffle=False, verbose=0).history
    told = [number for name in sorted(told) for number in told[name]]
    again = model.fit_async(x[:32], y[:32], batch_size=16, shuffle=False, verbose=0)
    told += asyncio.run(again).history["loss"]
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
    """With metrics and synchronized batch normalization; a last batch of four rows is predicted.
    With the policy mixed_bfloat16 it learns what it does on NumPy."""
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True)
    assert done.stdout.endswith("the same\n"), done.stderr[-2000:]
