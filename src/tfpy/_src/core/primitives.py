"""The public functions of primitives: what a record of the op table says, as Python."""

# Made from api.toml and the op table by `build.py face`: change those.

from __future__ import annotations

from tfpy._src.compiler.ops import OPS
from tfpy._src.core.eager import apply
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import TensorLike

_abs = OPS["abs"]


def abs(x: TensorLike, name: str | None = None) -> Tensor:
    """Absolute value, real for complex numbers.

    Example:
        >>> import tfpy as tf
        >>> tf.abs([-2.5, 0.0, 4.0]).numpy().tolist()
        [2.5, 0.0, 4.0]
        >>> tf.abs(tf.constant(3 - 4j)).numpy().tolist()
        5.0
    """
    return apply(_abs, x)


_acos = OPS["acos"]


def acos(x: TensorLike, name: str | None = None) -> Tensor:
    """The angle in [0, pi] whose cosine is x, element by element, of floats and complex
    numbers; NaN for floats outside of [-1, 1].

    Example:
        >>> import tfpy as tf
        >>> tf.acos([1.0, 0.0, -1.0]).numpy().round(3)
        array([0.   , 1.571, 3.142], dtype=float32)
    """
    return apply(_acos, x)


_acosh = OPS["acosh"]


def acosh(x: TensorLike, name: str | None = None) -> Tensor:
    """The inverse of cosh, log(x + sqrt(x * x - 1)), element by element, of floats and
    complex numbers; NaN for floats below 1.

    Example:
        >>> import tfpy as tf
        >>> tf.acosh([1.0, 2.0]).numpy().round(3)
        array([0.   , 1.317], dtype=float32)
    """
    return apply(_acosh, x)


_add = OPS["add"]


