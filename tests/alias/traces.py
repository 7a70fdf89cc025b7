"""A program for test_alias.py: number of traces of Keras's steps, and the effect of options."""

from __future__ import annotations

import asyncio
from typing import Any

import keras
import numpy as np
from keras import layers

X = np.random.default_rng(0).normal(size=(37, 6)).astype(np.float32)
Y = X.sum(1, keepdims=True)
QUIET = {"batch_size": 8, "verbose": 0}


class Counted(keras.Sequential):
    """A model that records the batch shapes for which Python runs its steps."""

    def __init__(self, *parts: Any, **compiled: Any) -> None:
        super().__init__(parts)
        self.traced: list[Any] = []
        self.compile("adam", "mse", metrics=["mae"], **compiled)

    def _note(self, data: Any) -> None:
        self.traced.append(tuple(keras.utils.unpack_x_y_sample_weight(data)[0].shape))

    def train_step(self, data: Any) -> Any:
        self._note(data)
        return super().train_step(data)

    def test_step(self, data: Any) -> Any:
        self._note(data)
        return super().test_step(data)

    def predict_step(self, data: Any) -> Any:
        self._note(data)
        return super().predict_step(data)

    def taken(self) -> list[Any]:
        """Return the shapes recorded since the last call."""
        found, self.traced = self.traced, []
        return found


def dense(**compiled: Any) -> Counted:
    """Return a network with dropout in its step, which is the same for each call."""
    keras.utils.set_random_seed(1)
    return Counted(
        keras.Input((6,)),
        layers.Dense(8),
        layers.BatchNormalization(),
        layers.Dropout(0.2),
        layers.Dense(1),
        **compiled,
    )


def seen(model: Counted, *wanted: Any) -> None:
    """Check that the steps were traced for these batches, in this order."""
    found = model.taken()
    assert found == list(wanted), found


FULL, OTHER = (8, 6), (None, 6)
FIRST = (OTHER, OTHER)
"""The first step is traced twice, because the first trace creates its variables.

The same happens in TensorFlow.
"""


def a_smaller_last_batch_is_one_more() -> None:
    model = dense()
    model.fit(X, Y, epochs=3, **QUIET)
    seen(model, *FIRST, OTHER)
    model.fit(X, Y, epochs=3, **QUIET)
    seen(model)
    for run in (model.evaluate, model.predict):
        given = (X, Y) if run == model.evaluate else (X,)
        run(*given, **QUIET)
        seen(model, FULL if run == model.predict else OTHER, OTHER)
        run(*given, **QUIET)
        seen(model)
    asyncio.run(model.fit_async(X, Y, epochs=2, **QUIET))
    model.optimizer.learning_rate = 0.5
    model.fit(X, Y, **QUIET)
    seen(model)
    model.fit(X[:19], Y[:19], **QUIET)  # the last batch has three rows
    seen(model, OTHER)
    model.fit(X[:16], Y[:16], **QUIET)  # the dataset declares its batch size
    seen(model, FULL)
    model.fit(X, Y, **QUIET)
    seen(model)


def each_length_is_one() -> None:
    model = Counted(
        keras.Input((None,), dtype="int32"),
        layers.Embedding(9, 4, mask_zero=True),
        layers.LSTM(3),
        layers.Dense(1),
    )
    for length in (4, 7, 4, 5, 7):
        model.fit(np.ones((8, length), np.int32), Y[:8], epochs=2, **QUIET)
    seen(model, (8, 4), (8, 4), (8, None), (8, None))


def what_options_do() -> None:
    histories = []
    for options in ({}, {"jit_compile": True}, {"jit_compile": False}, {"steps_per_execution": 3}):
        ends: list[int] = []
        after = keras.callbacks.LambdaCallback(
            on_train_batch_end=lambda i, logs, ends=ends: ends.append(i)
        )
        model = dense(**options)
        histories.append(model.fit(X, Y, epochs=2, callbacks=[after], **QUIET).history)
        seen(model, *FIRST, OTHER)
        assert ends == ([2, 5] if "steps_per_execution" in options else [0, 1, 2, 3, 4]) * 2
    assert all(found == histories[0] for found in histories)
    model = dense(run_eagerly=True)
    model.fit(X, Y, **QUIET)
    seen(model, *[FULL] * 4, (5, 6))


a_smaller_last_batch_is_one_more()
each_length_is_one()
what_options_do()
print("all as it should be")
