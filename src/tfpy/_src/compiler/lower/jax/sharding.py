"""The conversion between tfpy's and JAX's shardings of arrays over devices."""

from __future__ import annotations

import functools
import re
from typing import Any

import jax
import numpy as np
from jax import lax, numpy as jnp
from jax.sharding import Mesh, NamedSharding, PartitionSpec, Sharding as JaxSharding

from tfpy._src.base.errors import InvalidArgumentError
from tfpy._src.compiler.ir.sharding import ANY, DeviceMesh, Sharding
from tfpy._src.compiler.lower.jax.table import lowers

_DEVICE = re.compile(r"/job:[^/]+/replica:\d+/task:(\d+)/device:(\w+):(\d+)")

_MESHES: dict[Mesh, DeviceMesh] = {}
"""Meshes that programs have used, by JAX's mesh."""


@functools.cache
def mesh_of(mesh: DeviceMesh) -> Mesh:
    """Return JAX's mesh of the same devices."""
    devices = np.array([device_of(name) for name in mesh.devices])
    found = Mesh(devices.reshape(mesh.sizes), mesh.names)
    _MESHES[found] = mesh
    return found


def device_of(name: str) -> jax.Device:
    """Return the device with this full name.

    Raises:
        InvalidArgumentError: If JAX does not see it.
    """
    match = _DEVICE.fullmatch(name)
    assert match is not None, name
    task, kind, index = int(match[1]), match[2], int(match[3])
    try:
        there = [d for d in jax.devices(kind.lower()) if d.process_index == task]
    except RuntimeError:  # JAX has no devices of this kind
        there = []
    if index >= len(there):
        text = (
            f"there is no device {name}: JAX sees {len(there)} devices of this kind in that process"
        )
        raise InvalidArgumentError(None, None, text)
    return there[index]


def forget_devices() -> None:
    """Clear the cached meshes, because JAX has other devices now."""
    _MESHES.clear()
    mesh_of.cache_clear()
    jax_sharding_of.cache_clear()


@functools.cache
def jax_sharding_of(sharding: Sharding) -> NamedSharding:
    """Return JAX's sharding, in the form that JAX uses for results.

    Otherwise functions of results would be compiled again.
    """
    axes = [PartitionSpec.UNCONSTRAINED if axis == ANY else axis for axis in sharding.axes]
    while axes and axes[-1] is None:
        axes.pop()
    return NamedSharding(mesh_of(sharding.mesh), PartitionSpec(*axes))


def sharding_of(placed: JaxSharding, rank: int) -> Sharding | None:
    """Return tfpy's sharding for JAX's, or None if it is not on a mesh of the program.

    A dimension that XLA has cut along several axes is reported as cut along the first of them.
    """
    if not isinstance(placed, NamedSharding) or placed.mesh not in _MESHES:
        return None
    axes = [axis[0] if isinstance(axis, tuple) else axis for axis in _axes(placed, rank)]
    return Sharding(_MESHES[placed.mesh], tuple(axes))


def is_sharded(placed: JaxSharding, sharding: Sharding) -> bool:
    """Return True if JAX's sharding equals tfpy's exactly."""
    return (
        isinstance(placed, NamedSharding)
        and placed.mesh == mesh_of(sharding.mesh)
        and _axes(placed, len(sharding.axes)) == list(sharding.axes)
    )


def _axes(placed: NamedSharding, rank: int) -> list[Any]:
    """Return the name of an axis, a tuple of several, or None for each dimension."""
    axes = [axis or None for axis in placed.spec]
    return [*axes, *[None] * (rank - len(axes))]


@lowers("relayout")
def relayout(x: Any, sharding: Sharding) -> Any:
    return (lax.with_sharding_constraint(jnp.asarray(x), jax_sharding_of(sharding)),)


@lowers("relayout_like")
def relayout_like(x: Any, like: Any) -> Any:
    # The partitioner distributes the operands of an elementwise operation alike, so this operation
    # has both operands, though it always selects the first.
    first = lax.optimization_barrier(jnp.asarray(True))
    return (lax.select(first, jnp.asarray(x), jnp.asarray(like).astype(x.dtype)),)
