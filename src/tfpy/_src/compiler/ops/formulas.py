"""Formulas of special functions, for two kinds of numbers.

A formula receives the functions of a kind (:class:`Functions`) and its operands: scalar
expressions, which devices compute in float32, or NumPy arrays of float64. So it is limited to
float32: it contains no differences of large terms and no factors out of range. Polynomials and
quotients are least-squares fits with weights that minimize the relative error, 4e-8 or less.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, Protocol

Formula = Callable[[Any], Any]


class Functions(Protocol):
    """The functions that formulas use in addition to Python's operators and `<`."""

    def select(self, condition: Any, x: Any, y: Any) -> Any: ...
    def equal(self, x: Any, y: Any) -> Any: ...
    def minimum(self, x: Any, y: Any) -> Any: ...
    def maximum(self, x: Any, y: Any) -> Any: ...
    def pow(self, x: Any, y: Any) -> Any: ...
    def unary(self, name: str, x: Any) -> Any:
        """Apply floor, round, sqrt, exp, log, sin or tan."""

    def leading(self, x: Any) -> Any:
        """Return `x` truncated to so few bits that its square is exact."""

    def piecewise(self, condition: Any, x: Any, near: Formula, far: Formula) -> Any:
        """Return `near(x)` where the condition is true, and `far(x)` elsewhere."""


def polynomial(x: Any, coefficients: Sequence[float]) -> Any:
    """Evaluate a polynomial; the coefficient of the highest power comes first."""
    result: Any = coefficients[0]
    for c in coefficients[1:]:
        result = result * x + c
    return result


# The error function and quantiles

_ERFC = (
    0.03576700279, -0.1910327388, 0.3814178662, -0.2895891575, -0.02196305745, 0.0354077298,
    0.05487715107, 0.1855951604, 0.2451791258, 0.2822524003, 0.2820885208,
)  # fmt: skip
_ERF = (
    -9.641517611e-06, 0.0001125694848, -0.000848282893, 0.005220945439, -0.02686540004,
    0.1128378197, -0.3761263843, 1.128379167,
)  # fmt: skip
_GREATEST = 12.0  # where erfc and exp(-x * x) are 0


def erfc(f: Functions, x: Any) -> Any:
    """Compute t Q(t) exp(-x * x) with t = 1 / (1 + x / 2), with the square in two parts."""
    a = f.minimum(abs(x), _GREATEST)
    t = 1.0 / (a * 0.5 + 1.0)
    z = f.leading(a)
    d = (z - a) * (z + a)
    rest = polynomial(d, (1 / 24, 1 / 6, 0.5, 1.0, 1.0))
    tail = t * polynomial(t, _ERFC) * f.unary("exp", -z * z) * rest
    return f.select(x < 0.0, 2.0 - tail, tail)


def erf(f: Functions, x: Any) -> Any:
    def far(x: Any) -> Any:
        distant = 1.0 - erfc(f, abs(x))
        return f.select(x < 0.0, -distant, distant)

    return f.piecewise(abs(x) < 1.0, x, lambda x: x * polynomial(x * x, _ERF), far)


_CENTRAL = (
    580084.6285, -255551.384, 56223.98873, -5834.375038, 586.0041479, 29.18312662, 16.0808757,
    5.767724396, 2.624956554, 2.506628259,
)  # fmt: skip
_TAIL = (
    (-4.42393647e-05, 0.005192507229, 0.7995228951, 4.943819865, 2.941858651),
    (0.1780442147, 2.065290047, 3.599243131, 1.0),
)  # fmt: skip


def _quantile(f: Functions, y: Any, tail: Any) -> Any:
    """Compute the normal quantile of `y + 1/2`, where `tail` is the distance to the nearer end."""
    central = y * polynomial(f.minimum(y * y, 0.15), _CENTRAL)
    w = f.unary("sqrt", f.unary("log", f.maximum(tail, 1e-45)) * -2.0)
    far = w - polynomial(w, _TAIL[0]) / polynomial(w, _TAIL[1])
    far = f.select(f.equal(tail, 0.0), math.inf, f.select(tail < 0.0, math.nan, far))
    far = f.select(y < 0.0, -far, far)
    return f.select(tail < 0.125, far, central)


