"""Twins with tables, recommendations and data preparation."""

from __future__ import annotations

from typing import Any

import keras
import numpy as np
import tensorflow as tf
from keras import layers, ops
from twins import floats, ints, learnt, twin


def rows(count: int) -> dict[str, Any]:
    """Return a table of people."""
    return {
        "age": np.abs(floats(count) * 20 + 40),
        "pay": np.exp(floats(count)),
        "town": np.array(["rome", "bern", "oslo", "lima"])[ints(4, count)],
        "code": ints(30, count) * 7,
    }


@twin
def table_of_features() -> Any:
    table = rows(40)
    normal, ages = layers.Normalization(axis=None), layers.Discretization([20.0, 40.0, 60.0])
    normal.adapt(table["pay"])
    towns = layers.StringLookup(output_mode="one_hot")
    towns.adapt(table["town"])
    inputs = {
        name: keras.Input((1,), name=name, dtype=kind)
        for name, kind in (
            ("age", "float32"),
            ("pay", "float32"),
            ("town", "string"),
            ("code", "int64"),
        )
    }
    crossed = layers.HashedCrossing(16, output_mode="one_hot")((inputs["town"], inputs["code"]))
    features = [
        layers.CategoryEncoding(4)(ages(inputs["age"])),
        normal(inputs["pay"]),
        towns(inputs["town"]),
        crossed,
        layers.Flatten()(layers.Embedding(10, 3)(layers.Hashing(10)(inputs["code"]))),
    ]
    x = layers.Dense(8, "relu")(layers.Concatenate()(features))
    model = keras.Model(inputs, layers.Dense(1, "sigmoid")(x))
    model.compile("adam", "binary_crossentropy", metrics=["accuracy", "auc"])
    columns = {k: v[:, None] for k, v in table.items()}
    data = tf.data.Dataset.from_tensor_slices((columns, ints(2, 40, 1)))
    data = data.shuffle(40, seed=1).batch(8)
    history = model.fit(data, epochs=2, verbose=0).history
    one = {k: tf.constant(v[:2]) for k, v in columns.items()}
    return history, model.get_weights(), np.asarray(model(one))


@twin
def feature_space() -> Any:
    table = rows(40)
    space = keras.utils.FeatureSpace(
        features={
            "age": keras.utils.FeatureSpace.float_discretized(num_bins=4),
            "pay": keras.utils.FeatureSpace.float_normalized(),
            "town": keras.utils.FeatureSpace.string_categorical(num_oov_indices=0),
            "code": keras.utils.FeatureSpace.integer_hashed(num_bins=6),
        },
        crosses=[keras.utils.FeatureSpace.cross(("town", "code"), crossing_dim=8)],
        output_mode="concat",
    )
    data = tf.data.Dataset.from_tensor_slices((table, ints(2, 40))).batch(8)
    space.adapt(data.map(lambda x, _: x))
    x = space.get_encoded_features()
    model = keras.Model(x, layers.Dense(1, "sigmoid")(layers.Dropout(0.5, seed=1)(x)))
    model.compile("adam", "binary_crossentropy")
    ready = data.map(lambda x, y: (space(x), y), num_parallel_calls=tf.data.AUTOTUNE)
    history = model.fit(ready, epochs=2, verbose=0).history
    whole = keras.Model(space.get_inputs(), model(x))
    return history, whole.predict(data.map(lambda x, _: x), verbose=0)


@twin
def wide_and_deep() -> Any:
    wide, deep = keras.Input((5,), name="wide"), keras.Input((7,), name="deep")
    x = deep
    for units in (8, 6):
        x = layers.BatchNormalization()(layers.Dense(units, use_bias=False)(x))
        x = layers.PReLU()(x)
    out = layers.Dense(1, name="main")(layers.concatenate([wide, x]))
    aux = layers.Dense(3, name="aux", activation="softmax")(x)
    model = keras.Model([wide, deep], [out, aux])
    model.compile(
        keras.optimizers.Ftrl(0.05, l1_regularization_strength=0.01),
        loss=["mse", keras.losses.SparseCategoricalCrossentropy()],
        loss_weights=[0.9, 0.1],
        metrics=[["mae"], ["accuracy"]],
    )
    return learnt(
        model, [floats(40, 5), floats(40, 7)], [floats(40, 1), ints(3, 40)], validation_split=0.2
    )


