"""The functions of XLA that Keras calls."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tfpy._src.base.dtypes import int32
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.tensor import Tensor
from tfpy._src.tensors.array.joining import stack
from tfpy._src.tensors.array.making import cast
from tfpy._src.tensors.array.ranges import range
from tfpy._src.tensors.array.scattering import tensor_scatter_nd_update
from tfpy._src.tensors.array.slicing import meshgrid
from tfpy._src.tensors.math.arithmetic import clip_by_value


def dynamic_update_slice(operand: Any, update: Any, start_indices: Any) -> Tensor:
    """The operand with ``update`` in place of the part that begins at ``start_indices``.

    A start is moved as far as the update needs to fit (XLA's DynamicUpdateSlice).

    Args:
        operand, update: tensors of one rank and dtype.
        start_indices: a vector of integers, or as many scalars.
    """
    x, part = convert_to_tensor(operand), convert_to_tensor(update)
    if not x.ndim:
        return part
    sizes = part.aval.shape
    starts = _starts(start_indices, [n - k for n, k in zip(x.aval.shape, sizes, strict=True)])
    places = [range(size) + start for size, start in zip(sizes, starts, strict=True)]
    return tensor_scatter_nd_update(x, stack(meshgrid(*places, indexing="ij"), -1), part)


def _starts(starts: Any, limits: Sequence[int]) -> list[Tensor]:
    """The starts, each within 0 and its limit."""
    return [
        clip_by_value(cast(convert_to_tensor(starts[axis]), int32), 0, limit)
        for axis, limit in enumerate(limits)
    ]
