"""`tf.profiler.experimental`: profiles that are written to files for Perfetto."""

from __future__ import annotations

import os
import warnings
from collections import namedtuple
from datetime import datetime
from pathlib import Path
from typing import Any

from tfpy._src.backends.awaitable import awaitable
from tfpy._src.base import profiler_spans
from tfpy._src.base.errors import AlreadyExistsError, UnavailableError
from tfpy._src.library.profiler.info import info_of
from tfpy._src.library.profiler.recording import Recording

ProfilerOptions = namedtuple(
    "ProfilerOptions",
    ["host_tracer_level", "python_tracer_level", "device_tracer_level", "delay_ms"],
    defaults=(2, 0, 1, None),
)
ProfilerOptions.__doc__ = """The options of a profile. Only `device_tracer_level` has an effect.

Args:
    host_tracer_level: Has no effect.
    python_tracer_level: Has no effect.
    device_tracer_level: If 0, kernels are not timed, so that they can overlap as they do without a
        profile. Default: kernels are timed.
    delay_ms: Has no effect.

Example:
    >>> import tfpy as tf
    >>> options = tf.profiler.experimental.ProfilerOptions(device_tracer_level=0)
    >>> tf.profiler.experimental.start("profile", options)
    >>> tf.profiler.experimental.stop(save=False)

See also: `tf.profiler.experimental.start`.
"""


class _Running:
    """The recording in progress."""

    recording: Recording | None = None
    folder = Path()


def start(logdir: str | os.PathLike[str], options: ProfilerOptions | None = None) -> None:
    """Start recording a profile of Python and of the active backend.

    Args:
        logdir: Folder for the file that `tf.profiler.experimental.stop` writes.
        options: A `tf.profiler.experimental.ProfilerOptions`. Default: kernels are timed.

    Raises:
        tf.errors.AlreadyExistsError: If a profile is already being recorded.

    Example:
        >>> import tfpy as tf
        >>> tf.profiler.experimental.start("profile")
        >>> x = tf.sinh(tf.ones([2]))
        >>> tf.profiler.experimental.stop()
        >>> len(tf.io.gfile.glob("profile/plugins/profile/*/tfpy.trace.json")) > 0
        True

    See also: `tf.profiler.experimental.stop`, `tf.profile`.
    """
    recording = _new(options)
    recording.start_now()
    _Running.recording, _Running.folder = recording, Path(logdir)


def _new(options: Any) -> Recording:
    """Return a new recording.

    Raises:
        AlreadyExistsError: If a profile is already being recorded.
    """
    if _Running.recording is not None:
        raise AlreadyExistsError(None, None, "Another profiler is running.")
    return Recording(options is None or options.device_tracer_level != 0)


def stop(save: bool = True) -> None:
    """Stop recording the profile, and write it to a file.

    The file is `<logdir>/plugins/profile/<time>/tfpy.trace.json`, which ui.perfetto.dev and
    chrome://tracing can open. If the browser cannot suspend Python (JSPI) for the GPU, the file
    does not contain the times of kernels, and a warning is given. In this case, use
    `await tf.profiler.experimental.stop_async()`.

    Args:
        save: If False, discard the profile instead of writing a file.

    Raises:
        tf.errors.UnavailableError: If no profile is being recorded.

    Example:
        >>> import tfpy as tf
        >>> tf.profiler.experimental.start("profile")
        >>> x = tf.sinh(tf.ones([2]))
        >>> tf.profiler.experimental.stop(save=False)

    See also: `tf.profiler.experimental.start`, `tf.profiler.experimental.stop_async`.
    """
    recording = _taken()
    recording.stop_now()
    if recording.times_kernels and recording.times.kernels is None:
        text = f"the profile does not contain the times of kernels: {recording.times.reason}"
        warnings.warn(text, RuntimeWarning, stacklevel=2)
    if save:
        _save(recording)