@twin
def factors_of_people_and_films() -> Any:
    class Recommender(keras.Model):
        def __init__(self, people: int, films: int, size: int) -> None:
            super().__init__()
            options: Any = {
                "embeddings_initializer": "he_normal",
                "embeddings_regularizer": keras.regularizers.l2(1e-3),
            }
            self.people = layers.Embedding(people, size, **options)
            self.films = layers.Embedding(films, size, **options)
            self.biases = [layers.Embedding(n, 1) for n in (people, films)]

        def call(self, pairs: Any) -> Any:
            a, b = self.people(pairs[:, 0]), self.films(pairs[:, 1])
            x = ops.sum(a * b, axis=1, keepdims=True)
            x = x + self.biases[0](pairs[:, 0]) + self.biases[1](pairs[:, 1])
            return ops.sigmoid(x)

    model = Recommender(10, 12, 4)
    model.compile(keras.optimizers.Adam(0.01), keras.losses.BinaryCrossentropy())
    return learnt(model, ints(10, 40, 2), np.abs(floats(40)) % 1, validation_split=0.1)


@twin
def gates_of_features() -> Any:
    class GatedUnit(layers.Layer):
        def __init__(self, units: int) -> None:
            super().__init__()
            self.linear, self.gate = layers.Dense(units), layers.Dense(units, "sigmoid")

        def call(self, x: Any) -> Any:
            return self.linear(x) * self.gate(x)

    class Residual(layers.Layer):
        def __init__(self, units: int) -> None:
            super().__init__()
            self.units = units
            self.layers_ = [layers.Dense(units, "elu"), layers.Dense(units), GatedUnit(units)]
            self.drop, self.norm = layers.Dropout(0.1, seed=3), layers.LayerNormalization()

        def build(self, shape: Any) -> None:
            self.project = layers.Dense(self.units) if shape[-1] != self.units else None

        def call(self, x: Any) -> Any:
            y = self.layers_[2](self.drop(self.layers_[1](self.layers_[0](x))))
            return self.norm((x if self.project is None else self.project(x)) + y)

    inputs = keras.Input((6,))
    parts = [layers.Dense(4)(part) for part in ops.split(inputs, 3, axis=-1)]
    weights = layers.Dense(3, "softmax")(Residual(6)(layers.concatenate(parts)))
    stacked = ops.stack([Residual(4)(p) for p in parts], axis=1)
    x = ops.squeeze(ops.matmul(ops.expand_dims(weights, 1), stacked), axis=1)
    model = keras.Model(inputs, layers.Dense(1)(x))
    model.compile(keras.optimizers.Adam(0.005), "mse", metrics=["r2_score"])
    return learnt(model, floats(40, 6), floats(40, 1))


@twin
def graph_of_papers() -> Any:
    edges, nodes = ints(12, 2, 40), floats(12, 5)

    class Convolution(layers.Layer):
        def __init__(self, units: int) -> None:
            super().__init__()
            self.ready, self.update = layers.Dense(units, "gelu"), layers.Dense(units, "gelu")

        def call(self, x: Any) -> Any:
            messages = self.ready(tf.gather(x, edges[1]))
            pooled = tf.math.unsorted_segment_mean(messages, edges[0], num_segments=12)
            return tf.math.l2_normalize(self.update(tf.concat([x, pooled], 1)), axis=-1)

    class Network(keras.Model):
        def __init__(self) -> None:
            super().__init__()
            self.first, self.last = layers.Dense(6, "relu"), layers.Dense(3)
            self.convolutions = [Convolution(6) for _ in range(2)]

        def call(self, picked: Any) -> Any:
            x = self.first(tf.constant(nodes))
            for convolution in self.convolutions:
                x = x + convolution(x)
            return self.last(tf.gather(x, tf.squeeze(picked, -1)))

    model = Network()
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(keras.optimizers.Adam(0.01), loss, metrics=["acc"])
    return learnt(model, ints(12, 40, 1), ints(3, 40))


@twin
def pipeline_of_lines() -> Any:
    x, y = floats(50, 6), ints(3, 50)
    lines = [",".join([*(f"{v:.4f}" for v in row), str(k)]) for row, k in zip(x, y, strict=True)]

    def parsed(line: Any) -> Any:
        cells = tf.strings.to_number(tf.strings.split(line, ","))
        return tf.ensure_shape(cells[:-1], [6]), tf.cast(cells[-1], tf.int32)

    data = tf.data.Dataset.from_tensor_slices(lines)
    data = data.map(parsed, num_parallel_calls=2).filter(lambda x, y: x[0] > -1.5)
    data = data.shuffle(16, seed=4, reshuffle_each_iteration=False).repeat(2).batch(8)
    data = data.map(lambda x, y: (tf.clip_by_value(x, -2.0, 2.0), tf.one_hot(y, 3))).prefetch(1)
    model = keras.Sequential([layers.Dense(5, "mish"), layers.Dense(3, "softmax")])
    model.compile("sgd", keras.losses.CategoricalFocalCrossentropy(), metrics=["accuracy"])
    history = model.fit(data, epochs=2, verbose=0).history
    return history, model.get_weights(), [len(b) for b, _ in data]