def add(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """x + y; strings are joined.

    Example:
        >>> import tfpy as tf
        >>> tf.add([[1, 2], [3, 4]], [10, 20]).numpy().tolist()
        [[11, 22], [13, 24]]
    """
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
    """Each value as printed: numbers by printf, booleans as true and false.

    Example:
        >>> import tfpy as tf
        >>> tf.as_string([3, -7]).numpy().tolist()
        [b'3', b'-7']
        >>> tf.as_string([3.14159, 2.0], precision=2).numpy().tolist()
        [b'3.14', b'2.00']
    """
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
    """The angle in [-pi/2, pi/2] whose sine is x, element by element, of floats and complex
    numbers; NaN for floats outside of [-1, 1].

    Example:
        >>> import tfpy as tf
        >>> tf.asin([0.0, 0.5, 1.0]).numpy().round(3)
        array([0.   , 0.524, 1.571], dtype=float32)
    """
    return apply(_asin, x)


_asinh = OPS["asinh"]


def asinh(x: TensorLike, name: str | None = None) -> Tensor:
    """The inverse of sinh, log(x + sqrt(x * x + 1)), element by element, of floats and
    complex numbers.

    Example:
        >>> import tfpy as tf
        >>> tf.asinh([0.0, 1.0]).numpy().round(3)
        array([0.   , 0.881], dtype=float32)
    """
    return apply(_asinh, x)


_atan = OPS["atan"]


def atan(x: TensorLike, name: str | None = None) -> Tensor:
    """The angle in [-pi/2, pi/2] whose tangent is x, element by element, of floats and
    complex numbers; pi/2 at infinity. atan2 knows the quadrant.

    Example:
        >>> import tfpy as tf
        >>> tf.atan([0.0, 1.0, -1.0]).numpy().round(3)
        array([ 0.   ,  0.785, -0.785], dtype=float32)
    """
    return apply(_atan, x)


_atan2 = OPS["atan2"]


def atan2(y: TensorLike, x: TensorLike, name: str | None = None) -> Tensor:
    """Angle of the point (x, y), in radians.

    Example:
        >>> import tfpy as tf
        >>> tf.atan2(y=[1.0, 1.0, -1.0], x=[1.0, -1.0, 0.0]).numpy().round(3)
        array([ 0.785,  2.356, -1.571], dtype=float32)
    """
    return apply(_atan2, y, x)


_atanh = OPS["atanh"]


def atanh(x: TensorLike, name: str | None = None) -> Tensor:
    """The inverse of tanh, log((1 + x) / (1 - x)) / 2, element by element, of floats and
    complex numbers; infinite at 1 and -1, NaN for floats beyond.

    Example:
        >>> import tfpy as tf
        >>> tf.atanh([0.0, 0.5]).numpy().round(3)
        array([0.   , 0.549], dtype=float32)
    """
    return apply(_atanh, x)


_bessel_i0 = OPS["bessel_i0"]


def bessel_i0(x: TensorLike, name: str | None = None) -> Tensor:
    """The modified Bessel function of the first kind of order 0.

    Example:
        >>> import tfpy as tf
        >>> tf.math.bessel_i0([0.0, 1.0, 2.0]).numpy().round(3)
        array([1.   , 1.266, 2.28 ], dtype=float32)
    """
    return apply(_bessel_i0, x)


_bessel_i0e = OPS["bessel_i0e"]


def bessel_i0e(x: TensorLike, name: str | None = None) -> Tensor:
    """exp(-abs(x)) times the modified Bessel function of order 0.

    Example:
        >>> import tfpy as tf
        >>> tf.math.bessel_i0e([0.0, 1.0, 50.0]).numpy().round(3)
        array([1.   , 0.466, 0.057], dtype=float32)
    """
    return apply(_bessel_i0e, x)


_bessel_i1 = OPS["bessel_i1"]


def bessel_i1(x: TensorLike, name: str | None = None) -> Tensor:
    """The modified Bessel function of the first kind of order 1.

    Example:
        >>> import tfpy as tf
        >>> tf.math.bessel_i1([0.0, 1.0, 2.0]).numpy().round(3)
        array([0.   , 0.565, 1.591], dtype=float32)
    """
    return apply(_bessel_i1, x)


_bessel_i1e = OPS["bessel_i1e"]


def bessel_i1e(x: TensorLike, name: str | None = None) -> Tensor:
    """exp(-abs(x)) times the modified Bessel function of order 1.

    Example:
        >>> import tfpy as tf
        >>> tf.math.bessel_i1e([0.0, 1.0, 50.0]).numpy().round(3)
        array([0.   , 0.208, 0.056], dtype=float32)
    """
    return apply(_bessel_i1e, x)


_betainc = OPS["betainc"]


def betainc(a: TensorLike, b: TensorLike, x: TensorLike, name: str | None = None) -> Tensor:
    """The regularised incomplete beta function of a, b > 0 and x from 0 to 1.

    Example:
        >>> import tfpy as tf
        >>> tf.math.betainc(a=2.0, b=2.0, x=[0.25, 0.5, 1.0]).numpy().round(3)
        array([0.156, 0.5  , 1.   ], dtype=float32)
    """
    return apply(_betainc, a, b, x)


_bitwise_and = OPS["bitwise_and"]


def bitwise_and(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """The bits that x and y both have, element by element, with broadcasting, of integers.

    Example:
        >>> import tfpy as tf
        >>> tf.bitwise.bitwise_and([0b1100, 7], [0b1010, 2]).numpy().tolist()
        [8, 2]
    """
    return apply(_bitwise_and, x, y)


_bitwise_or = OPS["bitwise_or"]


def bitwise_or(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """The bits that x or y has, element by element, with broadcasting, of integers.

    Example:
        >>> import tfpy as tf
        >>> tf.bitwise.bitwise_or([0b1100, 1], [0b1010, 2]).numpy().tolist()
        [14, 3]
    """
    return apply(_bitwise_or, x, y)


_bitwise_xor = OPS["bitwise_xor"]


def bitwise_xor(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """The bits that one of x and y has, element by element, with broadcasting, of integers.

    Example:
        >>> import tfpy as tf
        >>> tf.bitwise.bitwise_xor([0b1100, 5], [0b1010, 5]).numpy().tolist()
        [6, 0]
    """
    return apply(_bitwise_xor, x, y)


_ceil = OPS["ceil"]


def ceil(x: TensorLike, name: str | None = None) -> Tensor:
    """The smallest integer that is not below x, as a float, element by element; infinities
    and NaN stay.

    Example:
        >>> import tfpy as tf
        >>> tf.math.ceil([1.2, -1.7, 3.0]).numpy().tolist()
        [2.0, -1.0, 3.0]
    """
    return apply(_ceil, x)


_cos = OPS["cos"]


def cos(x: TensorLike, name: str | None = None) -> Tensor:
    """The cosine of angles in radians, element by element, of floats and complex numbers;
    NaN at infinity.

    Example:
        >>> import tfpy as tf
        >>> tf.cos([0.0, 1.0, 3.0]).numpy().round(3)
        array([ 1.  ,  0.54, -0.99], dtype=float32)
    """
    return apply(_cos, x)


_cosh = OPS["cosh"]


def cosh(x: TensorLike, name: str | None = None) -> Tensor:
    """The hyperbolic cosine, (exp(x) + exp(-x)) / 2, element by element, of floats and
    complex numbers; infinite where that overflows.

    Example:
        >>> import tfpy as tf
        >>> tf.cosh([0.0, 1.0]).numpy().round(3)
        array([1.   , 1.543], dtype=float32)
    """
    return apply(_cosh, x)


_digamma = OPS["digamma"]


def digamma(x: TensorLike, name: str | None = None) -> Tensor:
    """Derivative of lgamma; NaN at 0 and the negative integers.

    Example:
        >>> import tfpy as tf
        >>> tf.math.digamma([1.0, 2.0, 10.0]).numpy().round(3)
        array([-0.577,  0.423,  2.252], dtype=float32)
    """
    return apply(_digamma, x)


_elu = OPS["elu"]


def elu(features: TensorLike, name: str | None = None) -> Tensor:
    """features above 0, exp(features) - 1 below.

    Example:
        >>> import tfpy as tf
        >>> tf.nn.elu([-1.0, 0.0, 2.0]).numpy().round(3)
        array([-0.632,  0.   ,  2.   ], dtype=float32)
    """
    return apply(_elu, features)


_equal = OPS["equal"]


def equal(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Whether x == y, element by element, with broadcasting: bool. NaN equals nothing.

    Example:
        >>> import tfpy as tf
        >>> tf.equal([1, 2, 3], [1, 5, 3]).numpy().tolist()
        [True, False, True]
    """
    return apply(_equal, x, y)


_erf = OPS["erf"]


def erf(x: TensorLike, name: str | None = None) -> Tensor:
    """Gauss error function.

    Example:
        >>> import tfpy as tf
        >>> tf.math.erf([0.0, 0.5, 3.0]).numpy().round(3)
        array([0.  , 0.52, 1.  ], dtype=float32)
    """
    return apply(_erf, x)


_erfc = OPS["erfc"]


def erfc(x: TensorLike, name: str | None = None) -> Tensor:
    """1 - erf(x), accurate where erf(x) is near 1.

    Example:
        >>> import tfpy as tf
        >>> tf.math.erfc([0.0, 0.5, -3.0]).numpy().round(3)
        array([1.  , 0.48, 2.  ], dtype=float32)
    """
    return apply(_erfc, x)


_erfinv = OPS["erfinv"]


def erfinv(x: TensorLike, name: str | None = None) -> Tensor:
    """The number whose erf is x; infinite at 1 and -1, NaN beyond.

    Example:
        >>> import tfpy as tf
        >>> tf.math.erfinv([-0.5205, 0.5205]).numpy().round(3)
        array([-0.5,  0.5], dtype=float32)
    """
    return apply(_erfinv, x)


_exp = OPS["exp"]


def exp(x: TensorLike, name: str | None = None) -> Tensor:
    """e to the power x, of floats and complex numbers, element by element; infinite where
    the dtype has no such number (above 88.7 in float32).

    Example:
        >>> import tfpy as tf
        >>> tf.exp([0.0, 1.0, 2.0]).numpy().round(3)
        array([1.   , 2.718, 7.389], dtype=float32)
    """
    return apply(_exp, x)


_expm1 = OPS["expm1"]


def expm1(x: TensorLike, name: str | None = None) -> Tensor:
    """exp(x) - 1, of floats and complex numbers, element by element; accurate near 0, where
    exp(x) rounds to 1.

    Example:
        >>> import tfpy as tf
        >>> tf.math.expm1([0.0, 1.0, -100.0]).numpy().round(3)
        array([ 0.   ,  1.718, -1.   ], dtype=float32)
    """
    return apply(_expm1, x)


_floor = OPS["floor"]


def floor(x: TensorLike, name: str | None = None) -> Tensor:
    """The largest integer that is not above x, as a float, element by element; infinities
    and NaN stay.

    Example:
        >>> import tfpy as tf
        >>> tf.floor([1.7, -1.2, 3.0]).numpy().tolist()
        [1.0, -2.0, 3.0]
    """
    return apply(_floor, x)


_floordiv = OPS["floordiv"]


def floordiv(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Largest integer at or below x / y. Integer x / 0 is an error on cpu, 0 on other backends.

    Example:
        >>> import tfpy as tf
        >>> tf.math.floordiv([7, -7], 2).numpy().tolist()
        [3, -4]
    """
    return apply(_floordiv, x, y)


floor_div = floordiv

_floormod = OPS["floormod"]


def floormod(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Remainder of x / y with y's sign. Integer y = 0 is an error on cpu, 0 on other backends.

    Example:
        >>> import tfpy as tf
        >>> tf.math.floormod([7, -7], 3).numpy().tolist()
        [1, 2]
    """
    return apply(_floormod, x, y)


mod = floormod

_greater = OPS["greater"]


def greater(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Whether x > y, element by element, with broadcasting, of real numbers: bool. Never of
    NaN.

    Example:
        >>> import tfpy as tf
        >>> tf.greater([1, 2, 3], 2).numpy().tolist()
        [False, False, True]
    """
    return apply(_greater, x, y)


_greater_equal = OPS["greater_equal"]


def greater_equal(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Whether x >= y, element by element, with broadcasting, of real numbers: bool. Never of
    NaN.

    Example:
        >>> import tfpy as tf
        >>> tf.greater_equal([1, 2, 3], 2).numpy().tolist()
        [False, True, True]
    """
    return apply(_greater_equal, x, y)


_igamma = OPS["igamma"]


def igamma(a: TensorLike, x: TensorLike, name: str | None = None) -> Tensor:
    """The lower regularised incomplete gamma function of a > 0 and x >= 0.

    Example:
        >>> import tfpy as tf
        >>> tf.math.igamma(a=2.0, x=[0.0, 1.0, 10.0]).numpy().round(3)
        array([0.   , 0.264, 1.   ], dtype=float32)
    """
    return apply(_igamma, a, x)


_igammac = OPS["igammac"]


def igammac(a: TensorLike, x: TensorLike, name: str | None = None) -> Tensor:
    """The upper regularised incomplete gamma function: 1 - igamma(a, x).

    Example:
        >>> import tfpy as tf
        >>> tf.math.igammac(a=2.0, x=[0.0, 1.0, 10.0]).numpy().round(3)
        array([1.   , 0.736, 0.   ], dtype=float32)
    """
    return apply(_igammac, a, x)


_invert = OPS["invert"]


def invert(x: TensorLike, name: str | None = None) -> Tensor:
    """All bits turned, element by element, of integers: -1 - x of signed ones.

    Example:
        >>> import tfpy as tf
        >>> tf.bitwise.invert([0, 5, -1]).numpy().tolist()
        [-1, -6, 0]
    """
    return apply(_invert, x)


_is_finite = OPS["is_finite"]


def is_finite(x: TensorLike, name: str | None = None) -> Tensor:
    """Whether floats are neither infinite nor NaN, element by element: bool.

    Example:
        >>> import tfpy as tf
        >>> tf.math.is_finite([1.0, float("inf"), float("nan")]).numpy().tolist()
        [True, False, False]
    """
    return apply(_is_finite, x)


_is_inf = OPS["is_inf"]


def is_inf(x: TensorLike, name: str | None = None) -> Tensor:
    """Whether floats are infinity or -infinity, element by element: bool.

    Example:
        >>> import tfpy as tf
        >>> tf.math.is_inf([1.0, float("-inf"), float("nan")]).numpy().tolist()
        [False, True, False]
    """
    return apply(_is_inf, x)


_is_nan = OPS["is_nan"]


def is_nan(x: TensorLike, name: str | None = None) -> Tensor:
    """Whether floats are NaN, element by element: bool.

    Example:
        >>> import tfpy as tf
        >>> tf.math.is_nan([1.0, float("inf"), float("nan")]).numpy().tolist()
        [False, False, True]
    """
    return apply(_is_nan, x)


_left_shift = OPS["left_shift"]


def left_shift(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """The bits of x moved up by y places, of which there are at most as many as x has bits.

    Example:
        >>> import tfpy as tf
        >>> tf.bitwise.left_shift([1, 3], [4, 1]).numpy().tolist()
        [16, 6]
    """
    return apply(_left_shift, x, y)


_length = OPS["string_length"]


def length(input: TensorLike, unit: str = "BYTE", name: str | None = None) -> Tensor:
    """Number of bytes, or of characters with unit "UTF8_CHAR"; int32.

    Example:
        >>> import tfpy as tf
        >>> tf.strings.length(["tensor", "größe"]).numpy().tolist()
        [6, 7]
        >>> tf.strings.length("größe", unit="UTF8_CHAR").numpy().tolist()
        5
    """
    return apply(_length, input, unit=unit)


_less = OPS["less"]


def less(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Whether x < y, element by element, with broadcasting, of real numbers: bool. Never of
    NaN.

    Example:
        >>> import tfpy as tf
        >>> tf.less([1, 2, 3], 2).numpy().tolist()
        [True, False, False]
    """
    return apply(_less, x, y)


_less_equal = OPS["less_equal"]


def less_equal(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Whether x <= y, element by element, with broadcasting, of real numbers: bool. Never of
    NaN.

    Example:
        >>> import tfpy as tf
        >>> tf.less_equal([1, 2, 3], 2).numpy().tolist()
        [True, True, False]
    """
    return apply(_less_equal, x, y)


_lgamma = OPS["lgamma"]


def lgamma(x: TensorLike, name: str | None = None) -> Tensor:
    """log(abs(gamma(x))).

    Example:
        >>> import tfpy as tf
        >>> tf.math.lgamma([0.5, 5.0, 10.0]).numpy().round(3)
        array([ 0.572,  3.178, 12.802], dtype=float32)
    """
    return apply(_lgamma, x)


_log = OPS["log"]


def log(x: TensorLike, name: str | None = None) -> Tensor:
    """The natural logarithm of floats and complex numbers, element by element: -infinity at
    0, NaN for negative floats; of complex numbers the one with an imaginary part in (-pi,
    pi].

    Example:
        >>> import tfpy as tf
        >>> tf.math.log([1.0, 2.0, 10.0]).numpy().round(3)
        array([0.   , 0.693, 2.303], dtype=float32)
    """
    return apply(_log, x)


_log1p = OPS["log1p"]


def log1p(x: TensorLike, name: str | None = None) -> Tensor:
    """log(1 + x) of floats and complex numbers, element by element; accurate near 0.
    -infinity at -1, NaN below.

    Example:
        >>> import tfpy as tf
        >>> tf.math.log1p([0.0, 1.0, 9.0]).numpy().round(3)
        array([0.   , 0.693, 2.303], dtype=float32)
    """
    return apply(_log1p, x)


_logical_and = OPS["logical_and"]


def logical_and(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Whether both x and y are true, element by element, with broadcasting; bool, as its
    operands.

    Example:
        >>> import tfpy as tf
        >>> tf.logical_and([True, True, False], [True, False, False]).numpy().tolist()
        [True, False, False]
    """
    return apply(_logical_and, x, y)


_logical_not = OPS["logical_not"]


def logical_not(x: TensorLike, name: str | None = None) -> Tensor:
    """Whether x is false, element by element; bool, as its operand.

    Example:
        >>> import tfpy as tf
        >>> tf.logical_not([True, False]).numpy().tolist()
        [False, True]
    """
    return apply(_logical_not, x)


_logical_or = OPS["logical_or"]


def logical_or(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Whether x or y or both are true, element by element, with broadcasting; bool, as its
    operands.

    Example:
        >>> import tfpy as tf
        >>> tf.logical_or([True, True, False], [True, False, False]).numpy().tolist()
        [True, True, False]
    """
    return apply(_logical_or, x, y)


_logical_xor = OPS["logical_xor"]


def logical_xor(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Whether one of x and y is true, and not both, element by element, with broadcasting;
    bool, as its operands.

    Example:
        >>> import tfpy as tf
        >>> tf.math.logical_xor([True, True, False], [True, False, False]).numpy().tolist()
        [False, True, False]
    """
    return apply(_logical_xor, x, y)


_lower = OPS["string_lower"]


def lower(input: TensorLike, encoding: str = "", name: str | None = None) -> Tensor:
    """Lower case, of ASCII letters or, with encoding "utf-8", of all letters.

    Example:
        >>> import tfpy as tf
        >>> tf.strings.lower(["Tensor", "FLOW"]).numpy().tolist()
        [b'tensor', b'flow']
    """
    return apply(_lower, input, encoding=encoding)


_maximum = OPS["maximum"]


def maximum(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """The larger of x and y; NaN where either is NaN.

    Example:
        >>> import tfpy as tf
        >>> tf.maximum([1.0, 5.0, -3.0], 2.0).numpy().tolist()
        [2.0, 5.0, 2.0]
    """
    return apply(_maximum, x, y)


_minimum = OPS["minimum"]


def minimum(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """The smaller of x and y; NaN where either is NaN.

    Example:
        >>> import tfpy as tf
        >>> tf.minimum([1.0, 5.0, -3.0], 2.0).numpy().tolist()
        [1.0, 2.0, -3.0]
    """
    return apply(_minimum, x, y)


_multiply = OPS["multiply"]


def multiply(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """x * y, element by element, with broadcasting; integers wrap around.

    Example:
        >>> import tfpy as tf
        >>> tf.multiply([[1, 2], [3, 4]], [10, 100]).numpy().tolist()
        [[10, 200], [30, 400]]
    """
    return apply(_multiply, x, y)


_multiply_no_nan = OPS["multiply_no_nan"]


def multiply_no_nan(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """x * y, and 0 where y is 0 even if x is infinite or NaN.

    Example:
        >>> import tfpy as tf
        >>> tf.math.multiply_no_nan([2.0, float("nan")], [3.0, 0.0]).numpy().tolist()
        [6.0, 0.0]
    """
    return apply(_multiply_no_nan, x, y)


_ndtri = OPS["ndtri"]


def ndtri(x: TensorLike, name: str | None = None) -> Tensor:
    """Quantile of the standard normal distribution; infinite at 0 and 1, NaN beyond.

    Example:
        >>> import tfpy as tf
        >>> tf.math.ndtri([0.025, 0.975]).numpy().round(2)
        array([-1.96,  1.96], dtype=float32)
    """
    return apply(_ndtri, x)


_negative = OPS["negative"]


def negative(x: TensorLike, name: str | None = None) -> Tensor:
    """-x, element by element. The smallest integer of a dtype stays as it is.

    Example:
        >>> import tfpy as tf
        >>> tf.negative([1, -2]).numpy().tolist()
        [-1, 2]
    """
    return apply(_negative, x)


_nextafter = OPS["nextafter"]


def nextafter(x1: TensorLike, x2: TensorLike, name: str | None = None) -> Tensor:
    """The float next to x1 in the direction of x2.

    Example:
        >>> import tfpy as tf
        >>> x = tf.math.nextafter(tf.constant(1.0), 2.0)
        >>> float(x) == 1.0 + 2.0**-23
        True
    """
    return apply(_nextafter, x1, x2)


_not_equal = OPS["not_equal"]


def not_equal(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Whether x != y, element by element, with broadcasting: bool. NaN differs from
    everything.

    Example:
        >>> import tfpy as tf
        >>> tf.not_equal([1, 2, 3], [1, 5, 3]).numpy().tolist()
        [False, True, False]
    """
    return apply(_not_equal, x, y)


_polygamma = OPS["polygamma"]


def polygamma(a: TensorLike, x: TensorLike, name: str | None = None) -> Tensor:
    """Derivative number a (0, 1, 2, ...) of digamma, for x > 0; NaN for other a.

    Example:
        >>> import tfpy as tf
        >>> tf.math.polygamma(a=1.0, x=[1.0, 2.0]).numpy().round(3)
        array([1.645, 0.645], dtype=float32)
    """
    return apply(_polygamma, a, x)


_pow = OPS["pow"]


def pow(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """x to the power y.

    Example:
        >>> import tfpy as tf
        >>> tf.pow([2, 3], [10, 4]).numpy().tolist()
        [1024, 81]
    """
    return apply(_pow, x, y)


_realdiv = OPS["real_div"]


def realdiv(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """x / y for floats and complex numbers.

    Example:
        >>> import tfpy as tf
        >>> tf.realdiv([1.0, 3.0], 2.0).numpy().tolist()
        [0.5, 1.5]
    """
    return apply(_realdiv, x, y)


_reciprocal = OPS["reciprocal"]


def reciprocal(x: TensorLike, name: str | None = None) -> Tensor:
    """1 / x, element by element, of floats and complex numbers; infinite at 0. The gradient is
    0 where that of the result is 0.

    Example:
        >>> import tfpy as tf
        >>> tf.math.reciprocal([2.0, -0.5]).numpy().tolist()
        [0.5, -2.0]
    """
    return apply(_reciprocal, x)


_relu = OPS["relu"]


def relu(features: TensorLike, name: str | None = None) -> Tensor:
    """max(features, 0).

    Example:
        >>> import tfpy as tf
        >>> tf.nn.relu([-2.0, 0.0, 3.0]).numpy().tolist()
        [0.0, 0.0, 3.0]
    """
    return apply(_relu, features)


_relu6 = OPS["relu6"]


def relu6(features: TensorLike, name: str | None = None) -> Tensor:
    """min(max(features, 0), 6).

    Example:
        >>> import tfpy as tf
        >>> tf.nn.relu6([-2.0, 3.0, 8.0]).numpy().tolist()
        [0.0, 3.0, 6.0]
    """
    return apply(_relu6, features)


_right_shift = OPS["right_shift"]


def right_shift(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """The bits of x moved down by y places; a sign stays.

    Example:
        >>> import tfpy as tf
        >>> tf.bitwise.right_shift([16, -8], [3, 1]).numpy().tolist()
        [2, -4]
    """
    return apply(_right_shift, x, y)


_rint = OPS["rint"]


def rint(x: TensorLike, name: str | None = None) -> Tensor:
    """Nearest integer, halves to the even one.

    Example:
        >>> import tfpy as tf
        >>> tf.math.rint([0.5, 1.5, -2.7]).numpy().tolist()
        [0.0, 2.0, -3.0]
    """
    return apply(_rint, x)


_round = OPS["round"]


def round(x: TensorLike, name: str | None = None) -> Tensor:
    """Nearest integer, halves to the even one.

    Example:
        >>> import tfpy as tf
        >>> tf.round([0.5, 1.5, -2.7]).numpy().tolist()
        [0.0, 2.0, -3.0]
    """
    return apply(_round, x)


_rsqrt = OPS["rsqrt"]


def rsqrt(x: TensorLike, name: str | None = None) -> Tensor:
    """1 / sqrt(x) of floats and complex numbers, element by element; infinite at 0, NaN for
    negative floats. The gradient is 0 where that of the result is 0.

    Example:
        >>> import tfpy as tf
        >>> tf.math.rsqrt([4.0, 0.25]).numpy().round(3)
        array([0.5, 2. ], dtype=float32)
    """
    return apply(_rsqrt, x)


_selu = OPS["selu"]


def selu(features: TensorLike, name: str | None = None) -> Tensor:
    """Scaled exponential linear unit (https://arxiv.org/abs/1706.02515).

    Example:
        >>> import tfpy as tf
        >>> tf.nn.selu([-1.0, 0.0, 1.0]).numpy().round(3)
        array([-1.111,  0.   ,  1.051], dtype=float32)
    """
    return apply(_selu, features)


_sigmoid = OPS["sigmoid"]


def sigmoid(x: TensorLike, name: str | None = None) -> Tensor:
    """1 / (1 + exp(-x)).

    Example:
        >>> import tfpy as tf
        >>> tf.sigmoid([-100.0, 0.0, 1.0]).numpy().round(3)
        array([0.   , 0.5  , 0.731], dtype=float32)
    """
    return apply(_sigmoid, x)


_sin = OPS["sin"]


def sin(x: TensorLike, name: str | None = None) -> Tensor:
    """The sine of angles in radians, element by element, of floats and complex numbers; NaN
    at infinity.

    Example:
        >>> import tfpy as tf
        >>> tf.sin([0.0, 1.0, 3.0]).numpy().round(3)
        array([0.   , 0.841, 0.141], dtype=float32)
    """
    return apply(_sin, x)


_sinh = OPS["sinh"]


def sinh(x: TensorLike, name: str | None = None) -> Tensor:
    """The hyperbolic sine, (exp(x) - exp(-x)) / 2, element by element, of floats and complex
    numbers; infinite where that overflows.

    Example:
        >>> import tfpy as tf
        >>> tf.sinh([0.0, 1.0]).numpy().round(3)
        array([0.   , 1.175], dtype=float32)
    """
    return apply(_sinh, x)


_softplus = OPS["softplus"]


def softplus(features: TensorLike, name: str | None = None) -> Tensor:
    """log(1 + exp(features)).

    Example:
        >>> import tfpy as tf
        >>> tf.math.softplus([-100.0, 0.0, 100.0]).numpy().round(3)
        array([  0.   ,   0.693, 100.   ], dtype=float32)
    """
    return apply(_softplus, features)


_sqrt = OPS["sqrt"]


def sqrt(x: TensorLike, name: str | None = None) -> Tensor:
    """The square root of floats and complex numbers, element by element; the one with a non-
    negative real part. NaN for negative floats. The gradient at 0 is infinite, or 0 where
    that of the result is 0.

    Example:
        >>> import tfpy as tf
        >>> tf.sqrt([4.0, 2.25]).numpy().round(3)
        array([2. , 1.5], dtype=float32)
    """
    return apply(_sqrt, x)


_square = OPS["square"]


def square(x: TensorLike, name: str | None = None) -> Tensor:
    """x * x, element by element; integers wrap around.

    Example:
        >>> import tfpy as tf
        >>> tf.square([1.5, -3.0]).numpy().tolist()
        [2.25, 9.0]
    """
    return apply(_square, x)


_squared_difference = OPS["squared_difference"]


def squared_difference(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """(x - y) * conj(x - y), element by element, with broadcasting: the square of the
    distance, in the operands' dtype.

    Example:
        >>> import tfpy as tf
        >>> tf.math.squared_difference([1.0, 5.0], [4.0, 3.0]).numpy().tolist()
        [9.0, 4.0]
    """
    return apply(_squared_difference, x, y)


_strip = OPS["string_strip"]


def strip(input: TensorLike, name: str | None = None) -> Tensor:
    """Without white space at both ends.

    Example:
        >>> import tfpy as tf
        >>> tf.strings.strip(["  tensor ", " flow"]).numpy().tolist()
        [b'tensor', b'flow']
    """
    return apply(_strip, input)


_subtract = OPS["subtract"]


def subtract(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """x - y, element by element, with broadcasting; integers wrap around.

    Example:
        >>> import tfpy as tf
        >>> tf.subtract([[5, 6], [7, 8]], [1, 2]).numpy().tolist()
        [[4, 4], [6, 6]]
    """
    return apply(_subtract, x, y)


_tan = OPS["tan"]


def tan(x: TensorLike, name: str | None = None) -> Tensor:
    """The tangent of angles in radians, sin(x) / cos(x), element by element, of floats and
    complex numbers; NaN at infinity.

    Example:
        >>> import tfpy as tf
        >>> tf.tan([0.0, 1.0]).numpy().round(3)
        array([0.   , 1.557], dtype=float32)
    """
    return apply(_tan, x)


_tanh = OPS["tanh"]


def tanh(x: TensorLike, name: str | None = None) -> Tensor:
    """The hyperbolic tangent, sinh(x) / cosh(x), element by element, of floats and complex
    numbers; 1 and -1 at the infinities.

    Example:
        >>> import tfpy as tf
        >>> tf.tanh([-100.0, 0.0, 1.0]).numpy().round(3)
        array([-1.   ,  0.   ,  0.762], dtype=float32)
    """
    return apply(_tanh, x)


_truncatediv = OPS["truncatediv"]


def truncatediv(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """x / y rounded towards 0. Integer x / 0 is an error on cpu, 0 on other backends.

    Example:
        >>> import tfpy as tf
        >>> tf.truncatediv([7, -7], 2).numpy().tolist()
        [3, -3]
    """
    return apply(_truncatediv, x, y)


_truncatemod = OPS["truncatemod"]


def truncatemod(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Remainder of x / y with x's sign. Integer y = 0 is an error on cpu, 0 on other backends.

    Example:
        >>> import tfpy as tf
        >>> tf.truncatemod([7, -7], 3).numpy().tolist()
        [1, -1]
    """
    return apply(_truncatemod, x, y)


_upper = OPS["string_upper"]


def upper(input: TensorLike, encoding: str = "", name: str | None = None) -> Tensor:
    """Upper case, of ASCII letters or, with encoding "utf-8", of all letters.

    Example:
        >>> import tfpy as tf
        >>> tf.strings.upper(["Tensor", "flow"]).numpy().tolist()
        [b'TENSOR', b'FLOW']
    """
    return apply(_upper, input, encoding=encoding)


_xdivy = OPS["xdivy"]


def xdivy(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """x / y, and 0 where x is 0.

    Example:
        >>> import tfpy as tf
        >>> tf.math.xdivy([0.0, 3.0], [0.0, 2.0]).numpy().tolist()
        [0.0, 1.5]
    """
    return apply(_xdivy, x, y)


_xlog1py = OPS["xlog1py"]


def xlog1py(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """x * log(1 + y), and 0 where x is 0.

    Example:
        >>> import tfpy as tf
        >>> tf.math.xlog1py([0.0, 2.0], [-1.0, 1.0]).numpy().round(3)
        array([0.   , 1.386], dtype=float32)
    """
    return apply(_xlog1py, x, y)


_xlogy = OPS["xlogy"]


def xlogy(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """x * log(y), and 0 where x is 0.

    Example:
        >>> import tfpy as tf
        >>> tf.math.xlogy([0.0, 2.0], [0.0, 2.0]).numpy().round(3)
        array([0.   , 1.386], dtype=float32)
    """
    return apply(_xlogy, x, y)


_zeta = OPS["zeta"]


def zeta(x: TensorLike, q: TensorLike, name: str | None = None) -> Tensor:
    """Hurwitz's zeta function of x > 1 and q: the sum of (q + k) ** -x over k >= 0.

    Example:
        >>> import tfpy as tf
        >>> tf.math.zeta(x=[2.0, 4.0], q=1.0).numpy().round(3)
        array([1.645, 1.082], dtype=float32)
    """
    return apply(_zeta, x, q)
