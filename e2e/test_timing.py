"""``tf.time``: wall-clock and device milliseconds of a call."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tfpy.testing import run_in_browser
from tfpy.testing.environments import BACKENDS

MANY = 1100
"""Number of calls whose kernels exceed the size of a webgpu query set."""


@run_in_browser(backends=BACKENDS)
async def test_time(tf: Any, backend: str) -> None:
    """Check that the result names all kernels of a call, or the reason why there are none."""
    x = tf.random.stateless_uniform([96, 96], [1, 2])

    @tf.function
    def product(x: Any) -> Any:
        return tf.sort(x @ x, axis=0)

    async def chain() -> None:
        y = x
        for _ in range(MANY):
            y = tf.sinh(y * 0.5)
        await y.data()

    product(x)
    timing = await tf.time_async(lambda: product(x))
    assert timing.wall_ms > 0
    assert (timing.upload_ms, timing.download_ms) == (0, 0)
    moved = await tf.time_async(lambda: (tf.constant(np.ones([96, 96], "f")) + x).data())
    assert 0 < moved.upload_ms < moved.wall_ms
    assert 0 < moved.download_ms < moved.wall_ms
    reliable = tf.env().get_bool("WEBGL_DISJOINT_QUERY_TIMER_EXTENSION_RELIABLE")
    if backend == "webgl" and not reliable:
        assert (timing.kernel_ms, timing.kernels) == (None, {})
        assert "timer queries" in timing.reason
        return
    assert timing.reason == ""
    assert any("matmul" in name for name in timing.kernels), timing
    assert len(timing.kernels) > 1
    times = [one.ms for one in timing.kernels.values()]
    assert times == sorted(times, reverse=True)
    assert timing.kernel_ms == pytest.approx(sum(times))
    assert 0 < timing.kernel_ms < timing.wall_ms

    if backend == "webgpu":
        timing = await tf.time_async(chain)
        assert {name: one.runs for name, one in timing.kernels.items()} == {"elementwise": 2 * MANY}


@run_in_browser(backends=["wasm", "webgpu"])
async def test_failures(tf: Any) -> None:
    """Check that a failed call leaves no timing state behind."""

    def fails() -> None:
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        await tf.time_async(fails)
    with pytest.raises(RuntimeError, match="already being timed"):
        await tf.time_async(lambda: tf.time_async(fails))
    assert (await tf.time_async(lambda: tf.zeros([3]) + 1.0)).wall_ms > 0
