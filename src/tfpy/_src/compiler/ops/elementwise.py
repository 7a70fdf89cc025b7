"""Elementwise primitives: each output element depends on the input elements at the same position.

A record states the NumPy reference, one scalar expression for all device backends, and the
gradient. A gradient is a function where it needs additional ops, so that it is computed only on
demand. In gradients, `g` is the gradient of the output, `y` is the output, `x` the input (`z` is
the output where `y` is an input). The family sums gradients over broadcast dimensions.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tfpy._src.base import dtypes
from tfpy._src.base.dtypes import real_part
from tfpy._src.compiler.ir import expr as ex
from tfpy._src.compiler.ir.expr import Expr
from tfpy._src.compiler.ir.op import Laws, Op
from tfpy._src.compiler.ops.casting import cast
from tfpy._src.compiler.ops.families import infer
from tfpy._src.compiler.ops.families.elementwise import binary, elementwise, float_unary, unary
from tfpy._src.compiler.ops.families.infer import FLOAT, NUMERIC, REAL
from tfpy._src.compiler.ops.logic import not_equal, select
from tfpy._src.compiler.ops.masked import masked_multiply
from tfpy._src.compiler.ops.reference import math as host
from tfpy._src.compiler.ops.rules import sum_to_shape, zeros

# Arithmetic

add = binary(
    "add",
    np.add,
    lambda x, y: x + y,
    lambda g, z, x, y: (g, g),
    takes=NUMERIC | {dtypes.string},
    laws=Laws(commutative=True, neutral=-0.0, exact=True),
    by_rows=True,
    doc="""Compute `x + y` element-wise.

    Integers wrap around on overflow. Strings are concatenated.
    """,
)
subtract = binary(
    "subtract",
    np.subtract,
    lambda x, y: x - y,
    lambda g, z, x, y: (g, lambda: -g),
    takes=NUMERIC,
    laws=Laws(neutral=0.0, exact=True),
    by_rows=True,
    doc="""Compute `x - y` element-wise.

    Integers wrap around on overflow.
    """,
)
multiply = binary(
    "multiply",
    np.multiply,
    lambda x, y: x * y,
    lambda g, z, x, y: (lambda: g * y, lambda: g * x),
    takes=NUMERIC,
    laws=Laws(commutative=True, neutral=1, absorbing=0, exact=True),
    doc="""Compute `x * y` element-wise.

    Integers wrap around on overflow.
    """,
)
real_div = binary(
    "real_div",
    np.divide,
    lambda x, y: x / y,
    lambda g, z, x, y: (lambda: g / y, lambda: -sum_to_shape(g * z, y.aval.shape) / y),
    public="realdiv",
    domain=(0.3, 4.0),
    laws=Laws(neutral=1, exact=True),
    doc="Compute `x / y` element-wise.",
)
divide_no_nan: Op = binary(
    "divide_no_nan",
    host.divide_no_nan,
    lambda x, y: ex.select(ex.eq(y, 0.0), 0.0, x / y),
    lambda g, z, x, y: (lambda: divide_no_nan(g, y), lambda: -divide_no_nan(g * z, y)),
    public="",
    laws=Laws(exact=True),
    doc="x / y, or 0 where y is 0.",
)


def _floor_div(x: Expr, y: Expr) -> Expr:
    if x.dtype.is_floating:
        return ex.unary("floor", ex.binary("quotient", x, y))
    q, r = ex.binary("idiv", x, y), ex.binary("irem", x, y)
    return q - ex.cast(ex.ne(r, 0) & ((r < 0) ^ (y < 0)), x.dtype)


def _floor_mod(x: Expr, y: Expr) -> Expr:
    r = ex.binary("rem" if x.dtype.is_floating else "irem", x, y)
    return ex.select(ex.ne(r, 0) & ((r < 0) ^ (y < 0)), r + y, r)


def _int_pow(x: Expr, y: Expr) -> Expr:
    """Compute powers by squaring. Products wrap around, as in TensorFlow."""
    result, base = ex.const(1, x.dtype), x
    for bit in range(8 * x.dtype.size - 1):
        result = ex.select(ex.ne(y & (1 << bit), 0), result * base, result)
        base = base * base
    return result


def _pow_vjp(g: Any, z: Any, x: Any, y: Any) -> tuple[Any, Any]:
    def to_exponent() -> Any:
        positive = not_equal(x, 0) if x.dtype.is_complex else x > 0
        return g * z * select(positive, log(select(positive, x, 1.0)), 0.0)

    return lambda: g * y * power(x, y - 1), to_exponent


floor_div = binary(
    "floordiv",
    host.floor_div,
    _floor_div,
    lambda g, z, x, y: (None, None),
    takes=REAL,
    domain=(1.0, 9.0),
    public="math.floordiv floor_div",
    doc="""Compute `x / y` rounded down to an integer, element-wise.

    Division of an integer by 0 raises `tf.errors.InvalidArgumentError` on the cpu backend and
    returns 0 on the other backends. The gradient is None because the function is piecewise
    constant.
    """,
)
floor_mod = binary(
    "floormod",
    host.floor_mod,
    _floor_mod,
    lambda g, z, x, y: (g, -g * floor_div(x, y)),
    takes=REAL,
    domain=(1.0, 9.0),
    public="math.floormod math.mod",
    doc="""Compute the remainder of `x / y`, with the sign of `y`, element-wise.

    Division of an integer by 0 raises `tf.errors.InvalidArgumentError` on the cpu backend and
    returns 0 on the other backends.
    """,
)
power = binary(
    "pow",
    host.power,
    lambda x, y: _int_pow(x, y) if x.dtype.is_integer else ex.binary("pow", x, y),
    _pow_vjp,
    takes=NUMERIC,
    domain=(0.3, 3.0),
    laws=Laws(neutral=1),
    doc="""Compute `x` raised to the power `y` element-wise.

    Integers wrap around on overflow. A negative integer exponent raises
    `tf.errors.InvalidArgumentError` on the cpu backend. The gradient with respect to `y` is 0 where
    `x` is not positive.
    """,
)
maximum = binary(
    "maximum",
    np.maximum,
    ex.maximum,
    lambda g, z, x, y: (lambda: select(x >= y, g, 0), lambda: select(x >= y, 0, g)),
    takes=REAL,
    laws=Laws(commutative=True, neutral=-math.inf, idempotent=True, exact=True),
    doc="""Compute the maximum of `x` and `y` element-wise.

    The result is NaN where either operand is NaN. Where the operands are equal, the gradient is
    passed to `x` only.
    """,
)
minimum = binary(
    "minimum",
    np.minimum,
    ex.minimum,
    lambda g, z, x, y: (lambda: select(x <= y, g, 0), lambda: select(x <= y, 0, g)),
    takes=REAL,
    laws=Laws(commutative=True, neutral=math.inf, idempotent=True, exact=True),
    doc="""Compute the minimum of `x` and `y` element-wise.

    The result is NaN where either operand is NaN. Where the operands are equal, the gradient is
    passed to `x` only.
    """,
)
squared_difference = binary(
    "squared_difference",
    host.squared_difference,
    lambda x, y: (x - y) * (x - y).conjugate(),
    lambda g, z, x, y: (lambda: g * (x - y) * 2, lambda: g * (y - x) * 2),
    takes=NUMERIC,
    holomorphic=False,
    laws=Laws(exact=True),
    doc="""Compute `(x - y) * conj(x - y)` element-wise.

    For complex numbers, the result is the squared distance as a complex number.
    """,
)
atan2 = binary(
    "atan2",
    np.arctan2,
    lambda y, x: ex.binary("atan2", y, x),
    lambda g, z, y, x: (g * x / (x * x + y * y), -g * y / (x * x + y * y)),
    takes=FLOAT,
    params=("y", "x"),
    doc="""Compute the angle of the point (`x`, `y`) element-wise.

    The result is in radians, in the range [-pi, pi].
    """,
)
negative = elementwise(
    "negative",
    np.negative,
    lambda x: -x,
    lambda g, y, x: -g,
    takes=infer.SIGNED,
    public="negative math.negative",
    laws=Laws(involution=True, exact=True, sparse=True),
    by_rows=True,
    doc="""Compute `-x` element-wise.

    The smallest integer of a signed dtype, such as -128 for int8, remains unchanged, because the
    dtype does not contain its negative.
    """,
)


def _abs_vjp(g: Any, y: Any, x: Any) -> Any:
    if not x.dtype.is_complex:
        return g * sign(x)
    return divide_no_nan(cast(g, dtype=x.dtype), cast(y, dtype=x.dtype)) * x


abs_ = elementwise(
    "abs",
    np.abs,
    abs,
    _abs_vjp,
    takes=infer.SIGNED,
    gives=real_part,
    holomorphic=False,
    laws=Laws(idempotent=True, exact=True, sparse=True),
    doc="""Compute the absolute value of `x` element-wise.

    The smallest integer of a signed dtype, such as -128 for int8, remains unchanged, because the
    dtype does not contain its negative.
    """,
)
sign: Op = elementwise(
    "sign",
    np.sign,
    unary("sign"),
    lambda g, y, x: zeros(x.aval.shape, x.dtype),
    takes=infer.SIGNED & REAL,
    public="",
    laws=Laws(idempotent=True, exact=True, sparse=True),
)
square = elementwise(
    "square",
    np.square,
    lambda x: x * x,
    lambda g, y, x: g * x * 2,
    takes=NUMERIC,
    laws=Laws(exact=True, sparse=True),
    doc="""Compute `x * x` element-wise.

    Integers wrap around on overflow.
    """,
)
reciprocal = elementwise(
    "reciprocal",
    np.reciprocal,
    lambda x: 1.0 / x,
    lambda g, y, x: masked_multiply(-y * y, g),
    domain=(0.3, 4.0),
    public="math.reciprocal",
    doc="""Compute `1 / x` element-wise.

    The result at 0 is infinite. For elements that `tf.where` discards, the gradient is 0, even if
    the derivative is infinite.
    """,
)

# Functions of one float

sqrt = float_unary(
    "sqrt",
    np.sqrt,
    lambda g, y, x: masked_multiply(0.5 / y, g),
    domain=(0.1, 9.0),
    laws=Laws(exact=True, sparse=True),
    doc="""Compute the square root of `x` element-wise.

    The result is NaN for negative floats. For complex numbers, it is the root with a nonnegative
    real part. The gradient at 0 is infinite. For elements that `tf.where` discards, the gradient is
    0, even if the derivative is infinite.
    """,
)
rsqrt = float_unary(
    "rsqrt",
    host.rsqrt,
    lambda g, y, x: masked_multiply(y * y * -0.5, masked_multiply(y, g)),
    domain=(0.1, 9.0),
    public="math.rsqrt",
    doc="""Compute `1 / sqrt(x)` element-wise.

    The result is infinite at 0 and NaN for negative floats. For elements that `tf.where` discards,
    the gradient is 0, even if the derivative is infinite.
    """,
)
exp = float_unary(
    "exp",
    np.exp,
    lambda g, y, x: g * y,
    doc="""Compute the exponential, `e` to the power `x`, element-wise.

    The result is infinite where it exceeds the range of the dtype. For float32, this is where `x`
    is above 88.72.
    """,
)
expm1 = float_unary(
    "expm1",
    np.expm1,
    lambda g, y, x: g * exp(x),
    public="math.expm1",
    laws=Laws(sparse=True),
    doc="""Compute `exp(x) - 1` element-wise.

    The result is accurate near 0, unlike `tf.exp(x) - 1`.
    """,
)
log = float_unary(
    "log",
    np.log,
    lambda g, y, x: g / x,
    domain=(0.05, 9.0),
    public="math.log",
    doc="""Compute the natural logarithm of `x` element-wise.

    The result is -infinity at 0 and NaN for negative floats. For complex numbers, its imaginary
    part is in (-pi, pi].
    """,
)
log1p = float_unary(
    "log1p",
    host.log1p,
    lambda g, y, x: g / (x + 1),
    domain=(-0.9, 9.0),
    public="math.log1p",
    laws=Laws(sparse=True),
    doc="""Compute `log(1 + x)` element-wise.

    The result is accurate near 0, unlike `tf.math.log(1 + x)`. It is -infinity at -1, and NaN for
    smaller floats.
    """,
)
floor = float_unary(
    "floor",
    np.floor,
    lambda g, y, x: None,
    takes=FLOAT,
    laws=Laws(idempotent=True, exact=True, sparse=True),
    doc="""Round `x` down to an integer element-wise.

    Infinities and NaN remain unchanged. The gradient is None because the function is piecewise
    constant.
    """,
)
ceil = float_unary(
    "ceil",
    np.ceil,
    lambda g, y, x: None,
    takes=FLOAT,
    public="math.ceil",
    laws=Laws(idempotent=True, exact=True, sparse=True),
    doc="""Round `x` up to an integer element-wise.

    Infinities and NaN remain unchanged. The gradient is None because the function is piecewise
    constant.
    """,
)
round_ = elementwise(
    "round",
    np.rint,
    lambda x: ex.unary("round", x) if x.dtype.is_floating else x,
    lambda g, y, x: None,
    takes=REAL,
    laws=Laws(idempotent=True, exact=True),
    doc="""Round `x` to the nearest integer element-wise.

    Halves are rounded to the nearest even integer. The gradient is None because the function is
    piecewise constant.
    """,
)
