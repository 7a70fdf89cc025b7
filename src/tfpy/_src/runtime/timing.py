"""``tf.time``: how long a call takes, on the clock and on the device."""

from __future__ import annotations

import inspect
import time as clock
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tfpy._src.runtime import registry
from tfpy._src.runtime.awaitable import awaitable
from tfpy._src.runtime.backend import Backend

_timed: set[int] = set()
"""The backends whose kernels are being timed, by their ids."""


@dataclass
class KernelTime:
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
    kernels: dict[str, KernelTime]
    """By the kernels' names, those that took longest first."""
    reason: str
    """Why :attr:`kernel_ms` is None."""


@awaitable("tf.time(f)")
async def time(f: Callable[[], Any]) -> Timing:
    """How long a function takes, and the kernels that it runs on the active backend.

    What else runs meanwhile counts, too. The first call of a compiled function compiles it: call it
    once before. Times of kernels need timestamps of the GPU: on webgpu the feature timestamp-query,
    which Chromium rounds to 0.1 ms unless it was started with
    ``--enable-webgpu-developer-features``; on webgl the extension EXT_disjoint_timer_query_webgl2.
    Timed kernels cannot overlap and each costs some microseconds more, so that ``wall_ms`` is more
    than without.

    Args:
        f: a function without arguments, whose result is dropped; a coroutine is awaited.

    Returns:
        ``wall_ms``, ``kernel_ms`` (None with a ``reason`` where the device does not say, on cpu and
        wasm) and ``kernels``: for each name ``runs`` and ``ms``.

    Raises:
        RuntimeError: inside of a function that is timed.
        UnavailableError: when the device is lost meanwhile.

    Example:
        >>> import asyncio
        >>> import tfpy as tf
        >>> x = tf.ones([2, 2])
        >>> timing = asyncio.run(tf.time(lambda: x @ x))
        >>> timing.wall_ms > 0
        True
    """
    backend = registry.active_backend()
    if id(backend) in _timed:
        raise RuntimeError("tf.time: kernels are being timed already, by a call around this one")
    _timed.add(id(backend))
    try:
        return await _time(f, backend)
    finally:
        _timed.remove(id(backend))


async def _time(f: Callable[[], Any], backend: Backend) -> Timing:
    wall_ms = 0.0

    async def act() -> None:
        nonlocal wall_ms
        start = clock.perf_counter()
        result = f()
        if inspect.isawaitable(result):
            await result
        await backend.finish()
        wall_ms = (clock.perf_counter() - start) * 1e3

    await backend.finish()
    found = await backend.timed(act)
    if found.kernels is None:
        return Timing(wall_ms, None, {}, found.reason)
    kernels: dict[str, KernelTime] = {}
    for name, ms in found.kernels:
        one = kernels.setdefault(name, KernelTime())
        one.runs += 1
        one.ms += ms
    longest = dict(sorted(kernels.items(), key=lambda item: -item[1].ms))
    return Timing(wall_ms, sum(ms for _, ms in found.kernels), longest, "")
