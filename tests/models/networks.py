"""Models with many kinds of layers that TensorFlow.js has as well."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import keras
import numpy as np
from keras import layers

MODELS: dict[str, Callable[[], Any]] = {}


def model(make: Callable[[], Any]) -> Callable[[], Any]:
    MODELS[make.__name__] = make
    return make


@model
def dense() -> Any:
    return keras.Sequential(
        [
            keras.Input((5,)),
            layers.Dense(4, "relu", kernel_regularizer="l2", kernel_initializer="lecun_normal"),
            layers.Dropout(0.3),
            layers.BatchNormalization(),
            layers.Dense(3, "softmax", kernel_constraint="max_norm", name="out"),
        ]
    )


@model
def convolutional() -> Any:
    x = image = keras.Input((12, 12, 3))
    x = layers.ZeroPadding2D(((0, 1), (1, 0)))(x)
    x = layers.Conv2D(4, 3, strides=2, padding="same", activation="relu6")(x)
    x = layers.DepthwiseConv2D(3, padding="same", depth_multiplier=2)(x)
    x = layers.ReLU(6.0)(layers.BatchNormalization()(x))
    x = layers.LeakyReLU(0.2)(layers.SeparableConv2D(5, 3, activation="silu")(x))
    x = layers.Conv2DTranspose(3, 3, strides=2, padding="same")(x)
    x = layers.UpSampling2D(2)(layers.PReLU(shared_axes=[1, 2])(x))
    x = layers.Cropping2D(1)(x)
    x = layers.Concatenate()([layers.MaxPooling2D(2)(x), layers.AveragePooling2D(2)(x)])
    x = layers.ELU()(layers.LayerNormalization()(x))
    y, z = layers.GlobalAveragePooling2D()(x), layers.GlobalMaxPooling2D()(x)
    x = layers.Multiply()([layers.Add()([y, z]), y])
    x = layers.Flatten()(layers.Permute((2, 1))(layers.Reshape((2, 3))(x)))
    return keras.Model(image, [layers.Dense(2, "gelu")(x), layers.Maximum()([y, z])])


@model
def volumes() -> Any:
    return keras.Sequential(
        [
            keras.Input((6, 6, 6, 2)),
            layers.Conv3D(3, 2, activation="selu"),
            layers.MaxPooling3D(2),
            layers.Conv3DTranspose(2, 2),
            layers.Flatten(),
            layers.Dense(2, "swish"),
            layers.Softmax(),
        ]
    )


@model
def signals() -> Any:
    return keras.Sequential(
        [
            keras.Input((16, 2)),
            layers.Conv1D(4, 3, dilation_rate=2, activation="elu"),
            layers.MaxPooling1D(2),
            layers.SpatialDropout1D(0.2),
            layers.GaussianNoise(0.1),
            layers.Conv1D(3, 2, strides=2),
            layers.GlobalAveragePooling1D(),
            layers.RepeatVector(3),
            layers.LSTM(2, activation="relu"),
        ]
    )


@model
def sequences() -> Any:
    words = keras.Input((7,), dtype="int32")
    x = layers.Embedding(11, 6, mask_zero=True)(words)
    x = layers.Bidirectional(layers.LSTM(4, return_sequences=True))(x)
    x = layers.GRU(5, return_sequences=True, reset_after=False)(x)
    x = layers.TimeDistributed(layers.Dense(3, "tanh"))(x)
    x, state = layers.SimpleRNN(4, return_sequences=True, return_state=True)(x)
    cells = [layers.LSTMCell(3), layers.GRUCell(2, reset_after=False)]
    return keras.Model(words, [layers.RNN(layers.StackedRNNCells(cells))(x), state])


@model
def states() -> Any:
    a, b = keras.Input((5, 3)), keras.Input((4, 2))
    _, *state = layers.LSTM(4, return_state=True)(a)
    return keras.Model([a, b], layers.Dense(2)(layers.LSTM(4)(b, initial_state=state)))


@model
def nested() -> Any:
    inner = keras.Sequential([keras.Input((4,)), layers.Dense(4, "tanh")], name="inner")
    image = keras.Input((4,))
    heads = [layers.Dense(4, name="head")(image), layers.Dense(2, name="other_head")(image)]
    core = keras.Model(image, heads)
    x = entry = keras.Input((4,))
    shared = layers.Dense(4, name="shared")
    for _ in range(2):
        x = shared(inner(x))
    y, z = core(x)
    again, _ = core(y)
    return keras.Model(entry, [layers.Average()([again, x]), z, inner(y)])


@model
def nested_sequential() -> Any:
    base = [keras.Input((8, 8, 1)), layers.Conv2D(2, 3), layers.Flatten()]
    return keras.Sequential(
        [
            keras.Input((8, 8, 1)),
            keras.Sequential(base),
            layers.Rescaling(0.5, 1.0),
            layers.Dense(2),
        ]
    )


@model
def films() -> Any:
    layer = layers.ConvLSTM2D(2, 3, recurrent_activation="sigmoid")
    return keras.Sequential([keras.Input((3, 6, 6, 1)), layer])


def vary(made: Any) -> None:
    """Replace a model's initial weights by other values."""
    rng = np.random.default_rng(1)
    for weight in made.weights:
        values = rng.normal(size=weight.shape) * 0.5
        weight.assign(np.abs(values) + 0.5 if "variance" in weight.name else values)


def inputs(made: Any) -> list[np.ndarray]:
    """Return numbers as inputs of a model."""
    rng = np.random.default_rng(0)
    shapes = [[2, *tensor.shape[1:]] for tensor in made.inputs]
    return [
        rng.integers(0, 11, shape).astype("int32")
        if tensor.dtype == "int32"
        else rng.normal(size=shape).astype("float32")
        for tensor, shape in zip(made.inputs, shapes, strict=True)
    ]


def predicted(made: Any, x: list[np.ndarray]) -> list[np.ndarray]:
    """Return a model's predictions."""
    found = made.predict(x if len(x) > 1 else x[0], verbose=0)
    return [np.asarray(y) for y in keras.tree.flatten(found)]
