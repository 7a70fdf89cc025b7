"""Implementation of `tf.train.ClusterSpec`, the network addresses of a cluster's processes."""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from typing import Any, Protocol, runtime_checkable

_MESSAGES = "tfpy._src.library.protos.example"
"""Module with messages, which few programs load."""


@runtime_checkable
class ClusterMessage(Protocol):
    """A `tf.train.ClusterDef`."""

    job: Any


class ClusterSpec:
    """The network addresses of a cluster's processes.

    A process is called a task. Tasks with the same purpose form a job, such as `"worker"`.

    Args:
        cluster: Dictionary from job names to the addresses of their tasks, which are a list of
            `"host:port"` or a dictionary from task indices to `"host:port"`. A ClusterSpec or a
            `tf.train.ClusterDef` is copied.

    Raises:
        TypeError: If `cluster` has a different type.

    Example:
        >>> import tfpy as tf
        >>> tf.train.ClusterSpec({"worker": ["a:1", "b:2"]}).task_address("worker", 1)
        'b:2'

    See also: `tf.distribute.cluster_resolver.SimpleClusterResolver`.
    """

    def __init__(
        self,
        cluster: ClusterSpec | ClusterMessage | Mapping[str, Sequence[str] | Mapping[int, str]],
    ) -> None:
        if isinstance(cluster, ClusterSpec):
            cluster = cluster.as_dict()
        elif isinstance(cluster, ClusterMessage):
            cluster = {job.name: dict(job.tasks.items()) for job in cluster.job}
        if not isinstance(cluster, Mapping):
            raise TypeError(
                f"`cluster` must be a dictionary from job names to addresses, got {cluster!r}."
            )
        self._jobs: dict[str, dict[int, str]] = {}
        for job, tasks in cluster.items():
            self._jobs[job] = {int(number): _address(a) for number, a in _numbered(job, tasks)}

    @property
    def jobs(self) -> list[str]:
        """Names of the jobs."""
        return list(self._jobs)

    def num_tasks(self, job_name: str) -> int:
        """Return the number of tasks of a job.

        Args:
            job_name: Name of the job.

        Returns:
            An integer.

        Raises:
            ValueError: If there is no such job.

        Example:
            >>> import tfpy as tf
            >>> tf.train.ClusterSpec({"worker": ["a:1", "b:2"]}).num_tasks("worker")
            2
        """
        return len(self._job(job_name))

    def task_indices(self, job_name: str) -> list[int]:
        """Return the indices of a job's tasks in ascending order.

        Args:
            job_name: Name of the job.

        Returns:
            A list of integers.

        Raises:
            ValueError: If there is no such job.

        Example:
            >>> import tfpy as tf
            >>> tf.train.ClusterSpec({"worker": {0: "a:1", 3: "b:2"}}).task_indices("worker")
            [0, 3]
        """
        return sorted(self._job(job_name))

    def task_address(self, job_name: str, task_index: int) -> str:
        """Return the address of a task.

        Args:
            job_name: Name of the job.
            task_index: Index of the task.

        Returns:
            The address as `"host:port"`.

        Raises:
            ValueError: If there is no such job or task.

        Example:
            >>> import tfpy as tf
            >>> tf.train.ClusterSpec({"worker": ["a:1", "b:2"]}).task_address("worker", 0)
            'a:1'
        """
        job = self._job(job_name)
        if task_index not in job:
            raise ValueError(f"No task with index {task_index!r} in job {job_name!r}.")
        return job[task_index]

    def job_tasks(self, job_name: str) -> list[str]:
        """Return the addresses of a job's tasks, in the order of their indices.

        Args:
            job_name: Name of the job.

        Returns:
            A list of `"host:port"`.

        Raises:
            ValueError: If there is no such job.

        Example:
            >>> import tfpy as tf
            >>> tf.train.ClusterSpec({"worker": ["a:1", "b:2"]}).job_tasks("worker")
            ['a:1', 'b:2']
        """
        return [address for _, address in sorted(self._job(job_name).items())]

    def _job(self, name: str) -> dict[int, str]:
        if name not in self._jobs:
            raise ValueError(f"No such job in cluster: {name!r}")
        return self._jobs[name]

    def as_dict(self) -> dict[str, Any]:
        """Return the cluster as a dictionary from job names to the addresses of their tasks.

        Returns:
            A new dictionary. The addresses are a list, or a dictionary if indices are missing.

        Example:
            >>> import tfpy as tf
            >>> tf.train.ClusterSpec({"worker": {0: "a:1"}}).as_dict()
            {'worker': ['a:1']}
        """
        return {
            job: self.job_tasks(job) if {*tasks} == {*range(len(tasks))} else dict(tasks)
            for job, tasks in self._jobs.items()
        }

    def as_cluster_def(self) -> Any:
        """Return the cluster as a message.

        Returns:
            A `tf.train.ClusterDef`.

        Example:
            >>> import tfpy as tf
            >>> message = tf.train.ClusterSpec({"worker": ["a:1"]}).as_cluster_def()
            >>> message.job[0].name, message.job[0].tasks[0]
            ('worker', 'a:1')
        """
        found = importlib.import_module(_MESSAGES).ClusterDef()
        for name, tasks in sorted(self._jobs.items()):
            job = found.job.add(name=name)
            job.tasks.update(tasks)
        return found

    def __bool__(self) -> bool:
        return bool(self._jobs)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ClusterSpec) and self.as_dict() == other.as_dict()

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        jobs = ", ".join(f"{job!r}: {self.job_tasks(job)!r}" for job in sorted(self._jobs))
        return f"ClusterSpec({{{jobs}}})"


def _numbered(job: Any, tasks: Any) -> list[tuple[Any, Any]]:
    """Return the index and address of each of a job's tasks.

    Raises:
        TypeError: If `tasks` is neither a list of addresses nor a mapping of integers to addresses.
    """
    if isinstance(tasks, Mapping) and all(str(number).isdecimal() for number in tasks):
        return list(tasks.items())
    if isinstance(tasks, list | tuple):
        return list(enumerate(tasks))
    raise TypeError(
        f"The job {job!r} of a cluster must be a list of 'host:port', or a mapping from integers "
        f"to 'host:port', got {tasks!r}."
    )


def _address(given: Any) -> str:
    if not isinstance(given, str):
        raise TypeError(f"The address of a task must be a string 'host:port', got {given!r}.")
    return given
