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
    doc="""The sine of angles in radians, element by element, of floats and complex numbers; NaN
    at infinity.""",
)
cos: Op = float_unary(
    "cos",
    np.cos,
    lambda g, y, x: -g * sin(x),
    doc="""The cosine of angles in radians, element by element, of floats and complex numbers;
    NaN at infinity.""",
)
tan = float_unary(
    "tan",
    np.tan,
    lambda g, y, x: g * (y * y + 1),
    domain=(-1.4, 1.4),
    laws=Laws(sparse=True),
    doc="""The tangent of angles in radians, sin(x) / cos(x), element by element, of floats and
    complex numbers; NaN at infinity.""",
)


def _slope_of_asin(x: Any) -> Any:
    """Return 1 / sqrt(1 - x * x). Which side of the branch cut a complex x is on is lost in the
    difference; the conjugates give TensorFlow's side.
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
    doc="""The angle in [-pi/2, pi/2] whose sine is x, element by element, of floats and complex
    numbers; NaN for floats outside of [-1, 1].""",
)
acos = float_unary(
    "acos",
    np.arccos,
    lambda g, y, x: -g * _slope_of_asin(x),
    domain=(-0.95, 0.95),
    doc="""The angle in [0, pi] whose cosine is x, element by element, of floats and complex
    numbers; NaN for floats outside of [-1, 1].""",
)
atan = float_unary(
    "atan",
    np.arctan,
    lambda g, y, x: g / (x * x + 1),
    laws=Laws(sparse=True),
    doc="""The angle in [-pi/2, pi/2] whose tangent is x, element by element, of floats and
    complex numbers; pi/2 at infinity. atan2 knows the quadrant.""",
)
sinh = float_unary(
    "sinh",
    np.sinh,
    lambda g, y, x: g * cosh(x),
    laws=Laws(sparse=True),
    doc="""The hyperbolic sine, (exp(x) - exp(-x)) / 2, element by element, of floats and complex
    numbers; infinite where that overflows.""",
)
cosh: Op = float_unary(
    "cosh",
    np.cosh,
    lambda g, y, x: g * sinh(x),
    doc="""The hyperbolic cosine, (exp(x) + exp(-x)) / 2, element by element, of floats and
    complex numbers; infinite where that overflows.""",
)
asinh = float_unary(
    "asinh",
    np.arcsinh,
    lambda g, y, x: g / cosh(y),  # x * x would overflow
    laws=Laws(sparse=True),
    doc="""The inverse of sinh, log(x + sqrt(x * x + 1)), element by element, of floats and
    complex numbers.""",
)
acosh = float_unary(
    "acosh",
    np.arccosh,
    lambda g, y, x: g / sinh(y),
    domain=(1.1, 9.0),
    doc="""The inverse of cosh, log(x + sqrt(x * x - 1)), element by element, of floats and
    complex numbers; NaN for floats below 1.""",
)
atanh = float_unary(
    "atanh",
    np.arctanh,
    lambda g, y, x: g / (1 - x * x),
    domain=(-0.95, 0.95),
    laws=Laws(sparse=True),
    doc="""The inverse of tanh, log((1 + x) / (1 - x)) / 2, element by element, of floats and
    complex numbers; infinite at 1 and -1, NaN for floats beyond.""",
)
tanh = float_unary(
    "tanh",
    np.tanh,
    lambda g, y, x: g * (1 - y * y),
    public="tanh math.tanh nn.tanh",
    laws=Laws(sparse=True),
    doc="""The hyperbolic tangent, sinh(x) / cosh(x), element by element, of floats and complex
    numbers; 1 and -1 at the infinities.""",
)
