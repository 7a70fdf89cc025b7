"""The gradients that flow into the targets of a tape, and the rows of a Jacobian."""

from __future__ import annotations

from typing import Any

from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.indexed_slices import dense
from tfpy._src.core.scalar_cache import filled
from tfpy._src.core.tensor import Tensor
from tfpy._src.tensors.array.joining import stack
from tfpy._src.tensors.array.making import zeros
from tfpy._src.tensors.array.reshaping import reshape
from tfpy._src.tensors.autodiff.nests import leaves


def seeds(target: Any, output_gradients: Any) -> list[tuple[Tensor, Tensor]]:
    """Return pairs of the differentiable targets and the gradients that flow into them."""
    if target is None:
        raise TypeError("gradient: target must be a tensor or a nest of them, got None")
    targets = [t if type(t) is Tensor else convert_to_tensor(t) for t in leaves(target)]
    given = (
        [None] * len(targets)
        if output_gradients is None
        else [g if g is None else convert_to_tensor(g) for g in leaves(output_gradients)]
    )
    if len(given) != len(targets):
        raise ValueError(
            "gradient: target and output_gradients must have the same structure, got "
            f"{len(targets)} targets but {len(given)} output_gradients"
        )
    return [
        (t, filled(1, t.aval) if g is None else g)
        for t, g in zip(targets, given, strict=True)
        if t.aval.dtype.is_differentiable
    ]


def stacked(rows: tuple[Any, ...], target: Tensor, source: Any) -> Tensor | None:
    """Return the rows of a Jacobian as one tensor."""
    if not rows:
        return zeros((*target.aval.shape, *source.aval.shape), target.dtype)
    found = [dense(r) for r in rows if r is not None]
    if not found:
        return None
    return reshape(stack(found), (*target.aval.shape, *source.aval.shape))
