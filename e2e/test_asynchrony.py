"""Concurrent, disposed and cancelled reads, and frames: nothing is lost and nothing leaks."""

from __future__ import annotations

import asyncio
from time import perf_counter
from typing import Any

import pytest

from tfpy.testing import run_in_browser
from tfpy.testing.environments import BACKENDS


@run_in_browser(backends=BACKENDS)
async def test_reads(tf: Any) -> None:
    """Check that each read returns its own values.

    Meanwhile tensors are disposed and other reads run.
    """
    tensors = [tf.range(n) * 2 for n in range(1, 30)]
    values = await asyncio.gather(*(t.data() for t in tensors))
    assert [v.tolist() for v in values] == [list(range(0, 2 * n, 2)) for n in range(1, 30)]

    disposed = tf.range(100) * 3
    reading = asyncio.ensure_future(disposed.data())
    for _ in range(3):  # until the read has begun
        await asyncio.sleep(0)
    disposed.dispose()
    others = [tf.range(100) * k for k in range(4, 40)]  # would reuse the freed memory
    assert (await reading).tolist() == list(range(0, 300, 3))
    assert (await others[-1].data()).tolist() == list(range(0, 3900, 39))
    with pytest.raises(RuntimeError, match="disposed"):
        await disposed.data()


@run_in_browser(backends=["webgl"])
async def test_reads_share_a_fence(tf: Any) -> None:
    from pyodide.code import run_js

    # These Programs belong to this test alone and are made before the count, because a new Program
    # also asks for errors, and a tensor that was read fast before is read at once.
    tensors = [tf.bitwise.invert(tf.range(n)) for n in range(1, 30)]
    counter = run_js(
        """(() => { const P = WebGL2RenderingContext.prototype, { fenceSync, getError } = P;
        const found = [0, 0];
        P.fenceSync = function (...x) { found[0]++; return fenceSync.apply(this, x); };
        P.getError = function () { found[1]++; return getError.call(this); };
        return () => { Object.assign(P, { fenceSync, getError }); return found; }; })()"""
    )
    try:
        values = await asyncio.gather(*(t.data() for t in tensors))
    finally:
        fences, questions = counter()
    assert [v.tolist() for v in values] == [list(range(-1, -1 - n, -1)) for n in range(1, 30)]
    assert max(fences, questions) < 5


@run_in_browser(backends=BACKENDS)
async def test_cancelled_reads(tf: Any) -> None:
    """Cancel reads before they begin, while they run, and while other reads run."""
    x = tf.range(1000) * 2
    for turns in range(4):
        tasks = [asyncio.ensure_future((x + k).data()) for k in range(8)]
        for _ in range(turns):
            await asyncio.sleep(0)
        for task in tasks[::2]:
            task.cancel()
        found: list[Any] = await asyncio.gather(*tasks, return_exceptions=True)
        for k, value in enumerate(found):
            cancelled = isinstance(value, asyncio.CancelledError)
            assert cancelled <= (k % 2 == 0)
            assert cancelled or value[:2].tolist() == [k, k + 2]
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(_forever(tf), 0.05)
    assert int((await x.data())[-1]) == 1998
    await asyncio.sleep(0)  # Pyodide holds the last error until the next task


async def _forever(tf: Any) -> None:
    y = tf.ones([64])
    while True:
        y = tf.sinh(y * 0.5)
        await y.data()
        await asyncio.sleep(0)


@run_in_browser(backends=["wasm"])
async def test_next_frame(tf: Any) -> None:
    """Wait for frames (or their substitute), and check that no superfluous frame is requested."""
    began = perf_counter()
    for _ in range(5):
        await tf.next_frame()
    assert perf_counter() - began < 5
    task = asyncio.ensure_future(tf.next_frame())
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


@run_in_browser(backends=["wasm"], environment="worker")
async def test_next_frame_in_a_worker(tf: Any) -> None:
    await tf.next_frame()
