"""``tf.time``: how long a call takes, on the clock and on the device, in numbers alone.

``tf.profile`` (``profiler/info.py``) says what runs in it.
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
"""The backends whose kernels are being timed."""


@dataclass
class KernelRuns:
    """The runs of the kernels of one name: how many, and their milliseconds together."""

    runs: int = 0
    ms: float = 0.0


@dataclass(frozen=True)
class Timing:
    """What :func:`time` found."""

    wall_ms: float
    """Milliseconds on the clock, until the device had done all of it."""
    kernel_ms: float | None
    """Milliseconds that kernels took on the device; None where it does not say."""
    kernels: dict[str, KernelRuns]
    """By the kernels' names, those that took longest first."""
    reason: str
    """Why :attr:`kernel_ms` is None."""
    upload_ms: float
    """Milliseconds in which values were given to the device; webgl and webgpu may pass them on
    later."""
    download_ms: float
    """Milliseconds in which values of the device were waited for."""


def time(f: Callable[[], Any]) -> Timing:
    """How long a function takes, and its kernels by name, on the active backend; what each run of
    them computes, where and with what memory, is ``tf.profile``'s to say.

    What else runs meanwhile counts, too. The first call of a compiled function compiles it: call it
    once before. Times of kernels need timestamps of the GPU: on webgpu the feature timestamp-query,
    which Chromium rounds to 0.1 ms unless it was started with
    ``--enable-webgpu-developer-features``; on webgl the extension EXT_disjoint_timer_query_webgl2.
    Timed kernels cannot overlap and each costs some microseconds more, so that ``wall_ms`` is more
    than without.

    Args:
        f: a function without arguments, whose result is dropped; a coroutine is awaited.

    Returns:
        ``wall_ms``, ``kernel_ms`` (None with a ``reason`` where the device does not say) and
        ``kernels``: for each name ``runs`` and ``ms``; on cpu they are the ops'. ``upload_ms`` and
        ``download_ms``: what moving values took.

    Raises:
        RuntimeError: inside of a function that is timed or profiled.
        UnavailableError: when the device is lost meanwhile.

    Example:
        >>> import tfpy as tf
        >>> x = tf.ones([2, 2])
        >>> timing = tf.time(lambda: x @ x)
        >>> timing.wall_ms > 0
        True
    """
    return bridge.wait(time_async(f), "write `await tf.time_async(f)`")


@awaitable("tf.time_async(f)")
async def time_async(f: Callable[[], Any]) -> Timing:
    """Await what :func:`time` returns.

    Args and errors are those of :func:`time`.

    Example:
        >>> import asyncio
        >>> import tfpy as tf
        >>> x = tf.ones([2, 2])
        >>> asyncio.run(tf.time_async(lambda: x @ x)).wall_ms > 0
        True
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
    """Begins to time a backend's kernels.

    Raises:
        RuntimeError: when they are timed already.
    """
    if backend in _timed:
        raise RuntimeError(
            "kernels are being timed already: tf.time and profiles do not go into each other"
        )
    if isinstance(backend, Timed):
        backend.start_timing()
    _timed.add(backend)


async def stop_timing(backend: Backend) -> KernelTimes:
    """Ends it, when all kernels have run."""
    found = _stopped(backend)
    return found if isinstance(found, KernelTimes) else await found


def _stopped(backend: Backend) -> KernelTimes | Coroutine[Any, Any, KernelTimes]:
    """Return the times of the kernels, or a coroutine that waits for them."""
    _timed.discard(backend)
    if isinstance(backend, Timed):
        return backend.stop_timing()
    return KernelTimes(None, f"kernels on {backend.name} are not timed one by one")


def stop_timing_now(backend: Backend) -> KernelTimes:
    """The same in code that cannot await; without times where the device must be awaited, and
    Python cannot wait."""
    found = _stopped(backend)
    if isinstance(found, KernelTimes):
        return found
    if bridge.can_wait():
        return bridge.wait(found, "")
    found.close()  # the runtime goes on to the end
    mend = "write `async with` or `await tf.profiler.experimental.stop_async()`"
    return KernelTimes(None, f"Python cannot wait for {backend.name} here; {mend}")
