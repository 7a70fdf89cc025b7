"""Strategies of ``tf.distribute``: a page has one device, so each has one replica."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from tfpy._src.core import nest
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.distribute.reduce_op import ReduceOp
from tfpy._src.math.reductions import reduce_mean, reduce_sum


class _Local(threading.local):
    def __init__(self) -> None:
        self.scopes: list[Strategy] = []
        """The strategies whose scopes are entered, innermost last."""
        self.runs: list[Strategy] = []
        """The strategies whose ``run`` is under way, innermost last."""


_local = _Local()


class Strategy:
    """How a computation is spread over devices (``tf.distribute.Strategy``); here over one.

    Example:
        >>> import tfpy as tf
        >>> strategy = tf.distribute.get_strategy()
        >>> print(strategy.run(lambda x: x + 1, args=(tf.constant(1),)).numpy())
        2
    """

    def __init__(self, extended: Any = None) -> None:
        self.extended = Extended(self)

    @property
    def num_replicas_in_sync(self) -> int:
        """1."""
        return 1

    @contextmanager
    def scope(self) -> Iterator[Strategy]:
        """Makes the strategy the current one; Variables made inside are its own."""
        _local.scopes.append(self)
        try:
            yield self
        finally:
            _local.scopes.pop()

    def run(
        self,
        fn: Callable[..., Any],
        args: Sequence[Any] = (),
        kwargs: dict[str, Any] | None = None,
        options: Any = None,
    ) -> Any:
        """``fn(*args, **kwargs)`` on the replica."""
        _local.runs.append(self)
        try:
            with self.scope():
                return fn(*args, **(kwargs or {}))
        finally:
            _local.runs.pop()

    def reduce(self, reduce_op: Any, value: Any, axis: int | None) -> Any:
        """The values of all replicas as one: with ``axis``, its elements along it summed or
        averaged.

        Raises:
            ValueError: for an unknown ``reduce_op``.
        """
        over = reduce_sum if ReduceOp.of(reduce_op) is ReduceOp.SUM else reduce_mean
        if axis is None:
            return value
        return nest.map_structure(lambda x: over(convert_to_tensor(x), axis), value)

    def gather(self, value: Any, axis: int) -> Any:
        """The values of all replicas along ``axis``."""
        return value

    def experimental_local_results(self, value: Any) -> tuple[Any, ...]:
        """The value of each replica."""
        return (value,)

    def experimental_distribute_dataset(self, dataset: Any, options: Any = None) -> Any:
        """The dataset."""
        return dataset

    def distribute_datasets_from_function(self, dataset_fn: Any, options: Any = None) -> Any:
        """The dataset of the only pipeline."""
        return dataset_fn(InputContext())

    def experimental_distribute_values_from_function(self, value_fn: Any) -> Any:
        """The value of the only replica."""
        return value_fn(ReplicaContext(self))


class Extended:
    """What a strategy offers to libraries (``tf.distribute.StrategyExtended``)."""

    worker_devices = ("/job:localhost/replica:0/task:0/device:CPU:0",)
    parameter_devices = worker_devices

    def __init__(self, strategy: Strategy) -> None:
        self._strategy = strategy

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
        """Of no effect: Variables have one place."""
        yield

    def reduce_to(self, reduce_op: Any, value: Any, destinations: Any, options: Any = None) -> Any:
        """The value."""
        return value

    def variable_created_in_scope(self, v: Any) -> bool:
        """True: there is one scope's worth of devices."""
        return True

    def _in_multi_worker_mode(self) -> bool:
        return False


class OneDeviceStrategy(Strategy):
    """Places everything on one device (``tf.distribute.OneDeviceStrategy``).

    Args:
        device: its name; of no effect.
    """

    def __init__(self, device: str) -> None:
        super().__init__()
        self.device = device


class MirroredStrategy(Strategy):
    """Copies of a computation on each device of a machine (``tf.distribute.MirroredStrategy``).

    Args:
        devices: their names; None for all there are.
        cross_device_ops: of no effect.

    Raises:
        ValueError: for more than one device.
    """

    def __init__(self, devices: Any = None, cross_device_ops: Any = None) -> None:
        super().__init__()
        if devices is not None and len(devices) != 1:
            raise ValueError(f"MirroredStrategy: tfpy computes on one device, got {devices}")


class MultiWorkerMirroredStrategy(Strategy):
    """Many machines (``tf.distribute.MultiWorkerMirroredStrategy``): tfpy runs in one process.

    Raises:
        RuntimeError: always.
    """

    def __init__(self, cluster_resolver: Any = None, communication_options: Any = None) -> None:
        raise RuntimeError("MultiWorkerMirroredStrategy: tfpy computes in one process")


class TPUStrategy(Strategy):
    """TPUs (``tf.distribute.TPUStrategy``), which tfpy has none of.

    Raises:
        RuntimeError: always.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise RuntimeError("TPUStrategy: tfpy has no TPUs")


class ReplicaContext:
    """Where code inside ``Strategy.run`` is (``tf.distribute.ReplicaContext``)."""

    def __init__(self, strategy: Strategy) -> None:
        self.strategy = strategy

    @property
    def num_replicas_in_sync(self) -> int:
        """1."""
        return 1

    @property
    def replica_id_in_sync_group(self) -> int:
        """0."""
        return 0

    def all_reduce(self, reduce_op: Any, value: Any, options: Any = None) -> Any:
        """The values of all replicas summed or averaged: the value of the only one.

        Raises:
            ValueError: for an unknown ``reduce_op``.
        """
        ReduceOp.of(reduce_op)
        return value

    def all_gather(self, value: Any, axis: int, options: Any = None) -> Any:
        """The values of all replicas along ``axis``: that of the only one."""
        return value

    def merge_call(
        self,
        merge_fn: Callable[..., Any],
        args: Sequence[Any] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        """``merge_fn(strategy, *args, **kwargs)``."""
        return merge_fn(self.strategy, *args, **(kwargs or {}))


class InputContext:
    """Which share of the input a pipeline makes (``tf.distribute.InputContext``): all of it."""

    num_input_pipelines = 1
    input_pipeline_id = 0
    num_replicas_in_sync = 1

    def get_per_replica_batch_size(self, global_batch_size: int) -> int:
        """The global batch size."""
        return global_batch_size


class DistributedValues:
    """Values of several replicas (``tf.distribute.DistributedValues``), of which none are made."""


class DistributedDataset:
    """A dataset over several replicas (``tf.distribute.DistributedDataset``); none are made."""


class DistributedIterator:
    """An iterator over several replicas (``tf.distribute.DistributedIterator``); none are made."""


_DEFAULT = Strategy()
_NOTED: dict[str, Strategy] = {}


def get_strategy() -> Strategy:
    """The strategy whose scope the code is in, or the default one."""
    if _local.scopes:
        return _local.scopes[-1]
    return _NOTED.get("strategy", _DEFAULT)


def has_strategy() -> bool:
    """Whether another strategy than the default one is the current one."""
    return get_strategy() is not _DEFAULT


def in_cross_replica_context() -> bool:
    """Whether the code is in a strategy's scope, outside of ``Strategy.run``."""
    return has_strategy() and not _local.runs


def get_replica_context() -> ReplicaContext | None:
    """Where the code is inside ``Strategy.run``, or without a strategy; None in a scope."""
    return None if in_cross_replica_context() else ReplicaContext(get_strategy())


def experimental_set_strategy(strategy: Strategy | None) -> None:
    """Makes a strategy the current one where no scope says otherwise; None for the default one."""
    _NOTED.clear()
    if strategy is not None:
        _NOTED["strategy"] = strategy
