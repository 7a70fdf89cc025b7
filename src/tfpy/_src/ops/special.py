"""Special functions and less common arithmetic. See ``ops/elementwise.py`` for how records read.

Expressions are for float32: polynomials and series with relative errors around 1e-6, where not said
otherwise.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from tfpy._src.ir import expr as ex
from tfpy._src.ir.expr import Expr
from tfpy._src.ir.op import Op
from tfpy._src.ops.elementwise import cast, exp, not_equal, reciprocal, select, sign, sin
from tfpy._src.ops.families.elementwise import binary, elementwise, float_unary
from tfpy._src.ops.families.infer import FLOAT, REAL
from tfpy._src.ops.reference import math as host_math, special as host


def _polynomial(x: Expr, coefficients: Sequence[float]) -> Any:
    """With the coefficient of the highest power first."""
    result: Any = coefficients[0]
    for c in coefficients[1:]:
        result = result * x + c
    return result


def _special(name: str, ref: Any, vjp: Any, expr: Any, **facts: Any) -> Op:
    """A float function of ``tf.math``."""
    facts = {"public": f"math.{name}"} | facts
    return float_unary(name, ref, vjp, expr=expr, takes=FLOAT, **facts)


# Division


def _truncated(q: Expr) -> Expr:
    return ex.select(q < 0.0, ex.unary("ceil", q), ex.unary("floor", q))


def _truncate_div_ref(x: Any, y: Any) -> Any:
    host_math.check_divisor("truncatediv", x, y)
    return host.truncate_div(x, y)


def _truncate_mod_ref(x: Any, y: Any) -> Any:
    host_math.check_divisor("truncatemod", x, y)
    return np.fmod(x, y)


truncatediv = binary(
    "truncatediv",
    _truncate_div_ref,
    lambda x, y: _truncated(x / y) if x.dtype == ex.F else ex.binary("idiv", x, y),
    lambda g, z, x, y: (None, None),
    takes=REAL,
    domain=(1.0, 9.0),
    public="truncatediv",
    doc="x / y rounded towards 0. Integer x / 0 is an error on cpu, 0 on other backends.",
)
truncatemod = binary(
    "truncatemod",
    _truncate_mod_ref,
    lambda x, y: ex.binary("rem" if x.dtype == ex.F else "irem", x, y),
    takes=REAL,
    domain=(1.0, 9.0),
    public="truncatemod",
    doc="Remainder of x / y with x's sign. Integer y = 0 is an error on cpu, x on other backends.",
)
rint = elementwise(
    "rint",
    np.rint,
    lambda x: ex.unary("round", x),
    lambda g, y, x: None,
    takes=FLOAT,
    public="math.rint",
    doc="Nearest integer, halves to the even one.",
)


def _nextafter_expr(x: Expr, y: Expr) -> Expr:
    """The bits of floats of one sign are in their order."""
    bits = ex.bitcast(x, ex.I)
    away = ~((x < y) ^ (x > 0.0))
    moved = ex.bitcast(bits + ex.select(away, 1, ex.const(-1, ex.I)), ex.F)
    least = ex.bitcast(ex.select(y < 0.0, ex.const(-(2**31) + 1, ex.I), 1), ex.F)
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
    doc="The float next to x1 in the direction of x2.",
)

# Products that are 0 where x is


def _nonzero(x: Any) -> Any:
    """1 where x is not 0."""
    return cast(not_equal(x, 0), dtype=x.dtype)


def _product(
    name: str, ref: Any, expr: Any, by_y: Any, domain: tuple[float, float], doc: str
) -> Op:
    """A product that is linear in x; TensorFlow conjugates nothing in its gradient.

    Args:
        by_y: the derivative by y, in ops.
    """
    op: Op = binary(
        name,
        ref,
        lambda x, y: ex.select(ex.eq(x, 0.0), 0.0, expr(x, y)),
        lambda g, z, x, y: (lambda: g * op(_nonzero(x), y), lambda: g * by_y(x, y)),
        holomorphic=False,
        domain=domain,
        public=f"math.{name}",
        doc=f"{doc}, and 0 where x is 0.",
    )
    return op


xdivy: Op = _product(
    "xdivy", host.xdivy, lambda x, y: x / y, lambda x, y: xdivy(-x, y * y), (0.3, 4.0), "x / y"
)
xlogy = _product(
    "xlogy",
    host.xlogy,
    lambda x, y: x * ex.unary("log", y),
    xdivy,
    (0.3, 4.0),
    "x * log(y)",
)
xlog1py = _product(
    "xlog1py",
    host.xlog1py,
    lambda x, y: x * ex.unary("log1p", y),
    lambda x, y: xdivy(x, y + 1),
    (-0.9, 4.0),
    "x * log(1 + y)",
)

# The error function and its inverses

_ERFC = (
    0.17087277, -0.82215223, 1.48851587, -1.13520398, 0.27886807, -0.18628806, 0.09678418,
    0.37409196, 1.00002368, -1.26551223,
)  # fmt: skip


def _erfc_expr(x: Expr) -> Expr:
    """A Chebyshev fit over [0, inf) after a change of variable (Numerical Recipes, 6.2)."""
    t = 1.0 / (abs(x) * 0.5 + 1.0)
    tail = t * ex.unary("exp", _polynomial(t, _ERFC) - x * x)
    return ex.select(x < 0.0, 2.0 - tail, tail)


_CENTRAL = (
    2.81022636e-08, 3.43273939e-07, -3.5233877e-06, -4.39150654e-06, 0.00021858087,
    -0.00125372503, -0.00417768164, 0.246640727, 1.50140941,
)  # fmt: skip
_TAIL = (
    -0.000200214257, 0.000100950558, 0.00134934322, -0.00367342844, 0.00573950773, -0.0076224613,
    0.00943887047, 1.00167406, 2.83297682,
)  # fmt: skip


def _erfinv_expr(x: Expr, outside: Expr) -> Expr:
    """From x and 1 - x * x, as https://people.maths.ox.ac.uk/gilesm/files/gems_erfinv.pdf."""
    w = -ex.unary("log", outside)
    central = _polynomial(w - 2.5, _CENTRAL)
    tail = _polynomial(ex.unary("sqrt", ex.maximum(w, 5.0)) - 3.0, _TAIL)
    edge = ex.select(ex.eq(outside, 0.0), ex.INF, tail)
    return ex.select(w < 5.0, central, edge) * x


