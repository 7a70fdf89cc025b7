"""Replicas on several devices: one program that contains collectives."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import jax
import numpy as np
from jax import lax, numpy as jnp
from jax.sharding import Mesh, NamedSharding, PartitionSpec, Sharding

from tfpy._src.compiler.ir.graph import Graph, bodies
from tfpy._src.compiler.lower.jax.lowering import evaluated
from tfpy._src.compiler.lower.jax.table import lowers

AXIS = "replica"
"""Axis of the mesh of devices with one replica each."""


def name_of(device: Any) -> str:
    """Return the name of a device in a Graph."""
    return f"{device.platform}:{device.id}"


@lru_cache(maxsize=64)
def mesh_of(names: tuple[str, ...]) -> Mesh:
    """Return the mesh of some devices of all processes."""
    platforms = dict.fromkeys(name.partition(":")[0] for name in names)
    devices = {name_of(d): d for platform in platforms for d in jax.devices(platform)}
    return Mesh(np.array([devices[name] for name in names]), (AXIS,))


def mesh_within(graph: Graph) -> Mesh | None:
    """Return the mesh of the replicas in a Graph, at any depth."""
    for eqn in graph.eqns:
        if eqn.op.name == "replicated":
            return mesh_of(dict(eqn.attrs)["devices"])
        for _, part in bodies(eqn.attrs):
            if (found := mesh_within(part)) is not None:
                return found
    return None


@lowers("replicated")
def replicated(
    *inputs: Any,
    body: Graph,
    devices: tuple[str, ...],
    spread: Sequence[bool],
    stacked: Sequence[bool],
) -> Any:
    def one(*rows: Any) -> list[Any]:
        given = [lax.squeeze(x, [0]) if own else x for x, own in zip(rows, spread, strict=True)]
        found = map(jnp.asarray, evaluated(body, given))
        pairs = zip(found, stacked, strict=True)
        return [lax.expand_dims(y, [0]) if own else y for y, own in pairs]

    run = jax.shard_map(
        one,
        mesh=mesh_of(devices),
        in_specs=tuple(map(_spec, spread)),
        out_specs=list(map(_spec, stacked)),
        check_vma=False,  # the Graph states which Variables are equal on all devices
    )
    return run(*map(jnp.asarray, inputs))


def by_replica(devices: tuple[str, ...], stacked: bool) -> Sharding:
    """Return the sharding of arrays that have a row per replica, or that all replicas share."""
    return NamedSharding(mesh_of(devices), _spec(stacked))


def _spec(by_replica: bool) -> PartitionSpec:
    return PartitionSpec(AXIS) if by_replica else PartitionSpec()


_COLLECTIVES = ("all_gather", "all_reduce", "reduce_scatter")


def agreed(choice: Any, graphs: Sequence[Graph]) -> Any:
    """Return the smallest choice of the replicas between Graphs, so False if one of them is False.

    This holds if the Graphs exchange values: replicas with different choices would wait for each
    other forever.
    """
    if not any(map(_exchanges, graphs)):
        return choice
    return lax.pmin(jnp.asarray(choice).astype(jnp.int32), AXIS).astype(choice.dtype)


def _exchanges(graph: Graph) -> bool:
    return any(
        eqn.op.name in _COLLECTIVES or any(_exchanges(part) for _, part in bodies(eqn.attrs))
        for eqn in graph.eqns
    )


_LARGE = 2**20
"""Size in bytes below which arrays are all-reduced, many of them at once."""


def _is_swapped(x: Any, count: int) -> bool:
    """Return True if replicas send each other their arrays, and each adds.

    Two GPUs transfer as many bytes as in an all-reduce, but slow down the simultaneous computation
    less. Two H100 took 0.98 of the time for a transformer's step with 443 MB of gradients.
    """
    return count == 2 and x.nbytes >= _LARGE and jax.default_backend() == "gpu"


@lowers("all_reduce")
def all_reduce(x: Any, mean: bool, count: int) -> Any:
    if _is_swapped(x, count):
        total = x + lax.ppermute(x, AXIS, [(0, 1), (1, 0)])
    else:
        total = lax.psum(x, AXIS)
    if not mean:
        return (total,)
    divided = total // count if jnp.issubdtype(x.dtype, jnp.integer) else total / count
    return (divided.astype(x.dtype),)


@lowers("all_gather")
def all_gather(x: Any, axis: int, count: int) -> Any:
    return (lax.all_gather(x, AXIS, axis=axis, tiled=True),)


@lowers("reduce_scatter")
def reduce_scatter(x: Any, axis: int, count: int) -> Any:
    return (lax.psum_scatter(x, AXIS, scatter_dimension=axis, tiled=True),)


@lowers("replica_id")
def replica_id() -> Any:
    return (lax.axis_index(AXIS).astype(jnp.int32),)
