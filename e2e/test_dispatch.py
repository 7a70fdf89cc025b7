"""The dispatch extension in pages: frequent calls take it, with the same results and errors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tfpy.testing import run_in_browser
from tfpy.testing.environments import BROWSERS
from tfpy.testing.sessions import OpenPage

DEVICES = ("wasm", "webgl", "webgpu")
EVERY_BROWSER = tuple(BROWSERS)
COUNTS = """
import tfpy as tf
from tfpy._src.core import fast_path
x = tf.constant([1.0, 2.0])
double = tf.function(lambda x: x * 2.0)
for _ in range(3):
    last = double(x + x)
[*fast_path.extension.taken(), *last.numpy().tolist()]"""


def with_python(work: Any) -> Any:
    """Do some work as in a package of pure Python: an observer keeps calls off the fast path."""
    from tfpy._src.core import eager
    from tfpy._src.functions.tf_function import traced

    seen: list[Any] = []
    eager.observers.append(seen.append)
    traced.observers.append(seen.append)
    try:
        return work()
    finally:
        eager.observers.remove(seen.append)
        traced.observers.remove(seen.append)


def taken() -> tuple[int, int]:
    """Return the numbers of ops and compiled calls that took the fast path."""
    from tfpy._src.core import fast_path

    found: tuple[int, int] = fast_path.extension.taken()
    return found


@run_in_browser(backends=("cpu", *DEVICES))
def test_frequent_calls_take_the_fast_path(tf: Any) -> None:
    """Count ops on few and on many numbers, and compiled calls, and compare the results."""
    v = tf.Variable(tf.ones([2000]))
    function = tf.function(lambda x, y: [x * v + y, tf.reduce_sum(x * y)])
    for size in (10, 2000):
        x = tf.constant(np.linspace(-1, 1, size, dtype=np.float32))
        y = x[::-1] * 1.0

        def work(x: Any = x, y: Any = y) -> list[Any]:
            parts = [x + y, -x, x * y, x < y, tf.nn.relu(x), tf.reduce_sum(x, axis=0)]
            return [part.numpy() for part in parts]

        work(), work()
        ops, _ = taken()
        found = work()
        assert taken()[0] == ops + 6
        for one, other in zip(found, with_python(work), strict=True):
            np.testing.assert_array_equal(one, other)
            assert one.dtype == other.dtype
    expected = [part.numpy() for part in function(x, y)]
    function(x, y)
    _, calls = taken()
    found = [part.numpy() for part in function(x, y)]
    assert taken()[1] == calls + 1
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_array_equal(one, other)


def check_counts(tf: Any) -> None:
    x = tf.constant(np.linspace(-1, 1, 2000, dtype=np.float32))
    function = tf.function(lambda x: [x + 1.0, x * x])
    for _ in range(2):
        function(x + x)
    before = taken()
    found = function(x + x)
    now = taken()
    assert [now[0] - before[0], now[1] - before[1]] == [1, 1]
    np.testing.assert_array_equal(found[1].numpy(), (2 * x.numpy()) ** 2)


@run_in_browser(backends=["wasm"], environment="not-isolated", browsers=EVERY_BROWSER)
def test_in_every_browser(tf: Any) -> None:
    check_counts(tf)


@run_in_browser(backends=["wasm"], environment="worker", browsers=EVERY_BROWSER)
def test_in_workers(tf: Any) -> None:
    check_counts(tf)


def test_strict_content_security_policy(tfpy_page: Callable[..., OpenPage]) -> None:
    page = tfpy_page("tfpy-testing/strict.html")
    code = """import("/tfpy.mjs").then(async ({ loadTfpy }) => {
        const tfpy = await loadTfpy({ backend: "wasm" });
        return await tfpy.run(COUNTS);
    })"""
    assert page.evaluate(code.replace("COUNTS", repr(COUNTS)), 120.0) == [2, 1, 4.0, 8.0]


@run_in_browser(backends=DEVICES)
def test_nothing_is_left(tf: Any) -> None:
    """Check that the slots of many results are freed, on the device and in Python."""
    from tfpy._src.backends import registry

    x = tf.constant(np.linspace(-1, 1, 2000, dtype=np.float32))
    function = tf.function(lambda x: [x + 1.0, x * x])

    def work() -> None:
        for _ in range(300):
            _ = function(x + x)[1] * x

    work()
    registry.active_backend().collect()
    before, counts = tf.memory(), taken()
    work()
    registry.active_backend().collect()
    now = taken()
    assert now[0] >= counts[0] + 590
    assert now[1] >= counts[1] + 295
    after = tf.memory()
    assert [after[n] for n in ("numTensors", "numBytes")] == [
        before[n] for n in ("numTensors", "numBytes")
    ]
    assert after["backend"]["slots"] == before["backend"]["slots"]


@run_in_browser(backends=["wasm"])
def test_errors_are_the_same(tf: Any) -> None:
    """Check that failing ops and compiled calls raise the same errors on both paths."""
    import traceback

    x = tf.constant(np.arange(3000, dtype=np.float32))
    function = tf.function(lambda x, i: tf.gather(x, i) * 2.0)
    valid, wrong = tf.constant([1, 2]) * 1, tf.constant([1, 5000]) * 1

    def error_of(work: Any) -> tuple[str, str, list[str]]:
        try:
            work()
        except tf.errors.InvalidArgumentError as error:
            names = [f.name for f in traceback.extract_tb(error.__traceback__)]
            return type(error).__name__, str(error), [n for n in names if n.startswith("wrong_")]
        raise AssertionError("no error was raised")

    def wrong_op() -> Any:
        return tf.gather(x, wrong)

    def wrong_call() -> Any:
        return function(x, wrong)

    for _ in range(3):
        tf.gather(x, valid), function(x, valid)
    before = taken()
    tf.gather(x, valid), function(x, valid)
    assert taken()[1] == before[1] + 1
    for work in (wrong_op, wrong_call):
        found, expected = error_of(work), error_of(lambda work=work: with_python(work))
        assert found[:2] == expected[:2]
        assert found[2] == expected[2] == [work.__name__]
    np.testing.assert_array_equal(function(x, valid).numpy(), [2.0, 4.0])
