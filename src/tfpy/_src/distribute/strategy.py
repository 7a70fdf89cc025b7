"""What strategies of ``tf.distribute`` have in common; the default one has one replica."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any

from tfpy._src.core import nest
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.tensor import Tensor
from tfpy._src.distribute import context
from tfpy._src.distribute.context import ReplicaContext
from tfpy._src.distribute.input import (
    DistributedBatches,
    DistributedDataset,
    InputContext,
    ValueContext,
)
from tfpy._src.distribute.naming import full_name
from tfpy._src.distribute.reduce_op import ReduceOp
from tfpy._src.distribute.replicas import Replicas, alone, side_by_side
from tfpy._src.distribute.values import PerReplica
from tfpy._src.tensors.array.joining import stack
from tfpy._src.tensors.math.reductions import reduce_mean, reduce_sum
from tfpy._src.tensors.variables.distribution import scope
from tfpy._src.tensors.variables.on_read import OnRead
from tfpy._src.tensors.variables.variable import Variable

_OVER = {ReduceOp.SUM: reduce_sum, ReduceOp.MEAN: reduce_mean}


class Strategy:
    """How a computation is spread over devices (``tf.distribute.Strategy``).

    One with several replicas runs on the jax backend: what ``run`` runs is one program for all
    devices, with its collectives in it. Any other has one replica.

    Example:
        >>> import tfpy as tf
        >>> strategy = tf.distribute.get_strategy()
        >>> print(strategy.run(lambda x: x + 1, args=(tf.constant(1),)).numpy())
        2
    """

    is_default = False
    """Whether it is what there is without any other."""

    _replicas: Replicas | None = None
    """Several, if there are."""

    def __init__(self, extended: Any = None) -> None:
        self.extended = Extended(self)

    @property
    def replicas(self) -> int:
        """How many replicas it has."""
        return 1 if self._replicas is None else self._replicas.count

    @property
    def num_replicas_in_sync(self) -> int:
        """How many replicas compute together: 1 where one computes for all."""
        runs = context.local.runs
        return runs[-1].replicas if runs and runs[-1].strategy is self else self.replicas

    @property
    def cluster_resolver(self) -> Any:
        """What tells of the other processes, if there are any."""
        return None

    def _own_devices(self) -> tuple[str, ...]:
        """The full names of the devices of this process's replicas."""
        replicas, resolver = self._replicas, self.cluster_resolver
        if replicas is None:
            return (full_name("CPU", 0),)
        is_one_of_several = len(replicas.local) < replicas.count
        where = (resolver.task_type, resolver.task_id) if is_one_of_several else ("localhost", 0)
        named = enumerate(replicas.devices[i] for i in replicas.local)
        return tuple(full_name(device, n, *where) for n, device in named)

    def initial(self, value: Tensor) -> Tensor:
        """What a Variable begins with whose initial value this process gives so."""
        replicas = self._replicas
        if replicas is None or len(replicas.local) == replicas.count:
            return value.alias()
        return replicas.of_first(value)

    def scope(self) -> AbstractContextManager[Strategy]:
        """Makes the strategy the current one; Variables made inside are its own.

        Raises:
            RuntimeError: within the scope of another strategy of several replicas.
        """
        return context.entered(self)

    def run(
        self,
        fn: Callable[..., Any],
        args: Sequence[Any] = (),
        kwargs: dict[str, Any] | None = None,
        options: Any = None,
    ) -> Any:
        """``fn(*args, **kwargs)`` in each replica; of per-replica values each takes its own.

        With several replicas ``fn`` is traced once, as by ``tf.function``, for all of them: within
        a ``tf.function`` it becomes a part of that program, else a program of its own. Tensors
        that it gives are per-replica values.

        Raises:
            RuntimeError: within a replica, or the scope of another strategy.
            UnimplementedError: when the host would have to compute a part of ``fn``.
        """
        given = kwargs or {}
        counts = {leaf.count for leaf in nest.flatten((args, given)) if type(leaf) is PerReplica}
        if len(counts) > 1 or not counts <= {1, self.replicas}:
            raise ValueError(
                f"strategy.run: values of {sorted(counts)} replicas, of {self.replicas} there are"
            )
        if self._replicas is None or counts == {1}:
            with context.running(self, 1):
                args, given = nest.map_structure(_only, (tuple(args), given))
                result = fn(*args, **given)
            return alone(result) if counts else result
        with context.running(self, self.replicas):
            return self._replicas.run(fn, args, given)

    def reduce(self, reduce_op: Any, value: Any, axis: int | None = None) -> Any:
        """The values of all replicas as one: with ``axis``, their elements along it summed or
        averaged.

        Raises:
            ValueError: for an unknown ``reduce_op``, and for the sum of what is no per-replica
                value where there are several replicas.
            RuntimeError: within a replica.
        """
        context.check_cross_replica(self)
        op = ReduceOp.of(reduce_op)
        return nest.map_structure(lambda x: self._reduced(op, x, axis), value)

    def _reduced(self, op: ReduceOp, value: Any, axis: int | None) -> Any:
        over = _OVER[op]
        replica = context.merging_replica()
        if isinstance(value, PerReplica):
            rows = value.stacked
        elif isinstance(value, OnRead) and replica is None:
            rows = value.rows.value()
        elif replica is not None:
            whole = value if axis is None else over(op.taken(convert_to_tensor(value)), axis)
            return replica.reduced(op.taken(convert_to_tensor(whole)), op is ReduceOp.MEAN)
        else:
            return self._reduced_alike(op, value, axis)
        axes = 0 if axis is None else [0, axis + 1 if axis >= 0 else axis]
        return over(op.taken(rows), axes)

    def _reduced_alike(self, op: ReduceOp, value: Any, axis: int | None) -> Any:
        """What is made of a value that all replicas have."""
        if axis is not None:
            one = _OVER[op](op.taken(convert_to_tensor(value)), axis)
            return one * self.replicas if op is ReduceOp.SUM and self.replicas > 1 else one
        if self.replicas > 1 and op is ReduceOp.SUM:
            raise ValueError(
                f"A non-DistributedValues value {value} cannot be reduced with the given reduce op "
                f"{op}."
            )
        return value

    def gather(self, value: Any, axis: int) -> Any:
        """The values of all replicas one after the other along ``axis``.

        Raises:
            RuntimeError: within a replica.
        """
        context.check_cross_replica(self)
        replica = context.merging_replica()
        if replica is not None:
            return ReplicaContext(self).all_gather(value, axis)

        def gathered(x: Any) -> Any:
            each = self._of_each(x)
            return side_by_side(each, axis) if isinstance(each, PerReplica) else x

        return nest.map_structure(gathered, value)

    def experimental_local_results(self, value: Any) -> tuple[Any, ...]:
        """The value of each replica of this process; of a nest, one nest for each."""
        leaves = [self._of_each(leaf) for leaf in nest.flatten(value)]
        own = [leaf.values for leaf in leaves if isinstance(leaf, PerReplica)]
        if not own:
            return (value,)
        found = []
        for number in range(len(own[0])):
            one = [leaf.values[number] if isinstance(leaf, PerReplica) else leaf for leaf in leaves]
            found.append(nest.pack_sequence_as(value, one))
        return tuple(found)

    def _of_each(self, value: Any) -> Any:
        """A Variable as the replicas' values."""
        if isinstance(value, OnRead):
            return PerReplica(value.rows.value())
        if isinstance(value, Variable) and self._replicas is not None:
            return PerReplica(stack([value.value()] * self.replicas))
        return value

    def experimental_distribute_dataset(self, dataset: Any, options: Any = None) -> Any:
        """A dataset of per-replica values: of each batch every replica takes an equal part.

        A batch whose rows cannot be shared out equally, mostly the last one, is computed whole by
        one replica: ``run`` gives what one device gives for it.
        """
        if self._replicas is None:
            return dataset
        return DistributedDataset(dataset, self._replicas)

    def distribute_datasets_from_function(self, dataset_fn: Any, options: Any = None) -> Any:
        """A dataset of per-replica values of which each replica takes a batch of the dataset that
        ``dataset_fn(input_context)`` gives.

        At the end too few batches are left out by several processes, and else computed whole.
        """
        if self._replicas is None:
            return dataset_fn(InputContext())
        return DistributedBatches(dataset_fn(self._input_context()), self._replicas)

    def _input_context(self) -> InputContext:
        assert self._replicas is not None
        pipelines = self.replicas // len(self._replicas.local)
        number = self._replicas.local.start // len(self._replicas.local)
        return InputContext(pipelines, number, self.replicas)

    def experimental_distribute_values_from_function(self, value_fn: Any) -> Any:
        """A per-replica value of what ``value_fn(value_context)`` gives for each replica."""
        if self._replicas is None:
            return value_fn(ValueContext())
        given = [
            convert_to_tensor(value_fn(ValueContext(number, self.replicas)))
            for number in range(self.replicas)
        ]
        return self._replicas.stacked(stack(given).host_view(), given[0].aval)


