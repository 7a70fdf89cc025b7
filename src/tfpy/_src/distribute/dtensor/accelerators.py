"""Initialization of devices and clients before the first computation."""

from __future__ import annotations

from typing import Any

from tfpy._src.backends.devices import sharder_of
from tfpy._src.backends.registry import active_backend
from tfpy._src.base.errors import UnimplementedError
from tfpy._src.base.missing_packages import several_devices
from tfpy._src.distribute import devices
from tfpy._src.distribute.dtensor import clients

_KINDS = ("CPU", "GPU", "TPU")
_ready: list[str] = []
"""Type of the initialized accelerator; empty if none is initialized."""


def is_initialized() -> bool:
    """Return True after a call of `initialize_accelerator_system`."""
    return bool(_ready)


def initialize_accelerator_system(
    device_type: str | None = None,
    enable_coordination_service: bool | None = True,
    num_logical_cpu_devices: int | None = None,
    experimental_reset_context: bool | None = False,
    experimental_enable_megcore: bool | None = False,
) -> str:
    """Initialize the devices for meshes, and connect the processes of a program.

    The processes are called clients. If there is more than one, the environment variable
    `DTENSOR_JOBS` must contain the addresses of all clients (`host:port`, separated by commas), and
    `DTENSOR_CLIENT_ID` the index of this client. The call waits until all clients are connected.

    Args:
        device_type: `"CPU"`, `"GPU"` or `"TPU"`. Default: the first available type of `"TPU"`,
            `"GPU"` and `"CPU"`.
        enable_coordination_service: Has no effect.
        num_logical_cpu_devices: Number of logical devices into which the CPU is split. Default: the
            number does not change.
        experimental_reset_context: Has no effect.
        experimental_enable_megcore: Has no effect.

    Returns:
        The device type.

    Raises:
        ValueError: If the system is already initialized, if `device_type` is unknown, or if the
            backend has already computed something before the CPU is split or clients are connected.
        tf.errors.UnimplementedError: If there is more than one client, and the backend is not jax.

    Example:
        >>> import tfpy as tf
        >>> tf.experimental.dtensor.initialize_accelerator_system("CPU")
        'CPU'
        >>> tf.experimental.dtensor.shutdown_accelerator_system()

    See also: `tf.experimental.dtensor.shutdown_accelerator_system`.
    """
    if is_initialized():
        raise ValueError(
            "Accelerator system has already been initialized. Call "
            "tf.experimental.dtensor.shutdown_accelerator_system() first."
        )
    kind = (device_type or clients.preferred_device_type()).upper()
    if kind not in _KINDS:
        raise ValueError(f"Unknown device_type {kind}. Allowed values are CPU, GPU, or TPU")
    try:
        if num_logical_cpu_devices is not None:
            (cpu,) = devices.list_physical_devices("CPU")
            shares = [devices.LogicalDeviceConfiguration()] * num_logical_cpu_devices
            devices.set_logical_device_configuration(cpu, shares)
        if clients.jobs():
            _meet()
    except RuntimeError as error:
        raise ValueError(
            f"initialize_accelerator_system must be called before anything is computed: {error}"
        ) from None
    _ready.append(kind)
    return kind


def _meet() -> None:
    """Connect to the other clients."""
    backend: Any = active_backend()
    if sharder_of(backend) is None:
        raise UnimplementedError(
            None,
            None,
            f"DTENSOR_JOBS lists several clients, but the {backend.name} backend supports only one "
            f"process. {several_devices()}",
        )
    backend.join(clients.jobs(), clients.client_id())


def shutdown_accelerator_system() -> None:
    """Undo the effect of `initialize_accelerator_system`, so that it can be called again.

    Raises:
        ValueError: If the system is not initialized, or if there is more than one client.

    Example:
        >>> import tfpy as tf
        >>> tf.experimental.dtensor.initialize_accelerator_system("CPU")
        'CPU'
        >>> tf.experimental.dtensor.shutdown_accelerator_system()

    See also: `tf.experimental.dtensor.initialize_accelerator_system`.
    """
    if not is_initialized():
        raise ValueError(
            "Accelerator system is not initialized. Call "
            "tf.experimental.dtensor.initialize_accelerator_system first."
        )
    if clients.jobs():
        raise ValueError(
            "Shutting down accelerator system under multi-client mode is not supported."
        )
    _ready.clear()


initialize_multi_client = initialize_tpu_system = initialize_accelerator_system
shutdown_tpu_system = shutdown_accelerator_system
