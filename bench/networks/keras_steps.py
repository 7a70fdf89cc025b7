"""Small Keras networks with short training steps."""

from __future__ import annotations

from keras import Input, Model, Sequential, layers

WORDS = 1000


def mlp() -> Model:
    """Return two dense layers."""
    return Sequential([Input((784,)), layers.Dense(128, "relu"), layers.Dense(10)])


def cnn() -> Model:
    """Return two convolutions over digits."""
    return Sequential(
        [
            Input((28, 28, 1)),
            layers.Conv2D(16, 3, activation="relu"),
            layers.MaxPooling2D(),
            layers.Conv2D(32, 3, activation="relu"),
            layers.MaxPooling2D(),
            layers.Flatten(),
            layers.Dropout(0.25),
            layers.Dense(10),
        ]
    )


def head() -> Model:
    """Return two layers over the features of a MobileNetV2."""
    dropout = layers.Dropout(0.2)
    return Sequential([Input((1280,)), dropout, layers.Dense(64, "relu"), layers.Dense(5)])


def lstm() -> Model:
    """Return an LSTM over vectors."""
    return Sequential([Input((20, 16)), layers.LSTM(32), layers.Dense(2)])


def transformer() -> Model:
    """Return a transformer block over words."""
    words = Input((32,), dtype="int32")
    x = layers.Embedding(WORDS, 32)(words)
    x = layers.LayerNormalization()(x + layers.MultiHeadAttention(2, 16, dropout=0.1)(x, x))
    inner = layers.Dense(32)(layers.Dense(64, "relu")(x))
    x = layers.LayerNormalization()(x + layers.Dropout(0.1)(inner))
    return Model(words, layers.Dense(2)(layers.GlobalAveragePooling1D()(x)))
