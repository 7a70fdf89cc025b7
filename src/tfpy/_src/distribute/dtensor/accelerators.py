"""Devices and clients, made ready before the first computation."""

from __future__ import annotations

from typing import Any

from tfpy._src.backends.devices import sharder_of
from tfpy._src.backends.registry import active_backend
from tfpy._src.base.errors import UnimplementedError
from tfpy._src.distribute import devices
from tfpy._src.distribute.dtensor import clients

_KINDS = ("CPU", "GPU", "TPU")
_ready: list[str] = []
"""The type of accelerator that is initialized, if one is."""


def is_initialized() -> bool:
    """Whether :func:`initialize_accelerator_system` has been called."""
    return bool(_ready)


def initialize_accelerator_system(
    device_type: str | None = None,
    enable_coordination_service: bool | None = True,
    num_logical_cpu_devices: int | None = None,
    experimental_reset_context: bool | None = False,
    experimental_enable_megcore: bool | None = False,
) -> str:
    """Makes devices and clients ready for meshes; the type of device.

    Where the variable ``DTENSOR_JOBS`` has the addresses of several clients (``host:port``, with
    commas between them) and ``DTENSOR_CLIENT_ID`` this one's number, all of them meet here, at the
    first one's address.

    Args:
        device_type: "CPU", "GPU" or "TPU"; the preferred one by default.
        num_logical_cpu_devices: into how many devices the CPU is shared. Without it their number
            is as it is.
        enable_coordination_service, experimental_reset_context, experimental_enable_megcore: of no
            effect.

    Raises:
        ValueError: when it was called before, for other types, and when the backend has computed
            already and is to have other devices.
        UnimplementedError: for several clients on another backend than jax.

    Example:
        >>> from tfpy.experimental import dtensor
        >>> dtensor.initialize_accelerator_system("CPU")
        'CPU'
        >>> dtensor.shutdown_accelerator_system()
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
    """Waits for the other clients."""
    backend: Any = active_backend()
    if sharder_of(backend) is None:
        raise UnimplementedError(
            None,
            None,
            f"DTENSOR_JOBS names several clients; the backend {backend.name!r} computes in one "
            'process. The backend jax has several: pip install jax, tf.set_backend("jax")',
        )
    backend.join(clients.jobs(), clients.client_id())


def shutdown_accelerator_system() -> None:
    """Undoes :func:`initialize_accelerator_system`.

    Raises:
        ValueError: when that was not called, and where there are several clients.

    Example:
        >>> import tfpy as tf
        >>> tf.experimental.dtensor.initialize_accelerator_system("CPU")
        'CPU'
        >>> tf.experimental.dtensor.shutdown_accelerator_system()
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
