"""A program for test_alias.py: several steps per execution learn the same as single steps."""

from __future__ import annotations

import asyncio
import itertools
from typing import Any

import keras
import numpy as np
from keras import layers
from keras.src.utils import python_utils
from runtime.fake import FakeDevice

import tfpy as tf
from tfpy._src.backends import registry

X = np.random.default_rng(0).normal(size=(203, 6)).astype(np.float32)
Y = (X.sum(1) > 0).astype(np.int32)


class Looks(keras.callbacks.Callback):
    """A callback that reads the logs of each batch."""

    def __init__(self) -> None:
        super().__init__()
        self.steps: list[int] = []

    def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
        self.steps.append(int(self.model.optimizer.iterations.numpy()))


class Counts(keras.callbacks.Callback):
    """A callback that counts executions."""

    def __init__(self) -> None:
        super().__init__()
        self.begun: list[int] = []
        self.ended: list[int] = []

    def on_train_batch_begin(self, batch: int, logs: Any = None) -> None:
        self.begun.append(batch)

    def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
        assert set(logs) == {"loss", "accuracy"}, logs
        self.ended.append(batch)


class Noted(keras.Sequential):
    """A model that counts how often Python runs its training step."""

    traces = 0

    def train_step(self, data: Any) -> Any:
        self.traces += 1
        return super().train_step(data)


class Reads(keras.callbacks.Callback):
    """A callback that counts the reads of each training epoch. Each read waits for the device."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[int] = []

    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
        self._before = device.reads

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        self.found.append(device.reads - self._before)


def learnt(is_awaited: bool, *callbacks: Any, steps: int = 1, **given: Any) -> list[Any]:
    """Train the same network and return its numbers."""
    keras.utils.set_random_seed(1)
    model = keras.Sequential(
        [keras.Input((6,)), layers.Dense(8), layers.Dropout(0.2), layers.Dense(2)]
    )
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile("adam", loss, metrics=["accuracy"], steps_per_execution=steps)
    given = {"batch_size": 8, "epochs": 3, "verbose": 0, "validation_split": 0.2} | given
    fit = model.fit_async if is_awaited else model.fit
    found = fit(X, Y, callbacks=list(callbacks), **given)
    history = asyncio.run(found).history if is_awaited else found.history
    evaluated = model.evaluate(X, Y, batch_size=8, verbose=0)
    return keras.tree.flatten([history, evaluated, model.get_weights()])


def same(plain: list[Any], other: list[Any]) -> None:
    for a, b in zip(plain, other, strict=True):
        np.testing.assert_array_equal(a, b)


def executions_of_several_steps_learn_what_single_steps_do() -> None:
    for is_awaited in (False, True):
        single = learnt(is_awaited)
        for steps in (4, 21, 30):
            same(single, learnt(is_awaited, steps=steps))
            counts = Counts()
            same(single, learnt(is_awaited, counts, steps=steps))
            begun = [*range(0, 21, steps)]
            assert counts.begun == 3 * begun, counts.begun
            assert counts.ended == 3 * [first + steps - 1 for first in begun], counts.ended


def arrays_of_other_sizes_trace_no_step() -> None:
    model = Noted([keras.Input((6,)), layers.Dense(2)])
    model.compile("sgd", "mse")
    model.fit(X[:40], X[:40, :2], batch_size=8, verbose=0)
    assert (traces := model.traces) > 0
    for count in (80, 160):
        model.fit(X[:count], X[:count, :2], batch_size=8, verbose=0)
        assert model.traces == traces


def metrics_are_read_together() -> None:
    for is_awaited in (False, True):
        counted = Reads()
        learnt(is_awaited, counted, validation_split=0.0)
        assert counted.found[1:] == [1, 1], counted.found
    values = [tf.constant(n) * 2.0 for n in (0.1, 0.2, 0.3)]
    logs = {"b": values[0], "a": {"c": values[1]}, "d": values[2], "e": 4, "f": values[0] > 0.0}
    found = python_utils.pythonify_logs(logs)
    assert found == python_utils.pythonify_logs.__wrapped__(logs), found
    assert list(found) == ["c", "b", "d", "e", "f"]
    assert python_utils.pythonify_logs(None) == {}


executions_of_several_steps_learn_what_single_steps_do()  # where NumPy computes
tf.register_backend("fake", FakeDevice)
tf.set_backend("fake")
device = registry.active_backend()
assert isinstance(device, FakeDevice)
for is_awaited, shuffle in itertools.product((False, True), (False, True)):
    looks = Looks()
    single = learnt(is_awaited, looks, shuffle=shuffle)
    assert looks.steps == [*range(1, 1 + 3 * 21)], looks.steps
    device.repeats = 0
    same(single, learnt(is_awaited, shuffle=shuffle))
    assert device.repeats > 3
    # An epoch that ends before its data ends sees no step of the next epoch.
    given = {"shuffle": shuffle, "steps_per_epoch": 5, "validation_split": 0.0}
    same(learnt(is_awaited, Looks(), **given), learnt(is_awaited, **given))
device.repeats = 0
learnt(False, Counts(), steps=7, epochs=2, validation_split=0.0)
assert device.repeats >= 2 * 4 - 2, device.repeats
executions_of_several_steps_learn_what_single_steps_do()
arrays_of_other_sizes_trace_no_step()
metrics_are_read_together()
print("all as it should be")
