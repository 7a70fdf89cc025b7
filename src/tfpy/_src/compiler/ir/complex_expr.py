"""Complex scalar expressions: a real and an imaginary :class:`Expr`.

An op record's expression is written once for all numbers: for complex operands, Python's operators
and the functions of `expr.py` call this module, and the result is two expressions.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from tfpy._src.base import dtypes
from tfpy._src.base.dtypes import DType
from tfpy._src.compiler.ir import expr as ex
from tfpy._src.compiler.ir.expr import Expr


@dataclass(frozen=True, slots=True)
class ComplexExpr:
    """`re + i im`; both parts have the same float dtype."""

    re: Expr
    im: Expr

    @property
    def dtype(self) -> DType:
        return dtypes.with_parts(self.re.dtype)

    def _lifted(self, other: Any) -> ComplexExpr:
        return lift(other, self.re.dtype)

    # Real operands are not lifted to complex numbers with an imaginary part of 0. So `1 - z` keeps
    # the sign of a zero, and infinity * 0.5 is not NaN.

    def __add__(self, other: Any) -> ComplexExpr:
        if _is_real(other):
            return ComplexExpr(self.re + other, self.im)
        z = self._lifted(other)
        return ComplexExpr(self.re + z.re, self.im + z.im)

    __radd__ = __add__

    def __sub__(self, other: Any) -> ComplexExpr:
        if _is_real(other):
            return ComplexExpr(self.re - other, self.im)
        z = self._lifted(other)
        return ComplexExpr(self.re - z.re, self.im - z.im)

    def __rsub__(self, other: Any) -> ComplexExpr:
        return -self + other

    def __mul__(self, other: Any) -> ComplexExpr:
        if _is_real(other):
            return ComplexExpr(self.re * other, self.im * other)
        z = self._lifted(other)
        return ComplexExpr(
            self.re * z.re - self.im * z.im,
            self.re * z.im + self.im * z.re,
        )

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> ComplexExpr:
        """Divide by Smith's method (1962, https://doi.org/10.1145/368637.368661).

        The larger component of the divisor is divided out, so that nothing overflows. A division by
        0 divides each component.
        """
        z = self._lifted(other)
        wide = abs(z.re) >= abs(z.im)
        big, small = ex.select(wide, z.re, z.im), ex.select(wide, z.im, z.re)
        zero = ex.eq(z, 0)
        ratio = small / big
        scale = ex.select(zero, 0.0, big + small * ratio)
        a, b = self.re, self.im
        re = ex.select(wide, a + b * ratio, a * ratio + b)
        im = ex.select(wide, b - a * ratio, b * ratio - a)
        return ComplexExpr(ex.select(zero, a, re) / scale, ex.select(zero, b, im) / scale)

    def __rtruediv__(self, other: Any) -> ComplexExpr:
        return self._lifted(other) / self

    def __neg__(self) -> ComplexExpr:
        return ComplexExpr(-self.re, -self.im)

    def __abs__(self) -> Expr:
        a, b = abs(self.re), abs(self.im)
        large, small = ex.maximum(a, b), ex.minimum(a, b)
        ratio = small / large
        length = ex.select(ex.eq(large, 0.0), large, large * ex.unary("sqrt", 1.0 + ratio * ratio))
        return ex.select(ex.eq(a, ex.INF) | ex.eq(b, ex.INF), ex.INF, length)

    def conjugate(self) -> ComplexExpr:
        return ComplexExpr(self.re, -self.im)

    def angle(self) -> Expr:
        return ex.binary("atan2", self.im, self.re)

    # The functions that `expr.py` calls for complex operands

    def unary(self, op: str) -> ComplexExpr:
        """Apply an op of `UNARY_FLOAT` (except the rounding ones), "neg" or "sign".

        Raises:
            KeyError: If the function does not support complex numbers.
        """
        return _FUNCTIONS[op](self)

    @staticmethod
    def binary(op: str, x: Any, y: Any) -> Any:
        """Apply "eq", "ne" or "pow"."""
        a, b = _pair(x, y)
        if op == "eq":
            return ex.eq(a.re, b.re) & ex.eq(a.im, b.im)
        if op == "ne":
            return ex.ne(a.re, b.re) | ex.ne(a.im, b.im)
        if op == "pow":
            power = ex.select(ex.eq(b, 0), 1.0, _exp(b * _log(a)))
            return ex.select(ex.eq(a, 0), _power_of_zero(b), power)
        raise KeyError(op)

    @staticmethod
    def select(condition: Expr, x: Any, y: Any) -> ComplexExpr:
        a, b = _pair(x, y)
        return ComplexExpr(ex.select(condition, a.re, b.re), ex.select(condition, a.im, b.im))


def _is_real(value: Any) -> bool:
    return isinstance(value, Expr | int | float)


def lift(value: Any, part: DType) -> ComplexExpr:
    """Convert a number or an expression to a complex expression with parts of a dtype."""
    if isinstance(value, ComplexExpr):
        return ComplexExpr(ex.cast(value.re, part), ex.cast(value.im, part))
    if isinstance(value, Expr):
        return ComplexExpr(ex.cast(value, part), ex.const(0.0, part))
    number = complex(value)
    return ComplexExpr(ex.const(number.real, part), ex.const(number.imag, part))


def _pair(x: Any, y: Any) -> tuple[ComplexExpr, ComplexExpr]:
    """Lift two operands. At least one of them is complex."""
    part = (x if isinstance(x, ComplexExpr) else y).re.dtype
    return lift(x, part), lift(y, part)


def operands(dtypes_: Sequence[DType]) -> list[Any]:
    """Return input expressions of these dtypes. A complex operand takes two inputs."""
    found: list[Any] = []
    number = 0
    for dtype in dtypes_:
        if dtype.is_complex:
            part = dtypes.real_part(dtype)
            found.append(ComplexExpr(ex.input_(number, part), ex.input_(number + 1, part)))
            number += 2
        else:
            found.append(ex.input_(number, dtype))
            number += 1
    return found


def components(root: Any) -> list[Expr]:
    """Return the real expressions of a result: one, or two for a complex result."""
    return [root.re, root.im] if isinstance(root, ComplexExpr) else [root]


def cast(x: Any, dtype: DType) -> Any:
    """Cast to any dtype. Real dtypes, bool included, take the real component."""
    if dtype.is_complex:
        return lift(x, dtypes.real_part(dtype))
    return ex.cast(x.re if x.dtype.is_complex else x, dtype)


def _real(op: str, x: Expr) -> Expr:
    return ex.unary(op, x)


def _times_i(z: ComplexExpr) -> ComplexExpr:
    return ComplexExpr(-z.im, z.re)


_MANY = 64.0
"""Reduction of exponents above 80, so that exp(x) cos(y) overflows only where the product does."""


def _lowered(x: Expr) -> tuple[Expr, Expr]:
    """Return `x` moved towards 0, and the factor that corrects its exponential."""
    far = abs(x) > 80.0
    nearer = ex.select(far, x - ex.copysign(ex.const(_MANY, x.dtype), x), x)
    return nearer, ex.select(far, math.exp(_MANY), ex.const(1.0, x.dtype))


def _angle_beside(x: Expr, y: Expr, gone: Expr) -> Expr:
    """Return the angle `y`, or 0 where it is not finite and `gone` holds (C99, Annex G)."""
    return ex.select(gone & ~ex.is_finite(y), ex.const(0.0, x.dtype), y)


def _exp(z: ComplexExpr) -> ComplexExpr:
    y = _angle_beside(z.re, z.im, ex.eq(z.re, -ex.INF))
    x, factor = _lowered(z.re)
    scale = _real("exp", ex.select(z.re < 0.0, z.re, x))
    factor = ex.select(z.re < 0.0, 1.0, factor)
    sine = scale * _real("sin", y) * factor
    return ComplexExpr(scale * _real("cos", y) * factor, ex.select(ex.eq(y, 0.0), y, sine))


def _power_of_zero(y: ComplexExpr) -> ComplexExpr:
    """Return exp(y log 0) without the device's sine of infinity."""
    nan = ex.const(math.nan, y.re.dtype)
    return ComplexExpr(
        ex.select(y.re > 0.0, 0.0, ex.select(y.re < 0.0, math.inf, nan)),
        ex.select(y.re > 0.0, 0.0, nan),
    )


