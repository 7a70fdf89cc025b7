"""Memory of tensors as Python reports it, and a lost GPU."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pytest

from tfpy.testing import run_in_browser


@run_in_browser()
def test_tensors_as_memory(tf: Any, backend: str) -> None:
    import pickle

    x = tf.constant([[1.0, 2.0]]) * 2.0
    view = memoryview(x)
    assert (view.shape, view.format, view.readonly) == ((1, 2), "f", True)
    assert view.tolist() == [[2.0, 4.0]]
    assert pickle.loads(pickle.dumps(x)).numpy().tolist() == [[2.0, 4.0]]
    processor = "GPU" if backend.startswith("webg") else "CPU"
    assert x.device == f"/job:localhost/replica:0/task:0/device:{processor}:0"


@run_in_browser(backends=["webgl", "webgpu"])
async def test_few_numbers_stay_on_the_host(tf: Any, backend: str) -> None:
    """Check that small ops run on the host.

    In other tests, flags disable this, so that kernels run.
    """
    from tfpy._src.backends import custom_kernels, registry

    device = registry.active_backend()
    assert device.few == 0
    device.few = 100
    custom_kernels.forget_programs(backend)  # the place of a program is decided when it is made
    try:
        slots = tf.memory()["backend"]["slots"]
        x, w = tf.constant(np.arange(13.0, dtype=np.float32)), tf.Variable(2.5)
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.square(x * w))
        w.assign_sub(0.001 * tape.gradient(loss, w))
        assert loss.device.endswith("CPU:0")
        assert tf.memory()["backend"]["slots"] == slots
        np.testing.assert_allclose(w.numpy(), 2.5 - 0.001 * 2 * 2.5 * 650, rtol=1e-6)
        scaled = tf.ones([17, 13]) * w + x  # computed by the device
        assert scaled.device.endswith("GPU:0")
        assert (await scaled.data())[16].tolist() == (x + w).numpy().tolist()
        assert float(tf.function(lambda v: v * w)(x)[2].numpy()) == float(w.numpy()) * 2
    finally:
        device.few = 0
        custom_kernels.forget_programs(backend)


@run_in_browser(backends=["webgl", "webgpu"])
async def test_storage_that_later_runs_do_not_need(tf: Any, backend: str) -> None:
    """Check that the pool releases buffers and temporaries which no recent run has used."""
    large = tf.function(lambda x: tf.reduce_sum(tf.cumsum(tf.cumsum(x, 0), 1)))
    small = tf.function(lambda x: x * 2.0 + 1.0)
    x, y = tf.fill([2048, 2048], 2.0**-40), tf.zeros([1000])
    await small(y).data()

    def used() -> int:
        return int(tf.memory()["backend"]["allocatedBytes"])

    before = used()
    total = float(await large(x).data())
    parts = [x + n for n in range(3)]
    await parts[-1].data()
    del parts
    assert used() > before + 3 * 2**24
    end = time.monotonic() + 30
    while used() > before + 2**22 and time.monotonic() < end:
        await small(y).data()
    assert used() <= before + 2**22
    assert float(await large(x).data()) == total


@run_in_browser(backends=["webgl"])
async def test_reads_of_textures_that_are_not_full(tf: Any) -> None:
    """Read small textures with a padded last row, and the full rows of large textures."""
    for count in (1, 6, 1001, 2**18 - 3, 2**18, 2**18 + 5):
        for dtype in (np.float32, np.int32):
            wanted = np.arange(count, dtype=dtype)
            for _ in range(2):  # the second read blocks the page if the first one was short
                np.testing.assert_array_equal((tf.constant(wanted) + 1).numpy(), wanted + 1)
                np.testing.assert_array_equal(await (tf.constant(wanted) * 2).data(), wanted * 2)


def context_of(tf: Any) -> Any:
    """Return the context of the webgl backend, taken from the next call that creates a texture."""
    from pyodide.code import run_js

    catch = run_js(
        """(() => { const P = WebGL2RenderingContext.prototype, { createTexture } = P;
        let found; P.createTexture = function () { found = this; return createTexture.call(this); };
        return () => { P.createTexture = createTexture; return found; }; })()"""
    )
    tf.memory()
    tf.zeros([613, 7]) + 1.0
    return catch()


@run_in_browser(backends=["webgl"], check_leaks=False, fresh_page=True)
async def test_a_lost_context(tf: Any) -> None:
    """Check that errors report the lost context.

    Another context is opened, and values on the host remain.
    """
    host = tf.constant([1.0, 2.0])
    device = tf.ones([300, 7]) + host[0]

    @tf.function
    def double(x: Any) -> Any:
        return x * 2.0

    double(host)
    context_of(tf).getExtension("WEBGL_lose_context").loseContext()
    for use in (device.numpy, lambda: device + 1.0, lambda: tf.sinh(host), lambda: double(host)):
        with pytest.raises(tf.errors.UnavailableError, match="context lost"):
            use()
    with pytest.raises(tf.errors.OpError, match="context lost"):
        await device.data()
    report = tf.backend_report()["webgl"]
    assert report["status"] == "lost"
    assert "context lost" in report["reason"]

    assert await tf.set_backend_async("webgl")
    assert tf.backend_report()["webgl"]["status"] == "chosen"
    assert tf.get_backend() == "webgl"
    assert (await double(host).data()).tolist() == [2, 4]
    assert (await tf.sinh(host * 0.0).data()).tolist() == [0, 0]
    with pytest.raises(tf.errors.UnavailableError, match="context lost"):
        await (device + 1.0).data()
    await tf.set_backend_async("wasm")
    assert (await double(host).data()).tolist() == [2, 4]


async def lose_device(tf: Any, backend: str) -> None:
    """Lose the device, as when the browser takes the GPU away."""
    import asyncio

    if backend == "webgpu":
        tf.browser.gpu_device().destroy()
    else:
        context_of(tf).getExtension("WEBGL_lose_context").loseContext()
    await asyncio.sleep(0.1)


@run_in_browser(backends=["webgl", "webgpu"], check_leaks=False, fresh_page=True)
async def test_training_goes_on(tf: Any, backend: str) -> None:
    """Check that training continues after the device is lost.

    Variables are restored together, from copies of one moment. Compiled steps run again, and their
    constants are uploaded again.
    """
    import asyncio

    w, steps = tf.Variable(tf.zeros([400])), tf.Variable(tf.zeros([400]))
    given = np.ones(400, np.float32)
    twice = np.full(400, 2.0, np.float32)  # too large for a copy on the host

    @tf.function
    def step(x: Any) -> Any:
        w.assign_add(tf.constant(twice) * x)
        steps.assign_add(x)
        return tf.reduce_mean(w)

    with pytest.raises(ValueError, match="must be positive"):
        tf.config.experimental.keep_host_copies(0)
    tf.config.experimental.keep_host_copies(seconds=0.2)
    try:
        for _ in range(20):
            await step(given).data()
            await asyncio.sleep(0.02)
        before = float((await steps.data())[0])
        await lose_device(tf, backend)
        with pytest.raises(tf.errors.UnavailableError, match="lost"):
            await step(given).data()
        with pytest.warns(RuntimeWarning, match="2 Variables were restored from their host copies"):
            assert await tf.set_backend_async(backend)
        kept = float((await steps.data())[0])
        assert 0 < kept <= before == 20
        np.testing.assert_array_equal(await w.data(), np.full(400, 2 * kept))
        for _ in range(5):
            await step(given).data()
        np.testing.assert_array_equal(await w.data(), np.full(400, 2 * (kept + 5)))
        gone = tf.Variable(tf.zeros([400]))
        gone.assign_add(given)
    finally:
        tf.config.experimental.keep_host_copies(None)
    await lose_device(tf, backend)
    assert await tf.set_backend_async(backend)
    with pytest.raises(tf.errors.UnavailableError, match="lost"):
        await (gone + 1.0).data()


@run_in_browser(backends=["webgl", "webgpu"], check_leaks=False, fresh_page=True)
async def test_what_was_paged_out_comes_back(tf: Any, backend: str) -> None:
    """Check that tensors on the host can be read and used after the device is lost."""
    factory, priority = tf.find_backend_factory(backend), tf.backend_report()[backend]["priority"]
    tf.remove_backend(backend)
    tf.env().set("TFPY_GPU_MEMORY_BUDGET", 2**20)
    tf.register_backend(backend, factory, priority)
    await tf.set_backend_async(backend)
    held = [tf.ones([2**16]) * float(number) for number in range(16)]
    truth = held[1] > 0.5
    for _ in range(4):
        await (tf.ones([300]) + 1.0).data()
    await lose_device(tf, backend)
    assert (await held[0].data() == 0.0).all()
    assert await tf.set_backend_async(backend)
    back = []
    for number, tensor in enumerate(held):
        try:
            assert (await (tensor + 1.0).data() == number + 1.0).all()
            back.append(number)
        except tf.errors.UnavailableError:
            continue
    assert {0, 2, 3, 4, 5, 6, 7} <= set(back)
    assert len(back) < 16, "the last ones were on the device"
    with pytest.raises(tf.errors.UnavailableError, match="lost"):
        await truth.data()
