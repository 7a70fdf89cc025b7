"""Values that arrive from JavaScript resume waiting tasks immediately, and only once."""

import asyncio
from contextvars import ContextVar

import pytest

from tfpy._src.backends.javascript.pending_values import Arrival


def test_the_task_goes_on_within_the_arrival() -> None:
    seen = []

    async def reader(arrival: Arrival) -> None:
        await arrival
        seen.append("read")

    async def main() -> None:
        loop = asyncio.get_running_loop()
        arrival = Arrival()
        task = asyncio.ensure_future(reader(arrival))
        await asyncio.sleep(0)
        loop.call_soon(lambda: (arrival.arrive(None), seen.append("arrived")))
        await task

    asyncio.run(main())
    assert seen == ["read", "arrived"]


def test_within_another_task_the_event_loop_goes_on() -> None:
    seen = []

    async def reader(arrival: Arrival) -> None:
        await arrival
        seen.append("read")

    async def main() -> None:
        arrival = Arrival()
        task = asyncio.ensure_future(reader(arrival))
        await asyncio.sleep(0)
        arrival.arrive(None)
        seen.append("arrived")
        await task

    asyncio.run(main())
    assert seen == ["arrived", "read"]


def test_the_error_is_raised_where_it_is_awaited() -> None:
    async def main() -> None:
        arrival = Arrival()
        asyncio.get_running_loop().call_soon(arrival.arrive, RuntimeError("lost"))
        await arrival

    with pytest.raises(RuntimeError, match="lost"):
        asyncio.run(main())


def test_what_has_arrived_is_awaited_later() -> None:
    async def main() -> None:
        arrival = Arrival()
        arrival.arrive(None)
        await arrival
        arrival.arrive(RuntimeError("again"))
        await arrival

    asyncio.run(main())


def test_nobody_waits_after_a_cancellation() -> None:
    async def main() -> str:
        arrival = Arrival()
        task = asyncio.ensure_future(asyncio.wait_for(arrival, 10))
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        arrival.arrive(None)
        return "arrival came too late" if arrival.cancelled() else ""

    assert asyncio.run(main()) == "arrival came too late"


def test_an_error_from_outside() -> None:
    """Raise an error in the waiting task. A value that arrives later has no effect."""

    async def main() -> None:
        arrival = Arrival()
        task = asyncio.ensure_future(asyncio.wait_for(arrival, 10))
        await asyncio.sleep(0)
        arrival.set_exception(RuntimeError("interrupted"))
        arrival.arrive(None)
        with pytest.raises(RuntimeError, match="interrupted"):
            await task

    asyncio.run(main())


def test_tasks_keep_their_context() -> None:
    name: ContextVar[str] = ContextVar("name", default="main")

    async def reader(arrival: Arrival) -> str:
        name.set("reader")
        await arrival
        return name.get()

    async def main() -> tuple[str, str]:
        arrival = Arrival()
        task = asyncio.ensure_future(reader(arrival))
        await asyncio.sleep(0)
        asyncio.get_running_loop().call_soon(arrival.arrive, None)
        return await task, name.get()

    assert asyncio.run(main()) == ("reader", "main")
