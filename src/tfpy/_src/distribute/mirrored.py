"""Strategies for one device, for the devices of one machine, and for several machines."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from tfpy._src.backends import registry
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
    """A strategy that computes everything on one device (`tf.distribute.OneDeviceStrategy`).

    Args:
        device: Name of the device, e.g. `"/gpu:0"`.

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
        """Make the strategy the current one and compute on its device inside the scope.

        Returns:
            A context manager, which yields the strategy.

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
        args: Sequence[Any] = (),
        kwargs: dict[str, Any] | None = None,
        options: RunOptions | None = None,
    ) -> Any:
        """Call a function on the strategy's device.

        Args:
            fn: Function to call.
            args: Positional arguments.
            kwargs: Keyword arguments.
            options: Has no effect.

        Returns:
            The result of `fn(*args, **kwargs)`.

        Example:
            >>> import tfpy as tf
            >>> strategy = tf.distribute.OneDeviceStrategy("/cpu:0")
            >>> print(strategy.run(tf.square, [tf.constant(3.0)]).numpy())
            9.0
        """
        with computed_on(self.device):
            return super().run(fn, args, kwargs, options)


class MirroredStrategy(Strategy):
    """A strategy with one replica on each device of a machine (`tf.distribute.MirroredStrategy`).

    Variables have a copy on each device. If the backend has one device, there is one replica.

    Args:
        devices: Names of devices. Default: all visible devices of the type that the backend
            computes on.
        cross_device_ops: Has no effect: XLA chooses the algorithm.

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
        names = computing() if devices is None else found(devices)
        if len(names) > 1:
            self._replicas = Replicas(names, range(len(names)))


class MultiWorkerMirroredStrategy(Strategy):
    """A strategy with one replica on each device of several processes.

    `tf.distribute.MultiWorkerMirroredStrategy`. There is usually one process per machine. All
    processes run the same program and create the strategy before anything is computed. The
    environment variable `TF_CONFIG`, or the resolver, describes the cluster. The processes meet at
    the address of the first worker (`jax.distributed`). Without a cluster, or with one worker, it
    is a `tf.distribute.MirroredStrategy`.

    Args:
        cluster_resolver: Description of the cluster. Default: a `TFConfigClusterResolver`.
        communication_options: Has no effect: XLA chooses how machines communicate.

    Raises:
        RuntimeError: If there are several workers and the backend is not jax, or it has computed
            something already.
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
    def cluster_resolver(self) -> Any:
        return self._resolver


class TPUStrategy(Strategy):
    """A strategy with one replica on each TPU core (`tf.distribute.TPUStrategy`).

    It requires the jax backend.

    Args:
        tpu_cluster_resolver: Has no effect: JAX finds the TPUs.
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
