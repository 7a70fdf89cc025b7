"""`tf.compat.v1.train.SessionManager`: sessions that start from a checkpoint or an initializer."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping
from typing import Any

from tfpy._src.base.errors import DeadlineExceededError, FailedPreconditionError
from tfpy._src.checkpoints.saver import Saver
from tfpy._src.checkpoints.state import get_checkpoint_state
from tfpy._src.core.typing import PathLike
from tfpy._src.functions.graph_mode.defaults import get_default_graph
from tfpy._src.functions.graph_mode.session import Session

_log = logging.getLogger("tensorflow")
_PAUSE = 0.5  # seconds between two searches for a checkpoint


class SessionManager:
    """A creator of sessions that restores a checkpoint or initializes the Variables.

    Args:
        local_init_op: Operation that runs in each session.
        ready_op: Tensor that is empty if the session is ready.
        ready_for_local_init_op: Tensor that is empty if `local_init_op` can run.
        graph: Graph of the sessions. Default: the default graph.
        recovery_wait_secs: Seconds between two attempts of `wait_for_session`.
        local_init_run_options: Has no effect.
        local_init_feed_dict: Values of placeholders for `local_init_op`.

    Raises:
        ValueError: If there is a `ready_for_local_init_op`, but no `local_init_op`.

    Example:
        >>> import tfpy as tf
        >>> one = tf.compat.v1
        >>> with tf.Graph().as_default():
        ...     v = one.get_variable("v", [], initializer=tf.ones_initializer())
        ...     manager = one.train.SessionManager()
        ...     sess = manager.prepare_session("", init_op=one.global_variables_initializer())
        ...     print(sess.run(v))
        1.0

    See also: `tf.compat.v1.train.MonitoredTrainingSession`.
    """

    def __init__(
        self,
        local_init_op: Any = None,
        ready_op: Any = None,
        ready_for_local_init_op: Any = None,
        graph: Any = None,
        recovery_wait_secs: float = 30,
        local_init_run_options: object = None,
        local_init_feed_dict: Mapping[Any, Any] | None = None,
    ) -> None:
        if ready_for_local_init_op is not None and local_init_op is None:
            raise ValueError(
                "If you pass a ready_for_local_init_op you must also pass a local_init_op , "
                f"ready_for_local_init_op [{ready_for_local_init_op}]"
            )
        self._local_init_op, self._ready_op = local_init_op, ready_op
        self._ready_for_local_init_op = ready_for_local_init_op
        self._graph = graph or get_default_graph()
        self._pause, self._feeds = recovery_wait_secs, local_init_feed_dict

    def prepare_session(
        self,
        master: str = "",
        init_op: Any = None,
        saver: Saver | None = None,
        checkpoint_dir: PathLike | None = None,
        checkpoint_filename_with_path: PathLike | None = None,
        wait_for_checkpoint: bool = False,
        max_wait_secs: float = 7200,
        config: object = None,
        init_feed_dict: Mapping[Any, Any] | None = None,
        init_fn: Callable[[Session], Any] | None = None,
    ) -> Session:
        """Return a session that is ready. It restores a checkpoint, or initializes the Variables.

        Args:
            master, config: Has no effect.
            init_op: Operation that initializes Variables if there is no checkpoint.
            saver: Saver that restores a checkpoint.
            checkpoint_dir: Folder with the checkpoint that is restored, its latest one.
            checkpoint_filename_with_path: Path of a checkpoint to restore.
            wait_for_checkpoint: If True, wait until there is a checkpoint.
            max_wait_secs: Longest wait in seconds.
            init_feed_dict: Values of placeholders for `init_op`.
            init_fn: Function of the session, which is called after `init_op`.

        Returns:
            A `tf.compat.v1.Session`.

        Raises:
            RuntimeError: If there is no checkpoint and no initializer, or if Variables are not
                initialized.
            ValueError: If both a folder and a path are given.
        """
        sess, is_loaded = self._restored(saver, checkpoint_dir, checkpoint_filename_with_path,
                                         wait_for_checkpoint, max_wait_secs)  # fmt: skip
        if not is_loaded:
            if init_op is None and init_fn is None and self._local_init_op is None:
                raise RuntimeError(
                    "Model is not initialized and no init_op or init_fn or local_init_op was given"
                )
            if init_op is not None:
                sess.run(init_op, init_feed_dict)
            if init_fn is not None:
                init_fn(sess)
        which = f"Init op: {getattr(init_op, 'name', init_op)}, init fn: {init_fn}"
        if error := self._local_init(sess):
            raise RuntimeError(
                f"Init operations did not make model ready for local_init.  {which}, error: {error}"
            )
        if error := _missing(self._ready_op, sess):
            raise RuntimeError(
                f"Init operations did not make model ready.  {which}, local_init_op: "
                f"{self._local_init_op}, error: {error}"
            )
        return sess

    def recover_session(
        self,
        master: str = "",
        saver: Saver | None = None,
        checkpoint_dir: PathLike | None = None,
        checkpoint_filename_with_path: PathLike | None = None,
        wait_for_checkpoint: bool = False,
        max_wait_secs: float = 7200,
        config: object = None,
    ) -> tuple[Session, bool]:
        """Return a session with the values of a checkpoint, if there is one.

        Args:
            master, config: Has no effect.
            saver: Saver that restores a checkpoint.
            checkpoint_dir: Folder with the checkpoint that is restored, its latest one.
            checkpoint_filename_with_path: Path of a checkpoint to restore.
            wait_for_checkpoint: If True, wait until there is a checkpoint.
            max_wait_secs: Longest wait in seconds.

        Returns:
            A `tf.compat.v1.Session`, and True if a checkpoint was restored and the session is
            ready.

        Raises:
            ValueError: If both a folder and a path are given.
        """
        sess, is_loaded = self._restored(saver, checkpoint_dir, checkpoint_filename_with_path,
                                         wait_for_checkpoint, max_wait_secs)  # fmt: skip
        error = self._local_init(sess)
        if is_loaded and not error:
            error = _missing(self._ready_op, sess)
        if is_loaded and error:
            _log.info("A checkpoint was restored, but the model is not ready: %s", error)
        return sess, is_loaded and not error

    def wait_for_session(
        self, master: str = "", config: object = None, max_wait_secs: float = float("inf")
    ) -> Session:
        """Return a session as soon as another process has initialized its Variables.

        Args:
            master, config: Has no effect. There is one process, so only graphs without global
                Variables become ready.
            max_wait_secs: Longest wait in seconds.

        Returns:
            A `tf.compat.v1.Session`.

        Raises:
            tf.errors.DeadlineExceededError: If the session is not ready in time.
        """
        end = time.monotonic() + (max_wait_secs or float("inf"))
        while True:
            sess = Session(graph=self._graph)
            error = self._local_init(sess) or _missing(self._ready_op, sess)
            if not error:
                return sess
            sess.close()
            left = end - time.monotonic() - self._pause
            if left <= 0:
                raise DeadlineExceededError(
                    None, None, f"Session was not ready after waiting {max_wait_secs:.0f} secs."
                )
            time.sleep(self._pause)

    def _restored(
        self,
        saver: Saver | None,
        folder: PathLike | None,
        path: PathLike | None,
        waits: bool,
        seconds: float,
    ) -> tuple[Session, bool]:
        """Return a new session, and True if a checkpoint was restored."""
        if folder and path:
            raise ValueError(
                "Can not provide both checkpoint_dir and checkpoint_filename_with_path."
            )
        sess = Session(graph=self._graph)
        if saver is None or not (folder or path):
            return sess, False
        if path:
            saver.restore(sess, path)
            return sess, True
        assert folder is not None
        end = time.monotonic() + seconds
        while (state := get_checkpoint_state(folder)) is None or not state.model_checkpoint_path:
            if not waits or time.monotonic() > end:
                return sess, False
            time.sleep(_PAUSE)
        saver.restore(sess, state.model_checkpoint_path)
        saver.recover_last_checkpoints(state.all_model_checkpoint_paths)
        return sess, True

    def _local_init(self, sess: Session) -> str:
        """Run the local initializer. Return the error if it cannot run, or an empty string."""
        if self._local_init_op is None:
            return ""
        if error := _missing(self._ready_for_local_init_op, sess):
            return error
        sess.run(self._local_init_op, self._feeds)
        return ""


def _missing(op: Any, sess: Session) -> str:
    """Return the reason why a session is not ready, or an empty string."""
    if op is None:
        return ""
    try:
        value = sess.run(op)
    except FailedPreconditionError as error:
        if "uninitialized" not in str(error):
            raise
        return str(error)
    if value is None or not len(value):
        return ""
    names = ", ".join(name.decode() for name in value)
    return f"Variables not initialized: {names}"
