"""Where the code is: in the scope of a strategy, in a replica, or in code for all of them."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

from tfpy._src.base import tracing
from tfpy._src.core import nest
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.indexed_slices import IndexedSlices
from tfpy._src.distribute.reduce_op import ReduceOp
from tfpy._src.functions.control import collectives
from tfpy._src.functions.control.replica import Replica
from tfpy._src.tensors.variables.distribution import scope

if TYPE_CHECKING:
    from tfpy._src.distribute.strategy import Strategy


class _Run(NamedTuple):
    """A ``Strategy.run`` that is under way."""

    strategy: Strategy
    replicas: int
    """How many it runs."""


class _Local(threading.local):
    def __init__(self) -> None:
        self.scopes: list[Strategy] = []
        """The strategies whose scopes are entered, innermost last."""
        self.runs: list[_Run] = []
        """What is under way, innermost last."""


local = _Local()


@contextmanager
def entered(strategy: Strategy) -> Iterator[Strategy]:
    """The scope of a strategy.

    Raises:
        RuntimeError: within the scope of another strategy of several replicas.
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
    """Raises RuntimeError when strategies, one of them of several replicas, are mixed."""
    if outer is not inner and max(outer.replicas, inner.replicas) > 1:
        raise RuntimeError(
            f"Mixing different tf.distribute.Strategy objects: {inner} is not {outer}"
        )


@contextmanager
def running(strategy: Strategy, replicas: int) -> Iterator[None]:
    """A ``Strategy.run``, in the strategy's scope.

    Raises:
        RuntimeError: within a replica, or the scope of another strategy.
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
    """Raises RuntimeError in one of several replicas, and in the run of another strategy."""
    if not local.runs or scope.merging:
        return
    check_same(local.runs[-1].strategy, strategy)
    if strategy.replicas > 1:
        raise RuntimeError(
            "Method requires being in cross-replica context, use get_replica_context().merge_call()"
        )


def merging_replica() -> Replica | None:
    """The trace of several replicas, where the code is in a ``merge_call`` of them."""
    return tracing.local.replica if scope.merging else None


class ReplicaContext:
    """Where code inside ``Strategy.run`` is (``tf.distribute.ReplicaContext``).

    Example:
        >>> import tfpy as tf
        >>> def mean(x):
        ...     replica = tf.distribute.get_replica_context()
        ...     return replica.all_reduce("MEAN", x)
        >>> tf.distribute.get_strategy().run(mean, [tf.constant(3.0)]).numpy().tolist()
        3.0
    """

    def __init__(self, strategy: Strategy) -> None:
        self.strategy = strategy

    @property
    def _replica(self) -> Replica | None:
        """The trace of what each of several replicas computes."""
        found: Replica | None = tracing.local.replica
        return found

    @property
    def num_replicas_in_sync(self) -> int:
        """How many replicas run together."""
        return 1 if self._replica is None else self._replica.count

    @property
    def replica_id_in_sync_group(self) -> Any:
        """The number of the replica: 0, or an int32 scalar where there are several."""
        return 0 if self._replica is None else collectives.replica_id()

    @property
    def devices(self) -> tuple[str, ...]:
        """The replica's device; all of them where one program is for all."""
        return tuple(self.strategy.extended.worker_devices)

    def all_reduce(self, reduce_op: Any, value: Any, options: Any = None) -> Any:
        """The values of all replicas summed or averaged, in each of them.

        Args:
            value: a nest of tensors or indexed slices.
            options: of no effect: XLA joins what it can.

        Raises:
            ValueError: for an unknown ``reduce_op``.
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

    def all_gather(self, value: Any, axis: int, options: Any = None) -> Any:
        """The values of all replicas one after the other along ``axis``, in each of them."""
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
        args: Sequence[Any] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        """``merge_fn(strategy, *args, **kwargs)``; the strategy's methods see all replicas in it.

        The arguments are the replica's own values; ``strategy.reduce`` makes one of all of them.
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
    """The slices of all replicas: what the sum of the tensors is that they stand for."""
    values = collectives.all_gather(x.values, 0, count)
    indices = collectives.all_gather(x.indices, 0, count)
    return IndexedSlices(values / count if mean else values, indices, x.dense_shape)
