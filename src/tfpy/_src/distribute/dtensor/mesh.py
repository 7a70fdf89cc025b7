"""Implementation of `tf.experimental.dtensor.Mesh`, a grid of devices with named dimensions."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from tfpy._src.compiler.ir.sharding import DeviceMesh
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.tensor import Tensor
from tfpy._src.distribute.device_spec import DeviceSpec
from tfpy._src.distribute.dtensor.mesh_parts import MeshDimension, check, parse, spec_of


class Mesh:
    """A grid of devices with named dimensions, over which tensors are sharded.

    `tf.experimental.dtensor.create_mesh` creates a mesh of the available devices. The processes of
    a program are called clients, and each has some of the devices.

    Args:
        dim_names: Names of the dimensions.
        global_device_ids: Integer NumPy array with the shape of the grid, which contains the
            consecutive numbers of the devices of all clients.
        local_device_ids: Numbers of the devices of this client.
        local_devices: Names, or `tf.DeviceSpec` objects, of the devices of this client.
        mesh_name: Name of the mesh. Default: the empty string.
        global_devices: Names or `tf.DeviceSpec` objects of all devices. Default: they are derived
            from `local_devices`.
        use_xla_spmd: Has no effect. XLA always shards the computation.

    Raises:
        ValueError: If the arguments do not match each other.

    Example:
        >>> import numpy as np
        >>> import tfpy as tf
        >>> from tfpy.experimental import dtensor
        >>> mesh = dtensor.Mesh(["batch"], np.array([0]), [0], ["/job:localhost/device:CPU:0"])
        >>> print(mesh["batch"].size)
        1

    See also: `tf.experimental.dtensor.create_mesh`, `tf.experimental.dtensor.Layout`.
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
        check(global_device_ids, dim_names, local_device_ids, local_devices, global_devices)
        self.name = mesh_name
        self.dim_names = list(dim_names)
        self._ids = global_device_ids.astype(np.int64)
        self._local_ids = [int(i) for i in local_device_ids]
        self._local = [spec_of(device) for device in local_devices]
        self._global = [spec_of(device) for device in global_devices or []]
        kinds = {spec.device_type for spec in self._local or self._global}
        if None in kinds:
            raise ValueError("device_type is required")
        if len(kinds) > 1:
            raise ValueError(f"Devices containing multiple device_types : {kinds}")
        (self._kind,) = kinds

    def shape(self) -> list[int]:
        """Return the sizes of the dimensions.

        Returns:
            A list of integers.

        Example:
            >>> import tfpy as tf
            >>> tf.experimental.dtensor.create_mesh({"x": 1}, "", ["CPU:0"]).shape()
            [1]
        """
        return list(self._ids.shape)

    @property
    def size(self) -> int:
        """Number of devices."""
        return int(self._ids.size)

    def dim_size(self, dim_name: str) -> int:
        """Return the size of a dimension.

        Args:
            dim_name: Name of the dimension.

        Returns:
            An integer.

        Raises:
            ValueError: If the mesh has no dimension with this name.

        Example:
            >>> import tfpy as tf
            >>> tf.experimental.dtensor.create_mesh({"x": 1}, "", ["CPU:0"]).dim_size("x")
            1
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
        """Return True if the mesh has a dimension with the given name.

        Args:
            dim_name: Name of the dimension.

        Returns:
            A bool.

        Example:
            >>> import tfpy as tf
            >>> tf.experimental.dtensor.create_mesh({"x": 1}, "", ["CPU:0"]).contains_dim("y")
            False
        """
        return dim_name in self.dim_names

    __contains__ = contains_dim

    def device_type(self) -> str:
        """Return the type of the devices: `"CPU"`, `"GPU"` or `"TPU"`.

        Returns:
            A string.

        Example:
            >>> import tfpy as tf
            >>> tf.experimental.dtensor.create_mesh({"x": 1}, "", ["CPU:0"]).device_type()
            'CPU'
        """
        return str(self._kind)

    def is_remote(self) -> bool:
        """Return True if this process has none of the mesh's devices.

        Returns:
            A bool.

        Example:
            >>> import tfpy as tf
            >>> tf.experimental.dtensor.create_mesh({"x": 1}, "", ["CPU:0"]).is_remote()
            False
        """
        return not self._local_ids

    @property
    def strides(self) -> list[int]:
        """Difference between the numbers of neighboring devices, for each dimension."""
        shape = self.shape()
        return [math.prod(shape[i + 1 :]) for i in range(len(shape))]

    def coords(self, device_idx: int | Tensor) -> Tensor:
        """Return the position of a device in the grid.

        Args:
            device_idx: Number of the device, relative to the first one.

        Returns:
            An integer tensor of shape `[dimensions]` with the index along each dimension.

        Example:
            >>> import tfpy as tf
            >>> mesh = tf.experimental.dtensor.create_mesh({"x": 1}, "", ["CPU:0"])
            >>> print(mesh.coords(0).numpy())
            [0]
        """
        place: Tensor = (device_idx // convert_to_tensor(self.strides)) % convert_to_tensor(
            self.shape()
        )
        return place

    def unravel_index(self) -> dict[int, dict[str, int]]:
        """Return the position of each device in the grid.

        Returns:
            A dictionary from the number of each device, relative to the first one, to a dictionary
            from the names of the dimensions to indices.

        Example:
            >>> import tfpy as tf
            >>> tf.experimental.dtensor.create_mesh({"x": 1}, "", ["CPU:0"]).unravel_index()
            {0: {'x': 0}}
        """
        places = itertools.product(*map(range, self.shape()))
        return {i: dict(zip(self.dim_names, at, strict=True)) for i, at in enumerate(places)}

    def global_device_ids(self) -> np.ndarray[Any, Any]:
        """Return the numbers of the devices in the shape of the grid.

        Returns:
            An integer NumPy array.

        Example:
            >>> import tfpy as tf
            >>> tf.experimental.dtensor.create_mesh({"x": 1}, "", ["CPU:0"]).global_device_ids()
            array([0])
        """
        return self._ids.copy()

    def min_global_device_id(self) -> int:
        """Return the number of the first device.

        Returns:
            An integer.

        Example:
            >>> import tfpy as tf
            >>> tf.experimental.dtensor.create_mesh({"x": 1}, "", ["CPU:0"]).min_global_device_id()
            0
        """
        return int(self._ids.flat[0])

    def global_devices(self) -> list[str]:
        """Return the argument `global_devices` of the constructor.

        Returns:
            A list of the names of devices. It is empty if the argument was not given.

        Example:
            >>> import tfpy as tf
            >>> tf.experimental.dtensor.create_mesh({"x": 1}, "", ["CPU:0"]).global_devices()
            []
        """
        return [spec.to_string() for spec in self._global]

    def local_device_ids(self) -> list[int]:
        """Return the numbers of the devices of this process.

        Returns:
            A list of integers.

        Example:
            >>> import tfpy as tf
            >>> tf.experimental.dtensor.create_mesh({"x": 1}, "", ["CPU:0"]).local_device_ids()
            [0]
        """
        return list(self._local_ids)

    def local_devices(self) -> list[str]:
        """Return the names of the devices of this process.

        Returns:
            A list of strings.

        Example:
            >>> import tfpy as tf
            >>> tf.experimental.dtensor.create_mesh({"x": 1}, "", ["CPU:0"]).local_devices()
            ['/job:localhost/replica:0/task:0/device:CPU:0']
        """
        return [spec.to_string() for spec in self._local]

    def num_local_devices(self) -> int:
        """Return the number of devices of this process.

        Returns:
            An integer.

        Example:
            >>> import tfpy as tf
            >>> tf.experimental.dtensor.create_mesh({"x": 1}, "", ["CPU:0"]).num_local_devices()
            1
        """
        return len(self._local_ids)

    def local_device_locations(self) -> list[dict[str, int]]:
        """Return the positions of the devices of this process in the grid.

        Returns:
            A list of dictionaries from the names of the dimensions to indices.

        Example:
            >>> import tfpy as tf
            >>> mesh = tf.experimental.dtensor.create_mesh({"x": 1}, "", ["CPU:0"])
            >>> mesh.local_device_locations()
            [{'x': 0}]
        """
        places = self.unravel_index()
        return [places[i - self.min_global_device_id()] for i in self._local_ids]

    def host_mesh(self) -> Mesh:
        """Return an unnamed mesh of the same shape, with one CPU for each device.

        Returns:
            A new Mesh.

        Example:
            >>> import tfpy as tf
            >>> mesh = tf.experimental.dtensor.create_mesh({"x": 1}, "", ["CPU:0"])
            >>> mesh.host_mesh().local_devices()
            ['/job:localhost/replica:0/task:0/device:CPU:0']
        """
        cpus: list[DeviceSpec | str] = [spec.replace(device_type="CPU") for spec in self._local]
        return Mesh(self.dim_names, self._ids, self._local_ids, cpus)

    @cached_property
    def device_mesh(self) -> DeviceMesh:
        """Mesh for backends."""
        found = DeviceMesh(
            tuple(self.dim_names),
            tuple(self.shape()),
            tuple(_LOCALHOST.make_merged_spec(spec).to_string() for spec in self._all()),
        )
        BY_DEVICE_MESH[found] = self
        return found

    def _all(self) -> list[DeviceSpec]:
        """Return the devices of all clients; each client has equally many, with equal names."""
        if self._global:
            return self._global
        count, first = len(self._local), self.min_global_device_id()
        if count == self.size:
            by_id = dict(zip(self._local_ids, self._local, strict=True))
            return [by_id[int(i)] for i in self._ids.flat]
        numbers = [int(i) - first for i in self._ids.flat]
        return [self._local[i % count].replace(task=i // count) for i in numbers]

    def to_string(self) -> str:
        """Return the mesh as a string, which `from_string` parses.

        Returns:
            A string.

        Example:
            >>> import tfpy as tf
            >>> tf.experimental.dtensor.create_mesh({"x": 1}, "", ["CPU:0"]).to_string()
            '|x=1|0|0|/job:localhost/replica:0/task:0/device:CPU:0'
        """
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
        """Parse a string that `to_string` returned.

        Args:
            mesh_str: The string.

        Returns:
            A Mesh.

        Raises:
            ValueError: If the string has a different form.

        Example:
            >>> import tfpy as tf
            >>> mesh = tf.experimental.dtensor.create_mesh({"x": 1}, "", ["CPU:0"])
            >>> tf.experimental.dtensor.Mesh.from_string(mesh.to_string()).dim_names
            ['x']
        """
        return cls(*parse(mesh_str))

    def __reduce__(self) -> Any:
        return Mesh.from_string, (self.to_string(),)

    def __eq__(self, other: object) -> bool:
        """Return True if both are the same grid of the same devices; mesh names are ignored."""
        return isinstance(other, Mesh) and other.device_mesh == self.device_mesh

    def __hash__(self) -> int:
        return hash(self.device_mesh)

    def __repr__(self) -> str:
        return f"Mesh.from_string({self.to_string()})"


_LOCALHOST = DeviceSpec("localhost", 0, 0, "CPU", 0)

BY_DEVICE_MESH: dict[DeviceMesh, Mesh] = {}
"""Meshes that have been used, by their form for backends."""
