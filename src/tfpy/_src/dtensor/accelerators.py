"""Devices and clients, made ready before the first computation."""

from __future__ import annotations

from tfpy._src.dtensor import clients

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

    Args:
        device_type: "CPU", "GPU" or "TPU"; the preferred one by default.
        num_logical_cpu_devices: of how many devices the CPU is to be made. Without it the number
            is as it is.
        enable_coordination_service, experimental_reset_context, experimental_enable_megcore: of no
            effect.

    Raises:
        ValueError: when it was called before, and for other types.

    Example:
        >>> import tfpy as tf
        >>> tf.experimental.dtensor.initialize_accelerator_system("CPU")
        'CPU'
        >>> tf.experimental.dtensor.shutdown_accelerator_system()
    """
    if is_initialized():
        raise ValueError(
            "Accelerator system has already been initialized. Call "
            "tf.experimental.dtensor.shutdown_accelerator_system() first."
        )
    kind = (device_type or clients.preferred_device_type()).upper()
    if kind not in _KINDS:
        raise ValueError(f"Unknown device_type {kind}. Allowed values are CPU, GPU, or TPU")
    _ready.append(kind)
    return kind


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
