"""Which processes train together: ``tf.distribute.cluster_resolver``, ``tf.train.ClusterSpec``."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from typing import Any

from tfpy._src.backends import registry
from tfpy._src.backends.devices import devices_of

_VARIABLE = "TF_CONFIG"


class ClusterSpec:
    """The addresses of processes, by job (``tf.train.ClusterSpec``).

    Args:
        cluster: a mapping of jobs to lists of "host:port", or to mappings of numbers to these; or
            another one.

    Raises:
        TypeError: for anything else.

    Example:
        >>> import tfpy as tf
        >>> tf.train.ClusterSpec({"worker": ["a:1", "b:2"]}).task_address("worker", 1)
        'b:2'
    """

    def __init__(self, cluster: Any) -> None:
        if isinstance(cluster, ClusterSpec):
            cluster = cluster.as_dict()
        if not isinstance(cluster, Mapping):
            raise TypeError(f"`cluster` must be a dictionary of jobs to addresses, got {cluster!r}")
        self._jobs: dict[str, dict[int, str]] = {}
        for job, tasks in cluster.items():
            self._jobs[job] = {int(number): _address(a) for number, a in _numbered(job, tasks)}

    @property
    def jobs(self) -> list[str]:
        """The names of the jobs."""
        return list(self._jobs)

    def num_tasks(self, job_name: str) -> int:
        """How many processes a job has."""
        return len(self._job(job_name))

    def task_indices(self, job_name: str) -> list[int]:
        """The numbers of a job's processes."""
        return sorted(self._job(job_name))

    def task_address(self, job_name: str, task_index: int) -> str:
        """The address of a process.

        Raises:
            ValueError: for one that there is not.
        """
        job = self._job(job_name)
        if task_index not in job:
            raise ValueError(f"No task with index {task_index!r} in job {job_name!r}.")
        return job[task_index]

    def job_tasks(self, job_name: str) -> list[str]:
        """The addresses of a job's processes."""
        return [address for _, address in sorted(self._job(job_name).items())]

    def _job(self, name: str) -> dict[int, str]:
        if name not in self._jobs:
            raise ValueError(f"No such job in cluster: {name!r}")
        return self._jobs[name]

    def as_dict(self) -> dict[str, Any]:
        """The lists of addresses by job."""
        return {job: self.job_tasks(job) for job in self._jobs}

    def __bool__(self) -> bool:
        return bool(self._jobs)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ClusterSpec) and self.as_dict() == other.as_dict()

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        jobs = ", ".join(f"{job!r}: {self.job_tasks(job)!r}" for job in sorted(self._jobs))
        return f"ClusterSpec({{{jobs}}})"


def _numbered(job: Any, tasks: Any) -> list[tuple[Any, Any]]:
    """Return the numbers and addresses of a job's processes.

    Raises:
        TypeError: For anything but a list of addresses, or a mapping of integers to these.
    """
    if isinstance(tasks, Mapping) and all(str(number).isdecimal() for number in tasks):
        return list(tasks.items())
    if isinstance(tasks, list | tuple):
        return list(enumerate(tasks))
    raise TypeError(
        f"the job {job!r} of a cluster is a list of 'host:port', or a mapping of integers to "
        f"these, got {tasks!r}"
    )


def _address(given: Any) -> str:
    if not isinstance(given, str):
        raise TypeError(f"a task's address is 'host:port', got {given!r}")
    return given


class ClusterResolver:
    """What tells which processes there are and which this one is
    (``tf.distribute.cluster_resolver.ClusterResolver``).

    Example:
        >>> import tfpy as tf
        >>> resolver = tf.distribute.cluster_resolver.TFConfigClusterResolver()
        >>> isinstance(resolver, tf.distribute.cluster_resolver.ClusterResolver)
        True
    """

    task_type: str | None = None
    task_id: int | None = None

    def cluster_spec(self) -> ClusterSpec:
        """The processes."""
        raise NotImplementedError

    def num_accelerators(self, task_type: Any = None, task_id: Any = None) -> dict[str, int]:
        """How many devices this process has, by type."""
        backend = registry.active_backend()
        return {backend.processor: len(devices_of(backend).devices())}


