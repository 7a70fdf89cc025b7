"""What functions under ``tf`` are for indexed slices: they compute on the values.

Other functions take the tensor that the slices stand for.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tfpy._src.core.dispatch import implements
from tfpy._src.core.indexed_slices import IndexedSlices
from tfpy._src.core.tape import stop_gradient
from tfpy._src.tensors.array import making, reshaping
from tfpy._src.tensors.linalg import norms
from tfpy._src.tensors.math import arithmetic


def _of_values(function: Callable[..., Any]) -> None:
    @implements(function, IndexedSlices)
    def mapped(slices: IndexedSlices, *args: Any, **kwargs: Any) -> IndexedSlices:
        return slices.with_differentiable(function(slices.values, *args, **kwargs))


for _function in (
    making.cast,
    reshaping.identity,
    stop_gradient,
    arithmetic.clip_by_value,
    norms.clip_by_norm,
):
    _of_values(_function)
