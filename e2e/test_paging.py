"""Tensors over a device's budget move to the host and return when they are used."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import numpy as np

from tfpy.testing import run_in_browser

MIB = 2**20
BUDGET = 8 * MIB
SIDE = 512
EACH = SIDE * SIDE * 4
"""Bytes of a tensor in these tests."""
COUNT = 4 * BUDGET // EACH
"""Number of tensors that need four times the budget."""
FLAGS = {
    "wasm": "TFPY_WASM_MEMORY_BUDGET",
    "webgl": "TFPY_GPU_MEMORY_BUDGET",
    "webgpu": "TFPY_GPU_MEMORY_BUDGET",
}


@asynccontextmanager
async def budget(tf: Any, name: str) -> AsyncIterator[None]:
    """Reopen the backend with the test's budget, and restore it afterwards."""
    factory, priority = tf.find_backend_factory(name), tf.backend_report()[name]["priority"]
    before = tf.env().get(FLAGS[name])

    async def again(value: int) -> None:
        tf.remove_backend(name)
        tf.env().set(FLAGS[name], value)
        tf.register_backend(name, factory, priority)
        await tf.set_backend_async(name)

    await again(BUDGET)
    try:
        yield
    finally:
        await again(before)


async def numbered(tf: Any, count: int, steps: Any) -> list[Any]:
    """Return tensors that are computed in turn, each from its number and the positions."""
    places = tf.reshape(tf.range(SIDE * SIDE, dtype=tf.float32), [SIDE, SIDE])
    made = []
    for number in range(count):
        made.append(places * 1e-3 + float(number))
        await steps()
    return made


def check(values: Any, number: float) -> None:
    expected = np.arange(SIDE * SIDE, dtype=np.float32).reshape(SIDE, SIDE) * np.float32(1e-3)
    np.testing.assert_allclose(values, expected + np.float32(number), rtol=1e-6, atol=1e-6)


@run_in_browser(backends=list(FLAGS))
async def test_four_times_the_budget(tf: Any, backend: str) -> None:
    """Compute, read and reuse tensors in any order while the device holds few of them."""

    async def turn() -> None:
        await (tf.ones([1]) + 1.0).data()

    async with budget(tf, backend):
        tensors = await numbered(tf, COUNT, turn)
        for _ in range(3):
            await turn()
        memory = tf.memory()["backend"]
        assert memory["bytes"] >= COUNT * EACH
        assert memory["allocatedBytes"] <= BUDGET + 4 * EACH
        assert memory["hostBytes"] >= 3 * BUDGET - 4 * EACH
        order = np.random.default_rng(0).permutation(COUNT)
        for number in order:
            check(await tensors[number].data(), int(number))
        total = tensors[0]
        for tensor in tensors[1:]:
            total = total + tensor
            await turn()
        mean = (COUNT - 1) / 2
        check(await (total * (1.0 / COUNT)).data(), mean)
        for number in order[:8]:
            check(await (tensors[number] + 0.0).data(), int(number))
        assert tf.memory()["backend"]["allocatedBytes"] <= BUDGET + 8 * EACH
        del tensor, tensors, total
        await turn()
        tf.memory()
        assert tf.memory()["backend"]["hostBytes"] < EACH


@run_in_browser(backends=list(FLAGS))
async def test_training_beside_what_is_held(tf: Any, backend: str) -> None:
    """Train with donated Variables next to integers, bools and tensors that are dropped early."""
    async with budget(tf, backend):
        w = tf.Variable(tf.zeros([SIDE, SIDE]))

        @tf.function
        def step(x: Any) -> Any:
            w.assign_add(x * 0.5)
            return tf.reduce_mean(w)

        x = tf.ones([SIDE, SIDE])
        held = []
        for number in range(COUNT):
            held.append(tf.fill([SIDE, SIDE], number) + tf.cast(x, tf.int32))
            held.append((x * float(number)) > 3.0)
            dropped = x * 2.0 + float(number)
            loss = step(x)
            del dropped
            if number % 3 == 0:
                await loss.data()
        np.testing.assert_allclose(await w.data(), np.full([SIDE, SIDE], 0.5 * COUNT))
        for number in range(COUNT):
            assert (await held[2 * number].data() == number + 1).all()
            assert (await held[2 * number + 1].data() == (number > 3)).all()


@run_in_browser(backends=["webgpu"])
async def test_what_is_lent_stays(tf: Any) -> None:
    """Check that a buffer that the page received is not moved to the host."""
    async with budget(tf, "webgpu"):
        lent = tf.ones([SIDE, SIDE]) * 3.0
        buffer = await lent.gpu_buffer()
        held = [tf.ones([SIDE, SIDE]) * float(number) for number in range(COUNT)]
        for _ in range(4):
            await (tf.ones([1]) + 1.0).data()
        assert tf.memory()["backend"]["hostBytes"] > BUDGET
        again = tf.browser.from_gpu_buffer(buffer, [SIDE, SIDE], tf.float32)
        assert (await (again + 0.0).data() == 3.0).all()
        assert (await held[5].data() == 5.0).all()


@run_in_browser(backends=["webgpu"])
async def test_what_is_freed_while_it_leaves(tf: Any) -> None:
    """Check that the buffer is read before it is destroyed.

    No event-loop task runs in between.
    """
    async with budget(tf, "webgpu"):
        for _ in range(4):
            held = [tf.ones([SIDE, SIDE]) * float(number) for number in range(COUNT)]
            del held
            tf.memory()
            kept = [tf.ones([SIDE, SIDE]) + float(number) for number in range(COUNT)]
            check_filled(await kept[-1].data(), COUNT)
            del kept


def check_filled(values: Any, wanted: float) -> None:
    np.testing.assert_array_equal(values, np.full([SIDE, SIDE], wanted, np.float32))
