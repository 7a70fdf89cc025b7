"""Former names of strategies, and functions that initialize TPUs."""

from __future__ import annotations

from tfpy._src.backends import registry
from tfpy._src.base.errors import NotFoundError
from tfpy._src.distribute import mirrored
from tfpy._src.distribute.cluster import ClusterResolver, TPUClusterResolver
from tfpy._src.distribute.communication import CommunicationImplementation
from tfpy._src.distribute.devices import get_memory_info

CollectiveCommunication = CommunicationImplementation


class MultiWorkerMirroredStrategy(mirrored.MultiWorkerMirroredStrategy):
    """The former name of `tf.distribute.MultiWorkerMirroredStrategy`.

    Args:
        communication: Has no effect. XLA chooses how machines communicate.
        cluster_resolver: Description of the cluster. Default: a
            `tf.distribute.cluster_resolver.TFConfigClusterResolver`, which reads `TF_CONFIG`.

    Raises:
        RuntimeError: If there is more than one worker, and the backend is not jax or has already
            computed something.
        ValueError: If the description of the cluster is not valid.

    Example:
        >>> import tfpy as tf
        >>> strategy = tf.distribute.experimental.MultiWorkerMirroredStrategy()
        >>> isinstance(strategy, tf.distribute.MultiWorkerMirroredStrategy)
        True

    See also: `tf.distribute.MultiWorkerMirroredStrategy`.
    """

    def __init__(
        self,
        communication: CommunicationImplementation = CommunicationImplementation.AUTO,
        cluster_resolver: ClusterResolver | None = None,
    ) -> None:
        super().__init__(cluster_resolver)


class TPUStrategy(mirrored.TPUStrategy):
    """The former name of `tf.distribute.TPUStrategy`.

    Args:
        tpu_cluster_resolver: Has no effect. JAX finds the TPUs.
        device_assignment: Has no effect.

    Raises:
        RuntimeError: If the active backend has no TPUs.

    Example::

        strategy = tf.distribute.experimental.TPUStrategy()

    See also: `tf.distribute.TPUStrategy`.
    """

    def __init__(
        self,
        tpu_cluster_resolver: ClusterResolver | None = None,
        device_assignment: object = None,
    ) -> None:
        super().__init__(tpu_cluster_resolver)


def initialize_tpu_system(cluster_resolver: ClusterResolver | None = None) -> None:
    """Check that there are TPUs. JAX has already initialized them.

    Args:
        cluster_resolver: Description of the TPUs. Default: a
            `tf.distribute.cluster_resolver.TPUClusterResolver`.

    Raises:
        ValueError: If there are no TPUs, and `cluster_resolver` is None.
        tf.errors.NotFoundError: If there are no TPUs, and `cluster_resolver` is given.

    Example:
        >>> import tfpy as tf
        >>> resolver = tf.distribute.cluster_resolver.TFConfigClusterResolver()
        >>> try:
        ...     tf.tpu.experimental.initialize_tpu_system(resolver)
        ... except tf.errors.NotFoundError as error:
        ...     print(error.message.partition(":")[0])
        TPUs not found in the cluster

    See also: `tf.tpu.experimental.shutdown_tpu_system`, `tf.distribute.TPUStrategy`.
    """
    if cluster_resolver is None:
        TPUClusterResolver()
    _check_there("initialize_tpu_system")


def shutdown_tpu_system(cluster_resolver: ClusterResolver | None = None) -> None:
    """Check that there are TPUs. They are released when the process ends.

    Args:
        cluster_resolver: Has no effect.

    Raises:
        tf.errors.NotFoundError: If there are no TPUs.

    Example:
        >>> import tfpy as tf
        >>> try:
        ...     tf.tpu.experimental.shutdown_tpu_system()
        ... except tf.errors.NotFoundError as error:
        ...     print(error.message.partition(":")[0])
        TPUs not found in the cluster

    See also: `tf.tpu.experimental.initialize_tpu_system`.
    """
    _check_there("shutdown_tpu_system")


def _check_there(name: str) -> None:
    if registry.active_backend().processor != "TPU":
        raise NotFoundError(
            None,
            name,
            f"TPUs not found in the cluster: The {registry.get_backend()} backend has no TPUs. "
            'Install JAX for TPUs and call tf.set_backend("jax").',
        )


def get_memory_usage(device: str) -> int:
    """Return the number of bytes in use on a device, as `get_memory_info` does.

    Args:
        device: Name of the device, such as `"GPU:0"`.

    Returns:
        An int.

    Raises:
        ValueError: If the device does not exist or, like CPUs, does not report its memory.

    Example::

        tf.config.experimental.get_memory_usage("GPU:0")

    See also: `tf.config.experimental.get_memory_info`.
    """
    return get_memory_info(device)["current"]
