"""Twins: ways to train."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import keras
import numpy as np
import tensorflow as tf
from keras import layers
from twins import floats, ints, learnt, twin


def small() -> Any:
    """A network of two layers."""
    return keras.Sequential([keras.Input((6,)), layers.Dense(8, "relu"), layers.Dense(1)])


@twin
def own_train_step() -> Any:
    class Model(keras.Model):
        def __init__(self) -> None:
            super().__init__()
            self.inner, self.seen = small(), keras.metrics.Mean("seen")

        def call(self, x: Any) -> Any:
            return self.inner(x)

        def train_step(self, data: Any) -> Any:
            x, y = data
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean(tf.square(self(x, training=True) - y))
            grads = tape.gradient(loss, self.trainable_variables)
            self.optimizer.apply_gradients(zip(grads, self.trainable_variables, strict=True))
            self.seen.update_state(loss)
            return {"seen": self.seen.result()}

    model = Model()
    model.compile("adam")
    return learnt(model, floats(40, 6), floats(40, 1))


@twin
def own_loop() -> Any:
    model, optimizer = small(), keras.optimizers.Adam(0.01)
    loss_of, metric = keras.losses.MeanSquaredError(), keras.metrics.MeanAbsoluteError()
    data = tf.data.Dataset.from_tensor_slices((floats(40, 6), floats(40, 1))).batch(8)

    @tf.function
    def step(x: Any, y: Any) -> Any:
        with tf.GradientTape() as tape:
            out = model(x, training=True)
            loss = loss_of(y, out)
        grads = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(grads, model.trainable_variables, strict=True))
        metric.update_state(y, out)
        return loss

    losses = [step(x, y).numpy() for _ in range(2) for x, y in data]
    return losses, metric.result().numpy(), model.get_weights()


@twin
def schedules_and_averages() -> Any:
    found = []
    for rate in (
        keras.optimizers.schedules.ExponentialDecay(0.1, 2, 0.9, staircase=True),
        keras.optimizers.schedules.CosineDecay(0.1, 10, warmup_target=0.2, warmup_steps=2),
        keras.optimizers.schedules.PiecewiseConstantDecay([2, 4], [0.1, 0.05, 0.01]),
    ):
        model = small()
        optimizer = keras.optimizers.SGD(rate, use_ema=True, ema_overwrite_frequency=3)
        model.compile(optimizer, "mse")
        found.append(learnt(model, floats(40, 6), floats(40, 1)))
    return found


@twin
def optimizers() -> Any:
    found = []
    for optimizer in (
        keras.optimizers.Ftrl(0.1),
        keras.optimizers.Adafactor(0.1),
        keras.optimizers.Adam(0.01, amsgrad=True, weight_decay=0.01, global_clipnorm=1.0),
        keras.optimizers.RMSprop(0.01, centered=True, momentum=0.5, clipvalue=0.1),
        keras.optimizers.Lamb(0.01),
    ):
        model = small()
        model.compile(optimizer, "mse")
        found.append(learnt(model, floats(40, 6), floats(40, 1)))
    return found


@twin
def losses_and_metrics() -> Any:
    y, p = np.abs(floats(6, 4)), np.abs(floats(6, 4)[::-1]) + 0.1
    names = (
        "MeanSquaredError MeanAbsolutePercentageError MeanSquaredLogarithmicError Poisson "
        "KLDivergence CosineSimilarity LogCosh Hinge SquaredHinge CategoricalHinge Huber "
        "CategoricalCrossentropy BinaryCrossentropy BinaryFocalCrossentropy Dice Tversky"
    )
    found = [getattr(keras.losses, n)()(y, p) for n in names.split()]
    labels = ints(2, 30)
    scores = 1 / (1 + np.exp(-floats(30)))
    for metric in (
        keras.metrics.Precision(),
        keras.metrics.Recall(thresholds=[0.3, 0.6]),
        keras.metrics.AUC(curve="PR"),
        keras.metrics.F1Score(average="macro", threshold=0.5),
        keras.metrics.SensitivityAtSpecificity(0.5),
        keras.metrics.R2Score(),
        keras.metrics.MeanIoU(2),
    ):
        given = scores
        truth = labels
        if isinstance(metric, keras.metrics.F1Score | keras.metrics.R2Score):
            given, truth = scores[:, None], labels[:, None].astype("float32")
        if isinstance(metric, keras.metrics.MeanIoU):
            given = (scores > 0.5).astype("int32")
        metric.update_state(truth, given)
        found.append(metric.result())
    return [np.asarray(x) for x in found]


@twin
def weights_of_samples_and_classes() -> Any:
    model = keras.Sequential([keras.Input((6,)), layers.Dense(3, activation="softmax")])
    model.compile("adam", "sparse_categorical_crossentropy", weighted_metrics=["accuracy"])
    x, y = floats(40, 6), ints(3, 40)
    first = learnt(model, x, y, sample_weight=np.abs(floats(40)))
    return first, learnt(model, x, y, class_weight={0: 1.0, 1: 0.5, 2: 3.0})


@twin
def callbacks() -> Any:
    rates = []
    model = small()
    model.compile("adam", "mse")
    found = learnt(
        model,
        floats(40, 6),
        floats(40, 1),
        epochs=6,
        validation_split=0.25,
        callbacks=[
            keras.callbacks.EarlyStopping(patience=2, restore_best_weights=True),
            keras.callbacks.ReduceLROnPlateau(patience=1),
            keras.callbacks.LearningRateScheduler(lambda epoch, rate: rate * 0.9),
            keras.callbacks.LambdaCallback(
                on_train_batch_end=lambda i, logs: rates.append(logs["loss"])
            ),
        ],
    )
    return found, rates


@twin
def several_steps_per_execution() -> Any:
    model = small()
    model.compile("adam", "mse", steps_per_execution=3, metrics=["mae"])
    return learnt(model, floats(40, 6), floats(40, 1)), model.evaluate(
        floats(40, 6), floats(40, 1), verbose=0
    )


@twin
def mixed_precision() -> Any:
    keras.mixed_precision.set_global_policy("mixed_float16")
    try:
        model = small()
        model.compile("adam", "mse")
        history = model.fit(floats(40, 6), floats(40, 1), batch_size=8, verbose=0).history
        return {k: np.round(v, 2) for k, v in history.items()}
    finally:
        keras.mixed_precision.set_global_policy("float32")


@twin
def preprocessing() -> Any:
    x = floats(30, 4)
    normal = layers.Normalization()
    normal.adapt(x)
    buckets = layers.Discretization(num_bins=4)
    buckets.adapt(x)
    lookup = layers.StringLookup(output_mode="multi_hot")
    lookup.adapt(["a", "b", "b", "c"])
    numbers = layers.IntegerLookup()
    numbers.adapt([5, 5, 7])
    return [
        np.asarray(found)
        for found in (
            normal(x),
            buckets(x),
            lookup([["a", "zzz"], ["c", "b"]]),
            numbers([5, 7, 9]),
            layers.CategoryEncoding(6, output_mode="count")(ints(6, 4, 3)),
            layers.Hashing(5)(["x", "y", "z"]),
            layers.Rescaling(0.5, 1.0)(x),
            layers.Resizing(3, 5)(floats(1, 6, 6, 2)),
            layers.CenterCrop(3, 3)(floats(1, 6, 6, 2)),
        )
    ]


@twin
def saved_and_loaded() -> Any:
    found = []
    model = small()
    model.compile("adam", keras.losses.MeanSquaredError())
    model.fit(floats(40, 6), floats(40, 1), verbose=0)
    with tempfile.TemporaryDirectory() as folder:
        for name in ("m.keras", "m.h5"):
            path = Path(folder) / name
            model.save(path)
            again = keras.models.load_model(path)
            if name == "m.keras":
                again.fit(floats(40, 6), floats(40, 1), verbose=0)
            found.append(again.get_weights())
        model.save_weights(Path(folder) / "m.weights.h5")
        other = small()
        other.load_weights(Path(folder) / "m.weights.h5")
        found.append(other.get_weights())
    return found


@twin
def from_generators_and_datasets() -> Any:
    x, y = floats(40, 6), floats(40, 1)

    def batches() -> Any:
        while True:
            for i in range(0, 40, 8):
                yield x[i : i + 8], y[i : i + 8]

    model = small()
    model.compile("adam", "mse")
    first = model.fit(batches(), steps_per_epoch=5, verbose=0).history
    data = tf.data.Dataset.from_tensor_slices((x, y)).batch(8)
    second = model.fit(data, validation_data=data, verbose=0).history
    return first, second, model.predict(data, verbose=0), model.evaluate(data, verbose=0)
