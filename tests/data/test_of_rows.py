"""A function applied to many rows at once returns the same bits as row by row."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tfpy as tf
from tfpy._src.compiler.ir.closing import close
from tfpy._src.compiler.ir.evaluate import Evaluator
from tfpy._src.compiler.passes.pipeline import simplify
from tfpy._src.data.functions import of_rows

COUNT = 7
RNG = np.random.default_rng(0)
IMAGES = RNG.integers(0, 255, (COUNT, 5, 6, 3)).astype(np.uint8)
LABELS = RNG.integers(0, 10, COUNT).astype(np.int32)
TABLE = RNG.normal(size=(6, 3)).astype(np.float32)

ROWWISE: dict[str, Callable[[Any, Any], Any]] = {
    "scaled": lambda image, label: (tf.cast(image, tf.float32) / 255.0, label),
    "lower rank": lambda image, label: tf.cast(image, tf.int32) + label,
    "a table": lambda image, label: tf.cast(image, tf.float32) * TABLE - 1.0,
    "a table of higher rank": lambda image, label: tf.cast(label, tf.float32) * TABLE,
    "moved": lambda image, label: (
        image[1:, ::2],
        tf.transpose(image, [2, 0, 1]),
        tf.reshape(image, [-1]),
        tf.pad(image, [[1, 1], [0, 0], [2, 0]]),
        tf.concat([image, image[:2]], 0),
        tf.image.flip_left_right(image),
    ),
    "joined with a constant": lambda image, label: tf.stack([tf.cast(label, tf.float32), 2.0]),
    "of constants alone": lambda image, label: (tf.constant([1, 2]), label),
    "chosen": lambda image, label: tf.where(label > 3, tf.cast(image, tf.float32), TABLE),
    "one hot": lambda image, label: tf.one_hot(label, 10),
    "converted": lambda image, label: tf.image.convert_image_dtype(image, tf.float32),
    "clipped": lambda image, label: tf.clip_by_value(tf.cast(image, tf.float32), 3.0, 200.0),
}
OTHERS: dict[str, Callable[[Any, Any], Any]] = {
    "a sum": lambda image, label: tf.reduce_sum(tf.cast(image, tf.float32)),
    "a logarithm": lambda image, label: tf.math.log(tf.cast(image, tf.float32)),
    "a division that may fail": lambda image, label: 7 // label,
    "complex": lambda image, label: tf.cast(image, tf.complex64) * 2.0,
    "resized": lambda image, label: tf.image.resize(image, [3, 3]),
}


def graph_of(function: Callable[[Any, Any], Any]) -> tuple[Any, list[Any]]:
    """Return the graph of a function of an image and a label, and the tensors that it captures."""
    compiled = tf.function(function, autograph=False)
    found = compiled.get_concrete_function(
        tf.TensorSpec(IMAGES.shape[1:], tf.uint8), tf.TensorSpec([], tf.int32)
    )
    return simplify(close(found.traced.graph)), [np.asarray(e.tensor) for e in found.extras]


@pytest.mark.parametrize("name", ROWWISE)
def test_rows_at_once(name: str) -> None:
    graph, read = graph_of(ROWWISE[name])
    rows = of_rows(graph, 2, COUNT)
    assert rows is not None
    single = Evaluator(graph)
    wanted = zip(*(single([*x, *read]) for x in zip(IMAGES, LABELS, strict=True)), strict=True)
    for array, each in zip(Evaluator(rows)([IMAGES, LABELS, *read]), wanted, strict=True):
        stacked = np.stack(each)
        assert array.dtype == stacked.dtype
        np.testing.assert_array_equal(array, stacked)


@pytest.mark.parametrize("name", OTHERS)
def test_what_is_not_exact_is_left(name: str) -> None:
    graph, _ = graph_of(OTHERS[name])
    assert of_rows(graph, 2, COUNT) is None


def test_inputs_that_are_the_same_for_all_rows() -> None:
    graph, _ = graph_of(lambda image, label: tf.cast(image, tf.int32) + label)
    rows = of_rows(graph, 1, COUNT)
    assert rows is not None
    (found,) = Evaluator(rows)([IMAGES, np.int32(5)])
    np.testing.assert_array_equal(found, IMAGES.astype(np.int32) + 5)


def rows_then(*steps: Callable[[Any], Any]) -> Any:
    """Return batches of images after some steps, and True if rows are mapped at once."""
    data = tf.data.Dataset.from_tensor_slices((IMAGES, LABELS))
    for step in steps:
        data = step(data)
    return data.batch(3), data._node.table is not None


def test_batches_are_what_elements_make() -> None:
    scaled, moved = ROWWISE["scaled"], lambda image, label: (image[::2] * 2.0, label + 1)
    chains: list[list[Callable[[Any], Any]]] = [
        [lambda d: d.map(scaled)],
        [lambda d: d.map(scaled), lambda d: d.map(moved)],
        [lambda d: d.map(scaled).shuffle(4, seed=3).repeat(2).skip(1)],
        [lambda d: d.shuffle(4, seed=3), lambda d: d.map(scaled).take(5)],
    ]
    for steps in chains:
        batches, at_once = rows_then(*steps)
        assert at_once
        elements, _ = rows_then(*steps, lambda d: d.apply(lambda x: x.filter(lambda *_: True)))
        for batch, wanted in zip(batches, elements, strict=True):
            for a, b in zip(batch, wanted, strict=True):
                np.testing.assert_array_equal(a, b)


def test_what_elements_share_is_computed_one_by_one() -> None:
    counter = tf.Variable(0)
    table = np.arange(10, dtype=np.float32)
    others: list[Callable[[Any, Any], Any]] = [
        lambda image, label: label + counter,
        lambda image, label: tf.cast(label, tf.float32) + tf.random.uniform([]),
        lambda image, label: tf.gather(table, label),
        lambda image, label: tf.py_function(lambda x: x, [label], tf.int32),
    ]
    for function in others:
        assert not rows_then(lambda d, f=function: d.map(f))[1]


def test_computed_elements_are_cached() -> None:
    batches, at_once = rows_then(lambda d: d.map(ROWWISE["scaled"]).cache())
    assert not at_once
    first, second = (list(batches) for _ in range(2))
    for a, b in zip(first, second, strict=True):
        np.testing.assert_array_equal(a[0], b[0])
