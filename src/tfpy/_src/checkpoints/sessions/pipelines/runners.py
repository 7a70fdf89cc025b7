"""`tf.compat.v1.train.QueueRunner`: operations that fill a queue while a session runs.

TensorFlow fills queues in threads. Here a run that needs elements calls the operations itself, so
that the order of elements is reproducible, and pages, which have no threads, can use queues.
"""

from __future__ import annotations

import logging
from collections.abc import Hashable, Sequence
from contextlib import suppress
from itertools import count
from typing import Any

from tfpy._src.base.errors import CancelledError, OpError, OutOfRangeError
from tfpy._src.functions.graph_mode.collections import GraphKeys
from tfpy._src.functions.graph_mode.defaults import get_default_graph
from tfpy._src.functions.graph_mode.session import Session, get_default_session
from tfpy._src.library.compat.graphs.coordinator import Coordinator
from tfpy._src.library.queues.base import QueueBase

_log = logging.getLogger("tensorflow")
_numbers = count(1)


class QueueThread:
    """A source of elements of a queue, with the methods of a thread.

    Args:
        runner: The runner.
        session: The session that runs the operation.
        operation: Operation that adds elements.
        coord: Coordinator, or None.
        daemon: Has no effect.
    """

    def __init__(
        self, runner: QueueRunner, session: Session, operation: Any, coord: Any, daemon: bool
    ) -> None:
        self.name = f"QueueRunnerThread-{runner.name}-{next(_numbers)}"
        self.daemon = daemon
        self._runner, self._session, self._operation = runner, session, operation
        self._coord: Coordinator | None = coord
        self._queue = runner.queue.of(session)
        self._runs = False
        if coord is not None:
            coord.register_thread(self)

    def start(self) -> None:
        """Let the queue call the operation when it has too few elements."""
        self._runs = True
        self._queue.add_feeder(self)

    def step(self) -> None:
        """Run the operation once."""
        if self._coord is not None and self._coord.should_stop():
            return self._stop(self._runner.cancel_op)
        try:
            self._session.run(self._operation)
        except self._runner.queue_closed_exception_types:
            self._stop(None if self._has_others() else self._runner.close_op)
        except (CancelledError, RuntimeError):
            self._stop(None)
        except (OpError, ValueError, TypeError) as error:
            self._fail(error)
        return None

    def _fail(self, error: Exception) -> None:
        self._stop(self._runner.cancel_op)
        if self._coord is not None:
            self._coord.request_stop(error)
        else:
            _log.error("Exception in QueueRunner: %s", error)
            self._runner.exceptions_raised.append(error)

    def _has_others(self) -> bool:
        return any(thread is not self for thread in self._runner.threads_of(self._session))

    def _stop(self, last: Any) -> None:
        """End the thread, and run an operation that closes the queue."""
        self._runs = False
        self._queue.remove_feeder(self)
        self._runner.threads_of(self._session).remove(self)
        if last is not None:
            with suppress(RuntimeError):  # of a closed session
                self._session.run(last)

    def is_alive(self) -> bool:
        """Return True if the operation may be called again."""
        stopped = self._coord is not None and self._coord.should_stop()
        if self._runs and not stopped and not self._queue.is_full:
            self.step()
        if self._runs and stopped:
            self.step()
        return self._runs

    def join(self, timeout: float | None = None) -> None:
        """Fill the queue, as the thread would do during the wait."""
        while self.is_alive() and not self._queue.is_full:
            pass


