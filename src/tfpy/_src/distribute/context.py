"""Contexts of strategies: scopes, replica context and cross-replica context."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

from tfpy._src.base import tracing
from tfpy._src.core import nest
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.indexed_slices import IndexedSlices
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import Nest
from tfpy._src.distribute.communication import CommunicationOptions
from tfpy._src.distribute.reduce_op import ReduceOp
from tfpy._src.functions.control import collectives
from tfpy._src.functions.control.replica import Replica
from tfpy._src.tensors.variables.distribution import scope

if TYPE_CHECKING:
    from tfpy._src.distribute.strategy import Strategy


class _Run(NamedTuple):
    """A call of `Strategy.run` in progress."""

    strategy: Strategy
    replicas: int
    """Number of replicas in this run."""


class _Local(threading.local):
    def __init__(self) -> None:
        self.scopes: list[Strategy] = []
        """Strategies whose scopes are entered, innermost last."""
        self.runs: list[_Run] = []
        """Runs in progress, innermost last."""


local = _Local()


@contextmanager
def entered(strategy: Strategy) -> Iterator[Strategy]:
    """Enter the scope of a strategy.

    Raises:
        RuntimeError: If the scope of a different strategy with several replicas is active.
    """
    if local.scopes:
        check_same(local.scopes[-1], strategy)
    before = scope.strategy, scope.replicas
    scope.strategy, scope.replicas = strategy, strategy.replicas
    local.scopes.append(strategy)
    try:
        yield strategy
    finally:
        local.scopes.pop()
        scope.strategy, scope.replicas = before


def check_same(outer: Strategy, inner: Strategy) -> None:
    """Raise a RuntimeError if two different strategies are mixed and one has several replicas."""
    if outer is not inner and max(outer.replicas, inner.replicas) > 1:
        raise RuntimeError(
            f"Mixing different tf.distribute.Strategy objects: {inner} is not {outer}"
        )


@contextmanager
def running(strategy: Strategy, replicas: int) -> Iterator[None]:
    """Enter the scope of a strategy for a call of `Strategy.run`.

    Raises:
        RuntimeError: If the call is inside a replica, or in the scope of a different strategy.
    """
    check_cross_replica(strategy)
    with entered(strategy):
        local.runs.append(_Run(strategy, replicas))
        scope.running += 1
        try:
            yield
        finally:
            scope.running -= 1
            local.runs.pop()


def check_cross_replica(strategy: Strategy) -> None:
    """Raise a RuntimeError inside one of several replicas or inside the run of another strategy."""
    if not local.runs or scope.merging:
        return
    check_same(local.runs[-1].strategy, strategy)
    if strategy.replicas > 1:
        raise RuntimeError(
            "Method requires being in cross-replica context, use get_replica_context().merge_call()"
        )


def merging_replica() -> Replica | None:
    """Return the trace of the replicas inside a `merge_call`, otherwise None."""
    return tracing.local.replica if scope.merging else None


class ReplicaContext:
    """The replica that runs the calling code, with methods that combine values of all replicas.

    In a function that `tf.distribute.Strategy.run` calls, `tf.distribute.get_replica_context`
    returns it.

    Args:
        strategy: The strategy whose `run` calls the code.

    Example:
        >>> import tfpy as tf
        >>> def mean(x):
        ...     replica = tf.distribute.get_replica_context()
        ...     return replica.all_reduce("MEAN", x)
        >>> tf.distribute.get_strategy().run(mean, [tf.constant(3.0)]).numpy().tolist()
        3.0

    See also: `tf.distribute.get_replica_context`, `tf.distribute.Strategy.run`.
    """

    def __init__(self, strategy: Strategy) -> None:
        self.strategy = strategy

    @property
    def _replica(self) -> Replica | None:
        """Trace of one replica's computation, None unless there are several replicas."""
        found: Replica | None = tracing.local.replica
        return found

    @property
    def num_replicas_in_sync(self) -> int:
        """Number of replicas."""
        return 1 if self._replica is None else self._replica.count

    @property
    def replica_id_in_sync_group(self) -> int | Tensor:
        """Index of the replica: 0, or a scalar int32 tensor if there is more than one replica."""
        return 0 if self._replica is None else collectives.replica_id()

    @property
    def devices(self) -> tuple[str, ...]:
        """Names of the devices of all replicas of this process."""
        return tuple(self.strategy.extended.worker_devices)

    def all_reduce(
        self, reduce_op: ReduceOp | str, value: Nest, options: CommunicationOptions | None = None
    ) -> Nest:
        """Sum or average values over all replicas, and return the result in each of them.

        If two replicas pass the values 1.0 and 2.0, for example, both receive the sum 3.0.

        Args:
            reduce_op: `tf.distribute.ReduceOp.SUM`, `tf.distribute.ReduceOp.MEAN` or their names.
            value: Value of this replica, a tensor or `tf.IndexedSlices`, or nested structure (list,
                tuple or dict) of these.
            options: Has no effect. XLA optimizes the communication.

        Returns:
            A value with the structure and shapes of `value`. The mean of integers is a float
            tensor.

        Raises:
            ValueError: If `reduce_op` is unknown.

        Example:
            >>> import tfpy as tf
            >>> strategy = tf.distribute.MirroredStrategy(["/cpu:0"])
            >>> def step(x):
            ...     return tf.distribute.get_replica_context().all_reduce("sum", x)
            >>> print(strategy.run(step, [tf.constant(3.0)]).numpy())
            3.0

        See also: `tf.distribute.Strategy.reduce`.
        """
        op = ReduceOp.of(reduce_op)
        mean = op is ReduceOp.MEAN
        replica = self._replica
        if replica is None:
            return value

        def reduced(x: Any) -> Any:
            if isinstance(x, IndexedSlices):
                return _all_slices(x, mean, replica.count)
            return replica.reduced(op.taken(convert_to_tensor(x)), mean)

        return nest.map_structure(reduced, value)

    def all_gather(
        self, value: Nest, axis: int, options: CommunicationOptions | None = None
    ) -> Nest:
        """Concatenate the values of all replicas along an axis, and return the result in each.

        Args:
            value: Value of this replica, a tensor or nested structure (list, tuple or dict) of
                tensors. Its shapes are equal in all replicas.
            axis: Axis to concatenate along. Negative values count from the end.
            options: Has no effect. XLA optimizes the communication.

        Returns:
            A value with the structure of `value`.

        Raises:
            ValueError: If a tensor does not have the axis.

        Example:
            >>> import tfpy as tf
            >>> strategy = tf.distribute.MirroredStrategy(["/cpu:0"])
            >>> def step(x):
            ...     return tf.distribute.get_replica_context().all_gather(x, axis=0)
            >>> print(strategy.run(step, [tf.constant([1.0, 2.0])]).numpy())
            [1. 2.]

        See also: `tf.distribute.Strategy.gather`.
        """
        replica = self._replica
        if replica is None:
            return value
        count = replica.count

        def gathered(x: Any) -> Any:
            tensor = convert_to_tensor(x)
            if not -tensor.ndim <= axis < tensor.ndim:
                raise ValueError(f"all_gather: a tensor of shape {tensor.shape} has no axis {axis}")
            return collectives.all_gather(tensor, axis % tensor.ndim, count)

        return nest.map_structure(gathered, value)

    def merge_call(
        self,
        merge_fn: Callable[..., Any],
        args: Sequence[Nest] = (),
        kwargs: dict[str, Nest] | None = None,
    ) -> Nest:
        """Call a function in which the strategy's methods combine the values of all replicas.

        In a replica, methods such as `strategy.reduce` are allowed only in `merge_fn`. They combine
        the values that each replica passes in `args` or `kwargs`.

        Args:
            merge_fn: Function that is called as `merge_fn(strategy, *args, **kwargs)`.
            args: Positional arguments. Default: none.
            kwargs: Keyword arguments. Default: none.

        Returns:
            The result of `merge_fn`.

        Example:
            >>> import tfpy as tf
            >>> strategy = tf.distribute.MirroredStrategy(["/cpu:0"])
            >>> def step(x):
            ...     merge = lambda strategy, x: strategy.reduce("SUM", x, axis=0)
            ...     return tf.distribute.get_replica_context().merge_call(merge, [x])
            >>> print(strategy.run(step, [tf.constant([1.0, 2.0])]).numpy())
            3.0
        """
        scope.merging += 1
        try:
            if self._replica is None:
                return merge_fn(self.strategy, *args, **(kwargs or {}))
            with self._replica.merging():
                return merge_fn(self.strategy, *args, **(kwargs or {}))
        finally:
            scope.merging -= 1


def _all_slices(x: IndexedSlices, mean: bool, count: int) -> IndexedSlices:
    """Gather the slices of all replicas; together they represent the sum of their tensors."""
    values = collectives.all_gather(x.values, 0, count)
    indices = collectives.all_gather(x.indices, 0, count)
    return IndexedSlices(values / count if mean else values, indices, x.dense_shape)
