"""`concat`: concatenation of tensors along an axis."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tfpy._src.base import dtypes
from tfpy._src.base.errors import invalid
from tfpy._src.compiler.ir.aval import Aval, Shape
from tfpy._src.compiler.ir.kernel import KernelCall
from tfpy._src.compiler.ir.op import Op, Sample, register
from tfpy._src.compiler.ir.sizes import agreed
from tfpy._src.compiler.ops import stacking
from tfpy._src.compiler.ops.families import infer
from tfpy._src.compiler.ops.families.samples import array
from tfpy._src.compiler.ops.movement import reshape, strided_slice

_SCALAR = (
    "a scalar can be joined after a reshape to [1]. It can be the result of == or !=, which is a "
    "single bool if the shapes do not broadcast"
)


def _difference(first: Aval, other: Aval, axis: int) -> str:
    """Return in words how two inputs differ, apart from the axis."""
    if first.rank != other.rank:
        scalar = next((x for x in (first, other) if x.rank == 0), None)
        cause = "" if scalar is None else f"; {_SCALAR}"
        return f"the ranks are {first.rank} and {other.rank}{cause}"
    pairs = enumerate(zip(first.shape, other.shape, strict=True))
    at, sizes = next((i, pair) for i, pair in pairs if i != axis and pair[0] != pair[1])
    return f"dimension {at} is {sizes[0]} and {sizes[1]}"


def _concat_infer(*xs: Aval, axis: int) -> Aval:
    infer.check_same_dtype("concat", xs)
    first = xs[0]
    for x in xs[1:]:
        rest = [n for i, n in enumerate(x.shape) if i != axis]
        if x.rank != first.rank or rest != [n for i, n in enumerate(first.shape) if i != axis]:
            shapes = [None if v.shown is None else list(v.shown) for v in xs]
            raise invalid(
                "concat",
                f"Dimensions of inputs should match except on axis {axis}: {shapes}; "
                f"{_difference(first, x, axis)}",
            )
    shape = list(map(agreed, *(x.shape for x in xs)))
    shape[axis] = sum(x.shape[axis] for x in xs)
    return Aval(tuple(shape), first.dtype)


def _concat_kernel(*xs: Aval, axis: int) -> KernelCall:
    first = xs[0]
    return KernelCall(
        "concat",
        tuple(f"x{i}" for i in range(len(xs))),
        {
            "outer": math.prod(first.shape[:axis]),
            "inner": math.prod(first.shape[axis + 1 :]),
            "sizes": [x.shape[axis] for x in xs],
        },
    )


def _concat_vjp(g: Any, y: Any, *xs: Any, axis: int) -> tuple[Any, ...]:
    grads, start, rank = [], 0, len(g.aval.shape)
    for x in xs:
        begin = tuple(start if i == axis else 0 for i in range(rank))
        grads.append(strided_slice(g, begin=begin, size=tuple(x.aval.shape), strides=(1,) * rank))
        start += x.aval.shape[axis]
    return tuple(grads)


def _concat_samples(rng: np.random.Generator) -> list[Sample]:
    cases: list[tuple[list[Shape], int]] = [
        ([(3,), (4,)], 0),
        ([(2, 3), (2, 1), (2, 0)], 1),
        ([(2, 2, 3), (2, 5, 3)], 1),
        ([(4, 8), (4, 4)], 1),
        ([(1, 2)] * 20, 0),
        ([(3, 2)], 1),
    ]
    kinds = (dtypes.float32, dtypes.int32, dtypes.bool)
    return [
        (tuple(array(rng, s, d) for s in shapes), {"axis": axis})
        for d in kinds
        for shapes, axis in cases
    ]


concat = register(
    Op(
        "concat",
        "movement",
        _concat_infer,
        lambda *xs, axis: np.concatenate(xs, axis=axis),
        _concat_vjp,
        kernel=_concat_kernel,
        by_component=True,
        stacked=stacking.axis_for,
        params=("values",),
        samples=_concat_samples,
    )
)


def without_elements(shape: Shape, *tensors: Any) -> Any:
    """Return an empty tensor as a function of other tensors. Their gradients are zeros."""
    parts = []
    for x in tensors:
        flat = reshape(x, shape=(x.aval.size,))
        parts.append(strided_slice(flat, begin=(0,), size=(0,), strides=(1,)))
    return reshape(concat(*parts, axis=0) if len(parts) > 1 else parts[0], shape=shape)