def _only(leaf: Any) -> Any:
    """A value that one replica has for all."""
    return leaf.stacked[0] if isinstance(leaf, PerReplica) else leaf


class Extended:
    """What a strategy offers to libraries (``tf.distribute.StrategyExtended``)."""

    def __init__(self, strategy: Strategy) -> None:
        self._strategy = strategy

    @property
    def worker_devices(self) -> tuple[str, ...]:
        """The names of the devices of this process's replicas."""
        return self._strategy._own_devices()

    @property
    def parameter_devices(self) -> tuple[str, ...]:
        """The names of the devices that hold Variables: all of them."""
        return self.worker_devices

    def update(
        self,
        var: Any,
        fn: Callable[..., Any],
        args: Sequence[Any] = (),
        kwargs: dict[str, Any] | None = None,
        group: bool = True,
    ) -> Any:
        """``fn(var, *args, **kwargs)``."""
        return fn(var, *args, **(kwargs or {}))

    @contextmanager
    def colocate_vars_with(self, colocate_with_variable: Any) -> Iterator[None]:
        """Of no effect: Variables are on all devices."""
        yield

    def reduce_to(self, reduce_op: Any, value: Any, destinations: Any, options: Any = None) -> Any:
        """``strategy.reduce(reduce_op, value, axis=None)``: it is on all devices."""
        return self._strategy.reduce(reduce_op, value, axis=None)

    def variable_created_in_scope(self, v: Any) -> bool:
        """Whether a Variable was made in the strategy's scope."""
        return (v.strategy or _DEFAULT) is self._strategy

    def _in_multi_worker_mode(self) -> bool:
        """False, for Keras: a step sees the replicas of all processes, as it does those of one."""
        return False


