"""`tf.get_logger`, the logger of warnings."""

from __future__ import annotations

import logging


def get_logger() -> logging.Logger:
    """Return the logger of tfpy's warnings and of the messages of `tf.compat.v1.logging`.

    Returns:
        The logger `tensorflow` of Python's module `logging`.

    Example:
        >>> import tfpy as tf
        >>> logger = tf.get_logger()
        >>> logger.name
        'tensorflow'
        >>> logger.setLevel("ERROR")  # hides warnings
        >>> logger.setLevel("NOTSET")

    See also: `tf.debugging.set_log_device_placement`, `tf.compat.v1.logging.set_verbosity`.
    """
    return logging.getLogger("tensorflow")
