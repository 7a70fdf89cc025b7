"""``bridge.wait`` on CPython: synchronous code waits for a coroutine."""

from __future__ import annotations

import asyncio

import pytest

from tfpy._src.backends.javascript import bridge


async def yielding(times: int) -> int:
    for _ in range(times):
        await asyncio.sleep(0)
    return times


def test_without_a_loop() -> None:
    """Check that the call's own loop also runs other tasks and timers if no loop is running."""

    async def main() -> int:
        await asyncio.sleep(1e-3)
        return await asyncio.ensure_future(yielding(3))

    assert bridge.wait(main(), "await it") == 3


def test_in_a_running_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    """Check that a coroutine may yield but must not await or poll another task."""
    monkeypatch.setattr(bridge, "MAX_TURNS", 2000)
    ended = []

    async def awaiting(task: asyncio.Task[int]) -> int:
        try:
            return await task
        finally:
            ended.append("awaiting")

    async def polling(task: asyncio.Task[int]) -> int:
        try:
            while not task.done():
                await asyncio.sleep(0)
            return task.result()
        finally:
            ended.append("polling")

    async def failing() -> int:
        await asyncio.sleep(0)
        raise KeyError("mine")

    async def main() -> int:
        assert bridge.wait(yielding(1000), "await it") == 1000
        with pytest.raises(KeyError, match="mine"):
            bridge.wait(failing(), "await it")
        task = asyncio.ensure_future(yielding(3))
        for waiting in (awaiting, polling):
            with pytest.raises(RuntimeError, match="wait for another task; await it"):
                bridge.wait(waiting(task), "await it")
        assert ended == ["awaiting", "polling"]
        return await task

    assert asyncio.run(main()) == 3
