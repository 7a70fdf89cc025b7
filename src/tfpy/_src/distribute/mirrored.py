"""Strategies for one device, for the devices of one machine, and for several machines."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from tfpy._src.backends import registry
from tfpy._src.core.typing import Nest
from tfpy._src.distribute import cluster
from tfpy._src.distribute.cluster import ClusterResolver, TFConfigClusterResolver
from tfpy._src.distribute.communication import CommunicationOptions, CrossDeviceOps, RunOptions
from tfpy._src.distribute.device_spec import DeviceSpec
from tfpy._src.distribute.devices import computing
from tfpy._src.distribute.naming import found, full_name, parsed
from tfpy._src.distribute.placing import device as computed_on
from tfpy._src.distribute.replicas import Replicas
from tfpy._src.distribute.strategy import Strategy


class OneDeviceStrategy(Strategy):
    """A strategy that computes everything on one device.

    Args:
        device: Name of the device, such as `"/gpu:0"`. `tf.config.list_logical_devices` lists the
            names.

    Raises:
        ValueError: If `device` is not the name of a device.

    Example:
        >>> import tfpy as tf
        >>> strategy = tf.distribute.OneDeviceStrategy("/cpu:0")
        >>> with strategy.scope():
        ...     w = tf.Variable(2.0)
        >>> strategy.run(lambda x: w * x, [tf.constant(3.0)]).numpy().tolist()
        6.0

    See also: `tf.distribute.MirroredStrategy`, `tf.device`.
    """

    def __init__(self, device: str) -> None:
        super().__init__()
        self.device, self._place = device, parsed(device)

    def _own_devices(self) -> tuple[str, ...]:
        return (full_name(*self._place),)

    @contextmanager
    def scope(self) -> Iterator[Strategy]:
        """Return a context manager that makes the strategy the current one.

        Within the context, everything is computed on the strategy's device.

        Returns:
            A context manager. Entering it returns the strategy.

        Example:
            >>> import tfpy as tf
            >>> strategy = tf.distribute.OneDeviceStrategy("/cpu:0")
            >>> with strategy.scope():
            ...     print(tf.distribute.get_strategy() is strategy)
            True
        """
        with computed_on(self.device), super().scope():
            yield self

    def run(
        self,
        fn: Callable[..., Any],
        args: Sequence[Nest] = (),
        kwargs: dict[str, Nest] | None = None,
        options: RunOptions | None = None,
    ) -> Nest:
        """Call a function on the strategy's device.

        Args:
            fn: Function to call as `fn(*args, **kwargs)`.
            args: Positional arguments. Default: none.
            kwargs: Keyword arguments. Default: none.
            options: Has no effect.

        Returns:
            The result of `fn`.

        Example:
            >>> import tfpy as tf
            >>> strategy = tf.distribute.OneDeviceStrategy("/cpu:0")
            >>> print(strategy.run(tf.square, [tf.constant(3.0)]).numpy())
            9.0
        """
        with computed_on(self.device):
            return super().run(fn, args, kwargs, options)


class MirroredStrategy(Strategy):
    """A strategy with one replica on each device of a machine.

    Only the jax backend, which does not exist in browsers, computes on several devices at the same
    time. On the CPU, other backends compute the replicas in turn if it is divided by
    `tf.config.set_logical_device_configuration`. Otherwise there is one replica, and the strategy
    changes nothing.

    With more than one replica, a Variable that is created in `scope` has an equal copy on each
    device. `run` calls a function in each replica, with the replica's own component of each
    *per-replica value*. On two devices, the batch in the example becomes a per-replica value with
    the components `[1.0]` and `[2.0]`. The function returns a per-replica value with the components
    1.0 and 2.0, and `reduce` adds them.

    Args:
        devices: Names of devices such as `"/gpu:0"`, which `tf.config.list_logical_devices` lists.
            Default: all visible devices of the type on which the backend computes.
        cross_device_ops: Has no effect. XLA chooses the algorithm.

    Raises:
        ValueError: If a device does not exist or appears twice.

    Example:
        >>> import tfpy as tf
        >>> strategy = tf.distribute.MirroredStrategy()
        >>> with strategy.scope():
        ...     v = tf.Variable(1.0)
        >>> data = tf.data.Dataset.from_tensor_slices([1.0, 2.0]).batch(2)
        >>> for batch in strategy.experimental_distribute_dataset(data):
        ...     sums = strategy.run(lambda x: tf.reduce_sum(x * v), args=(batch,))
        ...     print(strategy.reduce("SUM", sums, axis=None).numpy())
        3.0

    See also: `tf.distribute.MultiWorkerMirroredStrategy`, `tf.distribute.OneDeviceStrategy`.
    """

    def __init__(
        self,
        devices: Sequence[str | DeviceSpec] | None = None,
        cross_device_ops: CrossDeviceOps | None = None,
    ) -> None:
        super().__init__()
        names = found(devices) if devices else computing()
        if len(names) > 1:
            self._replicas = Replicas(names, range(len(names)))


class MultiWorkerMirroredStrategy(Strategy):
    """A strategy with one replica on each device of several processes.

    Usually each machine runs one process, called a worker. All workers run the same program, and
    must create the strategy before anything is computed, because it connects them. The cluster is
    described by the environment variable `TF_CONFIG` or by `cluster_resolver`. More than one worker
    requires the jax backend, which does not exist in browsers. If there is one worker, the strategy
    is equivalent to a `tf.distribute.MirroredStrategy`.

    Args:
        cluster_resolver: Description of the cluster. Default: a
            `tf.distribute.cluster_resolver.TFConfigClusterResolver`, which reads `TF_CONFIG`.
        communication_options: Has no effect. XLA chooses how machines communicate.

    Raises:
        RuntimeError: If there is more than one worker, and the backend is not jax or has already
            computed something.
        ValueError: If the description of the cluster is not valid.

    Example:
        >>> import tfpy as tf
        >>> strategy = tf.distribute.MultiWorkerMirroredStrategy()  # without TF_CONFIG: one worker
        >>> with strategy.scope():
        ...     w = tf.Variable(2.0)
        >>> w.numpy().tolist()
        2.0

    See also: `tf.distribute.MirroredStrategy`,
    `tf.distribute.cluster_resolver.TFConfigClusterResolver`.
    """

    def __init__(
        self,
        cluster_resolver: ClusterResolver | None = None,
        communication_options: CommunicationOptions | None = None,
    ) -> None:
        super().__init__()
        self._resolver = cluster_resolver or TFConfigClusterResolver()
        workers = cluster.workers(self._resolver)
        if len(workers) > 1:
            names, local = cluster.joined(workers, self._resolver.task_id)
        else:
            names = computing()
            local = range(len(names))
        if len(names) > 1:
            self._replicas = Replicas(names, local)

    @property
    def cluster_resolver(self) -> ClusterResolver:
        return self._resolver


class TPUStrategy(Strategy):
    """A strategy with one replica on each TPU core. It requires the jax backend.

    Args:
        tpu_cluster_resolver: Has no effect. JAX finds the TPUs.
        experimental_device_assignment: Has no effect.

    Raises:
        RuntimeError: If the active backend has no TPUs.

    Example::

        tf.set_backend("jax")
        strategy = tf.distribute.TPUStrategy()

    See also: `tf.distribute.MirroredStrategy`.
    """

    def __init__(
        self,
        tpu_cluster_resolver: ClusterResolver | None = None,
        experimental_device_assignment: object = None,
    ) -> None:
        super().__init__()
        if registry.active_backend().processor != "TPU":
            raise RuntimeError(
                f"TPUStrategy: The {registry.get_backend()} backend has no TPUs. Install JAX for "
                'TPUs and call tf.set_backend("jax"); see docs/scale.md.'
            )
        names = computing()
        if len(names) > 1:
            self._replicas = Replicas(names, range(len(names)))
