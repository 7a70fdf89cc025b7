"""The same program on a page's main thread and in a module worker, with and without isolation."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tfpy.testing import run_in_browser

BROWSERS = ("chromium", "firefox")


def gradient_step(tf: Any) -> list[Any]:
    """Compute a convolution's gradient on seeded data with every kind of training kernel."""
    rng = np.random.default_rng(0)
    x = tf.constant(rng.normal(size=(2, 8, 8, 3)).astype(np.float32))
    w = tf.Variable(rng.normal(size=(3, 3, 3, 4)).astype(np.float32))
    with tf.GradientTape() as tape:
        y = tf.nn.relu(tf.nn.conv2d(x, w, strides=1, padding="SAME"))
        y = tf.nn.max_pool2d(y, ksize=2, strides=2, padding="VALID")
        loss = tf.reduce_mean(y * y)
    return [loss, tape.gradient(loss, w)]


async def check(tf: Any, worker: bool) -> None:
    import js

    assert hasattr(js, "document") != worker
    found = [await t.data() for t in gradient_step(tf)]
    active = tf.get_backend()
    tf.set_backend("cpu")
    wanted = [t.numpy() for t in gradient_step(tf)]
    tf.set_backend(active)
    for ours, reference in zip(found, wanted, strict=True):
        np.testing.assert_allclose(ours, reference, rtol=1e-4, atol=1e-5)


async def set_up(tf: Any) -> None:
    """Open the reference backend, which must happen before it can be set without waiting."""
    active = tf.get_backend()
    await tf.set_backend_async("cpu")
    await tf.set_backend_async(active)


@run_in_browser(backends=["wasm", "webgl", "webgpu"], browsers=BROWSERS)
async def test_main_thread(tf: Any) -> None:
    await set_up(tf)
    await check(tf, worker=False)


@run_in_browser(backends=["wasm", "webgl", "webgpu"], environment="not-isolated")
async def test_main_thread_not_isolated(tf: Any) -> None:
    await set_up(tf)
    await check(tf, worker=False)


@run_in_browser(environment="worker", browsers=BROWSERS)
async def test_worker(tf: Any) -> None:
    await set_up(tf)
    await check(tf, worker=True)


@run_in_browser(backends=["wasm"], environment="worker", browsers=["firefox"])
def test_firefox_workers_have_one_thread(tf: Any) -> None:
    """Check that Firefox workers use one thread.

    Starting a nested worker may hang forever.
    """
    assert not tf.backend_report()["wasm"]["variant"].endswith("-threads")


@run_in_browser(backends=["wasm", "webgl", "webgpu"], environment="worker-not-isolated")
async def test_worker_not_isolated(tf: Any) -> None:
    await set_up(tf)
    await check(tf, worker=True)


@run_in_browser(browsers=BROWSERS)
def test_reads_without_awaiting(tf: Any, backend: str) -> None:
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]]) * 2.0
    assert x.numpy().tolist() == [[2.0, 4.0], [6.0, 8.0]]
    assert np.asarray(x).sum() == pytest.approx(20.0)


@run_in_browser(backends=["webgl", "webgpu"])
async def test_page_stays_awake_while_reading(tf: Any) -> None:
    """Check that ``await x.data()`` lets other tasks run while the device works."""
    import asyncio

    ticks = 0

    async def tick() -> None:
        nonlocal ticks
        while True:
            ticks += 1
            await asyncio.sleep(0)

    ticking = asyncio.create_task(tick())
    x = tf.random.uniform([256, 256])
    for _ in range(4):
        x = tf.matmul(x, x) / 256.0
        await x.data()
    ticking.cancel()
    assert ticks >= 4


@run_in_browser(backends=["wasm"])
async def test_page_lives_beside_a_loop_of_reads(tf: Any) -> None:
    """Check that a loop of reads on wasm yields to the page.

    The reads have nothing to wait for.
    """
    import time

    import js
    from pyodide.ffi import create_proxy

    x = tf.constant(np.ones((64, 64), np.float32))
    ticks = []
    tick = create_proxy(lambda: ticks.append(time.perf_counter()))
    timer = js.setInterval(tick, 10)
    try:
        end = time.perf_counter() + 0.6
        while time.perf_counter() < end:
            value = await tf.matmul(x, x).data()
    finally:
        js.clearInterval(timer)
        tick.destroy()
    assert value[0, 0] == 64
    assert len(ticks) >= 4
