"""Random numbers that TensorFlow draws in 64 bits."""

from __future__ import annotations

from typing import Any

import numpy as np
from api.same import same

import tfpy


@same(tolerance=1e-4)
def test_numbers_of_numpy(tf: Any) -> Any:
    draws = tf.experimental.numpy.random
    tf.random.set_seed(3)
    traced = tf.function(lambda: draws.randn(5))
    return [
        draws.randn(3, 5),
        draws.rand(7),
        draws.standard_normal(),
        draws.random([2, 2]),
        draws.uniform([1.0, 2.0], [3.0, 9.0]),
        draws.uniform(1.0, 4.0, size=[3]),
        draws.randn(0),
        traced(),
        traced(),
        draws.randint(100, size=[5]),
        draws.randint(-5, 60000, size=[2, 3]),
        draws.randint(7),
        draws.randint(3, 9, size=4, dtype=np.int32),
        draws.randint(3, 9, size=4, dtype=tf.int32),
        draws.randint(100, size=3, dtype="int64"),
    ]


def test_large_samples() -> None:
    draws = tfpy.experimental.numpy.random
    draws.seed(1)
    normal, unit = draws.randn(100000).numpy(), draws.rand(100000).numpy()
    assert abs(normal.mean()) < 0.02
    assert abs(normal.std() - 1) < 0.02
    assert 0 <= unit.min() < 0.001
    assert 0.999 < unit.max() < 1
    counts = np.bincount(draws.randint(10, size=10000).numpy())
    assert counts.size == 10
    assert counts.min() > 800


@same
def test_no_trials(tf: Any) -> Any:
    nan = float("nan")
    counts, probs = [5.0, 5, 5, 0, 0, 0, -1, 0], [0.0, 1, nan, -10, 10, nan, 0.5, 0.5]
    generator = tf.random.Generator.from_seed(12345)
    return [
        generator.binomial([2, 8], counts, probs, dtype=tf.float32),
        tf.random.stateless_binomial([8], [1, 2], counts, probs, output_dtype=tf.float32),
    ]
