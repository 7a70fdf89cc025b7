"""Complex scalar expressions: a real and an imaginary :class:`Expr`.

An op record's expression is written once for all numbers: where an operand is complex, Python's
operators and the functions of ``expr.py`` come here, and the result is two expressions.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from tfpy._src import dtypes
from tfpy._src.dtypes import DType
from tfpy._src.ir import expr as ex
from tfpy._src.ir.expr import Expr


@dataclass(frozen=True, slots=True)
class ComplexExpr:
    """``re + i im``, both of one dtype of floats."""

    re: Expr
    im: Expr

    @property
    def dtype(self) -> DType:
        return dtypes.with_parts(self.re.dtype)

    def _lifted(self, other: Any) -> ComplexExpr:
        return lift(other, self.re.dtype)

    def __add__(self, other: Any) -> ComplexExpr:
        z = self._lifted(other)
        return ComplexExpr(self.re + z.re, self.im + z.im)

    __radd__ = __add__

    def __sub__(self, other: Any) -> ComplexExpr:
        z = self._lifted(other)
        return ComplexExpr(self.re - z.re, self.im - z.im)

    def __rsub__(self, other: Any) -> ComplexExpr:
        return self._lifted(other) - self

    def __mul__(self, other: Any) -> ComplexExpr:
        z = self._lifted(other)
        return ComplexExpr(
            self.re * z.re - self.im * z.im,
            self.re * z.im + self.im * z.re,
        )

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> ComplexExpr:
        """Smith's way (1962, https://doi.org/10.1145/368637.368661): the larger component of the
        divisor is divided out, so that nothing overflows.
        """
        z = self._lifted(other)
        wide = abs(z.re) >= abs(z.im)
        big, small = ex.select(wide, z.re, z.im), ex.select(wide, z.im, z.re)
        ratio = ex.select(ex.eq(big, 0.0), 0.0, small / big)
        scale = 1.0 / (big + small * ratio)
        a, b = self.re, self.im
        return ComplexExpr(
            ex.select(wide, a + b * ratio, a * ratio + b) * scale,
            ex.select(wide, b - a * ratio, b * ratio - a) * scale,
        )

    def __rtruediv__(self, other: Any) -> ComplexExpr:
        return self._lifted(other) / self

    def __neg__(self) -> ComplexExpr:
        return ComplexExpr(-self.re, -self.im)

    def __abs__(self) -> Expr:
        a, b = abs(self.re), abs(self.im)
        large, small = ex.maximum(a, b), ex.minimum(a, b)
        ratio = small / large
        length = large * ex.unary("sqrt", 1.0 + ratio * ratio)
        return ex.select(ex.eq(large, 0.0) | ex.eq(large, ex.INF), large, length)

    def conjugate(self) -> ComplexExpr:
        return ComplexExpr(self.re, -self.im)

    def angle(self) -> Expr:
        return ex.binary("atan2", self.im, self.re)

    # What the functions of ``expr.py`` ask of a complex operand

    def unary(self, op: str) -> ComplexExpr:
        """``op`` of :data:`UNARY_FLOAT` (without those that round), "neg" or "sign".

        Raises:
            KeyError: for functions that complex numbers have not.
        """
        return _FUNCTIONS[op](self)

    @staticmethod
    def binary(op: str, x: Any, y: Any) -> Any:
        """Equality and powers."""
        a, b = _pair(x, y)
        if op == "eq":
            return ex.eq(a.re, b.re) & ex.eq(a.im, b.im)
        if op == "ne":
            return ex.ne(a.re, b.re) | ex.ne(a.im, b.im)
        if op == "pow":
            power = _exp(b * _log(a))
            return ex.select(ex.eq(a, 0), _power_of_zero(b), power)
        raise KeyError(op)

    @staticmethod
    def select(condition: Expr, x: Any, y: Any) -> ComplexExpr:
        a, b = _pair(x, y)
        return ComplexExpr(ex.select(condition, a.re, b.re), ex.select(condition, a.im, b.im))


def lift(value: Any, part: DType) -> ComplexExpr:
    """A number, a real expression or a complex one as a complex one of parts of a dtype."""
    if isinstance(value, ComplexExpr):
        return ComplexExpr(ex.cast(value.re, part), ex.cast(value.im, part))
    if isinstance(value, Expr):
        return ComplexExpr(ex.cast(value, part), ex.const(0.0, part))
    number = complex(value)
    return ComplexExpr(ex.const(number.real, part), ex.const(number.imag, part))


def _pair(x: Any, y: Any) -> tuple[ComplexExpr, ComplexExpr]:
    """Two operands, one of which is complex."""
    part = (x if isinstance(x, ComplexExpr) else y).re.dtype
    return lift(x, part), lift(y, part)


def operands(dtypes_: Sequence[DType]) -> list[Any]:
    """The operands of an expression over inputs of these dtypes; a complex one takes two inputs."""
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
    """The real expressions that a result consists of."""
    return [root.re, root.im] if isinstance(root, ComplexExpr) else [root]


def cast(x: Any, dtype: DType) -> Any:
    """To any dtype: of a complex number a number takes the real component, bool is "not 0"."""
    if dtype.is_complex:
        return lift(x, dtypes.real_part(dtype))
    if not x.dtype.is_complex:
        return ex.cast(x, dtype)
    return ex.ne(x, 0) if dtype.is_bool else ex.cast(x.re, dtype)


def _real(op: str, x: Expr) -> Expr:
    return ex.unary(op, x)


def _times_i(z: ComplexExpr) -> ComplexExpr:
    return ComplexExpr(-z.im, z.re)


def _exp(z: ComplexExpr) -> ComplexExpr:
    scale = _real("exp", z.re)
    return ComplexExpr(scale * _real("cos", z.im), scale * _real("sin", z.im))


def _power_of_zero(y: ComplexExpr) -> ComplexExpr:
    """exp(y log 0), in which the device's sin of infinity would come out."""
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


