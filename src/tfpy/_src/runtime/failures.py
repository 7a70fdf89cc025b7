"""What the JavaScript runtime says has failed, as TensorFlow's errors."""

from __future__ import annotations

from tfpy._src.errors import InternalError, OpError, ResourceExhaustedError, UnavailableError
from tfpy._src.runtime import holders

_CLASSES = {kind.__name__: kind for kind in (ResourceExhaustedError, UnavailableError)}


def op_error(name: str, message: str, op: str | None = None) -> OpError:
    """The error of a failure that JavaScript names; one of another name is InternalError.

    Args:
        op: what was to be computed, where that is known.
    """
    kind = _CLASSES.get(name, InternalError)
    if kind is ResourceExhaustedError:
        message += holders.in_words()
    return kind(None, op, message if op is None else f"{op}: {message}")
