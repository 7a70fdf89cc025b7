"""Arrays that are spread over devices: what tfpy says of them and JAX's shardings."""

from __future__ import annotations

import functools
import re
from typing import Any

import jax
import numpy as np
from jax import lax, numpy as jnp
from jax.sharding import Mesh, NamedSharding, PartitionSpec, Sharding

from tfpy._src.errors import InvalidArgumentError
from tfpy._src.ir.spread import ANY, Grid, Spread
from tfpy._src.lower.jax.table import lowers

_DEVICE = re.compile(r"/job:[^/]+/replica:\d+/task:(\d+)/device:(\w+):(\d+)")

_GRIDS: dict[Mesh, Grid] = {}
"""The grids that programs have used, by what JAX has for each."""


@functools.cache
def mesh_of(grid: Grid) -> Mesh:
    """JAX's mesh of a grid's devices."""
    devices = np.array([device_of(name) for name in grid.devices])
    mesh = Mesh(devices.reshape(grid.sizes), grid.names)
    _GRIDS[mesh] = grid
    return mesh


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
    """What is known of grids: JAX has other devices now."""
    _GRIDS.clear()
    mesh_of.cache_clear()
    sharding_of.cache_clear()


@functools.cache
def sharding_of(spread: Spread) -> NamedSharding:
    """JAX's word for it, as JAX writes it of results: otherwise they would be compiled for anew."""
    axes = [PartitionSpec.UNCONSTRAINED if axis == ANY else axis for axis in spread.axes]
    while axes and axes[-1] is None:
        axes.pop()
    return NamedSharding(mesh_of(spread.grid), PartitionSpec(*axes))


def spread_of(sharding: Sharding, rank: int) -> Spread | None:
    """What tfpy says of a sharding; None when it lies on no grid of the program's.

    A dimension that XLA has cut along several axes is told to be cut along the first of them.
    """
    if not isinstance(sharding, NamedSharding) or sharding.mesh not in _GRIDS:
        return None
    axes = [axis[0] if isinstance(axis, tuple) else axis for axis in _axes(sharding, rank)]
    return Spread(_GRIDS[sharding.mesh], tuple(axes))


def is_spread(sharding: Sharding, spread: Spread) -> bool:
    """Whether it is what tfpy says, and no more."""
    return (
        isinstance(sharding, NamedSharding)
        and sharding.mesh == mesh_of(spread.grid)
        and _axes(sharding, len(spread.axes)) == list(spread.axes)
    )


def _axes(sharding: NamedSharding, rank: int) -> list[Any]:
    """For each dimension the name of an axis, a tuple of several, or None."""
    axes = [axis or None for axis in sharding.spec]
    return [*axes, *[None] * (rank - len(axes))]


@lowers("relayout")
def relayout(x: Any, spread: Spread) -> Any:
    return (lax.with_sharding_constraint(jnp.asarray(x), sharding_of(spread)),)


@lowers("relayout_like")
def relayout_like(x: Any, like: Any) -> Any:
    # the partitioner spreads the operands of an elementwise operation alike, though this one
    # always takes the first
    first = lax.optimization_barrier(jnp.asarray(True))
    return (lax.select(first, jnp.asarray(x), jnp.asarray(like).astype(x.dtype)),)
