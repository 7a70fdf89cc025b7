"""`tf.test.TestCase`, the base class of tests."""

from __future__ import annotations

import os
import random
import re
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any, TextIO

import numpy as np

from tfpy._src.base import errors, tracing
from tfpy._src.functions.graph_mode.defaults import reset_default_graph
from tfpy._src.functions.graph_mode.graph import Graph
from tfpy._src.tensors.random.streams import set_seed
from tfpy._src.testing.base import Message
from tfpy._src.testing.bounds import BoundAssertions
from tfpy._src.testing.environment import temporary_folder
from tfpy._src.testing.sessions import EagerSession, NoSession

_SEED = 87654321
"""Seed that TensorFlow's test case sets before each test."""
_SHAPES = "Incompatible shapes|Dimensions must be equal|required broadcastable shapes"


class CheckedThread:
    """A thread of a test. An exception in the thread is a failure of the test."""

    def __init__(
        self,
        test: TestCase,
        target: Callable[..., Any],
        args: Sequence[Any],
        kwargs: Mapping[str, Any],
    ) -> None:
        self._test = test
        self._call = (target, args, kwargs)
        self._thread = threading.Thread(target=self._run)
        self._error: Exception | None = None
        self._joined = False

    def _run(self) -> None:
        target, args, kwargs = self._call
        try:
            target(*args, **kwargs)
        except Exception as error:
            self._error = error

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def join(self) -> None:
        """Wait for the end of the thread, and fail if it ended with an exception."""
        self._joined = True
        self._thread.join()
        if self._error is not None:
            self._test.fail(f"Error in checkedThread: {self._error}")

    def is_alive(self) -> bool:
        """Return True if the thread is running."""
        return self._thread.is_alive()

    def check_termination(self) -> None:
        """Fail if the test has not joined the thread."""
        if not self._joined:
            self._test.fail("A checked thread was not joined.")


class CapturedWrites:
    """The text that was written to a stream."""

    def __init__(self, path: str) -> None:
        self._path = Path(path)

    def contents(self) -> str:
        """Return the text."""
        return self._path.read_text()


