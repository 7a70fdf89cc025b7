"""TensorFlow's error classes (``tf.errors``)."""

from __future__ import annotations

from typing import Any

from tfpy import tracing


class OpError(Exception):
    """Base of the errors that ops raise.

    Args:
        node_def, op: kept for TensorFlow's signature; tfpy passes None and the op's name.
        message: what was wrong, with shapes and dtypes, and the mend.
    """

    def __init__(self, node_def: Any, op: Any, message: str, *args: Any) -> None:
        super().__init__(message)
        self.node_def = node_def
        self.op = op
        self.message = message


class CancelledError(OpError): ...


class UnknownError(OpError): ...


class InvalidArgumentError(OpError): ...


class DeadlineExceededError(OpError): ...


class NotFoundError(OpError): ...


class AlreadyExistsError(OpError): ...


class PermissionDeniedError(OpError): ...


class UnauthenticatedError(OpError): ...


class ResourceExhaustedError(OpError): ...


class FailedPreconditionError(OpError): ...


class AbortedError(OpError): ...


class OutOfRangeError(OpError): ...


class UnimplementedError(OpError): ...


class InternalError(OpError): ...


class UnavailableError(OpError): ...


class DataLossError(OpError): ...


class OperatorNotAllowedInGraphError(TypeError):
    """Python asked for the value of a tensor that ``tf.function`` only traces."""


class NotTraceableError(NotImplementedError):
    """What ``tf.function`` should trace depends on the values of tensors; it runs op by op then."""


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
    return traced(f"{op}: {message}") if tracing.active else invalid_value(op, message)
