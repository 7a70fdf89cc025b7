"""Shardings of arrays over devices: tfpy's, and JAX's."""

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
"""The meshes that programs have used, by what JAX has for each."""


@functools.cache
def mesh_of(mesh: DeviceMesh) -> Mesh:
    """JAX's mesh of the same devices."""
    devices = np.array([device_of(name) for name in mesh.devices])
    found = Mesh(devices.reshape(mesh.sizes), mesh.names)
    _MESHES[found] = mesh
    return found


def device_of(name: str) -> jax.Device:
    """The device with that full name.

    Raises:
        InvalidArgumentError: when JAX sees none.
    """
    match = _DEVICE.fullmatch(name)
    assert match is not None, name
    task, kind, index = int(match[1]), match[2], int(match[3])
    try:
        there = [d for d in jax.devices(kind.lower()) if d.process_index == task]
    except RuntimeError:  # JAX has no such kind
        there = []
    if index >= len(there):
        text = f"there is no device {name}: JAX sees {len(there)} of its kind in that process"
        raise InvalidArgumentError(None, None, text)
    return there[index]


def forget_devices() -> None:
    """What is known of meshes: JAX has other devices now."""
    _MESHES.clear()
    mesh_of.cache_clear()
    jax_sharding_of.cache_clear()


@functools.cache
def jax_sharding_of(sharding: Sharding) -> NamedSharding:
    """JAX's word for it, as JAX writes it of results: otherwise they would be compiled for anew."""
    axes = [PartitionSpec.UNCONSTRAINED if axis == ANY else axis for axis in sharding.axes]
    while axes and axes[-1] is None:
        axes.pop()
    return NamedSharding(mesh_of(sharding.mesh), PartitionSpec(*axes))


def sharding_of(placed: JaxSharding, rank: int) -> Sharding | None:
    """What tfpy says of JAX's sharding; None when it is on no mesh of the program's.

    A dimension that XLA has cut along several axes is told to be cut along the first of them.
    """
    if not isinstance(placed, NamedSharding) or placed.mesh not in _MESHES:
        return None
    axes = [axis[0] if isinstance(axis, tuple) else axis for axis in _axes(placed, rank)]
    return Sharding(_MESHES[placed.mesh], tuple(axes))


def is_sharded(placed: JaxSharding, sharding: Sharding) -> bool:
    """Whether it is what tfpy says, and no more."""
    return (
        isinstance(placed, NamedSharding)
        and placed.mesh == mesh_of(sharding.mesh)
        and _axes(placed, len(sharding.axes)) == list(sharding.axes)
    )


def _axes(placed: NamedSharding, rank: int) -> list[Any]:
    """For each dimension the name of an axis, a tuple of several, or None."""
    axes = [axis or None for axis in placed.spec]
    return [*axes, *[None] * (rank - len(axes))]


@lowers("relayout")
def relayout(x: Any, sharding: Sharding) -> Any:
    return (lax.with_sharding_constraint(jnp.asarray(x), jax_sharding_of(sharding)),)


@lowers("relayout_like")
def relayout_like(x: Any, like: Any) -> Any:
    # the partitioner spreads the operands of an elementwise operation alike, though this one
    # always takes the first
    first = lax.optimization_barrier(jnp.asarray(True))
    return (lax.select(first, jnp.asarray(x), jnp.asarray(like).astype(x.dtype)),)
