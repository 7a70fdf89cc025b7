"""`tf.train.Coordinator`: a common end of several threads."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import TracebackType
from typing import Any

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


class LooperThread(threading.Thread):
    """A thread that calls a function repeatedly, until its coordinator requests a stop.

    Args:
        coord: `tf.train.Coordinator`, which receives exceptions of the function.
        timer_interval_secs: Number of seconds between the beginnings of calls. None and 0 call the
            function without a pause.
        target: Function to call. A subclass may override `run_loop` instead.
        args: Positional arguments of the function.
        kwargs: Keyword arguments of the function.

    Raises:
        ValueError: If `coord` is not a coordinator.

    Example:
        >>> import tfpy as tf
        >>> coordinator = tf.train.Coordinator()
        >>> looper = tf.compat.v1.train.LooperThread(coordinator, 1.0, coordinator.request_stop)
        >>> looper.run()
        >>> coordinator.should_stop()
        True

    See also: `tf.train.Coordinator`.
    """

    def __init__(
        self,
        coord: Coordinator,
        timer_interval_secs: float | None,
        target: Callable[..., object] | None = None,
        args: Sequence[Any] | None = None,
        kwargs: Mapping[str, Any] | None = None,
    ) -> None:
        if not isinstance(coord, Coordinator):
            raise ValueError(f"'coord' argument must be a Coordinator: {coord}")
        super().__init__()
        self.daemon = True
        self._coord, self._interval = coord, timer_interval_secs or 0.0
        self._function, self._given = target, (tuple(args or ()), dict(kwargs or {}))
        coord.register_thread(self)

    @staticmethod
    def loop(
        coord: Coordinator,
        timer_interval_secs: float | None,
        target: Callable[..., object],
        args: Sequence[Any] | None = None,
        kwargs: Mapping[str, Any] | None = None,
    ) -> LooperThread:
        """Start a thread that calls a function repeatedly.

        Args:
            coord: `tf.train.Coordinator`.
            timer_interval_secs: Number of seconds between the beginnings of calls.
            target: Function to call.
            args: Positional arguments of the function.
            kwargs: Keyword arguments of the function.

        Returns:
            The started thread.
        """
        looper = LooperThread(coord, timer_interval_secs, target, args, kwargs)
        looper.start()
        return looper

    def run(self) -> None:
        """Call the function until the coordinator requests a stop."""
        with self._coord.stop_on_exception():
            self.start_loop()
            at = time.monotonic()
            while not self._coord.wait_for_stop(max(at - time.monotonic(), 0.0)):
                at += self._interval
                self.run_loop()
            self.stop_loop()

    def start_loop(self) -> None:
        """Do nothing. A subclass may prepare the loop here."""

    def run_loop(self) -> None:
        """Call the function once."""
        if self._function is not None:
            self._function(*self._given[0], **self._given[1])

    def stop_loop(self) -> None:
        """Do nothing. A subclass may end the loop here."""
