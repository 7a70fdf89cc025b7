"""Notebook displays on each backend."""

from __future__ import annotations

from typing import Any

from tfpy.testing import run_in_browser
from tfpy.testing.environments import BACKENDS


@run_in_browser(backends=BACKENDS)
async def test_views(tf: Any, backend: str) -> None:
    """Show the values on a device, the kernels of a function and the device's description."""
    import asyncio
    from xml.etree import ElementTree

    def said(shown: Any) -> str:
        return "".join(ElementTree.fromstring(shown._repr_html_()).itertext())

    weights = tf.Variable(tf.reshape(tf.range(12.0), [4, 3]), name="weights")
    await tf.ready()
    values = tf.matmul(tf.ones([100, 4]), weights)
    assert f"shape (100, 3) · float32 · on {backend}" in said(values)
    assert "min" in said(values)
    assert "minmaxmeanstdNaN182622" in said(values)
    assert "data:image/png" in tf.ones([16, 16, 3])._repr_html_()
    assert "weights:0 · shape (4, 3) · float32 · trainable" in said(weights)

    @tf.function
    def dense(x: Any) -> Any:
        return tf.nn.relu(tf.matmul(x, weights) + 1.0)

    lowered = dense.lower(tf.TensorSpec([100, 4]))
    root = ElementTree.fromstring(lowered.to_svg())
    boxes = [title.text or "" for title in root.iter("{http://www.w3.org/2000/svg}title")]
    assert sum("float32[100,3], 1,200 bytes" in box for box in boxes) >= 2
    if backend in ("webgl", "webgpu"):
        assert [box.split("\n")[:2] for box in boxes if "kernel" in box] == [
            ["matmul+add+relu", "kernel matmul"]
        ]
    assert f"(x: float32[100,4]) → float32[100,3]{backend}" in said(dense)

    info = tf.device_info()
    assert info["tfpy"]["backend"] == backend
    assert info["host"]["browser"].startswith("Chrome ")
    assert info["host"]["cross-origin isolated"]
    assert info["python"]["Pyodide"]
    assert info["webgpu"]["maxBufferSize"] >= 2**28
    assert info["webgl"]["maxTextureSize"] >= 2048
    assert info["wasm"]["SIMD"]
    assert str(info).splitlines()[2].split() == ["backend", backend]
    assert "chosen" in said(tf.backend_report())

    turns = 0

    async def others() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0.01)

    task = asyncio.ensure_future(others())
    steps = tf.notebook.progress(range(30))
    async for step in steps:
        steps.show(loss=tf.reduce_sum(dense(tf.fill([100, 4], float(step)))))
        end = asyncio.get_event_loop().time() + 0.01
        while asyncio.get_event_loop().time() < end:
            pass
    task.cancel()
    assert turns > 5
    assert steps.values["loss"] > 0
