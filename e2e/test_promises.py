"""Promises of TensorFlow.js's platform guide and paper, on each backend that they mention.

``tests/promises.py`` lists the promises. These tests cover the promises that no other file covers.
A test's name begins with the source: guide, announcement (of the WASM backend) or paper.
"""

from __future__ import annotations

from time import perf_counter
from typing import Any

import numpy as np
import pytest

from tfpy.testing import run_in_browser
from tfpy.testing.environments import BACKENDS

GPUS = ("webgl", "webgpu")
DEVICES = ("wasm", *GPUS)

COUNTED = """(names) => {
  const found = {}, was = [];
  for (const name of names) {
    const [kind, method] = name.split(".");
    const prototype = globalThis[kind].prototype, before = prototype[method];
    was.push([prototype, method, before]);
    found[name] = 0;
    prototype[method] = function (...x) { found[name]++; return before.apply(this, x); };
  }
  const stop = () => was.forEach(([p, method, before]) => { p[method] = before; });
  return { total: () => Object.values(found).reduce((a, b) => a + b), stop };
}"""

COMPILES = {
    "webgl": ["WebGL2RenderingContext.linkProgram"],
    "webgpu": ["GPUDevice.createComputePipeline", "GPUDevice.createComputePipelineAsync"],
}
ALLOCATES = {
    "webgl": ["WebGL2RenderingContext.createTexture"],
    "webgpu": ["GPUDevice.createBuffer"],
}


class Counted:
    """A counter of calls of the browser's own methods within a ``with`` block."""

    def __init__(self, names: list[str]) -> None:
        from pyodide.code import run_js
        from pyodide.ffi import to_js

        self._calls = run_js(COUNTED)(to_js(names))

    def __enter__(self) -> Counted:
        return self

    def __exit__(self, *error: object) -> None:
        self._calls.stop()

    def __call__(self) -> int:
        """Return the number of calls so far."""
        return int(self._calls.total())


def in_use(tf: Any) -> tuple[int, int]:
    """Return the number of the program's tensors and the bytes of the device."""
    memory = tf.memory()
    return memory["numTensors"], memory["backend"]["bytes"]


@run_in_browser(backends=BACKENDS)
async def test_guide_ops_return_handles_at_once(tf: Any, backend: str) -> None:
    """Check that an op on a GPU returns before it is computed.

    On other backends the op itself computes.
    """
    x = tf.random.stateless_normal([512, 512], [1, 2])
    shares = []
    for _ in range(3):
        began = perf_counter()
        y = x
        for _ in range(4):
            y = tf.matmul(y, x) / 23.0
        returned = perf_counter()
        value = await y.data()
        shares.append((returned - began) / (perf_counter() - began))
    assert value.shape == y.shape == (512, 512)
    if backend in GPUS:
        assert min(shares) < 0.5, shares
    else:
        assert max(shares) > 0.5, shares


@run_in_browser(backends=BACKENDS)
async def test_guide_dispose_frees_the_memory(tf: Any) -> None:
    array = np.ones((300, 300), np.float32)
    await (tf.constant([1.0]) * 2.0).data()  # the number stays on the device
    before = in_use(tf)
    x = tf.constant(array) * 2.0
    assert in_use(tf)[1] - before[1] >= 360_000
    x.dispose()
    assert in_use(tf) == before
    assert x.is_disposed
    with pytest.raises(RuntimeError, match="disposed"):
        await x.data()


@run_in_browser(backends=BACKENDS)
async def test_guide_tidy_frees_what_is_not_returned(tf: Any) -> None:
    """Check that tensors that are still referenced are freed as well.

    Variables and kept tensors are not freed.
    """
    a = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    await (a * 1.0).data()
    before = in_use(tf)
    held: list[Any] = []

    def work() -> Any:
        held.append(tf.square(a))
        held.append(tf.math.log(held[0]))
        held.append(tf.Variable(held[0]))
        return tf.negative(held[1])

    y = tf.tidy(work)
    assert [x.is_disposed for x in held[:2]] == [True, True]
    assert (await held[2].data()).tolist() == [[1, 4], [9, 16]]
    np.testing.assert_allclose(await y.data(), -np.log([[1, 4], [9, 16]]), 1e-4, 1e-5)
    held.clear()
    del y
    assert in_use(tf) == before


