"""Cumulative sums and products along one axis: every output combines the elements before it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from tfpy._src.base import dtypes
from tfpy._src.base.dtypes import DType
from tfpy._src.base.errors import invalid
from tfpy._src.compiler.ir.aval import Aval
from tfpy._src.compiler.ir.kernel import KernelCall
from tfpy._src.compiler.ir.op import Op, Sample, register
from tfpy._src.compiler.ops.elementwise import divide_no_nan, exp, log
from tfpy._src.compiler.ops.families import infer
from tfpy._src.compiler.ops.families.infer import FLOAT, NUMERIC
from tfpy._src.compiler.ops.families.samples import array
from tfpy._src.compiler.ops.logic import select


def _samples(takes: Iterable[DType]) -> Callable[[np.random.Generator], list[Sample]]:
    cases = [((7,), 0), ((3, 5, 4), 1), ((2, 3, 8), 1), ((2, 70), 1), ((300,), 0), ((0, 3), 0)]
    kinds = [d for d in (dtypes.float32, dtypes.int32) if d in set(takes)]
    flags = [(False, False), (True, False), (False, True), (True, True)]

    def make(rng: np.random.Generator) -> list[Sample]:
        return [
            ((array(rng, s, d, 0.7, 1.4),), {"axis": a, "exclusive": e, "reverse": r})
            for d in kinds
            for s, a in cases
            for e, r in flags
        ]

    return make


def _ref(accumulate: Any, identity: float) -> Callable[..., Any]:
    def ref(x: Any, axis: int, exclusive: bool, reverse: bool) -> Any:
        x = np.flip(x, axis) if reverse else x
        if exclusive and x.shape[axis]:
            first = np.full_like(np.take(x, [0], axis), identity)
            x = np.concatenate([first, np.delete(x, -1, axis)], axis)
        y = accumulate(x, axis=axis, dtype=x.dtype) if x.size else x
        return np.flip(y, axis) if reverse else y

    return ref


def _scan(
    name: str, kind: str, ref: Any, vjp: Any, takes: Iterable[DType], doc: str, reason: str = ""
) -> Op:
    takes = frozenset(takes)

    def infer_aval(x: Aval, axis: int, exclusive: bool, reverse: bool) -> Aval:
        infer.check_dtype(name, x, takes)
        if not x.rank:
            raise invalid(name, "Expected scan axis in the range [0, 0): x is a scalar")
        return x

    def kernel(x: Aval, axis: int, exclusive: bool, reverse: bool) -> KernelCall:
        return KernelCall(
            "scan",
            ("x",),
            {
                "kind": kind,
                "exclusive": "true" if exclusive else "false",
                "reverse": "true" if reverse else "false",
                "outer": math.prod(x.shape[:axis]),
                "n": x.shape[axis],
                "inner": math.prod(x.shape[axis + 1 :]),
            },
        )

    return register(
        Op(
            name,
            "scan",
            infer_aval,
            ref,
            vjp,
            kernel=kernel,
            params=("x",),
            doc=doc,
            samples=_samples(takes),
            tolerance=1e-3 if reason else None,
            reason=reason,
        )
    )


def _sum_vjp(g: Any, y: Any, x: Any, axis: int, exclusive: bool, reverse: bool) -> tuple[Any]:
    return (cumsum(g, axis=axis, exclusive=exclusive, reverse=not reverse),)


def _prod_vjp(g: Any, y: Any, x: Any, axis: int, exclusive: bool, reverse: bool) -> tuple[Any]:
    """Compute TensorFlow's gradient, which is 0 where x is 0."""
    total = cumsum(y * g, axis=axis, exclusive=exclusive, reverse=not reverse)
    return (divide_no_nan(total, x),)


def _logsumexp_vjp(g: Any, y: Any, x: Any, axis: int, exclusive: bool, reverse: bool) -> tuple[Any]:
    """Compute the gradient for positive and negative g separately, so that both stay logarithms."""

    def of_sign(signed: Any) -> Any:
        logs = select(signed > 0, log(select(signed > 0, signed, 1.0)), float(dtypes.float32.min))
        attrs = {"axis": axis, "exclusive": exclusive, "reverse": not reverse}
        return exp(cumulative_logsumexp(logs - y, **attrs) + x)

    return (of_sign(g) - of_sign(-g),)


cumsum: Op = _scan(
    "cumsum", "sum", _ref(np.cumsum, 0), _sum_vjp, NUMERIC, "Sum of the elements so far."
)
cumprod = _scan(
    "cumprod",
    "prod",
    _ref(np.cumprod, 1),
    _prod_vjp,
    NUMERIC,
    "Product of the elements so far.",
    "products of hundreds of factors are rounded in a different order",
)
cumulative_logsumexp: Op = _scan(
    "cumulative_logsumexp",
    "logsumexp",
    _ref(np.logaddexp.accumulate, -np.inf),
    _logsumexp_vjp,
    FLOAT,
    "log(sum(exp(elements so far))).",
)
