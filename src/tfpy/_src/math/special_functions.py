"""Special functions of ``tf.math`` that are composed of primitives."""

from __future__ import annotations

import math
from typing import Any

from tfpy._src.core.conversion import as_tensors, convert_to_tensor
from tfpy._src.core.tensor import Tensor
from tfpy._src.errors import invalid
from tfpy._src.ops import elementwise as ew, reduction, special as primitives


def bessel_i0(x: Any, name: str | None = None) -> Tensor:
    """The modified Bessel function of the first kind of order 0."""
    t = convert_to_tensor(x)
    return primitives.bessel_i0e(t) * ew.exp(ew.abs_(t))


def bessel_i1(x: Any, name: str | None = None) -> Tensor:
    """The modified Bessel function of the first kind of order 1."""
    t = convert_to_tensor(x)
    return primitives.bessel_i1e(t) * ew.exp(ew.abs_(t))


def erfcinv(x: Any, name: str | None = None) -> Tensor:
    """The number whose erfc is x; infinite at 0 and 2, NaN beyond."""
    return primitives.ndtri(convert_to_tensor(x) * 0.5) * -math.sqrt(0.5)


def polygamma(a: Any, x: Any, name: str | None = None) -> Tensor:
    """Derivative number ``a`` (0, 1, 2, ...) of digamma, for x > 0."""
    order, t = as_tensors(primitives.zeta, (a, x))
    whole = ew.equal(ew.floor(order), order)
    sign = ew.select(ew.equal(ew.floor_mod(order, 2.0), 0), -1.0, 1.0)
    scale = sign * ew.exp(primitives.lgamma(order + 1))
    higher = scale * primitives.zeta(ew.maximum(order, 0.5) + 1, t)
    result = ew.select(ew.equal(order, 0), primitives.digamma(t), higher)
    return ew.select(ew.logical_and(whole, order >= 0), result, math.nan)


def lbeta(x: Any, name: str | None = None) -> Tensor:
    """log of the Dirichlet distribution's normaliser: the sum of lgamma less lgamma of the sum.

    Raises:
        InvalidArgumentError: for a scalar.
    """
    t = convert_to_tensor(x)
    if not t.ndim:
        raise invalid("lbeta", "x must be at least a vector, got a scalar")
    last = (t.ndim - 1, t.ndim)
    total = reduction.reduce_sum(primitives.lgamma(t), axes=last)
    return total - primitives.lgamma(reduction.reduce_sum(t, axes=last))
