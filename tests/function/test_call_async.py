"""``await f.call_async(...)``: the result of a call in slices, with other work in between."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Callable, Coroutine, Iterator, Sequence
from typing import Any

import numpy as np
import pytest

import tfpy as tf
from tfpy._src.backends import event_loop
from tfpy._src.functions.control.loop_run import WATCHER

STEPS = 20


@pytest.fixture
def slices(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Make each equation a separate slice."""
    monkeypatch.setattr(event_loop, "SLICE", 0.0)
    monkeypatch.setattr(event_loop, "SHORT", -1.0)
    yield
    gc.collect()


class Turns:
    """A counter of the event-loop tasks of others, which calls a function in each task."""

    def __init__(self, act: Callable[[], Any] = lambda: None) -> None:
        self.count = 0
        self._act = act

    async def of(self, call: Coroutine[Any, Any, Any]) -> Any:
        """Return the result of a call."""
        ticking = asyncio.ensure_future(self._tick())
        try:
            return await call
        finally:
            ticking.cancel()

    async def _tick(self) -> None:
        while True:
            self.count += 1
            self._act()
            await asyncio.sleep(0)


def alternating(x: Any) -> Any:
    """Compute a chain of equations that are not fused."""
    for _ in range(STEPS // 2):
        x = tf.cumsum(tf.sin(x))
    return x


def training() -> tuple[Any, Any, Any]:
    """Return a step that assigns two Variables, which always have the same value."""
    first, second = tf.Variable(1.0), tf.Variable(1.0)

    @tf.function
    def step(x: Any) -> Any:
        total = tf.reduce_sum(alternating(x)) * 0.0
        first.assign(first * 2.0 + total)
        second.assign(second * 2.0 + total)
        return {"loss": first + total}

    return step, first, second


@pytest.mark.usefixtures("slices")
def test_gives_what_the_call_gives() -> None:
    f, x = tf.function(alternating), tf.constant([0.1, 0.2, 0.3])
    others = Turns()
    found = asyncio.run(others.of(f.call_async(x)))
    np.testing.assert_array_equal(found, f(x))
    assert others.count >= STEPS
    concrete = f.get_concrete_function(x)
    np.testing.assert_array_equal(asyncio.run(concrete.call_async(x)), f(x))
    assert f.experimental_get_tracing_count() == 1


def test_short_functions_run_at_once() -> None:
    f, x = tf.function(alternating), tf.constant([0.1])

    async def calls() -> int:
        await f.call_async(x)
        others = Turns()

        async def many() -> None:
            for _ in range(3):
                await f.call_async(x)

        await others.of(many())
        return others.count

    assert asyncio.run(calls()) <= 1


@pytest.mark.usefixtures("slices")
def test_variables_have_the_old_or_the_new_values() -> None:
    step, first, second = training()
    seen: list[tuple[float, float]] = []
    others = Turns(lambda: seen.append((float(first), float(second))))
    result = asyncio.run(others.of(step.call_async(tf.ones([3]))))
    assert float(result["loss"]) == 2.0
    assert set(seen) == {(1.0, 1.0)}
    assert (float(first), float(second)) == (2.0, 2.0)


@pytest.mark.usefixtures("slices")
def test_calls_that_assign_wait_for_one_another() -> None:
    step, first, _ = training()

    async def calls() -> list[Any]:
        return await asyncio.gather(*[step.call_async(tf.ones([3])) for _ in range(4)])

    assert [float(found["loss"]) for found in asyncio.run(calls())] == [2.0, 4.0, 8.0, 16.0]
    assert float(first) == 16.0
    assert [float(found["loss"]) for found in asyncio.run(calls())][-1] == 256.0  # in another loop


@pytest.mark.usefixtures("slices")
def test_calls_side_by_side() -> None:
    f = tf.function(alternating)
    xs = [tf.constant([0.1 * k, 0.2]) for k in range(5)]

    async def calls() -> list[Any]:
        waiting = asyncio.gather(*map(f.call_async, xs))
        await asyncio.sleep(0)
        plain = f(xs[0])
        return [plain, *(await waiting)]

    for found, x in zip(asyncio.run(calls()), [xs[0], *xs], strict=True):
        np.testing.assert_array_equal(found, f(x))


@pytest.mark.usefixtures("slices")
def test_cancelled_calls_leave_nothing() -> None:
    step, first, second = training()
    x = tf.ones([3])
    step(x)
    before = tf.memory()

    async def cancelled(after: int) -> None:
        task = asyncio.ensure_future(step.call_async(x))
        for _ in range(after):
            await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    for after in range(0, STEPS, 3):
        asyncio.run(cancelled(after))
    gc.collect()
    assert tf.memory() == before
    assert (float(first), float(second)) == (2.0, 2.0)
    assert float(asyncio.run(step.call_async(x))["loss"]) == 4.0


@pytest.mark.usefixtures("slices")
def test_operands_may_be_disposed_of_and_assigned() -> None:
    w = tf.Variable([0.3, 0.4])
    f = tf.function(lambda x: alternating(x * w))
    x = tf.constant([1.0, 2.0])
    wanted = f(x).numpy()

    async def call() -> Any:
        task = asyncio.ensure_future(f.call_async(x))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        x.dispose()
        w.assign([7.0, 8.0])
        for _ in range(5):
            tf.constant([5.0, 5.0]) * 2.0
        return await task

    np.testing.assert_array_equal(asyncio.run(call()), wanted)


@pytest.mark.usefixtures("slices")
def test_loops_and_branches() -> None:
    @tf.function
    def f(x: Any, n: Any) -> Any:
        for _ in tf.range(n):
            x = alternating(x)
        if tf.reduce_sum(x) > 1e9:
            return x
        return alternating(-x)

    x, others = tf.constant([0.1, 0.2]), Turns()
    found = asyncio.run(others.of(f.call_async(x, tf.constant(4))))
    np.testing.assert_array_equal(found, f(x, tf.constant(4)))
    assert others.count >= 5 * STEPS


@pytest.mark.usefixtures("slices")
def test_errors_are_those_of_the_call() -> None:
    v = tf.Variable(1.0)

    @tf.function
    def f(x: Any, i: Any) -> Any:
        v.assign_add(1.0)
        return tf.gather(alternating(x), i)

    async def failing(*args: Any) -> None:
        await f.call_async(*args)

    x = tf.constant([0.1, 0.2])
    with pytest.raises(tf.errors.InvalidArgumentError, match="indices"):
        asyncio.run(failing(x, tf.constant([5])))
    with pytest.raises(TypeError):
        asyncio.run(failing(x))
    assert float(v) == 1.0


@pytest.mark.usefixtures("slices")
def test_under_tapes_and_op_by_op_it_is_the_call() -> None:
    f, x = tf.function(alternating), tf.Variable([0.1, 0.2])

    async def taped() -> Any:
        with tf.GradientTape() as tape:
            y = await f.call_async(x)
        return tape.gradient(y, x)

    with tf.GradientTape() as tape:
        y = f(x)
    np.testing.assert_array_equal(asyncio.run(taped()), tape.gradient(y, x))

    unknown = tf.function(lambda x: tf.boolean_mask(x, x > 0.15))
    with pytest.warns(UserWarning, match="op by op"):
        found = asyncio.run(unknown.call_async(x))
    np.testing.assert_array_equal(found, unknown(x))
    tf.config.run_functions_eagerly(True)
    try:
        np.testing.assert_array_equal(asyncio.run(f.call_async(x)), y)
    finally:
        tf.config.run_functions_eagerly(False)


def test_it_says_that_it_is_awaited() -> None:
    f: Any = tf.function(lambda x: x * 2.0)
    with pytest.raises(TypeError, match=r"write `await f\.call_async"):
        f.call_async(tf.constant(1.0)) + 1.0


def doubling(x: Any) -> Any:
    """Double a tensor ten times in a loop."""
    return tf.while_loop(lambda i, _: i < 10, lambda i, y: (i + 1, y * 2.0), (0, x))[1]


@pytest.mark.usefixtures("slices")
def test_a_watcher_sees_each_iteration_and_ends_the_loop() -> None:
    seen: list[float] = []

    class Observer:
        def choose(self, state: Sequence[Any]) -> Any:
            return state[1]

        def see(self, values: Any) -> bool:
            seen.append(float(values))
            return len(seen) < 4

    async def calls() -> list[Any]:
        f = tf.function(doubling)
        whole = await f.call_async(tf.constant(1.0))
        token = WATCHER.set(Observer())
        part = await f.call_async(tf.constant(1.0))
        WATCHER.reset(token)
        return [whole, part, await f.call_async(tf.constant(1.0))]

    assert [float(x) for x in asyncio.run(calls())] == [1024.0, 16.0, 1024.0]
    assert seen == [2.0, 4.0, 8.0, 16.0]