erfc = _special(
    "erfc",
    host.erfc,
    lambda g, y, x: g * -1.1283791670955126 * exp(-x * x),
    _erfc_expr,
    doc="1 - erf(x), accurate where erf(x) is near 1.",
)
erfinv = _special(
    "erfinv",
    host.erfinv,
    lambda g, y, x: g * 0.886226925452758 * exp(y * y),
    lambda x: _erfinv_expr(x, (1.0 - x) * (1.0 + x)),
    domain=(-0.99, 0.99),
    doc="The number whose erf is x; infinite at 1 and -1, NaN beyond.",
)
ndtri = _special(
    "ndtri",
    host.ndtri,
    lambda g, y, x: g * 2.5066282746310002 * exp(y * y * 0.5),
    lambda p: _erfinv_expr(p * 2.0 - 1.0, p * (1.0 - p) * 4.0) * 1.4142135623730951,
    domain=(0.01, 0.99),
    doc="Quantile of the standard normal distribution; on devices for p above 1e-7.",
)

# Gamma functions

_LANCZOS = (
    676.5203681218851, -1259.1392167224028, 771.3234287776531, -176.6150291621406,
    12.507343278686905, -0.13857109526572012, 9.984369578019572e-6, 1.5056327351493116e-7,
)  # fmt: skip


def _fraction(x: Expr) -> Expr:
    return x - ex.unary("floor", x)


def _lgamma_expr(x: Expr) -> Expr:
    """Lanczos's approximation (https://doi.org/10.1137/0701008, g = 7), reflected below 1/2."""
    left = x < 0.5
    z = ex.select(left, -x, x - 1.0)
    total: Any = 0.9999999999998099
    for k, c in enumerate(_LANCZOS, 1):
        total = c / (z + float(k)) + total
    t = z + 7.5
    right = (z + 0.5) * (ex.unary("log", t) - 1.0) - 7.0 + ex.unary("log", total)
    right = ex.select(ex.eq(x, ex.INF), ex.INF, right + 0.9189385332046727)
    sine = abs(ex.unary("sin", _fraction(x) * math.pi))
    mirrored = 1.1447298858494002 - ex.unary("log", sine) - right
    far = ex.eq(ex.unary("floor", x), x) & left  # a pole
    return ex.select(far, ex.INF, ex.select(left, mirrored, right))


def _digamma_expr(x: Expr) -> Expr:
    """The asymptotic series after six steps of the recurrence, reflected below 1/2."""
    left = x < 0.5
    v = ex.select(left, 1.0 - x, x)
    shift: Any = 1.0 / v
    for k in range(1, 6):
        shift = shift + 1.0 / (v + float(k))
    z = v + 6.0
    s = 1.0 / (z * z)
    tail = s * _polynomial(s, (-1 / 252, 1 / 120, -1 / 12))
    right = ex.unary("log", z) - 0.5 / z + tail - shift
    mirrored = right - math.pi / ex.unary("tan", _fraction(x) * math.pi)
    pole = ex.eq(ex.unary("floor", x), x) & left
    return ex.select(pole, math.nan, ex.select(left, mirrored, right))


