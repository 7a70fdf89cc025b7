"""Special functions of float64 by JAX's functions.

For float32 they are expressions, as on devices.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from jax import lax, numpy as jnp
from jax.scipy import special

from tfpy._src.compiler.lower.jax.table import Rule


def zeta(x: Any, q: Any) -> Any:
    """Compute the zeta function.

    JAX supports q > 0. Below, the terms on both sides of 0 are sums for positive numbers.
    """
    below = lax.floor(q)
    sign = jnp.where(x % 2 == 0, 1.0, -1.0)
    outer = special.zeta(x, below + 1 - q) - special.zeta(x, 1 - q)
    mirrored = special.zeta(x, q - below) + sign * outer
    is_mirrored = (q < 0) & (q != below) & (x == lax.floor(x))
    return jnp.where(is_mirrored, mirrored, special.zeta(x, q))


def polygamma(order: Any, x: Any) -> Any:
    whole = (order >= 0) & (order == lax.floor(order))
    return jnp.where(whole, special.polygamma(order.astype(np.int64), x), np.nan)


DOUBLES: dict[str, Rule] = {
    "erf": lax.erf,
    "erfc": lax.erfc,
    "erfinv": lax.erf_inv,
    "ndtri": special.ndtri,
    "lgamma": lax.lgamma,
    "digamma": lax.digamma,
    "zeta": zeta,
    "polygamma": polygamma,
    "bessel_i0": special.i0,
    "bessel_i0e": special.i0e,
    "bessel_i1": special.i1,
    "bessel_i1e": special.i1e,
}
