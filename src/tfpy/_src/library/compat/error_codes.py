"""`tf.compat.v1.errors`: numbers of errors, and their classes."""

from __future__ import annotations

import warnings
from typing import Any

from tfpy._src.base import errors
from tfpy._src.base.errors import OpError, UnknownError


def _classes() -> dict[int, type[OpError]]:
    """Return the classes of errors by their numbers."""
    found = [kind for kind in vars(errors).values() if isinstance(kind, type)]
    return {
        kind.error_code: kind
        for kind in found
        if issubclass(kind, OpError) and kind.error_code is not None and kind.__base__ is OpError
    }


def exception_type_from_error_code(error_code: int) -> type[OpError]:
    """Return the class of the errors with a number.

    Args:
        error_code: Number, such as `tf.errors.NOT_FOUND`.

    Returns:
        A subclass of `tf.errors.OpError`.

    Raises:
        KeyError: If there is no such class.

    Example:
        >>> import tfpy as tf
        >>> tf.compat.v1.errors.exception_type_from_error_code(5).__name__
        'NotFoundError'

    See also: `tf.compat.v1.errors.error_code_from_exception_type`.
    """
    return _classes()[error_code]


def error_code_from_exception_type(cls: type[Any]) -> int | UnknownError:
    """Return the number of a class of errors.

    Args:
        cls: Subclass of `tf.errors.OpError`.

    Returns:
        An integer. For another class a `tf.errors.UnknownError`, with a warning.

    Example:
        >>> import tfpy as tf
        >>> tf.compat.v1.errors.error_code_from_exception_type(tf.errors.NotFoundError)
        5

    See also: `tf.compat.v1.errors.exception_type_from_error_code`.
    """
    for code, kind in _classes().items():
        if kind is cls:
            return code
    warnings.warn("Unknown class exception", stacklevel=2)
    return UnknownError(None, None, "Unknown class exception", None)
