"""Conversion between TensorFlow's and the backends' names of devices."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from tfpy._src.backends import registry
from tfpy._src.backends.backend import Backend
from tfpy._src.backends.devices import devices_of
from tfpy._src.distribute.device_spec import DeviceSpec

_NAME = re.compile(
    r"(/job:\w+)?(/replica:\d+)?(/task:\d+)?(/?(device:)?(?P<kind>cpu|gpu|tpu|custom)(:(?P<number>\d+|\*))?)?",
    re.IGNORECASE,
)


def full_name(name: str, number: int, job: str = "localhost", task: int = 0) -> str:
    """Return TensorFlow's full name of a backend's device."""
    kind = name.partition(":")[0].upper()
    return f"/job:{job}/replica:0/task:{task}/device:{kind}:{number}"


def found(devices: Sequence[Any], backend: Backend | None = None) -> tuple[str, ...]:
    """Return the backend's names of devices.

    Raises:
        ValueError: If a device does not exist or appears twice, or if there are several devices but
            the backend has one.
    """
    backend = backend or registry.active_backend()
    names = devices_of(backend).devices()
    given = [parsed(device) for device in devices]
    if len(names) == 1 and len(given) == 1:
        return names
    if len(names) == 1:
        raise ValueError(
            f"The {backend.name} backend computes on one device, got {list(devices)}."
            + _more_devices(backend)
        )
    kind = backend.processor
    for device, (wanted, number) in zip(devices, given, strict=True):
        if wanted != kind or number >= len(names):
            raise ValueError(
                f"There is no device {device!r}. Use {kind}:0 to {kind}:{len(names) - 1}."
            )
    if len(set(given)) < len(given):
        raise ValueError(f"No duplicates allowed in `devices` argument: {tuple(devices)}")
    return tuple(names[number] for _, number in given)


def _more_devices(backend: Backend) -> str:
    if backend.processor == "CPU":
        return " Split the CPU with tf.config.set_logical_device_configuration."
    return ' Call tf.set_backend("jax") to compute on several devices.'


def parsed(device: Any) -> tuple[str, int]:
    """Return the type and index of a device.

    Raises:
        ValueError: If the value is not the name of a device.
    """
    if isinstance(device, DeviceSpec):
        device = device.to_string()
    name = getattr(device, "name", device)
    match = _NAME.fullmatch(name) if isinstance(name, str) else None
    if match is None:
        raise ValueError(
            f"tf.device: {device!r} is not the name of a device. Use e.g. '/CPU:0' or '/GPU:0'."
        )
    number = match["number"]
    kind = (match["kind"] or registry.active_backend().processor).upper()
    return kind, int(number) if number and number != "*" else 0
