"""Random matrices in block formats."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tfpy._src.compiler.ops import blocks as ops  # noqa: F401 (adds the ops to the table)
from tfpy._src.compiler.ops.block_formats import ON_DEVICES, by_fields

Array = np.ndarray[Any, Any]
HALVES = ("d", "m", "dmin")
"""Fields with float16 numbers."""
FLOATS: dict[str, Callable[[Array], Array]] = {
    "F16": lambda values: values.astype(np.float16).view(np.uint16),
    "BF16": lambda values: (values.view(np.uint32) >> 16).astype(np.uint16),
}
"""Functions that convert float32 to the bits of floats of two bytes."""


def random_blocks(form: str, count: int, seed: int = 0) -> Array:
    """Return blocks with random bits, and scales from -1 to 1."""
    rng = np.random.default_rng(seed)
    layout = ON_DEVICES[form].layout
    blocks = rng.integers(0, 256, count * layout.itemsize, np.uint8).view(layout)
    for name in set(HALVES).intersection(layout.names or ()):
        blocks[name] = rng.uniform(-1, 1, count)
    if "z" in (layout.names or ()):
        blocks["z"] = rng.integers(-8, 9, count)
    if form in FLOATS:
        values = rng.uniform(-1, 1, (count, 32)) * 10.0 ** rng.integers(-7, 4, (count, 32))
        blocks["qs"] = FLOATS[form](values.astype(np.float32))
    if form == "MXFP4":
        blocks["e"] = rng.integers(120, 130, count)
    return blocks


def random_weights(form: str, n: int, k: int, seed: int = 0) -> tuple[Array, Array]:
    """Return the bytes of a matrix [n, k] for devices, and its values."""
    how = ON_DEVICES[form]
    blocks = random_blocks(form, n * k // how.size, seed)
    assert how.decode is not None
    return by_fields(how, blocks), how.decode(blocks).reshape(n, k)
