"""Several calls in one crossing to the device have the same effect as separate calls."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from function.in_place import SIZE, InPlaceDevice, numbers
from runtime.fake import DeviceFailure

import tfpy as tf
from tfpy._src.backends.javascript import bridge

Array = np.ndarray[Any, Any]


def updates() -> tuple[Any, list[tf.Variable]]:
    """Return a step that reads and assigns in all ways: in place, crosswise, twice, and unread."""
    a, b, c, d, e, f = (tf.Variable(tf.constant(numbers(i))) for i in range(6))
    count = tf.Variable(0)

    @tf.function
    def step(x: tf.Tensor, unread: tf.Tensor) -> Any:
        a.assign_add(x * f)
        b.assign(0.5 * b + c)
        c.assign(0.25 * c + tf.sin(b))
        d.assign(x * 2.0)
        e.assign(x * 2.0)
        count.assign_add(1)
        return {"sum": tf.reduce_sum(a), "values": (a.value(), x + 1.0)}

    return step, [a, b, c, d, e, f, count]


def given(count: int, size: int = SIZE) -> list[tuple[tf.Tensor, tf.Tensor]]:
    return [
        (tf.constant(numbers(10 + i)[:size]), tf.constant(numbers(20 + i))) for i in range(count)
    ]


def shown(values: Any) -> list[Array]:
    return [v.numpy() for v in tf.nest.flatten(values)]


@pytest.mark.parametrize("calls", [[1], [2], [5], [3, 1, 4]])
def test_it_is_as_call_by_call(calls: list[int], device: InPlaceDevice) -> None:
    (step, variables), (same, others) = updates(), updates()
    for count in calls:
        step(*given(1)[0])
        same(*given(1)[0])
        device.repeats = 0
        result = step.repeat(given(count))
        assert device.repeats == (count > 1)
        for args in given(count):
            wanted = same(*args)
        for x, y in zip(shown([result, variables]), shown([wanted, others]), strict=True):
            np.testing.assert_array_equal(x, y)


def test_nothing_is_left_but_the_last_values(device: InPlaceDevice) -> None:
    step, variables = updates()
    batches = given(6)
    step(*batches[0])
    step.repeat(batches)
    tf.memory()
    slots, donated = device.memory()["slots"], device.donated
    for _ in range(3):
        step.repeat(batches)
        tf.memory()
        assert device.memory()["slots"] == slots
    assert device.donated > donated
    assert len(shown(variables)) == 7


def test_a_value_that_somebody_holds_stays(device: InPlaceDevice) -> None:
    step, (a, *_) = updates()
    step(*given(1)[0])
    held = a.value()
    before = held.numpy()
    step.repeat(given(4))
    np.testing.assert_array_equal(held.numpy(), before)
    assert np.abs(a.numpy() - before).max() > 0


def test_calls_that_are_not_alike(device: InPlaceDevice) -> None:
    total = tf.Variable(tf.zeros([]))

    @tf.function
    def step(x: tf.Tensor, scale: float) -> tf.Tensor:
        return total.assign_add(scale * tf.reduce_sum(x)) + 0.0

    calls = [(tf.ones([n]), scale) for n, scale in [(3, 1.0), (3, 1.0), (2, 1.0), (2, 0.5)]]
    for _ in range(3):
        total.assign(0.0)
        assert step.repeat(calls).numpy() == 9.0
        assert total.numpy() == 9.0
    assert device.repeats == 2


def noisy() -> Callable[[tf.Tensor], tf.Tensor]:
    tf.random.set_seed(3)

    def walk(x: tf.Tensor) -> tf.Tensor:
        return x + tf.random.normal([SIZE])

    return walk


def test_random_numbers_are_new_in_each_call(device: InPlaceDevice) -> None:
    found = []
    for together in (True, False):
        v = tf.Variable(tf.zeros([SIZE]))
        walk = noisy()
        step = tf.function(lambda x, v=v, walk=walk: v.assign(walk(v) + x))
        x = tf.constant(numbers())
        step(x)
        if together:
            step.repeat([(x,)] * 3)
        else:
            for _ in range(3):
                step(x)
        found.append(v.numpy())
    np.testing.assert_array_equal(*found)


def test_a_tape_around_the_calls(device: InPlaceDevice) -> None:
    v = tf.Variable(tf.constant(numbers()))
    step = tf.function(lambda x: tf.reduce_sum(v * v * x))
    x = tf.constant(numbers(1))
    step(x)
    with tf.GradientTape() as tape:
        y = step.repeat([(x,), (2.0 * x,)])
    np.testing.assert_allclose(tape.gradient(y, v), 4 * numbers() * numbers(1), rtol=1e-6)
    assert device.repeats == 0


def test_a_later_run_that_fails(device: InPlaceDevice, monkeypatch: pytest.MonkeyPatch) -> None:
    """Check that the Variables have the values of the run before the failed one."""
    monkeypatch.setattr(bridge, "FAILURES", (DeviceFailure,))
    (step, variables), (same, others) = updates(), updates()
    for run in (step, same):
        run(*given(1)[0])
    plain, left = InPlaceDevice.run, 3

    def failing(program: int, *slots: int) -> int:
        nonlocal left
        left -= 1
        if left < 0:
            raise DeviceFailure
        return plain(device, program, *slots)

    monkeypatch.setattr(device, "run", failing)
    batches = given(5)
    for tensors in batches:
        for tensor in tensors:
            tensor.slot_on(device)
    with pytest.raises(tf.errors.ResourceExhaustedError, match="no memory is left"):
        step.repeat(batches)
    monkeypatch.undo()
    for args in given(3):
        same(*args)
    for x, y in zip(shown(variables), shown(others), strict=True):
        np.testing.assert_array_equal(x, y)
