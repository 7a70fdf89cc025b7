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
    """A run of a kernel. Equivalent to `KernelInfo` in TensorFlow.js."""

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
    """Shapes of the operands."""
    output_shapes: list[tuple[int, ...]]
    """Shapes of the results."""
    kernel_time_ms: float | None
    """Milliseconds, or None if the device does not report them."""
    extra_info: str
    """Name of the kernel on the device, and the line of the program."""


@dataclass(frozen=True)
class ProfileInfo:
    """The result of `tf.profile`, with more attributes than `ProfileInfo` in TensorFlow.js has.

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
        """Total milliseconds of all kernels, or None if the device does not report them."""
        if self.reason:
            return None
        return sum(kernel.kernel_time_ms or 0.0 for kernel in self.kernels)

    @property
    def accounted(self) -> float:
        """Share of the wall time that the timeline explains, from 0 to 1.

        The rest of the time is Python code of the program.
        """
        return chrome.share_told(self.tracks, self.wall_ms / 1e3)

    def trace(self) -> dict[str, Any]:
        """Return the timeline as a dict in the Trace Event Format.

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
        """Write the timeline to a file that ui.perfetto.dev and chrome://tracing can open.

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
    """Run a function, and report its kernels, its memory and a timeline.

    In a compiled function, one kernel can compute more than one op. The first call of a compiled
    function also traces and compiles it, which the timeline shows. `tf.time` measures only the time
    and has less overhead.

    Args:
        f: Function without arguments. If it returns a coroutine, the coroutine is awaited.

    Returns:
        An object that prints as a table, and that notebooks display with a timeline. Its attributes
        up to `result` are those of TensorFlow.js.

        - `new_bytes`, `new_tensors`: Bytes and number of the tensors that the function created and
          that still exist.
        - `peak_bytes`: Largest number of bytes of all tensors after any kernel.
        - `kernels`: List of the runs of kernels in order. Their attributes include `name` (ops that
          the kernel computes), `input_shapes`, `output_shapes`, `bytes_added`, `kernel_time_ms` and
          `extra_info` (name of the kernel on the device, and line of the program).
        - `kernel_names`: List of the different names of kernels.
        - `result`: Result of the function.
        - `wall_ms`: Milliseconds until the device has finished.
        - `kernel_ms`: Milliseconds of all kernels. None if the device does not report them;
          `reason` then contains the reason.
        - `accounted`: Share of the time, from 0 to 1, that the timeline explains. The rest is
          Python code of the program.
        - `trace()` returns the timeline as a dict in the Trace Event Format, and `save(path)`
          writes it to a file that ui.perfetto.dev and chrome://tracing can open.

    Raises:
        RuntimeError: If a function is already being timed or profiled. Also if the browser cannot
            suspend Python (JSPI) while the device computes; use `await tf.profile_async(f)` then.
        tf.errors.UnavailableError: If the device is lost during the call.

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
    """Run a function, and report its kernels, its memory and a timeline, without blocking the page.

    Args:
        f: Function without arguments. If it returns a coroutine, the coroutine is awaited.

    Returns:
        An awaitable that resolves to the object that `tf.profile` returns.

    Raises:
        RuntimeError: If a function is already being timed or profiled.
        tf.errors.UnavailableError: If the device is lost during the call.

    Example:
        >>> import asyncio
        >>> import tfpy as tf
        >>> x = tf.ones([2, 3])
        >>> info = asyncio.run(tf.profile_async(lambda: tf.sinh(x)))  # in a page, use await
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
