"""A script that runs fragments of the guides with the names that they need.

Run ``python fragments.py`` in a separate process, in a folder for the files that they write.
"""

from __future__ import annotations

from typing import Any

import pytest
from guides.documents import block, blocks, run, run_as_said

import tfpy as tf


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
    backend, training, gradient, names_of_ops = blocks("docs/extending.md", "py")
    names: dict[str, Any] = {}
    for program in (backend, training):
        run_as_said(program, names)
    total = tf.reduce_sum(names["x"])
    assert (tf.get_backend(), total.storage.place) == ("double", "double")
    assert names["step"]().storage.place == "double"
    tf.set_backend("cpu")
    assert total.numpy() == 1.0
    tf.remove_backend("double")
    assert run(names_of_ops, {"tf": tf}) == block("docs/extending.md", "text", "graph(")
    run(gradient, {"tf": tf})
    x = tf.constant([0.4, 1.6])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.round(x) * 2.0
    assert tape.gradient(y, x).numpy().tolist() == [2.0, 2.0]


if __name__ == "__main__":
    debugging()
    extending()
