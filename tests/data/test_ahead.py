"""Batches gathered on the device, several at a time, equal the dataset's batches."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tfpy as tf
from tfpy._src.data.ahead import AheadIterator, DeviceBatches
from tfpy._src.data.node import Picks
from tfpy._src.data.run import AwaitedRun, DatasetRun

COUNT = 50
RNG = np.random.default_rng(0)
X = RNG.normal(size=(COUNT, 3, 2)).astype(np.float32)
Y = np.arange(COUNT, dtype=np.int32)
BYTES = RNG.integers(0, 255, (COUNT, 5)).astype(np.uint8)

Dataset = Any


def slices() -> Dataset:
    return tf.data.Dataset.from_tensor_slices((X, Y))


BATCHES: dict[str, Callable[[], Dataset]] = {
    "in order": lambda: slices().batch(7),
    "whole ones": lambda: slices().batch(7, drop_remainder=True),
    "one": lambda: slices().batch(COUNT),
    "of one": lambda: slices().batch(1),
    "shuffled": lambda: slices().shuffle(20, seed=4).batch(8).prefetch(2),
    "shuffled and repeated": lambda: slices().shuffle(COUNT, seed=4).repeat(2).batch(8),
    "batches shuffled": lambda: slices().batch(8).shuffle(4, seed=1),
    "some": lambda: slices().skip(3).batch(4).skip(1).take(5).repeat(2),
    "a mapping": lambda: tf.data.Dataset.from_tensor_slices({"b": X, "a": BYTES}).batch(9),
    "alone": lambda: tf.data.Dataset.from_tensor_slices(BYTES).batch(9),
}


@pytest.mark.parametrize("awaited", [False, True], ids=["at once", "awaited"])
@pytest.mark.parametrize("name", BATCHES)
def test_batches(name: str, awaited: bool) -> None:
    tf.random.set_seed(2)
    expected = [tf.nest.flatten(e) for e in BATCHES[name]()]
    tf.random.set_seed(2)
    dataset = BATCHES[name]()
    run = AwaitedRun() if awaited else DatasetRun()
    picks = dataset._node.picks
    assert picks is not None
    iterator = AheadIterator(dataset._node, picks, run, picks.tables, False)
    found = asyncio.run(fetched(iterator)) if awaited else list(iterator)
    for element in found:
        tf.nest.assert_same_structure(element, dataset.element_spec)
    assert len(found) == len(expected) > 0
    for element, batch in zip(found, expected, strict=True):
        for a, b in zip(tf.nest.flatten(element), batch, strict=True):
            assert a.dtype == b.dtype
            np.testing.assert_array_equal(a, b)
    with pytest.raises(StopIteration):
        next(iterator)


async def fetched(iterator: AheadIterator) -> list[Any]:
    found = []
    while await iterator.fetch(1):
        found.append(next(iterator))
    return found


OTHERS: dict[str, Callable[[], Dataset]] = {
    "mapped": lambda: slices().map(lambda x, y: (x * 2.0, y)).batch(4),
    "batches mapped": lambda: slices().batch(4).map(lambda x, y: (x * 2.0, y)),
    "filtered": lambda: slices().filter(lambda x, y: y > 3).batch(4),
    "kept": lambda: slices().batch(4).cache(),
    "padded": lambda: slices().padded_batch(4),
    "generated": lambda: tf.data.Dataset.range(9).batch(4),
    "not batches": slices,
}


@pytest.mark.parametrize("name", OTHERS)
def test_elements_that_are_no_rows(name: str) -> None:
    assert OTHERS[name]()._node.picks is None


def test_numbers_without_rows() -> None:
    dataset = slices().batch(7)
    tables = dataset._node.picks.tables
    picks = Picks(tables, lambda run: iter([np.array([1, COUNT], np.int32)]))
    iterator = AheadIterator(dataset._node, picks, DatasetRun(), tables, False)
    with pytest.raises(tf.errors.InvalidArgumentError, match="outside of"):
        next(iterator)


def test_what_is_asked_for_in_a_tidy_outlives_it() -> None:
    dataset = slices().batch(7)
    picks = dataset._node.picks
    iterator = AheadIterator(dataset._node, picks, DatasetRun(), picks.tables, False)
    first = tf.tidy(lambda: next(iterator)[1] + 0)
    assert [first.numpy()[0], *[batch[1].numpy()[0] for batch in iterator]] == list(range(0, 50, 7))


def test_where_the_host_computes_datasets_run_as_they_are() -> None:
    dataset = slices().batch(7)
    assert not isinstance(iter(DeviceBatches(dataset._node)), AheadIterator)
