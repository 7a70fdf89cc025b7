"""`tf.train.Coordinator`: a common end of several threads."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Iterator, Sequence
from types import TracebackType

from tfpy._src.base import errors

ErrorInfo = tuple[type[BaseException], BaseException, TracebackType | None]


class Coordinator:
    """A signal by which threads ask each other to stop.

    A thread that fails calls `request_stop` with its exception, and the other threads stop as soon
    as `should_stop` returns True. `join` then raises the exception in the main thread. A page has
    no threads, but `request_stop` and `should_stop` work there as well.

    Args:
        clean_stop_exception_types: Classes of exceptions that request a stop without an error.
            Default: `tf.errors.OutOfRangeError`.

    Example:
        >>> import threading
        >>> import tfpy as tf
        >>> coordinator = tf.train.Coordinator()
        >>> coordinator.request_stop()
        >>> coordinator.should_stop()
        True

    See also: `tf.data.Dataset`.
    """

    def __init__(
        self, clean_stop_exception_types: Sequence[type[BaseException]] | None = None
    ) -> None:
        clean = clean_stop_exception_types
        self._clean = (errors.OutOfRangeError,) if clean is None else tuple(clean)
        self._lock = threading.Lock()
        self._stop = threading.Event()
        self._error: BaseException | None = None
        self._threads: set[threading.Thread] = set()
        self._joined = False

    @property
    def joined(self) -> bool:
        """True after `join` has returned."""
        return self._joined

    def request_stop(self, ex: BaseException | ErrorInfo | None = None) -> None:
        """Ask all threads to stop.

        Args:
            ex: Exception of the thread, or the result of `sys.exc_info()`. `join` raises the first
                one that was passed. Default: None, no error.

        Raises:
            BaseException: The exception, if the threads have been joined already.
        """
        error = ex[1] if isinstance(ex, tuple) else ex
        if isinstance(error, self._clean):
            error = None
        with self._lock:
            if error is not None and self._joined:
                raise error
            if not self._stop.is_set():
                self._error = error
                self._stop.set()

    def clear_stop(self) -> None:
        """Forget the request to stop, so that the object can be used again."""
        with self._lock:
            self._joined = False
            self._error = None
            self._stop.clear()

    def should_stop(self) -> bool:
        """Return True if a stop was requested.

        Returns:
            A bool.
        """
        return self._stop.is_set()

    @contextlib.contextmanager
    def stop_on_exception(self) -> Iterator[None]:
        """Request a stop with the exception if the body of a `with` statement raises one.

        Yields:
            None.
        """
        try:
            yield
        except Exception as error:
            self.request_stop(error)

    def wait_for_stop(self, timeout: float | None = None) -> bool:
        """Wait until a stop is requested.

        Args:
            timeout: Maximum number of seconds. Default: no limit.

        Returns:
            True if a stop was requested, False if the time is over.
        """
        return self._stop.wait(timeout)

    def register_thread(self, thread: threading.Thread) -> None:
        """Register a thread for which `join` waits.

        Args:
            thread: A thread.
        """
        with self._lock:
            self._threads.add(thread)

    def join(
        self,
        threads: Sequence[threading.Thread] | None = None,
        stop_grace_period_secs: float = 120,
        ignore_live_threads: bool = False,
    ) -> None:
        """Wait until all threads have ended.

        Args:
            threads: Threads in addition to the registered ones. Default: none.
            stop_grace_period_secs: Seconds after a request to stop in which threads must end.
            ignore_live_threads: True if threads that have not ended are not an error.

        Raises:
            RuntimeError: If a thread has not ended after the seconds.
            BaseException: The exception that was passed to `request_stop`.
        """
        with self._lock:
            waiting = {*self._threads, *(threads or ())}
        while any(thread.is_alive() for thread in waiting) and not self.wait_for_stop(0.1):
            pass
        end = time.monotonic() + stop_grace_period_secs
        for thread in waiting:
            thread.join(max(0.0, end - time.monotonic()))
        alive = [thread.name for thread in waiting if thread.is_alive()]
        with self._lock:
            self._joined = True
            self._threads.clear()
        if self._error is not None:
            raise self._error
        if alive and not ignore_live_threads:
            raise RuntimeError(f"Coordinator stopped with threads still running: {' '.join(alive)}")

    def raise_requested_exception(self) -> None:
        """Raise the exception that was passed to `request_stop`, if there is one.

        Raises:
            BaseException: The exception.
        """
        if self._error is not None:
            raise self._error
