"""The current strategy, and the context of the calling code."""

from __future__ import annotations

from tfpy._src.distribute import context
from tfpy._src.distribute.context import ReplicaContext
from tfpy._src.distribute.strategy import Strategy
from tfpy._src.tensors.variables.distribution import scope

_DEFAULT = Strategy()
_DEFAULT.is_default = True
_NOTED: dict[str, Strategy] = {}


def get_strategy() -> Strategy:
    """Return the strategy of the current scope, or the default strategy.

    Returns:
        A `tf.distribute.Strategy`.

    Example:
        >>> import tfpy as tf
        >>> tf.distribute.get_strategy().num_replicas_in_sync
        1

    See also: `tf.distribute.has_strategy`, `tf.distribute.Strategy.scope`.
    """
    if context.local.scopes:
        return context.local.scopes[-1]
    return _NOTED.get("strategy", _DEFAULT)


def has_strategy() -> bool:
    """Return True if the current strategy is not the default one.

    Returns:
        A bool.

    Example:
        >>> import tfpy as tf
        >>> before = tf.distribute.has_strategy()
        >>> with tf.distribute.OneDeviceStrategy("/cpu:0").scope():
        ...     inside = tf.distribute.has_strategy()
        >>> before, inside
        (False, True)

    See also: `tf.distribute.get_strategy`.
    """
    return get_strategy() is not _DEFAULT


def in_cross_replica_context() -> bool:
    """Return True if the calling code is in the scope of a strategy, but not in a replica.

    Returns:
        A bool. It is False outside of all scopes, and in functions that
        `tf.distribute.Strategy.run` calls, but True in a function that `merge_call` calls.

    Example:
        >>> import tfpy as tf
        >>> with tf.distribute.OneDeviceStrategy("/cpu:0").scope():
        ...     print(tf.distribute.in_cross_replica_context())
        True

    See also: `tf.distribute.get_replica_context`.
    """
    return has_strategy() and (not scope.running or scope.merging > 0)


def get_replica_context() -> ReplicaContext | None:
    """Return the context of the replica that runs the calling code.

    Code is in a replica if `tf.distribute.Strategy.run` calls it. Outside of the scopes of all
    strategies there is a single replica, which has a context as well.

    Returns:
        A `tf.distribute.ReplicaContext`, or None in the scope of a strategy outside of `run`.

    Example:
        >>> import tfpy as tf
        >>> tf.distribute.get_replica_context().replica_id_in_sync_group
        0

    See also: `tf.distribute.in_cross_replica_context`.
    """
    return None if in_cross_replica_context() else ReplicaContext(get_strategy())


def experimental_set_strategy(strategy: Strategy | None) -> None:
    """Set the strategy that applies outside of all scopes.

    Args:
        strategy: A `tf.distribute.Strategy`, or None for the default one.

    Example:
        >>> import tfpy as tf
        >>> strategy = tf.distribute.OneDeviceStrategy("/cpu:0")
        >>> tf.distribute.experimental_set_strategy(strategy)
        >>> tf.distribute.get_strategy() is strategy
        True
        >>> tf.distribute.experimental_set_strategy(None)

    See also: `tf.distribute.get_strategy`.
    """
    _NOTED.clear()
    if strategy is not None:
        _NOTED["strategy"] = strategy
