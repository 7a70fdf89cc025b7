"""Loops on a device: values that the host reads back, and values that it computes itself."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import tfpy as tf
from tfpy._src.backends.cpu import CpuBackend
from tfpy._src.base.dtypes import DEVICE_DTYPES
from tfpy._src.functions.executor.host_shadow import LoopMirror


class Device(CpuBackend):
    """A device that counts reads."""

    name = "counting"
    on_host = False
    dtypes = DEVICE_DTYPES
    reads = 0

    def read(self, slot: int, aval: Any) -> Any:
        Device.reads += 1
        return super().read(slot, aval)


@pytest.fixture(autouse=True)
def _device() -> Iterator[None]:
    before = tf.get_backend()
    tf.register_backend("counting", Device, 0)
    tf.set_backend("counting")
    yield
    tf.set_backend(before)
    tf.remove_backend("counting")


def reads(function: Any, *args: Any) -> tuple[int, Any]:
    """Return the number of device reads in a call after the compiling call, and the result."""
    function(*args)
    Device.reads = 0
    result = function(*args)
    return Device.reads, result


X = np.ones([8, 8], np.float32)


def test_a_counted_loop_reads_nothing() -> None:
    @tf.function
    def program(x: Any) -> Any:
        for i in tf.range(20):
            x = x * 0.5 + tf.cast(i, tf.float32)
        return x

    assert reads(program, tf.constant(X))[0] == 0


def test_a_bound_from_the_device_is_read_once() -> None:
    @tf.function
    def program(x: Any, n: Any) -> Any:
        limit = tf.cast(tf.reduce_sum(x), tf.int32) // n
        i = tf.constant(0)
        while i < limit:
            x = x * 0.5
            i += 1
        return x, i

    count, (_, i) = reads(program, tf.constant(X), tf.constant(8))
    assert count == 1
    assert i.numpy() == 8


def test_indices_of_arrays_and_inner_loops_need_no_reading() -> None:
    @tf.function
    def program(x: Any) -> Any:
        rows = tf.TensorArray(tf.float32, size=6, element_shape=[8])
        for i in tf.range(5, -1, -1):
            total = tf.zeros([8])
            for j in tf.range(i):
                total = total + x[j]
            if i % 2 == 0:
                total = -total
            rows = rows.write(5 - i, total)
        return rows.stack()

    count, result = reads(program, tf.constant(X))
    assert count == 0
    np.testing.assert_array_equal(result[:, 0], [5, -4, 3, -2, 1, 0])


def test_gradients_of_a_counted_loop_read_nothing() -> None:
    @tf.function
    def program(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x
            for _ in tf.range(5):
                y = tf.sin(y) * x
        return tape.gradient(y, x)

    assert reads(program, tf.constant(X))[0] == 0


def test_a_condition_on_data_is_read_once_per_iteration() -> None:
    @tf.function
    def program(x: Any) -> Any:
        while tf.reduce_sum(x) > 1.0:
            x = x * 0.5
        return x

    assert reads(program, tf.constant(X))[0] == 7


def test_what_is_mirrored() -> None:
    @tf.function
    def program(x: Any, n: Any) -> Any:
        i = tf.constant(0)
        k = tf.constant(1)
        while i < n:
            x = x + 1.0
            i = i + k
            k = k + 1
        return x

    graph = program.get_concrete_function(tf.constant(X), tf.constant(3)).traced.graph
    (loop,) = [e for e in graph.eqns if e.op.name == "while_loop"]
    attrs = dict(loop.attrs)
    mirror = LoopMirror(attrs["test"], attrs["body"], attrs["state"])
    scalars = [p for p in range(attrs["state"]) if not graph.avals[loop.inputs[p]].shape]
    assert mirror.state == scalars
    assert mirror.test is not None
