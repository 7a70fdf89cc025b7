"""Checks of the shapes of index vectors and of the updates at their places."""

from __future__ import annotations

import math

from tfpy._src.base.errors import invalid
from tfpy._src.compiler.ir.aval import Shape
from tfpy._src.core.tensor import Tensor


def index_depth(op: str, indices: Tensor, shape: Shape) -> int:
    """Return the length of the index vectors."""
    if not indices.ndim:
        raise invalid(op, "indices must be at least a vector, got a scalar")
    if indices.aval.shape[-1] > len(shape):
        raise invalid(
            op,
            f"index innermost dimension length must be <= params rank; saw: {indices.shape[-1]} "
            f"vs. {len(shape)} (shape {list(shape)})",
        )
    return indices.aval.shape[-1]


def check_updates(op: str, indices: Shape, updates: Shape, shape: Shape) -> None:
    """Raise an error if updates do not have the shape that indices into a shape require."""
    lead, depth = len(indices) - 1, indices[-1]
    if updates[:lead] != indices[:-1]:
        raise invalid(
            op,
            f"Dimensions [0,{lead}) of indices[shape={_listed(indices)}] must match dimensions "
            f"[0,{lead}) of updates[shape={_listed(updates)}]",
        )
    if updates[lead:] != shape[depth:]:
        raise invalid(
            op,
            f"Dimensions [{depth},{len(shape)}) of input[shape={_listed(shape)}] must match "
            f"dimensions [{lead},{len(updates)}) of updates[shape={_listed(updates)}]",
        )
    if math.prod(indices) and not math.prod(shape):
        raise invalid(
            op,
            "Indices and updates specified for empty output. indices shape: "
            f"{_listed(indices)}, output shape: {_listed(shape)}",
        )


def _listed(shape: Shape) -> str:
    return f"[{','.join(map(str, shape))}]"
