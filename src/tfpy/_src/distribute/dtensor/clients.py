"""The processes that compute together, as environment variables describe them."""

from __future__ import annotations

import os

from tfpy._src.distribute.device_spec import DeviceSpec
from tfpy._src.distribute.devices import list_logical_devices

_TYPES = ("TPU", "GPU", "CPU")  # the preferred one first
_TRUE = ("true", "1")


def jobs() -> list[str]:
    """Return the addresses of all clients, from the environment variable `DTENSOR_JOBS`.

    The processes of a program are called clients.

    Returns:
        A list of `"host:port"`. It is empty if there is a single client.

    Example:
        >>> import tfpy as tf
        >>> tf.experimental.dtensor.jobs()
        []

    See also: `tf.experimental.dtensor.num_clients`.
    """
    return [job for job in os.environ.get("DTENSOR_JOBS", "").split(",") if job]


def num_clients() -> int:
    """Return the number of clients, which are the processes of a program.

    Returns:
        An integer.

    Example:
        >>> import tfpy as tf
        >>> tf.experimental.dtensor.num_clients()
        1

    See also: `tf.experimental.dtensor.client_id`.
    """
    return len(jobs()) or 1


def client_id() -> int:
    """Return the index of this client, from the environment variable `DTENSOR_CLIENT_ID`.

    The processes of a program are called clients.

    Returns:
        An integer. Default: 0.

    Raises:
        ValueError: If the index is negative or not less than the number of clients.

    Example:
        >>> import tfpy as tf
        >>> tf.experimental.dtensor.client_id()
        0

    See also: `tf.experimental.dtensor.num_clients`.
    """
    number = int(os.environ.get("DTENSOR_CLIENT_ID", "0"))
    if not 0 <= number < num_clients():
        bound = ">= 0" if number < 0 else f"< {num_clients()}"
        raise ValueError(f"Environment variable DTENSOR_CLIENT_ID must be {bound}, got {number}")
    return number


def job_name() -> str:
    """Return the name of the clients' job, from the environment variable `DTENSOR_JOB_NAME`.

    Returns:
        A string. If the variable is not set, it is `"localhost"` for a single client, and
        `"worker"` otherwise.

    Example:
        >>> import tfpy as tf
        >>> tf.experimental.dtensor.job_name()
        'localhost'

    See also: `tf.experimental.dtensor.full_job_name`.
    """
    return os.environ.get("DTENSOR_JOB_NAME", "localhost" if num_clients() == 1 else "worker")


def full_job_name(task_id: int | None = None) -> str:
    """Return the full name of a client, that is, of a process of the program.

    Args:
        task_id: Index of the client. Default: the index of this client.

    Returns:
        A string of the form `"job/replica:0/task:index"`.

    Raises:
        ValueError: If there is a single client and `task_id` is not 0.

    Example:
        >>> import tfpy as tf
        >>> tf.experimental.dtensor.full_job_name()
        'localhost/replica:0/task:0'

    See also: `tf.experimental.dtensor.job_name`.
    """
    task = client_id() if task_id is None else task_id
    if num_clients() == 1 and task != 0:
        raise ValueError(f"Unexpected task ID {task} in local runs")
    return f"{job_name()}/replica:0/task:{task}"


def heartbeat_enabled() -> bool:
    """Return the value of the environment variable `DTENSOR_ENABLE_HEARTBEAT`, which has no effect.

    Returns:
        A bool. It is True if the variable is not set, or if its value is `true` or `1`.

    Example:
        >>> import tfpy as tf
        >>> tf.experimental.dtensor.heartbeat_enabled()
        True
    """
    return os.environ.get("DTENSOR_ENABLE_HEARTBEAT", "true").lower() in _TRUE


def local_devices(device_type: str, for_client_id: int | None = None) -> list[DeviceSpec]:
    """List the devices of a type that a client, that is, a process of the program, has.

    Args:
        device_type: `"CPU"`, `"GPU"` or `"TPU"`.
        for_client_id: Index of the client. Default: the index of this client.

    Returns:
        A list of `tf.DeviceSpec`.

    Raises:
        ValueError: If `device_type` is unknown.

    Example:
        >>> import tfpy as tf
        >>> [device.device_type for device in tf.experimental.dtensor.local_devices("CPU")]
        ['CPU']

    See also: `tf.experimental.dtensor.num_local_devices`.
    """
    if device_type.upper() not in _TYPES:
        raise ValueError(f"Device type {device_type} is not CPU, GPU, or TPU.")
    task = client_id() if for_client_id is None else for_client_id
    return [
        DeviceSpec(job_name(), 0, task, device_type, i)
        for i in range(num_local_devices(device_type))
    ]


def num_local_devices(device_type: str) -> int:
    """Return the number of devices of a type that this process has.

    Args:
        device_type: `"CPU"`, `"GPU"` or `"TPU"`.

    Returns:
        An integer.

    Example:
        >>> import tfpy as tf
        >>> tf.experimental.dtensor.num_local_devices("CPU")
        1

    See also: `tf.experimental.dtensor.num_global_devices`.
    """
    return len(list_logical_devices(device_type.upper()))


def num_global_devices(device_type: str) -> int:
    """Return the number of devices of a type that all processes of the program have together.

    Each process has the same number of devices.

    Args:
        device_type: `"CPU"`, `"GPU"` or `"TPU"`.

    Returns:
        An integer.

    Example:
        >>> import tfpy as tf
        >>> tf.experimental.dtensor.num_global_devices("CPU")
        1

    See also: `tf.experimental.dtensor.num_local_devices`.
    """
    return num_local_devices(device_type) * num_clients()


def preferred_device_type() -> str:
    """Return the first available type of `"TPU"`, `"GPU"` and `"CPU"`.

    Returns:
        A string.

    Example:
        >>> import tfpy as tf
        >>> tf.experimental.dtensor.preferred_device_type() in ("TPU", "GPU", "CPU")
        True
    """
    return next((kind for kind in _TYPES if num_local_devices(kind)), "CPU")
