"""Which backend ``await tf.ready()`` takes, and what it says of the others."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tfpy.testing import run_in_browser

BROWSERS = ("chromium", "firefox")


def product(tf: Any) -> Any:
    """A product that every backend computes exactly."""
    a = tf.constant(np.arange(12, dtype=np.float32).reshape(3, 4))
    return tf.matmul(a, tf.transpose(a))


EXACT = [[14, 38, 62], [38, 126, 214], [62, 214, 366]]


@run_in_browser(backends=(), environment="default", browsers=BROWSERS)
async def test_software_is_skipped(tf: Any, backend: str) -> None:
    report = tf.backend_report()
    assert backend == "wasm"
    assert report["wasm"]["status"] == "chosen"
    for name, flag in (
        ("webgpu", "WEBGPU_SOFTWARE_ENABLED"),
        ("webgl", "SOFTWARE_WEBGL_ENABLED"),
    ):
        assert report[name]["status"] == "skipped"
        assert "slower than wasm" in report[name]["reason"]
        assert flag in report[name]["reason"]
    assert "fallback adapter" in report["webgpu"]["reason"]
    assert (await product(tf).data()).tolist() == EXACT


@run_in_browser(backends=(), environment="software", browsers=BROWSERS)
async def test_webgpu_has_priority(tf: Any, backend: str) -> None:
    report = tf.backend_report()
    assert backend == "webgpu"
    assert report["webgpu"]["status"] == "chosen"
    assert report["webgpu"]["variant"].startswith("webgpu-float32")
    assert {report[name]["status"] for name in ("webgl", "wasm", "cpu")} == {"not tried"}
    assert (await product(tf).data()).tolist() == EXACT


@run_in_browser(backends=(), environment="software-webgl", browsers=BROWSERS)
async def test_webgl_has_priority(tf: Any, backend: str) -> None:
    assert backend == "webgl"
    assert tf.backend_report()["webgl"]["variant"] == "webgl2-float32"
    assert (await product(tf).data()).tolist() == EXACT


@run_in_browser(backends=(), environment="no-webgl")
async def test_without_a_gpu(tf: Any, backend: str) -> None:
    report = tf.backend_report()
    assert backend == "wasm"
    assert report["webgl"]["status"] == "failed"
    assert "WebGL" in report["webgl"]["reason"]
    assert report["webgpu"]["status"] == "skipped"
    assert report["webgpu"]["reason"] == "WebGPU has no adapter in this browser"
    assert (await product(tf).data()).tolist() == EXACT


@run_in_browser(backends=(), environment="no-simd", browsers=["chromium"])
async def test_without_simd(tf: Any, backend: str) -> None:
    report = tf.backend_report()
    assert backend == "cpu"
    assert "SIMD" in report["wasm"]["reason"]
    assert (await product(tf).data()).tolist() == EXACT


@run_in_browser(backends=["wasm"])
def test_isolated_pages_have_threads(tf: Any) -> None:
    assert tf.backend_report()["wasm"]["variant"].endswith("-threads")


@run_in_browser(backends=["wasm"], environment="not-isolated")
async def test_other_pages_have_one_thread(tf: Any) -> None:
    assert not tf.backend_report()["wasm"]["variant"].endswith("-threads")
    assert (await product(tf).data()).tolist() == EXACT


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
    """A tensor that was made on one backend is an input on another."""
    x = tf.constant([1.0, 2.0]) + 1.0
    for name in ("wasm", "webgl", "cpu"):
        await tf.set_backend_async(name)
        x = x * 2.0
    assert (await x.data()).tolist() == [16.0, 24.0]
