"""NumPy references of the incomplete gamma and beta functions, in float64."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tfpy._src.compiler.ir.aval import Array
from tfpy._src.compiler.ops.reference.special import erfc

_STEPS = 10_000
_SMALLEST = 1e-300
_LARGE = 1e5  # from here, the cube root of a gamma number is normal to float precision
_IMAGINARY = 1e-30  # step of derivatives: the imaginary part of f(a + ih) is exactly h f'(a)
_LANCZOS = (
    0.99999999999980993, 676.5203681218851, -1259.1392167224028, 771.32342877765313,
    -176.61502916214059, 12.507343278686905, -0.13857109526572012, 9.9843695780195716e-6,
    1.5056327351493116e-7,
)  # fmt: skip


def _log_factorial(a: Array) -> Array:
    """Return log(gamma(a + 1)) for real parts of `a` of at least 0, by Lanczos's sum."""
    series = _LANCZOS[0] + sum(c / (a + k) for k, c in enumerate(_LANCZOS[1:], 1))
    t = a + 7.5
    return np.asarray(0.5 * np.log(2 * np.pi) + (a + 0.5) * np.log(t) - t + np.log(series))


def _lgamma(a: Array) -> Array:
    """Return log(gamma(a)) for positive ``a``."""
    return np.asarray(_log_factorial(a) - np.log(a))


def _fraction(numerator: Callable[[int], Any], denominator: Callable[[int], Any]) -> Any:
    """Return the continued fraction b0 + a1 / (b1 + a2 / (b2 + ...)), by Lentz's method."""
    value = denominator(0)
    value = np.where(value == 0, _SMALLEST, value)
    c, d = value, np.zeros_like(value)
    for k in range(1, _STEPS):
        a, b = numerator(k), denominator(k)
        d = b + a * d
        d = 1 / np.where(d == 0, _SMALLEST, d)
        c = b + a / c
        c = np.where(c == 0, _SMALLEST, c)
        value = value * c * d
        if (np.abs(c * d - 1) < 1e-15).all():
            break
    return value


def _series(a: Array, x: Array) -> Array:
    """Return the sum of x ** n / ((a + 1) ... (a + n)) over n >= 0."""
    term = total = np.ones_like(a)
    for n in range(1, _STEPS):
        term = term * x / (a + n)
        total = total + term
        if (np.abs(term) <= 1e-17 * np.abs(total)).all():
            break
    return total


def _lower_and_upper(a: Array, x: Array) -> tuple[Array, Array]:
    """Return both regularized functions for finite a > 0 and x > 0.

    `a` may have an imaginary part.
    """
    lower = np.empty(a.shape, a.dtype)
    upper = np.empty(a.shape, a.dtype)
    large = a.real > _LARGE
    near = ~large & (x <= a.real + 1)
    far = ~large & ~near
    # No division by a: near 0, it would make the derivative a difference of large terms.
    factor = np.exp(a[~large] * np.log(x[~large]) - x[~large] - _log_factorial(a[~large]))
    scale = np.empty(a.shape, a.dtype)
    scale[~large] = factor
    lower[near] = scale[near] * _series(a[near], x[near])
    upper[near] = 1 - lower[near]
    shift = x[far] - a[far]
    upper[far] = (
        a[far] * scale[far] / _fraction(lambda k: k * (a[far] - k), lambda k: shift + (2 * k + 1))
    )
    lower[far] = 1 - upper[far]
    lower[large], upper[large] = _normal(a[large], x[large])
    return lower, upper


def _normal(a: Array, x: Array) -> tuple[Any, Any]:
    """Return Wilson and Hilferty's approximation, with its derivative as the imaginary part."""
    z = 3 * np.sqrt(a) * ((x / a) ** (1 / 3) - 1 + 1 / (9 * a))
    real = np.real(z)
    slope = np.exp(-real * real / 2) / np.sqrt(2 * np.pi) * (z - real)
    return erfc(-real * np.sqrt(0.5)) / 2 + slope, erfc(real * np.sqrt(0.5)) / 2 - slope


