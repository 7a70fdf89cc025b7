"""The dispatch extension: frequent calls take the fast path, and results and errors are the same.

`test_dispatch_processes.py` runs these tests in a process with the extension. They are skipped in
other processes.
"""

from __future__ import annotations

import gc
import signal
import sys
import threading
import traceback
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
import pytest
from runtime.fake import DeviceFailure, FakeDevice, active

import tfpy as tf
from tfpy._src.backends import interrupts, registry
from tfpy._src.backends.backend import Backend
from tfpy._src.backends.interrupts import held
from tfpy._src.backends.javascript import bridge
from tfpy._src.backends.storage import Storage, statistics
from tfpy._src.compiler.ops import elementwise
from tfpy._src.core import eager, fast_path, scalar_cache

pytestmark = pytest.mark.skipif(fast_path.extension is None, reason="pytest -p compiled_dispatch")


def fast(work: Callable[[], Any]) -> tuple[int, int]:
    """Return how many ops and compiled calls took the fast path during some work."""
    ops, calls = fast_path.extension.taken()
    work()
    now = fast_path.extension.taken()
    return now[0] - ops, now[1] - calls


class LateDevice(FakeDevice):
    """A device with the bookkeeping of the JavaScript runtimes, which the extension does itself."""

    discard = Backend.discard


@pytest.fixture(params=[FakeDevice, LateDevice])
def device(request: pytest.FixtureRequest) -> Iterator[FakeDevice]:
    with active(request.param) as backend:
        yield backend


@pytest.fixture
def x() -> tf.Tensor:
    found = tf.constant([1.0, -2.0, 3.0]) * 1.0
    return found


@pytest.mark.parametrize(
    "work",
    [
        lambda x: x + x,
        lambda x: -x,
        lambda x: x < x,
        lambda x: tf.nn.relu(x),
        lambda x: tf.reduce_sum(x, axis=0),
        lambda x: tf.reshape(x, [3, 1]),
        lambda x: x == x,
    ],
)
def test_ops_take_the_fast_path(device: FakeDevice, work: Any) -> None:
    x = tf.constant([1.0, -2.0, 3.0])
    first = work(x)
    assert fast(lambda: work(x)) == (1, 0)
    np.testing.assert_array_equal(work(x).numpy(), first.numpy())
    assert work(x).dtype is first.dtype
    assert work(x).shape == first.shape


