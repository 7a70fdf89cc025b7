"""What the JavaScript runtime says has failed, as TensorFlow's errors."""

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
    """The error of a failure that JavaScript names; one of another name is InternalError.

    Args:
        op: what was to be computed, where that is known.
    """
    text = message if op is None else f"{op}: {message}"
    kind = _CLASSES.get(name, InternalError)
    return exhausted(op, text) if kind is ResourceExhaustedError else kind(None, op, text)


def of_equation(failure: Any, eqn: Eqn, shapes: Sequence[Shape]) -> OpError:
    """Return the error of a failure in an equation's kernel, whose operands have these shapes."""
    indexed = eqn.op.indexed
    if failure.name != InvalidArgumentError.__name__ or indexed is None:
        return op_error(failure.name, failure.message, eqn.op.name)
    return indexed.reported(failure.message, shapes, dict(eqn.attrs))
