"""Special functions of float64, which `formulas.py` computes to the accuracy of float32 only.

They use series with enough terms for float64 and steps of Newton's method. The first argument of
each function is the result of the formula: an approximation, and the exact result where it is not
finite.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from tfpy._src.compiler.ir.aval import Array


def _each(function: Callable[[float], float], at_pole: float) -> Callable[[Array], Array]:
    """Vectorize a function of Python's `math`, which raises an error at poles."""

    def of_number(x: float) -> float:
        try:
            return function(x)
        except (ValueError, OverflowError):
            return at_pole

    vectorized = np.vectorize(of_number, otypes=[np.float64])
    return lambda x: np.asarray(vectorized(x)) if x.size else x


_erf, _erfc = _each(math.erf, math.nan), _each(math.erfc, math.nan)
_lgamma = _each(math.lgamma, math.inf)


def erf(near: Array, x: Array) -> Array:
    return _erf(x)


def erfc(near: Array, x: Array) -> Array:
    return _erfc(x)


def lgamma(near: Array, x: Array) -> Array:
    return _lgamma(x)


_STEPS = 8


def ndtri(near: Array, p: Array) -> Array:
    """Apply Newton's method to the logarithm of the nearer tail, which is concave."""
    tail = np.minimum(p, 1 - p)
    inside = tail > 0
    target = np.where(inside, tail, 0.25)
    w = np.sqrt(-2 * np.log(target))
    far = (np.log(w) + math.log(2 * math.pi) / 2) / w - w
    y = np.where(target < 1e-9, far, np.where(inside, -np.abs(near), -0.7))
    for _ in range(_STEPS):
        area = np.maximum(_erfc(y * -math.sqrt(0.5)) / 2, np.finfo(np.float64).tiny)
        density = np.exp(-y * y / 2) / math.sqrt(2 * math.pi)
        y = y - (np.log(area) - np.log(target)) * area / density
    return np.where(inside, np.where(p < 0.5, y, -y), near)


def erfinv(near: Array, x: Array) -> Array:
    """Apply Newton's method to erf or erfc, whichever is nearer."""
    a = np.abs(x)
    inside = a < 1
    target, y = np.where(inside, a, 0.5), np.where(inside, np.abs(near), 0.5)
    for _ in range(_STEPS // 2):
        rest = np.where(target < 0.5, _erf(y) - target, 1 - target - _erfc(y))
        y = y - rest * math.sqrt(math.pi) / 2 * np.exp(y * y)
    return np.where(inside, np.copysign(y, x), near)


_BERNOULLI = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6, -3617 / 510)
_SHIFT = 12
"""Argument from which the series of these numbers are exact."""


def digamma(near: Array, x: Array) -> Array:
    """Compute the asymptotic series after steps of the recurrence, reflected below 1/2."""
    left = x < 0.5
    v = np.where(left, 1 - x, x)
    z, below = v + _SHIFT, sum(1 / (v + k) for k in range(_SHIFT))
    tail: Any = sum(b / (2 * n * z ** (2 * n)) for n, b in enumerate(_BERNOULLI, 1))
    right = np.log(z) - 0.5 / z - tail - below
    mirrored = right - math.pi / np.tan((x - np.rint(x)) * math.pi)
    return np.where(np.isfinite(near), np.where(left, mirrored, right), near)


def _zeta(x: Array, q: Array) -> Array:
    """Compute the Euler-Maclaurin formula (https://dlmf.nist.gov/25.11) for q > 0."""
    w = q + _SHIFT
    total = sum((q + k) ** -x for k in range(_SHIFT)) + w ** (1 - x) / (x - 1) + w**-x / 2
    term = x * w ** (-x - 1)
    for n, b in enumerate(_BERNOULLI, 1):
        total = total + term * b / math.factorial(2 * n)
        term = term * (x + 2 * n - 1) * (x + 2 * n) / (w * w)
    return np.asarray(total)


def zeta(near: Array, x: Array, q: Array) -> Array:
    """Compute the zeta function.

    For q < 0, the terms on both sides of 0 are sums for positive numbers.
    """
    below = np.floor(q)
    sign = np.where(np.fmod(x, 2) == 0, 1, -1)
    right = _zeta(x, np.where(q < 0, q - below, q))
    mirrored = right + sign * (_zeta(x, below + 1 - q) - _zeta(x, 1 - q))
    return np.where(np.isfinite(near) & (near != 0), np.where(q < 0, mirrored, right), near)


def polygamma(near: Array, a: Array, x: Array) -> Array:
    sign = np.where(np.fmod(a, 2) == 0, -1, 1)
    order = np.maximum(a, 1)
    higher = sign * np.exp(_lgamma(order + 1)) * zeta(np.abs(near), order + 1, x)
    return np.where(np.isfinite(near), np.where(a == 0, digamma(near, x), higher), near)


_FAR = 30.0
"""Argument from which Hankel's expansion (https://dlmf.nist.gov/10.40) replaces the power
series."""


def _bessel(order: int, x: Array) -> Array:
    """Compute exp(-abs(x)) times the modified Bessel function of the first kind."""
    a = np.abs(x)
    inner, outer = np.minimum(a, _FAR), np.maximum(a, _FAR)
    term: Any = (inner / 2) ** order
    series = term
    for k in range(1, 80):
        term = term * (inner * inner / 4) / (k * (k + order))
        series = series + term
    term = expansion = np.ones_like(outer)
    for k in range(1, 30):
        term = term * ((2 * k - 1) ** 2 - 4 * order**2) / (8 * k * outer)
        expansion = expansion + term
    far = expansion / np.sqrt(2 * math.pi * outer)
    found = np.where(a < _FAR, series * np.exp(-inner), far)
    return np.where(x < 0, -found, found) if order else found


def _grown(y: Array, x: Array) -> Array:
    """Compute y exp(abs(x)) in two steps, so that it overflows only where the product does."""
    half = np.exp(np.abs(x) / 2)
    return y * half * half


def bessel_i0e(near: Array, x: Array) -> Array:
    return _bessel(0, x)


def bessel_i1e(near: Array, x: Array) -> Array:
    return _bessel(1, x)


def bessel_i0(near: Array, x: Array) -> Array:
    return _grown(_bessel(0, x), x)


def bessel_i1(near: Array, x: Array) -> Array:
    return _grown(_bessel(1, x), x)
