"""Dtypes that devices do not support: the host computes them, also next to wasm."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
import tensorflow
from api.same import compare

import tfpy

from .conftest import require_assets
from .node_backend import active

INTS, FLOATS = [0, 1, 7, -3, 300, -40000], [0.5, -2.25, 3.0, 100.0]

PROGRAMS: list[Callable[[Any], Any]] = [
    *(
        lambda tf, d=d: tf.cast(tf.cast(tf.constant(INTS), d) * 3 + 1, tf.float32) / 2.0
        for d in ("int16", "uint16", "uint64", "uint8")
    ),
    *(
        lambda tf, d=d: tf.cast(tf.cast(tf.constant(FLOATS), d) / 3, tf.float32) + 1.0
        for d in ("bfloat16", "float16")
    ),
    lambda tf: tf.cast(tf.constant([1, 2**63, 2**64 - 1], tf.uint64), tf.float32),
    lambda tf: tf.constant([1, 2**63, 2**64 - 1], tf.uint64) // 3,
    lambda tf: tf.reduce_sum(tf.cast(tf.range(100), tf.int16)),
    lambda tf: tf.matmul(
        tf.cast(tf.ones([2, 3]), "bfloat16"), tf.cast(tf.ones([3, 2]), "bfloat16")
    ),
    lambda tf: tf.cast(tf.cast(tf.constant(FLOATS), "float8_e5m2"), tf.float32) * 2.0,
    lambda tf: tf.bitcast(tf.constant([[1, 2], [3, -4]]), tf.uint64),
    lambda tf: tf.bitcast(tf.constant([1.0, -2.5]), tf.uint16),
    lambda tf: tf.gather(tf.constant(FLOATS), tf.constant([2, 0], tf.int16)),
    lambda tf: tf.random.stateless_uniform([7], [1, 2], dtype=tf.bfloat16),
    lambda tf: tf.random.stateless_uniform([7], [1, 2], None, None, tf.uint64),
]


@pytest.fixture(scope="module", autouse=True)
def wasm() -> Iterator[None]:
    require_assets("simd")
    with active("simd", "never"):
        yield


@pytest.mark.parametrize("compiled", [False, True], ids=["op by op", "compiled"])
@pytest.mark.parametrize("i", range(len(PROGRAMS)))
def test_as_in_tensorflow(i: int, compiled: bool) -> None:
    program = PROGRAMS[i]
    mine = (tfpy.function(lambda: program(tfpy)) if compiled else lambda: program(tfpy))()
    compare(mine, program(tensorflow), 1e-6, str(i))


def test_mixed_precision_trains_beside_wasm() -> None:
    x = tfpy.constant(np.random.default_rng(0).normal(size=(32, 3)), tfpy.float32)
    y = x @ tfpy.constant([[1.0], [-2.0], [0.5]])
    w = tfpy.Variable(tfpy.zeros([3, 1]))

    @tfpy.function
    def step() -> Any:
        with tfpy.GradientTape() as tape:
            out = tfpy.matmul(tfpy.cast(x, tfpy.bfloat16), tfpy.cast(w, tfpy.bfloat16))
            loss = tfpy.reduce_mean((tfpy.cast(out, tfpy.float32) - y) ** 2)
        w.assign_sub(0.2 * tape.gradient(loss, w))
        return loss

    losses = [float(step()) for _ in range(40)]
    assert losses[-1] < 1e-3 < losses[0]
