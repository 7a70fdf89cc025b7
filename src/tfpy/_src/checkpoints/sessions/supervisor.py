"""`tf.compat.v1.train.Supervisor`: sessions of a training program, and its checkpoints."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from tfpy._src.checkpoints.graph_checkpoints import write_graph
from tfpy._src.checkpoints.meta_graphs import meta_graph_of
from tfpy._src.checkpoints.saver import Saver
from tfpy._src.checkpoints.sessions.scaffolds import Scaffold
from tfpy._src.checkpoints.sessions.services import Services
from tfpy._src.checkpoints.sessions.session_manager import SessionManager
from tfpy._src.core.typing import PathLike
from tfpy._src.formats.summary.file_writer import FileWriter
from tfpy._src.formats.summary.graph_summaries import merge_all
from tfpy._src.functions.graph_mode.collections import GraphKeys
from tfpy._src.functions.graph_mode.defaults import get_default_graph
from tfpy._src.functions.graph_mode.session import Session
from tfpy._src.library.compat.graphs.coordinator import Coordinator
from tfpy._src.library.compat.graphs.reports import report_uninitialized_variables
from tfpy._src.library.compat.graphs.training import get_global_step
from tfpy._src.library.compat.graphs.variables import global_variables_initializer
from tfpy._src.library.io.gfile import path_text

_DEFAULT: Any = 0


class Supervisor(Services):
    """A coordinator of a training program, which starts sessions and saves checkpoints.

    It finalizes the graph. `tf.compat.v1.train.MonitoredTrainingSession` replaces it.

    Args:
        graph: The graph. Default: the default graph.
        ready_op: Tensor that is empty if the session is ready. Default: the names of the Variables
            without values.
        ready_for_local_init_op: Tensor that is empty if `local_init_op` can run.
        is_chief: If False, nothing is saved.
        init_op: Operation that initializes Variables. Default: all global Variables.
        init_feed_dict: Values of placeholders for `init_op`.
        local_init_op: Operation that runs in each session. Default: the initializers of the local
            Variables and of the tables.
        logdir: Folder of the checkpoints and of the event file.
        summary_op: Summary operation, or None. Default: all summaries.
        saver: `tf.compat.v1.train.Saver`, or None. Default: one for all global Variables.
        global_step: Global step. Default: the global step of the graph.
        save_summaries_secs: Seconds between summaries. 0 switches them off.
        save_model_secs: Seconds between checkpoints. 0 switches them off.
        recovery_wait_secs: Seconds between attempts to get a session that is ready.
        stop_grace_secs: Seconds to wait for threads at the end.
        checkpoint_basename: Name of the checkpoints.
        session_manager: `tf.compat.v1.train.SessionManager`. Default: a new one.
        summary_writer: `tf.compat.v1.summary.FileWriter`, or None. Default: one for `logdir`.
        init_fn: Function of the session, which is called after `init_op`.
        local_init_run_options: Has no effect.

    Raises:
        RuntimeError: In eager execution.

    Example:
        >>> import tfpy as tf
        >>> one = tf.compat.v1
        >>> with tf.Graph().as_default():
        ...     step = one.train.get_or_create_global_step()
        ...     train = step.assign_add(1)
        ...     supervisor = one.train.Supervisor()
        ...     with supervisor.managed_session() as sess:
        ...         while not supervisor.should_stop():
        ...             if sess.run(train) == 3:
        ...                 supervisor.request_stop()
        ...         print(sess.run(step))
        3

    See also: `tf.compat.v1.train.MonitoredTrainingSession`.
    """

    USE_DEFAULT = _DEFAULT
    """Value of arguments that selects their defaults."""

    def __init__(
        self,
        graph: Any = None,
        ready_op: Any = _DEFAULT,
        ready_for_local_init_op: Any = _DEFAULT,
        is_chief: bool = True,
        init_op: Any = _DEFAULT,
        init_feed_dict: Mapping[Any, Any] | None = None,
        local_init_op: Any = _DEFAULT,
        logdir: PathLike | None = None,
        summary_op: Any = _DEFAULT,
        saver: Any = _DEFAULT,
        global_step: Any = _DEFAULT,
        save_summaries_secs: float = 120,
        save_model_secs: float = 600,
        recovery_wait_secs: float = 30,
        stop_grace_secs: float = 120,
        checkpoint_basename: str = "model.ckpt",
        session_manager: SessionManager | None = None,
        summary_writer: Any = _DEFAULT,
        init_fn: Callable[[Session], Any] | None = None,
        local_init_run_options: object = None,
    ) -> None:
        self._graph = graph or get_default_graph()
        self.coord = Coordinator()
        """The coordinator."""
        self.init_feed_dict = init_feed_dict
        """Values of placeholders for the initializer."""
        self._init_fn = init_fn
        self._grace, self._wait = stop_grace_secs, recovery_wait_secs
        self.save_summaries_secs, self.save_model_secs = save_summaries_secs, save_model_secs
        self._is_chief = is_chief
        folder = path_text(logdir) if logdir else None
        self._logdir = folder if is_chief else None
        self.save_path = os.path.join(folder, checkpoint_basename) if folder and is_chief else None
        """Path of the checkpoints, or None."""
        with self._graph.as_default():
            keys = GraphKeys
            self.ready_op = _found(ready_op, keys.READY_OP, report_uninitialized_variables)
            """Tensor that is empty if the session is ready."""
            self.ready_for_local_init_op = _found(
                ready_for_local_init_op, keys.READY_FOR_LOCAL_INIT_OP, lambda: None
            )
            """Tensor that is empty if the local initializer can run."""
            self.init_op = _found(init_op, keys.INIT_OP, global_variables_initializer)
            """Operation that initializes Variables."""
            self.local_init_op = _found(
                local_init_op, keys.LOCAL_INIT_OP, Scaffold.default_local_init_op
            )
            """Operation that runs in each session."""
            self.saver = _found(saver, keys.SAVERS, _new_saver)
            """Saver of the Variables."""
            self.summary_op = _found(summary_op, keys.SUMMARY_OP, merge_all)
            """Summary operation."""
            self.global_step = _found(global_step, keys.GLOBAL_STEP, get_global_step)
            """Global step."""
            if summary_writer is _DEFAULT:
                summary_writer = FileWriter(self._logdir) if self._logdir else None
            self.session_manager = session_manager or self._new_manager()
            """Manager of sessions."""
        self.summary_writer: FileWriter | None = summary_writer if is_chief else None
        """Writer of summaries."""
        self._wrote_graph = False
        self._graph.finalize()

    def _new_manager(self) -> SessionManager:
        return SessionManager(
            self.local_init_op, self.ready_op, self.ready_for_local_init_op, self._graph, self._wait
        )

    @property
    def is_chief(self) -> bool:
        """True if the program saves checkpoints."""
        return self._is_chief

    # Sessions

    def prepare_or_wait_for_session(
        self,
        master: str = "",
        config: object = None,
        wait_for_checkpoint: bool = False,
        max_wait_secs: float = 7200,
        start_standard_services: bool = True,
    ) -> Session:
        """Return a session that is ready, and start its queue runners.

        Args:
            master, config: Has no effect.
            wait_for_checkpoint: If True, wait until there is a checkpoint.
            max_wait_secs: Longest wait in seconds.
            start_standard_services: If True, save checkpoints and summaries from time to time.

        Returns:
            A `tf.compat.v1.Session`.

        Raises:
            RuntimeError: If Variables are not initialized.
        """
        self.coord.clear_stop()
        if self.summary_writer is not None:
            self.summary_writer.reopen()
        if not self._is_chief:
            sess = self.session_manager.wait_for_session(max_wait_secs=max_wait_secs)
        else:
            sess = self.session_manager.prepare_session(
                init_op=self.init_op, saver=self.saver, checkpoint_dir=self._logdir,
                wait_for_checkpoint=wait_for_checkpoint, max_wait_secs=max_wait_secs,
                init_feed_dict=self.init_feed_dict, init_fn=self._init_fn,
            )  # fmt: skip
            self._write_graph()
            if start_standard_services:
                self.start_standard_services(sess)
        if start_standard_services:
            self.start_queue_runners(sess)
        return sess

    PrepareSession = prepare_or_wait_for_session

    @contextmanager
    def managed_session(
        self,
        master: str = "",
        config: object = None,
        start_standard_services: bool = True,
        close_summary_writer: bool = True,
    ) -> Iterator[Session]:
        """Return a context manager of a session, which stops all threads at the end.

        An error in the `with` block stops them as well, and is raised again afterwards, except
        `tf.errors.OutOfRangeError`.

        Args:
            master, config: Has no effect.
            start_standard_services: If True, save checkpoints and summaries from time to time.
            close_summary_writer: If True, close the writer of summaries at the end.

        Returns:
            A context manager that returns the session.
        """
        sess = None
        try:
            sess = self.prepare_or_wait_for_session(start_standard_services=start_standard_services)
            yield sess
        except Exception as error:
            self.request_stop(error)
        finally:
            try:
                self.stop(close_summary_writer=close_summary_writer)
            finally:
                if sess is not None:
                    sess.close()

    def _write_graph(self) -> None:
        """Write the graph to the folder and to the event file."""
        if self._logdir is not None:
            write_graph(self._graph.as_graph_def(add_shapes=True), self._logdir, "graph.pbtxt")
        if self.summary_writer is not None and not self._wrote_graph:
            self.summary_writer.add_graph(self._graph)
            self.summary_writer.add_meta_graph(meta_graph_of(self._graph))
            self._wrote_graph = True


def _found(given: Any, key: str, make: Callable[[], Any]) -> Any:
    """Return an argument or its default, which is the first one of a collection of the graph."""
    if given is not _DEFAULT:
        return given
    graph = get_default_graph()
    known = graph.get_collection(key)
    if known:
        return known[0]
    made = make()
    if made is not None and key != GraphKeys.GLOBAL_STEP:
        graph.add_to_collection(key, made)
    return made


def _new_saver() -> Saver | None:
    if not get_default_graph().get_collection(GraphKeys.GLOBAL_VARIABLES):
        return None
    found = Saver()
    found.build()
    return found
