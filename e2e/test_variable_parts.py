"""Partial assignments and trained rows of Variables on every backend, eager and compiled."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tfpy.testing import run_in_browser

SHAPE = (5, 4, 3)
KEYS = {
    "row": (2,),
    "element": (-1, 0, 2),
    "column": (..., 1),
    "range": (slice(1, 4), slice(None), slice(0, 2)),
    "strides": (slice(None, None, 2), slice(None, None, -3)),
    "backwards": (slice(None, None, -1),),
    "all": (...,),
}


@run_in_browser()
@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("dtype", ["float32", "int32", "bool"])
@pytest.mark.parametrize("key", KEYS)
def test_parts(tf: Any, key: str, dtype: str, compiled: bool) -> None:
    rng = np.random.default_rng(0)
    wanted = _numbers(rng, SHAPE, dtype)
    v = tf.Variable(wanted)
    part = _numbers(rng, wanted[KEYS[key]].shape, dtype)

    def program(value: Any) -> None:
        v[KEYS[key]].assign(value)

    (tf.function(program) if compiled else program)(tf.constant(part))
    wanted[KEYS[key]] = part
    np.testing.assert_array_equal(v.numpy(), wanted)


def _numbers(rng: np.random.Generator, shape: tuple[int, ...], dtype: str) -> Any:
    return rng.integers(0, 2 if dtype == "bool" else 100, shape).astype(dtype)


@run_in_browser()
def test_parts_in_a_loop(tf: Any) -> None:
    """Assign at indices that the device computes, and add indexed slices to rows."""
    v = tf.Variable(tf.zeros([4, 2]))

    @tf.function
    def program(n: Any) -> None:
        for i in tf.range(n):
            v[i].assign(tf.fill([2], tf.cast(i + 1, tf.float32)))
            v[i - 4, 1:].assign([9.0])
        v.scatter_add(tf.IndexedSlices(tf.ones([2, 2]), tf.stack([n, n - 1])))
        v.scatter_mul(tf.IndexedSlices(tf.fill([1, 2], 2.0), tf.stack([0])))

    program(tf.constant(2))
    np.testing.assert_array_equal(v.numpy(), [[2, 18], [3, 10], [1, 1], [0, 0]])


@run_in_browser()
@pytest.mark.parametrize("compiled", [False, True])
def test_trained_rows(tf: Any, compiled: bool) -> None:
    """Check that the gradient of a table is indexed slices, which are clipped and subtracted."""
    wanted = _numbers(np.random.default_rng(1), (40, 9), "float32")
    places = np.array([3, 39, 3, 0, 21], np.int32)
    v = tf.Variable(wanted)

    def step(places: Any) -> Any:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.nn.embedding_lookup(v, places) ** 2) / 2
        rows = tape.gradient(loss, v)
        (rows,), norm = tf.clip_by_global_norm([rows], 1.0)
        v.scatter_sub(rows)
        return rows, norm

    run = tf.function(step) if compiled else step
    for _ in range(2):
        rows, norm = run(tf.constant(places))
        read = wanted[places]
        length = np.sqrt((read**2).sum())
        np.testing.assert_allclose(norm.numpy(), length, 1e-5)
        np.testing.assert_array_equal(rows.indices.numpy(), places)
        np.testing.assert_allclose(rows.values.numpy(), read / length, 1e-4, 1e-5)
        np.subtract.at(wanted, places, read / length)
    np.testing.assert_allclose(v.numpy(), wanted, 1e-4, 1e-5)
