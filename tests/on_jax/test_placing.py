"""Slots that are spread over devices."""

from __future__ import annotations

from typing import Any

import jax
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec

import tfpy
from tfpy._src.backends import registry


def test_slots_are_spread_and_computed_with() -> None:
    backend: Any = registry.active_backend()
    mesh = Mesh(np.array(jax.devices()[:4]), ("x",))
    rows = NamedSharding(mesh, PartitionSpec("x"))
    values = np.arange(4 * 512, dtype=np.float32).reshape(4, 512)
    x = tfpy.constant(values.reshape(-1))
    flat, aval = x.slot_on(backend), tfpy.reshape(x, [4, 512]).aval
    assert len(backend.sharding(flat).device_set) == 1
    slot = backend.place(flat, aval, rows)
    assert backend.sharding(slot) == rows
    np.testing.assert_array_equal(backend.read(slot, aval), values)
    few = tfpy.constant([1.0, 2.0])
    assert backend.sharding(few.slot_on(backend)) is None
    backend.free([slot])
