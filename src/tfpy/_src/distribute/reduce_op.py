"""Implementation of `tf.distribute.ReduceOp`."""

from __future__ import annotations

import enum

from tfpy._src.core.tensor import Tensor
from tfpy._src.tensors.math.arithmetic import truediv


class ReduceOp(enum.Enum):
    """The operation that combines the values of replicas.

    `SUM` adds the values, and `MEAN` averages them.

    Example:
        >>> import tfpy as tf
        >>> strategy = tf.distribute.get_strategy()
        >>> mean = tf.distribute.ReduceOp.MEAN
        >>> strategy.reduce(mean, tf.constant([1.0, 3.0]), axis=0).numpy().tolist()
        2.0

    See also: `tf.distribute.Strategy.reduce`.
    """

    SUM = "SUM"
    MEAN = "MEAN"

    @classmethod
    def of(cls, value: ReduceOp | str) -> ReduceOp:
        """Convert a member, or the name of one, to a ReduceOp.

        Args:
            value: A ReduceOp, or `"sum"` or `"mean"` in any case.

        Returns:
            A ReduceOp.

        Raises:
            ValueError: If the value is unknown.

        Example:
            >>> import tfpy as tf
            >>> tf.distribute.ReduceOp.of("sum").name
            'SUM'
        """
        if isinstance(value, cls):
            return value
        return cls(str(value).upper())

    def taken(self, x: Tensor) -> Tensor:
        """Convert integers to floats if their mean is computed.

        Args:
            x: Numeric tensor.

        Returns:
            A tensor of the same shape.

        Example:
            >>> import tfpy as tf
            >>> tf.distribute.ReduceOp.MEAN.taken(tf.constant([1, 2])).dtype.is_floating
            True
        """
        return truediv(x, 1) if self is ReduceOp.MEAN and x.dtype.is_integer else x
