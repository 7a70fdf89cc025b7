"""`tf.compat.v1.train.MonitoredSession`: a session that initializes Variables and calls hooks."""

from __future__ import annotations

import functools
import inspect
import logging
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Self

from tfpy._src.base.errors import AbortedError, OutOfRangeError, UnavailableError
from tfpy._src.base.members import Listed
from tfpy._src.checkpoints.sessions.hooks import (
    SessionRunArgs,
    SessionRunContext,
    SessionRunHook,
    SessionRunValues,
)
from tfpy._src.checkpoints.sessions.pipelines.runners import start_queue_runners
from tfpy._src.checkpoints.sessions.saving_hooks import (
    CheckpointSaverHook,
    StepCounterHook,
    SummarySaverHook,
)
from tfpy._src.checkpoints.sessions.scaffolds import (
    ChiefSessionCreator,
    Scaffold,
    SessionCreator,
    WorkerSessionCreator,
)
from tfpy._src.core.typing import PathLike
from tfpy._src.functions.graph_mode.defaults import get_default_graph
from tfpy._src.library.compat.graphs.coordinator import Coordinator

USE_DEFAULT = object()
_LOST = (AbortedError, UnavailableError)
"""Errors of runs in which another process was lost."""
_log = logging.getLogger("tensorflow")


class StepContext:
    """The argument of a function that `MonitoredSession.run_step_fn` calls."""

    def __init__(self, session: Any, run: Callable[..., Any]) -> None:
        self.session = session
        """The session, without hooks."""
        self.run_with_hooks = run
        """Function that runs fetches and calls the hooks."""

    def request_stop(self) -> None:
        """Stop the iterations: `run_step_fn` raises the error, which ends the `with` block.

        Raises:
            StopIteration: Always.
        """
        raise StopIteration("step_fn has requested the iterations to stop.")


