"""Elementwise functions of one tensor (`tf.experimental.numpy`)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tfpy._src.base import dtypes
from tfpy._src.core import primitives
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import TensorLike
from tfpy._src.library.experimental_numpy.documented import OF_SHAPE_OF_X, documented
from tfpy._src.library.experimental_numpy.promotion import (
    as_array,
    as_floats,
    float_type,
    is_inexact,
)
from tfpy._src.tensors.array import complex_numbers
from tfpy._src.tensors.array.making import cast, ones_like, zeros_like
from tfpy._src.tensors.array.slicing import where
from tfpy._src.tensors.math import arithmetic

_FLOAT = "Float or complex tensor of the shape of `{}`. Integers and booleans produce float64."
_SAME = f"{OF_SHAPE_OF_X[:-1]}, with its dtype."


def _unary(
    name: str,
    op: Callable[[Any], Tensor],
    summary: str,
    example: str,
    prints: str,
    *,
    floats: bool = True,
    returns: str = "",
) -> Callable[[TensorLike], Tensor]:
    """Return a function of one tensor that applies `op` after the conversion of `x`.

    Args:
        floats: If True, integers and booleans become floats.
    """

    def function(x: TensorLike) -> Tensor:
        return op(as_floats(x) if floats else as_array(x))

    function.__name__ = function.__qualname__ = name
    described = returns or (_FLOAT.format("x") if floats else _SAME)
    return documented(summary, f"{name}({example})", prints, described)(function)


def _fix(x: Tensor) -> Tensor:
    return where(x < 0, primitives.ceil(x), primitives.floor(x))


def _cube_root(x: Tensor) -> Tensor:
    root = primitives.abs(x) ** (1.0 / 3)
    return where(x < 0, -root, root)


def _sinc(x: Tensor) -> Tensor:
    angle = x * np.pi
    return where(primitives.equal(x, zeros_like(x)), ones_like(x), primitives.sin(angle) / angle)


def _bitwise_not(x: Tensor) -> Tensor:
    return (primitives.logical_not if x.dtype.is_bool else primitives.invert)(x)


def _signbit(x: Tensor) -> Tensor:
    return zeros_like(x) if x.dtype.is_bool else primitives.less(x, zeros_like(x))


def _is_finite(x: Tensor) -> Tensor:
    return primitives.is_finite(x)


sin = _unary("sin", primitives.sin, "Compute the sine of angles in radians.", "[0.0]", "[0.0]")
cos = _unary("cos", primitives.cos, "Compute the cosine of angles in radians.", "[0.0]", "[1.0]")
tan = _unary("tan", primitives.tan, "Compute the tangent of angles in radians.", "[0.0]", "[0.0]")
arcsin = _unary("arcsin", primitives.asin, "Compute the inverse sine.", "[0.0]", "[0.0]")
arccos = _unary("arccos", primitives.acos, "Compute the inverse cosine.", "[1.0]", "[0.0]")
arctan = _unary("arctan", primitives.atan, "Compute the inverse tangent.", "[0.0]", "[0.0]")
sinh = _unary("sinh", primitives.sinh, "Compute the hyperbolic sine.", "[0.0]", "[0.0]")
cosh = _unary("cosh", primitives.cosh, "Compute the hyperbolic cosine.", "[0.0]", "[1.0]")
tanh = _unary("tanh", primitives.tanh, "Compute the hyperbolic tangent.", "[0.0]", "[0.0]")
arcsinh = _unary(
    "arcsinh", primitives.asinh, "Compute the inverse hyperbolic sine.", "[0.0]", "[0.0]"
)
arccosh = _unary(
    "arccosh", primitives.acosh, "Compute the inverse hyperbolic cosine.", "[1.0]", "[0.0]"
)
arctanh = _unary(
    "arctanh", primitives.atanh, "Compute the inverse hyperbolic tangent.", "[0.0]", "[0.0]"
)
exp = _unary("exp", primitives.exp, "Compute the exponential function.", "[0]", "[1.0]")
expm1 = _unary("expm1", primitives.expm1, "Compute `exp(x) - 1` accurately.", "[0.0]", "[0.0]")
exp2 = _unary("exp2", lambda x: 2**x, "Compute powers of 2.", "[0, 3]", "[1.0, 8.0]")
log = _unary("log", primitives.log, "Compute the natural logarithm.", "[1]", "[0.0]")
log1p = _unary("log1p", primitives.log1p, "Compute `log(1 + x)` accurately.", "[0.0]", "[0.0]")
log2 = _unary(
    "log2",
    lambda x: primitives.log(x) / np.log(2),
    "Compute the logarithm to base 2.",
    "[1]",
    "[0.0]",
)
log10 = _unary(
    "log10",
    lambda x: primitives.log(x) / np.log(10),
    "Compute the logarithm to base 10.",
    "[1]",
    "[0.0]",
)
sqrt = _unary("sqrt", primitives.sqrt, "Compute the square root.", "[4, 9]", "[2.0, 3.0]")
cbrt = _unary("cbrt", _cube_root, "Compute the cube root.", "[0.0, -1.0]", "[0.0, -1.0]")
ceil = _unary(
    "ceil", primitives.ceil, "Round up to integers, with a float dtype.", "[1.5]", "[2.0]"
)
floor = _unary(
    "floor",
    primitives.floor,
    "Round down to integers, with a float dtype.",
    "[1.5, -1.5]",
    "[1.0, -2.0]",
)
fix = _unary("fix", _fix, "Round towards 0, with a float dtype.", "[1.5, -1.5]", "[1.0, -1.0]")
deg2rad = _unary(
    "deg2rad", lambda x: x * (np.pi / 180.0), "Convert degrees to radians.", "[0.0]", "[0.0]"
)
sinc = _unary("sinc", _sinc, "Compute `sin(pi * x) / (pi * x)`, which is 1 at 0.", "[0.0]", "[1.0]")
isnan = _unary(
    "isnan",
    primitives.is_nan,
    "Return True for elements that are NaN.",
    "[1.0, float('nan')]",
    "[False, True]",
    returns="Bool tensor of the shape of `x`.",
)
isfinite = _unary(
    "isfinite",
    primitives.is_finite,
    "Return True for elements that are neither infinite nor NaN.",
    "[1.0, float('inf')]",
    "[True, False]",
    returns="Bool tensor of the shape of `x`.",
)

absolute = _unary(
    "absolute",
    primitives.abs,
    "Compute the absolute value.",
    "[-1, 2]",
    "[1, 2]",
    floats=False,
    returns="Tensor of the shape of `x`. Complex numbers produce the float dtype of their parts.",
)
abs = fabs = absolute
negative = _unary(
    "negative", primitives.negative, "Negate numbers.", "[-1, 2]", "[1, -2]", floats=False
)
positive = _unary("positive", lambda x: x, "Return `x` itself.", "[-1, 2]", "[-1, 2]", floats=False)
square = _unary(
    "square", primitives.square, "Compute the square.", "[-1, 2]", "[1, 4]", floats=False
)
reciprocal = _unary(
    "reciprocal",
    primitives.reciprocal,
    "Compute `1 / x`.",
    "[2.0, 4.0]",
    "[0.5, 0.25]",
    floats=False,
)
conjugate = _unary(
    "conjugate",
    complex_numbers.conj,
    "Compute the complex conjugate.",
    "[1 + 2j]",
    "[(1-2j)]",
    floats=False,
)
conj = conjugate
bitwise_not = _unary(
    "bitwise_not",
    _bitwise_not,
    "Invert the bits of integers, or negate booleans.",
    "[0, 1]",
    "[-1, -2]",
    floats=False,
)
signbit = _unary(
    "signbit",
    _signbit,
    "Return True for elements that are less than 0.",
    "[-1.5, 2.0]",
    "[True, False]",
    floats=False,
    returns="Bool tensor of the shape of `x`.",
)


@documented("Convert radians to degrees.", "rad2deg([0.0])", "[0.0]", _FLOAT.format("x"))
def rad2deg(x: TensorLike) -> Tensor:
    return as_array(x) * (180.0 / np.pi)


@documented(
    "Compute the angle of complex numbers. The angle of a negative number is pi.",
    "angle([1.0, 2.0])",
    "[0.0, 0.0]",
    "Float tensor of the shape of `z`.",
    z="Tensor, array, number or nested list.",
    deg="If True, return degrees. Default: False, radians.",
)
def angle(z: TensorLike, deg: bool = False) -> Tensor:
    x = as_floats(z)
    if x.dtype.is_floating:
        found = where(primitives.less(x, zeros_like(x)), np.float32(np.pi), np.float32(0))
    else:
        found = complex_numbers.angle(x)
    return rad2deg(found) if deg else found


@documented(
    "Round to the given number of decimals. Numbers in the middle are rounded to even ones.",
    "around([0.5, 1.5, 2.26])",
    "[0.0, 2.0, 2.0]",
    "Tensor of the shape and dtype of `a`.",
    decimals="Number of decimals. Negative numbers round to tens, hundreds and so on. Default: 0.",
)
def around(a: TensorLike, decimals: int = 0) -> Tensor:
    x = as_array(a)
    working = x if is_inexact(x) else cast(x, float_type())
    factor = cast(10.0**decimals, working.dtype)
    rounded = primitives.round(primitives.multiply(working, factor))
    return cast(arithmetic.divide(rounded, factor), x.dtype)


round = around


@documented(
    "Return the signs of numbers: -1, 0 or 1.",
    "sign([-2.5, 0.0, 3.0])",
    "[-1.0, 0.0, 1.0]",
    _SAME,
    where="Must be None. Masks are not supported.",
    kwargs="No further arguments are supported.",
)
def sign(
    x: TensorLike, out: None = None, where: TensorLike | None = None, **kwargs: object
) -> Tensor:
    for name, value in {"out": out, "where": where, **kwargs}.items():
        if value is not None or name in kwargs:
            raise ValueError(f"sign: the argument `{name}` is not supported, got {value!r}.")
    return arithmetic.sign(as_array(x))


@documented(
    "Return the imaginary parts of numbers.",
    "imag([1 + 2j])",
    "[2.0]",
    "Float tensor of that shape.",
)
def imag(val: TensorLike) -> Tensor:
    return complex_numbers.imag(as_array(val))


@documented(
    "Return the real parts of numbers.", "real([1 + 2j])", "[1.0]", "Float tensor of that shape."
)
def real(val: TensorLike) -> Tensor:
    return complex_numbers.real(as_array(val))


@documented(
    "Return True for elements with an imaginary part that is not 0.",
    "iscomplex([1 + 2j, 3])",
    "[True, False]",
    "Bool tensor of the shape of `x`.",
)
def iscomplex(x: TensorLike) -> Tensor:
    return primitives.not_equal(imag(x), 0)


@documented(
    "Return True for elements whose imaginary part is 0.",
    "isreal([1 + 2j, 3])",
    "[False, True]",
    "Bool tensor of the shape of `x`.",
)
def isreal(x: TensorLike) -> Tensor:
    return primitives.equal(imag(x), 0)


@documented("Return True if the dtype is complex.", "tnp.iscomplexobj([1 + 2j])", "True", "A bool.")
def iscomplexobj(x: TensorLike) -> bool:
    return as_array(x).dtype.is_complex


@documented("Return True if the dtype is not complex.", "tnp.isrealobj([1.0])", "True", "A bool.")
def isrealobj(x: TensorLike) -> bool:
    return not iscomplexobj(x)


def _infinite(
    name: str, kind: str, op: Callable[[Tensor], Tensor], prints: str
) -> Callable[[Tensor], Tensor | bool]:
    def function(x: Tensor) -> Tensor | bool:
        return op(x) if x.dtype.is_floating else False

    function.__name__ = function.__qualname__ = name
    return documented(
        f"Return True for elements that are {kind}.",
        f"{name}(tf.constant([1.0, float('inf'), -float('inf')]))",
        prints,
        "Bool tensor of the shape of `x`, or False if the dtype is not a float dtype.",
        x="Tensor.",
    )(function)


isinf = _infinite("isinf", "infinite", primitives.is_inf, "[False, True, True]")
isposinf = _infinite(
    "isposinf",
    "positive infinity",
    lambda x: primitives.equal(x, cast(np.inf, x.dtype)),
    "[False, True, False]",
)
isneginf = _infinite(
    "isneginf",
    "negative infinity",
    lambda x: primitives.equal(x, cast(-np.inf, x.dtype)),
    "[False, False, True]",
)


@documented(
    "Negate booleans. Numbers are False if they are 0.",
    "logical_not([0, 2])",
    "[True, False]",
    "Bool tensor of the shape of `x`.",
)
def logical_not(x: TensorLike) -> Tensor:
    return primitives.logical_not(as_array(x, dtypes.bool))
