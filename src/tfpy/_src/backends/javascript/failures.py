"""Conversion of failures of the JavaScript runtime to TensorFlow's errors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tfpy._src.backends.memory_errors import exhausted
from tfpy._src.base.errors import (
    InternalError,
    InvalidArgumentError,
    OpError,
    ResourceExhaustedError,
    UnavailableError,
)
from tfpy._src.compiler.ir.aval import Shape
from tfpy._src.compiler.ir.graph import Eqn

_CLASSES: dict[str, type[OpError]] = {
    kind.__name__: kind for kind in (InvalidArgumentError, ResourceExhaustedError, UnavailableError)
}


def op_error(name: str, message: str, op: str | None = None) -> OpError:
    """Return the error for a failure with the given name; InternalError for unknown names.

    Args:
        op: Name of the op that was computed, if it is known.
    """
    text = message if op is None else f"{op}: {message}"
    kind = _CLASSES.get(name, InternalError)
    return exhausted(op, text) if kind is ResourceExhaustedError else kind(None, op, text)


def of_equation(failure: Any, eqn: Eqn, shapes: Sequence[Shape]) -> OpError:
    """Return the error of a failure in an equation's kernel.

    Args:
        shapes: Shapes of the operands.
    """
    indexed = eqn.op.indexed
    if failure.name != InvalidArgumentError.__name__ or indexed is None:
        return op_error(failure.name, failure.message, eqn.op.name)
    return indexed.reported(failure.message, shapes, dict(eqn.attrs))
