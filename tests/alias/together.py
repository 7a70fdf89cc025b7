"""A program for test_alias.py: steps that run together learn what single ones learn."""

from __future__ import annotations

import asyncio
import itertools
from typing import Any

import keras
import numpy as np
from keras import layers
from runtime.fake import FakeDevice

import tfpy as tf
from tfpy._src.runtime import registry

X = np.random.default_rng(0).normal(size=(203, 6)).astype(np.float32)
Y = (X.sum(1) > 0).astype(np.int32)


class Looks(keras.callbacks.Callback):
    """Looks at each batch."""

    def __init__(self) -> None:
        super().__init__()
        self.steps: list[int] = []

    def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
        self.steps.append(int(self.model.optimizer.iterations.numpy()))


def learnt(is_awaited: bool, *callbacks: Any, **given: Any) -> list[Any]:
    """The numbers of a training, always the same one."""
    keras.utils.set_random_seed(1)
    model = keras.Sequential(
        [keras.Input((6,)), layers.Dense(8), layers.Dropout(0.2), layers.Dense(2)]
    )
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile("adam", loss, metrics=["accuracy"])
    given = {"batch_size": 8, "epochs": 3, "verbose": 0, "validation_split": 0.2} | given
    fit = model.fit_async if is_awaited else model.fit
    found = fit(X, Y, callbacks=list(callbacks), **given)
    history = asyncio.run(found).history if is_awaited else found.history
    evaluated = model.evaluate(X, Y, batch_size=8, verbose=0)
    return keras.tree.flatten([history, evaluated, model.get_weights()])


def same(plain: list[Any], other: list[Any]) -> None:
    for a, b in zip(plain, other, strict=True):
        np.testing.assert_array_equal(a, b)


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
    # An epoch that ends elsewhere than its data sees no step of the next one.
    given = {"shuffle": shuffle, "steps_per_epoch": 5, "validation_split": 0.0}
    same(learnt(is_awaited, Looks(), **given), learnt(is_awaited, **given))
print("all as it should be")
