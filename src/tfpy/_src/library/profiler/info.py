"""`tf.profile`: each kernel of a call with its shapes, memory and source line, and a timeline.

`tf.time` (`backends/timing.py`) only measures milliseconds, to compare alternatives.
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
    """A run of a kernel (TensorFlow.js's `KernelInfo`)."""

    name: str
    """Name of the op, or names of the ops that were fused."""
    bytes_added: int
    """Bytes of the tensors that the kernel produces."""
    total_bytes_snapshot: int
    """Bytes of all tensors after the run."""
    tensors_added: int
    """Number of tensors that the kernel produces."""
    total_tensors_snapshot: int
    """Number of all tensors after the run."""
    input_shapes: list[tuple[int, ...]]
    output_shapes: list[tuple[int, ...]]
    kernel_time_ms: float | None
    """Milliseconds, or None if the device does not measure them."""
    extra_info: str
    """Name of the kernel on the device, and the line of the program."""


@dataclass(frozen=True)
class ProfileInfo:
    """The result of `tf.profile` (TensorFlow.js's `ProfileInfo` with more attributes).

    It prints as a table; notebooks show a table and a timeline.
    """

    new_bytes: int
    """Bytes of the tensors that were created and still exist."""
    new_tensors: int
    """Number of the tensors that were created and still exist."""
    peak_bytes: int
    """Largest number of bytes of all tensors after any kernel."""
    kernels: list[KernelInfo]
    """Runs of kernels, in order."""
    result: Any
    """Result of the function."""
    wall_ms: float
    """Milliseconds of wall time until the device has finished."""
    reason: str
    """Reason why kernels have no times, or an empty string."""
    backend: str
    """Name of the backend."""
    tracks: list[chrome.Track] = field(repr=False)

    @property
    def kernel_names(self) -> list[str]:
        """Distinct names of the kernels."""
        return list(dict.fromkeys(kernel.name for kernel in self.kernels))

    @property
    def kernel_ms(self) -> float | None:
        """Total milliseconds of all kernels, or None if the device does not measure them."""
        if self.reason:
            return None
        return sum(kernel.kernel_time_ms or 0.0 for kernel in self.kernels)

    @property
    def accounted(self) -> float:
        """Share of the wall time that the timeline explains, from 0 to 1.

        The rest is the program's own Python code.
        """
        return chrome.share_told(self.tracks, self.wall_ms / 1e3)

    def trace(self) -> dict[str, Any]:
        """Return the timeline in the Trace Event Format.

        Returns:
            A dict for `json.dump`.

        Example:
            >>> import tfpy as tf
            >>> info = tf.profile(lambda: tf.sinh(tf.ones([2])))
            >>> sorted(info.trace())
            ['displayTimeUnit', 'otherData', 'traceEvents']
        """
        facts = {"backend": self.backend, "reason": self.reason}
        return chrome.document(self.tracks, self.backend, facts)

    def save(self, path: str | Path) -> None:
        """Write the timeline to a file that ui.perfetto.dev and chrome://tracing open.

        Args:
            path: Path of the file.

        Example:
            >>> import tfpy as tf
            >>> tf.profile(lambda: tf.sinh(tf.ones([2]))).save("profile.json")
            >>> tf.io.gfile.exists("profile.json")
            True
        """
        replace_file(path, json.dumps(self.trace(), separators=(",", ":")).encode())

    def __str__(self) -> str:
        return tables.text(self)

    def _repr_html_(self) -> str:
        return tables.html(self)


def profile(f: Callable[[], Any]) -> ProfileInfo:
    """Run a function and describe its kernels and tensors.

    The kernels of a compiled function compute several fused ops. The first call of a compiled
    function also traces and compiles it, which the timeline shows. `tf.time` only measures
    milliseconds and has less overhead.

    Args:
        f: Function without arguments. If it returns a coroutine, the coroutine is awaited.

    Returns:
        A `ProfileInfo` with `new_bytes`, `new_tensors`, `peak_bytes`, `kernels`, `kernel_names` and
        `result` as in TensorFlow.js, and `wall_ms`, `kernel_ms`, `accounted`, `trace()` and
        `save(path)`. Print it, or display it in a notebook.

    Raises:
        RuntimeError: If the call is inside of a function that is timed or profiled, or Python
            cannot wait here (use `await tf.profile_async(f)`).
        tf.errors.UnavailableError: If the device is lost.

    Example:
        >>> import tfpy as tf
        >>> x = tf.ones([2, 3])
        >>> info = tf.profile(lambda: tf.sinh(x) + 1.0)
        >>> [(k.name, k.output_shapes, k.bytes_added) for k in info.kernels]
        [('sinh', [(2, 3)], 24), ('add', [(2, 3)], 24)]
        >>> info.new_bytes, info.new_tensors, info.peak_bytes >= 72
        (24, 1, True)

    See also: `tf.profile_async`, `tf.time`, `tf.profiler.experimental.Profile`.
    """
    return wait(profile_async(f), "write `await tf.profile_async(f)`")


@awaitable("tf.profile_async(f)")
async def profile_async(f: Callable[[], Any]) -> ProfileInfo:
    """Run a function and describe its kernels and tensors, without blocking the page.

    Args:
        f: Function without arguments. If it returns a coroutine, the coroutine is awaited.

    Returns:
        A `ProfileInfo`, as `tf.profile` returns it.

    Raises:
        RuntimeError: If the call is inside of a function that is timed or profiled.
        tf.errors.UnavailableError: If the device is lost.

    Example:
        >>> import asyncio
        >>> import tfpy as tf
        >>> x = tf.ones([2, 3])
        >>> info = asyncio.run(tf.profile_async(lambda: tf.sinh(x)))
        >>> info.kernel_names
        ['sinh']

    See also: `tf.profile`, `tf.time_async`.
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
    """Return the description of a recording that has ended."""
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
    """Convert a kernel run to a `KernelInfo`."""
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
