"""Variables updated in place: old bytes are overwritten only if nothing else refers to them."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from function.in_place import SIZE, InPlaceDevice, activated, numbers

import tfpy as tf
from tfpy._src.compiler.ir.aval import Array


class Counter:
    """A Variable, and a compiled step that adds 1 to it."""

    def __init__(self, device: InPlaceDevice) -> None:
        self.device = device
        self.v = tf.Variable(tf.constant(numbers()))
        self.steps = 0

        @tf.function
        def step() -> None:
            self.v.assign_add(tf.ones([SIZE]))

        self.step = step

    def run(self) -> int:
        """Run the step and return the number of donated slots."""
        before = self.device.donated
        self.step()
        self.steps += 1
        np.testing.assert_allclose(self.v.numpy(), numbers() + self.steps, atol=1e-5)
        return self.device.donated - before


@pytest.fixture
def counter(device: InPlaceDevice) -> Counter:
    return Counter(device)


def test_a_value_that_nobody_holds_is_overwritten(counter: Counter) -> None:
    counter.run()
    slots = counter.device.memory()["slots"]
    assert [counter.run() for _ in range(5)] == [1] * 5
    tf.memory()
    assert counter.device.memory()["slots"] == slots


def read_by_tape(v: tf.Variable) -> tuple[tf.GradientTape, tf.Tensor]:
    with tf.GradientTape(persistent=True) as tape:
        y = v * v
    return tape, y


def capturing(v: tf.Variable) -> Any:
    value = v.value()
    doubled = tf.function(lambda: value * 2.0)
    doubled()
    return doubled


HOLDERS: dict[str, Callable[[tf.Variable], Any]] = {
    "value": lambda v: v.value(),
    "read_value": lambda v: v.read_value(),
    "identity": tf.identity,
    "alias": lambda v: v.value().alias(),
    "reshape": lambda v: tf.reshape(v, [20, -1]),
    "convert_to_tensor": tf.convert_to_tensor,
    "another Variable": lambda v: tf.Variable(v),
    "assigned to another": lambda v: tf.Variable(tf.zeros([SIZE])).assign(v),
    "persistent tape": read_by_tape,
    "operand of a result's closure": lambda v: (lambda t: lambda: t)(v.value()),
    "in a dict": lambda v: {"weights": [v.value()]},
    "its storage": lambda v: v.value().storage,
    "returned by a function": lambda v: tf.function(lambda: v.value())(),
    "captured by a function": capturing,
    "generator": lambda v: iter([v.value()]),
}


def values_of(held: Any) -> Array:
    """Return the old value as its holder shows it."""
    if isinstance(held, tuple):
        tape, y = held
        return np.asarray(tape.gradient(y, tape.watched_variables()[0])) / 2
    if isinstance(held, dict):
        held = held["weights"][0]
    if hasattr(held, "to_host"):
        return np.asarray(held.to_host()).copy()
    if hasattr(held, "get_concrete_function"):
        return np.asarray(held()) / 2
    if hasattr(held, "__next__"):
        held = next(held)
    if callable(held):
        held = held()
    return np.asarray(held.numpy()).reshape(-1)


@pytest.mark.parametrize("name", HOLDERS)
def test_a_value_that_somebody_holds_stays(name: str, counter: Counter) -> None:
    old = counter.v.numpy()
    held = HOLDERS[name](counter.v)
    assert counter.run() == 0
    assert counter.run() == 1  # the old value is still held, but not the new one
    np.testing.assert_allclose(values_of(held), old, rtol=1e-6)


@pytest.mark.parametrize("name", HOLDERS)
def test_a_value_that_was_let_go_is_overwritten(name: str, counter: Counter) -> None:
    held = HOLDERS[name](counter.v)
    del held
    gc.collect()
    assert counter.run() == 1


def test_arrays_on_the_host_are_copies(counter: Counter) -> None:
    old = counter.v.numpy()
    views = [counter.v.numpy(), np.asarray(counter.v), counter.v.value().host_view()]
    assert counter.run() == 1
    for view in views:
        np.testing.assert_array_equal(view, old)


def test_a_weak_reference_holds_nothing(counter: Counter) -> None:
    reference = weakref.ref(counter.v.value())
    assert counter.run() == 1
    assert reference() is None


def test_a_device_that_fails_leaves_the_variable(counter: Counter) -> None:
    old = counter.v.numpy()
    counter.device.fails = True
    with pytest.raises(RuntimeError, match="has failed"):
        counter.step()
    counter.device.fails = False
    np.testing.assert_array_equal(counter.v.numpy(), old)
    counter.run()


def test_a_tape_around_the_call(counter: Counter) -> None:
    v = counter.v

    @tf.function
    def squared() -> tf.Tensor:
        y = tf.reduce_sum(v * v)
        v.assign_add(tf.ones([SIZE]))
        return y

    squared()
    old = v.numpy()
    with tf.GradientTape() as tape:
        y = squared()
    np.testing.assert_allclose(tape.gradient(y, v).numpy(), 2 * old, rtol=1e-6)
    np.testing.assert_allclose(v.numpy(), old + 1, rtol=1e-6)


def test_a_tape_that_follows_something_else(counter: Counter) -> None:
    x = tf.constant(2.0)
    with tf.GradientTape(watch_accessed_variables=False) as tape:
        tape.watch(x)
        y = x * x
        assert counter.run() == 1
    assert float(tape.gradient(y, x)) == 4.0


def test_an_argument_that_is_the_value(device: InPlaceDevice) -> None:
    v = tf.Variable(tf.constant(numbers()))

    @tf.function
    def step(x: tf.Tensor) -> tf.Tensor:
        v.assign(v * 2.0)
        return x + v

    for _ in range(3):
        old = v.numpy()
        x = tf.identity(v)
        for argument in (v.value(), x):
            old = v.numpy()
            given = argument.numpy()
            np.testing.assert_allclose(step(argument).numpy(), given + 2 * old, rtol=1e-6)
            np.testing.assert_allclose(v.numpy(), 2 * old, rtol=1e-6)


def test_the_arguments_of_a_call_stay(device: InPlaceDevice) -> None:
    step = tf.function(lambda x: x + 1.0)
    x = tf.constant(numbers())
    for _ in range(2):
        step(x)
    np.testing.assert_array_equal(x.numpy(), numbers())
    assert device.donated == 0


def test_two_variables_of_one_tensor(device: InPlaceDevice) -> None:
    x = tf.constant(numbers())
    a, b = tf.Variable(x), tf.Variable(x)

    @tf.function
    def step() -> None:
        a.assign_add(tf.ones([SIZE]))

    for i in range(3):
        step()
        np.testing.assert_allclose(a.numpy(), numbers() + i + 1, atol=1e-5)
        np.testing.assert_array_equal(b.numpy(), numbers())
        np.testing.assert_array_equal(x.numpy(), numbers())
    assert device.donated == 2


def test_variables_that_exchange_their_values(device: InPlaceDevice) -> None:
    a, b = tf.Variable(tf.constant(numbers(1))), tf.Variable(tf.constant(numbers(2)))
    c = tf.Variable(tf.zeros([SIZE]))

    @tf.function
    def step() -> None:
        old = a.value()
        a.assign(b)
        b.assign(old)
        c.assign(a + 2.0 * b + c)

    x, y, z = numbers(1), numbers(2), np.zeros(SIZE, np.float32)
    for _ in range(4):
        step()
        x, y = y, x
        z = x + 2 * y + z
        for variable, wanted in ((a, x), (b, y), (c, z)):
            np.testing.assert_allclose(variable.numpy(), wanted, rtol=1e-5, atol=1e-5)


def test_updates_that_read_each_other(device: InPlaceDevice) -> None:
    """Check that only one of two updates is written in place.

    a' and b' both depend on a and b.
    """
    a, b = tf.Variable(tf.constant(numbers(1))), tf.Variable(tf.constant(numbers(2)))

    @tf.function
    def step() -> None:
        x, y = a.value(), b.value()
        a.assign(0.5 * x + y)
        b.assign(x - 0.5 * y)

    x, y = numbers(1), numbers(2)
    for _ in range(4):
        step()
        x, y = 0.5 * x + y, x - 0.5 * y
        np.testing.assert_allclose(a.numpy(), x, rtol=1e-4, atol=1e-5)
        np.testing.assert_allclose(b.numpy(), y, rtol=1e-4, atol=1e-5)
    assert device.donated == 4  # one per run


def test_both_variables_get_one_value(device: InPlaceDevice) -> None:
    a, b = tf.Variable(tf.constant(numbers(1))), tf.Variable(tf.constant(numbers(2)))

    @tf.function
    def step() -> None:
        total = a + b
        a.assign(total)
        b.assign(total)

    wanted = numbers(1) + numbers(2)
    for _ in range(3):
        step()
        np.testing.assert_allclose(a.numpy(), wanted, rtol=1e-5)
        np.testing.assert_allclose(b.numpy(), wanted, rtol=1e-5)
        wanted = 2 * wanted


def test_the_old_value_is_a_result(device: InPlaceDevice) -> None:
    v = tf.Variable(tf.constant(numbers()))

    @tf.function
    def step() -> tuple[tf.Tensor, tf.Tensor]:
        old = v.value()
        v.assign_add(tf.ones([SIZE]))
        return old, v.value()

    kept = [step() for _ in range(3)]
    for i, (old, new) in enumerate(kept):
        np.testing.assert_allclose(old.numpy(), numbers() + i, atol=1e-5)
        np.testing.assert_allclose(new.numpy(), numbers() + i + 1, atol=1e-5)
    assert device.donated == 0


def test_a_slot_that_moved_between_backends(counter: Counter) -> None:
    activated("other")
    try:
        old = counter.v.numpy()
        held = counter.v * 1.0  # the value is now on the other device
        tf.set_backend("in place")
        assert counter.run() == 1
        np.testing.assert_array_equal(held.numpy(), old)
    finally:
        tf.set_backend("in place")
        tf.remove_backend("other")


def test_a_small_value_that_is_on_the_host_too(device: InPlaceDevice) -> None:
    v = tf.Variable([1.0, 2.0])

    @tf.function
    def step() -> None:
        v.assign(v * 3.0)

    for i in range(1, 4):
        step()
        np.testing.assert_allclose(v.numpy(), [3.0**i, 2 * 3.0**i])
    v.assign([5.0, 6.0])
    for i in range(1, 4):
        step()
        np.testing.assert_allclose(v.numpy(), [5 * 3.0**i, 6 * 3.0**i])
    assert device.donated > 0


def test_numbers_that_are_shared(device: InPlaceDevice) -> None:
    """Check that updates do not change Python numbers, which are tensors that many calls share."""
    a, b = tf.Variable(1.5), tf.Variable(1.5)

    @tf.function
    def step() -> None:
        a.assign(a * 2.0)

    for i in range(1, 4):
        step()
        assert float(a) == 1.5 * 2**i
        assert float(b) == 1.5
        assert float(tf.constant(1.5) + 0.0) == 1.5


def test_weights_that_only_the_prelude_reads_do_not_reach_the_main_program(
    device: InPlaceDevice,
) -> None:
    scale, weight = tf.constant(numbers(1)), tf.constant(numbers(2))
    step = tf.function(lambda x: x + tf.exp(scale) * weight)
    x = tf.constant(numbers())
    np.testing.assert_allclose(
        step(x).numpy(), numbers() + np.exp(numbers(1)) * numbers(2), rtol=1e-5
    )
    *_, main = (
        line for line in step.lower().as_text().splitlines() if line.startswith("program wasm(")
    )
    assert main == f"program wasm(%0:float32[{SIZE}], %1:float32[{SIZE}])"


def test_the_text_says_what_is_written_in_place(counter: Counter) -> None:
    assert "= elementwise(%0, %1) in place of %0 " in counter.step.lower().as_text()
