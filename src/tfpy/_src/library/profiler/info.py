"""``tf.profile``: each kernel that a call runs, with its shapes, memory and line, and a timeline.

``tf.time`` (``backends/timing.py``) has milliseconds alone, for who compares.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tfpy._src.backends.awaitable import awaitable
from tfpy._src.backends.javascript.bridge import wait
from tfpy._src.backends.storage import statistics
from tfpy._src.base import profiler_spans
from tfpy._src.base.atomic_files import replace_file
from tfpy._src.core.lifetimes import live_tensors
from tfpy._src.library.profiler import chrome, tables
from tfpy._src.library.profiler.kernels import KernelRun, kernels_of
from tfpy._src.library.profiler.recording import Recording


@dataclass(frozen=True)
class KernelInfo:
    """A run of a kernel: TensorFlow.js's ``KernelInfo``."""

    name: str
    """The ops that it computes: one, or those that were fused."""
    bytes_added: int
    """Of the tensors that it gives."""
    total_bytes_snapshot: int
    """Of all tensors, afterwards."""
    tensors_added: int
    total_tensors_snapshot: int
    input_shapes: list[tuple[int, ...]]
    output_shapes: list[tuple[int, ...]]
    kernel_time_ms: float | None
    """None where the device does not say."""
    extra_info: str
    """The kernel's name on the device, and the line of the program."""


@dataclass(frozen=True)
class ProfileInfo:
    """What :func:`profile` found: TensorFlow.js's ``ProfileInfo``, and more.

    It prints as a table; notebooks show a table and a timeline.
    """

    new_bytes: int
    """Bytes of tensors that are there afterwards and were not before."""
    new_tensors: int
    peak_bytes: int
    """The most bytes of tensors after any kernel."""
    kernels: list[KernelInfo]
    result: Any
    """What the function gave."""
    wall_ms: float
    """Milliseconds on the clock, until the device had done all of it."""
    reason: str
    """Why the kernels have no times; empty where they have."""
    backend: str
    tracks: list[chrome.Track] = field(repr=False)

    @property
    def kernel_names(self) -> list[str]:
        """The names of the kernels, each once."""
        return list(dict.fromkeys(kernel.name for kernel in self.kernels))

    @property
    def kernel_ms(self) -> float | None:
        """Milliseconds of all kernels together; None where the device does not say."""
        if self.reason:
            return None
        return sum(kernel.kernel_time_ms or 0.0 for kernel in self.kernels)

    @property
    def accounted(self) -> float:
        """The share of the wall time, up to 1, in which the timeline says what happens: the rest is
        the program's own Python."""
        return chrome.share_told(self.tracks, self.wall_ms / 1e3)

    def trace(self) -> dict[str, Any]:
        """The timeline in the Trace Event Format, for ``json.dump``."""
        facts = {"backend": self.backend, "reason": self.reason}
        return chrome.document(self.tracks, self.backend, facts)

    def save(self, path: str | Path) -> None:
        """Writes :meth:`trace` to a file, which ui.perfetto.dev and chrome://tracing open."""
        replace_file(path, json.dumps(self.trace(), separators=(",", ":")).encode())

    def __str__(self) -> str:
        return tables.text(self)

    def _repr_html_(self) -> str:
        return tables.html(self)


def profile(f: Callable[[], Any]) -> ProfileInfo:
    """Runs a function and tells of each kernel that it runs, and of its tensors.

    Kernels of a compiled function are what its ops were fused to. What the first call of one takes
    for tracing and compiling stands in the timeline. For the milliseconds alone there is
    ``tf.time``, which keeps no list of what ran: it takes less beside short calls.

    Args:
        f: a function without arguments; a coroutine is awaited.

    Returns:
        A :class:`ProfileInfo`: ``new_bytes``, ``new_tensors``, ``peak_bytes``, ``kernels``,
        ``kernel_names`` and ``result`` as TensorFlow.js has them, and ``wall_ms``, ``kernel_ms``,
        ``accounted``, ``save(path)``. Print it, or let a notebook show it.

    Raises:
        RuntimeError: inside of a function that is timed or profiled.
        UnavailableError: when the device is lost meanwhile.

    Example:
        >>> import tfpy as tf
        >>> x = tf.ones([2, 3])
        >>> info = tf.profile(lambda: tf.sinh(x) + 1.0)
        >>> [(k.name, k.output_shapes, k.bytes_added) for k in info.kernels]
        [('sinh', [(2, 3)], 24), ('add', [(2, 3)], 24)]
        >>> info.new_bytes, info.new_tensors, info.peak_bytes >= 72
        (24, 1, True)
    """
    return wait(profile_async(f), "write `await tf.profile_async(f)`")


@awaitable("tf.profile_async(f)")
async def profile_async(f: Callable[[], Any]) -> ProfileInfo:
    """Await what :func:`profile` returns.

    Args and errors are those of :func:`profile`.

    Example:
        >>> import asyncio
        >>> import tfpy as tf
        >>> x = tf.ones([2, 3])
        >>> info = asyncio.run(tf.profile_async(lambda: tf.sinh(x)))
        >>> info.kernel_names
        ['sinh']
    """
    recording = Recording()
    await recording.start()
    began = profiler_spans.clock()
    try:
        result = f()
        if inspect.isawaitable(result):
            result = await result
        profiler_spans.note("user", "profile", began)
    finally:
        await recording.stop()
    return info_of(recording, result)


def info_of(recording: Recording, result: Any = None) -> ProfileInfo:
    """What a recording that has ended found."""
    kernels = kernels_of(recording)
    most = max((kernel.total_bytes for kernel in kernels), default=recording.bytes_before)
    return ProfileInfo(
        statistics.nbytes - recording.bytes_before,
        live_tensors() - recording.tensors_before,
        max(most, recording.bytes_before),
        [_info(kernel) for kernel in kernels],
        result,
        (recording.ended - recording.began) * 1e3,
        recording.times.reason,
        recording.backend.name,
        chrome.tracks_of(recording, kernels),
    )


def _info(kernel: KernelRun) -> KernelInfo:
    line = "" if kernel.line is None else f", {kernel.line.short}"
    return KernelInfo(
        kernel.name,
        kernel.output_bytes,
        kernel.total_bytes,
        kernel.output_tensors,
        kernel.total_tensors,
        kernel.input_shapes,
        kernel.output_shapes,
        kernel.ms,
        f"{kernel.kernel if kernel.on_device else 'on the host'}{line}",
    )
