"""tfpy in Pyodide under node and similar hosts, without a page."""

from __future__ import annotations

from typing import Any

import numpy as np

import tfpy as tf

BACKENDS = ("webgpu", "webgl", "wasm", "cpu")


async def check(expected: set[str]) -> None:
    """Compute on each backend that opens, and check the host's properties.

    The expected backends open, and webgpu if there is an adapter.
    """
    await tf.ready()
    assert tf.get_backend() in ("webgpu", "wasm"), tf.backend_report()
    flags = tf.env().get_flags()
    assert flags["IS_NODE"]
    assert not flags["IS_BROWSER"]
    assert flags["WEBGPU_SOFTWARE_ENABLED"], "the variable TFPY_FLAGS"
    found = {name: await _step() for name in BACKENDS if await _opens(name)}
    assert expected <= set(found) <= {*expected, "webgpu"}, tf.backend_report()
    assert "WebGL2 is not available" in tf.backend_report()["webgl"]["reason"]
    assert tf.get_threads_count() == 1
    for name, values in found.items():
        np.testing.assert_allclose(values, found["cpu"], rtol=1e-5, err_msg=name)


async def _opens(name: str) -> bool:
    if name == "cpu":
        return tf.set_backend(name)  # opens immediately where Python cannot wait
    try:
        return await tf.set_backend_async(name)
    except RuntimeError:
        return False


@tf.function
def _loss(v: Any, x: Any) -> Any:
    return tf.reduce_sum(tf.nn.relu(tf.matmul(v, x)) ** 2)


async def _step() -> Any:
    """Return a Variable after a training step."""
    v = tf.Variable([[1.0, -2.0]])
    x = tf.constant(np.random.default_rng(3).normal(size=(2, 50)).astype(np.float32))
    with tf.GradientTape() as tape:
        loss = _loss(v, x)
    v.assign_sub(0.01 * tape.gradient(loss, v))
    return await v.data()