@run_in_browser(backends=["webgl"], environment="float16")
async def test_guide_float16_textures(tf: Any) -> None:
    """Check that the flags report float16 textures, and values stay in the range of float16."""
    assert not tf.env().get_bool("WEBGL_RENDER_FLOAT32_ENABLED")
    assert tf.env().get_bool("WEBGL_RENDER_FLOAT32_CAPABLE")  # but the test requests less
    least, most = 2.0**-24, 65504.0
    kept = np.array([most, -most, 1.0, 2.0**-14, least] * 40, np.float32)
    np.testing.assert_array_equal(await (tf.constant(kept) * 1.0).data(), kept)
    beyond = await (tf.constant([70000.0, least / 4] * 100) * 1.0).data()
    assert not np.isfinite(beyond[::2]).any()
    assert not beyond[1::2].any()


@run_in_browser(backends=GPUS)
async def test_guide_shaders_are_compiled_once(tf: Any, backend: str) -> None:
    """Check that shaders are compiled at the first call.

    New values or another shape of equal rank compile no shaders.
    """
    from tfpy._src.backends import custom_kernels

    custom_kernels.forget_programs(backend)
    rng = np.random.default_rng(0)
    model = tf.function(lambda x, w: tf.nn.softplus(tf.matmul(x, w) * 0.37))
    with Counted(COMPILES[backend]) as compiled:
        found = []
        for rows in (40, 40, 48):
            x, w = (rng.normal(size=size).astype(np.float32) for size in ((rows, 20), (20, 30)))
            y = await model(tf.constant(x), tf.constant(w)).data()
            np.testing.assert_allclose(y, np.log1p(np.exp(x @ w * 0.37)), 1e-4, 1e-4)
            found.append(compiled())
    assert found[0] > 0
    assert found[1:] == [found[0]] * 2


@run_in_browser(backends=GPUS)
async def test_guide_a_model_is_warmed_up(tf: Any, backend: str) -> None:
    """Check that later calls compile nothing after a warm-up.

    The warm-up is a call with zeros, or `compile_model`.
    """
    for number, how in enumerate(("zeros", "compile_model")):
        scale = 1.25 + number  # makes another program
        model = tf.function(lambda x, scale=scale: tf.nn.softmax(tf.sinh(x) * scale))
        with Counted(COMPILES[backend]) as compiled:
            if how == "zeros":
                await model(tf.zeros([30, 40])).data()
            else:
                model = await tf.compile_model_async(model, tf.TensorSpec([30, 40]))
            warm = compiled()
            x = np.random.default_rng(0).uniform(-1, 1, (30, 40)).astype(np.float32)
            powers = np.exp(np.sinh(x) * scale)
            y = await model(tf.constant(x)).data()
            assert compiled() == warm > 0, how
        np.testing.assert_allclose(y, powers / powers.sum(1, keepdims=True), 1e-4, 1e-5)


@run_in_browser(backends=DEVICES)
async def test_guide_data_is_uploaded_at_its_first_use(tf: Any) -> None:
    made: list[Any] = []
    array = np.random.default_rng(0).normal(size=(200, 200)).astype(np.float32)

    async def use() -> Any:
        return await tf.reduce_sum(made[0] * 1.5).data()

    await tf.reduce_sum(tf.zeros([200, 200]) * 1.5).data()  # uploads the remaining data
    infos = [await tf.profile_async(lambda: made.append(tf.constant(array)))]
    infos += [await tf.profile_async(use), await tf.profile_async(use)]
    uploads = [
        sum(e["cat"] == "upload" for e in i.trace()["traceEvents"] if "cat" in e) for i in infos
    ]
    assert uploads == [0, 1, 0]
    assert infos[2].result == pytest.approx(array.sum() * 1.5, rel=1e-3)


@run_in_browser(backends=["wasm"])
async def test_announcement_wasm_is_faster_than_the_plain_backend(tf: Any) -> None:
    """Check that wasm is several times faster with the same program."""
    rng = np.random.default_rng(0)
    x, w = (rng.normal(size=s).astype(np.float32) for s in ((1, 32, 32, 64), (3, 3, 64, 64)))
    least, found = {}, {}
    for name in ("cpu", "wasm"):
        await tf.set_backend_async(name)
        call = tf.function(lambda x, w: tf.nn.relu(tf.nn.conv2d(x, w, 1, "SAME")))
        given = tf.constant(x), tf.constant(w)
        found[name] = await call(*given).data()
        times = []
        for _ in range(5):
            began = perf_counter()
            await call(*given).data()
            times.append(perf_counter() - began)
        least[name] = min(times)
    np.testing.assert_allclose(found["wasm"], found["cpu"], 1e-3, 1e-3)
    assert least["wasm"] < least["cpu"] / 2, least


