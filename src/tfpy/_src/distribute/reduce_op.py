"""``tf.distribute.ReduceOp``."""

from __future__ import annotations

import enum
from typing import Any

from tfpy._src.core.tensor import Tensor
from tfpy._src.tensors.math.arithmetic import truediv


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

    def taken(self, x: Tensor) -> Tensor:
        """A tensor as it is reduced: the mean of whole numbers is one of real numbers."""
        return truediv(x, 1) if self is ReduceOp.MEAN and x.dtype.is_integer else x
