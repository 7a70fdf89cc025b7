"""``tf.profile`` and ``tf.profiler.experimental`` in browsers: kernels, and files for Perfetto."""

from __future__ import annotations

import asyncio
import json
import tempfile
from pathlib import Path
from typing import Any

import pytest

from tfpy.testing import run_in_browser
from tfpy.testing.environments import BACKENDS

TRACES = Path(__file__).parents[1] / "tests" / "profiler" / "traces.py"
CHECKS = pytest.param(TRACES.read_text() if TRACES.is_file() else "", id="checks")


def check_trace(source: str, document: Any) -> list[dict[str, Any]]:
    names: dict[str, Any] = {}
    exec(source, names)
    events: list[dict[str, Any]] = names["check_trace"](document)
    return events


def model(tf: Any) -> Any:
    """Return a training step of a small network."""
    filters = tf.Variable(tf.random.stateless_uniform([3, 3, 2, 4], [1, 2]))

    @tf.function
    def step(x: Any) -> Any:
        with tf.GradientTape() as tape:
            y = tf.nn.relu(tf.nn.conv2d(x, filters, 1, "SAME"))
            loss = tf.reduce_mean(tf.sinh(y))  # the loss
        filters.assign_sub(0.1 * tape.gradient(loss, filters))
        return loss

    return step


@pytest.mark.parametrize("source", [CHECKS])
@run_in_browser(backends=BACKENDS)
async def test_profile(tf: Any, backend: str, source: str) -> None:
    x = tf.random.stateless_uniform([2, 8, 8, 2], [3, 4])
    step = model(tf)

    async def act() -> Any:
        y = step(x)
        z = tf.sort(y + tf.constant([1.0, 2.0]))
        return await asyncio.gather(y.data(), z.data())

    first = await tf.profile_async(act)
    kinds = {event["cat"] for event in check_trace(source, first.trace())}
    assert {"trace", "passes", "lower", "compile", "gradient", "function", "op"} <= kinds

    info = await tf.profile_async(act)
    events = check_trace(source, info.trace())
    assert {"function", "run", "op", "read"} <= {event["cat"] for event in events}
    assert any("conv2d" in name for name in info.kernel_names), info.kernel_names
    assert {"add", "argsort"} <= set(info.kernel_names)
    assert info.result[1].shape == (2,)
    lines = [k.extra_info for k in info.kernels if "conv2d" in k.name]
    assert all("test_profiling.py" in line for line in lines), lines
    assert 0 < info.accounted <= 1
    if info.reason:
        assert backend == "webgl"
        assert "timer queries" in info.reason
        return
    assert all(kernel.kernel_time_ms is not None for kernel in info.kernels), info.kernels
    timed = [event for event in events if event["cat"] == "kernel"]
    on_device = [
        k for k in info.kernels if k.kernel_time_ms > 0 and "on the host" not in k.extra_info
    ]
    assert len(timed) == len(on_device)
    assert info.kernel_ms > 0
    assert str(len(info.kernels)) in info._repr_html_()


@pytest.mark.parametrize("source", [CHECKS])
@run_in_browser(backends=["wasm", "webgpu"])
async def test_files(tf: Any, backend: str, source: str) -> None:
    x = tf.ones([64, 64])
    tf.sinh(x)
    for how in ("with", "async with"):
        with tempfile.TemporaryDirectory() as folder:
            profile = tf.profiler.experimental.Profile(folder)
            if how == "with":
                with profile, tf.profiler.experimental.Trace("mine"):
                    tf.sinh(x)
            else:
                async with profile:
                    with tf.profiler.experimental.Trace("mine"):
                        tf.sinh(x)
            (path,) = Path(folder).rglob("*.json")
            events = check_trace(source, json.loads(path.read_text()))
        assert [event["cat"] for event in events if event["name"] == "sinh"] == ["op", "kernel"]
        assert any(event["name"] == "mine" for event in events)
