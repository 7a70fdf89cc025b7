"""Stateless random numbers are TensorFlow's; the others have its shapes, dtypes and seeds."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import tensorflow
from api.same import same

import tfpy


@pytest.mark.parametrize("seed", [(0, 0), (1, 2), (7, -9), (2**31 - 1, -(2**31)), (2**40 + 5, 3)])
@pytest.mark.parametrize("shape", [(), (1,), (5,), (3, 7), (1000,), (0, 3)])
def test_stateless_bits(seed: tuple[int, int], shape: tuple[int, ...]) -> None:
    for arguments in ({}, {"minval": 0, "maxval": 10}, {"minval": -100, "maxval": 2 * 10**9}):
        kind = "int32" if arguments else "float32"
        mine, wanted = (
            lib.random.stateless_uniform(shape, seed, dtype=kind, **arguments).numpy()
            for lib in (tfpy, tensorflow)
        )
        np.testing.assert_array_equal(mine, wanted)


@same
def test_stateless_uniform(tf: Any) -> Any:
    r = tf.random.stateless_uniform
    return [
        r([2, 3], [7, -9], -1.0, 3.0),
        r([5], [1, 2], maxval=5.0),
        r([3], seed=tf.constant([1, 2])),
        r(tf.constant([2, 2]), [1, 2]),
        r([4], [1, 2], None, None, tf.int32),
        r([6], [3, 4], -5, 5, tf.int32),
    ]


@same(tolerance=5e-6)
def test_stateless_normal(tf: Any) -> Any:
    r = tf.random.stateless_normal
    return [r([], [3, 4]), r([7], [3, 4]), r([40, 50], [-1, 2**33]), r([2, 2], [3, 4], 5.0, 0.1)]


def test_moments_of_normal() -> None:
    x = tfpy.random.stateless_normal([200, 200], [5, 6]).numpy()
    assert x.mean() == pytest.approx(0, abs=0.02)
    assert x.std() == pytest.approx(1, abs=0.02)


@same
def test_shapes_and_dtypes(tf: Any) -> Any:
    tensors = [
        tf.random.uniform([3]),
        tf.random.uniform([3], maxval=5, dtype=tf.int32),
        tf.random.uniform([], -1.0, 1.0),
        tf.random.normal([3, 2]),
        tf.random.normal([0]),
        tf.random.truncated_normal([4]),
        tf.random.shuffle([1, 2, 3]),
        tf.random.shuffle([[1.0, 2.0], [3.0, 4.0]]),
    ]
    return [(t.shape, t.dtype) for t in tensors]


@same
def test_seeds(tf: Any) -> Any:
    """Which of two draws are equal."""

    def draw(seed: int | None = None) -> Any:
        return tf.random.uniform([8], seed=seed).numpy().tolist()

    tf.random.set_seed(1)
    first, second, named = draw(), draw(), draw(5)
    tf.random.set_seed(1)
    again, other = draw(), draw()
    tf.random.set_seed(2)
    changed = draw()
    tf.random.set_seed(1)
    fifth = draw(5)
    tf.random.set_seed(1)
    sixth = draw(6)
    return [
        first == again,
        second == other,
        first == second,
        named == first,
        changed == first,
        fifth == sixth,
    ]


def test_ranges() -> None:
    tfpy.random.set_seed(0)
    x = tfpy.random.uniform([1000], -2.0, 3.0).numpy()
    assert x.min() >= -2
    assert x.max() < 3
    assert x.std() > 1
    n = tfpy.random.uniform([1000], -2, 3, dtype=tfpy.int32).numpy()
    assert set(n.tolist()) == {-2, -1, 0, 1, 2}
    t = tfpy.random.truncated_normal([10000], mean=1.0, stddev=2.0).numpy()
    assert abs(t - 1).max() <= 4
    assert t.mean() == pytest.approx(1, abs=0.1)


def test_shuffle_keeps_rows() -> None:
    rows = tfpy.random.shuffle(tfpy.reshape(tfpy.range(100), [50, 2]), seed=3).numpy()
    assert (rows[:, 1] - rows[:, 0] == 1).all()
    assert sorted(rows[:, 0].tolist()) == list(range(0, 100, 2))
    assert rows[:, 0].tolist() != list(range(0, 100, 2))
