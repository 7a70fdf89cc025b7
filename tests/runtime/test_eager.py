"""The eager executor on a device: programs, fallback to the host, uploads, garbage."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import numpy as np
import pytest
from runtime.fake import FakeDevice, active

import tfpy as tf
from tfpy._src.compiler.ir.op import UNSUPPORTED
from tfpy._src.core import eager, scalar_cache


@pytest.fixture
def device() -> Iterator[FakeDevice]:
    """Activate an empty fake device."""
    with active(lambda: FakeDevice(refuses=["sin"])) as backend:
        yield backend


def test_one_program_per_signature(device: FakeDevice) -> None:
    x, y = tf.constant([1.0, 2.0]), tf.constant([[1.0], [2.0]])
    for _ in range(3):
        _ = x + x
        _ = x + y
        _ = tf.reduce_sum(y, 0)
        _ = tf.reduce_sum(y, 1)
    assert device.compiled == ["add", "add", "reduce_sum", "reduce_sum"]
    assert device.runs == 12


def test_results_stay_on_the_device(device: FakeDevice) -> None:
    x = tf.constant(np.ones(2000, np.float32))
    assert x.storage.place == "host"
    y = tf.reduce_sum((x * 2 + x) / 3)
    assert (x.storage.place, y.storage.place) == ("fake", "fake")
    assert device.uploads == 3  # x, 2 and 3
    assert y.numpy() == 2000


def test_python_numbers_are_uploaded_once(device: FakeDevice) -> None:
    x = tf.constant([1.0]) + 0.25
    before = device.uploads
    for _ in range(5):
        x = x + 0.25
    assert device.uploads == before
    assert x.numpy() == 2.5


def test_the_cache_of_python_numbers_is_bounded(device: FakeDevice) -> None:
    for i in range(1200):
        scalar_cache.scalar(i, tf.int32)
    assert scalar_cache.scalar_count() <= 512
    assert scalar_cache.scalar(1, tf.int32) is scalar_cache.scalar(1, tf.int32)
    assert scalar_cache.scalar(1, tf.int32).dtype == tf.int32
    assert scalar_cache.scalar(1, tf.float32).dtype == tf.float32
    assert np.signbit(scalar_cache.scalar(-0.0, tf.float32).numpy())
    assert not np.signbit(scalar_cache.scalar(0.0, tf.float32).numpy())


def test_dtypes_of_the_host(device: FakeDevice) -> None:
    half = tf.constant([1.0, 2.0], tf.float16)
    result = half * half
    assert result.storage.place == "host"
    assert result.dtype == tf.float16
    assert result.numpy().tolist() == [1, 4]
    back = tf.cast(result, tf.float32) + 1
    assert back.storage.place == "fake"
    assert back.numpy().tolist() == [2, 5]
    assert tf.concat([["a"], ["b"]], 0).numpy().tolist() == [b"a", b"b"]
    assert "cast" not in device.compiled


def test_what_cannot_be_lowered_runs_on_the_host(device: FakeDevice) -> None:
    x = tf.constant([0.0, 1.0])
    y = tf.sin(x + 1)
    assert y.storage.place == "host"
    np.testing.assert_allclose(y.numpy(), np.sin([1, 2]), rtol=1e-6)
    assert (y * 2).storage.place == "fake"
    assert "sin" not in device.compiled


def test_unsupported_ops_run_on_the_host(
    device: FakeDevice, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(UNSUPPORTED, "fake", {"cos": "not written yet"})
    assert tf.cos(tf.constant([0.0])).storage.place == "host"
    assert "cos" not in device.compiled


@pytest.fixture
def few(device: FakeDevice) -> FakeDevice:
    """Return the fake device with ops of fewer than ten elements left to the host."""
    device.few = 10
    return device


def test_few_numbers_of_the_host_stay_there(few: FakeDevice) -> None:
    x = tf.constant([1.0, 2.0, 3.0])
    y = tf.reduce_sum(x * x + 1.0)
    assert (y.storage.place, y.numpy()) == ("host", 17)
    assert (few.uploads, few.compiled) == (0, [])
    z = tf.constant(np.ones(12, np.float32)) * y  # too many, so inputs are uploaded
    assert (z.storage.place, few.uploads, few.compiled) == ("fake", 2, ["multiply"])
    wide = tf.broadcast_to(y, [12])
    assert (wide.storage.place, few.uploads) == ("fake", 2)
    first = z[:3]  # not on the host
    assert (first.storage.place, (first + x).storage.place) == ("fake", "fake")
    assert (y + 1.0).storage.place == "host"  # the host still has y
    np.testing.assert_array_equal(first + x, [18, 19, 20])


def test_the_host_has_what_a_run_has_uploaded(few: FakeDevice) -> None:
    x, y = tf.constant([1.0, 2.0]), tf.Variable([3.0, 4.0])
    double = tf.function(lambda a, b: (a * 2.0, b + a))
    twice, both = double(x, y)
    assert (x.storage.place, twice.storage.place) == ("fake", "fake")
    assert (x + 1.0).storage.place == "host"
    y.assign_add(x)
    assert y.value().storage.place == "host"
    y.assign(both)
    assert (y * 2.0).storage.place == "fake"
    assert (y * 2.0).numpy().tolist() == [8, 12]


def test_gradients_and_memory_of_few_numbers(few: FakeDevice) -> None:
    def counted() -> tuple[int, int]:
        gc.collect()
        scalar_cache.clear_scalars()
        return tf.memory()["numTensors"], tf.memory()["numBytes"]

    w, x = tf.Variable([[1.0, 2.0], [3.0, 4.0]]), tf.constant([[1.0], [0.5]])
    before = counted()
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(tf.nn.relu(w @ x - 4.0) ** 2.0)
    gradient = tape.gradient(loss, w)
    assert (gradient.storage.place, few.compiled) == ("host", [])
    np.testing.assert_array_equal(gradient, [[0, 0], [2, 1]])
    del tape, loss, gradient
    assert counted() == before


def test_errors_on_the_host_name_the_values(few: FakeDevice) -> None:
    before = tf.memory()["numTensors"]
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.constant([1, 2]) // tf.constant([1, 0])
    assert tf.memory()["numTensors"] == before


def test_reshape_moves_nothing(device: FakeDevice) -> None:
    x = tf.constant(np.ones((10, 300), np.float32)) * 2
    before = (device.runs, device.uploads)
    y = tf.reshape(x, [300, 10])
    assert (device.runs, device.uploads) == before
    assert y.storage is x.storage
    assert y.numpy().shape == (300, 10)


@pytest.mark.parametrize(("elements", "dead"), [(5000, 4), (100_000, 1), (1, 64)])
def test_dead_tensors_are_freed_before_they_are_many_or_large(
    device: FakeDevice, elements: int, dead: int
) -> None:
    x = tf.constant(np.ones(elements, np.float32)) * 2
    slots = device.memory()["slots"]
    for _ in range(100):
        y = x + 1
        del y
    assert device.memory()["slots"] <= slots + 1 + dead  # 1 is on the device as well
    assert all(device.freed)
    assert tf.memory()["backend"]["slots"] <= slots + 1
    del x
    gc.collect()
    scalar_cache.clear_scalars()
    assert tf.memory()["backend"] == {"slots": 0, "bytes": 0}


def test_the_program_cache_is_bounded(device: FakeDevice, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(eager, "_MAX_PROGRAMS", 8)
    for n in range(1, 30):
        tf.zeros([n]) + 1  # two programs for each n
    assert len(device.programs) == 8
    assert len(device.released) == len(device.compiled) - 8
    assert (tf.zeros([1]) + 1).numpy() == [1]


def test_tensors_follow_a_change_of_backend(device: FakeDevice) -> None:
    x = tf.constant(np.arange(1000, dtype=np.float32)) + 1
    tf.set_backend("cpu")
    y = x * 2
    assert (x.storage.place, y.storage.place) == ("cpu", "cpu")
    tf.set_backend("fake")
    z = y + x
    assert z.storage.place == "fake"
    np.testing.assert_array_equal(z.numpy(), np.arange(1, 1001) * 3)
    assert device.garbage or device.freed


def test_errors_make_nothing(device: FakeDevice) -> None:
    x = tf.constant([1.0, 2.0]) + 1
    gc.collect()
    before = (tf.memory(), len(device.programs))
    for _ in range(3):
        with pytest.raises(tf.errors.InvalidArgumentError):
            tf.matmul(x, x)
    gc.collect()
    assert (tf.memory(), len(device.programs)) == before
    assert (x + 1).numpy().tolist() == [3, 4]


def test_gradients_on_the_device(device: FakeDevice) -> None:
    w = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(tf.nn.relu(w @ w - 8.0))
    gradient = tape.gradient(y, w)
    assert gradient.storage.place == "fake"
    # w @ w is [[7, 10], [15, 22]], so that the mask removes only its first element.
    mask = np.array([[0.0, 1.0], [1.0, 1.0]])
    value = w.numpy()
    np.testing.assert_allclose(gradient.numpy(), mask @ value.T + value.T @ mask)