def ndtri(f: Functions, p: Any) -> Any:
    return _quantile(f, p - 0.5, f.minimum(p, 1.0 - p))


def erfinv(f: Functions, x: Any) -> Any:
    return _quantile(f, x * 0.5, (1.0 - abs(x)) * 0.5) * math.sqrt(0.5)


# Gamma functions

_LGAMMA = (
    -0.000269850752, 0.0005698214501, -0.001177842274, 0.002879056806, -0.007387427135,
    0.02058160191, -0.06735221881, 0.3224670188, 0.4227843345,
)  # fmt: skip


def lgamma(f: Functions, x: Any) -> Any:
    """Compute a polynomial near 2, extended by recurrence to 0..7.5, and Stirling's series beyond.

    Negative numbers use gamma(x) gamma(1 - x) = pi / sin(pi x).
    """
    negative = x < 0.0
    v = f.select(negative, 1.0 - x, x)
    near = v < 7.5
    whole = f.unary("floor", f.minimum(v, 8.0) + 0.5)
    t = v - whole  # v = 2 + t, shifted by steps of 1
    above: Any = 1.0
    for k in range(1, 6):
        above = above * f.select(whole < k + 2.0, 1.0, v - float(k))
    low = whole < 2.0
    below = f.select(whole < 1.0, v * (v + 1.0), v)
    log = f.unary("log", f.select(near, f.select(low, below, above), v))
    moved = t * polynomial(t, _LGAMMA) + f.select(low, -log, log)
    r = 1.0 / v
    far = (v - 0.5) * (log - 1.0) + 0.4189385332046727 + r * (1 / 12 - r * r * (1 / 360))
    right = f.select(near, moved, far)
    to_pole = abs(x - f.unary("round", x))
    sine = f.unary("sin", to_pole * math.pi)
    mirrored = 1.1447298858494002 - f.unary("log", sine) - right
    result = f.select(negative, mirrored, right)
    pole = f.equal(to_pole, 0.0) & (x < 0.5)
    return f.select(pole | f.equal(abs(x), math.inf), math.inf, result)


def digamma(f: Functions, x: Any) -> Any:
    """Compute the asymptotic series after six steps of the recurrence, reflected below 1/2."""
    left = x < 0.5
    v = f.select(left, 1.0 - x, x)
    shift: Any = 1.0 / v
    for k in range(1, 6):
        shift = shift + 1.0 / (v + float(k))
    z = v + 6.0
    s = 1.0 / (z * z)
    tail = s * polynomial(s, (1 / 240, -1 / 252, 1 / 120, -1 / 12))
    right = f.unary("log", z) - 0.5 / z + tail - shift
    from_pole = x - f.unary("round", x)
    mirrored = right - math.pi / f.unary("tan", from_pole * math.pi)
    mirrored = f.select(f.equal(from_pole, 0.0), math.nan, mirrored)
    return f.select(left, mirrored, right)


def _zeta_right(f: Functions, x: Any, q: Any) -> Any:
    """Compute the Euler-Maclaurin formula (https://dlmf.nist.gov/25.11) after six terms.

    It holds for q > 0.
    """
    total = f.pow(q, -x)
    for k in range(1, 6):
        total = total + f.pow(q + float(k), -x)
    w, s = q + 6.0, f.minimum(x, 99.0)  # from here, 6 ** -s is 0
    power = f.pow(w, -s)
    total = total + f.pow(w, 1.0 - s) / (s - 1.0) + power * 0.5
    tail = power / w * s
    square = 1.0 / (w * w)
    for j, b in enumerate((1 / 12, -1 / 720, 1 / 30240)):
        total = total + tail * b
        tail = tail * (s + float(2 * j + 1)) * (s + float(2 * j + 2)) * square
    return f.select(f.equal(q, math.inf), 0.0, total)


