"""Complex functions on a grid of edge values.

The values are signed zeros, infinities, NaN, huge and tiny numbers.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from tfpy._src.compiler.ops import OPS, Op

Array = np.ndarray[Any, Any]

_PARTS = [
    *(0.0, -0.0, 1.0, -1.0, 0.5, -2.0, np.inf, -np.inf, np.nan, 1e-30, -1e-30, 1e-12, 100.0),
    *(-100.0, 1e20, 3e38, -3e38),
]
_FEW = [0.0, -0.0, 1.0, -2.0, np.inf, np.nan, 1e-30, 1e20]
_SIGNED = frozenset(
    ("acos", "acosh", "asin", "asinh", "atan", "atanh", "log", "log1p", "negative", "sqrt")
)
"""Functions for which the sign of a zero is also compared, if a device keeps it."""
_UNARY = (
    *("abs", "angle", "conj", "cos", "cosh", "exp", "reciprocal", "sigmoid", "sin", "sinh"),
    *("tan", "tanh", "expm1", "rsqrt"),
)
_BINARY = ("add", "subtract", "real_div", "divide_no_nan", "xdivy")


@dataclass(frozen=True)
class Case:
    """A function on a grid."""

    op: Op
    arrays: tuple[Array, ...]

    @property
    def wanted(self) -> Array:
        with np.errstate(all="ignore"):
            return np.asarray(self.op.ref(*self.arrays))

    def differences(self, got: Array, signs: bool = True) -> str:
        """Return the places where a result differs from the reference, or "".

        Args:
            got: Result.
            signs: If True, also compare the signs of zeros.
        """
        wanted = self.wanted
        signed = signs and self.op.name in _SIGNED
        wrong = ~(_same(got, wanted, signed) | (_has_nan(got) & _has_nan(wanted)))
        lines = [
            f"{[a[i].item() for a in self.arrays]}: {got[i]} for {wanted[i]}"
            for i in np.flatnonzero(wrong)[:9]
        ]
        return "\n".join([f"{self}: {wrong.sum()} differ", *lines]) if lines else ""

    def __str__(self) -> str:
        return self.op.name


def _has_nan(z: Array) -> Array:
    return np.asarray(np.isnan(z))


def _same(got: Array, wanted: Array, signed: bool) -> Array:
    """Compare components with an error relative to the larger one."""
    size = np.zeros(wanted.shape)
    for part in (wanted.real, wanted.imag):
        size = np.maximum(size, np.where(np.isfinite(part), np.abs(part), 0))
    found = np.ones(wanted.shape, bool)
    for x, y in ((got.real, wanted.real), (got.imag, wanted.imag)):
        with np.errstate(invalid="ignore"):
            near = (np.abs(x - y) <= 1e-5 * size + 2.0**-125) | (x == y)
        near |= np.isnan(x) & np.isnan(y)
        if signed:
            near &= (x != 0) | (y != 0) | (np.signbit(x) == np.signbit(y))
        found &= near
    return found


def _numbers(parts: list[float]) -> Array:
    z = np.empty((len(parts), len(parts)), np.complex64)
    z.real, z.imag = np.array(parts)[:, None], np.array(parts)
    return z.ravel()


def cases() -> Iterator[Case]:
    z = _numbers(_PARTS)
    for name in (*sorted(_SIGNED), *_UNARY):
        yield Case(OPS[name], (z,))
    x, y = (np.ascontiguousarray(m.ravel()) for m in np.meshgrid(*[_numbers(_FEW)] * 2))
    for name in _BINARY:
        yield Case(OPS[name], (x, y))
    largest = np.array([3e38, 3e38j, -3e38 + 3e38j, 1e38 - 3e38j], np.complex64)
    yield Case(OPS["real_div"], (np.repeat(largest[:2], 2), np.tile(largest[:2], 2)))
