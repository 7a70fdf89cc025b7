"""Twins with various ways to train."""

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
    """Return a network of two layers."""
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


def two_outputs(**options: Any) -> Any:
    """Return a network with two named outputs and a loss and a metric for each."""
    x = keras.Input((6,))
    heads = {name: layers.Dense(size, name=name)(x) for name, size in (("a", 2), ("b", 1))}
    model = keras.Model(x, heads)
    for i, v in enumerate(model.weights):
        v.assign(floats(10, *v.shape)[i])
    losses, metrics = {"a": "mse", "b": "mae"}, {"a": ["mae"], "b": ["mse"]}
    model.compile(keras.optimizers.SGD(0.01), losses, metrics=metrics, **options)
    return model


@twin
def losses_of_outputs() -> Any:
    """Average the loss of each output over the batches, of which the last one is smaller."""
    x, y = floats(11, 6), {"a": floats(11, 2), "b": floats(11, 1)}
    whole = x[:8], {name: v[:8] for name, v in y.items()}
    data = tf.data.Dataset.from_tensor_slices((x, y))
    plain = {"shuffle": False, "verbose": 0, "epochs": 2}
    weights = {"a": np.arange(11.0), "b": np.ones(11)}
    fits = [
        two_outputs().fit(x, y, batch_size=4, validation_split=0.3, **plain),
        two_outputs().fit(x, y, batch_size=4, sample_weight=weights, **plain),
        two_outputs(steps_per_execution=2).fit(x, y, batch_size=4, **plain),
        two_outputs(run_eagerly=True).fit(x, y, batch_size=4, **plain),
        two_outputs().fit(data.batch(4).prefetch(1), verbose=0),
        two_outputs().fit(data.batch(4, drop_remainder=True), verbose=0),
        two_outputs().fit(data.batch(4).repeat(), steps_per_epoch=4, epochs=2, verbose=0),
    ]
    model = two_outputs()
    quiet = {"verbose": 0, "return_dict": True}
    found = [model.evaluate(*given, batch_size=4, **quiet) for given in (whole, (x, y), whole)]
    found += [model.evaluate(data.batch(4), **quiet)]
    for size in (4, 4, 3):
        given = x[:size], {name: v[:size] for name, v in y.items()}
        found += [model.train_on_batch(*given, return_dict=True)]
    return [fit.history for fit in fits], found


@twin
def sizes_of_built_layers() -> Any:
    """Build models from datasets, which determine the batch sizes that the models accept."""
    x, y = floats(11, 6), floats(11, 2)
    data = tf.data.Dataset.from_tensor_slices((x, y))
    found = []
    for way in (
        lambda model: model.fit(x, y, batch_size=4, verbose=0),
        lambda model: model.fit(x[:8], y[:8], batch_size=4, verbose=0),
        lambda model: model.fit(data.batch(4), verbose=0),
        lambda model: model.fit(data.batch(4, drop_remainder=True), verbose=0),
        lambda model: model.evaluate(x, y, batch_size=4, verbose=0),
        lambda model: model.predict(x, batch_size=4, verbose=0),
        lambda model: model.train_on_batch(x, y),
    ):
        model = keras.Sequential([layers.Flatten(), layers.Dense(3), layers.Dense(2)])
        model.compile("sgd", "mse")
        way(model)
        with tempfile.TemporaryDirectory() as folder:
            model.save(Path(folder) / "model.keras")
            loaded = keras.models.load_model(Path(folder) / "model.keras")
        shapes = [model.input_shape, *(layer.output.shape for layer in model.layers)]
        shapes += [loaded.input_shape, loaded.predict(x[:7], verbose=0).shape]
        found.append([[-1 if n is None else n for n in shape] for shape in shapes])
    return found


@twin
def signature_of_a_saved_model() -> Any:
    rows = floats(3, 2)
    first, second = keras.Input((2,), name="first"), keras.Input((2,), name="second")
    difference = layers.Subtract()([first, second])
    found = []
    for model, wanted in [
        (keras.Sequential([keras.Input((2,)), layers.Dense(2)]), ["inputs"]),
        (keras.Model([first, second], [difference, first]), ["inputs", "inputs_1"]),
    ]:
        folder = tempfile.mkdtemp()
        tf.saved_model.save(model, folder)
        signature = tf.saved_model.load(folder).signatures["serving_default"]
        names = sorted(signature.structured_input_signature[1])
        given = {name: tf.constant(rows * (i + 1)) for i, name in enumerate(names)}
        result = signature(**given)
        found += [names == wanted, *(result[name] for name in sorted(result))]
    return found
