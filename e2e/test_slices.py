"""A page stays responsive while a compiled function computes on the page's thread."""

from __future__ import annotations

import asyncio
from typing import Any

import numpy as np
import pytest

from tfpy.testing import run_in_browser
from tfpy.testing.environments import BACKENDS

STEPS = 24
SIZES = {"cpu": 200, "wasm": 640, "webgl": 48, "webgpu": 48}
"""Sizes of matrices for which a product takes some milliseconds on wasm and cpu."""

BROWSERS = ("chromium", "firefox")

TURNS = """(() => {
  let count = 0;
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = () => { count++; port2.postMessage(0); };
  port2.postMessage(0);
  return {
    stop() {
      port1.close();
      return count;
    },
  };
})()"""
"""JavaScript that counts messages, because browsers slow down the timers of background pages."""


async def turns_during(call: Any) -> tuple[Any, int]:
    """Return the result of an awaited call and the number of event-loop tasks meanwhile."""
    from pyodide.code import run_js

    turns = run_js(TURNS)
    try:
        result = await call
    finally:
        count = turns.stop()
    return result, count


def network(tf: Any, backend: str) -> tuple[Any, Any, Any]:
    """Return a step of many products that doubles a Variable, the Variable and the step's input."""
    size = SIZES[backend]
    w = tf.Variable(np.random.default_rng(0).normal(size=(size, size)).astype("f") / size**0.5)
    scale = tf.Variable(1.0)

    @tf.function
    def step(x: Any) -> Any:
        for _ in range(STEPS):
            x = tf.tanh(x @ w)
        scale.assign(scale * 2.0)
        return x, scale + 0.0

    return step, scale, tf.constant(np.linspace(-1, 1, size * size, dtype="f").reshape(size, size))


@run_in_browser(backends=BACKENDS, environment="not-isolated", browsers=BROWSERS)
async def test_page_lives_beside_a_long_call(tf: Any, backend: str) -> None:
    """Check that the page runs tasks and that other code computes and reads during a call.

    The call returns its usual result.
    """
    from time import perf_counter

    step, scale, x = network(tf, backend)
    wanted, _ = step(x)
    await wanted.data()
    scales = []

    async def beside() -> None:
        y = tf.constant([1.0, 2.0])
        while True:
            y = tf.sqrt(y)
            assert (await y.data()).min() >= 1.0
            scales.append(float(await tf.identity(scale).data()))
            await asyncio.sleep(0)

    began = perf_counter()
    step(x)
    whole = (perf_counter() - began) * 1e3
    task = asyncio.ensure_future(beside())
    try:
        (found, doubled), count = await turns_during(step.call_async(x))
    finally:
        task.cancel()
        await asyncio.wait([task])
    np.testing.assert_array_equal(await found.data(), await wanted.data())
    assert float(await doubled.data()) == 8.0
    assert float(await tf.identity(scale).data()) == 8.0
    if backend in {"cpu", "wasm"} and whole > 150:
        assert count >= 4
        assert set(scales) == {4.0}


@run_in_browser(backends=BACKENDS, environment="not-isolated")
async def test_page_lives_beside_a_loaded_model(tf: Any, backend: str) -> None:
    from time import perf_counter

    size = SIZES[backend]
    rng = np.random.default_rng(0)
    weights = [rng.normal(size=(size, size)).astype("f") / size**0.5 for _ in range(STEPS // 2)]

    def layers(x: Any) -> Any:
        for w in weights:
            x = tf.tanh(x @ w)
        return x

    tf.save_graph_model(layers, "layers", [tf.TensorSpec([None, size])])
    model = await tf.load_graph_model_async("layers")
    x = tf.constant(rng.normal(size=(2 * size, size)).astype("f"))
    wanted = await model(x).data()
    began = perf_counter()
    await model(x).data()
    whole = (perf_counter() - began) * 1e3
    for _ in range(2):  # the first call measures its duration
        found, count = await turns_during(model.call_async(x))
        np.testing.assert_array_equal(await found.data(), wanted)
    if backend in {"cpu", "wasm"} and whole > 150:
        assert count >= 4


async def cancelled(call: Any, after: int) -> None:
    """Cancel a call after some event-loop tasks, unless it has ended by then."""
    task = asyncio.ensure_future(call)
    for _ in range(after):
        await asyncio.sleep(0)
    if task.cancel():
        with pytest.raises(asyncio.CancelledError):
            await task


@run_in_browser(backends=BACKENDS, environment="not-isolated")
async def test_cancelled_and_concurrent_calls(tf: Any, backend: str) -> None:
    """Check that nothing leaks, that Variables keep their values, and the next call."""
    step, scale, x = network(tf, backend)
    kept = await step.call_async(x)
    await kept[0].data()
    del kept
    await asyncio.sleep(0)
    before = [tf.memory()[name] for name in ("numTensors", "numBytes")]
    for after in (0, 1, 3, 8):
        await cancelled(step.call_async(x), after)
    assert [tf.memory()[name] for name in ("numTensors", "numBytes")] == before
    value = float(await tf.identity(scale).data())
    assert value in {2.0, 4.0, 8.0, 16.0}  # on GPUs a call may have ended before
    calls = await asyncio.gather(*[step.call_async(x) for _ in range(3)])
    doubled = [float(await call[1].data()) for call in calls]
    assert doubled == [2 * value, 4 * value, 8 * value]
    await asyncio.sleep(0)  # Pyodide holds the last error until the next task


@run_in_browser(
    backends=["wasm"], environment="not-isolated", packages=["keras"], check_leaks=False
)
async def test_page_lives_beside_training(tf: Any) -> None:
    """Test ``fit_async``, ``evaluate_async`` and ``predict_async`` with a slow step."""
    from time import perf_counter

    import keras

    layers = [keras.layers.Conv2D(32, 3, padding="same", activation="relu") for _ in range(12)]
    model = keras.Sequential(
        [keras.Input((64, 64, 8)), *layers, keras.layers.GlobalAveragePooling2D()]
    )
    model.compile("sgd", "mse", metrics=["mae"])
    x = np.random.default_rng(0).normal(size=(16, 64, 64, 8)).astype("f")
    y = np.zeros((16, 32), "f")

    def calls() -> dict[str, Any]:
        return {
            "fit": model.fit_async(x, y, batch_size=8, verbose=0),
            "evaluate": model.evaluate_async(x, y, batch_size=8, verbose=0),
            "predict": model.predict_async(x, batch_size=8, verbose=0),
        }

    for call in calls().values():
        await call
    for name, call in calls().items():
        began = perf_counter()
        _, count = await turns_during(call)
        took = (perf_counter() - began) * 1e3
        assert count >= min(10, took / 60), (name, took, count)
    plain = model.predict(x, batch_size=8, verbose=0)
    found = await model.predict_async(x, batch_size=8, verbose=0)
    np.testing.assert_array_equal(found, plain)
