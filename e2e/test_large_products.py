"""Matrix products so large that WebGL draws them in chunks: values, gradients, memory."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfpy.testing import run_in_browser

M, N, K = 520, 512, 511


@run_in_browser(backends=("webgl",))
def test_a_large_layer_is_trained(tf: Any) -> None:
    rng = np.random.default_rng(0)
    x, weights, bias, dy = (
        rng.normal(size=size).astype(np.float32) for size in ((M, K), (K, N), (N,), (M, N))
    )
    w, data = tf.Variable(weights), tf.constant(x)

    @tf.function
    def step(x: Any) -> tuple[Any, Any]:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x @ w + bias
        dx, dw = tape.gradient(y, (x, w), output_gradients=dy)
        w.assign_sub(0.5 * dw)
        return y, dx

    assert step.lower(data).as_text().count("= matmul_bands(") == 3
    bytes_after = set()
    for _ in range(3):
        y, dx = step(data)
        np.testing.assert_allclose(y.numpy(), x @ weights + bias, rtol=1e-4, atol=1e-2)
        np.testing.assert_allclose(dx.numpy(), dy @ weights.T, rtol=1e-4, atol=1e-2)
        weights -= 0.5 * (x.T @ dy)
        np.testing.assert_allclose(w.numpy(), weights, rtol=1e-4, atol=1e-3)
        del y, dx
        bytes_after.add(tf.memory()["backend"]["bytes"])
    assert len(bytes_after) == 1
