"""The time of calls of compiled functions on the jax backend and of jitted functions of JAX.

PYTHONPATH=src python -m bench.jax_calls

The computation is small, so the time is the overhead of the call. The sides take turns.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import Any

import jax
import numpy as np
from jax import numpy as jnp

import tfpy as tf

ROUNDS, CALLS = 15, 1000
SIZE = 8
VARIABLES = 40


def microseconds(call: Callable[[], Any]) -> float:
    began = time.perf_counter()
    for _ in range(CALLS):
        call()
    return (time.perf_counter() - began) / CALLS * 1e6


def compare(name: str, ours: Callable[[], Any], theirs: Callable[[], Any]) -> None:
    """Print the fastest time of each side, and the ratio of these and of the turns."""
    ours(), theirs()
    turns = [(microseconds(ours), microseconds(theirs)) for _ in range(ROUNDS)]
    mine, other = (min(column) for column in zip(*turns, strict=True))
    middle = statistics.median(a / b for a, b in turns)
    print(f"{name}: {mine:.1f} us, JAX {other:.1f}; {mine / other:.2f} times, median {middle:.2f}")


def function() -> None:
    """Compare a function with two arguments and one result."""
    array = np.ones((SIZE, SIZE), np.float32)
    x = tf.constant(array) + 0
    compiled = tf.function(lambda a, b: tf.tanh(a @ b) + 1.0)
    y = jax.device_put(array)
    jitted = jax.jit(lambda a, b: jnp.tanh(a @ b) + 1.0)
    compare("a function of two tensors", lambda: compiled(x, x), lambda: jitted(y, y))


def step() -> None:
    """Compare a step that replaces the value of each Variable."""
    arrays = [np.ones((SIZE, SIZE), np.float32) for _ in range(VARIABLES)]
    variables = [tf.Variable(array) for array in arrays]

    @tf.function
    def assign() -> None:
        for v in variables:
            v.assign(v * 0.5 + 1.0)

    jitted = jax.jit(lambda values: [v * 0.5 + 1.0 for v in values], donate_argnums=0)
    state = [jax.device_put(array) for array in arrays]

    def run() -> None:
        nonlocal state
        state = jitted(state)

    assign()
    run()
    compare(f"a step of {VARIABLES} Variables", assign, run)


if __name__ == "__main__":
    tf.set_backend("jax")
    function()
    step()
