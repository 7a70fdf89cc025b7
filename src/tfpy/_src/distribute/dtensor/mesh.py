"""``tf.experimental.dtensor.Mesh``: devices in a grid whose dimensions have names."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from tfpy._src.compiler.ir.sharding import DeviceMesh
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.tensor import Tensor
from tfpy._src.distribute.device_spec import DeviceSpec

_PARTS = (5, 6)
"""How many parts a mesh's text has."""


class MeshDimension(NamedTuple):
    """A dimension of a mesh."""

    name: str
    size: int


class Mesh:
    """Devices in a grid whose dimensions have names (``tf.experimental.dtensor.Mesh``).

    ``create_mesh`` makes one of the devices that there are.

    Args:
        dim_names: of the dimensions.
        global_device_ids: an array of the grid's shape: the numbers of the devices of all clients,
            one after the other.
        local_device_ids: the numbers of those of this client...
        local_devices: ... and their names or specs.
        mesh_name: a name for it.
        global_devices: names of the devices of all clients, where they cannot be told from this
            client's.
        use_xla_spmd: of no effect: XLA spreads what is computed.

    Raises:
        ValueError: when these do not fit each other.

    Example:
        >>> import numpy as np
        >>> from tfpy.experimental import dtensor
        >>> mesh = dtensor.Mesh(["batch"], np.array([0]), [0], ["/job:localhost/device:CPU:0"])
        >>> print(mesh["batch"].size)
        1
    """

    def __init__(
        self,
        dim_names: Sequence[str],
        global_device_ids: np.ndarray[Any, Any],
        local_device_ids: list[int],
        local_devices: list[DeviceSpec | str],
        mesh_name: str = "",
        global_devices: list[DeviceSpec | str] | None = None,
        use_xla_spmd: bool = False,
    ) -> None:
        _check(global_device_ids, dim_names, local_device_ids, local_devices, global_devices)
        self.name = mesh_name
        self.dim_names = list(dim_names)
        self._ids = global_device_ids.astype(np.int64)
        self._local_ids = [int(i) for i in local_device_ids]
        self._local = [_spec(device) for device in local_devices]
        self._global = [_spec(device) for device in global_devices or []]
        kinds = {spec.device_type for spec in self._local or self._global}
        if None in kinds:
            raise ValueError("device_type is required")
        if len(kinds) > 1:
            raise ValueError(f"Devices containing multiple device_types : {kinds}")
        (self._kind,) = kinds

    # What it is

    def shape(self) -> list[int]:
        """The sizes of its dimensions."""
        return list(self._ids.shape)

    @property
    def size(self) -> int:
        """How many devices it has."""
        return int(self._ids.size)

    def dim_size(self, dim_name: str) -> int:
        """The size of a dimension.

        Raises:
            ValueError: when there is none of that name.
        """
        if dim_name not in self.dim_names:
            names = ",".join(self.dim_names)
            raise ValueError(
                f"Dimension {dim_name} does not exist in mesh.Available dimensions: {names}"
            )
        return self.shape()[self.dim_names.index(dim_name)]

    def __getitem__(self, dim_name: str) -> MeshDimension:
        return MeshDimension(dim_name, self.dim_size(dim_name))

    def contains_dim(self, dim_name: str) -> bool:
        """Whether it has a dimension of that name."""
        return dim_name in self.dim_names

    __contains__ = contains_dim

    def device_type(self) -> str:
        """ "CPU", "GPU" or "TPU"."""
        return str(self._kind)

    def is_remote(self) -> bool:
        """Whether none of its devices is this client's."""
        return not self._local_ids

    @property
    def strides(self) -> list[int]:
        """By how much a device's number grows along each dimension."""
        shape = self.shape()
        return [math.prod(shape[i + 1 :]) for i in range(len(shape))]

    def coords(self, device_idx: Any) -> Tensor:
        """Where a device lies: its number along each dimension."""
        place: Tensor = (device_idx // convert_to_tensor(self.strides)) % convert_to_tensor(
            self.shape()
        )
        return place

    def unravel_index(self) -> dict[int, dict[str, int]]:
        """By number of a device where it lies."""
        places = itertools.product(*map(range, self.shape()))
        return {i: dict(zip(self.dim_names, at, strict=True)) for i, at in enumerate(places)}

    # Its devices

    def global_device_ids(self) -> np.ndarray[Any, Any]:
        """The numbers of the devices, in the grid's shape."""
        return self._ids.copy()

    def min_global_device_id(self) -> int:
        """The first device's number."""
        return int(self._ids.flat[0])

    def global_devices(self) -> list[str]:
        """The names of the devices of all clients, if they were given."""
        return [spec.to_string() for spec in self._global]

    def local_device_ids(self) -> list[int]:
        """The numbers of this client's devices."""
        return list(self._local_ids)

    def local_devices(self) -> list[str]:
        """The names of this client's devices."""
        return [spec.to_string() for spec in self._local]

    def num_local_devices(self) -> int:
        """How many devices are this client's."""
        return len(self._local_ids)

    def local_device_locations(self) -> list[dict[str, int]]:
        """Where this client's devices lie."""
        places = self.unravel_index()
        return [places[i - self.min_global_device_id()] for i in self._local_ids]

    def host_mesh(self) -> Mesh:
        """The same grid of CPUs, one for each device, without a name."""
        cpus: list[DeviceSpec | str] = [spec.replace(device_type="CPU") for spec in self._local]
        return Mesh(self.dim_names, self._ids, self._local_ids, cpus)

    @cached_property
    def device_mesh(self) -> DeviceMesh:
        """It, for backends."""
        found = DeviceMesh(
            tuple(self.dim_names),
            tuple(self.shape()),
            tuple(_LOCALHOST.make_merged_spec(spec).to_string() for spec in self._all()),
        )
        BY_DEVICE_MESH[found] = self
        return found

    def _all(self) -> list[DeviceSpec]:
        """The devices of all clients: each has as many, and of the same names."""
        if self._global:
            return self._global
        count, first = len(self._local), self.min_global_device_id()
        if count == self.size:
            by_id = dict(zip(self._local_ids, self._local, strict=True))
            return [by_id[int(i)] for i in self._ids.flat]
        numbers = [int(i) - first for i in self._ids.flat]
        return [self._local[i % count].replace(task=i // count) for i in numbers]

    # As a text

    def to_string(self) -> str:
        """A text, of which :meth:`from_string` makes the mesh again."""
        dims = zip(self.dim_names, self.shape(), strict=True)
        parts = [
            self.name,
            ",".join(f"{name}={size}" for name, size in dims),
            ",".join(map(str, self._ids.flat)),
            ",".join(map(str, self._local_ids)),
            ",".join(self.local_devices()),
        ]
        if self._global:
            parts.append(",".join(self.global_devices()))
        return "|".join(parts)

    @classmethod
    def from_string(cls, mesh_str: str) -> Mesh:
        """The mesh that :meth:`to_string` has written.

        Raises:
            ValueError: for another text.
        """
        parts = mesh_str.split("|")
        if len(parts) not in _PARTS:
            raise ValueError(f"Expected 5 or 6 mesh parts but found {len(parts)}: {mesh_str!r}")
        name, dims, ids, local_ids, local, *rest = parts
        pairs = [dim.rpartition("=")[::2] for dim in dims.split(",")]
        return cls(
            [dim for dim, _ in pairs],
            np.array(_numbers(ids)).reshape([int(size) for _, size in pairs]),
            _numbers(local_ids),
            [*filter(None, local.split(","))],
            name,
            [device for part in rest for device in part.split(",")],
        )

    def __reduce__(self) -> Any:
        return Mesh.from_string, (self.to_string(),)

    def __eq__(self, other: object) -> bool:
        """Whether they are one grid of the same devices; the mesh's own name does not count."""
        return isinstance(other, Mesh) and other.device_mesh == self.device_mesh

    def __hash__(self) -> int:
        return hash(self.device_mesh)

    def __repr__(self) -> str:
        return f"Mesh.from_string({self.to_string()})"


_LOCALHOST = DeviceSpec("localhost", 0, 0, "CPU", 0)

BY_DEVICE_MESH: dict[DeviceMesh, Mesh] = {}
"""The meshes that have been used."""


def _spec(device: DeviceSpec | str) -> DeviceSpec:
    return device if isinstance(device, DeviceSpec) else DeviceSpec.from_string(device)


def _numbers(text: str) -> list[int]:
    return [int(number) for number in text.split(",") if number]


def _check(ids: Any, names: Sequence[str], local_ids: Any, local: Any, all_devices: Any) -> None:
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
