"""Names of devices: TensorFlow's, and those that backends have."""

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
    """A backend's device as TensorFlow names it."""
    kind = name.partition(":")[0].upper()
    return f"/job:{job}/replica:0/task:{task}/device:{kind}:{number}"


def found(devices: Sequence[Any], backend: Backend | None = None) -> tuple[str, ...]:
    """The backend's names of devices.

    Raises:
        ValueError: for one that there is not, one twice, or several where there is one.
    """
    backend = backend or registry.active_backend()
    names = devices_of(backend).devices()
    given = [parsed(device) for device in devices]
    if len(names) == 1 and len(given) == 1:
        return names
    if len(names) == 1:
        raise ValueError(
            f"the {backend.name} backend computes on one device, got {list(devices)}"
            + _more_devices(backend)
        )
    kind = backend.processor
    for device, (wanted, number) in zip(devices, given, strict=True):
        if wanted != kind or number >= len(names):
            raise ValueError(f"there is no device {device!r}; {kind}:0 to {kind}:{len(names) - 1}")
    if len(set(given)) < len(given):
        raise ValueError(f"No duplicates allowed in `devices` argument: {tuple(devices)}")
    return tuple(names[number] for _, number in given)


def _more_devices(backend: Backend) -> str:
    if backend.name == "jax":
        return "; tf.config.set_logical_device_configuration shares the CPU into several"
    return '; with several devices, tf.set_backend("jax") computes on them'


def parsed(device: Any) -> tuple[str, int]:
    """Type and number of a device.

    Raises:
        ValueError: for what names none.
    """
    if isinstance(device, DeviceSpec):
        device = device.to_string()
    name = getattr(device, "name", device)
    match = _NAME.fullmatch(name) if isinstance(name, str) else None
    if match is None:
        raise ValueError(f"tf.device: {device!r} is no device; write '/CPU:0' or '/GPU:0'")
    number = match["number"]
    kind = (match["kind"] or registry.active_backend().processor).upper()
    return kind, int(number) if number and number != "*" else 0
