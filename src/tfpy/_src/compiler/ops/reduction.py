"""Reductions over one run of adjacent axes, and their composition over any axes.

The primitive reduces axes `first .. last` (contiguous) and drops them, so every kernel sees
`[outer, n, inner]`. A reduction over other axes applies the primitive once per run of axes.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from tfpy._src.base import dtypes
from tfpy._src.base.dtypes import DType
from tfpy._src.base.errors import OpError, invalid_value
from tfpy._src.compiler.ir.aval import Aval, Shape
from tfpy._src.compiler.ir.kernel import KernelCall
from tfpy._src.compiler.ir.op import Op, Sample, register
from tfpy._src.compiler.ops.casting import cast
from tfpy._src.compiler.ops.families import infer
from tfpy._src.compiler.ops.families.infer import BOOL, NUMERIC, REAL
from tfpy._src.compiler.ops.families.samples import array
from tfpy._src.compiler.ops.logic import equal, select
from tfpy._src.compiler.ops.movement import broadcast_to, reshape
from tfpy._src.compiler.ops.rules import axis_runs, rule_of


def _split(x: Aval, axes: tuple[int, int]) -> tuple[int, int, int]:
    """Return `(outer, n, inner)` for the axes `[axes[0], axes[1])`."""
    begin, end = axes
    return math.prod(x.shape[:begin]), math.prod(x.shape[begin:end]), math.prod(x.shape[end:])


def _samples(takes: Iterable[DType]) -> Callable[[np.random.Generator], list[Sample]]:
    cases: list[tuple[Shape, tuple[int, int]]] = [
        ((7,), (0, 1)),
        ((3, 5, 4), (1, 2)),
        ((3, 5, 4), (0, 2)),
        ((2, 600), (1, 2)),
        ((9001,), (0, 1)),
        ((700, 3), (0, 1)),
        ((0, 3), (0, 1)),
        ((3, 0), (0, 1)),
    ]
    kinds = (dtypes.float32, dtypes.int32, dtypes.bool, dtypes.complex64)
    device = [d for d in kinds if d in set(takes)]

    def make(rng: np.random.Generator) -> list[Sample]:
        return [
            ((array(rng, s, d, 0.5, 1.5),), {"axes": a})
            for d in device
            for s, a in cases
            if not d.is_complex or math.prod(s) < 100  # long products overflow
        ]

    return make


def _reduction(
    name: str, kind: str, ref: Any, vjp: Any, takes: Iterable[DType], doc: str, **more: Any
) -> Op:
    takes = frozenset(takes)

    def infer_aval(x: Aval, axes: tuple[int, int]) -> Aval:
        infer.check_dtype(name, x, takes, "input_tensor")
        return Aval(x.shape[: axes[0]] + x.shape[axes[1] :], x.dtype)

    def kernel(x: Aval, axes: tuple[int, int]) -> KernelCall:
        outer, n, inner = _split(x, axes)
        return KernelCall("reduce", ("x",), {"kind": kind, "outer": outer, "n": n, "inner": inner})

    return register(
        Op(
            name,
            "reduction",
            infer_aval,
            lambda x, axes: ref(x, tuple(range(*axes))),
            vjp,
            kernel=kernel,
            only=next(iter(takes)) if len(takes) == 1 else None,
            params=("input_tensor",),
            doc=doc,
            samples=_samples(takes),
            **more,
        )
    )


def _max_ref(x: Any, axis: tuple[int, ...]) -> Any:
    dtype = dtypes.as_dtype(x.dtype)
    return np.max(x, axis=axis, initial=-np.inf if dtype.is_floating else dtype.min)


def _min_ref(x: Any, axis: tuple[int, ...]) -> Any:
    dtype = dtypes.as_dtype(x.dtype)
    return np.min(x, axis=axis, initial=np.inf if dtype.is_floating else dtype.max)


def _expand(g: Any, x: Any, axes: tuple[int, int]) -> Any:
    """Return `g` with the reduced axes as size 1, so that it broadcasts with `x`."""
    begin, end = axes
    return reshape(g, shape=(*x.aval.shape[:begin], *[1] * (end - begin), *x.aval.shape[end:]))


def _sum_vjp(g: Any, y: Any, x: Any, axes: tuple[int, int]) -> tuple[Any]:
    return (broadcast_to(_expand(g, x, axes), shape=tuple(x.aval.shape)),)


def _extreme_vjp(g: Any, y: Any, x: Any, axes: tuple[int, int]) -> tuple[Any]:
    """Distribute the gradient equally over all positions of the extreme, as in TensorFlow."""
    hit = cast(equal(x, _expand(y, x, axes)), dtype=g.dtype)
    share = g / reduce_sum(hit, axes=axes)
    return (hit * _expand(share, x, axes),)


def _prod_vjp(g: Any, y: Any, x: Any, axes: tuple[int, int]) -> tuple[Any]:
    """Compute the product of the other factors.

    If exactly one factor is 0, only this factor has a gradient.
    """
    zero = equal(x, 0)
    zeros = _expand(reduce_sum(cast(zero, dtype=g.dtype), axes=axes), x, axes)
    rest = _expand(reduce_prod(select(zero, 1, x), axes=axes), x, axes)
    others = select(
        zero,
        select(equal(zeros, 1), rest, 0),
        select(equal(zeros, 0), rest, 0) / select(zero, 1, x),
    )
    return (_expand(g, x, axes) * others,)


def _float_sum(x: Any, axis: tuple[int, ...]) -> Any:
    return np.sum(x, axis=axis, dtype=x.dtype)


reduce_sum = _reduction(
    "reduce_sum",
    "sum",
    _float_sum,
    _sum_vjp,
    NUMERIC,
    "Sum over the axes.",
    by_component=True,
)
reduce_prod = _reduction(
    "reduce_prod",
    "prod",
    lambda x, axis: np.prod(x, axis=axis, dtype=x.dtype),
    rule_of(_prod_vjp),
    NUMERIC,
    "Product over the axes.",
)
reduce_max = _reduction("reduce_max", "max", _max_ref, _extreme_vjp, REAL, "Maximum over the axes.")
reduce_min = _reduction("reduce_min", "min", _min_ref, _extreme_vjp, REAL, "Minimum over the axes.")
reduce_any = _reduction(
    "reduce_any", "any", lambda x, axis: np.any(x, axis=axis), None, BOOL, "Logical or."
)
reduce_all = _reduction(
    "reduce_all", "all", lambda x, axis: np.all(x, axis=axis), None, BOOL, "Logical and."
)


def _arg(name: str, kind: str, position: Any, worst: float) -> Op:
    def ref(x: Any, axis: int) -> Any:
        """Return the position of the extreme, ignoring NaN."""
        numbers = np.where(np.isnan(x), worst, x) if x.dtype.kind == "f" else x
        return position(numbers, axis=axis)

    def infer_aval(x: Aval, axis: int) -> Aval:
        infer.check_dtype(name, x, REAL, "input")
        return Aval(x.shape[:axis] + x.shape[axis + 1 :], dtypes.int32)

    def refuses(x: Aval, axis: int) -> OpError | None:
        if x.shape[axis]:
            return None
        return invalid_value(name, f"Reduction axis {axis} is empty in shape {list(x.shape)}")

    def kernel(x: Aval, axis: int) -> KernelCall:
        outer, n, inner = _split(x, (axis, axis + 1))
        return KernelCall(
            "arg_reduce", ("x",), {"kind": kind, "outer": outer, "n": n, "inner": inner}
        )

    def samples(rng: np.random.Generator) -> list[Sample]:
        shapes = [((9,), 0), ((3, 5, 4), 1), ((5, 300), 1), ((4, 6), 0)]
        return [
            ((array(rng, s, d, -3, 3),), {"axis": a})
            for d in (dtypes.float32, dtypes.int32)
            for s, a in shapes
        ]

    return register(
        Op(
            name,
            "sorting",
            infer_aval,
            ref,
            refuses=refuses,
            kernel=kernel,
            params=("input",),
            doc=f"Index of the first {kind}imum along an axis, int32. NaN is ignored.",
            samples=samples,
        )
    )


argmax = _arg("argmax", "max", np.argmax, -np.inf)
argmin = _arg("argmin", "min", np.argmin, np.inf)


def reduce_axes(op: Op, x: Any, axes: Sequence[int], keepdims: bool) -> Any:
    """Apply `op` over any axes. The last run comes first, so earlier axes keep their numbers."""
    result = x
    for run in reversed(axis_runs(axes)):
        result = op(result, axes=run)
    if keepdims:
        kept = tuple(1 if i in axes else n for i, n in enumerate(x.aval.shape))
        result = reshape(result, shape=kept)
    return result