def test_numbers_take_the_fast_path(device: FakeDevice) -> None:
    """Check Python numbers as operands: each kind of number and sign has its own constant."""
    x, whole = tf.constant([1.0, -2.0, 3.0]), tf.constant([7, -8, 9])
    works: list[Callable[[], Any]] = [
        *(lambda: x * 2.0, lambda: 2.0 * x, lambda: 1 - x, lambda: x - 1, lambda: x > 0),
        *(lambda: x == 1, lambda: x**2, lambda: whole // 2, lambda: whole % 3, lambda: 5 + whole),
        *(lambda: x * 0.0, lambda: x * -0.0, lambda: 2.0 - x, lambda: x != 1.0),
        *(lambda: eager.apply(elementwise.maximum, x, 0.0), lambda: x * float("nan")),
    ]
    for work in works[:-1]:
        first = work()
        assert fast(work) == (1, 0)
        found = work()
        assert found.aval is first.aval
        assert found.numpy().tobytes() == first.numpy().tobytes()
    assert np.isnan(works[-1]().numpy()).all()
    assert np.signbit((x * -0.0).numpy()).tolist() == [True, False, True]
    assert np.signbit((x * 0.0).numpy()).tolist() == [False, True, False]


def test_numbers_that_need_python(device: FakeDevice) -> None:
    """Check that a number of another type or dtype has the same result or error as before."""
    x, whole = tf.constant([1.0, -2.0, 3.0]), tf.constant([7, -8, 9])
    for _ in range(3):
        _ = x * 2.0, x * 1, whole * 1
        assert (whole * 2).dtype == tf.int32
        for wrong in (2.0, 2**40, "2"):
            with pytest.raises((TypeError, ValueError)):
                _ = whole * wrong
        np.testing.assert_array_equal((x * np.float64(2)).numpy(), [2.0, -4.0, 6.0])
    scalar_cache.clear_scalars()
    np.testing.assert_array_equal((x * 2.0).numpy(), [2.0, -4.0, 6.0])


def test_compiled_calls_take_the_fast_path(device: FakeDevice) -> None:
    v = tf.Variable([1.0, 2.0, 3.0])
    captured = tf.constant(np.arange(300, dtype=np.float32))
    functions = [
        tf.function(lambda a, b: a * b + a),
        tf.function(lambda a, b: (a * v, {"sum": a + b})),
        tf.function(lambda a, b: [a + tf.reduce_sum(captured), b + b]),
    ]
    a, b = tf.constant([1.0, 2.0, 3.0]), tf.constant([4.0, 5.0, 6.0])
    for function in functions:
        expected = function(a, b)
        function(a, b)
        assert fast(partial(function, a, b)) == (0, 1)
        assert function.cache_info().hits == 2
        for one, other in zip(
            tf.nest.flatten(function(a, b)), tf.nest.flatten(expected), strict=True
        ):
            np.testing.assert_array_equal(one.numpy(), other.numpy())
        tf.nest.assert_same_structure(function(a, b), expected)


def test_a_variable_has_its_current_value(x: tf.Tensor) -> None:
    v = tf.Variable([1.0, 1.0, 1.0])
    scaled = tf.function(lambda x: x * v * tf.reduce_sum(v * v))
    for value in (1.0, 2.0, 3.0, 4.0):
        v.assign([value] * 3)
        np.testing.assert_allclose(scaled(x).numpy(), x.numpy() * 3 * value**3)


def test_tapes_traces_scopes_and_observers_need_python(x: tf.Tensor) -> None:
    double = tf.function(lambda x: x + x)
    for _ in range(3):
        double(x)
    assert fast(lambda: double(x)) == (0, 1)

    def taped() -> None:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = double(x + x)
        np.testing.assert_array_equal(tape.gradient(y, x).numpy(), [4.0, 4.0, 4.0])

    taped()
    with tf.GradientTape():
        assert fast(lambda: (x + x, double(x))) == (0, 0)
    assert fast(lambda: tf.tidy(lambda: (x + x, double(x)))) == (0, 0)
    tf.config.run_functions_eagerly(True)
    try:
        assert fast(lambda: double(x))[1] == 0
    finally:
        tf.config.run_functions_eagerly(False)
    assert fast(lambda: double(x)) == (0, 1)


def test_calls_that_assign_variables_need_python(x: tf.Tensor) -> None:
    v = tf.Variable([0.0, 0.0, 0.0])
    add = tf.function(lambda x: v.assign_add(x))
    for _ in range(3):
        add(x)
    assert fast(lambda: add(x)) == (0, 0)
    np.testing.assert_array_equal(v.numpy(), 4 * x.numpy())


def test_references_are_released(device: FakeDevice) -> None:
    """Compare reference counts before and after many calls, some of which fail."""
    x = tf.constant([1.0, -2.0, 3.0])
    function = tf.function(lambda a: [a + x, a * 2.0])
    watched = [x, x.aval, x.storage, device, held, statistics, registry.active]

    def work() -> None:
        for _ in range(50):
            _ = x + x
            _ = function(x)
            tf.reduce_sum(x, axis=0)
            with pytest.raises(tf.errors.InvalidArgumentError):
                tf.reshape(x, [2, 2])
        gc.collect()

    work()
    device.collect()
    before = [sys.getrefcount(one) for one in watched], tf.memory(), len(gc.get_objects())
    work()
    device.collect()
    after = [sys.getrefcount(one) for one in watched], tf.memory(), len(gc.get_objects())
    assert after[:2] == before[:2]
    assert abs(after[2] - before[2]) < 50


def test_a_failed_run(device: FakeDevice, monkeypatch: pytest.MonkeyPatch) -> None:
    """Check that errors are converted, name the op, and leave nothing behind."""
    monkeypatch.setattr(bridge, "FAILURES", (DeviceFailure,))
    x = tf.constant([1.0, -2.0, 3.0])
    function = tf.function(lambda x: x + x)
    for _ in range(3):
        _ = x + x, function(x)
    gc.collect()
    run, memory = device.run, tf.memory()
    counts: list[int] = []

    def failing(program: int, *slots: int) -> int:
        counts.append(held.depth)
        raise DeviceFailure

    vars(device)["run"] = failing
    for work in (lambda: x + x, lambda: function(x)):
        with pytest.raises(tf.errors.ResourceExhaustedError, match="no memory is left") as caught:
            work()
        lines = traceback.extract_tb(caught.value.__traceback__)
        assert any(line.filename == __file__ and line.name == "<lambda>" for line in lines)
        assert caught.value.__suppress_context__
        del caught
    assert counts == [1, 1], "each run is made once, in a section without interrupts"
    vars(device)["run"] = run
    gc.collect()
    assert held.depth == 0
    assert tf.memory() == memory
    assert fast(lambda: (x + x, function(x))) == (1, 1)
    del vars(device)["run"]


@pytest.mark.parametrize("error", [KeyboardInterrupt, ValueError, SystemExit])
def test_other_exceptions_of_a_run(device: FakeDevice, error: type[BaseException]) -> None:
    x = tf.constant([1.0, -2.0, 3.0])
    _ = x + x

    def failing(program: int, *slots: int) -> int:
        raise error("of the run")

    vars(device)["run"] = failing
    with pytest.raises(error, match="of the run"):
        _ = x + x
    del vars(device)["run"]
    assert held.depth == 0


def test_an_interrupt_is_raised_after_the_run(device: FakeDevice) -> None:
    """Check that the slots of the results belong to storages when the interrupt is raised."""
    x = tf.constant([1.0, -2.0, 3.0])
    function = tf.function(lambda x: [x + x, x * x])
    for _ in range(3):
        _ = x + x, function(x)
    run, before = device.run, signal.getsignal(signal.SIGINT)

    def interrupted(program: int, *slots: int) -> int:
        first: int = run(program, *slots)
        signal.raise_signal(signal.SIGINT)
        return first

    gc.collect()
    device.collect()
    memory = tf.memory()
    signal.signal(signal.SIGINT, signal.default_int_handler)
    interrupts.install()
    try:
        vars(device)["run"] = interrupted
        for work in (lambda: x + x, lambda: function(x)):
            with pytest.raises(KeyboardInterrupt):
                work()
    finally:
        signal.signal(signal.SIGINT, before)
        del vars(device)["run"]
    device.collect()
    assert held.depth == 0
    assert not held.waits
    assert tf.memory() == memory


def test_threads(x: tf.Tensor) -> None:
    function = tf.function(lambda x: x * x + x)
    expected = (x * x + x).numpy()
    found: list[tf.Tensor] = []
    function(x)

    def work() -> None:
        found.extend(function(x * x) - (x * x) * (x * x) for _ in range(200))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 800
    for one in found:
        np.testing.assert_allclose(one.numpy(), (x * x).numpy(), rtol=1e-6)
    np.testing.assert_array_equal(function(x).numpy(), expected)


def test_disposed_tensors_and_wrong_operands(x: tf.Tensor) -> None:
    y = x + x
    _ = y + x
    y.dispose()
    with pytest.raises(RuntimeError, match="was disposed"):
        _ = y + x
    with pytest.raises(ValueError, match="unsupported type"):
        _ = x + object()
    with pytest.raises(tf.errors.InvalidArgumentError):
        _ = x + tf.constant([1.0, 2.0])
    assert (x == None) is False  # noqa: E711  # the operator is what is tested


def test_names_and_docstrings() -> None:
    assert tf.Tensor.__add__.__name__ == "method"
    assert "Run the compiled function" in (type(tf.function(abs)).__call__.__doc__ or "")


def test_the_extension_rejects_other_objects() -> None:
    with pytest.raises(TypeError, match="takes a dict"):
        fast_path.extension.bind_values([])
    with pytest.raises(TypeError, match="is no function"):
        fast_path.extension.of_apply(1)


def test_slots_are_discarded_and_freed(device: FakeDevice) -> None:
    x = tf.constant(np.ones(1000, np.float32))
    y = x + x
    device.collect()
    slots, freed = device.memory()["slots"], len(device.freed)
    for _ in range(100):
        y = x + x
    assert len(device.freed) > freed, "garbage is collected when its bytes are worth a call"
    device.collect()
    assert device.memory()["slots"] == slots
    assert device.garbage_bytes == 0
    y.dispose()
    assert device.garbage_bytes == 4000 + 1024


def test_storages_of_any_form_end() -> None:
    """Check that the finalizer accepts a storage without slots, and one that is not counted."""
    before = statistics.buffers, statistics.nbytes
    aval = tf.constant([1.0]).aval
    Storage(aval, np.ones(1, np.float32), counted=False)
    assert (statistics.buffers, statistics.nbytes) == before


class _Interrupting:
    """An attribute with a hash function that an interrupt stops once."""

    calls = 0

    def __hash__(self) -> int:
        self.calls += 1
        if self.calls == 1:
            raise KeyboardInterrupt
        return 0


def test_an_interrupt_before_a_run_is_raised(x: tf.Tensor) -> None:
    """Check that the fast path passes an interrupt on, although it ignores errors of keys."""
    with pytest.raises(KeyboardInterrupt):
        eager.apply(elementwise.negative, x, attribute=_Interrupting())


def test_tensors_without_slots_need_python(x: tf.Tensor) -> None:
    empty = tf.Tensor.__new__(tf.Tensor)
    function = tf.function(lambda x: x + x)
    for _ in range(3):
        function(x), x + x
    for work in (lambda: empty + x, lambda: x + empty, lambda: function(empty)):
        with pytest.raises(AttributeError, match="aval"):
            work()


def test_a_tensor_counts_once() -> None:
    """Check that the extension does not change the counts of `tf.memory()`."""
    gc.collect()
    before = tf.memory()["numTensors"]
    made = [tf.constant([1.0]) + tf.constant([2.0]) for _ in range(5)]
    assert tf.memory()["numTensors"] == before + 5
    assert statistics.tensors == sum(isinstance(one, tf.Tensor) for one in gc.get_objects())
    del made
