"""Export Keras models on tfpy, in a separate process.

Run ``python keras_worker.py FOLDER``. A training step and a prediction of each network are written
to NAME.tfpy, and calls with their results to NAME.json.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np

import tfpy as tf

BATCH = 6
STEPS = 3


def image_network(keras: Any) -> Any:
    """Return a network of convolution, normalization and dropout, two of which keep state."""
    layers = keras.layers
    return keras.Sequential(
        [
            keras.Input((8, 8, 1), name="image"),
            layers.Conv2D(8, 3, padding="same", activation="relu"),
            layers.BatchNormalization(),
            layers.MaxPooling2D(),
            layers.Flatten(),
            layers.Dropout(0.3),
            layers.Dense(10, activation="softmax"),
        ]
    )


def sequence_network(keras: Any) -> Any:
    """Return a network with a loop over steps. The loop's gradient uses saved values."""
    layers = keras.layers
    sequence = keras.Input((9, 4), name="sequence")
    state = layers.Bidirectional(layers.LSTM(5))(sequence)
    return keras.Model(sequence, layers.Dense(10, activation="softmax", name="classes")(state))


def export(keras: Any, name: str, model: Any, optimizer: Any, folder: Path) -> None:
    """Export both functions, and store the results of calls."""
    optimizer.build(model.trainable_variables)
    loss_of = keras.losses.SparseCategoricalCrossentropy()

    @tf.function
    def step(x: Any, labels: Any) -> Any:
        with tf.GradientTape() as tape:
            loss = loss_of(labels, model(x, training=True))
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply(gradients, model.trainable_variables)
        return {"loss": loss}

    (given,) = model.inputs
    shape = [int(n) for n in given.shape[1:]]
    spec = tf.TensorSpec([BATCH, *shape])
    signatures = {"step": (spec, tf.TensorSpec([BATCH], tf.int32)), "predict": [None, spec]}
    tf.export({"step": step, "predict": model}, folder / f"{name}.tfpy", signatures)

    rng = np.random.default_rng(0)
    calls = []
    for _ in range(STEPS):
        x = rng.random((BATCH, *shape)).astype("float32")
        labels = rng.integers(0, 10, BATCH).astype("int32")
        loss = step(tf.constant(x), tf.constant(labels))["loss"].numpy()
        inputs = {"x": x.tolist(), "labels": labels.tolist()}
        calls.append(["step", inputs, {"loss": [float(loss)]}])
        output = "output" if name == "images" else "classes"
        for part in (x[:1], x):
            found = model(tf.constant(part), training=False).numpy().ravel().tolist()
            calls.append(["predict", {given.name: part.tolist()}, {output: found}])
    predict = [
        {
            "inputs": [{"name": given.name, "dtype": "float32", "shape": [n, *shape]}],
            "outputs": [{"name": output, "dtype": "float32", "shape": [n, 10]}],
        }
        for n in (1, BATCH)
    ]
    (folder / f"{name}.json").write_text(json.dumps({"predict": predict, "calls": calls}))


def main() -> None:
    tf.as_tensorflow(replace=True)
    import keras

    folder = Path(sys.argv[1])
    keras.utils.set_random_seed(1)
    export(keras, "images", image_network(keras), keras.optimizers.Adam(0.01), folder)
    export(keras, "sequences", sequence_network(keras), keras.optimizers.SGD(0.1, 0.9), folder)


if __name__ == "__main__":
    main()
