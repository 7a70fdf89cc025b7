"""A loop that never waits gives the others a turn now and then, not each time."""

from __future__ import annotations

import asyncio
import time

import pytest

from tfpy.runtime import turns


async def loop(passes: int, seconds: float) -> int:
    """How often another task ran beside a loop of such passes."""
    count = 0

    async def other() -> None:
        nonlocal count
        while True:
            await asyncio.sleep(0)
            count += 1

    task = asyncio.ensure_future(other())
    for _ in range(passes):
        time.sleep(seconds)
        await turns.give_turn()
    task.cancel()
    return count


def test_short_passes_share_a_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turns, "_last", time.perf_counter())
    assert asyncio.run(loop(10, 0.0)) == 0


def test_each_long_pass_has_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turns, "_LONGEST", 0.001)
    assert asyncio.run(loop(5, 0.002)) >= 4
