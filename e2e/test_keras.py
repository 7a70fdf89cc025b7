"""Keras in a page: training on a device gives the same results as on NumPy."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tfpy.testing import run_in_browser

ROOT = Path(__file__).parents[1]
TWINS = ROOT / "tests" / "keras_twins"
PROGRAMS = (
    *("dense", "convolutional", "recurrent", "transformer_block", "dropout_and_noise"),
    *("own_loop", "callbacks", "preprocessing", "saved_and_loaded"),
)


@pytest.fixture
def sources() -> dict[str, str]:
    """Return the files of the programs that the Python tests compare with TensorFlow."""
    names = ("twins", "networks", "sequences", "training")
    return {f"{name}.py": (TWINS / f"{name}.py").read_text() for name in names}


def results(names: tuple[str, ...]) -> dict[str, Any]:
    """Return the arrays that the programs return."""
    import keras
    import twins

    for file in ("networks", "sequences", "training"):
        importlib.import_module(file)
    found = {}
    for name in names:
        keras.utils.set_random_seed(3)
        keras.backend.clear_session()
        found[name] = [np.asarray(x) for x in keras.tree.flatten(twins.PROGRAMS[name]())]
    return found


ON_NUMPY: dict[str, Any] = {}
"""Results of the programs on NumPy, computed once per page."""


@run_in_browser(
    packages=["keras"], backends=("wasm", "webgl", "webgpu"), timeout=900, check_leaks=False
)
async def test_programs(tf: Any, backend: str, sources: dict[str, str]) -> None:
    folder = Path("/tmp/twins")
    folder.mkdir(exist_ok=True)
    for name, text in sources.items():
        (folder / name).write_text(text)
    sys.path.insert(0, str(folder))
    mine = results(PROGRAMS)
    if not ON_NUMPY:
        await tf.set_backend_async("cpu")
        ON_NUMPY.update(results(PROGRAMS))
        await tf.set_backend_async(backend)
    for name, arrays in ON_NUMPY.items():
        for i, (a, b) in enumerate(zip(mine[name], arrays, strict=True)):
            np.testing.assert_allclose(a, b, 2e-4, 2e-4, err_msg=f"{name} {i}")


@run_in_browser(
    packages=["keras"], backends=("wasm", "webgl", "webgpu"), timeout=600, check_leaks=False
)
async def test_training_leaves_the_page_its_turns(tf: Any) -> None:
    import asyncio

    import keras

    from tfpy._src.backends import event_loop

    rng = np.random.default_rng(0)
    x = rng.normal(size=(512, 8)).astype(np.float32)
    y = (x.sum(1) > 0).astype(np.float32)
    keras.utils.set_random_seed(1)
    model = keras.Sequential(
        [keras.Input((8,)), keras.layers.Dense(16, "relu"), keras.layers.Dense(1, "sigmoid")]
    )
    model.compile(keras.optimizers.Adam(0.01), "binary_crossentropy", metrics=["accuracy"])
    usual, event_loop.SLICE = (
        event_loop.SLICE,
        0.0,
    )  # yields to the event loop after each batch, however fast the machine is
    turns = 0

    async def count() -> None:
        nonlocal turns
        while True:
            await asyncio.sleep(0)
            turns += 1

    task = asyncio.create_task(count())
    history = await model.fit_async(x, y, epochs=12, batch_size=32, verbose=0)
    task.cancel()
    event_loop.SLICE = usual
    assert history.history["accuracy"][-1] > 0.95
    assert turns >= 12 * 16
    loss, accuracy = await model.evaluate_async(x, y, verbose=0)
    assert accuracy > 0.95
    assert loss < 0.3
    out = await model.predict_async(x, verbose=0)
    assert ((out[:, 0] > 0.5) == (y > 0.5)).mean() == pytest.approx(accuracy, abs=1e-3)


@run_in_browser(backends=["wasm"], browsers=["chromium"], timeout=120)
async def test_a_turn_lets_timers_go_first(tf: Any) -> None:
    """Check that timers run first.

    They would wait 50 ms if Python continued by a message.
    """
    import time

    import js
    from pyodide.ffi import create_proxy

    from tfpy._src.backends import event_loop

    ticks = 0

    def tick() -> None:
        nonlocal ticks
        ticks += 1

    proxy = create_proxy(tick)
    timer = js.setInterval(proxy, 0)
    began = time.perf_counter()
    for _ in range(20):
        while time.perf_counter() - began < event_loop.SLICE:
            pass
        await event_loop.give_turn()
        began = time.perf_counter()
    js.clearInterval(timer)
    proxy.destroy()
    assert ticks >= 15


@run_in_browser(packages=["keras"], backends=("wasm", "webgpu"), check_leaks=False)
async def test_a_loss_of_nan_is_reported_once(tf: Any) -> None:
    import keras

    model = keras.Sequential([keras.Input((2,)), keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    x = np.full([8, 2], np.nan, np.float32)
    with pytest.warns(RuntimeWarning, match="loss is NaN after epoch 1") as found:
        await model.fit_async(x, x[:, :1], epochs=3, verbose=0)
    assert len(found) == 1
    with pytest.warns(RuntimeWarning, match="model.fit_async.* was never awaited"):
        model.fit_async(x, x[:, :1])


@run_in_browser(packages=["keras"], backends=("wasm", "webgl", "webgpu"), check_leaks=False)
async def test_saving_without_blocking_reads(tf: Any) -> None:
    """Save a model although its backend cannot read without `await`, like webgpu in Safari."""
    import keras

    from tfpy._src.backends import registry

    model = keras.Sequential([keras.Input((64,)), keras.layers.Dense(64)])
    model.compile("adam", "mse")
    x = np.ones([8, 64], np.float32)
    await model.fit_async(x, x, verbose=0)
    wanted = await model.predict_async(x, verbose=0)

    def refused(*args: Any) -> Any:
        raise RuntimeError("a blocking read")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(registry.active_backend(), "read", refused)
        await model.save_async("/tmp/model.keras")
    loaded = keras.models.load_model("/tmp/model.keras")
    found = await loaded.predict_async(x, verbose=0)
    np.testing.assert_allclose(found, wanted, 1e-6)
