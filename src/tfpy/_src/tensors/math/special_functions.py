"""Special functions of ``tf.math`` that are composed of primitives."""

from __future__ import annotations

import math
from typing import Any

from tfpy._src.base.errors import invalid
from tfpy._src.compiler.ops import reduction, special as primitives
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.tensor import Tensor


def erfcinv(x: Any, name: str | None = None) -> Tensor:
    """The number whose erfc is x; infinite at 0 and 2, NaN beyond.

    Example:
        >>> import tfpy as tf
        >>> tf.math.erfcinv([0.4795, 1.5205]).numpy().round(3)
        array([ 0.5, -0.5], dtype=float32)
    """
    return primitives.ndtri(convert_to_tensor(x) * 0.5) * -math.sqrt(0.5)


def lbeta(x: Any, name: str | None = None) -> Tensor:
    """log of the Dirichlet distribution's normaliser: the sum of lgamma less lgamma of the sum.

    Raises:
        InvalidArgumentError: for a scalar.

    Example:
        >>> import tfpy as tf
        >>> tf.math.lbeta([[2.0, 1.0], [2.0, 3.0]]).numpy().round(3)
        array([-0.693, -2.485], dtype=float32)
    """
    t = convert_to_tensor(x)
    if not t.ndim:
        raise invalid("lbeta", "x must be at least a vector, got a scalar")
    last = (t.ndim - 1, t.ndim)
    total = reduction.reduce_sum(primitives.lgamma(t), axes=last)
    return total - primitives.lgamma(reduction.reduce_sum(t, axes=last))
