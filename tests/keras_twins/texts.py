"""Twins with texts and time series."""

from __future__ import annotations

from typing import Any

import keras
import numpy as np
import tensorflow as tf
from keras import layers, ops
from twins import floats, ints, learnt, twin

WORDS = ["the", "a", "small", "red", "old", "fox", "dog", "cat", "house", "runs", "sleeps", "eats"]
WORDS += ["over", "under", "near", "today"]


def sentences(count: int) -> list[str]:
    """Return sentences of one to nine words."""
    lengths = ints(9, count) + 1
    words = ints(len(WORDS), count, 9)
    return [" ".join(WORDS[w] for w in row[:n]) for row, n in zip(words, lengths, strict=True)]


@twin
def text_convolutions() -> Any:
    texts = [s.upper() + "!<br />" for s in sentences(40)]
    labels = np.array(["FOX" in s for s in texts], "float32")

    def plain(text: Any) -> Any:
        return tf.strings.regex_replace(tf.strings.lower(text), "<br />|[!?.]", " ")

    vectors = layers.TextVectorization(14, standardize=plain, output_sequence_length=9)
    data = tf.data.Dataset.from_tensor_slices((texts, labels)).batch(8)
    vectors.adapt(data.map(lambda text, _: text))
    data = data.map(lambda text, label: (vectors(text), label)).cache().prefetch(tf.data.AUTOTUNE)
    model = keras.Sequential(
        [
            keras.Input((None,), dtype="int64"),
            layers.Embedding(14, 6),
            layers.Dropout(0.5, seed=1),
            layers.Conv1D(8, 3, padding="valid", activation="relu"),
            layers.GlobalMaxPooling1D(),
            layers.Dense(1, activation="sigmoid"),
        ]
    )
    model.compile("adam", "binary_crossentropy", metrics=["accuracy"])
    history = model.fit(data, epochs=2, verbose=0).history
    whole = keras.Sequential([keras.Input((1,), dtype="string"), vectors, model])
    said = whole.predict(tf.constant([["a red fox"], ["the dog sleeps near a house"]]), verbose=0)
    return history, model.get_weights(), said, [len(w) for w in vectors.get_vocabulary()]


@twin
def ragged_sentences() -> Any:
    texts = tf.constant(sentences(40))
    lookup = layers.StringLookup(vocabulary=WORDS[:12], mask_token="")
    ids = lookup(tf.strings.split(texts))
    padded = ids.to_tensor(shape=(None, 9))
    model = keras.Sequential(
        [
            keras.Input((None,), dtype="int64"),
            layers.Embedding(lookup.vocabulary_size(), 5, mask_zero=True),
            layers.Bidirectional(layers.LSTM(4, return_sequences=True)),
            layers.Dense(4, "tanh"),
            layers.GlobalAveragePooling1D(),
            layers.Dense(1, activation="sigmoid"),
        ]
    )
    model.compile("adam", "binary_crossentropy", metrics=["accuracy"])
    labels = ints(2, 40, 1)
    data = tf.data.Dataset.from_tensor_slices((ids, labels)).ragged_batch(8)
    data = data.map(lambda x, y: (x.to_tensor(), y))
    lengths = [x.shape[1] for x, _ in data]
    history = model.fit(data, epochs=2, verbose=0).history
    return history, lengths, model.get_weights(), model.predict(padded, verbose=0)


