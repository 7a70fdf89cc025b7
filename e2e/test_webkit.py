"""A smoke test in WebKitGTK: an engine without JSPI, relaxed SIMD and OffscreenCanvas WebGL."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfpy.testing import run_in_browser


@run_in_browser(browsers=["webkit"])
async def test_trains(tf: Any, backend: str) -> None:
    x = np.random.default_rng(0).normal(size=(32, 4)).astype(np.float32)
    wanted = np.array([[1.0], [-2.0], [0.5], [3.0]], np.float32)
    inputs, targets = tf.constant(x), tf.constant(x @ wanted)
    w = tf.Variable(tf.zeros([4, 1]))
    for _ in range(60):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((tf.matmul(inputs, w) - targets) ** 2.0)
        w.assign_sub(0.3 * tape.gradient(loss, w))
    assert tf.get_backend() == backend
    np.testing.assert_allclose(await w.data(), wanted, atol=1e-3)
