"""TensorFlow's options for the communication of replicas, which have no effect in tfpy."""

from __future__ import annotations

import enum
from typing import NamedTuple


class CrossDeviceOps:
    """The base class of algorithms that reduce values across the replicas of a machine.

    These classes have no effect, because XLA chooses the algorithm.

    Example:
        >>> import tfpy as tf
        >>> ops = tf.distribute.HierarchicalCopyAllReduce()
        >>> tf.distribute.MirroredStrategy(["/CPU:0"], cross_device_ops=ops).num_replicas_in_sync
        1

    See also: `tf.distribute.MirroredStrategy`.
    """


class NcclAllReduce(CrossDeviceOps):
    """The choice of NVIDIA's NCCL for sums over replicas, which has no effect.

    XLA always uses NCCL on NVIDIA GPUs.

    Args:
        num_packs: Has no effect.

    Example:
        >>> import tfpy as tf
        >>> strategy = tf.distribute.MirroredStrategy(
        ...     ["/cpu:0"], cross_device_ops=tf.distribute.NcclAllReduce()
        ... )
        >>> strategy.num_replicas_in_sync
        1

    See also: `tf.distribute.CrossDeviceOps`.
    """

    def __init__(self, num_packs: int = 1) -> None:
        pass


class HierarchicalCopyAllReduce(CrossDeviceOps):
    """The choice of a hierarchical algorithm for sums over replicas, which has no effect.

    XLA chooses the algorithm.

    Args:
        num_packs: Has no effect.

    Example:
        >>> import tfpy as tf
        >>> strategy = tf.distribute.MirroredStrategy(
        ...     ["/cpu:0"], cross_device_ops=tf.distribute.HierarchicalCopyAllReduce(num_packs=2)
        ... )
        >>> strategy.num_replicas_in_sync
        1

    See also: `tf.distribute.CrossDeviceOps`.
    """

    def __init__(self, num_packs: int = 1) -> None:
        pass


class ReductionToOneDevice(CrossDeviceOps):
    """The choice to compute sums over replicas on one device, which has no effect.

    XLA chooses the algorithm.

    Args:
        reduce_to_device: Has no effect.
        accumulation_fn: Has no effect.

    Example:
        >>> import tfpy as tf
        >>> strategy = tf.distribute.MirroredStrategy(
        ...     ["/cpu:0"], cross_device_ops=tf.distribute.ReductionToOneDevice()
        ... )
        >>> strategy.num_replicas_in_sync
        1

    See also: `tf.distribute.CrossDeviceOps`.
    """

    def __init__(self, reduce_to_device: object = None, accumulation_fn: object = None) -> None:
        pass


class CommunicationImplementation(enum.Enum):
    """The library by which machines exchange values. The choice has no effect.

    XLA chooses the library.

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
    """Options for the communication of machines, which have no effect.

    XLA chooses how machines communicate.

    Args:
        bytes_per_pack: Has no effect. It must not be negative.
        timeout_seconds: Has no effect.
        implementation: Has no effect. It must be a
            `tf.distribute.experimental.CommunicationImplementation` or the name of one.

    Raises:
        ValueError: If `bytes_per_pack` is negative or `implementation` is unknown.

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
    """Options for `tf.distribute.Strategy.run`, which have no effect.

    Args:
        experimental_enable_dynamic_batch_size: Has no effect.
        experimental_bucketizing_dynamic_shape: Has no effect.
        experimental_xla_options: Has no effect.

    Example:
        >>> import tfpy as tf
        >>> strategy = tf.distribute.MirroredStrategy(["/cpu:0"])
        >>> options = tf.distribute.RunOptions(experimental_enable_dynamic_batch_size=False)
        >>> strategy.run(tf.square, [tf.constant(3.0)], options=options).numpy().tolist()
        9.0
    """

    experimental_enable_dynamic_batch_size: bool = True
    experimental_bucketizing_dynamic_shape: bool = False
    experimental_xla_options: object = None


class InputReplicationMode(enum.Enum):
    """The number of datasets that provide the input of replicas. The choice has no effect.

    tfpy always creates one dataset in each process (`PER_WORKER`).

    Example:
        >>> import tfpy as tf
        >>> tf.distribute.InputReplicationMode.PER_WORKER.name
        'PER_WORKER'
    """

    PER_WORKER = "PER_WORKER"
    PER_REPLICA = "PER_REPLICA"


class InputOptions(NamedTuple):
    """Options for distributed datasets, which have no effect.

    Args:
        experimental_fetch_to_device: Has no effect.
        experimental_replication_mode: Has no effect.
        experimental_place_dataset_on_device: Has no effect.
        experimental_per_replica_buffer_size: Has no effect.

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