@run_in_browser(backends=BACKENDS)
async def test_paper_tensors_are_immutable(tf: Any) -> None:
    """Check that ops, compiled functions and the program never change a tensor.

    Only Variables change.
    """
    array = np.arange(3000.0, dtype=np.float32)
    x, v = tf.constant(array) * 1.0, tf.Variable(array)
    old = tf.identity(v)
    tf.function(lambda y: v.assign(y * 3.0 + v))(x)
    await (tf.math.cumsum(x) + x).data()
    with pytest.raises(TypeError):
        x[0] = 5.0
    read = x.numpy()
    if read.flags.writeable:
        read[:] = 7.0
    array[:] = 9.0
    wanted = np.arange(3000.0)
    for tensor, factor in ((x, 1), (old, 1), (v, 4)):
        np.testing.assert_array_equal(await tensor.data(), wanted * factor)


@run_in_browser(backends=BACKENDS)
async def test_paper_reshape_and_identity_are_free(tf: Any) -> None:
    """Check that tensors share their storage until the last of them is freed."""
    x = tf.random.stateless_uniform([300, 300], [1, 2])
    values = await x.data()
    tensors, nbytes = in_use(tf)
    flat, same = tf.reshape(x, [9, 10000]), tf.identity(x)
    assert in_use(tf) == (tensors + 2, nbytes)
    x.dispose()
    assert in_use(tf) == (tensors + 1, nbytes)
    np.testing.assert_array_equal(await flat.data(), values.reshape(9, 10000))
    flat.dispose()
    np.testing.assert_array_equal(await same.data(), values)
    same.dispose()
    assert in_use(tf)[1] <= nbytes - 360_000


@run_in_browser(backends=BACKENDS)
async def test_paper_gradients_of_functions(tf: Any) -> None:
    """Differentiate functions with Python control flow, gradients, and custom gradients."""

    def power(x: Any, n: int) -> Any:
        y = x
        for _ in range(n - 1):
            y = y * x
        return y

    x = tf.constant(np.linspace(-2, 2, 9, dtype=np.float32))
    first = tf.grad(lambda x: power(x, 3))
    second = tf.grad(lambda x: tf.reduce_sum(first(x)))
    clipped = tf.custom_gradient(
        lambda x: (x * x, lambda g: tf.clip_by_value(2.0 * x * g, -1.0, 1.0))
    )
    at = np.linspace(-2, 2, 9)
    np.testing.assert_allclose(await first(x).data(), 3 * at**2, 1e-4, 1e-5)
    np.testing.assert_allclose(await second(x).data(), 6 * at, 1e-4, 1e-5)
    np.testing.assert_allclose(await tf.grad(clipped)(x).data(), np.clip(2 * at, -1, 1), 1e-4, 1e-5)


@run_in_browser(backends=["webgl"])
def test_paper_texels_hold_four_numbers(tf: Any) -> None:
    def texture_bytes() -> int:
        memory = tf.memory()["backend"]
        return int(memory["allocatedBytes"] - memory["freeBytes"])

    before = texture_bytes()
    x = tf.constant(np.ones((512, 512), np.float32)) * 1.5
    number = 16  # one texel
    assert texture_bytes() - before in (x.shape.num_elements() * 4 + n for n in (0, number))


@run_in_browser(backends=GPUS)
async def test_paper_memory_of_the_gpu_is_recycled(tf: Any, backend: str) -> None:
    """Check that calls of a model allocate nothing after the first few.

    Each call creates new tensors.
    """
    rng = np.random.default_rng(0)
    weights = [tf.constant(rng.normal(size=(64, 64)).astype(np.float32)) for _ in range(3)]
    inputs = [rng.normal(size=(32, 64)).astype(np.float32) for _ in range(2)]

    async def call(number: int) -> Any:
        x = tf.constant(inputs[number % 2])
        for weight in weights:
            x = tf.nn.relu(tf.matmul(x, weight)) * 0.1
        return await x.data()

    for number in range(4):
        await call(number)
    with Counted(ALLOCATES[backend]) as allocated:
        for number in range(8):
            found = await call(number)
        assert allocated() == 0
        await (tf.constant(np.ones((1500, 701), np.float32)) * 1.5).data()
        assert allocated() > 0, "nothing of that size was there"
    x = inputs[1]
    for weight in weights:
        x = np.maximum(x @ weight.numpy(), 0) * np.float32(0.1)
    np.testing.assert_allclose(found, x, 1e-3, 1e-4)
