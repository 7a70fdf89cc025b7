"""Slots of the jax backend that are on several devices."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

import jax
import numpy as np
from jax.sharding import NamedSharding, Sharding as JaxSharding

from tfpy._src.backends.interface import Ranges
from tfpy._src.base.errors import InvalidArgumentError
from tfpy._src.compiler.ir.aval import Array, Aval
from tfpy._src.compiler.ir.sharding import DeviceMesh, Sharding
from tfpy._src.compiler.lower.jax.sharding import is_sharded, jax_sharding_of, mesh_of, sharding_of


def put(array: Any, placed: JaxSharding) -> Any:
    """Return the array distributed over devices, possibly of several processes.

    Each process has the whole array.
    """
    if placed.is_fully_addressable:
        return jax.device_put(array, placed, may_alias=False)
    if isinstance(array, jax.Array) and not array.is_fully_addressable:
        return jax.jit(lambda x: x, out_shardings=placed)(array)
    host = np.asarray(array)
    return jax.make_array_from_callback(host.shape, placed, host.__getitem__)


def ranges_of(index: Sequence[slice], sizes: Sequence[int]) -> Ranges:
    """Return the part of an array that slices without steps select."""
    pairs = zip(index, sizes, strict=True)
    return tuple(one.indices(size)[:2] for one, size in pairs)


class JaxSharder:
    """The sharder of the jax backend.

    Args:
        arrays: Arrays of the backend's slots.
        kept: Function that assigns slots to arrays and returns the first slot.
    """

    def __init__(self, arrays: Mapping[int, Any], kept: Callable[[Sequence[Any]], int]) -> None:
        self._arrays, self._kept = arrays, kept
        self.defaults = 0
        """Number of active contexts of `on`."""

    def place(self, slot: int, aval: Aval, sharding: Sharding) -> int:
        return self.upload(self._arrays[slot].reshape(aval.shape), sharding)

    def upload(self, array: Any, sharding: Sharding) -> int:
        return self._kept([put(array, jax_sharding_of(sharding))])

    def sharding(self, slot: int, aval: Aval) -> Sharding | None:
        placed = self.jax_sharding(slot, aval)
        return None if placed is None else sharding_of(placed, aval.rank)

    def is_sharded(self, slot: int, aval: Aval, sharding: Sharding) -> bool:
        placed = self.jax_sharding(slot, aval)
        return placed is not None and is_sharded(placed, sharding)

    def jax_sharding(self, slot: int, aval: Aval) -> JaxSharding | None:
        """Return the sharding of a slot's elements, viewed as `aval`; None on the host."""
        array = self._arrays[slot]
        if isinstance(array, np.ndarray):
            return None
        if array.shape != aval.shape:
            array = array.reshape(aval.shape)
        placed: JaxSharding = array.sharding
        return placed

    def parts(self, slot: int, aval: Aval, sharding: Sharding) -> list[Array]:
        whole = self._arrays[slot].reshape(aval.shape)
        parts = jax.device_put(whole, jax_sharding_of(sharding)).addressable_shards
        by_device = {part.device: part.data for part in parts}
        return [
            np.array(by_device[d]) for d in mesh_of(sharding.mesh).devices.flat if d in by_device
        ]

    def join(self, parts: Sequence[Array], aval: Aval, sharding: Sharding) -> int:
        target = jax_sharding_of(sharding)
        here = [d for d in target.mesh.devices.flat if d.process_index == jax.process_index()]
        placed = [jax.device_put(part, d) for part, d in zip(parts, here, strict=True)]
        array = jax.make_array_from_single_device_arrays(aval.shape, target, placed)
        return self._kept([array])

    @contextmanager
    def on(self, mesh: DeviceMesh) -> Iterator[None]:
        self.defaults += 1
        try:
            with jax.set_mesh(mesh_of(mesh)):
                yield
        finally:
            self.defaults -= 1

    def around(self, slots: Sequence[int]) -> AbstractContextManager[Any]:
        """Return a context in which a run on these slots uses their own mesh, even inside `on`."""
        placed = (getattr(self._arrays[abs(slot)], "sharding", None) for slot in slots)
        meshes = (one.mesh for one in placed if isinstance(one, NamedSharding))
        mesh = next(meshes, None)
        return nullcontext() if mesh is None else jax.set_mesh(mesh)

    def mixed(self, slots: Sequence[int], failure: ValueError) -> Exception:
        """Return the error of a run on slots that are on different devices or meshes.

        If they are not, return the exception of JAX.
        """
        arrays = [self._arrays[abs(slot)] for slot in slots]
        placed = [a for a in arrays if not isinstance(a, np.ndarray) and a.committed]
        if len({_place(array) for array in placed}) <= 1:
            return failure
        places = "; ".join(dict.fromkeys(map(_described, placed)))
        mend = "Use tf.experimental.dtensor.relayout to move a tensor to another mesh."
        text = f"All operands must be on the same mesh, got {places}. {mend}"
        return InvalidArgumentError(None, None, text)


def _place(array: Any) -> Any:
    """Return the mesh, or the devices, of an array."""
    placed = array.sharding
    return placed.mesh if isinstance(placed, NamedSharding) else frozenset(placed.device_set)


def _described(array: Any) -> str:
    sharding = sharding_of(array.sharding, array.ndim)
    where = array.sharding if sharding is None else sharding
    ids = sorted(device.id for device in array.sharding.device_set)
    return f"{array.dtype}{list(array.shape)} as {where} of the devices {ids}"
