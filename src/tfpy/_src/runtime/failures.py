"""What the JavaScript runtime says has failed, as TensorFlow's errors."""

from __future__ import annotations

from tfpy._src.errors import InternalError, OpError, ResourceExhaustedError, UnavailableError
from tfpy._src.runtime.exhaustion import exhausted

_CLASSES = {kind.__name__: kind for kind in (ResourceExhaustedError, UnavailableError)}


def op_error(name: str, message: str, op: str | None = None) -> OpError:
    """The error of a failure that JavaScript names; one of another name is InternalError.

    Args:
        op: what was to be computed, where that is known.
    """
    text = message if op is None else f"{op}: {message}"
    kind = _CLASSES.get(name, InternalError)
    return exhausted(op, text) if kind is ResourceExhaustedError else kind(None, op, text)
