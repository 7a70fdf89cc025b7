"""A script that runs the short programs of docs/scale.md with the names that they need.

Run ``python fragments_of_scale.py`` in a folder for the files that they write, with 64-bit dtypes
enabled. The test starts it with the command of the page, on eight devices.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from guides.documents import block, run, run_as_said

import tfpy as tf

tf.as_tensorflow(replace=True)
keras = tf.keras


def floats() -> None:
    run(block("docs/scale.md", "py", "set_floatx"), {"keras": keras})
    layer = keras.layers.Dense(2)
    assert layer(np.ones([1, 3])).dtype == layer.kernel.dtype == "float64"


def checkpoints() -> None:
    """Start the program twice. In the second run, another worker is lost."""
    program = block("docs/scale.md", "py", "UnavailableError").replace("/shared/run", "run")

    def build() -> Any:
        return keras.Sequential([keras.Input([2]), keras.layers.Dense(1)])

    def started(train: Callable[[int], None]) -> None:
        names = {"tf": tf, "keras": keras, "sys": sys, "STEPS": 250, "train": train}
        run(program, {**names, "build": build, "batch_of": lambda step: step})

    done: list[int] = []
    started(done.append)
    assert done == [*range(250)]

    def die(step: int) -> None:
        done.append(step)
        raise tf.errors.UnavailableError(None, None, "worker 1 is gone")

    with pytest.raises(SystemExit, match="worker 1 is gone"):
        started(die)
    assert done[250:] == [200]


def saves() -> None:
    """Check that the loop of the first exercise saves every five steps."""
    saved: list[int] = []
    step = tf.Variable(0)
    names = {
        "strategy": SimpleNamespace(experimental_distribute_dataset=iter),
        "data": range(12),
        "train_step": lambda batch: None,
        "step": step,
        "manager": SimpleNamespace(save=lambda: saved.append(int(step))),
    }
    run(block("docs/scale.md", "py", "% 5 == 0"), names)
    assert saved == [5, 10]


def parts() -> None:
    run_as_said(block("docs/scale.md", "py", "parts[0].shape"), {"tf": tf})


def digits_by_keras() -> None:
    names: dict[str, Any] = {"__name__": "digits", "keras": keras}
    run(block("docs/scale.md", "py", "def main():"), names)
    run_as_said(block("docs/scale.md", "py", "history"), names)
    assert names["strategy"].num_replicas_in_sync == 8


def choice() -> None:
    tf.set_backend("cpu")
    run(block("docs/scale.md", "py", 'tf.set_backend("jax")'), {})
    assert tf.get_backend() == "jax"


if __name__ == "__main__":
    assert tf.get_backend() == "jax"
    assert tf.constant(np.ones(1)).dtype == tf.float64
    floats()
    saves()
    parts()
    digits_by_keras()
    checkpoints()
    choice()
