"""GPU buffers of the page as tensors, and tensors as GPU buffers, without copies."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tfpy.testing import run_in_browser

STORAGE, COPY_SRC, COPY_DST = 0x80, 0x04, 0x08

DOUBLE = """(device, source, target, count) => {
  const code = `@group(0) @binding(0) var<storage, read> x: array<f32>;
    @group(0) @binding(1) var<storage, read_write> y: array<f32>;
    @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) {
      if (id.x < ${count}) { y[id.x] = 2.0 * x[id.x]; } }`;
  const module = device.createShaderModule({ code });
  const pipeline = device.createComputePipeline({ layout: "auto", compute: { module } });
  const layout = pipeline.getBindGroupLayout(0);
  const entries = [source, target].map((buffer, binding) => ({ binding, resource: { buffer } }));
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginComputePass();
  pass.setPipeline(pipeline);
  pass.setBindGroup(0, device.createBindGroup({ layout, entries }));
  pass.dispatchWorkgroups(Math.ceil(count / 64));
  pass.end();
  device.queue.submit([encoder.finish()]);
}"""
"""A kernel that belongs to the page."""


def buffer_of(device: Any, array: Any, usage: int = STORAGE | COPY_SRC | COPY_DST) -> Any:
    """Return a new buffer with the bytes of an array, and extra bytes at the end."""
    from pyodide.code import run_js

    make = run_js(
        """(device, size, usage, bytes) => { const b = device.createBuffer({ size, usage });
        if (usage & 8) device.queue.writeBuffer(b, 0, bytes); return b; }"""
    )
    from pyodide.ffi import to_js

    return make(device, array.nbytes + 16 & ~3, usage, to_js(array.tobytes()))


@run_in_browser(backends=["webgpu"])
async def test_there_and_back(tf: Any) -> None:
    """Pass a tensor through a kernel of the page and back.

    No bytes are transferred to the CPU.
    """
    from pyodide.code import run_js

    device = tf.browser.gpu_device()
    count = 10001
    target = buffer_of(device, np.zeros(count, np.float32), STORAGE | COPY_SRC)
    catch = run_js(
        """(() => { const Q = GPUQueue.prototype, B = GPUBuffer.prototype;
        const { writeBuffer } = Q, { mapAsync } = B; let bytes = 0;
        Q.writeBuffer = function (...x) { bytes += x[2].byteLength; writeBuffer.apply(this, x); };
        B.mapAsync = function (...x) { bytes += this.size; return mapAsync.apply(this, x); };
        return () => { Q.writeBuffer = writeBuffer; B.mapAsync = mapAsync; return bytes; }; })()"""
    )
    try:
        # Its kernel is still being compiled. The buffer waits for it.
        x = tf.random.stateless_uniform([count], [1, 2])
        source = await x.gpu_buffer()
        run_js(DOUBLE)(device, source, target, count)
        y = tf.browser.from_gpu_buffer(target, [count])
        z = tf.reshape(y, [1, count]) + 1.0
        await z.gpu_buffer()
    finally:
        crossed = catch()
    values = await x.data()
    np.testing.assert_array_equal(await y.data(), values * 2.0)
    np.testing.assert_array_equal(await z.data(), (values * 2.0 + 1.0)[None])
    assert source.size >= values.nbytes
    assert crossed < 4096  # parameters of the programs, and numbers

    ints = buffer_of(device, np.arange(6, dtype=np.int32))
    t = tf.browser.from_gpu_buffer(ints, (2, 3), tf.int32)
    assert (await tf.reduce_sum(t, axis=1).data()).tolist() == [3, 12]
    flags = await (tf.constant([1.0, -1.0]) > 0.0).gpu_buffer()
    seen = tf.browser.from_gpu_buffer(flags, [2], tf.int32)
    assert (await seen.data()).tolist() == [1, 0]
    target.destroy()
    ints.destroy()


@run_in_browser(backends=["webgpu"])
async def test_the_pages_buffer_stays_the_pages(tf: Any) -> None:
    """Check that the page's buffer is not written by donation, reused or destroyed."""
    from pyodide.code import run_js

    device = tf.browser.gpu_device()
    values = np.ones([64, 64], np.float32)
    buffer = buffer_of(device, values)

    def used() -> int:
        memory = tf.memory()["backend"]
        return int(memory["allocatedBytes"] - memory["freeBytes"])

    before = used()
    v = tf.Variable(tf.zeros([64, 64]))
    v.assign(tf.browser.from_gpu_buffer(buffer, [64, 64]))

    @tf.function
    def step() -> None:
        v.assign(v * 2.0 + 1.0)

    for _ in range(3):
        step()
    np.testing.assert_array_equal(await v.value().data(), values * 15)
    for _ in range(8):  # takes free buffers
        await (tf.zeros([64, 64]) + 5.0).data()
    again = tf.browser.from_gpu_buffer(buffer, [4096])
    np.testing.assert_array_equal(await again.data(), values.ravel())
    again.dispose()
    assert used() >= before
    write = run_js("(d, b) => d.queue.writeBuffer(b, 0, new Float32Array([7, 8, 9, 10]))")
    write(device, buffer)
    last = tf.browser.from_gpu_buffer(buffer, [4])
    assert (await (last + 1.0).data()).tolist() == [8, 9, 10, 11]
    buffer.destroy()


@run_in_browser(backends=["webgpu"])
async def test_errors(tf: Any) -> None:
    import js

    device = tf.browser.gpu_device()
    array = np.zeros(8, np.float32)
    buffer = buffer_of(device, array)
    take = tf.browser.from_gpu_buffer
    with pytest.raises(ValueError, match=r"needs 64 bytes .*, but the buffer has 48"):
        take(buffer, [13])
    with pytest.raises(TypeError, match="float32 or int32, not bool"):
        take(buffer, [8], tf.bool)
    with pytest.raises(TypeError, match="buffer must be a GPUBuffer, not ndarray"):
        take(array, [8])
    with pytest.raises(TypeError, match="buffer must be a GPUBuffer, not Uint8Array"):
        take(js.Uint8Array.new(64), [8])
    with pytest.raises(ValueError, match=r"STORAGE \| GPUBufferUsage.COPY_SRC; it has 0x88"):
        take(buffer_of(device, array, STORAGE | COPY_DST), [8])
    with pytest.raises(TypeError, match=r"not complex64\. Cast"):
        await tf.complex(1.0, 2.0).gpu_buffer()

    adapter = await js.navigator.gpu.requestAdapter()
    other = await adapter.requestDevice()
    foreign = take(buffer_of(other, array), [8])
    with pytest.raises(tf.errors.InternalError, match=r"(?s)the device that tf.browser.gpu_device"):
        await (foreign + 1.0).data()
    other.destroy()
    assert (await (take(buffer, [8]) + 1.0).data()).tolist() == [1.0] * 8
    buffer.destroy()


@run_in_browser(backends=["wasm", "webgl"])
async def test_other_backends_have_none(tf: Any, backend: str) -> None:
    for call in (tf.browser.gpu_device, lambda: tf.browser.from_gpu_buffer(None, [1])):
        text = f"The {backend} backend cannot share"
        with pytest.raises(tf.errors.UnimplementedError, match=text):
            call()
    with pytest.raises(tf.errors.UnimplementedError, match=f"The {backend} backend cannot"):
        await tf.zeros([2]).gpu_buffer()