class TestCase(BoundAssertions):
    """A test case with assertions about tensors.

    It has the assertions of `unittest.TestCase` and of absl's test case, and those of TensorFlow.
    If the package `absl-py` is installed, the class is derived from absl's class, so that it can be
    combined with `absl.testing.parameterized.TestCase`. Before each test, the seeds of Python,
    NumPy and `tf.random` are set to a constant. A subclass that overrides `setUp` must call
    `super().setUp()`.

    In a `tf.function`, assertions about tensors are checked when the function runs.

    Args:
        methodName: Name of the method that is the test.

    Example:
        >>> import tfpy as tf
        >>> class SquareTest(tf.test.TestCase):
        ...     def test_values(self):
        ...         self.assertAllClose(tf.square([1.0, 2.0]), [1.0, 4.0])
        >>> SquareTest("test_values").run().wasSuccessful()
        True

    See also: `tf.test.main`, `tf.test.compute_gradient`.
    """

    __test__ = False  # pytest collects subclasses only

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        cls.__test__ = vars(cls).get("__test__", True)

    def __init__(self, methodName: str = "runTest") -> None:  # noqa: N803 - unittest's name
        super().__init__(methodName)
        self._threads: list[CheckedThread] = []
        self._tempdir: str | None = None
        self._set_default_seed = True

    def setUp(self) -> None:
        """Reset the default graph, and set the seeds of Python, NumPy and `tf.random`."""
        super().setUp()
        reset_default_graph()
        random.seed(_SEED)
        np.random.seed(_SEED)
        if self._set_default_seed:
            set_seed(_SEED)
        if self.id().endswith(".test_session"):
            self.skipTest("Not a test.")

    def tearDown(self) -> None:
        """Check that the threads of the test have ended."""
        for thread in self._threads:
            thread.check_termination()
        self._sessions.close()
        super().tearDown()

    def get_temp_dir(self) -> str:
        """Return the temporary directory of this test.

        Each call in a test returns the same path. The directory is deleted when the program ends.

        Returns:
            Absolute path of the directory.
        """
        if self._tempdir is None:
            self._tempdir = tempfile.mkdtemp(dir=temporary_folder())
        return self._tempdir

    @contextmanager
    def captureWritesToStream(self, stream: TextIO) -> Iterator[CapturedWrites]:
        """Capture the text that is written to a stream of the operating system.

        Args:
            stream: Stream with a file descriptor, such as `sys.stdout` outside of notebooks.

        Yields:
            An object whose method `contents` returns the text.
        """
        stream.flush()
        number = stream.fileno()
        file, path = tempfile.mkstemp(dir=self.get_temp_dir())
        original = os.dup(number)
        os.dup2(file, number)
        try:
            yield CapturedWrites(path)
        finally:
            stream.flush()
            os.close(file)
            os.dup2(original, number)
            os.close(original)

    @contextmanager
    def session(
        self,
        graph: Graph | None = None,
        config: object = None,
        use_gpu: bool = True,
        force_gpu: bool = False,
    ) -> Iterator[Any]:
        """Return a context manager for programs that were written for TensorFlow 1.

        Outside of a `tf.Graph`, ops are computed at once, so no session is needed. Access to an
        attribute of the yielded object is an error then.

        Args:
            graph: Graph to run. Default: the default graph.
            config: Has no effect.
            use_gpu: Has no effect.
            force_gpu: Has no effect.

        Yields:
            An object without attributes, or a `tf.compat.v1.Session` inside a `tf.Graph`.
        """
        if not tracing.in_graph():
            yield NoSession()
            return
        with self._sessions.new(graph, config) as session:
            yield session

    @contextmanager
    def cached_session(
        self,
        graph: Graph | None = None,
        config: object = None,
        use_gpu: bool = True,
        force_gpu: bool = False,
    ) -> Iterator[Any]:
        """Return a context manager for programs that were written for TensorFlow 1.

        Args:
            graph: Graph to run. Default: the default graph.
            config: Has no effect.
            use_gpu: Has no effect.
            force_gpu: Has no effect.

        Yields:
            An object whose method `run` returns the values of tensors as `evaluate` does. It is
            the same session for all calls in a test inside a `tf.Graph`.
        """
        if not tracing.in_graph():
            yield EagerSession(self.evaluate)
            return
        with self._sessions.cached(graph, config) as session:
            yield session

    @contextmanager
    def test_session(
        self,
        graph: Graph | None = None,
        config: object = None,
        use_gpu: bool = True,
        force_gpu: bool = False,
    ) -> Iterator[Any]:
        """Return a context manager for programs that were written for TensorFlow 1.

        Args:
            graph: Graph to run. Default: the default graph.
            config: Has no effect.
            use_gpu: Has no effect.
            force_gpu: Has no effect.

        Yields:
            None, or the session of the test inside a `tf.Graph`.
        """
        if not tracing.in_graph():
            yield None
            return
        with self._sessions.cached(graph, config) as session:
            yield session

    def checkedThread(
        self,
        target: Callable[..., Any],
        args: Sequence[Any] | None = None,
        kwargs: Mapping[str, Any] | None = None,
    ) -> CheckedThread:
        """Create a thread whose exceptions are failures of the test.

        A page has no threads, so `start` raises a RuntimeError there.

        Args:
            target: Function that the thread calls.
            args: Positional arguments. Default: none.
            kwargs: Keyword arguments. Default: none.

        Returns:
            A thread with the methods `start`, `join` and `is_alive`. The test must call `join`.
        """
        thread = CheckedThread(self, target, args or (), kwargs or {})
        self._threads.append(thread)
        return thread

    def assertStartsWith(self, actual: str, expected_start: str, msg: Message = None) -> None:
        """Assert that a string starts with a prefix.

        Args:
            actual: String.
            expected_start: Prefix.
            msg: Text for the message of a failure.
        """
        if not actual.startswith(expected_start):
            text = f"{actual!r} does not start with {expected_start!r}"
            self.fail(f"{text} : {msg!r}" if msg else text)

    @contextmanager
    def assertRaisesWithPredicateMatch(
        self,
        exception_type: type[Exception] | tuple[type[Exception], ...],
        expected_err_re_or_predicate: str | re.Pattern[str] | Callable[[Exception], object],
    ) -> Iterator[None]:
        """Assert that the body of a `with` statement raises an exception with certain properties.

        Args:
            exception_type: Class of the exception.
            expected_err_re_or_predicate: Regular expression of which the message contains a match,
                or a function that receives the exception and returns True for an expected one.

        Yields:
            None, or the session of the test inside a `tf.Graph`.
        """
        try:
            yield
            names = exception_type if isinstance(exception_type, tuple) else (exception_type,)
            self.fail(f"{names[0].__name__} not raised")
        except Exception as error:
            expected = isinstance(error, exception_type)
            if not expected or not _fits(error, expected_err_re_or_predicate):
                raise AssertionError(f"Exception of type {type(error)}: {error}") from error

    def assertRaisesOpError(
        self, expected_err_re_or_predicate: str | Callable[[Exception], object]
    ) -> AbstractContextManager[None]:
        """Assert that the body of a `with` statement raises a `tf.errors.OpError`.

        Args:
            expected_err_re_or_predicate: Regular expression or function, as in
                `assertRaisesWithPredicateMatch`. The messages of errors differ from TensorFlow's.

        Returns:
            A context manager.
        """
        return self.assertRaisesWithPredicateMatch(errors.OpError, expected_err_re_or_predicate)

    def assertRaisesIncompatibleShapesError(
        self, exception_type: type[Exception] = errors.InvalidArgumentError
    ) -> AbstractContextManager[None]:
        """Assert that the body of a `with` statement raises an error about incompatible shapes.

        Args:
            exception_type: Class of the exception.

        Returns:
            A context manager.
        """
        return self.assertRaisesWithPredicateMatch(exception_type, _SHAPES)

    def assertProtoEquals(
        self,
        expected_message_maybe_ascii: Any,
        validate_message: Any,
        msg: Message = None,
        relative_tolerance: float | None = None,
    ) -> None:
        """Assert that two protocol buffer messages are equal.

        Args:
            expected_message_maybe_ascii: Message, or its text format, which needs the package
                `protobuf`.
            validate_message: Message.
            msg: Text for the message of a failure.
            relative_tolerance: Not supported; numbers must be equal.
        """
        expected = expected_message_maybe_ascii
        if isinstance(expected, str | bytes):
            made = type(validate_message)()
            expected = import_module("google.protobuf.text_format").Merge(expected, made)
        if expected != validate_message:
            self.assertMultiLineEqual(str(expected), str(validate_message), msg)
            self.fail(f"The messages differ. {msg or ''}")

    def assertRaisesRegexp(self, *args: Any, **kwargs: Any) -> Any:
        """Assert that an exception is raised, as `assertRaisesRegex` of unittest does."""
        return self.assertRaisesRegex(*args, **kwargs)

    def assertItemsEqual(self, *args: Any, **kwargs: Any) -> None:
        """Assert that two collections have equal elements, as `assertCountEqual` does."""
        self.assertCountEqual(*args, **kwargs)


def _fits(
    error: Exception, expected: str | re.Pattern[str] | Callable[[Exception], object]
) -> object:
    """Return a true value if the error has the expected message or properties."""
    if callable(expected):
        return expected(error)
    return re.search(expected, error.message if isinstance(error, errors.OpError) else str(error))
