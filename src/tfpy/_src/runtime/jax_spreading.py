"""Slots of the jax backend that lie on several devices."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any

import jax
import numpy as np
from jax.sharding import NamedSharding, Sharding

from tfpy._src.errors import InvalidArgumentError
from tfpy._src.ir.aval import Array, Aval
from tfpy._src.ir.spread import Grid, Spread
from tfpy._src.lower.jax.spreading import is_spread, mesh_of, sharding_of, spread_of
from tfpy._src.runtime.backend import Ranges


def put(array: Any, sharding: Sharding) -> Any:
    """The array spread over devices, of which other processes may have some: each has the whole."""
    if sharding.is_fully_addressable:
        return jax.device_put(array, sharding, may_alias=False)
    if isinstance(array, jax.Array) and not array.is_fully_addressable:
        return jax.jit(lambda x: x, out_shardings=sharding)(array)
    host = np.asarray(array)
    return jax.make_array_from_callback(host.shape, sharding, host.__getitem__)


def ranges_of(index: Sequence[slice], sizes: Sequence[int]) -> Ranges:
    """The part of an array that slices without steps are."""
    pairs = zip(index, sizes, strict=True)
    return tuple(one.indices(size)[:2] for one, size in pairs)


class JaxSpreading:
    """Spreads slots.

    Args:
        arrays: those of the backend's slots.
        kept: gives a new slot to each of some arrays; the first slot is returned.
    """

    def __init__(self, arrays: Mapping[int, Any], kept: Callable[[Sequence[Any]], int]) -> None:
        self._arrays, self._kept = arrays, kept

    def place(self, slot: int, aval: Aval, spread: Spread) -> int:
        return self.upload(self._arrays[slot].reshape(aval.shape), spread)

    def upload(self, array: Any, spread: Spread) -> int:
        return self._kept([put(array, sharding_of(spread))])

    def spread(self, slot: int, aval: Aval) -> Spread | None:
        sharding = self.sharding(slot, aval)
        return None if sharding is None else spread_of(sharding, aval.rank)

    def is_spread(self, slot: int, aval: Aval, spread: Spread) -> bool:
        sharding = self.sharding(slot, aval)
        return sharding is not None and is_spread(sharding, spread)

    def sharding(self, slot: int, aval: Aval) -> Sharding | None:
        """How a slot's elements lie, seen so; None while they are the host's."""
        array = self._arrays[slot]
        if isinstance(array, np.ndarray):
            return None
        if array.shape != aval.shape:
            array = array.reshape(aval.shape)
        sharding: Sharding = array.sharding
        return sharding

    def parts(self, slot: int, aval: Aval, spread: Spread) -> list[Array]:
        whole = self._arrays[slot].reshape(aval.shape)
        parts = jax.device_put(whole, sharding_of(spread)).addressable_shards
        by_device = {part.device: part.data for part in parts}
        return [np.array(by_device[d]) for d in mesh_of(spread.grid).devices.flat if d in by_device]

    def join(self, parts: Sequence[Array], aval: Aval, spread: Spread) -> int:
        sharding = sharding_of(spread)
        here = [d for d in sharding.mesh.devices.flat if d.process_index == jax.process_index()]
        placed = [jax.device_put(part, d) for part, d in zip(parts, here, strict=True)]
        array = jax.make_array_from_single_device_arrays(aval.shape, sharding, placed)
        return self._kept([array])

    def on(self, grid: Grid) -> AbstractContextManager[Any]:
        return jax.set_mesh(mesh_of(grid))

    def mixed(self, slots: Sequence[int], failure: ValueError) -> Exception:
        """The error of a run on slots that lie on different devices or meshes; what JAX raised, if
        they do not."""
        arrays = [self._arrays[abs(slot)] for slot in slots]
        placed = [a for a in arrays if not isinstance(a, np.ndarray) and a.committed]
        if len({_place(array) for array in placed}) <= 1:
            return failure
        places = "; ".join(dict.fromkeys(map(_described, placed)))
        mend = "tf.experimental.dtensor.relayout puts a tensor on another mesh"
        text = f"All operands must be on the same mesh, got {places}; {mend}"
        return InvalidArgumentError(None, None, text)


def _place(array: Any) -> Any:
    """The mesh, or the devices, on which an array lies."""
    sharding = array.sharding
    return sharding.mesh if isinstance(sharding, NamedSharding) else frozenset(sharding.device_set)


def _described(array: Any) -> str:
    spread = spread_of(array.sharding, array.ndim)
    where = array.sharding if spread is None else spread
    ids = sorted(device.id for device in array.sharding.device_set)
    return f"{array.dtype}{list(array.shape)} as {where} of the devices {ids}"
