"""How Variables are kept and updated where a strategy has several replicas."""

from __future__ import annotations

import enum
import threading
from typing import Any


class VariableSynchronization(enum.Enum):
    """When the copies of a Variable are made equal (``tf.VariableSynchronization``).

    Example:
        >>> import tfpy as tf
        >>> x = tf.Variable(1.0, synchronization=tf.VariableSynchronization.ON_READ)
        >>> x.synchronization.name
        'ON_READ'
    """

    AUTO = 0
    NONE = 1
    ON_WRITE = 2
    ON_READ = 3


class VariableAggregation(enum.Enum):
    """What becomes of several copies' updates (``tf.VariableAggregation``).

    Example:
        >>> import tfpy as tf
        >>> x = tf.Variable(1.0, aggregation=tf.VariableAggregation.MEAN)
        >>> x.aggregation.name
        'MEAN'
    """

    NONE = 0
    SUM = 1
    MEAN = 2
    ONLY_FIRST_REPLICA = 3

    def __repr__(self) -> str:
        return f"<VariableAggregationV2.{self.name}: {self.value}>"


class _Scope(threading.local):
    """Where the thread is."""

    strategy: Any = None
    """That in whose scope it is, if any."""
    replicas = 1
    """How many this has."""
    running = 0
    """How many of its ``run`` are under way."""
    merging = 0
    """How many ``merge_call`` are under way."""

    def initial(self, value: Any) -> Any:
        """The tensor of its own that a Variable begins with: the first process's, of several."""
        return value.alias() if self.replicas == 1 else self.strategy.initial(value)

    @property
    def is_cross_replica(self) -> bool:
        """Whether the code is for all replicas: in the scope, outside of ``run``."""
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
    """The arguments of a Variable, checked, and whether it is trainable.

    Raises:
        ValueError: for what is no such kind, for a trainable Variable synchronized when read, and
            of several replicas for one that is never synchronized, and for a mean of integers.
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
            "non-trainable variables; give trainable=False"
        )
    if aggregated is VariableAggregation.MEAN and scope.replicas > 1 and not is_floating:
        raise ValueError(
            "creating distributed tf.Variable with aggregation=MEAN and a non-floating dtype is "
            "not supported, please use a different aggregation or dtype"
        )
    return synchronized, aggregated, not on_read if trainable is None else bool(trainable)
