"""Runs fragments of the guides with what they take for granted, in a process of its own.

python fragments.py    in a folder for the files that they write
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from guides.documents import block, blocks, run

import tfpy as tf


class Remote:
    """An array of a device that is not there."""

    def __init__(self, array: Any) -> None:
        self.array = np.array(array)

    def download(self) -> Any:
        return self.array

    def reshaped(self, shape: Any) -> Remote:
        return Remote(self.array.reshape(shape))

    def free(self) -> None:
        self.array = None

    def plus(self, other: Remote) -> Remote:
        return Remote(self.array + other.array)


def debugging() -> None:
    nan, profile, steps = blocks("docs/debugging.md", "py")
    steps_done: list[Any] = []
    given = {"tf": tf, "labels": None, "model": tf.square}

    def train_step(images: Any, labels: Any) -> Any:
        return tf.math.log(images)

    with pytest.raises(tf.errors.InvalidArgumentError, match="log gave 1 NaN"):
        run(nan, {**given, "images": tf.constant(-1.0), "train_step": train_step})
    tf.env().set("DEBUG", False)
    assert "accounted for" in run(profile, {**given, "images": tf.ones([4])})
    run(steps, {**given, "batches": [tf.constant(1.0)] * 3, "train_step": steps_done.append})
    assert len(steps_done) == 3


def extending() -> None:
    backend, gradient = blocks("docs/extending.md", "py")
    run(backend, {"device": SimpleNamespace(upload=Remote)})
    assert (tf.constant([1.0, 2.0]) + tf.constant([3.0, 4.0])).numpy().tolist() == [4.0, 6.0]
    assert tf.get_backend() == "mine"
    tf.set_backend("cpu")
    run(gradient, {"tf": tf})
    x = tf.constant([0.4, 1.6])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.round(x) * 2.0
    assert tape.gradient(y, x).numpy().tolist() == [2.0, 2.0]


def tour() -> None:
    tf.as_tensorflow(replace=True)
    keras = tf.keras
    x = np.random.default_rng(0).normal(size=(64, 2)).astype("float32")
    y = (x[:, 0] > 0).astype("float32")
    names = {"keras": keras, "x": x, "y": y}
    run(block("docs/tour.md", "py"), names)
    assert names["model"](x).shape == (64, 1)


if __name__ == "__main__":
    debugging()
    extending()
    tour()
