"""Creation of meshes from the available devices."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from tfpy._src.backends.devices import sharder_of
from tfpy._src.backends.registry import active_backend
from tfpy._src.base.missing_packages import several_devices
from tfpy._src.distribute.device_spec import DeviceSpec
from tfpy._src.distribute.dtensor import clients
from tfpy._src.distribute.dtensor.accelerators import is_initialized
from tfpy._src.distribute.dtensor.layout import Layout
from tfpy._src.distribute.dtensor.mesh import Mesh
from tfpy._src.distribute.dtensor.packing import pack
from tfpy._src.tensors.math.reductions import reduce_sum

Dims = Mapping[str, int] | Sequence[tuple[str, int]]


def create_mesh(
    mesh_dims: Dims | None = None,
    mesh_name: str = "",
    devices: Sequence[DeviceSpec | str] | None = None,
    device_type: str | None = None,
    use_xla_spmd: bool = False,
) -> Mesh:
    """Create a mesh of the devices of this process.

    Args:
        mesh_dims: Dictionary from the names of the dimensions to their sizes, or a list of pairs
            `(name, size)`. The size of a single dimension may be -1, which means all devices.
            Default: one dimension `"x"` of all devices.
        mesh_name: Name of the mesh. Default: the empty string.
        devices: Names, or `tf.DeviceSpec` objects, of the devices. Default: all devices of
            `device_type`.
        device_type: `"CPU"`, `"GPU"` or `"TPU"`. Default: the type of `devices`, or `"CPU"`.
        use_xla_spmd: Has no effect. It must be False for CPUs, as in TensorFlow.

    Returns:
        A `tf.experimental.dtensor.Mesh`.

    Raises:
        ValueError: If the number of devices is not the product of the sizes, if the devices do not
            have the type `device_type`, or if `use_xla_spmd` is True for CPUs.

    Example:
        >>> import tfpy as tf
        >>> from tfpy.experimental import dtensor
        >>> mesh = dtensor.create_mesh([("batch", 1), ("model", 1)], devices=["CPU:0"])
        >>> print(mesh.dim_names, mesh.shape())
        ['batch', 'model'] [1, 1]

    See also: `tf.experimental.dtensor.create_distributed_mesh`, `tf.experimental.dtensor.Layout`.
    """
    specs = _specs(devices, device_type)
    _check_spmd(use_xla_spmd, specs)
    dims = _dims(mesh_dims, len(specs))
    shape = [size for _, size in dims]
    if math.prod(shape) != len(specs):
        raise ValueError(
            f"length of devices ({len(specs)}) must be equal to total size of the mesh of shape "
            f"{shape}{_mend(len(specs))}"
        )
    return _mesh(dims, specs, len(specs), 0, mesh_name)


def create_distributed_mesh(
    mesh_dims: Dims,
    mesh_name: str = "",
    local_devices: Sequence[DeviceSpec | str] | None = None,
    device_type: str | None = None,
    use_xla_spmd: bool = False,
) -> Mesh:
    """Create a mesh of the devices of all processes of a program.

    Each process must call this function.

    Args:
        mesh_dims: Dictionary from the names of the dimensions to their sizes, or a list of pairs
            `(name, size)`. The size of a single dimension may be -1, which means all devices.
        mesh_name: Name of the mesh. Default: the empty string.
        local_devices: Names, or `tf.DeviceSpec` objects, of the devices of this process. Default:
            all devices of `device_type`.
        device_type: `"CPU"`, `"GPU"` or `"TPU"`. Default: the type of `local_devices`, or `"CPU"`.
        use_xla_spmd: Has no effect. It must be False for CPUs, as in TensorFlow.

    Returns:
        A `tf.experimental.dtensor.Mesh`.

    Raises:
        ValueError: If `tf.experimental.dtensor.initialize_accelerator_system` was not called, if
            the number of devices is not the product of the sizes, if the devices do not have the
            type `device_type`, or if `use_xla_spmd` is True for CPUs.

    Example:
        >>> import tfpy as tf
        >>> dtensor = tf.experimental.dtensor
        >>> kind = dtensor.initialize_accelerator_system("CPU")
        >>> mesh = dtensor.create_distributed_mesh([("batch", 1)], local_devices=["CPU:0"])
        >>> mesh.size, mesh.dim_names
        (1, ['batch'])
        >>> dtensor.shutdown_accelerator_system()

    See also: `tf.experimental.dtensor.create_mesh`.
    """
    if not is_initialized():
        raise ValueError(
            "Accelerators are uninitialized, please run dtensor.initialize_accelerator_system() "
            "first."
        )
    specs = _specs(local_devices, device_type)
    _check_spmd(use_xla_spmd, specs)
    count = len(specs) * clients.num_clients()
    dims = _dims(mesh_dims, count)
    shape = tuple(size for _, size in dims)
    if math.prod(shape) != count:
        raise ValueError(
            f"Global number of devices ({len(specs)} per client * {clients.num_clients()} clients "
            f"= {count}) must be equal to total size of the mesh of shape {shape}{_mend(count)}"
        )
    return _mesh(dims, specs, count, clients.client_id(), mesh_name)


def _specs(devices: Sequence[DeviceSpec | str] | None, kind: str | None) -> list[DeviceSpec]:
    if devices is None:
        specs = clients.local_devices(kind or "CPU")
    else:
        specs = [d if isinstance(d, DeviceSpec) else DeviceSpec.from_string(d) for d in devices]
        found = specs[0].device_type if specs else kind
        if kind is not None and kind.upper() != (found or "").upper():
            raise ValueError(f"Conflicting devices {specs} and device_type {kind}")
    own = DeviceSpec(job=clients.job_name(), replica=0, task=clients.client_id())
    return [own.make_merged_spec(spec) for spec in specs]


def _check_spmd(wanted: bool, specs: Sequence[DeviceSpec]) -> None:
    if wanted and any(spec.device_type == "CPU" for spec in specs):
        raise ValueError("XLA SPMD is not currently supported for a mesh of CPUs")


def _dims(given: Dims | None, count: int) -> list[tuple[str, int]]:
    if given is None:
        return [("x", count)]
    dims = list(given.items() if isinstance(given, Mapping) else given)
    if len(dims) == 1 and dims[0][1] == -1:
        return [(dims[0][0], count)]
    return dims


def _mend(count: int) -> str:
    """Return a hint about several devices if the active backend has one."""
    backend = active_backend()
    if count > 1 or sharder_of(backend) is not None:
        return ""
    return f". The active backend is {backend.name}. {several_devices()}"


def _mesh(
    dims: Sequence[tuple[str, int]], specs: list[Any], count: int, client: int, name: str
) -> Mesh:
    first = client * len(specs)
    return Mesh(
        [dim for dim, _ in dims],
        np.arange(count).reshape([size for _, size in dims]),
        list(range(first, first + len(specs))),
        specs,
        name,
    )


def barrier(mesh: Mesh, barrier_name: str | None = None, timeout_in_ms: int | None = None) -> None:
    """Wait until all processes have called this function and completed their computations.

    Args:
        mesh: A mesh of the devices of all processes.
        barrier_name: Has no effect.
        timeout_in_ms: Has no effect.

    Example:
        >>> import tfpy as tf
        >>> mesh = tf.experimental.dtensor.create_mesh([("batch", 1)], devices=["CPU:0"])
        >>> tf.experimental.dtensor.barrier(mesh)
    """
    layout = Layout(mesh.dim_names, mesh)
    one = np.ones([1] * layout.rank, np.float32)
    ones = pack([one] * mesh.num_local_devices(), layout)
    found = float(reduce_sum(ones))
    if found != mesh.size:
        raise ValueError(
            f"Global barrier produced wrong mesh size : {found} while mesh has actual size : "
            f"{mesh.size}"
        )
