"""TensorFlow's error classes (``tf.errors``)."""

from __future__ import annotations

from typing import Any

from tfpy._src.base import tracing

OK = 0
CANCELLED = 1
UNKNOWN = 2
INVALID_ARGUMENT = 3
DEADLINE_EXCEEDED = 4
NOT_FOUND = 5
ALREADY_EXISTS = 6
PERMISSION_DENIED = 7
RESOURCE_EXHAUSTED = 8
FAILED_PRECONDITION = 9
ABORTED = 10
OUT_OF_RANGE = 11
UNIMPLEMENTED = 12
INTERNAL = 13
UNAVAILABLE = 14
DATA_LOSS = 15
UNAUTHENTICATED = 16


class OpError(Exception):
    """Base of the errors that ops raise.

    Args:
        node_def, op: kept for TensorFlow's signature; tfpy passes None and the op's name.
        message: what was wrong, with shapes and dtypes, and the mend.

    Example:
        >>> import tfpy as tf
        >>> try:
        ...     tf.constant([1, 2]) + tf.constant([1, 2, 3])
        ... except tf.errors.OpError as error:
        ...     print(type(error).__name__, error.error_code == tf.errors.INVALID_ARGUMENT)
        InvalidArgumentError True
    """

    error_code: int | None = None
    """The number of the kind of error (``tf.errors.INVALID_ARGUMENT`` and its like)."""

    def __init__(self, node_def: Any, op: Any, message: str, *args: Any) -> None:
        super().__init__(message)
        self.node_def = node_def
        self.op = op
        self.message = message

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.node_def, self.op, self.message), vars(self)


class CancelledError(OpError):
    error_code = CANCELLED


class UnknownError(OpError):
    error_code = UNKNOWN


class InvalidArgumentError(OpError):
    error_code = INVALID_ARGUMENT


class DeadlineExceededError(OpError):
    error_code = DEADLINE_EXCEEDED


class NotFoundError(OpError):
    error_code = NOT_FOUND


class AlreadyExistsError(OpError):
    error_code = ALREADY_EXISTS


class PermissionDeniedError(OpError):
    error_code = PERMISSION_DENIED


class UnauthenticatedError(OpError):
    error_code = UNAUTHENTICATED


class ResourceExhaustedError(OpError):
    error_code = RESOURCE_EXHAUSTED


class FailedPreconditionError(OpError):
    error_code = FAILED_PRECONDITION


class AbortedError(OpError):
    error_code = ABORTED


class OutOfRangeError(OpError):
    error_code = OUT_OF_RANGE


class UnimplementedError(OpError):
    error_code = UNIMPLEMENTED


class InternalError(OpError):
    error_code = INTERNAL


class UnavailableError(OpError):
    error_code = UNAVAILABLE


class DataLossError(OpError):
    error_code = DATA_LOSS


class OperatorNotAllowedInGraphError(TypeError):
    """Python asked for the value of a tensor that ``tf.function`` only traces.

    Example:
        >>> import tfpy as tf
        >>> @tf.function(autograph=False)
        ... def absolute(x):
        ...     return x if x > 0 else -x
        >>> try:
        ...     absolute(tf.constant(-3))
        ... except tf.errors.OperatorNotAllowedInGraphError:
        ...     print("a value that is not known yet")
        a value that is not known yet
    """


class NotTraceableError(NotImplementedError):
    """What ``tf.function`` should trace depends on the values of tensors; it runs op by op then.

    Example:
        >>> import tfpy as tf
        >>> @tf.function
        ... def positive(x):
        ...     return tf.boolean_mask(x, x > 0)
        >>> try:
        ...     positive.get_concrete_function(tf.TensorSpec([3]))
        ... except tf.errors.NotTraceableError:
        ...     print("how many there are depends on values")
        how many there are depends on values
    """


for _kind in (
    OpError,
    *OpError.__subclasses__(),
    OperatorNotAllowedInGraphError,
    NotTraceableError,
):
    _kind.__module__ = "tfpy.errors"  # where programs know them from, for what Python prints


def invalid(op: str, message: str) -> Exception:
    """The error of operands whose shapes or attributes do not fit: InvalidArgumentError.

    While a function is traced it is ValueError, and that of dtypes TypeError, as in TensorFlow.
    The text begins with the op's name.
    """
    return _error(ValueError, op, message)


def invalid_dtype(op: str, message: str) -> Exception:
    """The error of operands whose dtypes do not fit; see :func:`invalid`."""
    return _error(TypeError, op, message)


def invalid_value(op: str, message: str) -> InvalidArgumentError:
    """The error of tensors that hold values which do not fit."""
    return InvalidArgumentError(None, op, f"{op}: {message}")


def _error(traced: type[Exception], op: str, message: str) -> Exception:
    return traced(f"{op}: {message}") if tracing.local.active else invalid_value(op, message)


class NotLowerable(Exception):
    """A backend cannot run this op at these shapes; the caller computes it on the host."""
