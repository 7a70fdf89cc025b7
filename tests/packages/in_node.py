"""What tfpy does in Pyodide under node, where there is no page and no GPU."""

from __future__ import annotations

from typing import Any

import numpy as np

import tfpy as tf


async def check() -> None:
    """Opens the best backend, computes there and on NumPy, and asks what the host is."""
    await tf.ready()
    report = tf.backend_report()
    assert tf.get_backend() == "wasm", report
    assert report["webgpu"]["status"] == "skipped"
    assert "WebGL2 is not available" in report["webgl"]["reason"]
    flags = tf.env().get_flags()
    assert flags["IS_NODE"]
    assert not flags["IS_BROWSER"]
    assert not flags["WASM_HAS_MULTITHREAD_SUPPORT"]
    assert tf.get_threads_count() == 1
    found = [await _step(tf.Variable([[1.0, -2.0]]))]
    tf.set_backend("cpu")  # which opens at once, where Python cannot wait
    found.append(await _step(tf.Variable([[1.0, -2.0]])))
    np.testing.assert_allclose(found[0], found[1], rtol=1e-6)


@tf.function
def _loss(v: Any, x: Any) -> Any:
    return tf.reduce_sum(tf.nn.relu(tf.matmul(v, x)) ** 2)


async def _step(v: Any) -> Any:
    """The Variable after a step of training."""
    x = tf.constant(np.random.default_rng(3).normal(size=(2, 50)).astype(np.float32))
    with tf.GradientTape() as tape:
        loss = _loss(v, x)
    v.assign_sub(0.01 * tape.gradient(loss, v))
    return await v.data()