def _incomplete(a: Array, x: Array, upper: bool) -> Array:
    """Compute the function for all floats. Outside of the domain it is NaN, as in TensorFlow."""
    first, second = np.broadcast_arrays(a.astype(np.float64), x.astype(np.float64))
    out = np.full(first.shape, np.nan)
    inside = (first > 0) & np.isfinite(first) & (second > 0) & np.isfinite(second)
    out[inside] = _lower_and_upper(first[inside], second[inside])[upper]
    out[(second == 0) & ((first > 0) | (not upper))] = upper
    out[(first > 0) & np.isfinite(first) & np.isposinf(second)] = not upper
    out[np.isposinf(first) & (second > 0)] = upper
    out[np.isposinf(first) & np.isposinf(second)] = 0
    return out.astype(a.dtype)


def igamma(a: Array, x: Array) -> Array:
    return _incomplete(a, x, upper=False)


def igammac(a: Array, x: Array) -> Array:
    return _incomplete(a, x, upper=True)


def _derivative(a: Array, x: Array) -> Array:
    """Compute d igamma(a, x) / da in float64."""
    first, second = np.broadcast_arrays(a.astype(np.float64), x.astype(np.float64))
    out = np.where((second == 0) | ((first > 0) & (second > 0)), 0.0, np.nan)
    inside = (first > 0) & np.isfinite(first) & (second > 0) & np.isfinite(second)
    lower, _ = _lower_and_upper(first[inside] + 1j * _IMAGINARY, second[inside])
    out[inside] = lower.imag / _IMAGINARY
    return out


def igamma_grad_a(a: Array, x: Array) -> Array:
    return _derivative(a, x).astype(a.dtype)


def random_gamma_grad(alpha: Array, sample: Array) -> Array:
    """Compute d sample / d alpha at a fixed probability: -(dP / dalpha) / (dP / dsample)."""
    a, x = np.broadcast_arrays(alpha.astype(np.float64), sample.astype(np.float64))
    density = np.exp((a - 1) * np.log(x) - x - _lgamma(a))
    result = np.where(x == 0, 0, -_derivative(a, x) / density)
    return result.astype(alpha.dtype)


def betainc(a: Array, b: Array, x: Array) -> Array:
    """Compute the regularized incomplete beta function, which is NaN outside of its domain."""
    wide = (v.astype(np.float64) for v in (a, b, x))
    first, second, at = np.broadcast_arrays(*wide)
    out = np.full(first.shape, np.nan)
    valid = ~(first <= 0) & ~(second <= 0)
    out[valid & (at == 0)] = 0
    out[valid & (at == 1)] = 1
    inside = (first > 0) & (second > 0) & np.isfinite(first + second) & (at > 0) & (at < 1)
    p, q, t = first[inside], second[inside], at[inside]
    swap = t > (p + 1) / (p + q + 2)  # the fraction converges fast on this side only
    p, q, t = np.where(swap, q, p), np.where(swap, p, q), np.where(swap, 1 - t, t)
    front = np.exp(p * np.log(t) + q * np.log1p(-t) + _lgamma(p + q) - _lgamma(p) - _lgamma(q))
    ones = np.ones_like(p)
    value = front / (p * _fraction(lambda k: _beta_numerator(p, q, t, k), lambda k: ones))
    out[inside] = np.where(swap, 1 - value, value)
    return out.astype(a.dtype)


def _beta_numerator(p: Array, q: Array, t: Array, k: int) -> Array:
    m = k // 2
    if k % 2:
        return np.asarray(-(p + m) * (p + q + m) * t / ((p + 2 * m) * (p + 2 * m + 1)))
    return np.asarray(m * (q - m) * t / ((p + 2 * m - 1) * (p + 2 * m)))
