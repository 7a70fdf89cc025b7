"""Slices that start at computed positions.

A start is clipped so that the slice lies inside the tensor, as in XLA's operations of these names.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tfpy._src.base import dtypes
from tfpy._src.base.errors import invalid
from tfpy._src.compiler.ir.aval import Aval, Shape
from tfpy._src.compiler.ir.kernel import KernelCall
from tfpy._src.compiler.ir.op import Op, Sample, register
from tfpy._src.compiler.ir.strides import MAX_DIMS, pad_front
from tfpy._src.compiler.ops.elementwise import maximum, minimum
from tfpy._src.compiler.ops.families import infer
from tfpy._src.compiler.ops.families.samples import array
from tfpy._src.compiler.ops.indexing import gather, range_
from tfpy._src.compiler.ops.movement import strided_slice
from tfpy._src.compiler.ops.rules import zeros


def dynamic_slice(x: Any, starts: Any, sizes: Sequence[int]) -> Any:
    """Return the part of `x` with these sizes that begins at `starts`, an int32 vector."""
    for axis, (n, size) in enumerate(zip(x.aval.shape, sizes, strict=True)):
        if size != n:
            start = strided_slice(starts, begin=(axis,), size=(1,), strides=(1,))
            places = minimum(maximum(start, 0), n - size) + range_(
                start=0, delta=1, count=size, dtype=dtypes.int32
            )
            x = gather(x, places, axis=axis, batch_dims=0)
    return x


def _infer(x: Aval, update: Aval, starts: Aval) -> Aval:
    infer.check_same_dtype("dynamic_update_slice", (x, update))
    infer.check_dtype("dynamic_update_slice", starts, dtypes.INDICES, "starts")
    if not x.rank or starts.shape != (x.rank,) or update.rank != x.rank:
        raise invalid(
            "dynamic_update_slice",
            f"updates {list(update.shape)} must have one dimension, and starts "
            f"{list(starts.shape)} one element, for each dimension of the tensor {list(x.shape)}",
        )
    if any(k > n for n, k in zip(x.shape, update.shape, strict=True)):
        raise invalid(
            "dynamic_update_slice",
            f"updates {list(update.shape)} do not fit into the tensor {list(x.shape)}",
        )
    return x


def _ref(x: Any, update: Any, starts: Any) -> Any:
    limits = np.subtract(x.shape, update.shape)
    begins = np.clip(starts, 0, limits).tolist()
    result = x.copy()
    place = tuple(slice(b, b + k) for b, k in zip(begins, update.shape, strict=True))
    result[place] = update
    return result


def _vjp(g: Any, y: Any, x: Any, update: Any, starts: Any) -> tuple[Any, Any, None]:
    sizes = tuple(update.aval.shape)
    return (
        lambda: dynamic_update_slice(g, zeros(sizes, update.dtype), starts),
        lambda: dynamic_slice(g, starts, sizes),
        None,
    )


def _kernel(x: Aval, update: Aval, starts: Aval) -> KernelCall:
    return KernelCall(
        "dynamic_update_slice",
        ("x", "updates", "starts"),
        {
            "dims": pad_front(x.shape, 1),
            "sizes": pad_front(update.shape, 1),
            "first": MAX_DIMS - x.rank,
        },
    )


def _samples(rng: np.random.Generator) -> list[Sample]:
    cases: list[tuple[Shape, Shape, Sequence[int]]] = [
        ((9,), (4,), [3]),
        ((5, 7), (2, 3), [-1, 6]),  # both starts are clipped
        ((2, 40, 3, 8), (2, 1, 3, 8), [0, 17, 0, 0]),
        ((3, 4, 33), (3, 4, 33), [0, 0, 0]),
        ((4, 6), (0, 6), [2, 0]),
        ((2, 3, 2, 4, 2, 3), (1, 2, 2, 1, 1, 3), [1, 1, 0, 3, 1, 0]),
    ]
    kinds = (dtypes.float32, dtypes.int32, dtypes.bool)
    return [
        ((array(rng, x, d), array(rng, update, d), np.array(starts, np.int32)), {})
        for d in kinds
        for x, update, starts in cases
    ]


dynamic_update_slice: Op = register(
    Op(
        "dynamic_update_slice",
        "indexing",
        _infer,
        _ref,
        _vjp,
        kernel=_kernel,
        params=("tensor", "updates", "starts"),
        doc="x with a part, which begins at the clipped `starts`, replaced by updates.",
        samples=_samples,
    )
)