def _zeta_expr(x: Expr, q: Expr) -> Expr:
    """Euler and Maclaurin's formula after six terms of the sum (https://dlmf.nist.gov/25.11)."""
    total = ex.binary("pow", q, -x)
    for k in range(1, 6):
        total = total + ex.binary("pow", q + float(k), -x)
    w = q + 6.0
    power = ex.binary("pow", w, -x)
    total = total + power * (w / (x - 1.0) + 0.5)
    tail = power / w * x
    square = 1.0 / (w * w)
    for j, b in enumerate((1 / 12, -1 / 720, 1 / 30240)):
        total = total + tail * b
        tail = tail * (x + float(2 * j + 1)) * (x + float(2 * j + 2)) * square
    total = ex.select(ex.eq(q, ex.INF), 0.0, total)
    return ex.select(ex.eq(x, 1.0), ex.INF, ex.select(x < 1.0, math.nan, total))


def _trigamma(x: Any) -> Any:
    """The derivative of digamma, reflected below 1/2."""
    left = x < 0.5
    right = zeta(2.0, select(left, 1 - x, x))
    angle = select(left, x, 0.5) * math.pi
    return select(left, reciprocal(sin(angle) * sin(angle)) * math.pi**2 - right, right)


lgamma: Op = _special(
    "lgamma",
    host.lgamma,
    lambda g, y, x: g * digamma(x),
    _lgamma_expr,
    domain=(0.1, 9.0),
    doc="log(abs(gamma(x))).",
)
digamma: Op = _special(
    "digamma",
    host.digamma,
    lambda g, y, x: g * _trigamma(x),
    _digamma_expr,
    domain=(0.1, 9.0),
    doc="Derivative of lgamma; NaN at 0 and the negative integers.",
)
zeta: Op = elementwise(
    "zeta",
    host.zeta,
    _zeta_expr,
    lambda g, z, x, q: (None, lambda: -g * x * zeta(x + 1, q)),
    params=("x", "q"),
    takes=FLOAT,
    domain=(1.2, 4.0),
    public="math.zeta",
    doc="Hurwitz's zeta function of x > 1 and q > 0: the sum of (q + k) ** -x over k >= 0.",
)

# Bessel functions

_I0_NEAR = (0.0045813, 0.0360768, 0.2659732, 1.2067492, 3.0899424, 3.5156229, 1.0)
_I0_FAR = (
    0.00392377, -0.01647633, 0.02635537, -0.02057706, 0.00916281, -0.00157565, 0.00225319,
    0.01328592, 0.39894228,
)  # fmt: skip
_I1_NEAR = (0.00032411, 0.00301532, 0.02658733, 0.15084934, 0.51498869, 0.87890594, 0.5)
_I1_FAR = (
    -0.00420059, 0.01787654, -0.02895312, 0.02282967, -0.01031555, 0.00163801, -0.00362018,
    -0.03988024, 0.39894228,
)  # fmt: skip


def _bessel_expr(a: Expr, factor: Any, near: Sequence[float], far: Sequence[float]) -> Expr:
    """https://personal.math.ubc.ca/~cbm/aands/page_378.htm, 9.8.1 to 9.8.4; error below 3e-7."""
    t = a / 3.75
    inner = _polynomial(t * t, near) * ex.unary("exp", -a) * factor
    outer = _polynomial(1.0 / ex.maximum(t, 1.0), far) * ex.unary("rsqrt", ex.maximum(a, 1.0))
    return ex.select(a < 3.75, inner, outer)


bessel_i0e: Op = _special(
    "bessel_i0e",
    host.bessel_i0e,
    lambda g, y, x: g * (bessel_i1e(x) - sign(x) * y),
    lambda x: _bessel_expr(abs(x), 1.0, _I0_NEAR, _I0_FAR),
    public="math.bessel_i0e math.special.bessel_i0e",
    doc="exp(-abs(x)) times the modified Bessel function of order 0.",
)


def _i1e_vjp(g: Any, y: Any, x: Any) -> Any:
    nonzero = not_equal(x, 0)
    safe = select(nonzero, x, 1.0)
    return g * select(nonzero, bessel_i0e(x) - y * (sign(safe) + reciprocal(safe)), 0.5)


bessel_i1e: Op = _special(
    "bessel_i1e",
    host.bessel_i1e,
    _i1e_vjp,
    lambda x: (
        ex.select(x < 0.0, -1.0, ex.const(1.0, ex.F))
        * _bessel_expr(abs(x), abs(x), _I1_NEAR, _I1_FAR)
    ),
    public="math.bessel_i1e math.special.bessel_i1e",
    doc="exp(-abs(x)) times the modified Bessel function of order 1.",
)
