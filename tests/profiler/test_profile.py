"""tf.profile and tf.profiler.experimental, on the cpu backend."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from profiler.traces import check_trace

import tfpy as tf
from tfpy._src.backends import registry
from tfpy._src.backends.interface import KernelTime, KernelTimes
from tfpy._src.backends.javascript import bridge
from tfpy._src.base import profiler_spans
from tfpy._src.core import eager


def _profile(f: Callable[[], Any]) -> Any:
    return asyncio.run(tf.profile_async(f))


def _kinds(info: Any) -> set[str]:
    return {event["cat"] for event in check_trace(info.trace())}


_X = tf.random.stateless_uniform([8, 8], [1, 2])


def test_eager_ops() -> None:
    held = []

    def function() -> Any:
        held.append(tf.sinh(_X))
        return tf.reshape(held[0] + 1.0, [64])

    info = _profile(function)
    assert info.kernel_names == ["sinh", "add", "reshape"]
    sinh, add, reshape = info.kernels
    assert sinh.input_shapes == [(8, 8)]
    assert add.input_shapes == [(8, 8), ()]
    assert reshape.output_shapes == [(64,)]
    assert all(kernel.bytes_added == 256 for kernel in (sinh, add))
    assert all(kernel.tensors_added == 1 for kernel in info.kernels)
    assert sinh.total_bytes_snapshot + 256 == add.total_bytes_snapshot == info.peak_bytes
    assert all(kernel.kernel_time_ms > 0 for kernel in info.kernels)
    assert (info.new_tensors, info.new_bytes) == (2, 512)  # of sinh, and one for the sum
    assert info.result.shape == (64,)
    assert 0 < info.accounted <= 1
    assert 0 < info.kernel_ms < info.wall_ms
    assert {"op", "kernel", "user"} <= _kinds(info)


def test_compiled_functions() -> None:
    w = tf.Variable(tf.ones([8, 8]))

    @tf.function
    def step(x: Any) -> Any:
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(tf.sinh(x @ w))  # the loss
        w.assign_sub(0.1 * tape.gradient(y, w))
        return y

    first, second = _profile(lambda: step(_X)), _profile(lambda: step(_X))
    assert {"trace", "passes", "lower", "compile", "gradient"} <= _kinds(first)
    assert _kinds(second) == {"function", "run", "kernel", "wait", "user"}
    assert second.kernel_names.count("matmul") == 1
    assert sum(kernel.bytes_added for kernel in second.kernels) == 256 + 4
    assert (second.new_tensors, second.new_bytes) == (1, 4)
    lines = {kernel.extra_info for kernel in second.kernels if kernel.name == "matmul"}
    assert all(Path(__file__).name in line for line in lines)


def test_async_functions_and_threads() -> None:
    async def function() -> Any:
        thread = threading.Thread(target=lambda: tf.sinh(_X))
        thread.start()
        thread.join()
        y = tf.cosh(_X)
        await asyncio.sleep(0)
        return await y.data()

    info = _profile(function)
    assert info.kernel_names == ["sinh", "cosh"]
    names = {e["args"]["name"] for e in info.trace()["traceEvents"] if e["ph"] == "M"}
    assert {"Python", "Python 1", "kernels", "cpu"} <= names
    assert info.result.shape == (8, 8)


def test_repeated_runs_are_counted() -> None:
    w = tf.Variable(0.0)
    step = tf.function(lambda x: w.assign_add(x))
    calls = [[tf.constant(float(n))] for n in range(5)]
    step.repeat(calls)
    info = _profile(lambda: step.repeat(calls))
    assert [kernel.name for kernel in info.kernels] == ["add"] * 5


def test_table_and_picture() -> None:
    info = _profile(lambda: tf.sinh(_X) + tf.cosh(_X))
    text = str(info)
    assert "3 kernels on cpu" in text
    assert "accounted for" in text
    for name in ("sinh", "cosh", "add"):
        assert any(line.startswith(name) for line in text.splitlines())
    html = info._repr_html_()
    assert html.count("<svg") == html.count("</svg>") == 1
    assert "kernel: sinh" in html
    assert html.count("<tr>") == 4


def test_failures_leave_nothing_behind() -> None:
    def fails() -> None:
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        _profile(fails)

    async def nested() -> Any:
        return await tf.profile_async(fails)

    with pytest.raises(RuntimeError, match="already being timed"):
        _profile(nested)
    assert not profiler_spans.recorders
    assert not eager.observers
    assert asyncio.run(tf.time_async(lambda: tf.sinh(_X))).kernel_ms > 0


def _file(folder: Path) -> Any:
    (path,) = folder.glob("plugins/profile/*/tfpy.trace.json")
    return json.loads(path.read_text())


def test_files_for_perfetto(tmp_path: Path) -> None:
    experimental = tf.profiler.experimental
    with experimental.Profile(tmp_path / "with"):
        for number in range(3):
            with experimental.Trace("step", step_num=number, _r=1) as step:
                step.set_metadata(loss=0.5)
                tf.sinh(_X)
    events = check_trace(_file(tmp_path / "with"))
    steps = [event["args"] for event in events if event["name"] == "step"]
    assert steps == [{"step_num": n, "_r": 1, "loss": 0.5} for n in range(3)]
    assert sum(event["cat"] == "kernel" for event in events) == 3

    async def record() -> None:
        async with experimental.Profile(tmp_path / "async"):
            tf.sinh(_X)

    asyncio.run(record())
    assert {"op", "kernel"} <= {event["cat"] for event in check_trace(_file(tmp_path / "async"))}

    experimental.start(tmp_path / "plain", experimental.ProfilerOptions(device_tracer_level=0))
    with pytest.raises(tf.errors.AlreadyExistsError):
        experimental.start(tmp_path)
    tf.sinh(_X)
    experimental.stop()
    assert {event["cat"] for event in check_trace(_file(tmp_path / "plain"))} == {"op"}
    with pytest.raises(tf.errors.UnavailableError):
        experimental.stop()
    experimental.start(tmp_path / "none")
    experimental.stop(save=False)
    assert not (tmp_path / "none").exists()
    with experimental.Trace("outside of a profile"):
        pass


def test_devices_that_must_be_awaited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Check that a warning explains a file without kernels if Python cannot wait."""
    backend = registry.active_backend()

    async def times() -> KernelTimes:
        raise AssertionError("nobody awaits it")

    monkeypatch.setattr(backend, "stop_timing", times)
    monkeypatch.setattr(bridge, "can_wait", lambda: False)
    experimental = tf.profiler.experimental
    with pytest.warns(RuntimeWarning, match="async with"), experimental.Profile(tmp_path):
        tf.sinh(_X)
    assert {event["cat"] for event in check_trace(_file(tmp_path))} == {"op"}


def test_kernels_are_placed_by_the_device_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """Check that no kernel begins before its run, and gaps follow the device's clock.

    Kernels of other runs are skipped.
    """
    backend = registry.active_backend()
    told = [("else", 9.0, 1.0), ("sinh", 2.0, 100.0), ("cosh", 3.0, 107.0), ("else", 1.0, 200.0)]
    kernels = [KernelTime(*one) for one in told]
    monkeypatch.setattr(backend, "stop_timing", lambda: KernelTimes(kernels, ""))
    info = _profile(lambda: tf.cosh(tf.sinh(_X)))
    assert [kernel.kernel_time_ms for kernel in info.kernels] == [2.0, 3.0]
    (track,) = (track for track in info.tracks if track.name == "kernels")
    sinh, cosh = track.events
    assert cosh.began - sinh.began == pytest.approx(7e-3)
    assert sinh.began >= 0
