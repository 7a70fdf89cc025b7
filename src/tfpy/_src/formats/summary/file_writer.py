"""`tf.compat.v1.summary.FileWriter`, which writes serialized summaries to an event file."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar, Self

from tfpy._src.base import tracing
from tfpy._src.core.typing import PathLike
from tfpy._src.data.example_batches import tf_record_iterator
from tfpy._src.formats.summary.event_file import EventFile
from tfpy._src.formats.summary.graph_def import serialized_graph
from tfpy._src.functions.graph_mode.defaults import get_default_graph
from tfpy._src.library.io.gfile import path_text
from tfpy._src.library.protos.summaries import Event, SessionLog, Summary, TaggedRunMetadata


class FileWriter:
    """A writer of an event file for TensorBoard.

    Args:
        logdir: Folder of the file, which is created.
        graph: `tf.Graph` to write to the file. Default: none.
        max_queue: Number of events that may wait.
        flush_secs: Longest time between flushes in seconds.
        graph_def: Has no effect; pass `graph`.
        filename_suffix: End of the file's name.
        session: Has no effect.

    Raises:
        RuntimeError: In eager execution. Use `tf.summary.create_file_writer` instead.

    Example:
        >>> import tfpy as tf
        >>> with tf.Graph().as_default(), tf.compat.v1.Session() as sess:
        ...     summary = tf.compat.v1.summary.scalar("loss", tf.constant(0.5))
        ...     with tf.compat.v1.summary.FileWriter("logs/v1", sess.graph) as writer:
        ...         writer.add_summary(sess.run(summary), global_step=1)

    See also: `tf.compat.v1.summary.merge_all`, `tf.summary.create_file_writer`.
    """

    def __init__(
        self,
        logdir: str,
        graph: Any = None,
        max_queue: int = 10,
        flush_secs: float = 120,
        graph_def: object = None,
        filename_suffix: str | None = None,
        session: object = None,
    ) -> None:
        if tracing.executing_eagerly():
            raise RuntimeError(
                "tf.compat.v1.summary.FileWriter is not compatible with eager execution. Use "
                "tf.summary.create_file_writer instead."
            )
        self._logdir = logdir
        self._options = (filename_suffix or "", max_queue, int(flush_secs * 1000))
        self._file: EventFile | None = None
        self._is_closed = False
        self._seen: set[str] = set()
        self.reopen()
        if graph is not None:
            self.add_graph(graph)

    def get_logdir(self) -> str:
        """Return the folder of the file.

        Returns:
            A string.
        """
        return self._logdir

    def _add(self, event: Event) -> None:
        if self._is_closed:
            raise ValueError("FileWriter is closed; call reopen()")
        assert self._file is not None
        wall_time = event.wall_time
        event.ClearField("wall_time")
        step = event.step
        event.ClearField("step")
        self._file.add(step, event.SerializeToString(), wall_time or None)

    def add_event(self, event: Event) -> None:
        """Write an event.

        Args:
            event: A `tf.compat.v1.Event`.
        """
        self._add(Event.FromString(event.SerializeToString()))

    def add_summary(self, summary: Summary | bytes, global_step: Any = None) -> None:
        """Write a summary.

        Args:
            summary: A `tf.compat.v1.Summary`, or its bytes, the result of an operation such as
                `tf.compat.v1.summary.scalar`.
            global_step: Step of the program.
        """
        found = Summary.FromString(summary) if isinstance(summary, bytes) else summary
        for value in found.value:
            if value.metadata.plugin_data.plugin_name and value.tag in self._seen:
                value.ClearField("metadata")  # as TensorFlow, once for each tag
            self._seen.add(value.tag)
        self._add(Event(summary=found, step=_step(global_step)))

    def add_session_log(self, session_log: SessionLog, global_step: Any = None) -> None:
        """Write an event of a session.

        Args:
            session_log: A `tf.compat.v1.SessionLog`.
            global_step: Step of the program.
        """
        self._add(Event(session_log=session_log, step=_step(global_step)))

    def add_graph(self, graph: Any, global_step: Any = None, graph_def: object = None) -> None:
        """Write a graph, which TensorBoard draws.

        Args:
            graph: A `tf.Graph`.
            global_step: Step of the program.
            graph_def: Has no effect.
        """
        self._add(Event(graph_def=serialized_graph(graph), step=_step(global_step)))

    def add_meta_graph(self, meta_graph_def: Any, global_step: Any = None) -> None:
        """Write a graph with its collections.

        Args:
            meta_graph_def: A `tf.compat.v1.MetaGraphDef`.
            global_step: Step of the program.
        """
        found = meta_graph_def.SerializeToString()
        self._add(Event(meta_graph_def=found, step=_step(global_step)))

    def add_run_metadata(self, run_metadata: Any, tag: str, global_step: Any = None) -> None:
        """Write the metadata of a run.

        Args:
            run_metadata: A `tf.compat.v1.RunMetadata`.
            tag: Tag of the run.
            global_step: Step of the program.
        """
        found = TaggedRunMetadata(tag=tag, run_metadata=run_metadata.SerializeToString())
        self._add(Event(tagged_run_metadata=found, step=_step(global_step)))

    def flush(self) -> None:
        """Write the waiting events to the file."""
        if self._file is not None:
            self._file.flush()

    def close(self) -> None:
        """Write the waiting events and close the file."""
        if self._file is not None:
            self._file.close()
        self._is_closed, self._file = True, None

    def reopen(self) -> None:
        """Begin a new file after `close`. An open writer stays as it is."""
        if self._file is None:
            self._file = EventFile(self._logdir, *self._options)
            self._is_closed = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()


class FileWriterCache:
    """Writers that several parts of a program share, by folder.

    Example:
        >>> import tfpy as tf
        >>> with tf.Graph().as_default():
        ...     cache = tf.compat.v1.summary.FileWriterCache
        ...     print(cache.get("logs/shared") is cache.get("logs/shared"))
        ...     cache.clear()
        True

    See also: `tf.compat.v1.summary.FileWriter`.
    """

    _writers: ClassVar[dict[str, FileWriter]] = {}

    @staticmethod
    def get(logdir: PathLike) -> FileWriter:
        """Return the writer of a folder, and make it if it does not exist.

        Args:
            logdir: Folder of the event file.

        Returns:
            A `tf.compat.v1.summary.FileWriter`.
        """
        folder, writers = path_text(logdir), FileWriterCache._writers
        if folder not in writers:
            writers[folder] = FileWriter(folder, get_default_graph())
        return writers[folder]

    @staticmethod
    def clear() -> None:
        """Close the writers and forget them."""
        for writer in FileWriterCache._writers.values():
            writer.close()
        FileWriterCache._writers.clear()


def _step(value: Any) -> int | None:
    return None if value is None else int(value)


def summary_iterator(path: str) -> Iterator[Event]:
    """Return an iterator of the events of an event file.

    Args:
        path: Path of the file.

    Returns:
        Iterator of `tf.compat.v1.Event` messages.

    Raises:
        tf.errors.DataLossError: If the file is damaged.

    Example:
        >>> import os
        >>> import tfpy as tf
        >>> with tf.summary.create_file_writer("logs/events").as_default(step=3):
        ...     written = tf.summary.scalar("loss", 0.5)
        >>> (file,) = os.listdir("logs/events")
        >>> [event.step for event in tf.compat.v1.train.summary_iterator(f"logs/events/{file}")]
        [0, 3]

    See also: `tf.compat.v1.summary.FileWriter`.
    """
    return map(Event.FromString, tf_record_iterator(path))