class SimpleClusterResolver(ClusterResolver):
    """Gives what it is told (``tf.distribute.cluster_resolver.SimpleClusterResolver``).

    Raises:
        TypeError: when ``cluster_spec`` is none.

    Example:
        >>> import tfpy as tf
        >>> cluster = tf.train.ClusterSpec({"worker": ["first:9901", "second:9901"]})
        >>> resolvers = tf.distribute.cluster_resolver
        >>> resolver = resolvers.SimpleClusterResolver(cluster, task_type="worker", task_id=1)
        >>> resolver.task_type, resolver.task_id
        ('worker', 1)
    """

    def __init__(
        self,
        cluster_spec: Any,
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

    def num_accelerators(self, task_type: Any = None, task_id: Any = None) -> dict[str, int]:
        return self._accelerators or super().num_accelerators()


class TFConfigClusterResolver(ClusterResolver):
    """Gives what the variable ``TF_CONFIG`` says
    (``tf.distribute.cluster_resolver.TFConfigClusterResolver``)::

        {"cluster": {"worker": ["host0:12345", "host1:12345"]},
         "task": {"type": "worker", "index": 0}}

    Raises:
        ValueError: when it says something else.

    Example:
        >>> import tfpy as tf
        >>> tf.distribute.cluster_resolver.TFConfigClusterResolver().cluster_spec().jobs
        []
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
    """This machine's TPUs (``tf.distribute.cluster_resolver.TPUClusterResolver``): JAX finds them.

    Args:
        tpu, zone, project: of no effect.

    Raises:
        ValueError: where there are none.
    """

    task_type, task_id = "worker", 0

    def __init__(self, tpu: Any = None, zone: Any = None, project: Any = None) -> None:
        if registry.active_backend().processor != "TPU":
            raise ValueError(
                f"Please provide a TPU Name to connect to: the {registry.get_backend()} backend "
                "has no TPUs; the backend jax computes on them where JAX is installed for them"
            )

    @classmethod
    def connect(cls, tpu: Any = None, zone: Any = None, project: Any = None) -> TPUClusterResolver:
        """A resolver whose TPUs are ready."""
        return cls(tpu, zone, project)

    def cluster_spec(self) -> ClusterSpec:
        return ClusterSpec({})


def _index(given: Any) -> int | None:
    """Return a task's index, which may be the text of an integer.

    Raises:
        ValueError: For anything else.
    """
    if given is None or (isinstance(given, int) and not isinstance(given, bool)):
        return given
    if isinstance(given, str) and given.removeprefix("-").isdecimal():
        return int(given)
    raise ValueError(f"the index of the task in {_VARIABLE} is an integer, got {given!r}")


def _configured() -> dict[str, Any]:
    text = os.environ.get(_VARIABLE, "") or "{}"
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{_VARIABLE} is no JSON: {error}") from None
    parts = [found, *(found.get(k, {}) for k in ("cluster", "task"))] if _is_map(found) else [None]
    if not all(map(_is_map, parts)):
        raise ValueError(f"{_VARIABLE} must be an object with objects 'cluster' and 'task'")
    result: dict[str, Any] = found
    return result


def _is_map(value: Any) -> bool:
    return isinstance(value, Mapping)


def workers(resolver: ClusterResolver) -> Sequence[str]:
    """The addresses of the processes that train.

    Raises:
        ValueError: for other jobs than workers and a chief, or a process that there is not.
    """
    spec = resolver.cluster_spec()
    if not spec:
        return []
    other = {*spec.jobs} - {"worker", "chief"}
    if other or "worker" not in spec.jobs:
        raise ValueError(
            f"MultiWorkerMirroredStrategy: the cluster has the jobs {spec.jobs}; the processes "
            "that train are 'worker', and at most one 'chief'"
        )
    chief = spec.job_tasks("chief") if "chief" in spec.jobs else []
    return [*chief, *spec.job_tasks("worker")]


def joined(addresses: Sequence[str], number: int | None) -> tuple[tuple[str, ...], range]:
    """Lets the processes meet; the devices of all of them, and which are this one's.

    Raises:
        RuntimeError: on another backend than jax, and after something was computed.
        ValueError: when ``number`` is no process's, or an address has no host or no port.
    """
    for address in addresses:
        _check_address(address)
    if number is None or not 0 <= number < len(addresses):
        raise ValueError(f"the cluster has {len(addresses)} workers, this one's index is {number}")
    backend: Any = registry.active_backend()
    if backend.name != "jax":
        raise RuntimeError(
            f"MultiWorkerMirroredStrategy: the {backend.name} backend computes in one process; "
            'tf.set_backend("jax") or the variable TFPY_BACKEND=jax takes one that has several'
        )
    found: tuple[tuple[str, ...], range] = backend.join(addresses, number)
    return found


def _check_address(address: str) -> None:
    """Raise a ValueError unless a process can be reached at an address."""
    host, _, port = address.rpartition(":")
    if not host or not port.isascii() or not port.isdigit() or not 0 < int(port[:9]) < 1 << 16:
        raise ValueError(
            f"the cluster has a worker at {address!r}; an address is 'host:port' with a port from "
            f"1 to {(1 << 16) - 1}, as in the variable {_VARIABLE}"
        )
