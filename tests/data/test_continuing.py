"""Iterators continue after an error with the next element, as in TensorFlow."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import tensorflow as reference

import tfpy

VALUES = np.float32([1, np.nan, 2, np.nan, 3])


def drained(lib: Any, dataset: Any) -> list[Any]:
    """Return the elements of a dataset, with the names of errors in their places."""
    iterator, found = iter(dataset), []
    for _ in range(20):
        try:
            found.append(np.asarray(iterator.get_next()).tolist())
        except lib.errors.OutOfRangeError:
            return found
        except lib.errors.OpError as error:
            traceback.clear_frames(error.__traceback__)  # as `TestCase.assertRaises` does
            found.append(type(error).__name__)
    raise AssertionError("the dataset does not end")


def checked(lib: Any, dataset: Any) -> Any:
    return dataset.map(lambda x: lib.debugging.check_numerics(x, "not a number"))


def slices(lib: Any) -> Any:
    return lib.data.Dataset.from_tensor_slices(VALUES)


def failing(lib: Any) -> Any:
    return checked(lib, slices(lib))


def twice(lib: Any) -> Callable[[Any], Any]:
    return lambda x: checked(lib, lib.data.Dataset.from_tensors(x).repeat(2))


def generated(lib: Any) -> Any:
    def values() -> Any:
        yield [1, 2]
        yield [3]
        yield [4, 5]

    signature = lib.TensorSpec([2], lib.int32)
    return lib.data.Dataset.from_generator(values, output_signature=signature)


def counted(lib: Any) -> Callable[[Any, Any], Any]:
    return lambda state, x: (state + 1.0, lib.debugging.check_numerics(x, "nan") + state)


PIPELINES: dict[str, Callable[[Any], Any]] = {
    "batch": lambda lib: failing(lib).batch(2),
    "concatenate": lambda lib: failing(lib).concatenate(failing(lib)),
    "filter": lambda lib: failing(lib).filter(lambda x: x > 1.0),
    "flat_map": lambda lib: failing(lib).flat_map(lib.data.Dataset.from_tensors),
    "from_generator": generated,
    "inner_flat_map": lambda lib: slices(lib).flat_map(twice(lib)),
    "inner_interleave": lambda lib: slices(lib).interleave(twice(lib), 2, 1),
    "interleave": lambda lib: failing(lib).interleave(lib.data.Dataset.from_tensors, 2, 1),
    "repeat": lambda lib: failing(lib).repeat(2),
    "scan": lambda lib: slices(lib).scan(0.0, counted(lib)),
    "shard": lambda lib: failing(lib).shard(2, 0),
    "skip": lambda lib: failing(lib).skip(1),
    "take": lambda lib: failing(lib).take(2),
    "take_while": lambda lib: failing(lib).take_while(lambda x: x < 3.0),
    "unbatch": lambda lib: failing(lib).batch(2).unbatch(),
}


@pytest.mark.parametrize("name", PIPELINES)
def test_pipelines(name: str) -> None:
    mine, wanted = (drained(lib, PIPELINES[name](lib)) for lib in (tfpy, reference))
    assert mine == wanted
    assert "InvalidArgumentError" in mine


@pytest.mark.parametrize("lib", [tfpy, reference], ids=["tfpy", "tensorflow"])
def test_generators_are_released(lib: Any) -> None:
    released = []

    class Endless:
        def __iter__(self) -> Any:
            return self

        def __next__(self) -> int:
            return 42

        def __del__(self) -> None:
            released.append(True)

    signature = lib.TensorSpec([], lib.int32)
    numbers = lib.data.Dataset.from_generator(Endless, output_signature=signature)
    iterator = iter(numbers.take(2))
    assert [int(x) for x in iterator] == [42, 42]
    assert released == [True]
