"""A loop that never waits yields to other tasks now and then, not in each iteration."""

from __future__ import annotations

import asyncio

import pytest

from tfpy._src.backends import event_loop


def others_turns(monkeypatch: pytest.MonkeyPatch, passes: int, seconds: float) -> int:
    """Return how often another task ran during a loop. Each iteration advances the clock."""
    ran = 0

    async def other() -> None:
        nonlocal ran
        while True:
            await asyncio.sleep(0)
            ran += 1

    async def loop() -> None:
        task = asyncio.ensure_future(other())
        for number in range(passes):
            monkeypatch.setattr(event_loop, "perf_counter", lambda now=number * seconds: now)
            await event_loop.give_turn()
        task.cancel()

    monkeypatch.setattr(event_loop, "_last", 0.0)
    asyncio.run(loop())
    return ran


@pytest.mark.parametrize(
    ("passes", "seconds", "fewest", "most"),
    [
        (10, 0.001, 0, 0),
        (100, 0.01, 33, 50),
        (10, 0.06, 8, 9),
    ],
)
def test_turns_are_given_when_due(
    monkeypatch: pytest.MonkeyPatch, passes: int, seconds: float, fewest: int, most: int
) -> None:
    assert fewest <= others_turns(monkeypatch, passes, seconds) <= most