def _expm1(z: ComplexExpr) -> ComplexExpr:
    half = _real("sin", z.im * 0.5)
    return ComplexExpr(
        _real("expm1", z.re) * _real("cos", z.im) - 2.0 * half * half,
        _real("exp", z.re) * _real("sin", z.im),
    )


_LARGE = 1e10
"""Magnitude from which adding 1 to a number's square makes no difference."""


def _is_large(z: ComplexExpr) -> Expr:
    return (abs(z.re) > _LARGE) | (abs(z.im) > _LARGE)


def _quarter(z: ComplexExpr, where: Expr) -> ComplexExpr:
    """Return a quarter of `z` where it is large, so that its absolute value does not overflow."""
    scale = ex.select(where, 0.25, ex.const(1.0, z.re.dtype))
    return ComplexExpr(z.re * scale, z.im * scale)


def _log(z: ComplexExpr) -> ComplexExpr:
    large = _is_large(z)
    length = _real("log", abs(_quarter(z, large)))
    return ComplexExpr(ex.select(large, length + math.log(4.0), length), z.angle())


def _log1p(z: ComplexExpr) -> ComplexExpr:
    """Compute log(1 + z), near 0 from abs(1 + z) ** 2 - 1, which loses no digits."""
    whole = _log(z + 1.0)
    grown = z.re * (2.0 + z.re) + z.im * z.im
    near = abs(z.re) + abs(z.im) < 0.5
    return ComplexExpr(ex.select(near, _real("log1p", grown) * 0.5, whole.re), whole.im)


