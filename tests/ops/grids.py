"""Grids of special values for every elementwise op, and bounds on differences from TensorFlow."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from tfpy import dtypes
from tfpy._src.base.errors import InvalidArgumentError
from tfpy._src.compiler.ir.aval import Aval
from tfpy._src.compiler.ir.graph import Graph, single_equation
from tfpy._src.compiler.ops import OPS, Op

Array = np.ndarray[Any, Any]

LEAST = 2.0**-126  # the smallest normal float; smaller ones may become 0


@dataclass(frozen=True)
class Bound:
    """Permitted error of a result: units in the last place, or an absolute error."""

    ulps: float = 4.0
    absolute: float = 0.0
    reason: str = ""


BOUNDS = {
    "elu": Bound(absolute=1e-7, reason="TensorFlow computes exp(x) - 1, we expm1"),
    "selu": Bound(absolute=2e-7, reason="TensorFlow computes exp(x) - 1, we expm1"),
    "erfinv": Bound(absolute=1e-7, reason="TensorFlow goes by way of (x + 1) / 2"),
    "lgamma": Bound(absolute=4e-6, reason="below 0 a difference of logarithms"),
    "digamma": Bound(absolute=4e-6, reason="a difference of terms of about 10"),
    "bessel_i0": Bound(ulps=8, reason="exp(x) and bessel_i0e are rounded"),
    "bessel_i1": Bound(ulps=8, reason="exp(x) and bessel_i1e are rounded"),
    "polygamma": Bound(
        8, 1e-35, "a factorial and zeta are rounded; subnormal terms of zeta are 0 on GPUs"
    ),
    "bessel_i0e": Bound(ulps=6, reason="exp(-x) and a polynomial are rounded"),
    "bessel_i1e": Bound(ulps=6, reason="exp(-x) and a polynomial are rounded"),
}
"""Bounds of ops that differ from the default."""


def _divides(x: Array, y: Array) -> Array:
    """Return True where quotient and remainder are not subnormal and no integer divides by 0."""
    if x.dtype.kind == "i":
        return np.asarray(y != 0)
    with np.errstate(all="ignore"):
        small = (np.abs(y) < 1e-30) | (np.abs(x / y) < LEAST)
    return np.asarray(~small | (x == 0) | (y == 0))


WITHIN: dict[str, Callable[..., Any]] = {
    "relu_grad": lambda g, y: np.isfinite(g),  # TensorFlow multiplies by 0
    "relu6_grad": lambda g, y: np.isfinite(g),
    # TensorFlow's sum for negative q ends as soon as a term is small, although later terms grow.
    "zeta": lambda x, q: (q > 0) | (x < 9) | np.isnan(q),
    "polygamma": lambda a, x: (a < 9) & (x > 0) & (x < np.inf),  # the intended domain
    **dict.fromkeys(("floordiv", "floormod", "truncatediv", "truncatemod"), _divides),
    "pow": lambda x, y: (y >= 0) | (x.dtype.kind == "f"),
}
"""Conditions on the operands that are compared, for ops that restrict them."""

_HALVES = [k / 2 for k in range(1, 21)]
_SPECIAL = [
    *(0.0, np.inf, np.nan, LEAST, 2e-38, 1e-30, 1e-20, 1e-15, 1e-10, 1e-8, 1e-6, 1e-3, 0.1),
    *(0.3, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 7.0, 33.0, 64.0, 100.0, 1000.5, 1e5, 1e10, 1e20, 1e30),
    *(16777216.0, 2147483648.0, 4294967296.0, 1e38, 3.4028235e38, 1 + 2**-23, 1 - 2**-24),
]
_TURNS = [np.pi / 4, np.pi / 2, np.pi, 3.75, 33.5, 65.0, 87.3, 88.0, 88.72, 89.4, 103.9, 709.0]
_INTEGERS = [0, 1, 2, 3, 7, 10, 100, 255, 256, 65535, 65536, 16777217, 2**30, 2**31 - 1]


def _both_signs(values: Any) -> Array:
    return np.concatenate([values, np.negative(values)])


def _magnitudes(rng: np.random.Generator, count: int) -> Array:
    """Return random numbers from the smallest normal float to the largest."""
    return np.exp2(rng.uniform(-126, 127.9, count)) * rng.choice([-1.0, 1.0], count)


def _floats(rng: np.random.Generator) -> Array:
    steps = _both_signs([*_HALVES, *_TURNS]).astype(np.float32)
    ends = [np.nextafter(steps, np.float32(side)) for side in (-np.inf, np.inf)]
    even = np.linspace(-6, 6, 97)
    found = [_both_signs(_SPECIAL), steps, *ends, even, _magnitudes(rng, 300)]
    return np.concatenate(found).astype(np.float32)


def _float_pairs(rng: np.random.Generator) -> list[Array]:
    x, y = np.meshgrid(*[_both_signs(_SPECIAL)] * 2)
    ranges = ((1e6, 10), (20, 8))  # large quotients; powers
    drawn = [[rng.uniform(-a, a, 300) for a in pair] for pair in ranges]
    large = [_magnitudes(rng, 300) for _ in range(2)]
    parts = zip((x.ravel(), y.ravel()), *drawn, large, strict=True)
    return [np.concatenate(part).astype(np.float32) for part in parts]


def _integers(rng: np.random.Generator) -> Array:
    drawn = rng.integers(-(2**31), 2**31, 40)
    return np.concatenate([_both_signs(_INTEGERS), [-(2**31)], drawn]).astype(np.int32)


def _integer_pairs(rng: np.random.Generator) -> list[Array]:
    values = _integers(rng)
    return [np.ascontiguousarray(m.ravel()) for m in np.meshgrid(values, values)]


@dataclass(frozen=True)
class Case:
    """An op on a grid."""

    op: Op
    arrays: tuple[Array, ...]
    attrs: dict[str, Any]

    @property
    def graph(self) -> Graph:
        avals = [Aval(a.shape, dtypes.as_dtype(a.dtype)) for a in self.arrays]
        return single_equation(self.op, avals, tuple(self.attrs.items()))

    @property
    def bound(self) -> Bound:
        return BOUNDS.get(self.op.name, Bound())

    def __str__(self) -> str:
        return f"{self.op.name}-{self.arrays[-1].dtype}"


_ELSEWHERE = ("complex", "real", "imag", "conj", "angle", "bitcast")  # these have separate tests


def cases() -> list[Case]:
    """Return every elementwise op on the floats and on the integers that it accepts."""
    return list(_cases())


def _cases() -> Iterator[Case]:
    for op in OPS.values():
        if op.family != "elementwise" or op.expr is None or op.name in _ELSEWHERE:
            continue
        if op.name == "cast":
            yield Case(op, (_floats(np.random.default_rng(5)),), {"dtype": dtypes.int32})
            continue
        params = op.params or ("x",)
        for dtype, one, two in (
            (dtypes.float32, _floats, _float_pairs),
            (dtypes.int32, _integers, _integer_pairs),
        ):
            avals = [Aval((1,), dtypes.bool if p == "condition" else dtype) for p in params]
            try:
                op.infer(*avals, **op.defaults)
            except InvalidArgumentError:
                continue
            rng = np.random.default_rng(5)
            arrays = [one(rng)] if len(params) == 1 else two(rng)
            if len(params) == 3:
                arrays = [arrays[0] > 0, *arrays]
            if op.name in WITHIN:
                with np.errstate(invalid="ignore"):
                    kept = WITHIN[op.name](*arrays)
                arrays = [a[kept] for a in arrays]
            yield Case(op, tuple(arrays), dict(op.defaults))


def differences(case: Case, got: Array, *wanted: Array) -> str:
    """Return the places where a result equals none of the expected ones within its bound, or ""."""
    wrong = np.logical_and.reduce([_far(case.bound, got, one) for one in wanted])
    places = np.flatnonzero(wrong)
    lines = [
        f"{[a[i].item() for a in case.arrays]}: {got[i]} for {[w[i] for w in wanted]}"
        for i in places[:9]
    ]
    return f"{case}: {len(places)} differ\n" + "\n".join(lines) if lines else ""


def _far(bound: Bound, got: Array, wanted: Array) -> Array:
    if wanted.dtype.kind != "f":
        return np.asarray(got != wanted)
    with np.errstate(all="ignore"):
        error = np.abs(got.astype(np.float64) - wanted.astype(np.float64))
        allowed = bound.ulps * np.spacing(np.abs(wanted)).astype(np.float64)
        near = error <= np.maximum(allowed, max(bound.absolute, LEAST))
    same = (got == wanted) | (np.isnan(got) & np.isnan(wanted))
    return np.asarray(~(near | same))
