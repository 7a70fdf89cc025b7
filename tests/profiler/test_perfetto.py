"""Perfetto opens the files of ``tf.profile`` and ``tf.profiler.experimental`` without losses."""

from __future__ import annotations

import asyncio
import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from profiler.perfetto import check_opened, opened

import tfpy as tf
from tfpy._src.library.profiler.chrome import TraceEvent, Track, document


def test_files_of_both_kinds(tmp_path: Path) -> None:
    x = tf.random.stateless_uniform([16, 16], [1, 2])
    w = tf.Variable(tf.ones([16, 16]))

    @tf.function
    def step(x: Any) -> Any:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.sinh(x @ w))
        w.assign_sub(0.1 * tape.gradient(loss, w))
        return loss

    async def reads() -> Any:
        return await asyncio.gather(step(x).data(), tf.cosh(x).data())

    call = tmp_path / "call.trace.json"
    asyncio.run(tf.profile_async(reads)).save(call)
    with tf.profiler.experimental.Profile(tmp_path):
        for number in range(3):
            with tf.profiler.experimental.Trace("step", step_num=number):
                step(x)
    check_opened([call, *tmp_path.glob("plugins/**/*.json")])


def test_tasks_that_take_turns(tmp_path: Path) -> None:
    async def task(name: str, seconds: float) -> None:
        with tf.profiler.experimental.Trace(name):
            tf.sinh(1.0)
            await asyncio.sleep(seconds)
            tf.cosh(1.0)

    async def together() -> None:
        await asyncio.gather(task("short", 0.01), task("long", 0.02), task("longer", 0.03))

    file = tmp_path / "tasks.trace.json"
    asyncio.run(tf.profile_async(together)).save(file)
    (found,) = check_opened([file])
    threads = {s["name"]: s["thread"] for s in found.slices if s["kind"] == "user"}
    assert threads["profile"] == threads["short"] == "Python"
    assert {threads["long"], threads["longer"]} == {"tasks", "tasks 1"}


def test_events_that_touch(tmp_path: Path) -> None:
    """Check that adjacent events share their boundaries, and the last one ends with its parent.

    Rounding only one of them to nanoseconds would cause an overlap.
    """
    rng = np.random.default_rng(0)
    events: list[TraceEvent] = []

    def divide(began: float, ended: float, depth: int) -> None:
        events.append(TraceEvent("op", f"depth {depth}", began, ended, {}))
        if depth < 5:
            cuts = [began, *sorted(rng.uniform(began, ended, 3)), ended]
            for one, other in pairwise(cuts):
                divide(one, other, depth + 1)

    divide(0.00123456789, 0.5, 0)
    file = tmp_path / "touching.trace.json"
    file.write_text(json.dumps(document([Track(1, "Python", events)], "cpu", {})))
    (found,) = check_opened([file])
    assert all(s["name"] == f"depth {s['depth']}" for s in found.slices)


def test_what_perfetto_drops_is_seen(tmp_path: Path) -> None:
    overlapping = [
        TraceEvent("op", "a", 0.001, 0.002, {}),
        TraceEvent("op", "b", 0.0019, 0.0021, {}),
    ]
    file = tmp_path / "overlapping.trace.json"
    file.write_text(json.dumps(document([Track(1, "Python", overlapping)], "cpu", {})))
    (found,) = opened([file])
    assert found.stats == [{"name": "slice_drop_overlapping_complete_event", "value": 1}]
    assert [s["name"] for s in found.slices] == ["a"]
    with pytest.raises(AssertionError):
        check_opened([file])
