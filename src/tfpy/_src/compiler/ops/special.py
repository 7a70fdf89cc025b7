"""Special functions and less common arithmetic. `ops/elementwise.py` explains the records.

Their formulas are in `formulas.py`.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from tfpy._src.base import dtypes
from tfpy._src.compiler.ir import expr as ex
from tfpy._src.compiler.ir.expr import Expr
from tfpy._src.compiler.ir.op import Laws, Op
from tfpy._src.compiler.ops import formulas
from tfpy._src.compiler.ops.casting import cast
from tfpy._src.compiler.ops.elementwise import exp, sign
from tfpy._src.compiler.ops.families.elementwise import binary, elementwise, float_unary
from tfpy._src.compiler.ops.families.infer import FLOAT, REAL
from tfpy._src.compiler.ops.formulas import Formula
from tfpy._src.compiler.ops.logic import not_equal, select
from tfpy._src.compiler.ops.reference import math as host, special


class _Expressions:
    """The functions of formulas for scalar expressions."""

    equal = staticmethod(ex.eq)
    minimum = staticmethod(ex.minimum)
    maximum = staticmethod(ex.maximum)
    unary = staticmethod(ex.unary)

    def select(self, condition: Expr, x: Any, y: Any) -> Any:
        return ex.select(condition, x if isinstance(x, Expr) else ex.const(x, ex.F), y)

    def pow(self, x: Expr, y: Expr) -> Any:
        return ex.binary("pow", x, y)

    def leading(self, x: Expr) -> Expr:
        return ex.bitcast(ex.bitcast(x, ex.I) & ~0xFFF, ex.F)

    def piecewise(self, condition: Expr, x: Expr, near: Formula, far: Formula) -> Expr:
        return self.select(condition, near(x), far(x))


def of_expressions(formula: Callable[..., Any]) -> Callable[..., Any]:
    """Return the op expression of a formula."""
    return functools.partial(formula, _Expressions())


def _special(name: str, **facts: Any) -> Op:
    """Register a float function of `tf.math` that is computed by its formula."""
    facts = {"public": f"math.{name}"} | facts
    formula = getattr(formulas, name)
    return elementwise(
        name, special.of_arrays(formula), of_expressions(formula), takes=FLOAT, **facts
    )


# Division


def _truncated(q: Expr) -> Expr:
    return ex.select(q < 0.0, ex.unary("ceil", q), ex.unary("floor", q))


def _truncate_div_ref(x: Any, y: Any) -> Any:
    host.check_divisor("truncatediv", x, y)
    return special.truncate_div(x, y)


def _truncate_mod_ref(x: Any, y: Any) -> Any:
    host.check_divisor("truncatemod", x, y)
    return np.fmod(x, y)


truncatediv = binary(
    "truncatediv",
    _truncate_div_ref,
    lambda x, y: (
        _truncated(ex.binary("quotient", x, y)) if x.dtype.is_floating else ex.binary("idiv", x, y)
    ),
    lambda g, z, x, y: (None, None),
    takes=REAL,
    domain=(1.0, 9.0),
    public="truncatediv",
    doc="""Compute `x / y` rounded towards 0, element-wise.

    Division of an integer by 0 raises `tf.errors.InvalidArgumentError` on the cpu backend and
    returns 0 on the other backends. The gradient is None because the function is piecewise
    constant.
    """,
)
truncatemod = binary(
    "truncatemod",
    _truncate_mod_ref,
    lambda x, y: ex.binary("rem" if x.dtype.is_floating else "irem", x, y),
    takes=REAL,
    domain=(1.0, 9.0),
    public="truncatemod",
    doc="""Compute the remainder of `x / y`, with the sign of `x`, element-wise.

    Division of an integer by 0 raises `tf.errors.InvalidArgumentError` on the cpu backend and
    returns 0 on the other backends. No gradient is defined, so a tape raises a LookupError.
    """,
)
rint = elementwise(
    "rint",
    np.rint,
    lambda x: ex.unary("round", x),
    lambda g, y, x: None,
    takes=FLOAT,
    public="math.rint",
    laws=Laws(sparse=True),
    doc="""Round `x` to the nearest integer element-wise.

    Halves are rounded to the nearest even integer. The gradient is None because the function is
    piecewise constant.
    """,
)


def _nextafter_expr(x: Expr, y: Expr) -> Expr:
    """Step the bit pattern of x: floats of one sign are ordered as their bit patterns are."""
    number, integer = x.dtype, dtypes.int64 if x.dtype.size > ex.F.size else ex.I
    bits = ex.bitcast(x, integer)
    away = ~((x < y) ^ (x > 0.0))
    moved = ex.bitcast(bits + ex.select(away, 1, ex.const(-1, integer)), number)
    least = ex.bitcast(ex.select(y < 0.0, ex.const(integer.min + 1, integer), 1), number)
    step = ex.select(ex.eq(x, 0.0), least, moved)
    result = ex.select(ex.eq(x, y), y, step)
    return ex.select(ex.isnan(x) | ex.isnan(y), x + y, result)


nextafter = elementwise(
    "nextafter",
    np.nextafter,
    _nextafter_expr,
    lambda g, y, x1, x2: (g, g * 0),
    params=("x1", "x2"),
    takes=FLOAT,
    public="math.nextafter",
    by_bits=True,
    doc="""Return the float that follows `x1` in the direction of `x2`, element-wise.

    The result is `x1` where both operands are equal.
    """,
)

# Products that are 0 where x is 0


def _nonzero(x: Any) -> Any:
    """Return 1 where x is not 0, and 0 elsewhere."""
    return cast(not_equal(x, 0), dtype=x.dtype)


def _product(
    name: str, ref: Any, expr: Any, by_y: Any, domain: tuple[float, float], doc: str
) -> Op:
    """Register a product that is linear in x. As in TensorFlow, its gradient conjugates nothing.

    Args:
        by_y: Function that computes the derivative with respect to y from ops.
        doc: Formula of the product.
    """
    op: Op = binary(
        name,
        ref,
        lambda x, y: ex.select(ex.eq(x, 0.0), 0.0, expr(x, y)),
        lambda g, z, x, y: (lambda: g * op(_nonzero(x), y), lambda: g * by_y(x, y)),
        holomorphic=False,
        domain=domain,
        public=f"math.{name}",
        doc=f"""Compute `{doc}` element-wise, and 0 where `x` is 0.

        The value of `y` does not matter where `x` is 0, even if it is infinite or NaN.
        """,
    )
    return op


xdivy: Op = _product(
    "xdivy", special.xdivy, lambda x, y: x / y, lambda x, y: xdivy(-x, y * y), (0.3, 4.0), "x / y"
)
xlogy = _product(
    "xlogy",
    special.xlogy,
    lambda x, y: x * ex.unary("log", y),
    xdivy,
    (0.3, 4.0),
    "x * log(y)",
)
xlog1py = _product(
    "xlog1py",
    special.xlog1py,
    lambda x, y: x * ex.unary("log1p", y),
    lambda x, y: xdivy(x, y + 1),
    (-0.9, 4.0),
    "x * log(1 + y)",
)

# The error function and its inverses

_ERF_SLOPE = 2.0 / math.sqrt(math.pi)  # slope of erf at 0

erf = float_unary(
    "erf",
    special.erf,
    lambda g, y, x: g * _ERF_SLOPE * exp(-x * x),
    takes=FLOAT,
    public="math.erf",
    laws=Laws(sparse=True),
    doc="Compute the Gauss error function of `x` element-wise.",
)
erfc = _special(
    "erfc",
    vjp=lambda g, y, x: g * -_ERF_SLOPE * exp(-x * x),
    doc="""Compute the complementary error function, `1 - erf(x)`, element-wise.

    The result is accurate where `erf(x)` is close to 1.
    """,
)
erfinv = _special(
    "erfinv",
    vjp=lambda g, y, x: g / _ERF_SLOPE * exp(y * y),
    domain=(-0.99, 0.99),
    doc="""Compute the inverse of `tf.math.erf` element-wise.

    The result is infinite at -1 and 1, and NaN outside of [-1, 1].
    """,
)
ndtri = _special(
    "ndtri",
    vjp=lambda g, y, x: g * math.sqrt(2.0 * math.pi) * exp(y * y * 0.5),
    domain=(0.01, 0.99),
    doc="""Compute the quantile function of the standard normal distribution element-wise.

    The result is infinite at 0 and 1, and NaN outside of [0, 1].
    """,
)

# Gamma functions

lgamma: Op = _special(
    "lgamma",
    vjp=lambda g, y, x: g * digamma(x),
    domain=(0.1, 9.0),
    doc="""Compute `log(abs(gamma(x)))` element-wise.

    The result is infinite at 0 and at the negative integers.
    """,
)
digamma: Op = _special(
    "digamma",
    vjp=lambda g, y, x: g * zeta(2.0, x),
    domain=(0.1, 9.0),
    doc="""Compute the digamma function, the derivative of `tf.math.lgamma`, element-wise.

    The result is NaN at 0 and at the negative integers.
    """,
)
zeta: Op = elementwise(
    "zeta",
    special.of_arrays(formulas.zeta),
    of_expressions(formulas.zeta),
    lambda g, z, x, q: (None, lambda: -g * x * zeta(x + 1, q)),
    params=("x", "q"),
    takes=FLOAT,
    domain=(1.2, 4.0),
    public="math.zeta",
    doc="""Compute the Hurwitz zeta function element-wise.

    The result is the sum of `(q + k) ** -x` over all integers `k >= 0`. It is infinite if `x` is 1,
    and NaN if `x` is less than 1. The gradient with respect to `x` is None.
    """,
)

polygamma: Op = elementwise(
    "polygamma",
    special.of_arrays(formulas.polygamma),
    of_expressions(formulas.polygamma),
    lambda g, z, a, x: (None, lambda: g * polygamma(a + 1, x)),
    params=("a", "x"),
    takes=FLOAT,
    domain=(1.0, 4.0),
    public="math.polygamma",
    doc="""Compute the polygamma function element-wise.

    The result is the derivative of order `a` of `tf.math.digamma` at `x`. It is NaN where `a` is
    negative or not an integer. The gradient with respect to `a` is None.
    """,
)

# Bessel functions

bessel_i0e: Op = _special(
    "bessel_i0e",
    vjp=lambda g, y, x: g * (bessel_i1e(x) - sign(x) * y),
    public="math.bessel_i0e math.special.bessel_i0e",
    doc="""Compute `exp(-abs(x)) * bessel_i0(x)` element-wise.

    Unlike `tf.math.bessel_i0`, the scaled function does not overflow.
    """,
)


bessel_i0: Op = _special(
    "bessel_i0",
    vjp=lambda g, y, x: g * bessel_i1(x),
    public="math.bessel_i0 math.special.bessel_i0",
    doc="Compute the modified Bessel function of the first kind of order 0, element-wise.",
)


def _i1_vjp(g: Any, y: Any, x: Any) -> Any:
    nonzero = not_equal(x, 0)
    return g * select(nonzero, bessel_i0(x) - y / select(nonzero, x, 1.0), 0.5)


bessel_i1: Op = _special(
    "bessel_i1",
    vjp=_i1_vjp,
    public="math.bessel_i1 math.special.bessel_i1",
    doc="Compute the modified Bessel function of the first kind of order 1, element-wise.",
)


def _i1e_vjp(g: Any, y: Any, x: Any) -> Any:
    nonzero = not_equal(x, 0)
    safe = select(nonzero, x, 1.0)
    return g * select(nonzero, bessel_i0e(x) - y * sign(safe) - y / safe, 0.5)


bessel_i1e: Op = _special(
    "bessel_i1e",
    vjp=_i1e_vjp,
    public="math.bessel_i1e math.special.bessel_i1e",
    doc="""Compute `exp(-abs(x)) * bessel_i1(x)` element-wise.

    Unlike `tf.math.bessel_i1`, the scaled function does not overflow.
    """,
)
