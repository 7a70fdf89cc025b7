"""The public functions of primitives: what a record of the op table says, as Python."""

# Made from api.toml and the op table by `build.py face`: change those.

from __future__ import annotations

from tfpy._src.core.eager import apply
from tfpy._src.core.operand import TensorLike
from tfpy._src.core.tensor import Tensor
from tfpy._src.ops import OPS

_abs = OPS["abs"]


def abs(x: TensorLike, name: str | None = None) -> Tensor:
    """Absolute value, float32 for complex numbers."""
    return apply(_abs, x)


_acos = OPS["acos"]


def acos(x: TensorLike, name: str | None = None) -> Tensor:
    """Acos, element by element."""
    return apply(_acos, x)


_acosh = OPS["acosh"]


def acosh(x: TensorLike, name: str | None = None) -> Tensor:
    """Acosh, element by element."""
    return apply(_acosh, x)


_add = OPS["add"]


def add(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """x + y; strings are joined."""
    return apply(_add, x, y)


_as_string = OPS["as_string"]


def as_string(
    input: TensorLike,
    precision: int = -1,
    scientific: bool = False,
    shortest: bool = False,
    width: int = -1,
    fill: str = "",
    name: str | None = None,
) -> Tensor:
    """Each value as printed: numbers by printf, booleans as true and false."""
    return apply(
        _as_string,
        input,
        precision=precision,
        scientific=scientific,
        shortest=shortest,
        width=width,
        fill=fill,
    )


_asin = OPS["asin"]


def asin(x: TensorLike, name: str | None = None) -> Tensor:
    """Asin, element by element."""
    return apply(_asin, x)


_asinh = OPS["asinh"]


def asinh(x: TensorLike, name: str | None = None) -> Tensor:
    """Asinh, element by element."""
    return apply(_asinh, x)


_atan = OPS["atan"]


def atan(x: TensorLike, name: str | None = None) -> Tensor:
    """Atan, element by element."""
    return apply(_atan, x)


_atan2 = OPS["atan2"]


def atan2(y: TensorLike, x: TensorLike, name: str | None = None) -> Tensor:
    """Angle of the point (x, y), in radians."""
    return apply(_atan2, y, x)


_atanh = OPS["atanh"]


def atanh(x: TensorLike, name: str | None = None) -> Tensor:
    """Atanh, element by element."""
    return apply(_atanh, x)


_bessel_i0 = OPS["bessel_i0"]


def bessel_i0(x: TensorLike, name: str | None = None) -> Tensor:
    """The modified Bessel function of the first kind of order 0."""
    return apply(_bessel_i0, x)


_bessel_i0e = OPS["bessel_i0e"]


def bessel_i0e(x: TensorLike, name: str | None = None) -> Tensor:
    """exp(-abs(x)) times the modified Bessel function of order 0."""
    return apply(_bessel_i0e, x)


_bessel_i1 = OPS["bessel_i1"]


def bessel_i1(x: TensorLike, name: str | None = None) -> Tensor:
    """The modified Bessel function of the first kind of order 1."""
    return apply(_bessel_i1, x)


_bessel_i1e = OPS["bessel_i1e"]


def bessel_i1e(x: TensorLike, name: str | None = None) -> Tensor:
    """exp(-abs(x)) times the modified Bessel function of order 1."""
    return apply(_bessel_i1e, x)


_betainc = OPS["betainc"]


def betainc(a: TensorLike, b: TensorLike, x: TensorLike, name: str | None = None) -> Tensor:
    """The regularised incomplete beta function of a, b > 0 and x from 0 to 1."""
    return apply(_betainc, a, b, x)


_bitwise_and = OPS["bitwise_and"]


def bitwise_and(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Bitwise and, element by element."""
    return apply(_bitwise_and, x, y)


_bitwise_or = OPS["bitwise_or"]


def bitwise_or(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Bitwise or, element by element."""
    return apply(_bitwise_or, x, y)


_bitwise_xor = OPS["bitwise_xor"]


def bitwise_xor(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Bitwise xor, element by element."""
    return apply(_bitwise_xor, x, y)


_ceil = OPS["ceil"]


def ceil(x: TensorLike, name: str | None = None) -> Tensor:
    """Ceil, element by element."""
    return apply(_ceil, x)


_cos = OPS["cos"]


def cos(x: TensorLike, name: str | None = None) -> Tensor:
    """Cos, element by element."""
    return apply(_cos, x)


_cosh = OPS["cosh"]


def cosh(x: TensorLike, name: str | None = None) -> Tensor:
    """Cosh, element by element."""
    return apply(_cosh, x)


_digamma = OPS["digamma"]


def digamma(x: TensorLike, name: str | None = None) -> Tensor:
    """Derivative of lgamma; NaN at 0 and the negative integers."""
    return apply(_digamma, x)


_elu = OPS["elu"]


def elu(features: TensorLike, name: str | None = None) -> Tensor:
    """features above 0, exp(features) - 1 below."""
    return apply(_elu, features)


_equal = OPS["equal"]


def equal(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Equal, element by element."""
    return apply(_equal, x, y)


_erf = OPS["erf"]


def erf(x: TensorLike, name: str | None = None) -> Tensor:
    """Gauss error function."""
    return apply(_erf, x)


_erfc = OPS["erfc"]


def erfc(x: TensorLike, name: str | None = None) -> Tensor:
    """1 - erf(x), accurate where erf(x) is near 1."""
    return apply(_erfc, x)


_erfinv = OPS["erfinv"]


def erfinv(x: TensorLike, name: str | None = None) -> Tensor:
    """The number whose erf is x; infinite at 1 and -1, NaN beyond."""
    return apply(_erfinv, x)


_exp = OPS["exp"]


def exp(x: TensorLike, name: str | None = None) -> Tensor:
    """Exp, element by element."""
    return apply(_exp, x)


_expm1 = OPS["expm1"]


def expm1(x: TensorLike, name: str | None = None) -> Tensor:
    """Expm1, element by element."""
    return apply(_expm1, x)


_floor = OPS["floor"]


def floor(x: TensorLike, name: str | None = None) -> Tensor:
    """Floor, element by element."""
    return apply(_floor, x)


_floordiv = OPS["floordiv"]


def floordiv(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Largest integer at or below x / y. Integer x / 0 is an error on cpu, 0 on other backends."""
    return apply(_floordiv, x, y)


floor_div = floordiv

_floormod = OPS["floormod"]


def floormod(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Remainder of x / y with y's sign. Integer y = 0 is an error on cpu, 0 on other backends."""
    return apply(_floormod, x, y)


mod = floormod

_greater = OPS["greater"]


def greater(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Greater, element by element."""
    return apply(_greater, x, y)


_greater_equal = OPS["greater_equal"]


def greater_equal(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Greater equal, element by element."""
    return apply(_greater_equal, x, y)


_igamma = OPS["igamma"]


def igamma(a: TensorLike, x: TensorLike, name: str | None = None) -> Tensor:
    """The lower regularised incomplete gamma function of a > 0 and x >= 0."""
    return apply(_igamma, a, x)


_igammac = OPS["igammac"]


def igammac(a: TensorLike, x: TensorLike, name: str | None = None) -> Tensor:
    """The upper regularised incomplete gamma function: 1 - igamma(a, x)."""
    return apply(_igammac, a, x)


_invert = OPS["invert"]


def invert(x: TensorLike, name: str | None = None) -> Tensor:
    """Invert, element by element."""
    return apply(_invert, x)


_is_finite = OPS["is_finite"]


def is_finite(x: TensorLike, name: str | None = None) -> Tensor:
    """Is finite, element by element."""
    return apply(_is_finite, x)


_is_inf = OPS["is_inf"]


def is_inf(x: TensorLike, name: str | None = None) -> Tensor:
    """Is inf, element by element."""
    return apply(_is_inf, x)


_is_nan = OPS["is_nan"]


def is_nan(x: TensorLike, name: str | None = None) -> Tensor:
    """Is nan, element by element."""
    return apply(_is_nan, x)


_left_shift = OPS["left_shift"]


def left_shift(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """The bits of x moved up by y places, of which there are at most as many as x has bits."""
    return apply(_left_shift, x, y)


_length = OPS["string_length"]


def length(input: TensorLike, unit: str = "BYTE", name: str | None = None) -> Tensor:
    """Number of bytes, or of characters with unit "UTF8_CHAR"; int32."""
    return apply(_length, input, unit=unit)


_less = OPS["less"]


def less(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Less, element by element."""
    return apply(_less, x, y)


_less_equal = OPS["less_equal"]


def less_equal(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Less equal, element by element."""
    return apply(_less_equal, x, y)


_lgamma = OPS["lgamma"]


def lgamma(x: TensorLike, name: str | None = None) -> Tensor:
    """log(abs(gamma(x)))."""
    return apply(_lgamma, x)


_log = OPS["log"]


def log(x: TensorLike, name: str | None = None) -> Tensor:
    """Log, element by element."""
    return apply(_log, x)


_log1p = OPS["log1p"]


def log1p(x: TensorLike, name: str | None = None) -> Tensor:
    """Log1p, element by element."""
    return apply(_log1p, x)


_logical_and = OPS["logical_and"]


def logical_and(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Logical and, element by element."""
    return apply(_logical_and, x, y)


_logical_not = OPS["logical_not"]


def logical_not(x: TensorLike, name: str | None = None) -> Tensor:
    """Logical not, element by element."""
    return apply(_logical_not, x)


_logical_or = OPS["logical_or"]


def logical_or(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Logical or, element by element."""
    return apply(_logical_or, x, y)


_logical_xor = OPS["logical_xor"]


def logical_xor(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Logical xor, element by element."""
    return apply(_logical_xor, x, y)


_lower = OPS["string_lower"]


def lower(input: TensorLike, encoding: str = "", name: str | None = None) -> Tensor:
    """Lower case, of ASCII letters or, with encoding "utf-8", of all letters."""
    return apply(_lower, input, encoding=encoding)


_maximum = OPS["maximum"]


def maximum(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """The larger of x and y; NaN where either is NaN."""
    return apply(_maximum, x, y)


_minimum = OPS["minimum"]


def minimum(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """The smaller of x and y; NaN where either is NaN."""
    return apply(_minimum, x, y)


_multiply = OPS["multiply"]


def multiply(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Multiply, element by element."""
    return apply(_multiply, x, y)


_multiply_no_nan = OPS["multiply_no_nan"]


def multiply_no_nan(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """x * y, and 0 where y is 0 even if x is infinite or NaN."""
    return apply(_multiply_no_nan, x, y)


_ndtri = OPS["ndtri"]


def ndtri(x: TensorLike, name: str | None = None) -> Tensor:
    """Quantile of the standard normal distribution; infinite at 0 and 1, NaN beyond."""
    return apply(_ndtri, x)


_negative = OPS["negative"]


def negative(x: TensorLike, name: str | None = None) -> Tensor:
    """Negative, element by element."""
    return apply(_negative, x)


_nextafter = OPS["nextafter"]


def nextafter(x1: TensorLike, x2: TensorLike, name: str | None = None) -> Tensor:
    """The float next to x1 in the direction of x2."""
    return apply(_nextafter, x1, x2)


_not_equal = OPS["not_equal"]


def not_equal(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Not equal, element by element."""
    return apply(_not_equal, x, y)


_polygamma = OPS["polygamma"]


def polygamma(a: TensorLike, x: TensorLike, name: str | None = None) -> Tensor:
    """Derivative number a (0, 1, 2, ...) of digamma, for x > 0; NaN for other a."""
    return apply(_polygamma, a, x)


_pow = OPS["pow"]


def pow(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """x to the power y."""
    return apply(_pow, x, y)


_realdiv = OPS["real_div"]


def realdiv(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """x / y for floats and complex numbers."""
    return apply(_realdiv, x, y)


_reciprocal = OPS["reciprocal"]


def reciprocal(x: TensorLike, name: str | None = None) -> Tensor:
    """Reciprocal, element by element."""
    return apply(_reciprocal, x)


_relu = OPS["relu"]


def relu(features: TensorLike, name: str | None = None) -> Tensor:
    """max(features, 0)."""
    return apply(_relu, features)


_relu6 = OPS["relu6"]


def relu6(features: TensorLike, name: str | None = None) -> Tensor:
    """min(max(features, 0), 6)."""
    return apply(_relu6, features)


_right_shift = OPS["right_shift"]


def right_shift(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """The bits of x moved down by y places; a sign stays."""
    return apply(_right_shift, x, y)


_rint = OPS["rint"]


def rint(x: TensorLike, name: str | None = None) -> Tensor:
    """Nearest integer, halves to the even one."""
    return apply(_rint, x)


_round = OPS["round"]


def round(x: TensorLike, name: str | None = None) -> Tensor:
    """Nearest integer, halves to the even one."""
    return apply(_round, x)


_rsqrt = OPS["rsqrt"]


def rsqrt(x: TensorLike, name: str | None = None) -> Tensor:
    """Rsqrt, element by element."""
    return apply(_rsqrt, x)


_selu = OPS["selu"]


def selu(features: TensorLike, name: str | None = None) -> Tensor:
    """Scaled exponential linear unit (https://arxiv.org/abs/1706.02515)."""
    return apply(_selu, features)


_sigmoid = OPS["sigmoid"]


def sigmoid(x: TensorLike, name: str | None = None) -> Tensor:
    """1 / (1 + exp(-x))."""
    return apply(_sigmoid, x)


_sin = OPS["sin"]


def sin(x: TensorLike, name: str | None = None) -> Tensor:
    """Sin, element by element."""
    return apply(_sin, x)


_sinh = OPS["sinh"]


def sinh(x: TensorLike, name: str | None = None) -> Tensor:
    """Sinh, element by element."""
    return apply(_sinh, x)


_softplus = OPS["softplus"]


def softplus(features: TensorLike, name: str | None = None) -> Tensor:
    """log(1 + exp(features))."""
    return apply(_softplus, features)


_sqrt = OPS["sqrt"]


def sqrt(x: TensorLike, name: str | None = None) -> Tensor:
    """Sqrt, element by element."""
    return apply(_sqrt, x)


_square = OPS["square"]


def square(x: TensorLike, name: str | None = None) -> Tensor:
    """Square, element by element."""
    return apply(_square, x)


_squared_difference = OPS["squared_difference"]


def squared_difference(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Squared difference, element by element."""
    return apply(_squared_difference, x, y)


_strip = OPS["string_strip"]


def strip(input: TensorLike, name: str | None = None) -> Tensor:
    """Without white space at both ends."""
    return apply(_strip, input)


_subtract = OPS["subtract"]


def subtract(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Subtract, element by element."""
    return apply(_subtract, x, y)


_tan = OPS["tan"]


def tan(x: TensorLike, name: str | None = None) -> Tensor:
    """Tan, element by element."""
    return apply(_tan, x)


_tanh = OPS["tanh"]


def tanh(x: TensorLike, name: str | None = None) -> Tensor:
    """Tanh, element by element."""
    return apply(_tanh, x)


_truncatediv = OPS["truncatediv"]


def truncatediv(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """x / y rounded towards 0. Integer x / 0 is an error on cpu, 0 on other backends."""
    return apply(_truncatediv, x, y)


_truncatemod = OPS["truncatemod"]


def truncatemod(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Remainder of x / y with x's sign. Integer y = 0 is an error on cpu, 0 on other backends."""
    return apply(_truncatemod, x, y)


_upper = OPS["string_upper"]


def upper(input: TensorLike, encoding: str = "", name: str | None = None) -> Tensor:
    """Upper case, of ASCII letters or, with encoding "utf-8", of all letters."""
    return apply(_upper, input, encoding=encoding)


_xdivy = OPS["xdivy"]


def xdivy(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """x / y, and 0 where x is 0."""
    return apply(_xdivy, x, y)


_xlog1py = OPS["xlog1py"]


def xlog1py(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """x * log(1 + y), and 0 where x is 0."""
    return apply(_xlog1py, x, y)


_xlogy = OPS["xlogy"]


def xlogy(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """x * log(y), and 0 where x is 0."""
    return apply(_xlogy, x, y)


_zeta = OPS["zeta"]


def zeta(x: TensorLike, q: TensorLike, name: str | None = None) -> Tensor:
    """Hurwitz's zeta function of x > 1 and q: the sum of (q + k) ** -x over k >= 0."""
    return apply(_zeta, x, q)
