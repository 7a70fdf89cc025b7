"""Twins with sequences and attention."""

from __future__ import annotations

from typing import Any

import keras
import numpy as np
from keras import layers, ops
from twins import floats, ints, learnt, twin


@twin
def recurrent() -> Any:
    model = keras.Sequential(
        [
            keras.Input((6, 4)),
            layers.LSTM(8, return_sequences=True),
            layers.GRU(5, return_sequences=True, reset_after=False),
            layers.SimpleRNN(4, go_backwards=True),
            layers.Dense(1),
        ]
    )
    model.compile("adam", "mse")
    return learnt(model, floats(40, 6, 4), floats(40, 1))


@twin
def masked_bidirectional() -> Any:
    model = keras.Sequential(
        [
            keras.Input((None,), dtype="int32"),
            layers.Embedding(20, 6, mask_zero=True),
            layers.Bidirectional(layers.LSTM(4, return_sequences=True)),
            layers.Bidirectional(layers.GRU(3), merge_mode="sum"),
            layers.Dense(1, activation="sigmoid"),
        ]
    )
    model.compile(keras.optimizers.AdamW(0.01), "binary_crossentropy")
    return learnt(model, ints(20, 40, 7), ints(2, 40, 1))


@twin
def state_across_batches() -> Any:
    model = keras.Sequential(
        [layers.Input((5, 3), batch_size=8), layers.LSTM(4, stateful=True), layers.Dense(2)]
    )
    model.compile("sgd", "mse")
    x, y = floats(40, 5, 3), floats(40, 2)
    history = model.fit(x, y, batch_size=8, shuffle=False, verbose=0).history
    return history, model.predict(x, batch_size=8, verbose=0), model.get_weights()


@twin
def convolutional_lstm() -> Any:
    model = keras.Sequential(
        [
            keras.Input((3, 6, 6, 1)),
            layers.ConvLSTM2D(2, 3, padding="same"),
            layers.Flatten(),
            layers.Dense(1),
        ]
    )
    model.compile("adam", "mse")
    return learnt(model, floats(16, 3, 6, 6, 1), floats(16, 1))


@twin
def transformer_block() -> Any:
    tokens = keras.Input((9,), dtype="int32")
    places = ops.arange(9)
    x = layers.Embedding(30, 8)(tokens) + layers.Embedding(9, 8)(places)
    x = layers.LayerNormalization()(x + layers.MultiHeadAttention(2, 4)(x, x, use_causal_mask=True))
    x = layers.LayerNormalization()(x + layers.Dense(8)(layers.Dense(16, "gelu")(x)))
    model = keras.Model(tokens, layers.Dense(30)(x))
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(keras.optimizers.Adam(0.01, clipnorm=1.0), loss, metrics=["accuracy"])
    text = ints(30, 40, 10)
    return learnt(model, text[:, :-1], text[:, 1:])


@twin
def grouped_attention() -> Any:
    a, b = keras.Input((6, 8)), keras.Input((5, 8))
    x = layers.GroupQueryAttention(4, 4, 2)(a, b)
    x = layers.Attention(use_scale=True)([x, b])
    x = layers.AdditiveAttention()([x, b])
    model = keras.Model([a, b], layers.Dense(1)(layers.GlobalAveragePooling1D()(x)))
    model.compile(keras.optimizers.Adadelta(1.0), "mse")
    return learnt(model, [floats(24, 6, 8), floats(24, 5, 8)], floats(24, 1))


@twin
def custom_cell() -> Any:
    class Cell(layers.Layer):
        state_size = 4

        def build(self, shape: Any) -> None:
            self.w = self.add_weight(shape=(shape[-1], 4), initializer="glorot_uniform")
            self.u = self.add_weight(shape=(4, 4), initializer="orthogonal")

        def call(self, x: Any, states: Any) -> Any:
            h = ops.tanh(x @ self.w + states[0] @ self.u)
            return h, [h]

    model = keras.Sequential([keras.Input((None, 3)), layers.RNN(Cell()), layers.Dense(1)])
    model.compile("adam", "mse")
    return learnt(model, floats(24, 5, 3), floats(24, 1))


@twin
def text_vectors() -> Any:
    texts = np.array(["a cat sat", "the dog ran", "a dog sat down", "the cat", "ran ran ran"])
    vectors = layers.TextVectorization(max_tokens=12, output_sequence_length=5)
    vectors.adapt(texts)
    counts = layers.TextVectorization(output_mode="tf_idf", ngrams=2)
    counts.adapt(texts)
    model = keras.Sequential(
        [layers.Embedding(12, 4), layers.GlobalAveragePooling1D(), layers.Dense(1)]
    )
    model.compile("adam", "mse")
    words = np.asarray(vectors(texts))
    return learnt(model, words, floats(5, 1)), words, np.asarray(counts(texts))
