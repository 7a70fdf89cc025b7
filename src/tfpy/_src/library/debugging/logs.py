"""`tf.get_logger`, the logger of tfpy's warnings."""

from __future__ import annotations

import logging


def get_logger() -> logging.Logger:
    """Return the logger of tfpy's warnings.

    Its name is `tfpy`. TensorFlow's logger has the name `tensorflow`.

    Returns:
        A `logging.Logger`.

    Example:
        >>> import tfpy as tf
        >>> logger = tf.get_logger()
        >>> logger.setLevel("ERROR")  # hides warnings
        >>> logger.setLevel("NOTSET")

    See also: `tf.debugging.set_log_device_placement`.
    """
    return logging.getLogger("tfpy")