_DEFAULT = Strategy()
_DEFAULT.is_default = True
_NOTED: dict[str, Strategy] = {}


def get_strategy() -> Strategy:
    """The strategy whose scope the code is in, or the default one.

    Example:
        >>> import tfpy as tf
        >>> tf.distribute.get_strategy().num_replicas_in_sync
        1
    """
    if context.local.scopes:
        return context.local.scopes[-1]
    return _NOTED.get("strategy", _DEFAULT)


def has_strategy() -> bool:
    """Whether another strategy than the default one is the current one.

    Example:
        >>> import tfpy as tf
        >>> before = tf.distribute.has_strategy()
        >>> with tf.distribute.OneDeviceStrategy("/cpu:0").scope():
        ...     inside = tf.distribute.has_strategy()
        >>> before, inside
        (False, True)
    """
    return get_strategy() is not _DEFAULT


def in_cross_replica_context() -> bool:
    """Whether the code is in a strategy's scope, outside of ``Strategy.run``.

    Example:
        >>> import tfpy as tf
        >>> with tf.distribute.OneDeviceStrategy("/cpu:0").scope():
        ...     print(tf.distribute.in_cross_replica_context())
        True
    """
    return has_strategy() and (not scope.running or scope.merging > 0)


def get_replica_context() -> ReplicaContext | None:
    """Where the code is inside ``Strategy.run``, or without a strategy; None in a scope.

    Example:
        >>> import tfpy as tf
        >>> tf.distribute.get_replica_context().replica_id_in_sync_group
        0
    """
    return None if in_cross_replica_context() else ReplicaContext(get_strategy())


def experimental_set_strategy(strategy: Strategy | None) -> None:
    """Makes a strategy the current one where no scope says otherwise; None for the default one.

    Example:
        >>> import tfpy as tf
        >>> strategy = tf.distribute.OneDeviceStrategy("/cpu:0")
        >>> tf.distribute.experimental_set_strategy(strategy)
        >>> tf.distribute.get_strategy() is strategy
        True
        >>> tf.distribute.experimental_set_strategy(None)
    """
    _NOTED.clear()
    if strategy is not None:
        _NOTED["strategy"] = strategy
