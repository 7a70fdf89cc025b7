"""Shardings: the distribution of an array's elements over the devices of a mesh."""

from __future__ import annotations

from typing import NamedTuple

ANY = "match"
"""Used in place of an axis: the dimension keeps its present layout."""


class DeviceMesh(NamedTuple):
    """A grid of devices with named axes."""

    names: tuple[str, ...]
    """Names of the axes."""
    sizes: tuple[int, ...]
    """Number of devices along each axis."""
    devices: tuple[str, ...]
    """Full names of the devices (`/job:localhost/replica:0/task:0/device:CPU:0`), the last axis
    first."""


class Sharding(NamedTuple):
    """The mesh axis along which each dimension of an array is cut into equal parts.

    A dimension without an axis is not cut: each device along the unused axes holds it whole.
    """

    mesh: DeviceMesh
    axes: tuple[str | None, ...]
    """Name of an axis, None or ANY, for each dimension."""

    def __repr__(self) -> str:
        sizes = zip(self.mesh.names, self.mesh.sizes, strict=True)
        mesh = ", ".join(f"{name}={size}" for name, size in sizes)
        return f"[{', '.join(axis or '-' for axis in self.axes)}] on ({mesh})"