def zeta(f: Functions, x: Any, q: Any) -> Any:
    """Compute the zeta function.

    For q < 0, the terms on both sides of 0 are sums for positive numbers.
    """
    left, below = q < 0.0, f.unary("floor", q)
    half = x * 0.5
    even = f.equal(f.unary("floor", half), half)
    right = _zeta_right(f, x, f.select(left, q - below, q))
    others = _zeta_right(f, x, below + 1.0 - q)
    rest = _zeta_right(f, x, 1.0 - q)
    mirrored = f.select(even, right + others - rest, right - others + rest)
    mirrored = f.select(f.equal(x, math.inf), math.inf, mirrored)
    mirrored = f.select(f.equal(f.unary("floor", x), x), mirrored, math.nan)
    pole = f.equal(below, q) & ~(q > 0.0)
    at_pole = f.select(even, math.inf, math.nan)
    result = f.select(pole, at_pole, f.select(left, mirrored, right))
    return f.select(f.equal(x, 1.0), math.inf, f.select(x > 1.0, result, math.nan))


def polygamma(f: Functions, a: Any, x: Any) -> Any:
    """Compute (-1) ** (a + 1) a! zeta(a + 1, x), or digamma for a = 0."""
    half = a * 0.5
    sign = f.select(f.equal(f.unary("floor", half), half), -1.0, f.minimum(a, 1.0))
    scale = f.unary("exp", lgamma(f, a + 1.0)) * sign
    higher = scale * zeta(f, f.maximum(a, 0.5) + 1.0, x)
    result = f.select(f.equal(a, 0.0), digamma(f, x), higher)
    whole = f.equal(f.unary("floor", a), a) & ~(a < 0.0)
    return f.select(whole, result, math.nan)


# Bessel functions: power series up to 6, then a polynomial in 1 / a

_I0 = (
    (0.04114717781, 0.1626040771, 1.048070118, 4.089204546, 11.39382727, 20.24952073, 20.25003369,
     8.999999162, 1.000000003),
    (0.9168409631, 0.1281753644, 0.008344855129, 0.03348489685, 0.02786604048, 0.04987050904,
     0.398942274),
)  # fmt: skip
_I1 = (
    (0.002218089917, 0.01041388677, 0.07448820921, 0.341054005, 1.139261956, 2.531217504,
     3.375002544, 2.249999927, 0.5000000003),
    (-1.178263893, -0.0988606848, -0.02474124871, -0.04515605485, -0.04655919669, -0.1496062737,
     0.3989422875),
)  # fmt: skip


def _bessel(f: Functions, a: Any, near: Sequence[float], far: Sequence[float]) -> Any:
    """Return the power series, and the polynomial that is multiplied by exp(-a) above 6."""
    t = f.minimum(a, 6.0) * (1 / 6)
    b = f.maximum(a, 6.0)
    return polynomial(t * t, near), polynomial(1.0 / b, far) / f.unary("sqrt", b)


def _grown(f: Functions, y: Any, a: Any) -> Any:
    """Compute y exp(a) in two steps, so that it overflows only where the product does."""
    first = f.unary("exp", f.minimum(a, 64.0))
    return y * first * f.unary("exp", f.maximum(a - 64.0, 0.0))


def bessel_i0e(f: Functions, x: Any) -> Any:
    a = abs(x)
    inner, outer = _bessel(f, a, *_I0)
    return f.select(a < 6.0, inner * f.unary("exp", -a), outer)


def bessel_i0(f: Functions, x: Any) -> Any:
    a = abs(x)
    inner, outer = _bessel(f, a, *_I0)
    return f.select(a < 6.0, inner, _grown(f, outer, a))


def bessel_i1e(f: Functions, x: Any) -> Any:
    a = abs(x)
    inner, outer = _bessel(f, a, *_I1)
    return f.select(a < 6.0, x * inner * f.unary("exp", -a), f.select(x < 0.0, -outer, outer))


def bessel_i1(f: Functions, x: Any) -> Any:
    a = abs(x)
    inner, outer = _bessel(f, a, *_I1)
    far = _grown(f, outer, a)
    return f.select(a < 6.0, x * inner, f.select(x < 0.0, -far, far))