def _log(z: ComplexExpr) -> ComplexExpr:
    return ComplexExpr(_real("log", abs(z)), z.angle())


def _log1p(z: ComplexExpr) -> ComplexExpr:
    """Far from 0 the logarithm of 1 + z, near 0 by abs(1 + z) ** 2 - 1, which loses no digits."""
    whole = ComplexExpr(z.re + 1.0, z.im)
    grown = z.re * (2.0 + z.re) + z.im * z.im
    near = abs(z.re) + abs(z.im) < 0.5
    length = ex.select(near, _real("log1p", grown) * 0.5, _real("log", abs(whole)))
    return ComplexExpr(length, whole.angle())


def _sqrt(z: ComplexExpr) -> ComplexExpr:
    """The root with a real part of at least 0."""
    main = _real("sqrt", (abs(z) + abs(z.re)) * 0.5)
    other = ex.select(ex.eq(main, 0.0), 0.0, abs(z.im) * 0.5 / main)
    right = ex.const(0.0, z.re.dtype) <= z.re
    im = ex.select(right, other, main)
    return ComplexExpr(ex.select(right, main, other), ex.select(z.im < 0.0, -im, im))


def _sinh(z: ComplexExpr) -> ComplexExpr:
    return ComplexExpr(
        _real("sinh", z.re) * _real("cos", z.im), _real("cosh", z.re) * _real("sin", z.im)
    )


def _cosh(z: ComplexExpr) -> ComplexExpr:
    return ComplexExpr(
        _real("cosh", z.re) * _real("cos", z.im), _real("sinh", z.re) * _real("sin", z.im)
    )


def _tanh(z: ComplexExpr) -> ComplexExpr:
    x = ex.minimum(ex.maximum(z.re, -20.0), 20.0)  # it is +-1 beyond
    sinh, cos = _real("sinh", x), _real("cos", z.im)
    scale = 1.0 / (sinh * sinh + cos * cos)
    return ComplexExpr(sinh * _real("cosh", x) * scale, _real("sin", z.im) * cos * scale)


# W. Kahan, Branch cuts for complex elementary functions (1987): no difference of large terms


def _asinh(z: ComplexExpr) -> ComplexExpr:
    s, t = _sqrt(ComplexExpr(z.im + 1.0, -z.re)), _sqrt(ComplexExpr(1.0 - z.im, z.re))
    return ComplexExpr(
        _real("asinh", s.re * t.im - t.re * s.im),
        ex.binary("atan2", z.im, s.re * t.re - s.im * t.im),
    )


def _acosh(z: ComplexExpr) -> ComplexExpr:
    s, t = _sqrt(ComplexExpr(z.re - 1.0, z.im)), _sqrt(ComplexExpr(z.re + 1.0, z.im))
    return ComplexExpr(
        _real("asinh", s.re * t.re + s.im * t.im), ex.binary("atan2", s.im, t.re) * 2.0
    )


def _acos(z: ComplexExpr) -> ComplexExpr:
    s, t = _sqrt(ComplexExpr(1.0 - z.re, -z.im)), _sqrt(ComplexExpr(z.re + 1.0, z.im))
    return ComplexExpr(
        ex.binary("atan2", s.re, t.re) * 2.0, _real("asinh", t.re * s.im - t.im * s.re)
    )


def _atanh(z: ComplexExpr) -> ComplexExpr:
    return (_log1p(z) - _log1p(-z)) * 0.5


def _turned(function: Callable[[ComplexExpr], ComplexExpr]) -> Callable[[Any], ComplexExpr]:
    """-i f(i z), by which the hyperbolic functions give the circular ones."""
    return lambda z: -_times_i(function(_times_i(z)))


def _sign(z: ComplexExpr) -> ComplexExpr:
    length = abs(z)
    scale = ex.select(ex.eq(length, 0.0), 0.0, 1.0 / length)
    return ComplexExpr(z.re * scale, z.im * scale)


_FUNCTIONS: dict[str, Callable[[Any], ComplexExpr]] = {
    "neg": lambda z: -z,
    "sign": _sign,
    "exp": _exp,
    "expm1": _expm1,
    "log": _log,
    "log1p": _log1p,
    "sqrt": _sqrt,
    "rsqrt": lambda z: 1.0 / _sqrt(z),
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
