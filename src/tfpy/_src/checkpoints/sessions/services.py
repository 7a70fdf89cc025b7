"""The services of a supervisor: summaries, checkpoints, queue runners, and the end of a program."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from typing import Any

from tfpy._src.formats.summary.file_writer import FileWriter
from tfpy._src.functions.graph_mode.collections import GraphKeys
from tfpy._src.functions.graph_mode.session import Session
from tfpy._src.library.compat.graphs.coordinator import Coordinator, LooperThread
from tfpy._src.library.protos.summaries import SessionLog, Summary

_log = logging.getLogger("tensorflow")


class Services:
    """The services of a supervisor, which its constructor describes."""

    coord: Coordinator
    summary_writer: FileWriter | None
    summary_op: Any
    global_step: Any
    saver: Any
    save_path: str | None
    save_summaries_secs: float
    save_model_secs: float
    _is_chief: bool
    _logdir: str | None
    _graph: Any
    _grace: float
    _wrote_graph: bool

    def start_standard_services(self, sess: Session) -> list[threading.Thread]:
        """Start threads that save checkpoints and summaries. Pages have no threads.

        Args:
            sess: The session.

        Returns:
            List of threads.

        Raises:
            RuntimeError: If the program is not the chief.
        """
        if not self._is_chief:
            raise RuntimeError(
                "Only chief supervisor can start standard services. Because only chief supervisors "
                "can write events."
            )
        if self._logdir is None:
            _log.warning("Standard services need a 'logdir' passed to the Supervisor")
            return []
        writer, threads = self.summary_writer, []
        if self.global_step is not None and writer is not None:
            writer.add_session_log(SessionLog(status=SessionLog.START), sess.run(self.global_step))
        if self.summary_op is not None and self.save_summaries_secs and writer is not None:
            if self.global_step is not None:
                counter = _StepCounter(self, sess)
                threads.append(LooperThread(self.coord, self.save_summaries_secs, counter))
            threads.append(
                LooperThread(self.coord, self.save_summaries_secs, self._summarize, (sess,))
            )
        if self.saver is not None and self.save_model_secs:
            threads.append(LooperThread(self.coord, self.save_model_secs, self._save, (sess,)))
        with suppress(RuntimeError):  # of pages, which cannot start threads
            for thread in threads:
                thread.start()
        return [*threads]

    StartStandardServices = start_standard_services

    def _summarize(self, sess: Session) -> None:
        assert self.summary_writer is not None
        with suppress(RuntimeError):  # of a session that is closed meanwhile
            summary = sess.run(self.summary_op)
            step = None if self.global_step is None else sess.run(self.global_step)
            self.summary_writer.add_summary(summary, step)

    def _save(self, sess: Session) -> None:
        assert self.save_path is not None
        with suppress(RuntimeError):
            self.saver.save(sess, self.save_path, global_step=self.global_step)
            if self.summary_writer is not None and self.global_step is not None:
                log = SessionLog(status=SessionLog.CHECKPOINT, checkpoint_path=self.save_path)
                self.summary_writer.add_session_log(log, sess.run(self.global_step))

    def start_queue_runners(self, sess: Session, queue_runners: Any = None) -> list[Any]:
        """Start the queue runners of the graph.

        Args:
            sess: The session.
            queue_runners: List of `tf.compat.v1.train.QueueRunner`. Default: all of the graph.

        Returns:
            List of objects with the methods of threads.
        """
        found = queue_runners
        if found is None:
            found = self._graph.get_collection(GraphKeys.QUEUE_RUNNERS)
        return [
            thread
            for runner in found
            for thread in runner.create_threads(sess, self.coord, daemon=True, start=True)
        ]

    StartQueueRunners = start_queue_runners

    def summary_computed(
        self, sess: Session, summary: Summary | bytes, global_step: Any = None
    ) -> None:
        """Write a summary to the event file.

        Args:
            sess: The session, which computes the global step.
            summary: A `tf.compat.v1.Summary`, or its bytes.
            global_step: Step of the program. Default: the value of the global step.

        Raises:
            RuntimeError: If there is no writer of summaries.
        """
        if self.summary_writer is None:
            raise RuntimeError("Writing a summary requires a summary writer.")
        if global_step is None and self.global_step is not None:
            global_step = sess.run(self.global_step)
        self.summary_writer.add_summary(summary, global_step)

    SummaryComputed = summary_computed

    # The end

    def stop(
        self,
        threads: Sequence[threading.Thread] | None = None,
        close_summary_writer: bool = True,
        ignore_live_threads: bool = False,
    ) -> None:
        """Stop all threads and close the writer of summaries.

        Args:
            threads: Threads in addition to the threads of the coordinator.
            close_summary_writer: If True, close the writer of summaries.
            ignore_live_threads: True if threads that have not ended are not an error.

        Raises:
            BaseException: The error of a thread.
        """
        self.coord.request_stop()
        try:
            self.coord.join(threads, self._grace, ignore_live_threads)
        finally:
            if close_summary_writer and self.summary_writer is not None:
                self.summary_writer.add_session_log(SessionLog(status=SessionLog.STOP))
                self.summary_writer.close()
                self._wrote_graph = False

    Stop = stop

    def request_stop(self, ex: Any = None) -> None:
        """Ask all threads to stop.

        Args:
            ex: Exception of the thread, or the result of `sys.exc_info()`.
        """
        self.coord.request_stop(ex)

    RequestStop = request_stop

    def should_stop(self) -> bool:
        """Return True if a stop was requested.

        Returns:
            A bool.
        """
        return self.coord.should_stop()

    ShouldStop = should_stop

    def stop_on_exception(self) -> AbstractContextManager[None]:
        """Return a context manager that requests a stop if its block raises an error."""
        return self.coord.stop_on_exception()

    StopOnException = stop_on_exception

    def wait_for_stop(self) -> None:
        """Wait until a stop is requested."""
        self.coord.wait_for_stop()

    WaitForStop = wait_for_stop

    def loop(
        self,
        timer_interval_secs: float | None,
        target: Callable[..., object],
        args: Sequence[Any] | None = None,
        kwargs: Mapping[str, Any] | None = None,
    ) -> LooperThread:
        """Start a thread that calls a function until a stop is requested.

        Args:
            timer_interval_secs: Seconds between calls.
            target: The function.
            args: Positional arguments.
            kwargs: Keyword arguments.

        Returns:
            The thread.
        """
        return LooperThread.loop(self.coord, timer_interval_secs, target, args, kwargs)

    Loop = loop


class _StepCounter:
    """A writer of the number of global steps per second."""

    def __init__(self, supervisor: Services, sess: Session) -> None:
        self._supervisor, self._sess = supervisor, sess
        self._last, self._time = sess.run(supervisor.global_step), time.monotonic()

    def __call__(self) -> None:
        with suppress(RuntimeError):
            step, now = self._sess.run(self._supervisor.global_step), time.monotonic()
            rate = float(step - self._last) / max(now - self._time, 1e-9)
            self._last, self._time = step, now
            tag = f"{self._supervisor.global_step.name.partition(':')[0]}/sec"
            found = Summary(value=[Summary.Value(tag=tag, simple_value=rate)])
            assert self._supervisor.summary_writer is not None
            self._supervisor.summary_writer.add_summary(found, step)