class QueueRunner:
    """A list of operations that fill a queue while a session runs.

    Args:
        queue: Queue of a graph, such as `tf.compat.v1.FIFOQueue`.
        enqueue_ops: Operations that add elements.
        close_op: Operation that closes the queue at the end. Default: one that is added.
        cancel_op: Operation that closes the queue if the coordinator stops. Default: one that is
            added.
        queue_closed_exception_types: Errors that are the end of the input. Default:
            `tf.errors.OutOfRangeError`.
        queue_runner_def, import_scope: Must be None.

    Raises:
        ValueError: If the queue or the operations are missing, or there is a message.
        TypeError: If `queue_closed_exception_types` is not a tuple of error classes.

    Example:
        >>> import tfpy as tf
        >>> one = tf.compat.v1
        >>> with tf.Graph().as_default(), one.Session() as sess:
        ...     queue = one.FIFOQueue(10, tf.float32, shapes=[[]])
        ...     one.train.add_queue_runner(one.train.QueueRunner(queue, [queue.enqueue(2.0)]))
        ...     total = tf.reduce_sum(queue.dequeue_many(3))
        ...     threads = one.train.start_queue_runners()
        ...     print(sess.run(total))
        6.0

    See also: `tf.compat.v1.train.start_queue_runners`.
    """

    def __init__(
        self,
        queue: QueueBase | None = None,
        enqueue_ops: Sequence[Any] | None = None,
        close_op: Any = None,
        cancel_op: Any = None,
        queue_closed_exception_types: tuple[type[OpError], ...] | None = None,
        queue_runner_def: None = None,
        import_scope: str | None = None,
    ) -> None:
        if queue_runner_def is not None:
            raise ValueError("A QueueRunner cannot be made from a message.")
        if queue is None or not enqueue_ops:
            raise ValueError("Must provide queue and enqueue_ops.")
        closed = queue_closed_exception_types
        if closed is not None and not (
            isinstance(closed, tuple)
            and closed
            and all(isinstance(t, type) and issubclass(t, OpError) for t in closed)
        ):
            raise TypeError(
                "queue_closed_exception_types, when provided, must be a tuple of tf.error types, "
                f"but saw: {closed}"
            )
        self.queue = queue
        """The queue."""
        self.enqueue_ops = enqueue_ops
        """Operations that add elements."""
        self.close_op = queue.close() if close_op is None else close_op
        """Operation that closes the queue at the end."""
        self.cancel_op = queue.close(True) if cancel_op is None else cancel_op
        """Operation that closes the queue if the coordinator stops."""
        self.queue_closed_exception_types = closed or (OutOfRangeError,)
        """Errors that are the end of the input."""
        self.exceptions_raised: list[Exception] = []
        """Errors of the operations, if there is no coordinator."""
        self._threads: dict[Session, list[QueueThread]] = {}

    @property
    def name(self) -> str:
        """Name of the queue."""
        return self.queue.name

    def threads_of(self, session: Session) -> list[QueueThread]:
        """Return the threads of a session that have not ended."""
        return self._threads.setdefault(session, [])

    def create_threads(
        self,
        sess: Session,
        coord: Coordinator | None = None,
        daemon: bool = False,
        start: bool = False,
    ) -> list[QueueThread]:
        """Return an object with the methods of a thread for each operation.

        Args:
            sess: The session.
            coord: Coordinator, which receives errors and can stop the operations.
            daemon: Has no effect.
            start: If True, start them.

        Returns:
            List of threads. It is empty if the session already has threads of the runner.
        """
        if self.threads_of(sess):
            return []
        made = [QueueThread(self, sess, op, coord, daemon) for op in self.enqueue_ops]
        self._threads[sess] = [*made]
        self.exceptions_raised.clear()
        for thread in made if start else ():
            thread.start()
        return made


def add_queue_runner(qr: QueueRunner, collection: Hashable = GraphKeys.QUEUE_RUNNERS) -> None:
    """Add a runner to a collection of the default graph.

    Args:
        qr: A `tf.compat.v1.train.QueueRunner`.
        collection: Name of the collection. Default: `tf.compat.v1.GraphKeys.QUEUE_RUNNERS`.

    Example:
        >>> import tfpy as tf
        >>> one = tf.compat.v1
        >>> with tf.Graph().as_default() as graph:
        ...     queue = one.FIFOQueue(10, tf.float32, shapes=[[]])
        ...     one.train.add_queue_runner(one.train.QueueRunner(queue, [queue.enqueue(2.0)]))
        ...     print(len(graph.get_collection(one.GraphKeys.QUEUE_RUNNERS)))
        1

    See also: `tf.compat.v1.train.start_queue_runners`.
    """
    get_default_graph().add_to_collection(collection, qr)


def start_queue_runners(
    sess: Session | None = None,
    coord: Coordinator | None = None,
    daemon: bool = True,
    start: bool = True,
    collection: Hashable = GraphKeys.QUEUE_RUNNERS,
) -> list[QueueThread]:
    """Start the runners in a collection of the graph.

    Args:
        sess: The session. Default: the default session.
        coord: Coordinator, which receives errors and can stop the runners.
        daemon: Has no effect.
        start: If False, the caller starts the threads.
        collection: Name of the collection.

    Returns:
        List of objects with the methods of threads.

    Raises:
        ValueError: If there is no session.
        TypeError: If `sess` is not a session.

    Example:
        >>> import tfpy as tf
        >>> one = tf.compat.v1
        >>> with tf.Graph().as_default(), one.Session() as sess:
        ...     batch = one.train.batch([tf.constant(1.0)], batch_size=2)
        ...     threads = one.train.start_queue_runners()
        ...     print(sess.run(batch))
        [1. 1.]

    See also: `tf.compat.v1.train.QueueRunner`.
    """
    found: Any = get_default_session() if sess is None else sess
    if found is None:
        raise ValueError(
            "Cannot start queue runners: No default session is registered. Use `with sess.as_"
            "default()` or pass an explicit session to tf.start_queue_runners(sess=sess)"
        )
    raw = found if isinstance(found, Session) else getattr(found, "_sess", None)
    if not isinstance(raw, Session):
        raise TypeError(f"sess must be a `tf.Session` object. Given class: {type(sess)}")
    threads = []
    for runner in raw.graph.get_collection(collection):
        threads += runner.create_threads(raw, coord, daemon, start)
    return threads