@twin
def encoder_of_texts() -> Any:
    class Encoder(layers.Layer):
        def __init__(self, size: int, inner: int, heads: int, **options: Any) -> None:
            super().__init__(**options)
            self.attention = layers.MultiHeadAttention(heads, size // heads)
            self.inner = keras.Sequential([layers.Dense(inner, "relu"), layers.Dense(size)])
            self.norms = [layers.LayerNormalization(epsilon=1e-6) for _ in range(2)]
            self.drops = [layers.Dropout(0.1, seed=i) for i in range(2)]
            self.supports_masking = True

        def call(self, x: Any, training: Any = None, mask: Any = None) -> Any:
            wide = None if mask is None else mask[:, None, :]
            y = self.drops[0](self.attention(x, x, attention_mask=wide), training=training)
            x = self.norms[0](x + y)
            return self.norms[1](x + self.drops[1](self.inner(x), training=training))

    class Embedded(layers.Layer):
        def __init__(self, words: int, length: int, size: int) -> None:
            super().__init__()
            self.words = layers.Embedding(words, size, mask_zero=True)
            self.places = layers.Embedding(length, size)

        def call(self, x: Any) -> Any:
            return self.words(x) + self.places(ops.arange(ops.shape(x)[-1]))

        def compute_mask(self, x: Any, mask: Any = None) -> Any:
            return self.words.compute_mask(x)

    inputs = keras.Input((10,))
    x = Encoder(8, 16, 2)(Embedded(20, 10, 8)(inputs))
    x = layers.Dense(2, "softmax")(layers.GlobalAveragePooling1D()(x))
    model = keras.Model(inputs, x)
    model.compile("adam", "sparse_categorical_crossentropy", metrics=["accuracy"])
    words = ints(20, 40, 10) * (np.arange(10) < 1 + ints(10, 40, 1))
    return learnt(model, words, ints(2, 40))


@twin
def attention_with_teacher_forcing() -> Any:
    size = 6
    source, given = keras.Input((None,), dtype="int32"), keras.Input((None,), dtype="int32")
    x = layers.Embedding(12, size, mask_zero=True)(source)
    seen, *state = layers.LSTM(size, return_sequences=True, return_state=True)(x)
    embed = layers.Embedding(12, size, mask_zero=True)
    decode = layers.LSTM(size, return_sequences=True, return_state=True)
    attend, mix = layers.Attention(score_mode="concat"), layers.Dense(size, "tanh")
    out_of = layers.Dense(12)
    y, *_ = decode(embed(given), initial_state=state)
    y = mix(layers.Concatenate()([y, attend([y, seen])]))
    model = keras.Model([source, given], out_of(y))

    def masked(labels: Any, logits: Any) -> Any:
        wrong = keras.losses.sparse_categorical_crossentropy(labels, logits, from_logits=True)
        real = ops.cast(labels != 0, "float32")
        return ops.sum(wrong * real) / ops.sum(real)

    model.compile("adam", masked, metrics=["accuracy"])
    texts = ints(11, 40, 7) + 1
    texts[:, 5:] *= ints(2, 40, 1)
    back = np.concatenate([np.ones((40, 1), "int32"), texts[:, ::-1]], axis=1)
    found = learnt(model, [texts, back[:, :-1]], back[:, 1:])

    encoder = keras.Model(source, [seen, *state])
    memory, *held = (tf.constant(x) for x in encoder.predict(texts[:3], verbose=0))
    word, said = tf.ones((3, 1), tf.int32), []
    for _ in range(4):
        y, *held = decode(embed(word), initial_state=held)
        logits = out_of(mix(ops.concatenate([y, attend([y, memory])], -1)))
        word = tf.argmax(logits, -1, output_type=tf.int32)
        said.append(word.numpy())
    return found, np.concatenate(said, 1)


@twin
def windows_of_a_series() -> Any:
    series = np.cumsum(floats(120, 3), axis=0)
    mean, std = series[:80].mean(0), series[:80].std(0)
    series = (series - mean) / std
    options: Any = {"sequence_length": 6, "sampling_rate": 2, "batch_size": 8}
    data, held_out = (
        keras.utils.timeseries_dataset_from_array(part[:-12], part[12:, :1], seed=3, **more)
        for part, more in (
            (series[:80], {"shuffle": True, **options}),
            (series[80:], options),
        )
    )
    model = keras.Sequential([keras.Input((6, 3)), layers.GRU(5), layers.Dense(1)])
    model.compile(keras.optimizers.RMSprop(), "mse", metrics=["mae"])
    history = model.fit(data, epochs=2, validation_data=held_out, verbose=0).history
    return history, model.get_weights(), model.evaluate(held_out, verbose=0)


@twin
def causal_waves() -> Any:
    x = inputs = keras.Input((None, 4))
    x = layers.Conv1D(6, 1)(x)
    kept = []
    for rate in (1, 2, 4):
        wave = layers.Conv1D(6, 2, dilation_rate=rate, padding="causal", activation="tanh")(x)
        gate = layers.Conv1D(6, 2, dilation_rate=rate, padding="causal", activation="sigmoid")(x)
        y = layers.Conv1D(6, 1)(layers.Multiply()([wave, gate]))
        kept.append(y)
        x = layers.Add()([x, y])
    x = layers.ReLU()(layers.Add()(kept))
    model = keras.Model(inputs, layers.Conv1D(1, 1)(x))
    model.compile(keras.optimizers.Adam(0.01), keras.losses.Huber(0.5))
    losses = [model.train_on_batch(floats(4, n, 4), floats(4, n, 1)) for n in (8, 16, 12, 8, 16, 9)]
    return losses, model.get_weights(), model.predict(floats(10, 7, 4), batch_size=4, verbose=0)


@twin
def connectionist_labels() -> Any:
    model = keras.Sequential(
        [
            keras.Input((12, 5)),
            layers.Bidirectional(layers.GRU(6, return_sequences=True), merge_mode="ave"),
            layers.Dense(7),
        ]
    )
    model.compile(keras.optimizers.Adam(0.01), keras.losses.CTC())
    labels = ints(6, 40, 4) + 1
    found = learnt(model, floats(40, 12, 5), labels)
    lengths = np.full(40, 12)
    decoded, scores = ops.ctc_decode(found["out"], lengths, strategy="greedy")
    return found, np.asarray(decoded), np.asarray(scores)


@twin
def next_letters() -> Any:
    text = " ".join(sentences(40))
    letters = sorted(set(text))
    to_ids = layers.StringLookup(vocabulary=letters, mask_token=None)
    ids = to_ids(tf.strings.unicode_split(text, "UTF-8"))
    data = tf.data.Dataset.from_tensor_slices(ids).batch(11, drop_remainder=True)
    data = data.map(lambda x: (x[:-1], x[1:])).shuffle(50, seed=1).batch(4, drop_remainder=True)
    count = len(to_ids.get_vocabulary())

    class Letters(keras.Model):
        def __init__(self) -> None:
            super().__init__()
            self.embedding = layers.Embedding(count, 8)
            self.gru = layers.GRU(12, return_sequences=True, return_state=True)
            self.dense = layers.Dense(count)

        def call(self, x: Any, states: Any = None, return_state: bool = False) -> Any:
            x = self.embedding(x)
            x, states = self.gru(x, initial_state=states)
            x = self.dense(x)
            return (x, states) if return_state else x

    model = Letters()
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile("adam", loss)
    history = model.fit(data, epochs=2, steps_per_epoch=5, verbose=0).history
    back = layers.StringLookup(vocabulary=letters, invert=True, mask_token=None)

    @tf.function
    def one(x: Any, states: Any) -> Any:
        logits, states = model(x, states, return_state=True)
        banned = tf.one_hot([0], count) * -1e9
        return tf.argmax(logits[:, -1] + banned, -1)[:, None], states

    x, states, said = ids[None, :3], None, []
    for _ in range(8):
        x, states = one(x, states)
        said.append(back(x)[:, 0])
    written = tf.strings.join(said)[0].numpy().decode()
    return history, model.get_weights(), [ord(c) for c in written]
