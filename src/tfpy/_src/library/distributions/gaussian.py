"""The cumulative distribution functions of the standard normal and Laplace distributions."""

from __future__ import annotations

import math
from typing import Any

from tfpy._src.library.distributions import functions as f

_LOWER = {"float32": -10.0, "float64": -20.0}
"""Arguments below which the logarithm is computed from an asymptotic series."""


def ndtr(x: Any) -> Any:
    """Return the probability that a standard normal variable is below `x`."""
    scaled = x * math.sqrt(0.5)
    size = f.absolute(scaled)
    tail = f.erfc(size)
    outside = f.where(scaled > 0.0, 2.0 - tail, tail)
    return 0.5 * f.where(size < math.sqrt(0.5), 1.0 + f.erf(scaled), outside)


def log_ndtr(x: Any) -> Any:
    """Return the logarithm of `ndtr(x)`, also where `ndtr(x)` is rounded to 0 or 1."""
    lower = _LOWER.get(x.dtype.name, -10.0)
    right = f.log1p(-ndtr(-f.maximum(x, 0.0)))
    middle = f.log(ndtr(f.minimum(f.maximum(x, lower), 0.0)))
    left = f.where(x > lower, middle, _log_of_tail(f.minimum(x, lower)))
    return f.where(x > 0.0, right, left)


def quantile(p: Any) -> Any:
    """Return the inverse of `ndtr`. Its gradient is 0 for the probabilities 0 and 1."""
    is_inside = f.logical_and(p > 0.0, p < 1.0)
    found = f.ndtri(f.where(is_inside, p, f.zeros_like(p) + 0.5))
    infinite = f.zeros_like(p) + float("inf")
    ends = f.where(p <= 0.0, -infinite, f.where(p >= 1.0, infinite, p))
    return f.where(is_inside, found, ends)


def _log_of_tail(x: Any) -> Any:
    """Compute `log_ndtr` for large negative arguments: Abramowitz and Stegun, 26.2.12."""
    inverse = 1.0 / f.square(x)
    series = 1.0 - inverse * (1.0 - inverse * (3.0 - inverse * 15.0))
    return -0.5 * f.square(x) - f.log(-x) - 0.5 * math.log(2.0 * math.pi) + f.log(series)


def log_laplace_cdf(x: Any) -> Any:
    """Return the logarithm of the probability that a standard Laplace variable is below `x`."""
    above = f.log1p(-0.5 * f.exp(-f.absolute(x)))
    return f.where(x < 0.0, x - math.log(2.0), above)
