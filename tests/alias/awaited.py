"""A program for test_alias.py: awaited training in Keras learns the same as `fit`."""

from __future__ import annotations

import asyncio
from typing import Any

import keras
import numpy as np
import pytest
from keras import layers

import tfpy as tf

X = np.random.default_rng(0).normal(size=(96, 6)).astype(np.float32)
Y = (X.sum(1) > 0).astype(np.int32)


def model(**compiled: Any) -> Any:
    """Return a network, which is the same for each call."""
    keras.utils.set_random_seed(1)
    made = keras.Sequential(
        [keras.Input((6,)), layers.Dense(8), layers.Dropout(0.2), layers.Dense(2)]
    )
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    made.compile("adam", loss, metrics=["accuracy"], **compiled)
    return made


class Batches(keras.callbacks.Callback):
    """A callback that stores the metrics of each batch and counts started batches."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[dict[str, float]] = []
        self.begun = 0

    def on_batch_begin(self, batch: int, logs: Any = None) -> None:
        self.begun += 1

    def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
        assert all(type(v) is float for v in logs.values())
        self.seen.append(dict(logs))


class Stops(keras.callbacks.Callback):
    """A callback that ends training after the third batch."""

    def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
        self.model.stop_training = batch == 2


def same(plain: Any, awaited: Any) -> None:
    """Check that two nests of numbers are equal."""
    for a, b in zip(keras.tree.flatten(plain), keras.tree.flatten(awaited), strict=True):
        np.testing.assert_array_equal(a, b)


async def turns(model: Any) -> int:
    """Return how often other tasks run while a model is trained."""
    count = 0

    async def counting() -> None:
        nonlocal count
        while True:
            await asyncio.sleep(0)
            count += 1

    task = asyncio.create_task(counting())
    await model.fit_async(X, Y, batch_size=2, epochs=8, verbose=0)
    task.cancel()
    return count


async def cancelled(model: Any) -> int:
    """Return the optimizer's step count after training was cancelled."""
    task = asyncio.create_task(model.fit_async(X, Y, batch_size=2, epochs=1000, verbose=0))
    await asyncio.sleep(0.2)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    return int(model.optimizer.iterations.numpy())


async def coming() -> Any:
    """Yield rows asynchronously."""
    for row in zip(X, Y, strict=True):
        await asyncio.sleep(0)
        yield row


def rows(source: Any) -> Any:
    """Return a dataset of batches of the rows."""
    signature = (tf.TensorSpec([6]), tf.TensorSpec([], tf.int32))
    return tf.data.Dataset.from_generator(source, output_signature=signature).batch(10)


for steps in (1, 3):
    a, b = (model(steps_per_execution=steps) for _ in range(2))
    here, there = rows(lambda: zip(X, Y, strict=True)), rows(coming)
    plain = a.fit(here, epochs=2, validation_data=here.take(4), verbose=0).history
    with pytest.raises(TypeError, match="fit_async"):
        b.fit(there, verbose=0)
    keras.utils.set_random_seed(1)
    b = model(steps_per_execution=steps)
    awaited = asyncio.run(
        b.fit_async(there, epochs=2, validation_data=there.take(4), verbose=0)
    ).history
    same((plain, a.get_weights()), (awaited, b.get_weights()))
    same(a.evaluate(here, verbose=0), asyncio.run(b.evaluate_async(there, verbose=0)))
    same(a.predict(here, verbose=0), asyncio.run(b.predict_async(there, verbose=0)))
for steps in (1, 3):
    for more in ({}, {"validation_split": 0.25}, {"class_weight": {0: 1.0, 1: 3.0}}):
        options = {"batch_size": 10, "epochs": 2, "verbose": 0, **more}
        a, b = (model(steps_per_execution=steps) for _ in range(2))
        one, other = Batches(), Batches()
        plain = a.fit(X, Y, callbacks=[one], **options).history
        awaited = asyncio.run(b.fit_async(X, Y, callbacks=[other], **options)).history
        same((plain, a.get_weights(), one.seen), (awaited, b.get_weights(), other.seen))
    assert one.begun == other.begun == len(one.seen) == 2 * -(-10 // steps)
same(a.evaluate(X, Y, verbose=0), asyncio.run(b.evaluate_async(X, Y, verbose=0)))
same(
    a.evaluate(X, Y, verbose=0, return_dict=True),
    asyncio.run(b.evaluate_async(X, Y, verbose=0, return_dict=True)),
)
same(a.predict(X, batch_size=40, verbose=0), asyncio.run(b.predict_async(X, 40, verbose=0)))
stopped = model()
asyncio.run(stopped.fit_async(X, Y, batch_size=8, epochs=9, verbose=0, callbacks=[Stops()]))
assert int(stopped.optimizer.iterations.numpy()) == 3
assert asyncio.run(turns(model())) >= 3
assert 0 < asyncio.run(cancelled(model())) < 48_000
with pytest.raises(ValueError, match="compile"):
    asyncio.run(keras.Sequential([layers.Dense(1)]).fit_async(X, Y))
print("all as it should be")
