"""TensorFlow's error classes (`tf.errors`)."""

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
    """Base class of the errors that ops raise.

    Args:
        node_def: None. TensorFlow passes a node of its graph.
        op: Operation of a graph, which becomes the attribute `op`, or the name of an op, which
            becomes the attribute `op_name`. None if neither is known.
        message: Description of the error, with shapes, dtypes and a suggested solution.

    Example:
        >>> import tfpy as tf
        >>> try:
        ...     tf.constant([1, 2]) + tf.constant([1, 2, 3])
        ... except tf.errors.OpError as error:
        ...     print(type(error).__name__, error.error_code == tf.errors.INVALID_ARGUMENT)
        InvalidArgumentError True
    """

    error_code: int | None = None
    """Number of the kind of error, such as `tf.errors.INVALID_ARGUMENT`."""

    def __init__(self, node_def: Any, op: Any, message: str, *args: Any) -> None:
        super().__init__(message)
        self.node_def = node_def
        self.op_name = op if isinstance(op, str) else None
        self.op = None if isinstance(op, str) else op  # as in TensorFlow's eager execution
        self.message = message

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.node_def, self.op_name or self.op, self.message), vars(self)


class CancelledError(OpError):
    """An operation was canceled before it finished."""

    error_code = CANCELLED


class UnknownError(OpError):
    """An error of an unknown kind, such as an exception in Python code that an op calls."""

    error_code = UNKNOWN


class InvalidArgumentError(OpError):
    """An op received an invalid argument: a shape, dtype or value that it does not support."""

    error_code = INVALID_ARGUMENT


class DeadlineExceededError(OpError):
    """An operation did not finish in time."""

    error_code = DEADLINE_EXCEEDED


class NotFoundError(OpError):
    """A file or another requested entity does not exist."""

    error_code = NOT_FOUND


class AlreadyExistsError(OpError):
    """A file or another entity cannot be created because it already exists."""

    error_code = ALREADY_EXISTS


class PermissionDeniedError(OpError):
    """The user or the system has denied access."""

    error_code = PERMISSION_DENIED


class UnauthenticatedError(OpError):
    """The request does not have valid credentials."""

    error_code = UNAUTHENTICATED


class ResourceExhaustedError(OpError):
    """A resource, usually memory, is exhausted."""

    error_code = RESOURCE_EXHAUSTED


class FailedPreconditionError(OpError):
    """The system is not in the state that the operation requires."""

    error_code = FAILED_PRECONDITION


class AbortedError(OpError):
    """An operation was aborted, usually because of a conflict."""

    error_code = ABORTED


class OutOfRangeError(OpError):
    """An operation went beyond the valid range, such as the end of a dataset."""

    error_code = OUT_OF_RANGE


class UnimplementedError(OpError):
    """An operation is not implemented, or the backend or the browser does not support it."""

    error_code = UNIMPLEMENTED


class InternalError(OpError):
    """An internal error, such as a kernel that a GPU driver cannot compile."""

    error_code = INTERNAL


class UnavailableError(OpError):
    """A device or service is not available, such as a GPU that the browser has taken away."""

    error_code = UNAVAILABLE


class DataLossError(OpError):
    """Data is lost or corrupt."""

    error_code = DATA_LOSS


class OperatorNotAllowedInGraphError(TypeError):
    """Python code needs the value of a tensor while a `tf.function` is traced.

    The value is only known when the compiled function runs. An `if` statement, for example, needs
    it unless AutoGraph converts the statement to `tf.cond`.

    Example:
        >>> import tfpy as tf
        >>> @tf.function(autograph=False)
        ... def absolute(x):
        ...     return x if x > 0 else -x
        >>> try:
        ...     absolute(tf.constant(-3))
        ... except tf.errors.OperatorNotAllowedInGraphError:
        ...     print("the value is not known during tracing")
        the value is not known during tracing

    See also: `tf.function`, `tf.cond`.
    """


class NotTraceableError(NotImplementedError):
    """A function cannot be compiled, because a shape depends on the values of tensors.

    A call of a `tf.function` does not raise this error. A warning is issued instead, and the
    function runs eagerly, without compilation.

    Example:
        >>> import tfpy as tf
        >>> @tf.function
        ... def positive(x):
        ...     return tf.boolean_mask(x, x > 0)
        >>> try:
        ...     positive.get_concrete_function(tf.TensorSpec([3])).structured_outputs
        ... except tf.errors.NotTraceableError:
        ...     print("the number of results depends on values")
        the number of results depends on values

    See also: `tf.function`.
    """


for _kind in (
    OpError,
    *OpError.__subclasses__(),
    OperatorNotAllowedInGraphError,
    NotTraceableError,
):
    _kind.__module__ = "tfpy.errors"  # the public module, which tracebacks print


def invalid(op: str, message: str) -> Exception:
    """Return the error for operands with unsupported shapes or attributes: InvalidArgumentError.

    While a function is traced it is a ValueError, as in TensorFlow. The message begins with the
    op's name.
    """
    return _error(ValueError, op, message)


def invalid_dtype(op: str, message: str) -> Exception:
    """Return the error for operands with unsupported dtypes.

    It is an InvalidArgumentError, or a TypeError while a function is traced.
    """
    return _error(TypeError, op, message)


def invalid_value(op: str, message: str) -> InvalidArgumentError:
    """Return the error for tensors that contain unsupported values."""
    return InvalidArgumentError(None, op, f"{op}: {message}")


def _error(traced: type[Exception], op: str, message: str) -> Exception:
    return traced(f"{op}: {message}") if tracing.local.active else invalid_value(op, message)


class NotLowerable(Exception):
    """A backend cannot run this op at these shapes; the caller computes it on the host."""
