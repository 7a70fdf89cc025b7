"""Indices of a block of elements that begins at a computed position."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfpy._src.compiler.ir.sizes import is_open
from tfpy._src.formats.graph_writing.emitter import INT, NodeValue, unsupported


def block_indices(
    w: Any, x: NodeValue, updates: NodeValue, starts: NodeValue, lower: str, upper: str, add: str
) -> NodeValue:
    """Return the indices in `x` of all elements of `updates`, [count, rank].

    Args:
        w: Emitter of the format.
        starts: Position of the block, which is clipped.
        lower: Name of the format's maximum of two tensors.
        upper: Name of the format's minimum.
        add: Name of the format's sum.
    """
    if any(map(is_open, (*x.shape, *updates.shape))):
        raise unsupported("dynamic_update_slice", "the sizes must be known")
    limits = np.subtract(x.shape, updates.shape).astype(np.int32)
    clipped = w.op(upper, w.op(lower, starts, w.number(0, INT)), w.constant(limits))
    grid = np.moveaxis(np.indices(updates.shape), 0, -1).reshape(-1, x.rank).astype(np.int32)
    return w.op(add, clipped, w.constant(grid))