def _sqrt(z: ComplexExpr) -> ComplexExpr:
    """Compute the root with a nonnegative real part."""
    large = _is_large(z)
    part = _quarter(z, large)
    root = _real("sqrt", (abs(part) + abs(part.re)) * 0.5)
    main = root * ex.select(large, 2.0, ex.const(1.0, z.re.dtype))
    other = ex.select(ex.eq(main, 0.0), 0.0, abs(z.im) * 0.5 / main)
    endless = ex.eq(abs(z.im), ex.INF)
    right = z.re >= 0.0
    re, im = ex.select(right, main, other), ex.select(right, other, main)
    return ComplexExpr(
        ex.select(endless, ex.INF, re), ex.copysign(ex.select(endless, ex.INF, im), z.im)
    )


def _sinh(z: ComplexExpr) -> ComplexExpr:
    x, factor = _lowered(z.re)
    im = _real("cosh", x) * _real("sin", z.im) * factor
    return ComplexExpr(
        _real("sinh", x) * _real("cos", z.im) * factor, ex.select(ex.eq(z.im, 0.0), z.im, im)
    )


def _cosh(z: ComplexExpr) -> ComplexExpr:
    x, factor = _lowered(z.re)
    im = _real("sinh", x) * _real("sin", z.im) * factor
    zero = ex.select(ex.is_negative(x), -z.im, z.im)
    return ComplexExpr(
        _real("cosh", x) * _real("cos", z.im) * factor, ex.select(ex.eq(z.im, 0.0), zero, im)
    )


def _tanh(z: ComplexExpr) -> ComplexExpr:
    x = ex.minimum(ex.maximum(z.re, -20.0), 20.0)  # beyond, tanh is +-1
    y = _angle_beside(x, z.im, ex.eq(abs(z.re), ex.INF))
    sinh, cos = _real("sinh", x), _real("cos", y)
    scale = 1.0 / (sinh * sinh + cos * cos)
    return ComplexExpr(sinh * _real("cosh", x) * scale, _real("sin", y) * cos * scale)


# W. Kahan, Branch cuts for complex elementary functions (1987): the formulas avoid differences of
# large terms, and the sign of a zero selects the side of a branch cut. Where they overflow far from
# 0, log(2 z) replaces them.


def _area(v: Expr, z: ComplexExpr, sign: Expr, large: Expr) -> Expr:
    """Return asinh(v), or log(2 abs(z)) with the sign of `sign` where `z` is large."""
    far = abs(_quarter(z, large))
    found = _real("asinh", ex.select(large, far, v))
    return ex.select(large, ex.copysign(found + math.log(4.0), sign), found)


