"""The parts of a mesh: dimensions, specs of devices, and checks of its arguments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from tfpy._src.distribute.device_spec import DeviceSpec


class MeshDimension(NamedTuple):
    """The name and size of a mesh dimension."""

    name: str
    size: int


def spec_of(device: DeviceSpec | str) -> DeviceSpec:
    """Return the spec of a device."""
    return device if isinstance(device, DeviceSpec) else DeviceSpec.from_string(device)


def parse(text: str) -> tuple[Any, ...]:
    """Return the arguments of the mesh that `Mesh.to_string` wrote.

    Raises:
        ValueError: If the string has a different form.
    """
    parts = text.split("|")
    if len(parts) not in (5, 6):
        raise ValueError(f"Expected 5 or 6 mesh parts but found {len(parts)}: {text!r}")
    name, dims, ids, local_ids, local, *rest = parts
    pairs = [dim.rpartition("=")[::2] for dim in dims.split(",")]
    return (
        [dim for dim, _ in pairs],
        np.array(_numbers_in(ids)).reshape([int(size) for _, size in pairs]),
        _numbers_in(local_ids),
        [*filter(None, local.split(","))],
        name,
        [device for part in rest for device in part.split(",")],
    )


def _numbers_in(text: str) -> list[int]:
    """Parse integers that are separated by commas."""
    return [int(number) for number in text.split(",") if number]


def check(ids: Any, names: Sequence[str], local_ids: Any, local: Any, all_devices: Any) -> None:
    """Check the arguments of a mesh.

    Raises:
        ValueError: If they do not match each other.
    """
    if not isinstance(ids, np.ndarray):
        raise ValueError("Variable global_device_ids must be an ndarray.")
    if ids.size == 0:
        raise ValueError("Variable global_device_ids must be non-empty.")
    if not np.array_equal(ids.flat, np.arange(ids.flat[0], ids.flat[0] + ids.size)):
        raise ValueError(f"global_device_ids must sequentially increase: {ids}")
    if len(names) != ids.ndim:
        raise ValueError("Number of mesh dimensions does not match number of dimension names.")
    if len(set(names)) != len(names):
        raise ValueError(f"Mesh dimensions must have different names, got {list(names)}")
    if not isinstance(local_ids, list):
        raise ValueError("Variable local_device_ids must be a list of integers.")
    if not isinstance(local, list):
        raise ValueError("Variable local_devices must be a list of DeviceSpecs.")
    if all_devices and not isinstance(all_devices, list):
        raise ValueError("Variable global_devices must be a list of DeviceSpecs.")
    if not local and not all_devices:
        raise ValueError("Empty list of devices not allowed.")
    if len(local_ids) != len(local):
        raise ValueError("Variable local_device_ids does not have same size as local_devices.")
    if len(local_ids) > ids.size:
        raise ValueError("Cannot have more local than gobal device IDs.")
    if len(set(local)) != len(local):
        doubled = [device for device in local if local.count(device) > 1]
        raise ValueError(f"Duplicate devices found in mesh specification {doubled}.")
