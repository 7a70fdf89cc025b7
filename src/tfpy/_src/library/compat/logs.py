"""`tf.compat.v1.logging`: messages of the logger `tensorflow`."""

from __future__ import annotations

import logging
from typing import Any

from tfpy._src.library.debugging.logs import get_logger

DEBUG, INFO, WARN, ERROR, FATAL = (
    logging.DEBUG,
    logging.INFO,
    logging.WARNING,
    logging.ERROR,
    logging.CRITICAL,
)


def _message(name: str, level: int) -> Any:
    def function(msg: str, *args: Any, **kwargs: Any) -> None:
        get_logger().log(level, msg, *args, **kwargs)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"""Log a message of the level {logging.getLevelName(level)}.

    Args:
        msg: Text with `%` fields.
        *args: Values of the fields.
        **kwargs: Arguments of `logging.Logger.log`.

    Example:
        >>> import tfpy as tf
        >>> tf.compat.v1.logging.{name}("%d steps", 3)

    See also: `tf.compat.v1.logging.set_verbosity`.
    """
    return function


debug = _message("debug", DEBUG)
info = _message("info", INFO)
warn = _message("warn", WARN)
warning = _message("warning", WARN)
error = _message("error", ERROR)
fatal = _message("fatal", FATAL)


def set_verbosity(v: int | str) -> None:
    """Set the lowest level of the messages that are logged.

    Args:
        v: A level, such as `tf.compat.v1.logging.ERROR`.

    Example:
        >>> import tfpy as tf
        >>> tf.compat.v1.logging.set_verbosity(tf.compat.v1.logging.WARN)

    See also: `tf.compat.v1.logging.get_verbosity`.
    """
    get_logger().setLevel(v)


def get_verbosity() -> int:
    """Return the lowest level of the messages that are logged.

    Returns:
        A level.

    Example:
        >>> import tfpy as tf
        >>> tf.compat.v1.logging.set_verbosity(tf.compat.v1.logging.WARN)
        >>> tf.compat.v1.logging.get_verbosity() == tf.compat.v1.logging.WARN
        True

    See also: `tf.compat.v1.logging.set_verbosity`.
    """
    return get_logger().getEffectiveLevel()
