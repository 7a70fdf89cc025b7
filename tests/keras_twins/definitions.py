"""Twins with users' own classes, constraints, callbacks and saved models."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import keras
from keras import layers, ops
from twins import floats, ints, learnt, twin


@twin
def regularisers_and_constraints() -> Any:
    constraints = keras.constraints

    class Sum(constraints.Constraint):
        def __call__(self, w: Any) -> Any:
            return w / (1e-3 + ops.sum(ops.abs(w), axis=0, keepdims=True))

    class Sparse(keras.regularizers.Regularizer):
        def __call__(self, w: Any) -> Any:
            return 0.01 * ops.sum(ops.sqrt(ops.abs(w) + 1e-3))

    model = keras.Sequential(
        [
            keras.Input((8, 8, 2)),
            layers.Conv2D(
                4,
                3,
                kernel_regularizer=keras.regularizers.L1L2(0.01, 0.02),
                kernel_constraint=constraints.MaxNorm(1.0, axis=(0, 1, 2)),
                bias_constraint="non_neg",
            ),
            layers.ActivityRegularization(l2=0.01),
            layers.Flatten(),
            layers.Dense(
                6,
                "tanh",
                kernel_constraint=constraints.UnitNorm(),
                kernel_regularizer=keras.regularizers.OrthogonalRegularizer(0.1),
            ),
            layers.Dense(4, kernel_constraint=constraints.MinMaxNorm(0.2, 0.8, rate=0.7)),
            layers.Dense(3, kernel_constraint=Sum(), kernel_regularizer=Sparse()),
        ]
    )
    model.compile(keras.optimizers.SGD(0.1), "mse")
    found = learnt(model, floats(40, 8, 8, 2), floats(40, 3))
    model(floats(8, 8, 8, 2))
    return found, [float(x) for x in model.losses]


@twin
def best_weights_come_back() -> Any:
    model = keras.Sequential([keras.Input((6,)), layers.Dense(8, "relu"), layers.Dense(3)])
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(keras.optimizers.Adam(0.3), loss, metrics=["accuracy"])
    x, y = floats(40, 6), ints(3, 40)
    with tempfile.TemporaryDirectory() as folder:
        best, table = Path(folder) / "best.keras", Path(folder) / "log.csv"
        found = learnt(
            model,
            x[:32],
            y[:32],
            epochs=8,
            validation_data=(x[32:], y[32:]),
            callbacks=[
                keras.callbacks.ModelCheckpoint(best, monitor="val_loss", save_best_only=True),
                keras.callbacks.EarlyStopping("val_accuracy", patience=4, start_from_epoch=1),
                keras.callbacks.ReduceLROnPlateau("loss", factor=0.2, patience=1, min_lr=0.01),
                keras.callbacks.TerminateOnNaN(),
                keras.callbacks.CSVLogger(str(table)),
                keras.callbacks.BackupAndRestore(str(Path(folder) / "backup")),
            ],
        )
        again = keras.models.load_model(best)
        lines = table.read_text().splitlines()
    return found, again.get_weights(), again.evaluate(x, y, verbose=0), len(lines), len(lines[0])


@twin
def outputs_that_are_shared() -> Any:
    """Train models in which one output or input appears several times among the outputs."""
    x = keras.Input((6,))
    y = layers.Dense(3)(x)
    shared = keras.Model(x, [y, x, y])
    z = keras.Input((6,))
    first, same, second = shared(z)
    models = [
        (shared, ["mse", "mae", "mae"]),
        (keras.Model(x, {"a": y, "b": y}), {"a": "mse", "b": "mae"}),
        (keras.Model(z, [second, first, same, z]), ["mse", "mae", "mse", "mse"]),
    ]
    found = []
    given, targets = floats(16, 6), [floats(16, 3), floats(16, 3) + 1.0]
    for model, losses in models:
        wide = floats(16, 6) - 1.0
        wanted = [wide if y.shape[-1] == 6 else targets[i % 2] for i, y in enumerate(model.outputs)]
        if isinstance(losses, dict):
            wanted = dict(zip(losses, wanted, strict=True))
        model.compile(keras.optimizers.SGD(0.05), losses)
        found.append(learnt(model, given, wanted))
        found.append(model.evaluate(given, wanted, verbose=0))
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "model.keras")
            model.save(path)
            found.append(keras.models.load_model(path).predict(given, verbose=0))
    return found


@twin
def own_things_saved_and_loaded() -> Any:
    @keras.saving.register_keras_serializable("twins")
    class Linear(layers.Layer):
        def __init__(self, units: int, inner: Any = None, **options: Any) -> None:
            super().__init__(**options)
            self.units, self.inner = units, inner or layers.Dense(units, "relu")

        def build(self, shape: Any) -> None:
            self.scale = self.add_weight(shape=(self.units,), initializer="ones", name="scale")
            self.seen = self.add_weight(shape=(), initializer="zeros", trainable=False)
            if not self.inner.built:
                self.inner.build(shape)

        def call(self, x: Any, training: bool = False) -> Any:
            if training:
                self.seen.assign_add(1.0)
            return self.inner(x) * self.scale

        def get_config(self) -> Any:
            inner = keras.saving.serialize_keras_object(self.inner)
            return {**super().get_config(), "units": self.units, "inner": inner}

        @classmethod
        def from_config(cls, config: Any) -> Any:
            config["inner"] = keras.saving.deserialize_keras_object(config["inner"])
            return cls(**config)

    @keras.saving.register_keras_serializable("twins")
    class Weighted(keras.losses.Loss):
        def __init__(self, weight: float = 2.0, **options: Any) -> None:
            super().__init__(**options)
            self.weight = weight

        def call(self, y: Any, p: Any) -> Any:
            return ops.mean(ops.where(p > y, self.weight, 1.0) * ops.abs(y - p), axis=-1)

        def get_config(self) -> Any:
            return {**super().get_config(), "weight": self.weight}

    @keras.saving.register_keras_serializable("twins")
    class Positives(keras.metrics.Metric):
        def __init__(self, name: str = "positives", **options: Any) -> None:
            super().__init__(name=name, **options)
            self.total = self.add_variable(shape=(), initializer="zeros", name="total")

        def update_state(self, y: Any, p: Any, sample_weight: Any = None) -> None:
            self.total.assign(self.total + ops.sum(ops.cast((y > 0) & (p > 0), "float32")))

        def result(self) -> Any:
            return self.total

    model = keras.Sequential([keras.Input((6,)), Linear(5), layers.Dense(1)])
    model.compile(keras.optimizers.Nadam(0.01), Weighted(3.0), metrics=[Positives()])
    first = learnt(model, floats(40, 6), floats(40, 1))
    again = keras.models.clone_model(model)
    again.set_weights(model.get_weights())
    written = keras.models.model_from_json(model.to_json())
    with tempfile.TemporaryDirectory() as folder:
        model.save(Path(folder) / "own.keras")
        loaded = keras.models.load_model(Path(folder) / "own.keras")
    second = learnt(loaded, floats(40, 6), floats(40, 1))
    outs = [m.predict(floats(3, 6), verbose=0).shape for m in (again, written)]
    return first, second, outs, again.predict(floats(3, 6), verbose=0)
