"""`tf.compat.v1.train.MonitoredSession`: a session that initializes Variables and calls hooks."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Self

from tfpy._src.base.errors import OutOfRangeError
from tfpy._src.checkpoints.more_hooks import CheckpointSaverHook, StepCounterHook, SummarySaverHook
from tfpy._src.checkpoints.saver import Saver
from tfpy._src.checkpoints.session_hooks import (
    SessionRunArgs,
    SessionRunContext,
    SessionRunHook,
    SessionRunValues,
)
from tfpy._src.checkpoints.state import latest_checkpoint
from tfpy._src.core.typing import PathLike
from tfpy._src.formats.summary.graph_summaries import merge_all
from tfpy._src.functions.control.ordering import group
from tfpy._src.functions.graph_mode.collections import GraphKeys
from tfpy._src.functions.graph_mode.defaults import get_default_graph
from tfpy._src.functions.graph_mode.session import Session
from tfpy._src.library.compat.coordinator import Coordinator
from tfpy._src.library.compat.graph_reports import report_uninitialized_variables
from tfpy._src.library.compat.graph_variables import (
    global_variables,
    global_variables_initializer,
    local_variables_initializer,
    tables_initializer,
)

USE_DEFAULT = object()


class Scaffold:
    """The operations with which a monitored session starts.

    Args:
        init_op: Operation that initializes Variables. Default: all global Variables.
        init_feed_dict: Values of placeholders for `init_op`.
        init_fn: Function of the scaffold and the session, which is called after `init_op`.
        ready_op: Tensor that is empty if the session is ready. Default: the names of the Variables
            without values.
        ready_for_local_init_op: Tensor that is empty if `local_init_op` can run.
        local_init_op: Operation that runs in each session. Default: the initializers of the local
            Variables.
        summary_op: Summary operation. Default: all summaries.
        saver: `tf.compat.v1.train.Saver`. Default: one for all global Variables.
        copy_from_scaffold: Scaffold with the values of the other arguments.
        local_init_feed_dict: Values of placeholders for `local_init_op`.

    Example:
        >>> import tfpy as tf
        >>> with tf.Graph().as_default():
        ...     v = tf.compat.v1.get_variable("v", [], initializer=tf.zeros_initializer())
        ...     scaffold = tf.compat.v1.train.Scaffold(init_op=v.assign(5.0).op)
        ...     creator = tf.compat.v1.train.ChiefSessionCreator(scaffold)
        ...     with tf.compat.v1.train.MonitoredSession(creator) as sess:
        ...         print(sess.run(v))
        5.0

    See also: `tf.compat.v1.train.MonitoredTrainingSession`.
    """

    def __init__(
        self,
        init_op: Any = None,
        init_feed_dict: Mapping[Any, Any] | None = None,
        init_fn: Callable[[Any, Any], Any] | None = None,
        ready_op: Any = None,
        ready_for_local_init_op: Any = None,
        local_init_op: Any = None,
        summary_op: Any = None,
        saver: Saver | None = None,
        copy_from_scaffold: Scaffold | None = None,
        local_init_feed_dict: Mapping[Any, Any] | None = None,
    ) -> None:
        if copy_from_scaffold is not None and not isinstance(copy_from_scaffold, Scaffold):
            raise TypeError("copy_from_scaffold is not a Scaffold instance.")
        given = dict(
            init_op=init_op, init_feed_dict=init_feed_dict, _user_init_fn=init_fn,
            ready_op=ready_op, ready_for_local_init_op=ready_for_local_init_op,
            local_init_op=local_init_op, summary_op=summary_op, saver=saver,
            local_init_feed_dict=local_init_feed_dict,
        )  # fmt: skip
        self.init_op: Any = None
        """Operation that initializes Variables."""
        self.init_feed_dict: Any = None
        """Values of placeholders for `init_op`."""
        self.ready_op: Any = None
        """Tensor that is empty if the session is ready."""
        self.ready_for_local_init_op: Any = None
        """Tensor that is empty if `local_init_op` can run."""
        self.local_init_op: Any = None
        """Operation that runs in each session."""
        self.local_init_feed_dict: Any = None
        """Values of placeholders for `local_init_op`."""
        self.summary_op: Any = None
        """Summary operation."""
        self.saver: Any = None
        """Saver of the Variables."""
        other = {} if copy_from_scaffold is None else vars(copy_from_scaffold)
        vars(self).update({k: other.get(k) if v is None else v for k, v in given.items()})

    @property
    def init_fn(self) -> Callable[[Any], Any] | None:
        """Function of the session, which is called after `init_op`."""
        function = vars(self)["_user_init_fn"]
        return None if function is None else lambda sess: function(self, sess)

    @staticmethod
    def get_or_default(
        arg_name: str, collection_key: str, default_constructor: Callable[[], Any]
    ) -> Any:
        """Return the only object of a collection, or make it.

        Args:
            arg_name: Name of the argument, for the error.
            collection_key: Name of the collection.
            default_constructor: Function that makes the object.

        Returns:
            The object.

        Raises:
            RuntimeError: If the collection has several objects.
        """
        graph = get_default_graph()
        found = graph.get_collection(collection_key)
        if len(found) > 1:
            raise RuntimeError(
                f'More than one item in the collection "{collection_key}". Please indicate which '
                f"one to use by passing it to the tf.Scaffold constructor as:  tf.Scaffold("
                f"{arg_name}=item to use)"
            )
        made = found[0] if found else default_constructor()
        if not found and made is not None:
            graph.add_to_collection(collection_key, made)
        return made

    @staticmethod
    def default_local_init_op() -> Any:
        """Return the operation that initializes local Variables and tables.

        Returns:
            A `tf.Operation`.
        """
        return group(local_variables_initializer(), tables_initializer())

    def finalize(self) -> Scaffold:
        """Make the missing operations, and finalize the graph.

        Returns:
            The scaffold.
        """
        makers: dict[str, tuple[str, Callable[[], Any]]] = {
            "init_op": (GraphKeys.INIT_OP, global_variables_initializer),
            "ready_op": (GraphKeys.READY_OP, report_uninitialized_variables),
            "ready_for_local_init_op": (
                GraphKeys.READY_FOR_LOCAL_INIT_OP,
                lambda: report_uninitialized_variables(global_variables()),
            ),
            "local_init_op": (GraphKeys.LOCAL_INIT_OP, Scaffold.default_local_init_op),
            "summary_op": (GraphKeys.SUMMARY_OP, merge_all),
            "saver": (GraphKeys.SAVERS, lambda: Saver(allow_empty=True)),
        }
        for name, (key, make) in makers.items():
            if getattr(self, name) is None:
                setattr(self, name, self.get_or_default(name, key, make))
        self.saver.build()
        get_default_graph().finalize()
        return self


class SessionCreator:
    """A base of objects that create sessions for a monitored session.

    Example:
        >>> import tfpy as tf
        >>> creator = tf.compat.v1.train.ChiefSessionCreator()
        >>> isinstance(creator, tf.compat.v1.train.SessionCreator)
        True

    See also: `tf.compat.v1.train.ChiefSessionCreator`.
    """

    def create_session(self) -> Session:
        """Return a session.

        Returns:
            A `tf.compat.v1.Session`.

        Raises:
            NotImplementedError: If a subclass does not override the method.
        """
        raise NotImplementedError("create_session is not implemented.")


class ChiefSessionCreator(SessionCreator):
    """A creator of sessions that restores a checkpoint or initializes the Variables.

    Args:
        scaffold: `tf.compat.v1.train.Scaffold`.
        master, config: Has no effect.
        checkpoint_dir: Folder whose latest checkpoint is restored.
        checkpoint_filename_with_path: Path of a checkpoint to restore.

    Example:
        >>> import tfpy as tf
        >>> with tf.Graph().as_default():
        ...     v = tf.compat.v1.get_variable("v", [], initializer=tf.ones_initializer())
        ...     sess = tf.compat.v1.train.ChiefSessionCreator().create_session()
        ...     print(sess.run(v))
        1.0

    See also: `tf.compat.v1.train.MonitoredSession`.
    """

    def __init__(
        self,
        scaffold: Scaffold | None = None,
        master: str = "",
        config: object = None,
        checkpoint_dir: PathLike | None = None,
        checkpoint_filename_with_path: PathLike | None = None,
    ) -> None:
        self._scaffold = scaffold or Scaffold()
        self._dir, self._path = checkpoint_dir, checkpoint_filename_with_path

    def create_session(self) -> Session:
        scaffold = self._scaffold.finalize()
        sess = Session()
        path = self._path or (None if self._dir is None else latest_checkpoint(self._dir))
        if path is not None:
            scaffold.saver.restore(sess, path)
        else:
            sess.run(scaffold.init_op, scaffold.init_feed_dict)
            if scaffold.init_fn is not None:
                scaffold.init_fn(sess)
        sess.run(scaffold.local_init_op, scaffold.local_init_feed_dict)
        missing = [] if scaffold.ready_op is None else sess.run(scaffold.ready_op)
        if len(missing):
            names = ", ".join(name.decode() for name in missing)
            raise RuntimeError(
                "Init operations did not make model ready.  Init op: "
                f"{scaffold.init_op.name}, init fn: {scaffold.init_fn}, local_init_op: "
                f"{scaffold.local_init_op.name}, error: Variables not initialized: {names}"
            )
        return sess


class WorkerSessionCreator(ChiefSessionCreator):
    """A creator of sessions for workers. There is one process, so it initializes the Variables.

    Args:
        scaffold: `tf.compat.v1.train.Scaffold`.
        master, config, max_wait_secs: Has no effect.

    Example:
        >>> import tfpy as tf
        >>> with tf.Graph().as_default():
        ...     v = tf.compat.v1.get_variable("v", [], initializer=tf.ones_initializer())
        ...     sess = tf.compat.v1.train.WorkerSessionCreator().create_session()
        ...     print(sess.run(v))
        1.0

    See also: `tf.compat.v1.train.ChiefSessionCreator`.
    """

    def __init__(
        self,
        scaffold: Scaffold | None = None,
        master: str = "",
        config: object = None,
        max_wait_secs: float = 1800,
    ) -> None:
        super().__init__(scaffold)


class StepContext:
    """The argument of a function that `MonitoredSession.run_step_fn` calls."""

    def __init__(self, session: Any, run: Callable[..., Any]) -> None:
        self.session = session
        """The session, without hooks."""
        self.run_with_hooks = run
        """Function that runs fetches and calls the hooks."""

    def request_stop(self) -> None:
        """Stop the iterations.

        Raises:
            StopIteration: Always.
        """
        raise StopIteration("step_fn has requested the iterations to stop.")


class MonitoredSession:
    """A session that initializes Variables, restores checkpoints and calls hooks.

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
        self._sess: Any = (session_creator or ChiefSessionCreator()).create_session()
        self._coord = Coordinator([])
        self._stops = False
        for hook in self._hooks:
            hook.after_create_session(self._sess, self._coord)

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
        if self._sess is None:
            raise RuntimeError("Session is already closed.")
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
        """
        names = tuple(inspect.signature(step_fn).parameters)
        if names not in (("step_context",), ("self", "step_context")):
            raise ValueError(
                "`step_fn` may either have one `step_context` argument, or `self` and "
                f"`step_context` arguments if it's an instance method. Got {names} instead."
            )
        try:
            return step_fn(StepContext(self._sess, self.run))
        except StopIteration:
            self._stops = True
            return None

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
        self._close(is_end)
        return is_end


class SingularMonitoredSession(MonitoredSession):
    """A monitored session that also has the session itself.

    Args:
        hooks: List of `tf.compat.v1.train.SessionRunHook`.
        scaffold: `tf.compat.v1.train.Scaffold`.
        master, config: Has no effect.
        checkpoint_dir: Folder whose latest checkpoint is restored.
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
