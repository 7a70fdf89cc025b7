"""NumPy meanings of special functions, in float64."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from tfpy._src.ir.aval import Array


def _lgamma(x: float) -> float:
    if x == -math.inf or (x <= 0 and x == math.floor(x)):
        return math.inf
    return math.lgamma(x)


def _each(function: Callable[[float], float]) -> Callable[[Array], Array]:
    """A function of one number as one of arrays, in the array's dtype."""
    vectorised = np.frompyfunc(function, 1, 1)

    def call(x: Array) -> Array:
        return np.asarray(vectorised(x.astype(np.float64)), dtype=np.float64).astype(x.dtype)

    return call


erfc = _each(math.erfc)
lgamma = _each(_lgamma)


def digamma(x: Array) -> Array:
    """NaN at 0 and the negative integers."""
    return _reflected(x.astype(np.float64)).astype(x.dtype)


def _reflected(x: Array) -> Array:
    low = np.isneginf(x) | ((x <= 0) & (x == np.floor(x)))
    x = np.where(low, np.nan, x)
    right = _digamma_right(np.where(x < 0.5, 1 - x, x))
    return np.where(x < 0.5, right - np.pi / np.tan(np.pi * (x - np.floor(x))), right)


def _digamma_right(x: Array) -> Array:
    shift = sum(1 / (x + k) for k in range(10))
    z = x + 10
    s = 1 / (z * z)
    tail = s * (1 / 12 - s * (1 / 120 - s * (1 / 252 - s * (1 / 240 - s / 132))))
    return np.asarray(np.log(z) - 0.5 / z - tail - shift)


_BERNOULLI = (1 / 12, -1 / 720, 1 / 30240, -1 / 1209600, 1 / 47900160, -691 / 1307674368000)
"""B(2j) / (2j)!"""


def zeta(x: Array, q: Array) -> Array:
    """The sum of (q + k) ** -x over k >= 0, by Euler and Maclaurin, for x > 1 and q > 0."""
    s, start = np.broadcast_arrays(x.astype(np.float64), q.astype(np.float64))
    w = start + 9
    total = sum((start + k) ** -s for k in range(9)) + w ** (1 - s) / (s - 1) + 0.5 * w**-s
    rising, power = s, w ** (-s - 1)
    for j, b in enumerate(_BERNOULLI):
        total = total + b * rising * power
        rising = rising * (s + 2 * j + 1) * (s + 2 * j + 2)
        power = power / (w * w)
    total = np.where(np.isposinf(start), 0, total)
    return np.where(s == 1, np.inf, np.where(s < 1, np.nan, total)).astype(x.dtype)


def ndtri(p: Array) -> Array:
    """The quantile of the normal distribution: Newton's method on the logarithm."""
    return _quantile(p.astype(np.float64)).astype(p.dtype)


def _quantile(p: Array) -> Array:
    inside = (p > 0) & (p < 1)
    tail = np.where(inside, np.minimum(p, 1 - p), 0.25)
    y = -np.sqrt(np.maximum(-2 * np.log(2 * tail), 0))  # below the answer, so that steps converge
    half_erfc = np.frompyfunc(lambda v: 0.5 * math.erfc(-v / math.sqrt(2)), 1, 1)
    for _ in range(40):
        below = np.asarray(half_erfc(y), dtype=np.float64)
        density = np.exp(-0.5 * y * y) / math.sqrt(2 * math.pi)
        y = y - np.log(below / tail) * below / density
    y = np.where(p > 0.5, -y, y)
    edges = np.where(p == 0, -np.inf, np.where(p == 1, np.inf, np.nan))
    return np.where(inside, y, edges)


def erfinv(x: Array) -> Array:
    """From the quantile, and one step more for relative accuracy near 0."""
    v = x.astype(np.float64)
    y = np.copysign(-_quantile((1 - np.abs(v)) / 2) / math.sqrt(2), v)
    fine = np.abs(v) < 0.5
    z = np.where(fine, y, 0)
    erf = np.asarray(np.frompyfunc(math.erf, 1, 1)(z), dtype=np.float64)
    step = (erf - np.where(fine, v, 0)) * math.sqrt(math.pi) / 2 * np.exp(z * z)
    return np.where(fine, z - step, y).astype(x.dtype)


def bessel_i0e(x: Array) -> Array:
    return (_bessel(np.abs(x.astype(np.float64)), 0)).astype(x.dtype)


def bessel_i1e(x: Array) -> Array:
    v = x.astype(np.float64)
    return (np.sign(v) * _bessel(np.abs(v), 1)).astype(x.dtype)


def _bessel(a: Array, order: int) -> Array:
    """exp(-a) I(a) for order 0 or 1: the mean of exp(a (cos t - 1)) cos(order t) over a period.

    The trapezoidal rule converges geometrically; beyond 50 the asymptotic series takes over.
    """
    near, points = np.minimum(a, 50.0), 64
    total = np.zeros_like(near)
    for angle in np.arange(points) * (2 * math.pi / points):
        total += np.exp(near * (math.cos(angle) - 1)) * math.cos(order * angle)
    far, term, series = np.maximum(a, 50.0), np.ones_like(a), np.ones_like(a)
    for k in range(1, 7):
        term = term * ((2 * k - 1) ** 2 - 4 * order * order) / (8 * k * far)
        series = series + term
    return np.where(a > 50, series / np.sqrt(2 * np.pi * far), total / points)


def truncate_div(x: Array, y: Array) -> Array:
    if x.dtype.kind not in "iu":
        return np.trunc(x / y)
    q = np.abs(x.astype(np.int64)) // np.abs(y.astype(np.int64))
    return np.where((x < 0) != (y < 0), -q, q).astype(x.dtype)


def xlogy(x: Array, y: Array) -> Array:
    return np.where(x == 0, 0, x * np.log(np.where(x == 0, 1, y)))


def xlog1py(x: Array, y: Array) -> Array:
    return np.where(x == 0, 0, x * np.log1p(np.where(x == 0, 0, y)))


def xdivy(x: Array, y: Array) -> Array:
    return np.where(x == 0, 0, x / y)
