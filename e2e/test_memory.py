"""Memory of tensors seen from Python; memory of the GPU that runs out, or is taken away."""

from __future__ import annotations

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
    """The environment of these tests has it switched off by flags, so that kernels are reached."""
    from tfpy._src.runtime import registry

    device = registry.active_backend()
    assert device.few == 0
    device.few = 100
    try:
        slots = tf.memory()["backend"]["slots"]
        x, w = tf.constant(np.arange(13.0, dtype=np.float32)), tf.Variable(2.5)
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.square(x * w))
        w.assign_sub(0.001 * tape.gradient(loss, w))
        assert loss.device.endswith("CPU:0")
        assert tf.memory()["backend"]["slots"] == slots
        np.testing.assert_allclose(w.numpy(), 2.5 - 0.001 * 2 * 2.5 * 650, rtol=1e-6)
        scaled = tf.ones([17, 13]) * w + x  # which the device computes
        assert scaled.device.endswith("GPU:0")
        assert (await scaled.data())[16].tolist() == (x + w).numpy().tolist()
        assert float(tf.function(lambda v: v * w)(x)[2].numpy()) == float(w.numpy()) * 2
    finally:
        device.few = 0
        for compiled in device.programs.values():
            if compiled.program > 0:
                device.release(compiled.program)
        device.programs.clear()


@run_in_browser(backends=["webgl"])
async def test_reads_of_textures_that_are_not_full(tf: Any) -> None:
    """Small ones with what fills the last row, of large ones the full rows by themselves."""
    for count in (1, 6, 1001, 2**18 - 3, 2**18, 2**18 + 5):
        for dtype in (np.float32, np.int32):
            wanted = np.arange(count, dtype=dtype)
            for _ in range(2):  # the second time the page is blocked, where that was short
                np.testing.assert_array_equal((tf.constant(wanted) + 1).numpy(), wanted + 1)
                np.testing.assert_array_equal(await (tf.constant(wanted) * 2).data(), wanted * 2)


def no_texture_memory() -> Any:
    """A switch: textures of a MiB or more get no memory, and nobody says so."""
    from pyodide.code import run_js

    return run_js(
        """(() => { const P = WebGL2RenderingContext.prototype, { texStorage2D } = P;
        return (on) => { P.texStorage2D = !on ? texStorage2D : function (t, l, f, w, h) {
          if (w * h * 16 < 2 ** 20) texStorage2D.call(this, t, l, f, w, h); } }; })()"""
    )


@run_in_browser(backends=["webgl"])
async def test_no_texture_memory(tf: Any) -> None:
    """An error names what was asked for; afterwards the values are right again."""
    switch = no_texture_memory()
    small = tf.constant([1.0, 2.0]) + 1.0
    big = np.ones([1000, 1048], np.float32)
    w = tf.Variable(tf.zeros([2]))

    @tf.function
    def total() -> Any:
        return tf.reduce_sum(tf.fill([1000, 1048], 1.0) * small[0] + 0.5)

    switch(True)
    try:
        for make in (
            lambda: tf.fill([1000, 1048], 1.0) + 0.5,
            lambda: tf.constant(big) * 2.0,
            total,
        ):
            for _ in range(2):
                with pytest.raises(
                    tf.errors.ResourceExhaustedError, match=r"bytes wanted.* in use"
                ):
                    make()
        w.assign_add(small)
        assert (await w.data()).tolist() == [2, 3]
        with pytest.raises(tf.errors.ResourceExhaustedError, match="a tensor may take"):
            tf.zeros([2**20, 2**20])
        with pytest.raises(tf.errors.ResourceExhaustedError, match="a tensor may take"):
            tf.tile(small, [2**28])
    finally:
        switch(False)
    assert float(tf.reduce_sum(tf.fill([1000, 1048], 1.0) + 0.5).numpy()) == 1572000
    assert float(await total().data()) == 1048000 * 2.5
    assert (await (tf.constant(big) * 2.0).data()).sum() == 2096000


def context_of(tf: Any) -> Any:
    """The context of the webgl backend: whoever makes the next texture."""
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
    """Errors say what happened; another context is opened, and what is on the host is there."""
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
