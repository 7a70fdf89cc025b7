"""Strategies by TensorFlow's former names, and what programs for TPUs say before they make one."""

from __future__ import annotations

from typing import Any

from tfpy._src.backends import registry
from tfpy._src.base.errors import NotFoundError
from tfpy._src.distribute import mirrored
from tfpy._src.distribute.cluster import TPUClusterResolver
from tfpy._src.distribute.communication import CommunicationImplementation

CollectiveCommunication = CommunicationImplementation


class MultiWorkerMirroredStrategy(mirrored.MultiWorkerMirroredStrategy):
    """``tf.distribute.MultiWorkerMirroredStrategy``, by its former name.

    Args:
        communication: of no effect: XLA chooses.
        cluster_resolver: tells of the processes; by default a ``TFConfigClusterResolver``.

    Raises:
        RuntimeError: for several workers on another backend than jax, and after something was
            computed.
        ValueError: for a cluster that makes no sense.

    Example:
        >>> import tfpy as tf
        >>> strategy = tf.distribute.experimental.MultiWorkerMirroredStrategy()
        >>> isinstance(strategy, tf.distribute.MultiWorkerMirroredStrategy)
        True
    """

    def __init__(
        self,
        communication: Any = CommunicationImplementation.AUTO,
        cluster_resolver: Any = None,
    ) -> None:
        super().__init__(cluster_resolver)


class TPUStrategy(mirrored.TPUStrategy):
    """``tf.distribute.TPUStrategy``, by its former name.

    Args:
        tpu_cluster_resolver, device_assignment: of no effect: JAX finds the TPUs.

    Raises:
        RuntimeError: where there are none.
    """

    def __init__(self, tpu_cluster_resolver: Any = None, device_assignment: Any = None) -> None:
        super().__init__(tpu_cluster_resolver)


def initialize_tpu_system(cluster_resolver: Any = None) -> None:
    """Nothing, where there are TPUs: JAX has made them ready
    (``tf.tpu.experimental.initialize_tpu_system``).

    Args:
        cluster_resolver: tells of the TPUs; by default a ``TPUClusterResolver``.

    Raises:
        ValueError: where there are none, and no resolver is given.
        NotFoundError: where there are none.

    Example:
        >>> import tfpy as tf
        >>> resolver = tf.distribute.cluster_resolver.TFConfigClusterResolver()
        >>> try:
        ...     tf.tpu.experimental.initialize_tpu_system(resolver)
        ... except tf.errors.NotFoundError as error:
        ...     print(error.message.partition(":")[0])
        TPUs not found in the cluster
    """
    if cluster_resolver is None:
        TPUClusterResolver()
    _check_there("initialize_tpu_system")


def shutdown_tpu_system(cluster_resolver: Any = None) -> None:
    """Nothing, where there are TPUs: they end with the process
    (``tf.tpu.experimental.shutdown_tpu_system``).

    Args:
        cluster_resolver: of no effect.

    Raises:
        NotFoundError: where there are none.

    Example:
        >>> import tfpy as tf
        >>> try:
        ...     tf.tpu.experimental.shutdown_tpu_system()
        ... except tf.errors.NotFoundError as error:
        ...     print(error.message.partition(":")[0])
        TPUs not found in the cluster
    """
    _check_there("shutdown_tpu_system")


def _check_there(name: str) -> None:
    if registry.active_backend().processor != "TPU":
        raise NotFoundError(
            None,
            name,
            f"TPUs not found in the cluster: the {registry.get_backend()} backend has none; the "
            "backend jax computes on them where JAX is installed for them",
        )
