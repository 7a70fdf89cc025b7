"""Using an awaitable value without awaiting it raises a helpful error, except in asyncio."""

from __future__ import annotations

import asyncio

import pytest

import tfpy as tf


def test_tasks_can_be_printed() -> None:
    async def main() -> float:
        task = asyncio.ensure_future(tf.constant(2.0).data())
        assert "pending" in repr(task)
        await task
        assert "finished" in repr(task)
        return float(task.result())

    assert asyncio.run(main()) == 2.0


def test_truth_is_refused() -> None:
    with pytest.raises(TypeError, match=r"write `await x.data\(\)`"):
        assert tf.constant(2.0).data()
