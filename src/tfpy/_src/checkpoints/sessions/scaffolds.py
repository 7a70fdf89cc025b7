"""`tf.compat.v1.train.Scaffold`, and creators of sessions for monitored sessions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from tfpy._src.checkpoints.saver import Saver
from tfpy._src.checkpoints.state import latest_checkpoint
from tfpy._src.core.typing import PathLike
from tfpy._src.formats.summary.graph_summaries import merge_all
from tfpy._src.functions.control.ordering import group
from tfpy._src.functions.graph_mode.collections import GraphKeys
from tfpy._src.functions.graph_mode.defaults import get_default_graph
from tfpy._src.functions.graph_mode.session import Session
from tfpy._src.library.compat.graphs.reports import report_uninitialized_variables
from tfpy._src.library.compat.graphs.variables import (
    global_variables,
    global_variables_initializer,
    local_variables_initializer,
    tables_initializer,
)


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
        given = {
            "init_op": init_op, "init_feed_dict": init_feed_dict, "_user_init_fn": init_fn,
            "ready_op": ready_op, "ready_for_local_init_op": ready_for_local_init_op,
            "local_init_op": local_init_op, "summary_op": summary_op, "saver": saver,
            "local_init_feed_dict": local_init_feed_dict,
        }  # fmt: skip
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
        checkpoint_dir: Folder with the checkpoint that is restored, its latest one.
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
