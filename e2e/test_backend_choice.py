"""Backends that the program chooses. ``test_matrix.py`` tests the automatic choice."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tfpy.testing import run_in_browser


def product(tf: Any) -> Any:
    """Return a product that every backend computes exactly."""
    a = tf.constant(np.arange(12, dtype=np.float32).reshape(3, 4))
    return tf.matmul(a, tf.transpose(a))


EXACT = [[14, 38, 62], [38, 126, 214], [62, 214, 366]]


@run_in_browser(backends=["webgl"], environment="float16")
async def test_float16_fallback(tf: Any) -> None:
    assert tf.backend_report()["webgl"]["variant"] == "webgl2-float16"
    assert (await product(tf).data()).tolist() == EXACT
    x = np.random.default_rng(0).normal(size=(50, 70)).astype(np.float32)
    found = await tf.matmul(tf.constant(x), tf.constant(x), transpose_b=True).data()
    np.testing.assert_allclose(found, x @ x.T, rtol=5e-3, atol=5e-2)


@run_in_browser()
def test_unknown_backend(tf: Any, backend: str) -> None:
    for name in ("tpu", "WebGL"):
        with pytest.raises(ValueError, match=f"{name}.*wasm"):
            tf.set_backend(name)
    assert tf.get_backend() == backend


@run_in_browser(backends=["cpu"])
async def test_switching_moves_tensors(tf: Any) -> None:
    """Check that a tensor that was created on one backend can be an input on another backend."""
    x = tf.constant([1.0, 2.0]) + 1.0
    for name in ("wasm", "webgl", "cpu"):
        await tf.set_backend_async(name)
        x = x * 2.0
    assert (await x.data()).tolist() == [16.0, 24.0]
