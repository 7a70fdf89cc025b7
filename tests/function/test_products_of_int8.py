"""Products with int8 weights, as in Keras's layers, on a device that multiplies bytes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from runtime.fake import FakeDevice

import tfpy as tf
from tfpy._src.backends import registry
from tfpy._src.compiler.lower.webgpu import WebGPUTarget


class PackingDevice(FakeDevice):
    """A device with the kernels of webgpu that stores no int8."""

    name = "packing"
    target = WebGPUTarget()


@pytest.fixture
def device() -> Iterator[FakeDevice]:
    tf.register_backend("packing", PackingDevice)
    tf.set_backend("packing")
    found = registry.active_backend()
    assert isinstance(found, FakeDevice)
    yield found
    tf.remove_backend("packing")
    tf.set_backend("cpu")


@pytest.mark.parametrize("rows", [2, 20])
@pytest.mark.parametrize("moved", [False, True])
def test_weights_are_uploaded_once(device: FakeDevice, rows: int, moved: bool) -> None:
    """Check that bytes are multiplied as stored, or as computed once if their axes are moved.

    Calls upload nothing, however late the function reads the weights.
    """
    rng = np.random.default_rng(4)
    x = rng.integers(-128, 128, (rows, 80)).astype(np.int8)
    arrays = [rng.integers(-128, 128, (80, 80)).astype(np.int8) for _ in range(2)]
    weights = [tf.Variable(a.reshape(8, 10, 80).swapaxes(0, 1) if moved else a) for a in arrays]

    def product(x: Any, w: Any) -> Any:
        if moved:
            w = tf.reshape(tf.transpose(w, (1, 0, 2)), (80, 80))
        return tf.matmul(tf.cast(x, tf.int8), w, output_type=tf.int32)

    @tf.function
    def forward(x: Any) -> Any:
        for w in weights:
            x = tf.clip_by_value(tf.cast(product(x, w), tf.float32) / 1000, -127, 127)
        return x

    given = tf.constant(x, tf.float32)
    forward(given)
    before = device.uploads
    got = forward(given).numpy()
    assert device.uploads == before
    wanted = x.astype(np.float32)
    for array in arrays:
        sums = wanted.astype(np.int8).astype(np.int32) @ array.astype(np.int32)
        wanted = np.clip(sums.astype(np.float32) / np.float32(1000), -127, 127)
    np.testing.assert_array_equal(got, wanted)
    assert device.compiled.count("matmul") == 0
    assert "multiply_stored" in forward.lower(given).as_text()
