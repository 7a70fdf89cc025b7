"""Summary writers, which write event files."""

from __future__ import annotations

import os
import weakref
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

from tfpy._src.base import tracing
from tfpy._src.base.errors import NotFoundError
from tfpy._src.compiler.ir.aval import Array
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.typing import IntLike, TensorLike
from tfpy._src.formats.summary.event_file import EventFile
from tfpy._src.formats.summary.event_messages import summary_content, tensor_value
from tfpy._src.formats.summary.state import local
from tfpy._src.functions.control.effects import effect
from tfpy._src.functions.trace.symbolic import is_symbolic


class SummaryWriter:
    """A destination of summaries, such as an event file.

    `tf.summary.create_file_writer` creates one. Functions such as `tf.summary.scalar` write to the
    default writer of the thread, which `as_default` and `set_as_default` set.

    Example:
        >>> import tfpy as tf
        >>> writer = tf.summary.create_file_writer("logs/writer")
        >>> isinstance(writer, tf.summary.SummaryWriter)
        True

    See also: `tf.summary.create_file_writer`, `tf.summary.create_noop_writer`.
    """

    def set_as_default(self, step: IntLike | None = None) -> None:
        """Make this writer the default writer of the current thread.

        Args:
            step: Default step of the thread, as for `tf.summary.experimental.set_step`. Default:
                the step stays as it is.

        Raises:
            RuntimeError: If the writer is closed.

        Example:
            >>> import tfpy as tf
            >>> with tf.summary.create_file_writer("logs/first").as_default(step=0):
            ...     tf.summary.create_file_writer("logs/second").set_as_default(step=1)
            ...     bool(tf.summary.scalar("loss", 0.5))  # in the folder logs/second
            True
        """
        self.as_default(step).__enter__()

    def as_default(
        self, step: IntLike | None = None
    ) -> AbstractContextManager[SummaryWriter | None]:
        """Return a context manager in which this writer is the default writer of the thread.

        At the end the writer is flushed, and the previous writer and step are restored.

        Args:
            step: Default step within the context. Default: the step stays as it is.

        Returns:
            A context manager that yields the writer.

        Raises:
            RuntimeError: If the writer is closed.

        Example:
            >>> import tfpy as tf
            >>> with tf.summary.create_file_writer("logs/default").as_default(step=10):
            ...     bool(tf.summary.scalar("loss", 0.5))
            True
        """
        return _AsDefault(self, step)

    def init(self) -> None:
        """Initialize the writer. Writers of files are ready when they are created.

        Raises:
            RuntimeError: If the writer is closed.

        Example:
            >>> import tfpy as tf
            >>> tf.summary.create_file_writer("logs/init").init()
        """
        raise NotImplementedError

    def flush(self) -> None:
        """Write all summaries that are waiting to the file.

        Example:
            >>> import tfpy as tf
            >>> writer = tf.summary.create_file_writer("logs/flush")
            >>> writer.flush()
        """
        raise NotImplementedError

    def close(self) -> None:
        """Flush the writer and close its file. Further calls have no effect.

        Example:
            >>> import tfpy as tf
            >>> writer = tf.summary.create_file_writer("logs/close")
            >>> writer.close()
        """
        raise NotImplementedError

    def _add(self, step: int, content: bytes) -> None:
        """Write an event.

        Args:
            step: Step of the program.
            content: The field of the event's content.

        Raises:
            NotFoundError: If the writer is closed.
        """
        raise NotImplementedError

    def _add_tensor(self, step: int, tag: str | bytes, array: Array, metadata: bytes) -> None:
        """Write a tensor.

        Args:
            step: Step of the program.
            tag: Tag of the summary.
            array: Values of the tensor.
            metadata: Serialized SummaryMetadata, or nothing.

        Raises:
            NotFoundError: If the writer is closed.
        """
        self._add(step, summary_content(tensor_value(tag, array, metadata)))


class _AsDefault:
    """The context manager of `SummaryWriter.as_default`.

    It is a class because `set_as_default` only enters it.
    """

    def __init__(self, writer: SummaryWriter, step: IntLike | None) -> None:
        self._writer, self._step = writer, step
        self._before: tuple[SummaryWriter | None, IntLike | None] = None, None

    def __enter__(self) -> SummaryWriter:
        self._before = local.writer, local.step
        local.writer = self._writer
        if self._step is not None:
            local.step = self._step
        return self._writer

    def __exit__(self, *exception: object) -> None:
        if local.writer is not None:
            local.writer.flush()
        local.writer, step = self._before
        if self._step is not None:
            local.step = step