@awaitable("tf.profiler.experimental.stop_async()")
async def stop_async(save: bool = True) -> None:
    """Stop recording the profile and write it to a file, without blocking the page.

    The file is `<logdir>/plugins/profile/<time>/tfpy.trace.json`. It contains the times of kernels
    on every device that reports them.

    Args:
        save: If False, discard the profile instead of writing a file.

    Returns:
        An awaitable that resolves to None.

    Raises:
        tf.errors.UnavailableError: If no profile is being recorded.

    Example:
        >>> import asyncio
        >>> import tfpy as tf
        >>> tf.profiler.experimental.start("profile")
        >>> x = tf.sinh(tf.ones([2]))
        >>> asyncio.run(tf.profiler.experimental.stop_async(save=False))  # in a page, use await

    See also: `tf.profiler.experimental.stop`.
    """
    recording = _taken()
    await recording.stop()
    if save:
        _save(recording)


def _taken() -> Recording:
    """Return the recording in progress and remove it."""
    recording = _Running.recording
    if recording is None:
        text = "Cannot export profiling results. No profiler is running."
        raise UnavailableError(None, None, text)
    _Running.recording = None
    return recording


def _save(recording: Recording) -> None:
    """Write a recording to a file in its folder."""
    time = datetime.now().strftime("%Y_%m_%d_%H_%M_%S")
    folder = _Running.folder / "plugins" / "profile" / time
    folder.mkdir(parents=True, exist_ok=True)
    info_of(recording).save(folder / "tfpy.trace.json")


class Profile:
    """Context manager that records a profile of its body and writes it to a file.

    The file is `<logdir>/plugins/profile/<time>/tfpy.trace.json`, which ui.perfetto.dev and
    chrome://tracing can open. In a page, use `async with`, so that the file also contains the times
    of kernels if the browser cannot suspend Python (JSPI).

    Args:
        logdir: Folder for the file.
        options: A `tf.profiler.experimental.ProfilerOptions`. Default: kernels are timed.

    Raises:
        tf.errors.AlreadyExistsError: If a profile is already being recorded when the `with`
            statement begins.

    Example:
        >>> import tempfile
        >>> from pathlib import Path
        >>> import tfpy as tf
        >>> folder = tempfile.mkdtemp()
        >>> with tf.profiler.experimental.Profile(folder):
        ...     x = tf.sinh(tf.ones([2]))
        >>> [path.name for path in Path(folder).rglob("*.json")]
        ['tfpy.trace.json']

    See also: `tf.profiler.experimental.start`, `tf.profiler.experimental.Trace`.
    """

    def __init__(
        self, logdir: str | os.PathLike[str], options: ProfilerOptions | None = None
    ) -> None:
        self._logdir, self._options = logdir, options

    def __enter__(self) -> None:
        start(self._logdir, self._options)

    def __exit__(self, kind: Any, value: Any, trace: Any) -> None:
        stop()

    async def __aenter__(self) -> None:
        recording = _new(self._options)
        await recording.start()
        _Running.recording, _Running.folder = recording, Path(self._logdir)

    async def __aexit__(self, kind: Any, value: Any, trace: Any) -> None:
        await stop_async()


class Trace:
    """Context manager that adds a named event for its body to the profile that is being recorded.

    Use it, for example, to mark each training step in the timeline. Without a profile it has no
    effect.

    Args:
        name: Name of the event.
        **kwargs: Values to show with the event, such as `step_num=1`.

    Example:
        >>> import tfpy as tf
        >>> with tf.profiler.experimental.Profile("profile"):
        ...     for step in range(2):
        ...         with tf.profiler.experimental.Trace("train", step_num=step, _r=1):
        ...             x = tf.sinh(tf.ones([2]))

    See also: `tf.profiler.experimental.Profile`.
    """

    def __init__(self, name: str, **kwargs: Any) -> None:
        self._name, self._facts = name, kwargs
        self._began = 0.0

    def set_metadata(self, **kwargs: Any) -> None:
        """Add values that are shown with the event.

        Args:
            **kwargs: Values by name.

        Example:
            >>> import tfpy as tf
            >>> with tf.profiler.experimental.Trace("train") as trace:
            ...     trace.set_metadata(loss=0.5)
        """
        self._facts |= kwargs

    def __enter__(self) -> Trace:
        self._began = profiler_spans.clock() if profiler_spans.recorders else 0.0
        return self

    def __exit__(self, kind: Any, value: Any, trace: Any) -> None:
        if self._began:
            profiler_spans.note("user", self._name, self._began, **self._facts)