class MonitoredSession(Listed):
    """A session that initializes Variables, restores checkpoints and calls hooks.

    After an AbortedError or UnavailableError it creates a new session, which restores the latest
    checkpoint, and runs the step again.

    Args:
        session_creator: A `tf.compat.v1.train.SessionCreator`. Default: a `ChiefSessionCreator`.
        hooks: List of `tf.compat.v1.train.SessionRunHook`.
        stop_grace_period_secs: Number of seconds to wait for threads.

    Example:
        >>> import tfpy as tf
        >>> with tf.Graph().as_default():
        ...     v = tf.compat.v1.get_variable("v", [], initializer=tf.ones_initializer())
        ...     with tf.compat.v1.train.MonitoredSession() as sess:
        ...         print(sess.run(v))
        1.0

    See also: `tf.compat.v1.train.MonitoredTrainingSession`.
    """

    StepContext = StepContext
    _package_members = frozenset(("StepContext",))

    def __init__(
        self,
        session_creator: SessionCreator | None = None,
        hooks: Sequence[SessionRunHook] | None = None,
        stop_grace_period_secs: float = 120,
    ) -> None:
        self._hooks, self._grace = [*(hooks or ())], stop_grace_period_secs
        graph = get_default_graph()
        self._was_finalized = graph.finalized
        for hook in self._hooks:
            hook.begin()
        self._creator = session_creator or ChiefSessionCreator()
        self._sess: Any = None
        self._stops = False
        self._recovered(self._start)

    _recovers = True
    """True if errors of a lost process are followed by a new session."""

    def _start(self) -> None:
        sess = self._creator.create_session()
        self._coord = Coordinator([])
        self._stops = False
        self._sess = sess
        start_queue_runners(sess, self._coord)
        for hook in self._hooks:
            hook.after_create_session(sess, self._coord)

    def _recovered(self, action: Callable[[], Any]) -> Any:
        """Return the result of an action. Repeat it in a new session if a process was lost."""
        while True:
            try:
                return action()
            except _LOST as error:
                if not self._recovers:
                    raise
                _log.info(
                    "The session is created again, because a process was lost or restarted: %s",
                    error,
                )
            if self._sess is not None:
                self._sess.close()
                self._sess = None
            if action != self._start:
                self._recovered(self._start)

    @property
    def graph(self) -> Any:
        """Graph of the session, or None after the end."""
        return None if self._sess is None else self._sess.graph

    def run(
        self,
        fetches: Any,
        feed_dict: Mapping[Any, Any] | None = None,
        options: object = None,
        run_metadata: object = None,
    ) -> Any:
        """Run operations and call the hooks.

        Args:
            fetches: Fetches, as for `tf.compat.v1.Session.run`.
            feed_dict: Values of placeholders.
            options, run_metadata: Has no effect.

        Returns:
            The values of the fetches.

        Raises:
            RuntimeError: If the session is closed, has been stopped, or hooks feed the same tensor.
        """
        self._check_open()
        call = functools.partial(self._run_once, fetches, feed_dict, options, run_metadata)
        return self._recovered(call)

    def _check_open(self) -> None:
        if self._sess is None:
            raise RuntimeError("Session is already closed.")

    def _run_once(
        self,
        fetches: Any,
        feed_dict: Mapping[Any, Any] | None,
        options: object,
        run_metadata: object,
    ) -> Any:
        if self.should_stop():
            raise RuntimeError("Run called even after should_stop requested.")
        context = SessionRunContext(SessionRunArgs(fetches, feed_dict), self._sess)
        added: dict[SessionRunHook, Any] = {}
        feeds = dict(feed_dict or {})
        for hook in self._hooks:
            request = hook.before_run(context)
            if request is None:
                continue
            if request.fetches is not None:
                added[hook] = request.fetches
            if request.feed_dict:
                if both := [t for t in request.feed_dict if t in feeds]:
                    raise RuntimeError(f"Same tensor is fed by two hooks: {both}.")
                feeds |= request.feed_dict
        found, *others = self._sess.run([fetches, *added.values()], feeds)
        results = dict(zip(added, others, strict=True))
        for hook in self._hooks:
            hook.after_run(context, SessionRunValues(results.get(hook), options, run_metadata))
        self._stops = self._stops or context.stop_requested
        return found

    def run_step_fn(self, step_fn: Callable[..., Any]) -> Any:
        """Call a function that runs the session with and without hooks.

        Args:
            step_fn: Function with one parameter `step_context`, whose attribute `session` is the
                session and whose method `run_with_hooks` has the arguments of `run`.

        Returns:
            The result of the function.

        Raises:
            ValueError: If the function has other parameters.
            StopIteration: If the function has called `step_context.request_stop`.
            RuntimeError: If the session is closed.
        """
        names = tuple(inspect.signature(step_fn).parameters)
        if names not in (("step_context",), ("self", "step_context")):
            raise ValueError(
                "`step_fn` may either have one `step_context` argument, or `self` and "
                f"`step_context` arguments if it's an instance method. Got {names} instead."
            )
        self._check_open()

        def run(
            fetches: Any,
            feed_dict: Mapping[Any, Any] | None = None,
            options: object = None,
            run_metadata: object = None,
        ) -> Any:
            return self._run_once(fetches, feed_dict, options, run_metadata)

        return self._recovered(lambda: step_fn(StepContext(self._sess, run)))

    def should_stop(self) -> bool:
        """Return True if the session is closed, or a hook has requested a stop.

        Returns:
            A bool.
        """
        if self._sess is None or self._stops:
            return True
        self._coord.raise_requested_exception()
        return self._coord.should_stop()

    def close(self) -> None:
        """Call the hooks for the end, and close the session."""
        self._close(True)

    def _close(self, is_success: bool) -> None:
        if self._sess is None:
            raise RuntimeError("Session is already closed.")
        graph = self._sess.graph
        try:
            for hook in self._hooks if is_success else ():
                hook.end(self._sess)
        finally:
            self._coord.request_stop()
            self._sess.close()
            self._sess = None
            graph.finalized = self._was_finalized

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: Any, *error: object) -> bool:
        is_end = kind is None or kind in (OutOfRangeError, StopIteration)
        if kind is None:
            self._check_open()
        if self._sess is not None:
            self._close(is_end)
        return is_end


class SingularMonitoredSession(MonitoredSession):
    """A monitored session that also has the session itself.

    Args:
        hooks: List of `tf.compat.v1.train.SessionRunHook`.
        scaffold: `tf.compat.v1.train.Scaffold`.
        master, config: Has no effect.
        checkpoint_dir: Folder with the checkpoint that is restored, its latest one.
        stop_grace_period_secs: Number of seconds to wait for threads.
        checkpoint_filename_with_path: Path of a checkpoint to restore.

    Example:
        >>> import tfpy as tf
        >>> with tf.Graph().as_default():
        ...     v = tf.compat.v1.get_variable("v", [], initializer=tf.ones_initializer())
        ...     with tf.compat.v1.train.SingularMonitoredSession() as sess:
        ...         print(sess.raw_session().run(v))
        1.0

    See also: `tf.compat.v1.train.MonitoredSession`.
    """

    def __init__(
        self,
        hooks: Sequence[SessionRunHook] | None = None,
        scaffold: Scaffold | None = None,
        master: str = "",
        config: object = None,
        checkpoint_dir: PathLike | None = None,
        stop_grace_period_secs: float = 120,
        checkpoint_filename_with_path: PathLike | None = None,
    ) -> None:
        creator = ChiefSessionCreator(
            scaffold, master, config, checkpoint_dir, checkpoint_filename_with_path
        )
        super().__init__(creator, hooks, stop_grace_period_secs)

    _recovers = False

    def raw_session(self) -> Any:
        """Return the session without hooks.

        Returns:
            A `tf.compat.v1.Session`.
        """
        return self._sess


