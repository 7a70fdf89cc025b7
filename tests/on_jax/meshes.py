"""A mesh of eight devices, and layouts and tensors on it."""

from __future__ import annotations

from typing import Any

import numpy as np

import tfpy as tf
from tfpy.experimental import dtensor

UNSHARDED = dtensor.UNSHARDED
DEVICES = [f"CPU:{i}" for i in range(8)]
GRID = [("batch", 4), ("model", 2)]


def mesh_of(lib: Any = tf, dims: Any = GRID, devices: Any = DEVICES, name: str = "") -> Any:
    return lib.experimental.dtensor.create_mesh(dims, name, devices)


def layout(*specs: str, mesh: Any = None) -> dtensor.Layout:
    return dtensor.Layout(list(specs), mesh or mesh_of())


def numbers(*shape: int) -> Any:
    return np.arange(np.prod(shape), dtype=np.float32).reshape(shape)
