"""Hooks that feed values, wait, fetch final values, and write checkpoints and summaries."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tfpy._src.checkpoints.graph_checkpoints import write_graph
from tfpy._src.checkpoints.sessions.hooks import (
    LOGGER,
    SecondOrStepTimer,
    SessionRunArgs,
    SessionRunContext,
    SessionRunHook,
    SessionRunValues,
    required_step,
)
from tfpy._src.core.typing import PathLike
from tfpy._src.formats.summary.file_writer import FileWriter, FileWriterCache
from tfpy._src.functions.graph_mode.defaults import get_default_graph
from tfpy._src.library.io.gfile import path_text
from tfpy._src.library.protos.summaries import SessionLog, Summary


class FeedFnHook(SessionRunHook):
    """A hook that feeds values from a function.

    Args:
        feed_fn: Function without arguments that returns a dict of values for tensors.

    Example:
        >>> import tfpy as tf
        >>> with tf.Graph().as_default():
        ...     x = tf.compat.v1.placeholder(tf.float32, [])
        ...     hook = tf.compat.v1.train.FeedFnHook(lambda: {x: 2.0})
        ...     y = x * 3.0
        ...     with tf.compat.v1.train.MonitoredSession(hooks=[hook]) as sess:
        ...         print(sess.run(y))
        6.0

    See also: `tf.compat.v1.train.SessionRunArgs`.
    """

    def __init__(self, feed_fn: Callable[[], Mapping[Any, Any]]) -> None:
        self.feed_fn = feed_fn

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs | None:
        return SessionRunArgs(None, self.feed_fn())


class FinalOpsHook(SessionRunHook):
    """A hook that fetches values at the end.

    Args:
        final_ops: Fetches, as for `Session.run`.
        final_ops_feed_dict: Values of placeholders.

    Example:
        >>> import tfpy as tf
        >>> with tf.Graph().as_default():
        ...     v = tf.compat.v1.get_variable("v", [], initializer=tf.zeros_initializer())
        ...     up = v.assign_add(1.0)
        ...     hook = tf.compat.v1.train.FinalOpsHook(v)
        ...     with tf.compat.v1.train.MonitoredSession(hooks=[hook]) as sess:
        ...         _ = sess.run(up), sess.run(up)
        >>> print(hook.final_ops_values)
        2.0

    See also: `tf.compat.v1.train.MonitoredSession`.
    """

    def __init__(
        self, final_ops: Any, final_ops_feed_dict: Mapping[Any, Any] | None = None
    ) -> None:
        self._final_ops, self._feed_dict = final_ops, final_ops_feed_dict
        self._values: Any = None

    @property
    def final_ops_values(self) -> Any:
        """Values of the fetches, or None before the end."""
        return self._values

    def end(self, session: Any) -> None:
        if self._final_ops is not None:
            self._values = session.run(self._final_ops, feed_dict=self._feed_dict)


class GlobalStepWaiterHook(SessionRunHook):
    """A hook that waits before the first run until the global step reaches a number.

    Args:
        wait_until_step: Number of the step.

    Example:
        >>> import tfpy as tf
        >>> with tf.Graph().as_default():
        ...     step = tf.compat.v1.train.get_or_create_global_step()
        ...     hook = tf.compat.v1.train.GlobalStepWaiterHook(0)
        ...     with tf.compat.v1.train.MonitoredSession(hooks=[hook]) as sess:
        ...         print(sess.run(step))
        0

    See also: `tf.compat.v1.train.get_global_step`.
    """

    def __init__(self, wait_until_step: int) -> None:
        self._wait_until_step = wait_until_step

    def begin(self) -> None:
        self._is_started = False
        self._global_step_tensor = required_step(self)

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs | None:
        while not self._is_started:
            step = 0
            if self._wait_until_step > 0:
                step = run_context.session.run(self._global_step_tensor)
            self._is_started = bool(step >= self._wait_until_step)
            if not self._is_started:
                time.sleep(0.5)
        return None


class CheckpointSaverListener:
    """A base of objects that `CheckpointSaverHook` calls before and after it saves.

    Example:
        >>> import tfpy as tf
        >>> class Printer(tf.compat.v1.train.CheckpointSaverListener):
        ...     def after_save(self, session, global_step_value):
        ...         print("saved", global_step_value)
        >>> Printer().after_save(None, 3)
        saved 3

    See also: `tf.compat.v1.train.CheckpointSaverHook`.
    """

    def begin(self) -> None:
        """Prepare the listener before the session is created."""

    def before_save(self, session: Any, global_step_value: int) -> None:
        """Handle a checkpoint that will be saved.

        Args:
            session: The session.
            global_step_value: Number of the step.
        """

    def after_save(self, session: Any, global_step_value: int) -> bool | None:
        """Handle a checkpoint that has been saved.

        Args:
            session: The session.
            global_step_value: Number of the step.

        Returns:
            True to stop training.
        """
        return None

    def end(self, session: Any, global_step_value: int) -> None:
        """Handle the end of the session.

        Args:
            session: The session.
            global_step_value: Number of the step.
        """


class CheckpointSaverHook(SessionRunHook):
    """A hook that saves checkpoints.

    Args:
        checkpoint_dir: Folder of the checkpoints.
        save_secs: Number of seconds between checkpoints.
        save_steps: Number of steps between checkpoints.
        saver: `tf.compat.v1.train.Saver`.
        checkpoint_basename: Name of the checkpoints. Default: `"model.ckpt"`.
        scaffold: `tf.compat.v1.train.Scaffold` with a saver.
        listeners: List of `tf.compat.v1.train.CheckpointSaverListener`.
        save_graph_def: If True, the graph is written to the event file, to `graph.pbtxt` and with
            each checkpoint.

    Raises:
        ValueError: If both `saver` and `scaffold` are specified.

    Example:
        >>> import tfpy as tf
        >>> with tf.Graph().as_default():
        ...     step = tf.compat.v1.train.get_or_create_global_step()
        ...     saver = tf.compat.v1.train.Saver()
        ...     hook = tf.compat.v1.train.CheckpointSaverHook("hooked", save_steps=5, saver=saver)
        ...     with tf.compat.v1.train.MonitoredSession(hooks=[hook]) as sess:
        ...         _ = sess.run(step)
        >>> tf.train.latest_checkpoint("hooked")
        'hooked/model.ckpt-0'

    See also: `tf.compat.v1.train.Saver`.
    """

    def __init__(
        self,
        checkpoint_dir: PathLike,
        save_secs: float | None = None,
        save_steps: int | None = None,
        saver: Any = None,
        checkpoint_basename: str = "model.ckpt",
        scaffold: Any = None,
        listeners: Sequence[CheckpointSaverListener] | None = None,
        save_graph_def: bool = True,
    ) -> None:
        if saver is not None and scaffold is not None:
            raise ValueError("You cannot provide both saver and scaffold.")
        self._saver, self._scaffold = saver, scaffold
        self._dir = path_text(checkpoint_dir)
        self._save_path = os.path.join(self._dir, checkpoint_basename)
        self._timer = SecondOrStepTimer(save_secs, save_steps)
        self._listeners, self._save_graph_def = [*(listeners or ())], save_graph_def

    def begin(self) -> None:
        self._writer = FileWriterCache.get(self._dir)
        self._global_step_tensor = required_step(self)
        for listener in self._listeners:
            listener.begin()

    def after_create_session(self, session: Any, coord: Any) -> None:
        step = session.run(self._global_step_tensor)
        graph = get_default_graph()
        if self._save_graph_def:
            write_graph(graph.as_graph_def(add_shapes=True), self._dir, "graph.pbtxt")
            self._writer.add_graph(graph)
        self._save(session, step)
        self._timer.update_last_triggered_step(step)

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        step = run_context.session.run(self._global_step_tensor)
        if self._timer.should_trigger_for_step(step):
            self._timer.update_last_triggered_step(step)
            if self._save(run_context.session, step):
                run_context.request_stop()

    def end(self, session: Any) -> None:
        step = session.run(self._global_step_tensor)
        if step != self._timer.last_triggered_step():
            self._save(session, step)
        for listener in self._listeners:
            listener.end(session, step)

    def _save(self, session: Any, step: int) -> bool:
        for listener in self._listeners:
            listener.before_save(session, step)
        LOGGER.info("Saving checkpoints for %d into %s.", step, self._save_path)
        saver = self._scaffold.saver if self._scaffold is not None else self._saver
        saver = saver or get_default_graph().get_collection("savers")[0]
        saver.save(
            session, self._save_path, global_step=step, write_meta_graph=self._save_graph_def
        )
        log = SessionLog(status=SessionLog.CHECKPOINT, checkpoint_path=self._save_path)
        self._writer.add_session_log(log, step)
        stops = [listener.after_save(session, step) for listener in self._listeners]
        return any(stops)


class StepCounterHook(SessionRunHook):
    """A hook that writes the number of steps in a second to an event file, and logs it.

    Args:
        every_n_steps: Number of steps between messages. Default: 100.
        every_n_secs: Number of seconds between messages.
        output_dir: Folder of the event file.
        summary_writer: `tf.compat.v1.summary.FileWriter`.

    Raises:
        ValueError: If not exactly one interval is specified.

    Example:
        >>> import tfpy as tf
        >>> with tf.Graph().as_default():
        ...     step = tf.compat.v1.train.get_or_create_global_step()
        ...     hook = tf.compat.v1.train.StepCounterHook(every_n_steps=10)
        ...     with tf.compat.v1.train.MonitoredSession(hooks=[hook]) as sess:
        ...         print(sess.run(step))
        0

    See also: `tf.compat.v1.train.LoggingTensorHook`.
    """

    def __init__(
        self,
        every_n_steps: int | None = 100,
        every_n_secs: float | None = None,
        output_dir: PathLike | None = None,
        summary_writer: FileWriter | None = None,
    ) -> None:
        if (every_n_steps is None) == (every_n_secs is None):
            raise ValueError("exactly one of every_n_steps and every_n_secs should be provided.")
        self._timer = SecondOrStepTimer(every_n_secs, every_n_steps)
        self._writer, self._output_dir = summary_writer, output_dir

    def begin(self) -> None:
        if self._writer is None and self._output_dir:
            self._writer = FileWriterCache.get(self._output_dir)
        self._global_step_tensor = required_step(self)
        self._tag = self._global_step_tensor.name.partition(":")[0] + "/sec"

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        step = run_context.session.run(self._global_step_tensor)
        if not self._timer.should_trigger_for_step(step):
            return
        seconds, steps = self._timer.update_last_triggered_step(step)
        if seconds and steps is not None:
            speed = steps / seconds
            if self._writer is not None:
                value = Summary.Value(tag=self._tag, simple_value=speed)
                self._writer.add_summary(Summary(value=[value]), step)
            LOGGER.info("%s: %g", self._tag, speed)


class SummarySaverHook(SessionRunHook):
    """A hook that writes summaries to an event file.

    Args:
        save_steps: Number of steps between summaries.
        save_secs: Number of seconds between summaries.
        output_dir: Folder of the event file.
        summary_writer: `tf.compat.v1.summary.FileWriter`.
        scaffold: `tf.compat.v1.train.Scaffold` with the summary operation.
        summary_op: Summary operation, a scalar string tensor, or a list of them.

    Raises:
        ValueError: If not exactly one of `scaffold` and `summary_op` is specified.

    Example:
        >>> import tfpy as tf
        >>> with tf.Graph().as_default():
        ...     step = tf.compat.v1.train.get_or_create_global_step()
        ...     loss = tf.compat.v1.summary.scalar("loss", 0.5)
        ...     hook = tf.compat.v1.train.SummarySaverHook(
        ...         save_steps=1, output_dir="summaries", summary_op=loss)
        ...     with tf.compat.v1.train.MonitoredSession(hooks=[hook]) as sess:
        ...         print(sess.run(step))
        0

    See also: `tf.compat.v1.summary.FileWriter`.
    """

    def __init__(
        self,
        save_steps: int | None = None,
        save_secs: float | None = None,
        output_dir: PathLike | None = None,
        summary_writer: FileWriter | None = None,
        scaffold: Any = None,
        summary_op: Any = None,
    ) -> None:
        if (scaffold is None) == (summary_op is None):
            raise ValueError("Exactly one of scaffold or summary_op must be provided.")
        self._summary_op, self._scaffold = summary_op, scaffold
        self._writer, self._output_dir = summary_writer, output_dir
        self._timer = SecondOrStepTimer(save_secs, save_steps)

    def begin(self) -> None:
        if self._writer is None and self._output_dir:
            self._writer = FileWriterCache.get(self._output_dir)
        self._next_step: int | None = None
        self._global_step_tensor = required_step(self)

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs | None:
        found = self._summary_op if self._scaffold is None else self._scaffold.summary_op
        self._requests = self._next_step is None or self._timer.should_trigger_for_step(
            self._next_step
        )
        fetches = {"global_step": self._global_step_tensor}
        if self._requests and found is not None:
            fetches["summary"] = found if isinstance(found, list) else [found]
        return SessionRunArgs(fetches)

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        if self._writer is None:
            return
        step = run_values.results["global_step"] + 1
        if self._next_step is None or self._requests:
            step = run_context.session.run(self._global_step_tensor)
        if self._next_step is None:
            self._writer.add_session_log(SessionLog(status=SessionLog.START), step)
        if self._requests:
            self._timer.update_last_triggered_step(step)
            for summary in run_values.results.get("summary", ()):
                self._writer.add_summary(summary, step)
        self._next_step = step + 1

    def end(self, session: Any) -> None:
        if self._writer is not None:
            self._writer.flush()
