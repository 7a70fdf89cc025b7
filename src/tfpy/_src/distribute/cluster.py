"""Descriptions of clusters (`tf.distribute.cluster_resolver`)."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from typing import Any

from tfpy._src.backends import registry
from tfpy._src.backends.devices import devices_of
from tfpy._src.distribute.cluster_spec import ClusterSpec

_VARIABLE = "TF_CONFIG"


class ClusterResolver:
    """The base class of objects that describe a cluster and the place of this process in it.

    The attributes `task_type` and `task_id` are the name of the job and the index of this process
    in the job. They are None outside of a cluster.

    Example:
        >>> import tfpy as tf
        >>> resolver = tf.distribute.cluster_resolver.TFConfigClusterResolver()
        >>> isinstance(resolver, tf.distribute.cluster_resolver.ClusterResolver)
        True

    See also: `tf.distribute.cluster_resolver.TFConfigClusterResolver`.
    """

    task_type: str | None = None
    task_id: int | None = None

    def cluster_spec(self) -> ClusterSpec:
        """Return the description of the cluster.

        Returns:
            A `tf.train.ClusterSpec`.

        Example:
            >>> import tfpy as tf
            >>> spec = tf.train.ClusterSpec({"worker": ["a:1", "b:2"]})
            >>> resolver = tf.distribute.cluster_resolver.SimpleClusterResolver(spec)
            >>> resolver.cluster_spec().jobs
            ['worker']
        """
        raise NotImplementedError

    def num_accelerators(
        self, task_type: str | None = None, task_id: int | None = None
    ) -> dict[str, int]:
        """Return the number of devices of this process.

        Args:
            task_type: Has no effect.
            task_id: Has no effect.

        Returns:
            A dictionary from the type of the devices, such as `"GPU"`, to their number.

        Example:
            >>> import tfpy as tf
            >>> resolver = tf.distribute.cluster_resolver.TFConfigClusterResolver()
            >>> sum(resolver.num_accelerators().values())
            1
        """
        backend = registry.active_backend()
        return {backend.processor: len(devices_of(backend).devices())}


class SimpleClusterResolver(ClusterResolver):
    """A cluster resolver that returns the values of its arguments.

    Args:
        cluster_spec: A `tf.train.ClusterSpec`.
        master: Has no effect.
        task_type: Name of the job of this process, such as `"worker"`. Default: None.
        task_id: Index of this process in its job. Default: None.
        environment: Value of the attribute `environment`, which has no effect.
        num_accelerators: Dictionary from types of devices to their numbers, which the method
            `num_accelerators` returns. Default: the devices of this process.
        rpc_layer: Value of the attribute `rpc_layer`, which has no effect.

    Raises:
        TypeError: If `cluster_spec` is not a ClusterSpec.

    Example:
        >>> import tfpy as tf
        >>> cluster = tf.train.ClusterSpec({"worker": ["first:9901", "second:9901"]})
        >>> resolvers = tf.distribute.cluster_resolver
        >>> resolver = resolvers.SimpleClusterResolver(cluster, task_type="worker", task_id=1)
        >>> resolver.task_type, resolver.task_id
        ('worker', 1)

    See also: `tf.distribute.cluster_resolver.TFConfigClusterResolver`.
    """

    def __init__(
        self,
        cluster_spec: ClusterSpec,
        master: str = "",
        task_type: str | None = None,
        task_id: int | None = None,
        environment: str = "",
        num_accelerators: dict[str, int] | None = None,
        rpc_layer: str | None = None,
    ) -> None:
        if not isinstance(cluster_spec, ClusterSpec):
            raise TypeError("cluster_spec must be a `tf.train.ClusterSpec`.")
        self._cluster_spec = cluster_spec
        self.task_type, self.task_id = task_type, task_id
        self.environment, self.rpc_layer = environment, rpc_layer
        self._accelerators = num_accelerators

    def cluster_spec(self) -> ClusterSpec:
        return self._cluster_spec

    def num_accelerators(
        self, task_type: str | None = None, task_id: int | None = None
    ) -> dict[str, int]:
        return self._accelerators or super().num_accelerators()


class TFConfigClusterResolver(ClusterResolver):
    """A cluster resolver that reads the environment variable `TF_CONFIG`.

    The variable has this form::

        {"cluster": {"worker": ["host0:12345", "host1:12345"]},
         "task": {"type": "worker", "index": 0}}

    Args:
        task_type: Name of the job of this process. Default: the type in `TF_CONFIG`.
        task_id: Index of this process in its job. Default: the index in `TF_CONFIG`.
        rpc_layer: Value of the attribute `rpc_layer`, which has no effect.
        environment: Value of the attribute `environment`, which has no effect.

    Raises:
        ValueError: If `TF_CONFIG` has a different form.

    Example:
        >>> import tfpy as tf
        >>> # without TF_CONFIG, there is no cluster
        >>> tf.distribute.cluster_resolver.TFConfigClusterResolver().cluster_spec().jobs
        []

    See also: `tf.distribute.MultiWorkerMirroredStrategy`.
    """

    def __init__(
        self,
        task_type: str | None = None,
        task_id: int | None = None,
        rpc_layer: str | None = None,
        environment: str | None = None,
    ) -> None:
        config = _configured()
        task = config.get("task", {})
        self._cluster_spec = ClusterSpec(config.get("cluster", {}))
        self.task_type = task_type or task.get("type")
        index = task.get("index", 0 if task else None)
        self.task_id = task_id if task_id is not None else _index(index)
        self.environment = environment or config.get("environment", "")
        self.rpc_layer = rpc_layer or config.get("rpc_layer")

    def cluster_spec(self) -> ClusterSpec:
        return self._cluster_spec


class TPUClusterResolver(ClusterResolver):
    """A cluster resolver for the TPUs of this machine, which JAX finds.

    Args:
        tpu: Has no effect.
        zone: Has no effect.
        project: Has no effect.

    Raises:
        ValueError: If the active backend has no TPUs.

    Example::

        tf.set_backend("jax")
        resolver = tf.distribute.cluster_resolver.TPUClusterResolver()
        strategy = tf.distribute.TPUStrategy(resolver)

    See also: `tf.distribute.TPUStrategy`.
    """

    task_type, task_id = "worker", 0

    def __init__(
        self, tpu: str | None = None, zone: str | None = None, project: str | None = None
    ) -> None:
        if registry.active_backend().processor != "TPU":
            raise ValueError(
                f"Please provide a TPU Name to connect to: the {registry.get_backend()} backend "
                'has no TPUs. Install JAX for TPUs and call tf.set_backend("jax").'
            )

    @classmethod
    def connect(
        cls, tpu: str | None = None, zone: str | None = None, project: str | None = None
    ) -> TPUClusterResolver:
        """Return a resolver. JAX has already initialized the TPUs.

        Args:
            tpu: Has no effect.
            zone: Has no effect.
            project: Has no effect.

        Returns:
            A TPUClusterResolver.

        Raises:
            ValueError: If the active backend has no TPUs.

        Example::

            resolver = tf.distribute.cluster_resolver.TPUClusterResolver.connect()
        """
        return cls(tpu, zone, project)

    def cluster_spec(self) -> ClusterSpec:
        return ClusterSpec({})


def experimental_connect_to_cluster(cluster_spec_or_resolver: object, **kwargs: object) -> None:
    """Do nothing, because strategies connect to the cluster.

    Args:
        cluster_spec_or_resolver: Has no effect.
        **kwargs: Has no effect.

    Example:
        >>> import tfpy as tf
        >>> tf.config.experimental_connect_to_cluster(tf.train.ClusterSpec({}))

    See also: `tf.distribute.MultiWorkerMirroredStrategy`.
    """


def _index(given: Any) -> int | None:
    """Return the index of a task, which may also be given as a decimal string.

    Raises:
        ValueError: If the index has a different form.
    """
    if given is None or (isinstance(given, int) and not isinstance(given, bool)):
        return given
    if isinstance(given, str) and given.removeprefix("-").isdecimal():
        return int(given)
    raise ValueError(f"The index of the task in {_VARIABLE} must be an integer, got {given!r}.")


def _configured() -> dict[str, Any]:
    text = os.environ.get(_VARIABLE, "") or "{}"
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{_VARIABLE} is not valid JSON: {error}") from None
    parts = [found, *(found.get(k, {}) for k in ("cluster", "task"))] if _is_map(found) else [None]
    if not all(map(_is_map, parts)):
        raise ValueError(f"{_VARIABLE} must be a JSON object with objects 'cluster' and 'task'.")
    result: dict[str, Any] = found
    return result


def _is_map(value: Any) -> bool:
    return isinstance(value, Mapping)


def workers(resolver: ClusterResolver) -> Sequence[str]:
    """Return the addresses of the processes that train, the chief first.

    Raises:
        ValueError: If the cluster has jobs other than workers and a chief, or no workers.
    """
    spec = resolver.cluster_spec()
    if not spec:
        return []
    other = {*spec.jobs} - {"worker", "chief"}
    if other or "worker" not in spec.jobs:
        raise ValueError(
            f"MultiWorkerMirroredStrategy supports the jobs 'worker' and 'chief', but the cluster "
            f"has the jobs {spec.jobs}."
        )
    chief = spec.job_tasks("chief") if "chief" in spec.jobs else []
    return [*chief, *spec.job_tasks("worker")]


def joined(addresses: Sequence[str], number: int | None) -> tuple[tuple[str, ...], range]:
    """Connect the processes to each other.

    Returns:
        The devices of all processes, and the range of this one's devices.

    Raises:
        RuntimeError: If the backend is not jax, or if it has computed something already.
        ValueError: If `number` is not the index of a process, or an address is not valid.
    """
    for address in addresses:
        _check_address(address)
    if number is None or not 0 <= number < len(addresses):
        raise ValueError(
            f"The index of this worker is {number}, but the cluster has {len(addresses)} workers."
        )
    backend: Any = registry.active_backend()
    if backend.name != "jax":
        raise RuntimeError(
            f"MultiWorkerMirroredStrategy: The {backend.name} backend supports only one process. "
            'Call tf.set_backend("jax") or set the environment variable TFPY_BACKEND=jax.'
        )
    found: tuple[tuple[str, ...], range] = backend.join(addresses, number)
    return found


def _check_address(address: str) -> None:
    """Check that an address has a host and a valid port."""
    host, _, port = address.rpartition(":")
    if not host or not port.isascii() or not port.isdigit() or not 0 < int(port[:9]) < 1 << 16:
        raise ValueError(
            f"The cluster has a worker with the address {address!r}. An address must have the form "
            f"'host:port' with a port from 1 to {(1 << 16) - 1}. Check the variable {_VARIABLE}."
        )