def MonitoredTrainingSession(  # noqa: N802 - TensorFlow's name
    master: str = "",
    is_chief: bool = True,
    checkpoint_dir: PathLike | None = None,
    scaffold: Scaffold | None = None,
    hooks: Sequence[SessionRunHook] | None = None,
    chief_only_hooks: Sequence[SessionRunHook] | None = None,
    save_checkpoint_secs: Any = USE_DEFAULT,
    save_summaries_steps: Any = USE_DEFAULT,
    save_summaries_secs: Any = USE_DEFAULT,
    config: object = None,
    stop_grace_period_secs: float = 120,
    log_step_count_steps: int | None = 100,
    max_wait_secs: float = 7200,
    save_checkpoint_steps: Any = USE_DEFAULT,
    summary_dir: PathLike | None = None,
    save_graph_def: bool = True,
) -> MonitoredSession:
    """Return a monitored session that saves checkpoints and summaries.

    Args:
        master, config, max_wait_secs: Has no effect.
        is_chief: If False, nothing is saved or restored.
        checkpoint_dir: Folder of the checkpoints. The latest one is restored.
        scaffold: `tf.compat.v1.train.Scaffold`.
        hooks: List of `tf.compat.v1.train.SessionRunHook`.
        chief_only_hooks: List of hooks that are used only if `is_chief` is True.
        save_checkpoint_secs: Number of seconds between checkpoints, or None. Default: 600.
        save_summaries_steps: Number of steps between summaries, or None. Default: 100.
        save_summaries_secs: Number of seconds between summaries, or None.
        stop_grace_period_secs: Number of seconds to wait for threads.
        log_step_count_steps: Number of steps between measurements of the speed. Default: 100.
        save_checkpoint_steps: Number of steps between checkpoints, or None.
        summary_dir: Folder of the event file. Default: `checkpoint_dir`.
        save_graph_def: If True, the event file contains the graph.

    Returns:
        A `tf.compat.v1.train.MonitoredSession`.

    Example:
        >>> import tfpy as tf
        >>> with tf.Graph().as_default():
        ...     step = tf.compat.v1.train.get_or_create_global_step()
        ...     train = step.assign_add(1)
        ...     hooks = [tf.compat.v1.train.StopAtStepHook(last_step=2)]
        ...     with tf.compat.v1.train.MonitoredTrainingSession(hooks=hooks) as sess:
        ...         while not sess.should_stop():
        ...             print(sess.run(train))
        1
        2

    See also: `tf.compat.v1.train.MonitoredSession`.
    """
    found = scaffold or Scaffold()
    if not is_chief:
        return MonitoredSession(WorkerSessionCreator(found), hooks, stop_grace_period_secs)
    summaries = _intervals(save_summaries_steps, save_summaries_secs, 100, None)
    saves = _intervals(save_checkpoint_steps, save_checkpoint_secs, None, 600)
    made: list[SessionRunHook] = [*(chief_only_hooks or ())]
    folder = summary_dir or checkpoint_dir
    if folder and log_step_count_steps:
        made.append(StepCounterHook(log_step_count_steps, output_dir=folder))
    if folder and any(summaries):
        made.append(SummarySaverHook(*summaries, output_dir=folder, scaffold=found))
    if checkpoint_dir and any(saves):
        steps, seconds = saves
        made.append(
            CheckpointSaverHook(
                checkpoint_dir, seconds, steps, scaffold=found, save_graph_def=save_graph_def
            )
        )
    creator = ChiefSessionCreator(found, checkpoint_dir=checkpoint_dir)
    return MonitoredSession(creator, [*made, *(hooks or ())], stop_grace_period_secs)


def _intervals(steps: Any, seconds: Any, *defaults: Any) -> tuple[Any, Any]:
    """Return the steps and seconds between events. The defaults hold if neither is specified."""
    if steps is USE_DEFAULT and seconds is USE_DEFAULT:
        return defaults[0], defaults[1]
    return (None if steps is USE_DEFAULT else steps), (None if seconds is USE_DEFAULT else seconds)
