"""Sines, cosines, tangents and their inverses, circular and hyperbolic."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfpy._src.compiler.ir.op import OPS, Laws, Op
from tfpy._src.compiler.ops.elementwise import rsqrt
from tfpy._src.compiler.ops.families.elementwise import float_unary

sin = float_unary(
    "sin",
    np.sin,
    lambda g, y, x: g * cos(x),
    laws=Laws(sparse=True),
    doc="""Compute the sine of `x` element-wise.

    `x` is an angle in radians. The result is NaN where `x` is infinite.
    """,
)
cos: Op = float_unary(
    "cos",
    np.cos,
    lambda g, y, x: -g * sin(x),
    doc="""Compute the cosine of `x` element-wise.

    `x` is an angle in radians. The result is NaN where `x` is infinite.
    """,
)
tan = float_unary(
    "tan",
    np.tan,
    lambda g, y, x: g * (y * y + 1),
    domain=(-1.4, 1.4),
    laws=Laws(sparse=True),
    doc="""Compute the tangent of `x` element-wise.

    `x` is an angle in radians. The result is NaN where `x` is infinite.
    """,
)


def _slope_of_asin(x: Any) -> Any:
    """Return 1 / sqrt(1 - x * x).

    For complex x, the difference does not preserve the side of the branch cut; the conjugates
    restore TensorFlow's side.
    """
    if not x.dtype.is_complex:
        return rsqrt(1 - x * x)
    z = OPS["conj"](x)
    return OPS["conj"](rsqrt(1 - z * z))


asin = float_unary(
    "asin",
    np.arcsin,
    lambda g, y, x: g * _slope_of_asin(x),
    domain=(-0.95, 0.95),
    laws=Laws(sparse=True),
    doc="""Compute the arc sine of `x` element-wise.

    The result is an angle in [-pi/2, pi/2]. It is NaN for floats outside of [-1, 1].
    """,
)
acos = float_unary(
    "acos",
    np.arccos,
    lambda g, y, x: -g * _slope_of_asin(x),
    domain=(-0.95, 0.95),
    doc="""Compute the arc cosine of `x` element-wise.

    The result is an angle in [0, pi]. It is NaN for floats outside of [-1, 1].
    """,
)
atan = float_unary(
    "atan",
    np.arctan,
    lambda g, y, x: g / (x * x + 1),
    laws=Laws(sparse=True),
    doc="""Compute the arc tangent of `x` element-wise.

    The result is an angle in [-pi/2, pi/2].
    """,
)
sinh = float_unary(
    "sinh",
    np.sinh,
    lambda g, y, x: g * cosh(x),
    laws=Laws(sparse=True),
    doc="""Compute the hyperbolic sine of `x` element-wise.

    The result is `(exp(x) - exp(-x)) / 2`. It is infinite where it exceeds the range of
    the dtype.
    """,
)
cosh: Op = float_unary(
    "cosh",
    np.cosh,
    lambda g, y, x: g * sinh(x),
    doc="""Compute the hyperbolic cosine of `x` element-wise.

    The result is `(exp(x) + exp(-x)) / 2`. It is infinite where it exceeds the range of
    the dtype.
    """,
)
asinh = float_unary(
    "asinh",
    np.arcsinh,
    lambda g, y, x: g / cosh(y),  # x * x would overflow
    laws=Laws(sparse=True),
    doc="""Compute the inverse hyperbolic sine of `x` element-wise.

    The result is `log(x + sqrt(x * x + 1))`.
    """,
)
acosh = float_unary(
    "acosh",
    np.arccosh,
    lambda g, y, x: g / sinh(y),
    domain=(1.1, 9.0),
    doc="""Compute the inverse hyperbolic cosine of `x` element-wise.

    The result is `log(x + sqrt(x * x - 1))`. It is NaN for floats below 1.
    """,
)
atanh = float_unary(
    "atanh",
    np.arctanh,
    lambda g, y, x: g / (1 - x * x),
    domain=(-0.95, 0.95),
    laws=Laws(sparse=True),
    doc="""Compute the inverse hyperbolic tangent of `x` element-wise.

    The result is `log((1 + x) / (1 - x)) / 2`. It is infinite at -1 and 1, and NaN for
    floats outside of [-1, 1].
    """,
)
tanh = float_unary(
    "tanh",
    np.tanh,
    lambda g, y, x: g * (1 - y * y),
    public="tanh math.tanh nn.tanh",
    laws=Laws(sparse=True),
    doc="""Compute the hyperbolic tangent of `x` element-wise.

    The result is `sinh(x) / cosh(x)`. It is between -1 and 1.
    """,
)
