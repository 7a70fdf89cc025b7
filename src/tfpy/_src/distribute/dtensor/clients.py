"""The processes that compute together, as environment variables tell them, and their devices."""

from __future__ import annotations

import os

from tfpy._src.distribute.device_spec import DeviceSpec
from tfpy._src.distribute.devices import list_logical_devices

_TYPES = ("TPU", "GPU", "CPU")  # the preferred one first
_TRUE = ("true", "1")


def jobs() -> list[str]:
    """The addresses of all clients, of the variable ``DTENSOR_JOBS``; none where there is one.

    Example:
        >>> import tfpy as tf
        >>> tf.experimental.dtensor.jobs()
        []
    """
    return [job for job in os.environ.get("DTENSOR_JOBS", "").split(",") if job]


def num_clients() -> int:
    """How many clients there are.

    Example:
        >>> import tfpy as tf
        >>> tf.experimental.dtensor.num_clients()
        1
    """
    return len(jobs()) or 1


def client_id() -> int:
    """This client's number, of the variable ``DTENSOR_CLIENT_ID``.

    Raises:
        ValueError: when there is no client of that number.

    Example:
        >>> import tfpy as tf
        >>> tf.experimental.dtensor.client_id()
        0
    """
    number = int(os.environ.get("DTENSOR_CLIENT_ID", "0"))
    if not 0 <= number < num_clients():
        bound = ">= 0" if number < 0 else f"< {num_clients()}"
        raise ValueError(f"Environment variable DTENSOR_CLIENT_ID must be {bound}, got {number}")
    return number


def job_name() -> str:
    """The name of the clients' job, of the variable ``DTENSOR_JOB_NAME``.

    Example:
        >>> import tfpy as tf
        >>> tf.experimental.dtensor.job_name()
        'localhost'
    """
    return os.environ.get("DTENSOR_JOB_NAME", "localhost" if num_clients() == 1 else "worker")


def full_job_name(task_id: int | None = None) -> str:
    """The name of a client, of this one by default.

    Raises:
        ValueError: for another number than 0 where there is one client.

    Example:
        >>> import tfpy as tf
        >>> tf.experimental.dtensor.full_job_name()
        'localhost/replica:0/task:0'
    """
    task = client_id() if task_id is None else task_id
    if num_clients() == 1 and task != 0:
        raise ValueError(f"Unexpected task ID {task} in local runs")
    return f"{job_name()}/replica:0/task:{task}"


def heartbeat_enabled() -> bool:
    """What the variable ``DTENSOR_ENABLE_HEARTBEAT`` says: True by default.

    Example:
        >>> import tfpy as tf
        >>> tf.experimental.dtensor.heartbeat_enabled()
        True
    """
    return os.environ.get("DTENSOR_ENABLE_HEARTBEAT", "true").lower() in _TRUE


def local_devices(device_type: str, for_client_id: int | None = None) -> list[DeviceSpec]:
    """The devices of a type that this client has.

    Raises:
        ValueError: for what is no type of device.

    Example:
        >>> import tfpy as tf
        >>> [device.device_type for device in tf.experimental.dtensor.local_devices("CPU")]
        ['CPU']
    """
    if device_type.upper() not in _TYPES:
        raise ValueError(f"Device type {device_type} is not CPU, GPU, or TPU.")
    task = client_id() if for_client_id is None else for_client_id
    return [
        DeviceSpec(job_name(), 0, task, device_type, i)
        for i in range(num_local_devices(device_type))
    ]


def num_local_devices(device_type: str) -> int:
    """How many devices of a type this client has.

    Example:
        >>> import tfpy as tf
        >>> tf.experimental.dtensor.num_local_devices("CPU")
        1
    """
    return len(list_logical_devices(device_type.upper()))


def num_global_devices(device_type: str) -> int:
    """How many devices of a type all clients have, each as many as this one.

    Example:
        >>> import tfpy as tf
        >>> tf.experimental.dtensor.num_global_devices("CPU")
        1
    """
    return num_local_devices(device_type) * num_clients()


def preferred_device_type() -> str:
    """ "TPU" where there are TPUs, else "GPU", else "CPU".

    Example:
        >>> import tfpy as tf
        >>> tf.experimental.dtensor.preferred_device_type() in ("TPU", "GPU", "CPU")
        True
    """
    return next((kind for kind in _TYPES if num_local_devices(kind)), "CPU")