def _asinh(z: ComplexExpr) -> ComplexExpr:
    s, t = _sqrt(ComplexExpr(z.im + 1.0, -z.re)), _sqrt(ComplexExpr(1.0 - z.im, z.re))
    large = _is_large(z)
    beside = ex.select(large, abs(z.re), s.re * t.re - s.im * t.im)
    return ComplexExpr(
        _area(s.re * t.im - t.re * s.im, z, z.re, large), ex.binary("atan2", z.im, beside)
    )


def _acosh(z: ComplexExpr) -> ComplexExpr:
    s, t = _sqrt(z - 1.0), _sqrt(z + 1.0)
    large = _is_large(z)
    half = ex.binary("atan2", ex.select(large, z.im, s.im), ex.select(large, z.re, t.re))
    return ComplexExpr(
        _area(s.re * t.re + s.im * t.im, z, abs(z.re), large), ex.select(large, half, half * 2.0)
    )


def _acos(z: ComplexExpr) -> ComplexExpr:
    s, t = _sqrt(1.0 - z), _sqrt(z + 1.0)
    large = _is_large(z)
    half = ex.binary("atan2", ex.select(large, abs(z.im), s.re), ex.select(large, z.re, t.re))
    return ComplexExpr(
        ex.select(large, half, half * 2.0),
        _area(t.re * s.im - t.im * s.re, z, -z.im, large),
    )


def _atanh(z: ComplexExpr) -> ComplexExpr:
    """Compute the real part as log1p(4 x / abs(1 - z) ** 2) / 4 for x >= 0.

    Near 1 it is log(2 / abs(1 - z)) / 2.
    """
    x, y = abs(z.re), z.im
    distance = abs(ComplexExpr(1.0 - x, y))
    ratio = ex.select(ex.eq(distance, ex.INF), 0.0, x / distance / distance)
    near = (math.log(2.0) - _real("log", distance)) * 0.5
    size = ex.select(distance < 1.0 / _LARGE, near, _real("log1p", ratio * 4.0) * 0.25)
    angle = ex.binary("atan2", y, ((1.0 - x) * (1.0 + x) - y * y) * 0.5) * 0.5
    far = ex.copysign(ex.const(math.pi / 2, x.dtype), y)
    return ComplexExpr(ex.copysign(size, z.re), ex.select(_is_large(z) & ~ex.isnan(y), far, angle))


def _sigmoid(z: ComplexExpr) -> ComplexExpr:
    """Compute the sigmoid from the exponential that does not overflow."""
    left = z.re < 0.0
    power = _exp(ex.select(left, z, -z))
    return ex.select(left, power, 1.0) / (power + 1.0)


def _rsqrt(z: ComplexExpr) -> ComplexExpr:
    """Compute 1 / sqrt(z), which is 0 where a part is infinite.

    A quotient by two infinite parts would be NaN.
    """
    endless = ex.eq(abs(z.re), ex.INF) | ex.eq(abs(z.im), ex.INF)
    return ex.select(endless, 0.0, 1.0 / _sqrt(z))


def _turned(function: Callable[[ComplexExpr], ComplexExpr]) -> Callable[[Any], ComplexExpr]:
    """Return z -> -i f(i z), which maps a hyperbolic function to its circular counterpart."""
    return lambda z: -_times_i(function(_times_i(z)))


def _sign(z: ComplexExpr) -> ComplexExpr:
    length = abs(z)
    scale = ex.select(ex.eq(length, 0.0), 1.0, length)
    return ComplexExpr(z.re / scale, z.im / scale)


_FUNCTIONS: dict[str, Callable[[Any], ComplexExpr]] = {
    "neg": lambda z: -z,
    "sign": _sign,
    "exp": _exp,
    "expm1": _expm1,
    "log": _log,
    "log1p": _log1p,
    "sqrt": _sqrt,
    "rsqrt": _rsqrt,
    "sigmoid": _sigmoid,
    "sinh": _sinh,
    "cosh": _cosh,
    "tanh": _tanh,
    "asinh": _asinh,
    "acosh": _acosh,
    "atanh": _atanh,
    "sin": _turned(_sinh),
    "cos": lambda z: _cosh(_times_i(z)),
    "tan": _turned(_tanh),
    "asin": _turned(_asinh),
    "acos": _acos,
    "atan": _turned(_atanh),
}
