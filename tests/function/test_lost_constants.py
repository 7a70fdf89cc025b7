"""Compiled functions with constants that were only on a device that is lost."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from runtime.fake import FakeDevice

import tfpy as tf
from tfpy._src.backends import registry

X = np.linspace(0, 1, 300, dtype=np.float32)
TABLE = np.arange(300, dtype=np.float32)


@pytest.fixture(autouse=True)
def device(monkeypatch: pytest.MonkeyPatch) -> None:
    """Activate a device that can be lost, and is reopened then."""
    monkeypatch.setattr(registry, "_entries", {})
    monkeypatch.setattr(registry, "active", None)
    tf.register_backend("cpu", registry.CpuBackend, 1)
    tf.register_backend("fake", FakeDevice, 5)
    tf.set_backend("fake")


def lose(name: str = "fake") -> None:
    """Lose the device and activate the backend `name`, reopened if necessary."""
    backend = registry.active_backend()
    assert isinstance(backend, FakeDevice)
    backend.loss = "the browser took it"
    assert tf.set_backend(name)


def made_inside(x: Any) -> Any:
    """Use an array without a host copy, and a tensor computed while tracing."""
    return x * tf.constant(TABLE) + tf.range(300, dtype=tf.float32) * 2.0


def signature(**how: Any) -> Callable[[Any], Any]:
    return tf.function(input_signature=[tf.TensorSpec([None])], **how)(made_inside)


@pytest.mark.parametrize("name", ["fake", "cpu"])
@pytest.mark.parametrize(
    "function",
    [tf.function(made_inside), signature(), tf.function(made_inside, reduce_retracing=True)],
    ids=["shapes", "signature", "reduced"],
)
def test_constants_are_made_anew(function: Any, name: str) -> None:
    wanted = X * TABLE + TABLE * 2
    np.testing.assert_allclose(function(X), wanted, rtol=1e-6)
    before = function.experimental_get_tracing_count()
    function(X)
    assert function.experimental_get_tracing_count() == before
    for _ in range(2):
        tf.set_backend("fake")
        function(X)
        lose(name)
        np.testing.assert_allclose(function(X), wanted, rtol=1e-6)
        np.testing.assert_allclose(asyncio.run(function.call_async(X)), wanted, rtol=1e-6)


def test_derivatives() -> None:
    w = tf.Variable(2.0)

    @tf.function
    def loss(x: Any) -> Any:
        return tf.reduce_sum(x * w * tf.constant(TABLE))

    @tf.function
    def step(x: Any) -> Any:
        with tf.GradientTape() as tape:
            y = loss(x)
        w.assign(tape.gradient(y, w))

    step(X)
    host = w.numpy()
    lose()
    w.assign(2.0)
    step(X)
    np.testing.assert_allclose(w, host)
    with tf.GradientTape() as tape:
        y = loss(X)
    np.testing.assert_allclose(tape.gradient(y, w), host)


def test_traces_that_lost_nothing_stay() -> None:
    w = tf.Variable(X)
    double = tf.function(lambda x: x * 2.0 + w)
    double(X)
    lose()
    w.assign(X)
    np.testing.assert_allclose(double(X), X * 3, rtol=1e-6)
    assert double.experimental_get_tracing_count() == 1


def test_captured_tensors() -> None:
    """Check that a lost tensor raises an error until the program creates it again."""
    table = tf.constant(TABLE) * 2.0

    @tf.function
    def scaled(x: Any) -> Any:
        return x * table

    scaled(X)
    lose()
    for _ in range(2):
        with pytest.raises(tf.errors.UnavailableError, match=r"float32\[300\].*browser took it"):
            scaled(X)
    table = tf.constant(TABLE) * 3.0
    np.testing.assert_allclose(scaled(X), X * TABLE * 3, rtol=1e-6)


def test_concrete_functions() -> None:
    """Check that concrete functions with open sizes are traced again.

    A single trace reports the loss.
    """
    function = tf.function(made_inside)
    opened = function.get_concrete_function(tf.TensorSpec([None]))
    one = function.get_concrete_function(tf.TensorSpec([300]))
    x = tf.constant(X)
    wanted = opened(x).numpy()
    one(x)
    lose()
    x = tf.constant(X)
    np.testing.assert_array_equal(opened(x), wanted)
    with pytest.raises(tf.errors.UnavailableError, match=r"float32\[300\].*browser took it"):
        one(x)
    again = function.get_concrete_function(tf.TensorSpec([300]))
    np.testing.assert_array_equal(again(x), wanted)
