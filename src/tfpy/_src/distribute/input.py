"""Datasets of strategies, which distribute batches over replicas."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from itertools import islice
from typing import Any

import numpy as np

from tfpy._src.base.errors import OutOfRangeError
from tfpy._src.core import nest
from tfpy._src.core.operand import HostObject
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import Nest
from tfpy._src.data.dataset import DatasetV2
from tfpy._src.data.optional import Optional
from tfpy._src.distribute.replicas import Replicas
from tfpy._src.distribute.values import PerReplicaSpec
from tfpy._src.functions.tf_function.signature import TensorSpec
from tfpy._src.tensors.array.slicing import where


class InputContext:
    """The information for a function that creates the dataset of a process.

    `tf.distribute.Strategy.distribute_datasets_from_function` passes it to the function.

    Args:
        num_input_pipelines: Number of processes. Each has its own dataset.
        input_pipeline_id: Index of this process.
        num_replicas_in_sync: Number of replicas of all processes together.

    Example:
        >>> import tfpy as tf
        >>> tf.distribute.InputContext(2, 0, 4).get_per_replica_batch_size(32)
        8

    See also: `tf.distribute.Strategy.distribute_datasets_from_function`.
    """

    def __init__(
        self,
        num_input_pipelines: int = 1,
        input_pipeline_id: int = 0,
        num_replicas_in_sync: int = 1,
    ) -> None:
        self.num_input_pipelines = num_input_pipelines
        self.input_pipeline_id = input_pipeline_id
        self.num_replicas_in_sync = num_replicas_in_sync

    def get_per_replica_batch_size(self, global_batch_size: int) -> int:
        """Return the number of rows of a batch that each replica receives.

        Args:
            global_batch_size: Number of rows that all replicas receive together.

        Returns:
            An integer.

        Raises:
            ValueError: If `global_batch_size` is not divisible by the number of replicas.

        Example:
            >>> import tfpy as tf
            >>> context = tf.distribute.InputContext(num_replicas_in_sync=4)
            >>> context.get_per_replica_batch_size(32)
            8
        """
        if global_batch_size % self.num_replicas_in_sync:
            raise ValueError(
                f"The `global_batch_size` {global_batch_size} is not divisible by "
                f"`num_replicas_in_sync` {self.num_replicas_in_sync} "
            )
        return global_batch_size // self.num_replicas_in_sync

    def __repr__(self) -> str:
        return (
            f"tf.distribute.InputContext(input pipeline id {self.input_pipeline_id}, "
            f"total: {self.num_input_pipelines})"
        )


class ValueContext:
    """The information for a function that returns the value of a replica.

    `tf.distribute.Strategy.experimental_distribute_values_from_function` passes it to the function.

    Args:
        replica_id_in_sync_group: Index of the replica.
        num_replicas_in_sync: Number of replicas.

    Example:
        >>> import tfpy as tf
        >>> strategy = tf.distribute.MirroredStrategy(["/cpu:0"])
        >>> def value_of(context):
        ...     return tf.constant(10 * context.replica_id_in_sync_group)
        >>> values = strategy.experimental_distribute_values_from_function(value_of)
        >>> [x.numpy().tolist() for x in strategy.experimental_local_results(values)]
        [0]

    See also: `tf.distribute.Strategy.experimental_distribute_values_from_function`.
    """

    def __init__(self, replica_id_in_sync_group: int = 0, num_replicas_in_sync: int = 1) -> None:
        self.replica_id_in_sync_group = replica_id_in_sync_group
        self.num_replicas_in_sync = num_replicas_in_sync


class DistributedDataset(HostObject):
    """A dataset of per-replica values, which have a component for each replica.

    `tf.distribute.Strategy.experimental_distribute_dataset` returns it; the constructor is for
    internal use.

    Args:
        dataset: Dataset of batches.
        replicas: Replicas that share the batches.

    Example:
        >>> import tfpy as tf
        >>> strategy = tf.distribute.MirroredStrategy()
        >>> batches = strategy.experimental_distribute_dataset(tf.data.Dataset.range(4).batch(2))
        >>> [strategy.run(tf.square, [x]) for x in batches][0].numpy().tolist()
        [0, 1]

    See also: `tf.distribute.Strategy.experimental_distribute_dataset`.
    """

    def __init__(self, dataset: DatasetV2, replicas: Replicas) -> None:
        self._dataset = dataset
        self._replicas = replicas

    def __iter__(self) -> DistributedIterator:
        """Return an iterator that starts at the first element."""
        return DistributedIterator(self._elements(), self.element_spec)

    fetching = __iter__
    """Returns the iterator for asynchronous loops, which use `DistributedIterator.fetch`."""

    def _elements(self) -> Iterator[Any]:
        for batch in self._dataset:
            yield nest.map_structure(self._replicas.spread, batch)

    @property
    def element_spec(self) -> Nest:
        """The type of the elements, as a `tf.TypeSpec` or nest of these.

        The number of rows is None, because the last batch may have fewer rows.
        """
        return nest.map_structure(_of_replicas, self._dataset.element_spec)

    @property
    def cardinality(self) -> Tensor:
        """Number of elements, or `tf.data.UNKNOWN_CARDINALITY`, as a scalar integer tensor."""
        return self._dataset.cardinality()


class DistributedBatches(DistributedDataset):
    """A dataset in which each replica takes a whole batch."""

    def _elements(self) -> Iterator[Any]:
        batches = iter(self._dataset)
        local, count = len(self._replicas.local), self._replicas.count
        while own := list(islice(batches, local)):
            alike = len({tuple(t.aval for t in nest.flatten(batch)) for batch in own}) == 1
            if alike and len(own) == local:
                yield nest.map_structure(self._stacked, *own)
            elif local == count:
                yield nest.map_structure(self._whole, *own)

    def _stacked(self, *rows: Tensor) -> Any:
        return self._replicas.own_stacked(np.stack([t.host_view() for t in rows]), rows[0].aval)

    def _whole(self, *rows: Tensor) -> Any:
        return self._replicas.whole(np.concatenate([t.host_view() for t in rows]), rows[0].aval)

    @property
    def cardinality(self) -> Tensor:
        count = self._dataset.cardinality()
        batches = -(-count // len(self._replicas.local))
        return where(count < 0, count, batches)  # negative if it is unknown or infinite


class DistributedIterator(HostObject):
    """An iterator over the elements of a `tf.distribute.DistributedDataset`.

    `iter(dataset)` returns it; the constructor is for internal use.

    Args:
        elements: Iterator over the elements.
        element_spec: The type of the elements, as a `tf.TypeSpec` or nest of these.

    Example:
        >>> import tfpy as tf
        >>> strategy = tf.distribute.get_strategy()
        >>> batches = strategy.experimental_distribute_dataset(tf.data.Dataset.range(4).batch(2))
        >>> next(iter(batches)).numpy().tolist()
        [0, 1]
    """

    def __init__(self, elements: Iterator[Any], element_spec: Nest) -> None:
        self._elements = elements
        self._fetched = deque[Any]()
        self.element_spec = element_spec

    def __iter__(self) -> DistributedIterator:
        return self

    def __next__(self) -> Any:
        return self._fetched.popleft() if self._fetched else next(self._elements)

    async def fetch(self, count: int) -> bool:
        """Prepare up to `count` elements, and return True if there are any.

        Args:
            count: Number of elements to prepare.

        Returns:
            A bool.

        Example::

            while await iterator.fetch(1):
                strategy.run(step, (next(iterator),))
        """
        self._fetched.extend(islice(self._elements, count - len(self._fetched)))
        return bool(self._fetched)

    def get_next(self) -> Nest:
        """Return the next element, or raise `tf.errors.OutOfRangeError` at the end.

        Returns:
            A per-replica value, or nested structure (tuple or dict) of these.

        Raises:
            tf.errors.OutOfRangeError: If there are no more elements.

        Example:
            >>> import tfpy as tf
            >>> strategy = tf.distribute.MirroredStrategy(["/cpu:0"])
            >>> batches = strategy.experimental_distribute_dataset(tf.data.Dataset.range(2))
            >>> iterator = iter(batches)
            >>> print(iterator.get_next().numpy(), iterator.get_next().numpy())
            0 1
        """
        for element in self:
            return element
        raise OutOfRangeError(None, "IteratorGetNext", "End of sequence")

    def get_next_as_optional(self) -> Optional:
        """Return the next element as an Optional.

        Returns:
            A `tf.experimental.Optional`. At the end of the dataset it has no value.

        Example:
            >>> import tfpy as tf
            >>> strategy = tf.distribute.MirroredStrategy(["/cpu:0"])
            >>> batches = strategy.experimental_distribute_dataset(tf.data.Dataset.range(2))
            >>> print(iter(batches).get_next_as_optional().has_value().numpy())
            True
        """
        for element in self:
            return Optional(self.element_spec, element, True)
        return Optional.empty(self.element_spec)


def _of_replicas(spec: Any) -> Any:
    if not isinstance(spec, TensorSpec) or not spec.shape.rank:
        return spec
    return PerReplicaSpec(TensorSpec([None, *spec.shape[1:]], spec.dtype))
