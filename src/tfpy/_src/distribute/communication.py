"""What TensorFlow lets choose of how replicas run and exchange values. XLA chooses it here."""

from __future__ import annotations

import enum
from typing import Any, NamedTuple


class CrossDeviceOps:
    """How values of the replicas of a machine are reduced (``tf.distribute.CrossDeviceOps``): of no
    effect, as its kinds are, since XLA chooses.

    Example:
        >>> import tfpy as tf
        >>> ops = tf.distribute.HierarchicalCopyAllReduce()
        >>> tf.distribute.MirroredStrategy(["/CPU:0"], cross_device_ops=ops).num_replicas_in_sync
        1
    """


class NcclAllReduce(CrossDeviceOps):
    """By NVIDIA's library (``tf.distribute.NcclAllReduce``), which XLA takes on its GPUs anyway.

    Args:
        num_packs: of no effect.

    Example:
        >>> import tfpy as tf
        >>> strategy = tf.distribute.MirroredStrategy(
        ...     ["/cpu:0"], cross_device_ops=tf.distribute.NcclAllReduce()
        ... )
        >>> strategy.num_replicas_in_sync
        1
    """

    def __init__(self, num_packs: int = 1) -> None:
        pass


class HierarchicalCopyAllReduce(CrossDeviceOps):
    """In steps between neighbours (``tf.distribute.HierarchicalCopyAllReduce``).

    Args:
        num_packs: of no effect.

    Example:
        >>> import tfpy as tf
        >>> strategy = tf.distribute.MirroredStrategy(
        ...     ["/cpu:0"], cross_device_ops=tf.distribute.HierarchicalCopyAllReduce(num_packs=2)
        ... )
        >>> strategy.num_replicas_in_sync
        1
    """

    def __init__(self, num_packs: int = 1) -> None:
        pass


class ReductionToOneDevice(CrossDeviceOps):
    """On one device (``tf.distribute.ReductionToOneDevice``).

    Args:
        reduce_to_device, accumulation_fn: of no effect.

    Example:
        >>> import tfpy as tf
        >>> strategy = tf.distribute.MirroredStrategy(
        ...     ["/cpu:0"], cross_device_ops=tf.distribute.ReductionToOneDevice()
        ... )
        >>> strategy.num_replicas_in_sync
        1
    """

    def __init__(self, reduce_to_device: object = None, accumulation_fn: object = None) -> None:
        pass


class CommunicationImplementation(enum.Enum):
    """By what machines exchange values
    (``tf.distribute.experimental.CommunicationImplementation``).

    Example:
        >>> import tfpy as tf
        >>> ring = tf.distribute.experimental.CommunicationImplementation.RING
        >>> options = tf.distribute.experimental.CommunicationOptions(implementation=ring)
        >>> options.implementation.name
        'RING'
    """

    AUTO = "AUTO"
    RING = "RING"
    NCCL = "NCCL"


class CommunicationOptions:
    """How machines exchange values (``tf.distribute.experimental.CommunicationOptions``): of no
    effect, since XLA chooses.

    Args:
        bytes_per_pack, timeout_seconds, implementation: of no effect.

    Raises:
        ValueError: for a negative number of bytes, or an implementation that there is not.

    Example:
        >>> import tfpy as tf
        >>> options = tf.distribute.experimental.CommunicationOptions(bytes_per_pack=50 << 20)
        >>> strategy = tf.distribute.MultiWorkerMirroredStrategy(communication_options=options)
        >>> strategy.num_replicas_in_sync
        1
    """

    def __init__(
        self,
        bytes_per_pack: int = 0,
        timeout_seconds: float | None = None,
        implementation: CommunicationImplementation = CommunicationImplementation.AUTO,
    ) -> None:
        if bytes_per_pack < 0:
            raise ValueError(f"Argument `bytes_per_pack` must be >=0, Received {bytes_per_pack}.")
        self.bytes_per_pack = bytes_per_pack
        self.timeout_seconds = timeout_seconds
        self.implementation = CommunicationImplementation(implementation)


class RunOptions(NamedTuple):
    """How ``Strategy.run`` runs (``tf.distribute.RunOptions``): of no effect.

    Example:
        >>> import tfpy as tf
        >>> strategy = tf.distribute.MirroredStrategy(["/cpu:0"])
        >>> options = tf.distribute.RunOptions(experimental_enable_dynamic_batch_size=False)
        >>> strategy.run(tf.square, [tf.constant(3.0)], options=options).numpy().tolist()
        9.0
    """

    experimental_enable_dynamic_batch_size: bool = True
    experimental_bucketizing_dynamic_shape: bool = False
    experimental_xla_options: Any = None


class InputReplicationMode(enum.Enum):
    """How often a dataset is made (``tf.distribute.InputReplicationMode``): once a process.

    Example:
        >>> import tfpy as tf
        >>> tf.distribute.InputReplicationMode.PER_WORKER.name
        'PER_WORKER'
    """

    PER_WORKER = "PER_WORKER"
    PER_REPLICA = "PER_REPLICA"


class InputOptions(NamedTuple):
    """How batches come to devices (``tf.distribute.InputOptions``): of no effect.

    Example:
        >>> import tfpy as tf
        >>> options = tf.distribute.InputOptions(experimental_fetch_to_device=False)
        >>> strategy = tf.distribute.MirroredStrategy(["/cpu:0"])
        >>> data = tf.data.Dataset.from_tensor_slices([1.0, 2.0]).batch(2)
        >>> batches = strategy.experimental_distribute_dataset(data, options)
        >>> [x.numpy().tolist() for x in batches]
        [[1.0, 2.0]]
    """

    experimental_fetch_to_device: bool | None = None
    experimental_replication_mode: InputReplicationMode = InputReplicationMode.PER_WORKER
    experimental_place_dataset_on_device: bool = False
    experimental_per_replica_buffer_size: int = 1
