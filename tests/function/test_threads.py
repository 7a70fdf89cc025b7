"""Functions that several threads trace, differentiate and run at the same time."""

from __future__ import annotations

import itertools
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import tfpy as tf
from tfpy._src.backends.cpu import CpuBackend
from tfpy._src.functions.executor.program import DeviceProgram


@pytest.fixture(autouse=True)
def switching_often() -> Iterator[None]:
    """Make threads switch within an op."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(before)


def at_once(work: Callable[[int], Any], count: int = 12) -> list[Any]:
    """Run work in threads, and return each thread's result or error."""
    found: list[Any] = [None] * count
    together = threading.Barrier(count)

    def run(number: int) -> None:
        together.wait()
        try:
            found[number] = work(number)
        except Exception as error:
            found[number] = error

    threads = [threading.Thread(target=run, args=(n,)) for n in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return found


def test_one_function_is_traced_for_many_shapes() -> None:
    @tf.function
    def total(x: Any) -> Any:
        return tf.reduce_sum(x * 2 + 1)

    assert at_once(lambda n: float(total(tf.ones([n + 1])))) == [3.0 * n for n in range(1, 13)]
    assert total.experimental_get_tracing_count() == 12


def test_one_signature_is_traced_once() -> None:
    seen: list[int] = []

    @tf.function
    def twice(x: Any) -> Any:
        seen.append(1)
        return x * 2.0

    x = tf.ones([3])
    found = at_once(lambda n: twice.get_concrete_function(x))
    assert len(seen) == 1
    assert len({id(concrete) for concrete in found}) == 1


def test_control_flow_is_converted_by_many_threads() -> None:
    def work(number: int) -> float:
        @tf.function
        def program(n: Any, x: Any) -> Any:
            for _ in tf.range(n):
                x = x * 2.0 if x < 100.0 else x + float(number)
            return x

        return float(program(tf.constant(5), tf.constant(1.0)))

    assert at_once(work) == [32.0] * 12


def test_gradients_of_one_function() -> None:
    v = tf.Variable(2.0)

    @tf.function
    def power(x: Any, n: Any) -> Any:
        for _ in tf.range(n):
            x = x * v
        return x

    def work(number: int) -> list[float]:
        x = tf.constant(float(number))
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = power(x, tf.constant(3))
        return [float(g) for g in tape.gradient(y, [x, v])]

    assert at_once(work) == [[8.0, 12.0 * n] for n in range(12)]


def test_a_program_is_registered_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Run a program in a second thread while the first one registers it."""
    function = tf.function(lambda x: tf.sin(x) * 2.0 + 1.0)
    concrete = function.get_concrete_function(tf.TensorSpec([], tf.float32))
    enter, register = DeviceProgram._register, CpuBackend.register
    registered = []
    second = threading.Event()
    entered = itertools.count(1)

    def entering(self: DeviceProgram) -> None:
        if next(entered) == 2:
            second.set()
        enter(self)

    def registering(self: CpuBackend, compiled: Any) -> int:
        second.wait(60)
        registered.append(compiled.graph)
        return register(self, compiled)

    monkeypatch.setattr(DeviceProgram, "_register", entering)
    monkeypatch.setattr(CpuBackend, "register", registering)
    assert at_once(lambda n: float(concrete(tf.constant(0.0)))) == [1.0] * 12
    assert len(registered) == 1


def test_a_tape_records_the_thread_that_opened_it() -> None:
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        found = at_once(lambda n: x * float(n))
        y = x * x
    assert tape.gradient([y, *found], x).numpy() == 6.0


def test_an_eager_thread_beside_a_trace() -> None:
    begun, ended = threading.Event(), threading.Event()
    seen: list[Any] = []

    def beside() -> None:
        begun.wait()
        seen.append((tf.executing_eagerly(), (tf.constant(2.0) * 3.0).numpy()))
        ended.set()

    thread = threading.Thread(target=beside)
    thread.start()

    @tf.function
    def program(x: Any) -> Any:
        begun.set()
        ended.wait(20)
        return x + 1.0

    assert program(tf.constant(1.0)).numpy() == 2.0
    thread.join()
    assert seen == [(True, 6.0)]
