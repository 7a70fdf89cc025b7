"""``tf.distribute.ReduceOp``."""

from __future__ import annotations

import enum
from typing import Any


class ReduceOp(enum.Enum):
    """How the values of replicas become one (``tf.distribute.ReduceOp``).

    Example:
        >>> import tfpy as tf
        >>> strategy = tf.distribute.get_strategy()
        >>> mean = tf.distribute.ReduceOp.MEAN
        >>> strategy.reduce(mean, tf.constant([1.0, 3.0]), axis=0).numpy().tolist()
        2.0
    """

    SUM = "SUM"
    MEAN = "MEAN"

    @classmethod
    def of(cls, value: Any) -> ReduceOp:
        """The member for itself or its name.

        Raises:
            ValueError: for anything else.
        """
        if isinstance(value, cls):
            return value
        return cls(str(value).upper())
