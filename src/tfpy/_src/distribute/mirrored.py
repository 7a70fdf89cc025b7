"""The strategies: on one device, on those of a machine, on those of several."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from tfpy._src.backends import registry
from tfpy._src.distribute import cluster
from tfpy._src.distribute.cluster import TFConfigClusterResolver
from tfpy._src.distribute.devices import computing
from tfpy._src.distribute.naming import found, full_name, parsed
from tfpy._src.distribute.placing import device as computed_on
from tfpy._src.distribute.replicas import Replicas
from tfpy._src.distribute.strategy import Strategy


class OneDeviceStrategy(Strategy):
    """Places everything on one device (``tf.distribute.OneDeviceStrategy``).

    Args:
        device: its name. What is computed in the scope is computed there.

    Raises:
        ValueError: for what names no device.

    Example:
        >>> import tfpy as tf
        >>> strategy = tf.distribute.OneDeviceStrategy("/cpu:0")
        >>> with strategy.scope():
        ...     w = tf.Variable(2.0)
        >>> strategy.run(lambda x: w * x, [tf.constant(3.0)]).numpy().tolist()
        6.0
    """

    def __init__(self, device: str) -> None:
        super().__init__()
        self.device, self._place = device, parsed(device)

    def _own_devices(self) -> tuple[str, ...]:
        return (full_name(*self._place),)

    @contextmanager
    def scope(self) -> Iterator[Strategy]:
        """Makes the strategy the current one; what is computed inside is computed on its device."""
        with computed_on(self.device), super().scope():
            yield self

    def run(
        self,
        fn: Callable[..., Any],
        args: Sequence[Any] = (),
        kwargs: dict[str, Any] | None = None,
        options: Any = None,
    ) -> Any:
        """``fn(*args, **kwargs)``, computed on its device."""
        with computed_on(self.device):
            return super().run(fn, args, kwargs, options)


class MirroredStrategy(Strategy):
    """A replica on each device of a machine (``tf.distribute.MirroredStrategy``).

    Variables have a copy on each device. Where the backend has one device, there is one replica.

    Args:
        devices: their names; None for all visible ones of the kind that computes.
        cross_device_ops: of no effect: XLA chooses.

    Raises:
        ValueError: for devices that there are not, or one twice.

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
    """

    def __init__(self, devices: Any = None, cross_device_ops: Any = None) -> None:
        super().__init__()
        names = computing() if devices is None else found(devices)
        if len(names) > 1:
            self._replicas = Replicas(names, range(len(names)))


class MultiWorkerMirroredStrategy(Strategy):
    """A replica on each device of several processes, mostly one a machine
    (``tf.distribute.MultiWorkerMirroredStrategy``).

    All processes run the same program. The variable ``TF_CONFIG`` tells of them, or the resolver:
    the first worker's address is where they meet (``jax.distributed``). Without either, or with one
    worker, it is a :class:`MirroredStrategy`. It is made before anything is computed.

    Args:
        cluster_resolver: tells of the processes; by default a ``TFConfigClusterResolver``.
        communication_options: of no effect: XLA chooses.

    Raises:
        RuntimeError: for several workers on another backend than jax, and after something was
            computed.
        ValueError: for a cluster that makes no sense.

    Example:
        >>> import tfpy as tf
        >>> strategy = tf.distribute.MultiWorkerMirroredStrategy()  # without TF_CONFIG: one worker
        >>> with strategy.scope():
        ...     w = tf.Variable(2.0)
        >>> w.numpy().tolist()
        2.0
    """

    def __init__(self, cluster_resolver: Any = None, communication_options: Any = None) -> None:
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
    """A replica on each TPU core (``tf.distribute.TPUStrategy``), on the jax backend.

    Args:
        tpu_cluster_resolver: of no effect: JAX finds the TPUs.
        experimental_device_assignment: of no effect.

    Raises:
        RuntimeError: where there are none.
    """

    def __init__(
        self, tpu_cluster_resolver: Any = None, experimental_device_assignment: Any = None
    ) -> None:
        super().__init__()
        if registry.active_backend().processor != "TPU":
            raise RuntimeError(
                f"TPUStrategy: the {registry.get_backend()} backend has no TPUs; the backend jax "
                "computes on them where JAX is installed for them (docs/scale.md)"
            )
        names = computing()
        if len(names) > 1:
            self._replicas = Replicas(names, range(len(names)))