class _FileWriter(SummaryWriter):
    """A writer of an event file.

    Args:
        file: The file. It is closed when the writer is deleted, or when the program ends.
    """

    def __init__(self, file: EventFile) -> None:
        self._file = file
        self._is_closed = False
        weakref.finalize(self, file.close)

    def _check_open(self) -> None:
        if self._is_closed and tracing.executing_eagerly():
            raise RuntimeError(f"SummaryWriter {self!r} is already closed")

    def as_default(
        self, step: IntLike | None = None
    ) -> AbstractContextManager[SummaryWriter | None]:
        self._check_open()
        return super().as_default(step)

    def init(self) -> None:
        self._check_open()

    def flush(self) -> None:
        if not effect(self._file.flush):
            self._file.flush()

    def close(self) -> None:
        if not effect(self._file.close):
            self._file.close()
            self._is_closed = True

    def _add(self, step: int, content: bytes) -> None:
        if self._file.is_closed:
            raise NotFoundError(
                None, "WriteSummary", f"The summary writer of {self._file.path} is closed."
            )
        self._file.add(step, content)


class _NoWriter(SummaryWriter):
    """A writer that does nothing, for `create_noop_writer`."""

    def set_as_default(self, step: IntLike | None = None) -> None:
        pass

    @contextmanager
    def as_default(self, step: IntLike | None = None) -> Iterator[None]:
        yield

    def init(self) -> None:
        pass

    def flush(self) -> None:
        pass

    def close(self) -> None:
        pass


def create_file_writer(
    logdir: TensorLike,
    max_queue: IntLike | None = None,
    flush_millis: IntLike | None = None,
    filename_suffix: TensorLike | None = None,
    name: str | None = None,
    experimental_trackable: bool = False,
    experimental_mesh: object = None,
) -> SummaryWriter:
    """Create a writer of an event file, which TensorBoard displays.

    The file is created immediately. In a page, it is in Pyodide's file system.

    Args:
        logdir: Folder of the file, which is created if it does not exist. TensorBoard shows each
            folder as a separate run.
        max_queue: Number of summaries that may wait before the file is written. Default: 10.
        flush_millis: Longest time in milliseconds between two writes. It is checked when a summary
            is written. Default: 120000.
        filename_suffix: End of the file's name. Default: `.v2`.
        experimental_trackable: Has no effect. The writer can always be an attribute of a
            `tf.Module`.
        experimental_mesh: Has no effect.

    Returns:
        A `tf.summary.SummaryWriter`.

    Raises:
        ValueError: If `logdir` is None, or an argument depends on tensors of a `tf.function`.
        tf.errors.NotFoundError: If the folder cannot be created.

    Example:
        >>> import tfpy as tf
        >>> writer = tf.summary.create_file_writer("logs/training")
        >>> with writer.as_default():
        ...     for step in range(3):
        ...         loss = tf.constant(1.0 / (step + 1))
        ...         written = tf.summary.scalar("loss", loss, step=step)
        >>> len(tf.io.gfile.glob("logs/training/events.out.tfevents.*.v2"))
        1

    See also: `tf.summary.scalar`, `tf.summary.create_noop_writer`.
    """
    if logdir is None:
        raise ValueError("Argument `logdir` cannot be None")
    given = {
        "logdir": logdir,
        "max_queue": 10 if max_queue is None else max_queue,
        "flush_millis": 120000 if flush_millis is None else flush_millis,
        "filename_suffix": ".v2" if filename_suffix is None else filename_suffix,
    }
    for argument, value in given.items():
        if is_symbolic(value):
            raise ValueError(
                f"Invalid graph Tensor argument '{argument}={value!r}' to create_file_writer() "
                "inside an @tf.function. The writer is created while the function is traced, so "
                "its arguments cannot depend on tensors of the function."
            )
    with tracing.init_scope():
        folder, queue, millis, suffix = map(_plain, given.values())
        return _FileWriter(EventFile(folder, suffix, int(queue), int(millis)))


def _plain(value: Any) -> Any:
    """Return a str or an integer."""
    if isinstance(value, os.PathLike):
        value = os.fspath(value)
    item = convert_to_tensor(value).host_view().item()
    return item.decode() if isinstance(item, bytes) else item


def create_noop_writer() -> SummaryWriter:
    """Create a writer that does nothing.

    It takes the place of a writer in a program that must not write summaries. Its `as_default` does
    not change the default writer.

    Returns:
        A `tf.summary.SummaryWriter`.

    Example:
        >>> import tfpy as tf
        >>> with tf.summary.create_noop_writer().as_default():
        ...     bool(tf.summary.scalar("loss", 0.5, step=0))
        False

    See also: `tf.summary.create_file_writer`.
    """
    return _NoWriter()


def flush(writer: SummaryWriter | None = None, name: str | None = None) -> None:
    """Write all summaries of a writer that are waiting to its file.

    Args:
        writer: The writer. Default: the default writer of the thread. If there is none, nothing
            happens.

    Raises:
        ValueError: If `writer` is not a `tf.summary.SummaryWriter`.

    Example:
        >>> import tfpy as tf
        >>> writer = tf.summary.create_file_writer("logs/flushed")
        >>> tf.summary.flush(writer)

    See also: `tf.summary.SummaryWriter`.
    """
    writer = local.writer if writer is None else writer
    if writer is None:
        return
    if not isinstance(writer, SummaryWriter):
        raise ValueError(f"Invalid argument to flush(): {writer!r}")
    writer.flush()
