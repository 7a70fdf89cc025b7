"""Features specific to WebGPU: batched dispatches and reads, and errors that arrive later."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tfpy.testing import run_in_browser


def device_of(tf: Any) -> Any:
    """Return the device of the backend, taken from the next call that creates a buffer."""
    from pyodide.code import run_js

    catch = run_js(
        """(() => { const P = GPUDevice.prototype, { createBuffer } = P;
        let found;
        P.createBuffer = function (d) { found = this; return createBuffer.call(this, d); };
        return () => { P.createBuffer = createBuffer; return found; }; })()"""
    )
    tf.zeros([613, 7]) + 1.0
    return catch()


@run_in_browser(backends=["webgpu"])
async def test_ops_share_submissions(tf: Any) -> None:
    """Check that eager ops are submitted together, in order."""
    from pyodide.code import run_js

    counter = run_js(
        """(() => { const P = GPUQueue.prototype, { submit } = P; let count = 0;
        P.submit = function (x) { count += x.length; return submit.call(this, x); };
        return () => { P.submit = submit; return count; }; })()"""
    )
    x = tf.constant([1.0, 2.0])
    try:
        for _ in range(300):
            x = x + 1.0
        values = await x.data()
    finally:
        submissions = counter()
    assert values.tolist() == [301, 302]
    assert submissions < 12


@run_in_browser(backends=["webgpu"])
async def test_uploads_follow_what_was_encoded(tf: Any) -> None:
    """Check that a reused buffer is not written before the commands that read it have run."""
    arrays = [np.full([200, 200], k, np.float32) for k in range(8)]
    # Larger than the data that is uploaded with the first use.
    sums = [tf.reduce_sum(tf.constant(array)) + 0.0 for array in arrays]
    assert [float(s.numpy()) for s in sums] == [k * 40000 for k in range(8)]


@run_in_browser(backends=["webgpu"])
async def test_python_can_wait_after_it_was_awaited(tf: Any) -> None:
    """Check that a task that resumes with awaited values may be suspended in a synchronous read."""
    x = tf.range(5)
    for k in range(3):
        awaited = await (x * k).data()
        assert ((x + k).numpy() - awaited).tolist() == [k + i - i * k for i in range(5)]


@run_in_browser(backends=["webgpu"])
async def test_reads_at_once(tf: Any) -> None:
    """Check that many reads share one map.

    Each read returns its own values, which are copied once.
    """
    import asyncio

    from pyodide.code import run_js

    counter = run_js(
        """(() => { const P = GPUBuffer.prototype, { mapAsync } = P; let count = 0;
        const B = ArrayBuffer.prototype, { slice } = B;
        P.mapAsync = function (...x) { count++; return mapAsync.apply(this, x); };
        B.slice = function (...x) { count += 100; return slice.apply(this, x); };
        return () => { P.mapAsync = mapAsync; B.slice = slice; return count; }; })()"""
    )
    tensors = [tf.range(n) * 2 for n in range(1, 40)]
    flags = tf.constant([True, False]) & tf.constant([True, True])
    try:
        values = await asyncio.gather(*(t.data() for t in (*tensors, flags, tf.zeros([0]))))
    finally:
        maps = counter()
    for n, value in enumerate(values[:-2], 1):
        assert value.tolist() == list(range(0, 2 * n, 2))
    assert values[-2].tolist() == [True, False]
    assert values[-1].shape == (0,)
    assert maps < 5


@run_in_browser(backends=["webgpu"])
async def test_memory_stays(tf: Any) -> None:
    """Check that buffers are reused, so that memory stays constant in training and reads."""
    w = tf.Variable(tf.random.stateless_normal([64, 64], [1, 2]))
    x = tf.random.stateless_normal([32, 64], [3, 4])

    @tf.function
    def step() -> Any:
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((x @ w) ** 2)
        w.assign_sub(0.1 * tape.gradient(loss, w))
        return loss

    for _ in range(10):
        loss = step()
    first = float(await loss.data())
    before = tf.memory()["backend"]
    for _ in range(200):
        loss = step()
    assert float(await loss.data()) < first
    after = tf.memory()["backend"]
    assert after["allocatedBytes"] <= before["allocatedBytes"]
    assert after["slots"] == before["slots"]


FAILURE = """async (device) => {
  let reported = false;
  device.addEventListener("uncapturederror", () => { reported = true; }, { once: true });
  device.createShaderModule({ code: "no kernel" });
  while (!reported) {
    device.queue.submit([]);
    await device.queue.onSubmittedWorkDone();
    await new Promise((resume) => setTimeout(resume, 1));
  }
}"""
"""JavaScript that causes a device error, and keeps the device busy until it was reported."""


@run_in_browser(backends=["webgpu"])
async def test_a_failure_is_told_once(tf: Any) -> None:
    """Check that the next read raises the error that the device reported.

    Later values are right again.
    """
    device = device_of(tf)
    keep = tf.constant([1.0, 2.0]) * 3.0
    assert (await keep.data()).tolist() == [3, 6]
    from pyodide.code import run_js

    await run_js(FAILURE)(device)
    lost = keep + 1.0
    with pytest.raises(tf.errors.InternalError, match=r"(?s)webgpu: .*lost"):
        await lost.data()
    with pytest.raises(tf.errors.ResourceExhaustedError, match="lost"):
        await lost.data()
    assert (await (keep + 1.0).data()).tolist() == [4, 7]


@run_in_browser(backends=["webgpu"])
async def test_too_large(tf: Any) -> None:
    small = tf.constant([1.0, 2.0]) + 1.0
    with pytest.raises(tf.errors.ResourceExhaustedError, match="a tensor may take"):
        tf.zeros([2**20, 2**20])
    with pytest.raises(tf.errors.ResourceExhaustedError, match="a tensor may take"):
        tf.tile(small, [2**29])
    assert (await small.data()).tolist() == [2, 3]


@run_in_browser(backends=["webgpu"], check_leaks=False, fresh_page=True)
async def test_a_lost_device(tf: Any) -> None:
    """Check that errors report the lost device.

    Another device is opened, and values on the host remain.
    """
    import asyncio

    host = tf.constant([1.0, 2.0])
    device = tf.ones([300, 7]) + host[0]

    @tf.function
    def double(x: Any) -> Any:
        return x * 2.0

    double(host)
    device_of(tf).destroy()
    await asyncio.sleep(0.05)
    for use in (device.numpy, lambda: device + 1.0, lambda: tf.sinh(host), lambda: double(host)):
        with pytest.raises(tf.errors.UnavailableError, match="device lost"):
            use()
    report = tf.backend_report()["webgpu"]
    assert report["status"] == "lost"
    assert "device lost" in report["reason"]

    assert await tf.set_backend_async("webgpu")
    assert tf.backend_report()["webgpu"]["status"] == "chosen"
    assert (await double(host).data()).tolist() == [2, 4]
    with pytest.raises(tf.errors.UnavailableError, match="device lost"):
        await (device + 1.0).data()
