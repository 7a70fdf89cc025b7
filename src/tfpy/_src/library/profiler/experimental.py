"""``tf.profiler.experimental``: recordings that are written as files for Perfetto."""

from __future__ import annotations

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
ProfilerOptions.__doc__ = """TensorFlow's options, of which ``device_tracer_level=0`` has a meaning.

Kernels are not timed one by one then, so that they run as they do without a profile.

Example:
    >>> import tfpy as tf
    >>> tf.profiler.experimental.ProfilerOptions(device_tracer_level=0).device_tracer_level
    0
"""


class _Running:
    recording: Recording | None = None
    folder = Path()


def start(logdir: Any, options: Any = None) -> None:
    """Begins to record what happens in Python and on the active backend.

    Args:
        logdir: the folder for the file, which :func:`stop` writes.
        options: a ``ProfilerOptions``.

    Raises:
        AlreadyExistsError: when a profile is being recorded already.

    Example:
        >>> import tfpy as tf
        >>> tf.profiler.experimental.start("profile")
        >>> x = tf.sinh(tf.ones([2]))
        >>> tf.profiler.experimental.stop()
        >>> len(tf.io.gfile.glob("profile/plugins/profile/*")) > 0
        True
    """
    recording = _new(options)
    recording.start_now()
    _Running.recording, _Running.folder = recording, Path(logdir)


def _new(options: Any) -> Recording:
    if _Running.recording is not None:
        raise AlreadyExistsError(None, None, "Another profiler is running.")
    return Recording(options is None or options.device_tracer_level != 0)


def stop(save: bool = True) -> None:
    """Ends it and writes ``<logdir>/plugins/profile/<time>/tfpy.trace.json``, which ui.perfetto.dev
    and chrome://tracing open.

    Where Python cannot wait for a GPU, its kernels are not in the file, and a warning says so.

    Raises:
        UnavailableError: when no profile is being recorded.

    Example:
        >>> import tfpy as tf
        >>> tf.profiler.experimental.start("profile")
        >>> x = tf.sinh(tf.ones([2]))
        >>> tf.profiler.experimental.stop(save=False)
    """
    recording = _taken()
    recording.stop_now()
    if recording.times_kernels and recording.times.kernels is None:
        text = f"the profile has no times of kernels: {recording.times.reason}"
        warnings.warn(text, RuntimeWarning, stacklevel=2)
    if save:
        _save(recording)


@awaitable("tf.profiler.experimental.stop_async()")
async def stop_async(save: bool = True) -> None:
    """:func:`stop` with the kernels of every device: waits until they have run.

    Example:
        >>> import asyncio
        >>> import tfpy as tf
        >>> tf.profiler.experimental.start("profile")
        >>> x = tf.sinh(tf.ones([2]))
        >>> asyncio.run(tf.profiler.experimental.stop_async(save=False))
    """
    recording = _taken()
    await recording.stop()
    if save:
        _save(recording)


def _taken() -> Recording:
    recording = _Running.recording
    if recording is None:
        text = "Cannot export profiling results. No profiler is running."
        raise UnavailableError(None, None, text)
    _Running.recording = None
    return recording


def _save(recording: Recording) -> None:
    time = datetime.now().strftime("%Y_%m_%d_%H_%M_%S")
    folder = _Running.folder / "plugins" / "profile" / time
    folder.mkdir(parents=True, exist_ok=True)
    info_of(recording).save(folder / "tfpy.trace.json")


class Profile:
    """Records what happens in the context: ``with Profile(logdir):``, or ``async with``, which has
    the times of kernels on every device.

    Example:
        >>> import tempfile
        >>> from pathlib import Path
        >>> import tfpy as tf
        >>> folder = tempfile.mkdtemp()
        >>> with tf.profiler.experimental.Profile(folder):
        ...     x = tf.sinh(tf.ones([2]))
        >>> [path.name for path in Path(folder).rglob("*.json")]
        ['tfpy.trace.json']
    """

    def __init__(self, logdir: Any, options: Any = None) -> None:
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
    """A context that stands in the timeline under a name, as the steps of training do.

    Args:
        kwargs: what is shown beside the name, for example ``step_num=1, _r=1``.

    Example:
        >>> import tfpy as tf
        >>> with tf.profiler.experimental.Profile("profile"):
        ...     for step in range(2):
        ...         with tf.profiler.experimental.Trace("train", step_num=step, _r=1):
        ...             x = tf.sinh(tf.ones([2]))
    """

    def __init__(self, name: str, **kwargs: Any) -> None:
        self._name, self._facts = name, kwargs
        self._began = 0.0

    def set_metadata(self, **kwargs: Any) -> None:
        """Shows more beside the name."""
        self._facts |= kwargs

    def __enter__(self) -> Trace:
        self._began = profiler_spans.clock() if profiler_spans.recorders else 0.0
        return self

    def __exit__(self, kind: Any, value: Any, trace: Any) -> None:
        if self._began:
            profiler_spans.note("user", self._name, self._began, **self._facts)
