"""Leak checks of tensors, device slots, and proxies between the languages."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tfpy.testing import run_in_browser


def train_step(tf: Any) -> None:
    x = tf.constant(np.ones((4, 8), np.float32))
    w = tf.Variable(np.ones((8, 3), np.float32))
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(tf.nn.softmax(tf.matmul(x, w)) ** 2.0)
    w.assign_sub(0.1 * tape.gradient(loss, w))
    w.numpy()


@run_in_browser(browsers=["chromium", "firefox"])
def test_a_training_step_frees_everything(tf: Any) -> None:
    """Run a training step under the plugin's leak check."""
    train_step(tf)


@run_in_browser(backends=["wasm", "webgl", "webgpu"])
def test_device_memory_does_not_grow(tf: Any) -> None:
    train_step(tf)
    tf.memory()
    bytes_before = tf.memory()["backend"]["bytes"]
    for _ in range(5):
        train_step(tf)
    assert tf.memory()["backend"]["bytes"] == bytes_before


@run_in_browser()
async def test_a_training_loop_holds_memory_flat(tf: Any) -> None:
    """Alternate a compiled step with eager ops. ``bench/steady.py`` runs 100,000 steps."""
    import gc

    x, mean = tf.constant(np.ones((4, 8), np.float32)), tf.constant(1.0)
    w, momentum = tf.Variable(tf.ones([8, 3])), tf.Variable(tf.zeros([8, 3]))

    @tf.function
    def step(x: Any) -> Any:
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.nn.softmax(x @ w) ** 2)
        momentum.assign(0.9 * momentum + tape.gradient(loss, w))
        w.assign_sub(0.01 * momentum)
        return loss

    async def held() -> tuple[dict[str, Any], int]:
        nonlocal mean
        for number in range(300):
            mean = mean * 0.9 + step(x * (1.0 + number % 7) + 0.1) * 0.1
            if number % 50 == 0:
                await mean.data()
        await mean.data()
        gc.collect()
        tf.memory()  # collects garbage
        memory = tf.memory()
        names = "slots", "bytes", "allocatedBytes", "programs", "heapBytes"
        device = {name: memory["backend"].get(name) for name in names}
        device |= {name: memory[name] for name in ("numTensors", "numBytes")}
        return device, len(gc.get_objects())

    await held()
    (before, objects), (after, more) = await held(), await held()
    allocated = after.pop("allocatedBytes"), before.pop("allocatedBytes")
    assert after == before
    assert allocated[0] is None or allocated[0] <= allocated[1]  # pools release unneeded storage
    assert more < objects + 100


@run_in_browser()
def test_errors_leak_nothing(tf: Any) -> None:
    before = tf.memory()["numTensors"]
    a, b = tf.zeros([2, 3]), tf.zeros([4, 5])
    for _ in range(3):
        with pytest.raises(tf.errors.InvalidArgumentError, match="matmul"):
            tf.matmul(a, b)
    del a, b
    assert tf.memory()["numTensors"] == before


kept: list[Any] = []


@run_in_browser(backends=["webgl"])
def tensor_leak(tf: Any) -> None:
    kept.append(tf.zeros([3]) + 1.0)


@run_in_browser(backends=["cpu"])
def proxy_leak() -> None:
    import js
    from pyodide.ffi import create_proxy

    js.leaked = create_proxy(lambda: 1)


@run_in_browser(backends=["cpu"])
def clean() -> None:
    pass


@run_in_browser(backends=["cpu"], timeout=3)
def hang() -> None:
    while True:
        pass


@run_in_browser(backends=["cpu"])
def wrong() -> None:
    values = [1, 2]
    assert sum(values) == 4, "a message"


class TestThePluginItself:
    """The checks above must be able to fail."""

    def outcome(self, sessions: Any, browser_test: Any) -> str:
        from tfpy.testing.mark import browser_test_of
        from tfpy.testing.plugin import Case, Target

        test = browser_test_of(browser_test)
        assert test is not None
        target = Target(sessions, Case(test, "chromium", test.backends[0]))
        try:
            browser_test(tfpy_target=target)
        except BaseException as failure:
            return str(failure)
        return ""

    def test_finds_a_tensor(self, tfpy_sessions: Any) -> None:
        text = self.outcome(tfpy_sessions, tensor_leak)
        assert "more tensors" in text
        assert "more slots" in text

    def test_finds_a_proxy(self, tfpy_sessions: Any) -> None:
        assert "1 more PyProxies" in self.outcome(tfpy_sessions, proxy_leak)

    def test_passes_clean_ones(self, tfpy_sessions: Any) -> None:
        assert self.outcome(tfpy_sessions, clean) == ""

    def test_ends_a_page_that_hangs(self, tfpy_sessions: Any) -> None:
        assert "no response in 3 s" in self.outcome(tfpy_sessions, hang)
        assert self.outcome(tfpy_sessions, clean) == ""

    def test_brings_assertions_back(self, tfpy_sessions: Any) -> None:
        text = self.outcome(tfpy_sessions, wrong)
        assert "where 3 = sum([1, 2])" in text
        assert "a message" in text
        assert "test_leaks.py" in text

    def test_names_what_is_wrong_with_an_environment(self) -> None:
        with pytest.raises(ValueError, match="no environment 'moon'"):
            run_in_browser(environment="moon")
