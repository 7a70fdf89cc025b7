"""Small Keras networks that learn within a minute."""

from __future__ import annotations

import keras
from keras import Input, Model, Sequential, layers, ops

LENGTH, WORDS = 7, 14
"""Length of a sentence, and number of words including the padding word."""


def digits() -> Model:
    """Return a convolutional network."""
    return Sequential(
        [
            Input((8, 8, 1)),
            layers.Conv2D(16, 3, padding="same", use_bias=False),
            layers.BatchNormalization(momentum=0.9),
            layers.ReLU(),
            layers.Conv2D(32, 3, padding="same", activation="relu"),
            layers.MaxPooling2D(),
            layers.Flatten(),
            layers.Dropout(0.3),
            layers.Dense(64, activation="relu"),
            layers.Dropout(0.3),
            layers.Dense(10),
        ]
    )


def lstm() -> Model:
    """Return an LSTM over words."""
    words = [Input((LENGTH,), dtype="int32"), layers.Embedding(WORDS, 8, mask_zero=True)]
    return Sequential([*words, layers.LSTM(16), layers.Dense(2)])


def transformer() -> Model:
    """Return a transformer block over words and positions."""
    words = Input((LENGTH,), dtype="int32")
    x = layers.Embedding(WORDS, 16)(words)
    x = x + layers.Embedding(LENGTH, 16)(ops.arange(LENGTH))
    x = layers.LayerNormalization()(x + layers.MultiHeadAttention(2, 8)(x, x))
    x = layers.LayerNormalization()(x + layers.Dense(16)(layers.Dense(32, "gelu")(x)))
    return Model(words, layers.Dense(2)(layers.GlobalMaxPooling1D()(x)))


def head() -> Model:
    """Return a trainable layer on the features of a frozen MobileNetV2."""
    whole = keras.applications.MobileNetV2(
        input_shape=(32, 32, 3), alpha=0.35, include_top=False, weights=None
    )
    base = Model(whole.input, whole.get_layer("block_3_expand_relu").output)
    base.trainable = False
    images = Input((32, 32, 3))
    x = layers.GlobalAveragePooling2D()(base(images, training=False))
    return Model(images, layers.Dense(3)(layers.LayerNormalization(epsilon=1e-12)(x)))
