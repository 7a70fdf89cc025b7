"""How many changes of file it takes to read what a call does. What runs often is near together."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any, cast

import numpy as np
import pytest
from walks import Walk, walk

import tfpy as tf
from tfpy._src.lower import webgl
from tfpy._src.lower.webgl.glsl import shader
from tfpy._src.runtime import bridge, registry
from tfpy._src.runtime.device import DeviceBackend

SHADER = 40
"""Changes of file from an op to the shader of its first call, and back with the result."""

FUNCTION = 16  # 15
"""Changes of file in a warm call of a ``tf.function``."""

GRADIENT = 109  # 60
"""Changes of file in the gradient of two ops, forward and back."""


class _Device:
    """Stands for ``bridge.Device``: gives numbers and computes nothing."""

    variant = "none"

    def __init__(self) -> None:
        self._numbers = itertools.count(1)

    def _next(self, *_: Any) -> int:
        return next(self._numbers)

    write = register = run = _next

    def free(self, slots: list[int]) -> None:
        """There is nothing to free."""


def assert_at_most(limit: int, found: Walk) -> None:
    assert found.calls, "the walk notes calls"
    assert found.changes <= limit, f"more than {limit} changes of file\n{found}"


@pytest.fixture
def device(monkeypatch: pytest.MonkeyPatch) -> DeviceBackend:
    """A WebGL backend of which the lowering is real."""
    fake = cast(bridge.Device, _Device())
    backend = DeviceBackend("webgl", fake, webgl.lower, webgl.WebGLTarget())
    monkeypatch.setattr(registry, "active", backend)
    return backend


def test_relu_to_the_shader(device: DeviceBackend) -> None:
    """As at the first call of an op: its expression is rendered, the library has been read."""
    tf.nn.elu(tf.ones([7, 4]))
    shader._source.cache_clear()
    x = tf.ones([7, 3])
    x.slot_on(device)
    with walk() as found:
        y = tf.nn.relu(x)
    assert y.device == "webgl"
    assert {"lower/webgl/lowering.py", "lower/webgl/glsl/shader.py"} <= {*found.files}
    assert_at_most(SHADER, found)


def warm(function: Callable[[], Any]) -> Walk:
    """The walk of a third call."""
    for _ in range(2):
        function()
    with walk() as found:
        function()
    return found


def test_warm_call_of_a_function() -> None:
    f = tf.function(lambda x: tf.nn.relu(x) * 2.0)
    x = tf.constant(np.ones((7, 3), np.float32))
    assert_at_most(FUNCTION, warm(lambda: f(x)))


def test_gradient() -> None:
    x = tf.constant(np.ones((7, 3), np.float32))

    def gradient() -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.nn.relu(x) * 2.0
        return tape.gradient(y, x)

    assert_at_most(GRADIENT, warm(gradient))
