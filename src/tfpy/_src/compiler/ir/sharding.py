"""Shardings: how the elements of an array lie on the devices of a mesh."""

from __future__ import annotations

from typing import NamedTuple

ANY = "match"
"""In place of an axis: however the dimension lies already."""


class DeviceMesh(NamedTuple):
    """Devices in a grid, whose axes have names."""

    names: tuple[str, ...]
    """Of its axes..."""
    sizes: tuple[int, ...]
    """... and how many devices lie along each."""
    devices: tuple[str, ...]
    """Their full names (``/job:localhost/replica:0/task:0/device:CPU:0``), the last axis first."""


class Sharding(NamedTuple):
    """For each dimension of an array the axis of a mesh along which it is cut into equal parts.

    What is cut along none of them each device has whole, or each of those along that axis.
    """

    mesh: DeviceMesh
    axes: tuple[str | None, ...]
    """By dimension: the name of an axis, None, or ANY."""

    def __repr__(self) -> str:
        sizes = zip(self.mesh.names, self.mesh.sizes, strict=True)
        mesh = ", ".join(f"{name}={size}" for name, size in sizes)
        return f"[{', '.join(axis or '-' for axis in self.axes)}] on ({mesh})"
