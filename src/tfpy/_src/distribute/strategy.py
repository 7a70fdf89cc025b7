"""The base class of strategies; the default strategy has one replica."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Any

from tfpy._src.base import tracing
from tfpy._src.core import nest
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import Nest, TensorLike
from tfpy._src.data.dataset import DatasetV2
from tfpy._src.distribute import context
from tfpy._src.distribute.cluster import ClusterResolver
from tfpy._src.distribute.communication import InputOptions, RunOptions
from tfpy._src.distribute.context import ReplicaContext
from tfpy._src.distribute.extended import Extended, FormerStrategy
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
from tfpy._src.functions.trace.converting import passed
from tfpy._src.tensors.array.joining import stack
from tfpy._src.tensors.math.reductions import reduce_mean, reduce_sum
from tfpy._src.tensors.variables.on_read import OnRead
from tfpy._src.tensors.variables.variable import Variable

_OVER = {ReduceOp.SUM: reduce_sum, ReduceOp.MEAN: reduce_mean}


class Strategy(FormerStrategy):
    """A way to distribute a computation over devices, each of which has a replica of it.

    There is one replica, and the strategy changes nothing, unless the jax backend has several
    devices, or `tf.config.set_logical_device_configuration` has divided the CPU. `run` then
    compiles one program, which takes and returns per-replica values.

    Args:
        extended: Has no effect.

    Example:
        >>> import tfpy as tf
        >>> strategy = tf.distribute.get_strategy()
        >>> print(strategy.run(lambda x: x + 1, args=(tf.constant(1),)).numpy())
        2

    See also: `tf.distribute.MirroredStrategy`, `tf.distribute.get_strategy`.
    """

    is_default = False
    """True for the strategy that applies outside of all scopes."""

    _replicas: Replicas | None = None
    """The replicas, None if there is one."""

    def __init__(self, extended: object = None) -> None:
        self.extended = Extended(self)

    @property
    def replicas(self) -> int:
        """Number of replicas."""
        return 1 if self._replicas is None else self._replicas.count

    @property
    def num_replicas_in_sync(self) -> int:
        """Number of replicas; in `run`, 1 if the function computes a batch that cannot be split."""
        runs = context.local.runs
        return runs[-1].replicas if runs and runs[-1].strategy is self else self.replicas

    @property
    def cluster_resolver(self) -> ClusterResolver | None:
        """Description of the cluster, or None if there is a single process."""
        return None

    def _own_devices(self) -> tuple[str, ...]:
        """Return the full names of the devices of this process's replicas."""
        resolver: Any
        replicas, resolver = self._replicas, self.cluster_resolver
        if replicas is None:
            return (full_name("CPU", 0),)
        is_one_of_several = len(replicas.local) < replicas.count
        where = (resolver.task_type, resolver.task_id) if is_one_of_several else ("localhost", 0)
        named = enumerate(replicas.devices[i] for i in replicas.local)
        return tuple(full_name(device, n, *where) for n, device in named)

    def initial(self, value: Tensor) -> Tensor:
        """Return the initial value of a Variable, which the first process determines for all.

        Args:
            value: Initial value in this process.

        Returns:
            A tensor.
        """
        replicas = self._replicas
        if replicas is None or len(replicas.local) == replicas.count:
            return value.alias()
        return replicas.of_first(value)

    def scope(self) -> AbstractContextManager[Strategy]:
        """Return a context manager that makes the strategy the current one.

        A Variable that is created within the context has an equal copy in each replica.

        Returns:
            A context manager. Entering it returns the strategy.

        Raises:
            RuntimeError: If the scope of a different strategy is active, and one of the two
                strategies has more than one replica.

        Example:
            >>> import tfpy as tf
            >>> strategy = tf.distribute.MirroredStrategy(["/cpu:0"])
            >>> with strategy.scope():
            ...     v = tf.Variable(1.0)
            >>> strategy.extended.variable_created_in_scope(v)
            True

        See also: `tf.distribute.Strategy.run`, `tf.distribute.get_strategy`.
        """
        return context.entered(self)

    def run(
        self,
        fn: Callable[..., Any],
        args: Sequence[Nest] = (),
        kwargs: dict[str, Nest] | None = None,
        options: RunOptions | None = None,
    ) -> Nest:
        """Call a function in each replica.

        Each replica receives its own component of the per-replica values among the arguments. With
        more than one replica, `fn` is traced and compiled, like a `tf.function`.

        Args:
            fn: Function to call as `fn(*args, **kwargs)`.
            args: Positional arguments. Default: none.
            kwargs: Keyword arguments. Default: none.
            options: Has no effect.

        Returns:
            The result of `fn`. With more than one replica, its tensors are per-replica values.

        Raises:
            RuntimeError: If a function that `run` calls for several replicas calls this method, or
                it is called in the scope of a different strategy.
            ValueError: If a per-replica value does not have a component for each replica.
            tf.errors.UnimplementedError: If there is more than one replica, and `fn` uses strings,
                `tf.print`, `tf.py_function`, or shapes that depend on values of tensors.

        Example:
            >>> import tfpy as tf
            >>> strategy = tf.distribute.MirroredStrategy(["/cpu:0"])
            >>> print(strategy.run(tf.square, [tf.constant(3.0)]).numpy())
            9.0

        See also: `tf.distribute.Strategy.reduce`, `tf.distribute.Strategy.scope`.
        """
        given = kwargs or {}
        counts = {leaf.count for leaf in nest.flatten((args, given)) if type(leaf) is PerReplica}
        if len(counts) > 1 or not counts <= {1, self.replicas}:
            raise ValueError(
                f"strategy.run: Per-replica inputs have {sorted(counts)} components, but there are "
                f"{self.replicas} replicas."
            )
        if self._replicas is None or counts == {1}:
            with context.running(self, 1):
                args, given = nest.map_structure(_only, (tuple(args), given))
                replica = passed(fn) if tracing.local.active else fn
                result = replica(*args, **given)
            return alone(result) if counts else result
        with context.running(self, self.replicas):
            return self._replicas.run(fn, args, given)

    def reduce(self, reduce_op: ReduceOp | str, value: Nest, axis: int | None = None) -> Nest:
        """Sum or average the values of all replicas.

        If two replicas have the values 1.0 and 2.0, for example, the sum is 3.0.

        Args:
            reduce_op: `tf.distribute.ReduceOp.SUM`, `tf.distribute.ReduceOp.MEAN` or their names.
            value: Per-replica value, or nested structure (list, tuple or dict) of these.
            axis: Axis of each component that is reduced as well. Default: no axis.

        Returns:
            A tensor, or a nest in the structure of `value`. The mean of integers is a float tensor.

        Raises:
            ValueError: If `reduce_op` is unknown, or if there is more than one replica and `value`
                cannot be summed because it is not a per-replica value.
            RuntimeError: If a function that `run` calls for several replicas calls this method.

        Example:
            >>> import tfpy as tf
            >>> strategy = tf.distribute.MirroredStrategy(["/cpu:0"])
            >>> print(strategy.reduce("SUM", tf.constant([1.0, 2.0]), axis=0).numpy())
            3.0

        See also: `tf.distribute.Strategy.gather`, `tf.distribute.ReplicaContext.all_reduce`.
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
        """Reduce a value that is equal in all replicas."""
        if axis is not None:
            one = _OVER[op](op.taken(convert_to_tensor(value)), axis)
            return one * self.replicas if op is ReduceOp.SUM and self.replicas > 1 else one
        if self.replicas > 1 and op is ReduceOp.SUM:
            raise ValueError(
                f"A non-DistributedValues value {value} cannot be reduced with the given reduce op "
                f"{op}."
            )
        return value

    def gather(self, value: Nest, axis: int) -> Nest:
        """Concatenate the values of all replicas along an axis.

        Args:
            value: Per-replica value, or nested structure (list, tuple or dict) of these.
            axis: Axis to concatenate along. Negative values count from the end.

        Returns:
            A tensor, or a nest in the structure of `value`.

        Raises:
            RuntimeError: If a function that `run` calls for several replicas calls this method.

        Example:
            >>> import tfpy as tf
            >>> strategy = tf.distribute.MirroredStrategy(["/cpu:0"])
            >>> print(strategy.gather(tf.constant([1.0, 2.0]), axis=0).numpy())
            [1. 2.]

        See also: `tf.distribute.Strategy.reduce`.
        """
        context.check_cross_replica(self)
        replica = context.merging_replica()
        if replica is not None:
            return ReplicaContext(self).all_gather(value, axis)

        def gathered(x: Any) -> Any:
            each = self._of_each(x)
            return side_by_side(each, axis) if isinstance(each, PerReplica) else x

        return nest.map_structure(gathered, value)

    def experimental_local_results(self, value: Nest) -> tuple[Nest, ...]:
        """Return the components of a per-replica value that belong to this process.

        Args:
            value: Per-replica value, or nested structure (list, tuple or dict) of these.

        Returns:
            A tuple with a tensor, or a nest of tensors, for each replica of this process.

        Example:
            >>> import tfpy as tf
            >>> strategy = tf.distribute.MirroredStrategy(["/cpu:0"])
            >>> values = strategy.experimental_local_results(tf.constant([1.0]))
            >>> [x.numpy().tolist() for x in values]
            [[1.0]]
        """
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
        """Convert a Variable to a per-replica value."""
        if isinstance(value, OnRead):
            return PerReplica(value.rows.value())
        if isinstance(value, Variable) and self._replicas is not None:
            return PerReplica(stack([value.value()] * self.replicas))
        return value

    def experimental_distribute_dataset(
        self, dataset: DatasetV2, options: InputOptions | None = None
    ) -> DistributedDataset | DatasetV2:
        """Split each batch of a dataset equally over the replicas.

        A batch that cannot be split equally, usually the last one, is not split. `run` then calls
        its function as if there were one replica.

        Args:
            dataset: Dataset of batches.
            options: Has no effect.

        Returns:
            A `tf.distribute.DistributedDataset`, or `dataset` itself if there is one replica.

        Example:
            >>> import tfpy as tf
            >>> strategy = tf.distribute.MirroredStrategy(["/cpu:0"])
            >>> data = tf.data.Dataset.range(4).batch(2)
            >>> [x.numpy().tolist() for x in strategy.experimental_distribute_dataset(data)]
            [[0, 1], [2, 3]]

        See also: `tf.distribute.Strategy.distribute_datasets_from_function`.
        """
        if self._replicas is None:
            return dataset
        return DistributedDataset(dataset, self._replicas)

    def distribute_datasets_from_function(
        self, dataset_fn: Callable[[InputContext], DatasetV2], options: InputOptions | None = None
    ) -> DistributedDataset | DatasetV2:
        """Create a distributed dataset, in which each replica takes a whole batch of a dataset.

        In each step, every replica of this process takes the next batch. If fewer batches than
        replicas remain at the end, they are combined into one batch, which is computed as a whole.
        If there is more than one process, they are dropped.

        Args:
            dataset_fn: Function that takes a `tf.distribute.InputContext`, and returns a dataset of
                batches for single replicas.
            options: Has no effect.

        Returns:
            A `tf.distribute.DistributedDataset`, or the dataset itself if there is one replica.

        Example:
            >>> import tfpy as tf
            >>> strategy = tf.distribute.MirroredStrategy(["/cpu:0"])
            >>> def dataset_fn(context):
            ...     return tf.data.Dataset.range(4).batch(context.get_per_replica_batch_size(2))
            >>> [x.numpy().tolist() for x in strategy.distribute_datasets_from_function(dataset_fn)]
            [[0, 1], [2, 3]]

        See also: `tf.distribute.Strategy.experimental_distribute_dataset`.
        """
        if self._replicas is None:
            return dataset_fn(InputContext())
        return DistributedBatches(dataset_fn(self._input_context()), self._replicas)

    def _input_context(self) -> InputContext:
        assert self._replicas is not None
        pipelines = self.replicas // len(self._replicas.local)
        number = self._replicas.local.start // len(self._replicas.local)
        return InputContext(pipelines, number, self.replicas)

    def experimental_distribute_values_from_function(
        self, value_fn: Callable[[ValueContext], TensorLike]
    ) -> Nest:
        """Create a per-replica value from a function that returns each component.

        Args:
            value_fn: Function that takes a `tf.distribute.experimental.ValueContext`, which
                contains the index of a replica, and returns the component of this replica.

        Returns:
            A per-replica value, or the value itself if there is one replica.

        Example:
            >>> import tfpy as tf
            >>> strategy = tf.distribute.MirroredStrategy(["/cpu:0"])
            >>> strategy.experimental_distribute_values_from_function(
            ...     lambda context: context.replica_id_in_sync_group
            ... )
            0
        """
        if self._replicas is None:
            return value_fn(ValueContext())
        given = [
            convert_to_tensor(value_fn(ValueContext(number, self.replicas)))
            for number in range(self.replicas)
        ]
        return self._replicas.stacked(stack(given).host_view(), given[0].aval)


def _only(leaf: Any) -> Any:
    """Return the only component of a per-replica value that is not split."""
    return leaf.stacked[0] if isinstance(leaf, PerReplica) else leaf
