"""Twins with various kinds of networks."""

from __future__ import annotations

from typing import Any

import keras
import numpy as np
from keras import layers
from twins import floats, ints, learnt, twin


@twin
def dense() -> Any:
    model = keras.Sequential(
        [keras.Input((6,)), layers.Dense(16, activation="relu"), layers.Dense(3)]
    )
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile("adam", loss, metrics=["accuracy"])
    return learnt(model, floats(40, 6), ints(3, 40), validation_split=0.2)


@twin
def two_inputs_and_outputs() -> Any:
    a, b = keras.Input((5,), name="a"), keras.Input((5,), name="b")
    both = layers.Concatenate()([layers.Dense(4, "tanh")(a), layers.Dense(4, "elu")(b)])
    outs = {"sum": layers.Dense(1, name="sum")(both), "sign": layers.Dense(1, "sigmoid")(both)}
    model = keras.Model({"a": a, "b": b}, outs)
    model.compile(
        keras.optimizers.SGD(0.05, momentum=0.9, nesterov=True),
        {"sum": "mse", "sign": "binary_crossentropy"},
        loss_weights={"sum": 0.5, "sign": 2.0},
    )
    x = {"a": floats(40, 5), "b": -floats(40, 5)}
    total = x["a"].sum(1, keepdims=True)
    return learnt(model, x, {"sum": total, "sign": (total > 0).astype("float32")})


@twin
def convolutional() -> Any:
    model = keras.Sequential(
        [
            keras.Input((12, 12, 3)),
            layers.Conv2D(8, 3, padding="same", kernel_regularizer="l2"),
            layers.BatchNormalization(),
            layers.ReLU(),
            layers.MaxPooling2D(),
            layers.SeparableConv2D(8, 3, activation="gelu"),
            layers.DepthwiseConv2D(2, strides=2, padding="same"),
            layers.Conv2DTranspose(4, 3, strides=2),
            layers.GlobalAveragePooling2D(),
            layers.Dense(4, activation="softmax"),
        ]
    )
    metrics = ["accuracy", keras.metrics.AUC(), keras.metrics.TopKCategoricalAccuracy(2)]
    model.compile("rmsprop", "categorical_crossentropy", metrics=metrics)
    return learnt(model, floats(40, 12, 12, 3), np.eye(4, dtype=np.float32)[ints(4, 40)])


@twin
def residual_and_shared() -> Any:
    shared = layers.Dense(8, activation="swish")
    x = inputs = keras.Input((8,))
    for _ in range(3):
        x = layers.Add()([x, shared(layers.LayerNormalization()(x))])
    model = keras.Model(inputs, layers.Dense(1, kernel_constraint="max_norm")(x))
    model.compile(keras.optimizers.Adagrad(0.05), "huber", metrics=["mae"])
    return learnt(model, floats(40, 8), floats(40, 1))


@twin
def three_and_one_dimensions() -> Any:
    volume = keras.Sequential(
        [
            keras.Input((6, 6, 6, 2)),
            layers.Conv3D(4, 3, activation="relu"),
            layers.AveragePooling3D(2),
            layers.Flatten(),
            layers.Dense(1),
        ]
    )
    line = keras.Sequential(
        [
            keras.Input((16, 3)),
            layers.ZeroPadding1D(1),
            layers.Conv1D(6, 3, dilation_rate=2, padding="causal", activation="relu"),
            layers.MaxPooling1D(2),
            layers.UpSampling1D(2),
            layers.GlobalMaxPooling1D(),
            layers.Dense(1),
        ]
    )
    found = []
    for model, shape in ((volume, (16, 6, 6, 6, 2)), (line, (16, 16, 3))):
        model.compile(keras.optimizers.Nadam(0.01), "mse")
        found.append(learnt(model, floats(*shape), floats(16, 1)))
    return found


@twin
def normalizations() -> Any:
    model = keras.Sequential(
        [
            keras.Input((8, 8, 4)),
            layers.GroupNormalization(2),
            layers.UnitNormalization(),
            layers.Conv2D(4, 1),
            layers.SpectralNormalization(layers.Conv2D(4, 3)),
            layers.RMSNormalization(),
            layers.Flatten(),
            layers.Dense(1),
        ]
    )
    model.compile(keras.optimizers.Lion(0.001), "log_cosh")
    return learnt(model, floats(24, 8, 8, 4), floats(24, 1))


@twin
def autoencoder() -> Any:
    inputs = keras.Input((8, 8, 1))
    x = layers.Conv2D(6, 3, strides=2, padding="same", activation="relu")(inputs)
    x = layers.Reshape((4 * 4 * 6,))(x)
    code = layers.Dense(5, activity_regularizer="l1")(x)
    x = layers.Reshape((4, 4, 1))(layers.Dense(16)(code))
    x = layers.UpSampling2D(interpolation="bilinear")(x)
    model = keras.Model(inputs, layers.Cropping2D(0)(layers.Conv2D(1, 3, padding="same")(x)))
    x = floats(24, 8, 8, 1)
    model.compile(keras.optimizers.Adamax(0.01), "mae")
    return learnt(model, x, x)


@twin
def dropout_and_noise() -> Any:
    model = keras.Sequential(
        [
            keras.Input((10,)),
            layers.GaussianNoise(0.1, seed=1),
            layers.Dense(16, activation="selu"),
            layers.AlphaDropout(0.1, seed=2),
            layers.Dropout(0.3, seed=3),
            layers.Dense(1),
        ]
    )
    model.compile("adam", "mse")
    return learnt(model, floats(40, 10), floats(40, 1))


@twin
def mobilenet() -> Any:
    model = keras.applications.MobileNetV2(
        weights=None, input_shape=(32, 32, 3), classes=4, alpha=0.35
    )
    return model.predict(floats(2, 32, 32, 3), verbose=0)
