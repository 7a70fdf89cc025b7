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


def log(level: int, msg: str, *args: Any, **kwargs: Any) -> None:
    """Log a message of a given level.

    Args:
        level: A level, such as `tf.compat.v1.logging.INFO`.
        msg: Text with `%` fields.
        *args: Values of the fields.
        **kwargs: Arguments of `logging.Logger.log`.

    Example:
        >>> import tfpy as tf
        >>> tf.compat.v1.logging.log(tf.compat.v1.logging.DEBUG, "%d steps", 3)

    See also: `tf.compat.v1.logging.info`.
    """
    get_logger().log(level, msg, *args, **kwargs)


def vlog(level: int, msg: str, *args: Any, **kwargs: Any) -> None:
    """Log a message of a given level, as `tf.compat.v1.logging.log` does.

    Args:
        level: A number. Messages with small numbers are rarely logged.
        msg: Text with `%` fields.
        *args: Values of the fields.
        **kwargs: Arguments of `logging.Logger.log`.

    Example:
        >>> import tfpy as tf
        >>> tf.compat.v1.logging.vlog(1, "%d steps", 3)

    See also: `tf.compat.v1.logging.log`.
    """
    log(level, msg, *args, **kwargs)


_CALLS: dict[str, int] = {}
"""Number of earlier calls of `log_every_n` and `log_first_n` with a message."""


def _counted(msg: str) -> int:
    _CALLS[msg] = _CALLS.get(msg, -1) + 1
    return _CALLS[msg]


def log_every_n(level: int, msg: str, n: int, *args: Any) -> None:
    """Log a message at the first call with this message and at every `n`-th call after it.

    Args:
        level: A level, such as `tf.compat.v1.logging.INFO`.
        msg: Text with `%` fields.
        n: Number of calls for one message.
        *args: Values of the fields.

    Example:
        >>> import tfpy as tf
        >>> for step in range(20):
        ...     tf.compat.v1.logging.log_every_n(tf.compat.v1.logging.DEBUG, "step %d", 10, step)

    See also: `tf.compat.v1.logging.log_first_n`.
    """
    log_if(level, msg, not _counted(msg) % n, *args)


def log_first_n(level: int, msg: str, n: int, *args: Any) -> None:
    """Log a message at the first `n` calls with this message only.

    Args:
        level: A level, such as `tf.compat.v1.logging.INFO`.
        msg: Text with `%` fields.
        n: Number of calls that log the message.
        *args: Values of the fields.

    Example:
        >>> import tfpy as tf
        >>> for step in range(20):
        ...     tf.compat.v1.logging.log_first_n(tf.compat.v1.logging.DEBUG, "step %d", 1, step)

    See also: `tf.compat.v1.logging.log_every_n`.
    """
    log_if(level, msg, _counted(msg) < n, *args)


def log_if(level: int, msg: str, condition: object, *args: Any) -> None:
    """Log a message if a condition is true.

    Args:
        level: A level, such as `tf.compat.v1.logging.INFO`.
        msg: Text with `%` fields.
        condition: Condition.
        *args: Values of the fields.

    Example:
        >>> import tfpy as tf
        >>> tf.compat.v1.logging.log_if(tf.compat.v1.logging.INFO, "not shown", False)

    See also: `tf.compat.v1.logging.log`.
    """
    if condition:
        log(level, msg, *args)


def TaskLevelStatusMessage(msg: str) -> None:  # noqa: N802 - TensorFlow's name
    """Log a message of the level ERROR.

    Args:
        msg: Text.

    Example:
        >>> import tfpy as tf
        >>> level = tf.compat.v1.logging.get_verbosity()
        >>> tf.compat.v1.logging.set_verbosity(tf.compat.v1.logging.FATAL)
        >>> tf.compat.v1.logging.TaskLevelStatusMessage("finished")
        >>> tf.compat.v1.logging.set_verbosity(level)

    See also: `tf.compat.v1.logging.error`.
    """
    error(msg)


def flush() -> None:
    """Raise an error, as TensorFlow does, because handlers of Python's logging flush themselves.

    Raises:
        NotImplementedError: Always.

    Example:
        >>> import tfpy as tf
        >>> try:
        ...     tf.compat.v1.logging.flush()
        ... except NotImplementedError:
        ...     print("not implemented")
        not implemented

    See also: `tf.compat.v1.logging.log`.
    """
    raise NotImplementedError("flush: handlers of Python's module logging flush their messages")
