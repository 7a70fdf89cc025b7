"""`tf.time`: the duration of a call, on the clock and on the device.

`tf.profile` (`library/profiler/info.py`) reports what runs during the call.
"""

from __future__ import annotations

import inspect
import weakref
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass
from typing import Any

from tfpy._src.backends import registry
from tfpy._src.backends.abilities import Timed
from tfpy._src.backends.awaitable import awaitable
from tfpy._src.backends.backend import Backend
from tfpy._src.backends.interface import KernelTimes
from tfpy._src.backends.javascript import bridge
from tfpy._src.base.profiler_spans import Span, clock, covered, recorders

_timed: weakref.WeakSet[Backend] = weakref.WeakSet()
"""Backends that are timing their kernels."""


@dataclass
class KernelRuns:
    """The number of runs of the kernels with one name, and their total milliseconds."""

    runs: int = 0
    ms: float = 0.0


@dataclass(frozen=True)
class Timing:
    """The result of `tf.time`."""

    wall_ms: float
    """Milliseconds on the clock, until the device has finished."""
    kernel_ms: float | None
    """Milliseconds that kernels took on the device; None if the device does not report them."""
    kernels: dict[str, KernelRuns]
    """Runs by kernel name, longest first."""
    reason: str
    """Reason why `kernel_ms` is None."""
    upload_ms: float
    """Milliseconds of uploads to the device. webgl and webgpu may transfer the values later."""
    download_ms: float
    """Milliseconds of waiting for values of the device."""


def time(f: Callable[[], Any]) -> Timing:
    """Measure the duration of a function and of its kernels on the active backend.

    Call a compiled function once before, because its first call also compiles it. The times include
    other work that the device does during the call.

    The times of kernels require timestamps from the GPU. On webgpu, the browser must support the
    feature timestamp-query. Chromium rounds these times to 0.1 ms unless it was started with
    `--enable-webgpu-developer-features`. On webgl, the browser must support the extension
    EXT_disjoint_timer_query_webgl2. Kernels that are timed cannot overlap, and each takes some
    microseconds more, so `wall_ms` is larger than without timing.

    Args:
        f: Function without arguments. If it returns a coroutine, the coroutine is awaited. The
            result is discarded.

    Returns:
        An object with these attributes:

        - `wall_ms`: Milliseconds until the device has finished.
        - `kernel_ms`: Milliseconds that all kernels took on the device. None if the device does not
          report them; `reason` then contains the reason.
        - `kernels`: Dict from names of kernels (on cpu, names of ops) to objects with the
          attributes `runs`, the number of runs, and `ms`, their milliseconds. The longest is first.
        - `upload_ms`: Milliseconds for copying values to the device.
        - `download_ms`: Milliseconds of waiting for values from the device.

    Raises:
        RuntimeError: If a function is already being timed or profiled. Also if the browser cannot
            suspend Python (JSPI) while the device computes; use `await tf.time_async(f)` then.
        tf.errors.UnavailableError: If the device is lost during the call.

    Example:
        >>> import tfpy as tf
        >>> x = tf.ones([2, 2])
        >>> timing = tf.time(lambda: x @ x)
        >>> timing.wall_ms > 0
        True

    See also: `tf.profile`, which also reports the shapes and the memory of kernels.
    """
    return bridge.wait(time_async(f), "write `await tf.time_async(f)`")


@awaitable("tf.time_async(f)")
async def time_async(f: Callable[[], Any]) -> Timing:
    """Measure the duration of a function and of its kernels, without blocking the page.

    Args:
        f: Function without arguments. If it returns a coroutine, the coroutine is awaited. The
            result is discarded.

    Returns:
        An awaitable that resolves to the object that `tf.time` returns.

    Raises:
        RuntimeError: If a function is already being timed or profiled.
        tf.errors.UnavailableError: If the device is lost during the call.

    Example:
        >>> import asyncio
        >>> import tfpy as tf
        >>> x = tf.ones([2, 2])
        >>> timing = asyncio.run(tf.time_async(lambda: x @ x))  # in a page, use await
        >>> timing.wall_ms > 0
        True

    See also: `tf.time`.
    """
    backend = registry.active_backend()
    noted: list[Span] = []
    await backend.finish()
    start_timing(backend)
    recorders.append(noted.append)
    start = end = clock()
    try:
        result = f()
        if inspect.isawaitable(result):
            await result
        await backend.finish()
        end = clock()
    finally:
        recorders.remove(noted.append)
        found = await stop_timing(backend)
    wall_ms = (end - start) * 1e3
    upload_ms, download_ms = (covered(_of_kind(noted, k)) * 1e3 for k in ("upload", "read"))
    if found.kernels is None:
        return Timing(wall_ms, None, {}, found.reason, upload_ms, download_ms)
    kernels: dict[str, KernelRuns] = {}
    for name, ms, _ in found.kernels:
        one = kernels.setdefault(name, KernelRuns())
        one.runs += 1
        one.ms += ms
    longest = dict(sorted(kernels.items(), key=lambda item: -item[1].ms))
    kernel_ms = sum(one.ms for one in kernels.values())
    return Timing(wall_ms, kernel_ms, longest, "", upload_ms, download_ms)


def _of_kind(spans: Sequence[Span], kind: str) -> list[tuple[float, float]]:
    return [(span.began, span.ended) for span in spans if span.kind == kind]


def start_timing(backend: Backend) -> None:
    """Begin to time a backend's kernels.

    Raises:
        RuntimeError: If they are already being timed.
    """
    if backend in _timed:
        raise RuntimeError(
            "The kernels are already being timed. tf.time and profiles cannot be nested."
        )
    if isinstance(backend, Timed):
        backend.start_timing()
    _timed.add(backend)


async def stop_timing(backend: Backend) -> KernelTimes:
    """Stop timing after all kernels have run, and return the times."""
    found = _stopped(backend)
    return found if isinstance(found, KernelTimes) else await found


def _stopped(backend: Backend) -> KernelTimes | Coroutine[Any, Any, KernelTimes]:
    """Return the times of the kernels, or a coroutine that waits for them."""
    _timed.discard(backend)
    if isinstance(backend, Timed):
        return backend.stop_timing()
    return KernelTimes(None, f"kernels on {backend.name} are not timed one by one")


def stop_timing_now(backend: Backend) -> KernelTimes:
    """Stop timing in code that cannot await.

    The times are missing if the device must be awaited and Python cannot wait.
    """
    found = _stopped(backend)
    if isinstance(found, KernelTimes):
        return found
    if bridge.can_wait():
        return bridge.wait(found, "")
    found.close()  # the runtime continues to the end
    mend = "write `async with` or `await tf.profiler.experimental.stop_async()`"
    return KernelTimes(None, f"Python cannot wait for {backend.name} here; {mend}")
