"""Synchronization and aggregation of Variables in strategies with several replicas."""

from __future__ import annotations

import enum
import threading
from typing import Any


class VariableSynchronization(enum.Enum):
    """The time at which the replicas of a `tf.distribute` strategy agree on a Variable's value.

    Without a strategy, or with one replica, the choice makes no difference to the value.

    Attributes:
        AUTO: The strategy chooses, which has the same effect as `ON_WRITE`.
        NONE: The replicas never agree. A strategy with more than one replica does not support this.
        ON_WRITE: The replicas agree at each assignment, so that all of them have the same value.
        ON_READ: Each replica has its own value. The values are combined, as
            `tf.VariableAggregation` specifies, when the Variable is read outside the replicas.

    Example:
        >>> import tfpy as tf
        >>> x = tf.Variable(1.0, synchronization=tf.VariableSynchronization.ON_READ)
        >>> x.synchronization.name, x.trainable
        ('ON_READ', False)

    See also: `tf.VariableAggregation`, `tf.Variable`.
    """

    AUTO = 0
    NONE = 1
    ON_WRITE = 2
    ON_READ = 3


class VariableAggregation(enum.Enum):
    """The way in which the values of the replicas of a `tf.distribute` strategy are combined.

    It is used for the values that replicas assign to a Variable, and for the values of a Variable
    that the replicas read separately (see `tf.VariableSynchronization.ON_READ`).

    Attributes:
        NONE: The values are not combined, so that each replica uses the value that it assigns.
        SUM: The result is the sum of the values.
        MEAN: The result is the mean of the values.
        ONLY_FIRST_REPLICA: The result is the value of the first replica.

    Example:
        >>> import tfpy as tf
        >>> x = tf.Variable(1.0, aggregation=tf.VariableAggregation.MEAN)
        >>> x.aggregation.name
        'MEAN'

    See also: `tf.VariableSynchronization`, `tf.Variable`.
    """

    NONE = 0
    SUM = 1
    MEAN = 2
    ONLY_FIRST_REPLICA = 3

    def __repr__(self) -> str:
        return f"<VariableAggregationV2.{self.name}: {self.value}>"


class _Scope(threading.local):
    """The strategy scope that a thread is in."""

    strategy: Any = None
    """The strategy, or None."""
    replicas = 1
    """Number of replicas of the strategy."""
    running = 0
    """Number of active calls of `run`."""
    merging = 0
    """Number of active calls of `merge_call`."""

    def initial(self, value: Any) -> Any:
        """Return a new tensor for the initial value of a Variable.

        With several processes it is the value of the first process.
        """
        return value.alias() if self.replicas == 1 else self.strategy.initial(value)

    @property
    def is_cross_replica(self) -> bool:
        """True in the scope of a strategy outside `run`, where code acts for all replicas."""
        is_entered = self.strategy is not None and not self.strategy.is_default
        return is_entered and (not self.running or self.merging > 0)


scope = _Scope()


def kinds(
    synchronization: Any,
    aggregation: Any,
    trainable: bool | None,
    name: str | None,
    is_floating: bool,
) -> tuple[VariableSynchronization, VariableAggregation, bool]:
    """Check arguments of a Variable, and return them together with its trainability.

    Raises:
        ValueError: If an argument is not valid, a trainable Variable is synchronized on reading,
            or, with several replicas, the Variable is never synchronized or a mean of integers is
            requested.
    """
    try:
        synchronized = VariableSynchronization(synchronization)
        aggregated = VariableAggregation(aggregation)
    except ValueError as error:
        raise ValueError(f"Invalid variable mode for variable {name}: {error}") from None
    if synchronized is VariableSynchronization.NONE and scope.replicas > 1:
        raise ValueError(
            "`NONE` variable synchronization mode is not supported with tf.distribute strategy. "
            f"Please change the `synchronization` for variable: {name}"
        )
    on_read = synchronized is VariableSynchronization.ON_READ
    if on_read and trainable:
        raise ValueError(
            "Synchronization value can be set to VariableSynchronization.ON_READ only for "
            "non-trainable variables; pass trainable=False"
        )
    if aggregated is VariableAggregation.MEAN and scope.replicas > 1 and not is_floating:
        raise ValueError(
            "creating distributed tf.Variable with aggregation=MEAN and a non-floating dtype is "
            "not supported, please use a different aggregation or dtype"
        )
    return synchronized, aggregated, not on_read if trainable is None else bool(trainable)
