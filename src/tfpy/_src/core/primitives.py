"""The public functions of primitives."""

# Generated from api.toml and the op table by `build.py face`. Edit those instead.

from __future__ import annotations

from tfpy._src.compiler.ops import OPS
from tfpy._src.core.eager import apply
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import TensorLike

_abs = OPS["abs"]


def abs(x: TensorLike, name: str | None = None) -> Tensor:
    """Compute the absolute value of `x` element-wise.

    The smallest integer of a signed dtype, such as -128 for int8, remains unchanged, because the
    dtype does not contain its negative.

    Args:
        x: Float, signed integer or complex tensor, or a `tf.SparseTensor`.

    Returns:
        Tensor of the shape of `x`. It has the dtype of `x`, or the dtype of the real part if `x` is
        complex. If `x` is sparse, so is the result.

    Raises:
        tf.errors.InvalidArgumentError: If the dtype of `x` is not supported.

    Example:
        >>> import tfpy as tf
        >>> tf.abs([-2.5, 0.0, 4.0]).numpy().tolist()
        [2.5, 0.0, 4.0]
        >>> tf.abs(tf.constant(3 - 4j)).numpy().tolist()
        5.0

    See also: `tf.negative`, `tf.sign`.
    """
    return apply(_abs, x)


_acos = OPS["acos"]


def acos(x: TensorLike, name: str | None = None) -> Tensor:
    """Compute the arc cosine of `x` element-wise.

    The result is an angle in [0, pi]. It is NaN for floats outside of [-1, 1].

    Args:
        x: Float or complex tensor.

    Returns:
        Tensor of the shape and dtype of `x`.

    Raises:
        tf.errors.InvalidArgumentError: If the dtype of `x` is not supported.

    Example:
        >>> import tfpy as tf
        >>> tf.acos([1.0, 0.0, -1.0]).numpy().round(3)
        array([0.   , 1.571, 3.142], dtype=float32)

    See also: `tf.cos`, `tf.asin`, `tf.atan`.
    """
    return apply(_acos, x)


_acosh = OPS["acosh"]


def acosh(x: TensorLike, name: str | None = None) -> Tensor:
    """Compute the inverse hyperbolic cosine of `x` element-wise.

    The result is `log(x + sqrt(x * x - 1))`. It is NaN for floats below 1.

    Args:
        x: Float or complex tensor.

    Returns:
        Tensor of the shape and dtype of `x`.

    Raises:
        tf.errors.InvalidArgumentError: If the dtype of `x` is not supported.

    Example:
        >>> import tfpy as tf
        >>> tf.acosh([1.0, 2.0]).numpy().round(3)
        array([0.   , 1.317], dtype=float32)

    See also: `tf.cosh`, `tf.asinh`, `tf.atanh`.
    """
    return apply(_acosh, x)


_add = OPS["add"]


def add(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Compute `x + y` element-wise.

    Integers wrap around on overflow. Strings are concatenated.

    Args:
        x: Float, integer, complex or string tensor.
        y: Tensor of the dtype of `x`. The shapes of `x` and `y` must be broadcastable.

    Returns:
        Tensor of the dtype of `x`, with the shape that results from broadcasting.

    Raises:
        tf.errors.InvalidArgumentError: If the dtype is not supported, if the dtypes differ, or if
            the shapes are not broadcastable.

    Example:
        >>> import tfpy as tf
        >>> tf.add([[1, 2], [3, 4]], [10, 20]).numpy().tolist()
        [[11, 22], [13, 24]]

    See also: `tf.add_n`, `tf.subtract`.
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
    """Convert each element to a string.

    Numbers are formatted as by `printf` in C, and booleans as `true` and `false`.

    Args:
        input: Tensor of numbers, booleans or strings.
        precision: Number of digits after the decimal point of floats. Default: -1, which stands for
            6 digits. Strings are cut to this number of bytes if `width` is positive.
        scientific: If True, format floats in scientific notation.
        shortest: If True, format floats in scientific or decimal notation, whichever is shorter.
        width: Smallest number of characters of a number or string. Shorter results are padded.
            Default: -1, which means no padding.
        fill: Kind of padding. `""` (default) and `" "` insert spaces on the left, `"0"` zeros on
            the left, and `"-"` spaces on the right. `"+"` inserts spaces on the left, and a sign
            before positive numbers.

    Returns:
        String tensor with the shape of `input`.

    Raises:
        tf.errors.InvalidArgumentError: If `fill` is not one of these strings, both `scientific` and
            `shortest` are True, or `scientific`, `shortest` or `precision` is set for integers or
            booleans.

    Example:
        >>> import tfpy as tf
        >>> tf.as_string([3, -7]).numpy().tolist()
        [b'3', b'-7']
        >>> tf.as_string([3.14159, 2.0], precision=2).numpy().tolist()
        [b'3.14', b'2.00']

    See also: `tf.strings.to_number`, `tf.strings.format`.
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
    """Compute the arc sine of `x` element-wise.

    The result is an angle in [-pi/2, pi/2]. It is NaN for floats outside of [-1, 1].

    Args:
        x: Float or complex tensor, or a `tf.SparseTensor`.

    Returns:
        Tensor of the shape and dtype of `x`. If `x` is sparse, so is the result.

    Raises:
        tf.errors.InvalidArgumentError: If the dtype of `x` is not supported.

    Example:
        >>> import tfpy as tf
        >>> tf.asin([0.0, 0.5, 1.0]).numpy().round(3)
        array([0.   , 0.524, 1.571], dtype=float32)

    See also: `tf.sin`, `tf.acos`, `tf.atan`.
    """
    return apply(_asin, x)


_asinh = OPS["asinh"]


def asinh(x: TensorLike, name: str | None = None) -> Tensor:
    """Compute the inverse hyperbolic sine of `x` element-wise.

    The result is `log(x + sqrt(x * x + 1))`.

    Args:
        x: Float or complex tensor, or a `tf.SparseTensor`.

    Returns:
        Tensor of the shape and dtype of `x`. If `x` is sparse, so is the result.

    Raises:
        tf.errors.InvalidArgumentError: If the dtype of `x` is not supported.

    Example:
        >>> import tfpy as tf
        >>> tf.asinh([0.0, 1.0]).numpy().round(3)
        array([0.   , 0.881], dtype=float32)

    See also: `tf.sinh`, `tf.acosh`, `tf.atanh`.
    """
    return apply(_asinh, x)


_atan = OPS["atan"]


def atan(x: TensorLike, name: str | None = None) -> Tensor:
    """Compute the arc tangent of `x` element-wise.

    The result is an angle in [-pi/2, pi/2].

    Args:
        x: Float or complex tensor, or a `tf.SparseTensor`.

    Returns:
        Tensor of the shape and dtype of `x`. If `x` is sparse, so is the result.

    Raises:
        tf.errors.InvalidArgumentError: If the dtype of `x` is not supported.

    Example:
        >>> import tfpy as tf
        >>> tf.atan([0.0, 1.0, -1.0]).numpy().round(3)
        array([ 0.   ,  0.785, -0.785], dtype=float32)

    See also: `tf.atan2`, which considers the quadrant, and `tf.tan`.
    """
    return apply(_atan, x)


_atan2 = OPS["atan2"]


def atan2(y: TensorLike, x: TensorLike, name: str | None = None) -> Tensor:
    """Compute the angle of the point (`x`, `y`) element-wise.

    The result is in radians, in the range [-pi, pi].

    Args:
        y: Float tensor.
        x: Tensor of the dtype of `y`. The shapes of `y` and `x` must be broadcastable.

    Returns:
        Tensor of the dtype of `y`, with the shape that results from broadcasting.

    Raises:
        tf.errors.InvalidArgumentError: If the dtype is not supported, if the dtypes differ, or if
            the shapes are not broadcastable.

    Example:
        >>> import tfpy as tf
        >>> tf.atan2(y=[1.0, 1.0, -1.0], x=[1.0, -1.0, 0.0]).numpy().round(3)
        array([ 0.785,  2.356, -1.571], dtype=float32)

    See also: `tf.atan`.
    """
    return apply(_atan2, y, x)


_atanh = OPS["atanh"]


def atanh(x: TensorLike, name: str | None = None) -> Tensor:
    """Compute the inverse hyperbolic tangent of `x` element-wise.

    The result is `log((1 + x) / (1 - x)) / 2`. It is infinite at -1 and 1, and NaN for
    floats outside of [-1, 1].

    Args:
        x: Float or complex tensor, or a `tf.SparseTensor`.

    Returns:
        Tensor of the shape and dtype of `x`. If `x` is sparse, so is the result.

    Raises:
        tf.errors.InvalidArgumentError: If the dtype of `x` is not supported.

    Example:
        >>> import tfpy as tf
        >>> tf.atanh([0.0, 0.5]).numpy().round(3)
        array([0.   , 0.549], dtype=float32)

    See also: `tf.tanh`, `tf.asinh`, `tf.acosh`.
    """
    return apply(_atanh, x)


_bessel_i0 = OPS["bessel_i0"]


def bessel_i0(x: TensorLike, name: str | None = None) -> Tensor:
    """Compute the modified Bessel function of the first kind of order 0, element-wise.

    Args:
        x: Float tensor.

    Returns:
        Tensor of the shape and dtype of `x`.

    Raises:
        tf.errors.InvalidArgumentError: If the dtype of `x` is not supported.

    Example:
        >>> import tfpy as tf
        >>> tf.math.bessel_i0([0.0, 1.0, 2.0]).numpy().round(3)
        array([1.   , 1.266, 2.28 ], dtype=float32)

    See also: `tf.math.bessel_i0e`, `tf.math.bessel_i1`.
    """
    return apply(_bessel_i0, x)


_bessel_i0e = OPS["bessel_i0e"]


def bessel_i0e(x: TensorLike, name: str | None = None) -> Tensor:
    """Compute `exp(-abs(x)) * bessel_i0(x)` element-wise.

    Unlike `tf.math.bessel_i0`, the scaled function does not overflow.

    Args:
        x: Float tensor.

    Returns:
        Tensor of the shape and dtype of `x`.

    Raises:
        tf.errors.InvalidArgumentError: If the dtype of `x` is not supported.

    Example:
        >>> import tfpy as tf
        >>> tf.math.bessel_i0e([0.0, 1.0, 50.0]).numpy().round(3)
        array([1.   , 0.466, 0.057], dtype=float32)

    See also: `tf.math.bessel_i0`, `tf.math.bessel_i1e`.
    """
    return apply(_bessel_i0e, x)


_bessel_i1 = OPS["bessel_i1"]


def bessel_i1(x: TensorLike, name: str | None = None) -> Tensor:
    """Compute the modified Bessel function of the first kind of order 1, element-wise.

    Args:
        x: Float tensor.

    Returns:
        Tensor of the shape and dtype of `x`.

    Raises:
        tf.errors.InvalidArgumentError: If the dtype of `x` is not supported.

    Example:
        >>> import tfpy as tf
        >>> tf.math.bessel_i1([0.0, 1.0, 2.0]).numpy().round(3)
        array([0.   , 0.565, 1.591], dtype=float32)

    See also: `tf.math.bessel_i1e`, `tf.math.bessel_i0`.
    """
    return apply(_bessel_i1, x)


_bessel_i1e = OPS["bessel_i1e"]


def bessel_i1e(x: TensorLike, name: str | None = None) -> Tensor:
    """Compute `exp(-abs(x)) * bessel_i1(x)` element-wise.

    Unlike `tf.math.bessel_i1`, the scaled function does not overflow.

    Args:
        x: Float tensor.

    Returns:
        Tensor of the shape and dtype of `x`.

    Raises:
        tf.errors.InvalidArgumentError: If the dtype of `x` is not supported.

    Example:
        >>> import tfpy as tf
        >>> tf.math.bessel_i1e([0.0, 1.0, 50.0]).numpy().round(3)
        array([0.   , 0.208, 0.056], dtype=float32)

    See also: `tf.math.bessel_i1`, `tf.math.bessel_i0e`.
    """
    return apply(_bessel_i1e, x)


_betainc = OPS["betainc"]


def betainc(a: TensorLike, b: TensorLike, x: TensorLike, name: str | None = None) -> Tensor:
    """Compute the regularized incomplete beta function element-wise.

    The result is NaN outside of the domain `a > 0`, `b > 0`, `0 <= x <= 1`. The gradients with
    respect to `a` and `b` are None.

    Args:
        a: Float tensor of values greater than 0.
        b: Tensor of the dtype of `a` with values greater than 0.
        x: Tensor of the dtype of `a` with values from 0 to 1. Operands that are not scalars must
            have the same shape.

    Returns:
        Tensor of the dtype of `a`, with the shape of the operands that are not scalars.

    Raises:
        tf.errors.InvalidArgumentError: If the dtypes differ, or if operands that are not scalars
            have different shapes.

    Example:
        >>> import tfpy as tf
        >>> tf.math.betainc(a=2.0, b=2.0, x=[0.25, 0.5, 1.0]).numpy().round(3)
        array([0.156, 0.5  , 1.   ], dtype=float32)

    See also: `tf.math.igamma`, `tf.math.lbeta`.
    """
    return apply(_betainc, a, b, x)


_bitwise_and = OPS["bitwise_and"]


def bitwise_and(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Compute the bitwise AND of `x` and `y` element-wise.

    Args:
        x: Integer tensor.
        y: Tensor of the dtype of `x`. The shapes of `x` and `y` must be broadcastable.

    Returns:
        Tensor of the dtype of `x`, with the shape that results from broadcasting.

    Raises:
        tf.errors.InvalidArgumentError: If the dtype is not supported, if the dtypes differ, or if
            the shapes are not broadcastable.

    Example:
        >>> import tfpy as tf
        >>> tf.bitwise.bitwise_and([0b1100, 7], [0b1010, 2]).numpy().tolist()
        [8, 2]

    See also: `tf.bitwise.bitwise_or`, `tf.bitwise.bitwise_xor`, `tf.bitwise.invert`.
    """
    return apply(_bitwise_and, x, y)


_bitwise_or = OPS["bitwise_or"]


def bitwise_or(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Compute the bitwise OR of `x` and `y` element-wise.

    Args:
        x: Integer tensor.
        y: Tensor of the dtype of `x`. The shapes of `x` and `y` must be broadcastable.

    Returns:
        Tensor of the dtype of `x`, with the shape that results from broadcasting.

    Raises:
        tf.errors.InvalidArgumentError: If the dtype is not supported, if the dtypes differ, or if
            the shapes are not broadcastable.

    Example:
        >>> import tfpy as tf
        >>> tf.bitwise.bitwise_or([0b1100, 1], [0b1010, 2]).numpy().tolist()
        [14, 3]

    See also: `tf.bitwise.bitwise_and`, `tf.bitwise.bitwise_xor`.
    """
    return apply(_bitwise_or, x, y)


_bitwise_xor = OPS["bitwise_xor"]


def bitwise_xor(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Compute the bitwise exclusive OR of `x` and `y` element-wise.

    Args:
        x: Integer tensor.
        y: Tensor of the dtype of `x`. The shapes of `x` and `y` must be broadcastable.

    Returns:
        Tensor of the dtype of `x`, with the shape that results from broadcasting.

    Raises:
        tf.errors.InvalidArgumentError: If the dtype is not supported, if the dtypes differ, or if
            the shapes are not broadcastable.

    Example:
        >>> import tfpy as tf
        >>> tf.bitwise.bitwise_xor([0b1100, 5], [0b1010, 5]).numpy().tolist()
        [6, 0]

    See also: `tf.bitwise.bitwise_and`, `tf.bitwise.bitwise_or`.
    """
    return apply(_bitwise_xor, x, y)


_ceil = OPS["ceil"]


def ceil(x: TensorLike, name: str | None = None) -> Tensor:
    """Round `x` up to an integer element-wise.

    Infinities and NaN remain unchanged. The gradient is None because the function is piecewise
    constant.

    Args:
        x: Float tensor, or a `tf.SparseTensor`.

    Returns:
        Tensor of the shape and dtype of `x`. If `x` is sparse, so is the result.

    Raises:
        tf.errors.InvalidArgumentError: If the dtype of `x` is not supported.

    Example:
        >>> import tfpy as tf
        >>> tf.math.ceil([1.2, -1.7, 3.0]).numpy().tolist()
        [2.0, -1.0, 3.0]

    See also: `tf.floor`, `tf.round`.
    """
    return apply(_ceil, x)


_cos = OPS["cos"]


def cos(x: TensorLike, name: str | None = None) -> Tensor:
    """Compute the cosine of `x` element-wise.

    `x` is an angle in radians. The result is NaN where `x` is infinite.

    Args:
        x: Float or complex tensor.

    Returns:
        Tensor of the shape and dtype of `x`.

    Raises:
        tf.errors.InvalidArgumentError: If the dtype of `x` is not supported.

    Example:
        >>> import tfpy as tf
        >>> tf.cos([0.0, 1.0, 3.0]).numpy().round(3)
        array([ 1.  ,  0.54, -0.99], dtype=float32)

    See also: `tf.sin`, `tf.tan`, `tf.acos`.
    """
    return apply(_cos, x)


_cosh = OPS["cosh"]


def cosh(x: TensorLike, name: str | None = None) -> Tensor:
    """Compute the hyperbolic cosine of `x` element-wise.

    The result is `(exp(x) + exp(-x)) / 2`. It is infinite where it exceeds the range of
    the dtype.

    Args:
        x: Float or complex tensor.

    Returns:
        Tensor of the shape and dtype of `x`.

    Raises:
        tf.errors.InvalidArgumentError: If the dtype of `x` is not supported.

    Example:
        >>> import tfpy as tf
        >>> tf.cosh([0.0, 1.0]).numpy().round(3)
        array([1.   , 1.543], dtype=float32)

    See also: `tf.sinh`, `tf.tanh`, `tf.acosh`.
    """
    return apply(_cosh, x)


_digamma = OPS["digamma"]


def digamma(x: TensorLike, name: str | None = None) -> Tensor:
    """Compute the digamma function, the derivative of `tf.math.lgamma`, element-wise.

    The result is NaN at 0 and at the negative integers.

    Args:
        x: Float tensor.

    Returns:
        Tensor of the shape and dtype of `x`.

    Raises:
        tf.errors.InvalidArgumentError: If the dtype of `x` is not supported.

    Example:
        >>> import tfpy as tf
        >>> tf.math.digamma([1.0, 2.0, 10.0]).numpy().round(3)
        array([-0.577,  0.423,  2.252], dtype=float32)

    See also: `tf.math.lgamma`, `tf.math.polygamma`.
    """
    return apply(_digamma, x)


_elu = OPS["elu"]


def elu(features: TensorLike, name: str | None = None) -> Tensor:
    """Compute the exponential linear unit element-wise.

    The result is `features` where they are positive, and `exp(features) - 1` elsewhere.

    Args:
        features: Float tensor.

    Returns:
        Tensor of the shape and dtype of `features`.

    Raises:
        tf.errors.InvalidArgumentError: If the dtype of `features` is not supported.

    Example:
        >>> import tfpy as tf
        >>> tf.nn.elu([-1.0, 0.0, 2.0]).numpy().round(3)
        array([-0.632,  0.   ,  2.   ], dtype=float32)

    See also: `tf.nn.selu`, `tf.nn.relu`.
    """
    return apply(_elu, features)


_equal = OPS["equal"]


def equal(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Compute `x == y` element-wise.

    NaN is not equal to any value, not even to NaN.

    Args:
        x: Float, integer, complex, bool or string tensor.
        y: Tensor of the dtype of `x`. The shapes of `x` and `y` must be broadcastable.

    Returns:
        Bool tensor of the shape that results from broadcasting.

    Raises:
        tf.errors.InvalidArgumentError: If the dtype is not supported, if the dtypes differ, or if
            the shapes are not broadcastable.

    Example:
        >>> import tfpy as tf
        >>> tf.equal([1, 2, 3], [1, 5, 3]).numpy().tolist()
        [True, False, True]

    See also: `tf.not_equal`.
    """
    return apply(_equal, x, y)


_erf = OPS["erf"]


def erf(x: TensorLike, name: str | None = None) -> Tensor:
    """Compute the Gauss error function of `x` element-wise.

    Args:
        x: Float tensor, or a `tf.SparseTensor`.

    Returns:
        Tensor of the shape and dtype of `x`. If `x` is sparse, so is the result.

    Raises:
        tf.errors.InvalidArgumentError: If the dtype of `x` is not supported.

    Example:
        >>> import tfpy as tf
        >>> tf.math.erf([0.0, 0.5, 3.0]).numpy().round(3)
        array([0.  , 0.52, 1.  ], dtype=float32)

    See also: `tf.math.erfc`, `tf.math.erfinv`.
    """
    return apply(_erf, x)


_erfc = OPS["erfc"]


def erfc(x: TensorLike, name: str | None = None) -> Tensor:
    """Compute the complementary error function, `1 - erf(x)`, element-wise.

    The result is accurate where `erf(x)` is close to 1.

    Args:
        x: Float tensor.

    Returns:
        Tensor of the shape and dtype of `x`.

    Raises:
        tf.errors.InvalidArgumentError: If the dtype of `x` is not supported.

    Example:
        >>> import tfpy as tf
        >>> tf.math.erfc([0.0, 0.5, -3.0]).numpy().round(3)
        array([1.  , 0.48, 2.  ], dtype=float32)

    See also: `tf.math.erf`, `tf.math.erfcinv`.
    """
    return apply(_erfc, x)


_erfinv = OPS["erfinv"]


def erfinv(x: TensorLike, name: str | None = None) -> Tensor:
    """Compute the inverse of `tf.math.erf` element-wise.

    The result is infinite at -1 and 1, and NaN outside of [-1, 1].

    Args:
        x: Float tensor.

    Returns:
        Tensor of the shape and dtype of `x`.

    Raises:
        tf.errors.InvalidArgumentError: If the dtype of `x` is not supported.

    Example:
        >>> import tfpy as tf
        >>> tf.math.erfinv([-0.5205, 0.5205]).numpy().round(3)
        array([-0.5,  0.5], dtype=float32)

    See also: `tf.math.erf`, `tf.math.ndtri`.
    """
    return apply(_erfinv, x)


_exp = OPS["exp"]


def exp(x: TensorLike, name: str | None = None) -> Tensor:
    """Compute the exponential, `e` to the power `x`, element-wise.

    The result is infinite where it exceeds the range of the dtype. For float32, this is where `x`
    is above 88.72.

    Args:
        x: Float or complex tensor.

    Returns:
        Tensor of the shape and dtype of `x`.

    Raises:
        tf.errors.InvalidArgumentError: If the dtype of `x` is not supported.

    Example:
        >>> import tfpy as tf
        >>> tf.exp([0.0, 1.0, 2.0]).numpy().round(3)
        array([1.   , 2.718, 7.389], dtype=float32)

    See also: `tf.math.expm1`, `tf.math.log`.
    """
    return apply(_exp, x)


_expm1 = OPS["expm1"]


def expm1(x: TensorLike, name: str | None = None) -> Tensor:
    """Compute `exp(x) - 1` element-wise.

    The result is accurate near 0, unlike `tf.exp(x) - 1`.

    Args:
        x: Float or complex tensor, or a `tf.SparseTensor`.

    Returns:
        Tensor of the shape and dtype of `x`. If `x` is sparse, so is the result.

    Raises:
        tf.errors.InvalidArgumentError: If the dtype of `x` is not supported.

    Example:
        >>> import tfpy as tf
        >>> tf.math.expm1([0.0, 1.0, -100.0]).numpy().round(3)
        array([ 0.   ,  1.718, -1.   ], dtype=float32)

    See also: `tf.exp`, `tf.math.log1p`.
    """
    return apply(_expm1, x)


_floor = OPS["floor"]


def floor(x: TensorLike, name: str | None = None) -> Tensor:
    """Round `x` down to an integer element-wise.

    Infinities and NaN remain unchanged. The gradient is None because the function is piecewise
    constant.

    Args:
        x: Float tensor, or a `tf.SparseTensor`.

    Returns:
        Tensor of the shape and dtype of `x`. If `x` is sparse, so is the result.

    Raises:
        tf.errors.InvalidArgumentError: If the dtype of `x` is not supported.

    Example:
        >>> import tfpy as tf
        >>> tf.floor([1.7, -1.2, 3.0]).numpy().tolist()
        [1.0, -2.0, 3.0]

    See also: `tf.math.ceil`, `tf.round`.
    """
    return apply(_floor, x)


_floordiv = OPS["floordiv"]


def floordiv(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Compute `x / y` rounded down to an integer, element-wise.

    Division of an integer by 0 raises `tf.errors.InvalidArgumentError` on the cpu backend and
    returns 0 on the other backends. The gradient is None because the function is piecewise
    constant.

    Args:
        x: Float or integer tensor.
        y: Tensor of the dtype of `x`. The shapes of `x` and `y` must be broadcastable.

    Returns:
        Tensor of the dtype of `x`, with the shape that results from broadcasting.

    Raises:
        tf.errors.InvalidArgumentError: If the dtype is not supported, if the dtypes differ, or if
            the shapes are not broadcastable.

    Example:
        >>> import tfpy as tf
        >>> tf.math.floordiv([7, -7], 2).numpy().tolist()
        [3, -4]

    See also: `tf.math.floormod`, `tf.truncatediv`.
    """
    return apply(_floordiv, x, y)


floor_div = floordiv

_floormod = OPS["floormod"]


def floormod(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Compute the remainder of `x / y`, with the sign of `y`, element-wise.

    Division of an integer by 0 raises `tf.errors.InvalidArgumentError` on the cpu backend and
    returns 0 on the other backends.

    Args:
        x: Float or integer tensor.
        y: Tensor of the dtype of `x`. The shapes of `x` and `y` must be broadcastable.

    Returns:
        Tensor of the dtype of `x`, with the shape that results from broadcasting.

    Raises:
        tf.errors.InvalidArgumentError: If the dtype is not supported, if the dtypes differ, or if
            the shapes are not broadcastable.

    Example:
        >>> import tfpy as tf
        >>> tf.math.floormod([7, -7], 3).numpy().tolist()
        [1, 2]

    See also: `tf.math.floordiv`, `tf.truncatemod`.
    """
    return apply(_floormod, x, y)


mod = floormod

_greater = OPS["greater"]


def greater(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Compute `x > y` element-wise.

    The result is False where an operand is NaN.

    Args:
        x: Float or integer tensor.
        y: Tensor of the dtype of `x`. The shapes of `x` and `y` must be broadcastable.

    Returns:
        Bool tensor of the shape that results from broadcasting.

    Raises:
        tf.errors.InvalidArgumentError: If the dtype is not supported, if the dtypes differ, or if
            the shapes are not broadcastable.

    Example:
        >>> import tfpy as tf
        >>> tf.greater([1, 2, 3], 2).numpy().tolist()
        [False, False, True]

    See also: `tf.greater_equal`, `tf.less`.
    """
    return apply(_greater, x, y)


_greater_equal = OPS["greater_equal"]


def greater_equal(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Compute `x >= y` element-wise.

    The result is False where an operand is NaN.

    Args:
        x: Float or integer tensor.
        y: Tensor of the dtype of `x`. The shapes of `x` and `y` must be broadcastable.

    Returns:
        Bool tensor of the shape that results from broadcasting.

    Raises:
        tf.errors.InvalidArgumentError: If the dtype is not supported, if the dtypes differ, or if
            the shapes are not broadcastable.

    Example:
        >>> import tfpy as tf
        >>> tf.greater_equal([1, 2, 3], 2).numpy().tolist()
        [False, True, True]

    See also: `tf.greater`, `tf.less_equal`.
    """
    return apply(_greater_equal, x, y)


_igamma = OPS["igamma"]


def igamma(a: TensorLike, x: TensorLike, name: str | None = None) -> Tensor:
    """Compute the lower regularized incomplete gamma function element-wise.

    The result is NaN outside of the domain `a > 0`, `x >= 0`.

    Args:
        a: Float tensor of values greater than 0.
        x: Tensor of the dtype of `a` with values of at least 0. The shapes of `a` and `x` must be
            broadcastable.

    Returns:
        Tensor of the dtype of `a`, with the shape that results from broadcasting.

    Raises:
        tf.errors.InvalidArgumentError: If the dtypes differ, or if the shapes are not
            broadcastable.

    Example:
        >>> import tfpy as tf
        >>> tf.math.igamma(a=2.0, x=[0.0, 1.0, 10.0]).numpy().round(3)
        array([0.   , 0.264, 1.   ], dtype=float32)

    See also: `tf.math.igammac`, `tf.math.lgamma`.
    """
    return apply(_igamma, a, x)


_igammac = OPS["igammac"]


def igammac(a: TensorLike, x: TensorLike, name: str | None = None) -> Tensor:
    """Compute the upper regularized incomplete gamma function element-wise.

    The result is `1 - tf.math.igamma(a, x)`. It is NaN outside of the domain `a > 0`, `x >= 0`.

    Args:
        a: Float tensor of values greater than 0.
        x: Tensor of the dtype of `a` with values of at least 0. The shapes of `a` and `x` must be
            broadcastable.

    Returns:
        Tensor of the dtype of `a`, with the shape that results from broadcasting.

    Raises:
        tf.errors.InvalidArgumentError: If the dtypes differ, or if the shapes are not
            broadcastable.

    Example:
        >>> import tfpy as tf
        >>> tf.math.igammac(a=2.0, x=[0.0, 1.0, 10.0]).numpy().round(3)
        array([1.   , 0.736, 0.   ], dtype=float32)

    See also: `tf.math.igamma`, `tf.math.lgamma`.
    """
    return apply(_igammac, a, x)


_invert = OPS["invert"]


def invert(x: TensorLike, name: str | None = None) -> Tensor:
    """Invert all bits of `x` element-wise.

    For signed integers, the result is `-1 - x`.

    Args:
        x: Integer tensor.

    Returns:
        Tensor of the shape and dtype of `x`.

    Raises:
        tf.errors.InvalidArgumentError: If the dtype of `x` is not supported.

    Example:
        >>> import tfpy as tf
        >>> tf.bitwise.invert([0, 5, -1]).numpy().tolist()
        [-1, -6, 0]

    See also: `tf.bitwise.bitwise_and`, `tf.bitwise.bitwise_xor`.
    """
    return apply(_invert, x)


_is_finite = OPS["is_finite"]


def is_finite(x: TensorLike, name: str | None = None) -> Tensor:
    """Return True where `x` is neither infinite nor NaN.

    Args:
        x: Float tensor.

    Returns:
        Bool tensor of the shape of `x`.

    Raises:
        tf.errors.InvalidArgumentError: If the dtype of `x` is not supported.

    Example:
        >>> import tfpy as tf
        >>> tf.math.is_finite([1.0, float("inf"), float("nan")]).numpy().tolist()
        [True, False, False]

    See also: `tf.math.is_inf`, `tf.math.is_nan`.
    """
    return apply(_is_finite, x)


_is_inf = OPS["is_inf"]


def is_inf(x: TensorLike, name: str | None = None) -> Tensor:
    """Return True where `x` is positive or negative infinity.

    Args:
        x: Float tensor.

    Returns:
        Bool tensor of the shape of `x`.

    Raises:
        tf.errors.InvalidArgumentError: If the dtype of `x` is not supported.

    Example:
        >>> import tfpy as tf
        >>> tf.math.is_inf([1.0, float("-inf"), float("nan")]).numpy().tolist()
        [False, True, False]

    See also: `tf.math.is_finite`, `tf.math.is_nan`.
    """
    return apply(_is_inf, x)


_is_nan = OPS["is_nan"]


def is_nan(x: TensorLike, name: str | None = None) -> Tensor:
    """Return True where `x` is NaN.

    Args:
        x: Float tensor.

    Returns:
        Bool tensor of the shape of `x`.

    Raises:
        tf.errors.InvalidArgumentError: If the dtype of `x` is not supported.

    Example:
        >>> import tfpy as tf
        >>> tf.math.is_nan([1.0, float("inf"), float("nan")]).numpy().tolist()
        [False, False, True]

    See also: `tf.math.is_finite`, `tf.math.is_inf`.
    """
    return apply(_is_nan, x)


_left_shift = OPS["left_shift"]


def left_shift(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Shift the bits of `x` to the left by `y` places element-wise.

    Values of `y` are clipped to the range from 0 to the bit width of the dtype minus 1.

    Args:
        x: Integer tensor.
        y: Tensor of the dtype of `x`. The shapes of `x` and `y` must be broadcastable.

    Returns:
        Tensor of the dtype of `x`, with the shape that results from broadcasting.

    Raises:
        tf.errors.InvalidArgumentError: If the dtype is not supported, if the dtypes differ, or if
            the shapes are not broadcastable.

    Example:
        >>> import tfpy as tf
        >>> tf.bitwise.left_shift([1, 3], [4, 1]).numpy().tolist()
        [16, 6]

    See also: `tf.bitwise.right_shift`.
    """
    return apply(_left_shift, x, y)


_length = OPS["string_length"]


def length(input: TensorLike, unit: str = "BYTE", name: str | None = None) -> Tensor:
    """Compute the length of each string.

    Args:
        input: String tensor.
        unit: `"BYTE"` (default) to count bytes, or `"UTF8_CHAR"` to count the characters of UTF-8
            strings.

    Returns:
        Int32 tensor with the shape of `input`.

    Raises:
        tf.errors.InvalidArgumentError: If `unit` is neither `"BYTE"` nor `"UTF8_CHAR"`.

    Example:
        >>> import tfpy as tf
        >>> tf.strings.length(["tensor", "größe"]).numpy().tolist()
        [6, 7]
        >>> tf.strings.length("größe", unit="UTF8_CHAR").numpy().tolist()
        5

    See also: `tf.strings.substr`, `tf.strings.unicode_decode`.
    """
    return apply(_length, input, unit=unit)


_less = OPS["less"]


def less(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Compute `x < y` element-wise.

    The result is False where an operand is NaN.

    Args:
        x: Float or integer tensor.
        y: Tensor of the dtype of `x`. The shapes of `x` and `y` must be broadcastable.

    Returns:
        Bool tensor of the shape that results from broadcasting.

    Raises:
        tf.errors.InvalidArgumentError: If the dtype is not supported, if the dtypes differ, or if
            the shapes are not broadcastable.

    Example:
        >>> import tfpy as tf
        >>> tf.less([1, 2, 3], 2).numpy().tolist()
        [True, False, False]

    See also: `tf.less_equal`, `tf.greater`.
    """
    return apply(_less, x, y)


_less_equal = OPS["less_equal"]


def less_equal(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Compute `x <= y` element-wise.

    The result is False where an operand is NaN.

    Args:
        x: Float or integer tensor.
        y: Tensor of the dtype of `x`. The shapes of `x` and `y` must be broadcastable.

    Returns:
        Bool tensor of the shape that results from broadcasting.

    Raises:
        tf.errors.InvalidArgumentError: If the dtype is not supported, if the dtypes differ, or if
            the shapes are not broadcastable.

    Example:
        >>> import tfpy as tf
        >>> tf.less_equal([1, 2, 3], 2).numpy().tolist()
        [True, True, False]

    See also: `tf.less`, `tf.greater_equal`.
    """
    return apply(_less_equal, x, y)


_lgamma = OPS["lgamma"]


def lgamma(x: TensorLike, name: str | None = None) -> Tensor:
    """Compute `log(abs(gamma(x)))` element-wise.

    The result is infinite at 0 and at the negative integers.

    Args:
        x: Float tensor.

    Returns:
        Tensor of the shape and dtype of `x`.

    Raises:
        tf.errors.InvalidArgumentError: If the dtype of `x` is not supported.

    Example:
        >>> import tfpy as tf
        >>> tf.math.lgamma([0.5, 5.0, 10.0]).numpy().round(3)
        array([ 0.572,  3.178, 12.802], dtype=float32)

    See also: `tf.math.digamma`, `tf.math.lbeta`.
    """
    return apply(_lgamma, x)


_log = OPS["log"]


def log(x: TensorLike, name: str | None = None) -> Tensor:
    """Compute the natural logarithm of `x` element-wise.

    The result is -infinity at 0 and NaN for negative floats. For complex numbers, its imaginary
    part is in (-pi, pi].

    Args:
        x: Float or complex tensor.

    Returns:
        Tensor of the shape and dtype of `x`.

    Raises:
        tf.errors.InvalidArgumentError: If the dtype of `x` is not supported.

    Example:
        >>> import tfpy as tf
        >>> tf.math.log([1.0, 2.0, 10.0]).numpy().round(3)
        array([0.   , 0.693, 2.303], dtype=float32)

    See also: `tf.math.log1p`, `tf.exp`.
    """
    return apply(_log, x)


_log1p = OPS["log1p"]


def log1p(x: TensorLike, name: str | None = None) -> Tensor:
    """Compute `log(1 + x)` element-wise.

    The result is accurate near 0, unlike `tf.math.log(1 + x)`. It is -infinity at -1, and NaN for
    smaller floats.

    Args:
        x: Float or complex tensor, or a `tf.SparseTensor`.

    Returns:
        Tensor of the shape and dtype of `x`. If `x` is sparse, so is the result.

    Raises:
        tf.errors.InvalidArgumentError: If the dtype of `x` is not supported.

    Example:
        >>> import tfpy as tf
        >>> tf.math.log1p([0.0, 1.0, 9.0]).numpy().round(3)
        array([0.   , 0.693, 2.303], dtype=float32)

    See also: `tf.math.log`, `tf.math.expm1`.
    """
    return apply(_log1p, x)


_logical_and = OPS["logical_and"]


def logical_and(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Compute the logical AND of `x` and `y` element-wise.

    Args:
        x: Bool tensor.
        y: Tensor of the dtype of `x`. The shapes of `x` and `y` must be broadcastable.

    Returns:
        Tensor of the dtype of `x`, with the shape that results from broadcasting.

    Raises:
        tf.errors.InvalidArgumentError: If the dtype is not supported, if the dtypes differ, or if
            the shapes are not broadcastable.

    Example:
        >>> import tfpy as tf
        >>> tf.logical_and([True, True, False], [True, False, False]).numpy().tolist()
        [True, False, False]

    See also: `tf.logical_or`, `tf.logical_not`, `tf.math.logical_xor`.
    """
    return apply(_logical_and, x, y)


_logical_not = OPS["logical_not"]


def logical_not(x: TensorLike, name: str | None = None) -> Tensor:
    """Compute the logical NOT of `x` element-wise.

    Args:
        x: Bool tensor.

    Returns:
        Tensor of the shape and dtype of `x`.

    Raises:
        tf.errors.InvalidArgumentError: If the dtype of `x` is not supported.

    Example:
        >>> import tfpy as tf
        >>> tf.logical_not([True, False]).numpy().tolist()
        [False, True]

    See also: `tf.logical_and`, `tf.logical_or`.
    """
    return apply(_logical_not, x)


_logical_or = OPS["logical_or"]


def logical_or(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Compute the logical OR of `x` and `y` element-wise.

    Args:
        x: Bool tensor.
        y: Tensor of the dtype of `x`. The shapes of `x` and `y` must be broadcastable.

    Returns:
        Tensor of the dtype of `x`, with the shape that results from broadcasting.

    Raises:
        tf.errors.InvalidArgumentError: If the dtype is not supported, if the dtypes differ, or if
            the shapes are not broadcastable.

    Example:
        >>> import tfpy as tf
        >>> tf.logical_or([True, True, False], [True, False, False]).numpy().tolist()
        [True, True, False]

    See also: `tf.logical_and`, `tf.logical_not`, `tf.math.logical_xor`.
    """
    return apply(_logical_or, x, y)


_logical_xor = OPS["logical_xor"]


def logical_xor(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Compute the logical exclusive OR of `x` and `y` element-wise.

    Args:
        x: Bool tensor.
        y: Tensor of the dtype of `x`. The shapes of `x` and `y` must be broadcastable.

    Returns:
        Tensor of the dtype of `x`, with the shape that results from broadcasting.

    Raises:
        tf.errors.InvalidArgumentError: If the dtype is not supported, if the dtypes differ, or if
            the shapes are not broadcastable.

    Example:
        >>> import tfpy as tf
        >>> tf.math.logical_xor([True, True, False], [True, False, False]).numpy().tolist()
        [False, True, False]

    See also: `tf.logical_and`, `tf.logical_or`.
    """
    return apply(_logical_xor, x, y)


_lower = OPS["string_lower"]


def lower(input: TensorLike, encoding: str = "", name: str | None = None) -> Tensor:
    """Convert each string to lower case.

    Args:
        input: String tensor.
        encoding: `""` (default) to convert only ASCII letters, or `"utf-8"` to convert all letters.

    Returns:
        String tensor with the shape of `input`.

    Raises:
        tf.errors.InvalidArgumentError: If `encoding` is neither `""` nor `"utf-8"`.

    Example:
        >>> import tfpy as tf
        >>> tf.strings.lower(["Tensor", "FLOW"]).numpy().tolist()
        [b'tensor', b'flow']

    See also: `tf.strings.upper`.
    """
    return apply(_lower, input, encoding=encoding)


_maximum = OPS["maximum"]


def maximum(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Compute the maximum of `x` and `y` element-wise.

    The result is NaN where either operand is NaN. Where the operands are equal, the gradient is
    passed to `x` only.

    Args:
        x: Float or integer tensor.
        y: Tensor of the dtype of `x`. The shapes of `x` and `y` must be broadcastable.

    Returns:
        Tensor of the dtype of `x`, with the shape that results from broadcasting.

    Raises:
        tf.errors.InvalidArgumentError: If the dtype is not supported, if the dtypes differ, or if
            the shapes are not broadcastable.

    Example:
        >>> import tfpy as tf
        >>> tf.maximum([1.0, 5.0, -3.0], 2.0).numpy().tolist()
        [2.0, 5.0, 2.0]

    See also: `tf.minimum`, `tf.reduce_max`.
    """
    return apply(_maximum, x, y)


_minimum = OPS["minimum"]


def minimum(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Compute the minimum of `x` and `y` element-wise.

    The result is NaN where either operand is NaN. Where the operands are equal, the gradient is
    passed to `x` only.

    Args:
        x: Float or integer tensor.
        y: Tensor of the dtype of `x`. The shapes of `x` and `y` must be broadcastable.

    Returns:
        Tensor of the dtype of `x`, with the shape that results from broadcasting.

    Raises:
        tf.errors.InvalidArgumentError: If the dtype is not supported, if the dtypes differ, or if
            the shapes are not broadcastable.

    Example:
        >>> import tfpy as tf
        >>> tf.minimum([1.0, 5.0, -3.0], 2.0).numpy().tolist()
        [1.0, 2.0, -3.0]

    See also: `tf.maximum`, `tf.reduce_min`.
    """
    return apply(_minimum, x, y)


_multiply = OPS["multiply"]


def multiply(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Compute `x * y` element-wise.

    Integers wrap around on overflow.

    Args:
        x: Float, integer or complex tensor.
        y: Tensor of the dtype of `x`. The shapes of `x` and `y` must be broadcastable.

    Returns:
        Tensor of the dtype of `x`, with the shape that results from broadcasting.

    Raises:
        tf.errors.InvalidArgumentError: If the dtype is not supported, if the dtypes differ, or if
            the shapes are not broadcastable.

    Example:
        >>> import tfpy as tf
        >>> tf.multiply([[1, 2], [3, 4]], [10, 100]).numpy().tolist()
        [[10, 200], [30, 400]]

    See also: `tf.matmul`, `tf.math.multiply_no_nan`, `tf.divide`.
    """
    return apply(_multiply, x, y)


_multiply_no_nan = OPS["multiply_no_nan"]


def multiply_no_nan(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Compute `x * y` element-wise. The result is 0 where `y` is 0.

    This holds even where `x` is infinite or NaN.

    Args:
        x: Float or complex tensor.
        y: Tensor of the dtype of `x`. The shapes of `x` and `y` must be broadcastable.

    Returns:
        Tensor of the dtype of `x`, with the shape that results from broadcasting.

    Raises:
        tf.errors.InvalidArgumentError: If the dtype is not supported, if the dtypes differ, or if
            the shapes are not broadcastable.

    Example:
        >>> import tfpy as tf
        >>> tf.math.multiply_no_nan([2.0, float("nan")], [3.0, 0.0]).numpy().tolist()
        [6.0, 0.0]

    See also: `tf.multiply`, `tf.math.divide_no_nan`.
    """
    return apply(_multiply_no_nan, x, y)


_ndtri = OPS["ndtri"]


def ndtri(x: TensorLike, name: str | None = None) -> Tensor:
    """Compute the quantile function of the standard normal distribution element-wise.

    The result is infinite at 0 and 1, and NaN outside of [0, 1].

    Args:
        x: Float tensor.

    Returns:
        Tensor of the shape and dtype of `x`.

    Raises:
        tf.errors.InvalidArgumentError: If the dtype of `x` is not supported.

    Example:
        >>> import tfpy as tf
        >>> tf.math.ndtri([0.025, 0.975]).numpy().round(2)
        array([-1.96,  1.96], dtype=float32)

    See also: `tf.math.erfinv`.
    """
    return apply(_ndtri, x)


_negative = OPS["negative"]


def negative(x: TensorLike, name: str | None = None) -> Tensor:
    """Compute `-x` element-wise.

    The smallest integer of a signed dtype, such as -128 for int8, remains unchanged, because the
    dtype does not contain its negative.

    Args:
        x: Float, signed integer or complex tensor, or a `tf.SparseTensor`.

    Returns:
        Tensor of the shape and dtype of `x`. If `x` is sparse, so is the result.

    Raises:
        tf.errors.InvalidArgumentError: If the dtype of `x` is not supported.

    Example:
        >>> import tfpy as tf
        >>> tf.negative([1, -2]).numpy().tolist()
        [-1, 2]

    See also: `tf.abs`, `tf.subtract`.
    """
    return apply(_negative, x)


_nextafter = OPS["nextafter"]


def nextafter(x1: TensorLike, x2: TensorLike, name: str | None = None) -> Tensor:
    """Return the float that follows `x1` in the direction of `x2`, element-wise.

    The result is `x1` where both operands are equal.

    Args:
        x1: Float tensor.
        x2: Tensor of the dtype of `x1`. The shapes of `x1` and `x2` must be broadcastable.

    Returns:
        Tensor of the dtype of `x1`, with the shape that results from broadcasting.

    Raises:
        tf.errors.InvalidArgumentError: If the dtype is not supported, if the dtypes differ, or if
            the shapes are not broadcastable.

    Example:
        >>> import tfpy as tf
        >>> float(tf.math.nextafter(1.0, 2.0))
        1.0000001192092896
        >>> float(tf.math.nextafter(1.0, 0.0))
        0.9999999403953552
    """
    return apply(_nextafter, x1, x2)


_not_equal = OPS["not_equal"]


def not_equal(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Compute `x != y` element-wise.

    NaN differs from every value, even from NaN.

    Args:
        x: Float, integer, complex, bool or string tensor.
        y: Tensor of the dtype of `x`. The shapes of `x` and `y` must be broadcastable.

    Returns:
        Bool tensor of the shape that results from broadcasting.

    Raises:
        tf.errors.InvalidArgumentError: If the dtype is not supported, if the dtypes differ, or if
            the shapes are not broadcastable.

    Example:
        >>> import tfpy as tf
        >>> tf.not_equal([1, 2, 3], [1, 5, 3]).numpy().tolist()
        [False, True, False]

    See also: `tf.equal`.
    """
    return apply(_not_equal, x, y)


_polygamma = OPS["polygamma"]


def polygamma(a: TensorLike, x: TensorLike, name: str | None = None) -> Tensor:
    """Compute the polygamma function element-wise.

    The result is the derivative of order `a` of `tf.math.digamma` at `x`. It is NaN where `a` is
    negative or not an integer. The gradient with respect to `a` is None.

    Args:
        a: Float tensor.
        x: Tensor of the dtype of `a`. The shapes of `a` and `x` must be broadcastable.

    Returns:
        Tensor of the dtype of `a`, with the shape that results from broadcasting.

    Raises:
        tf.errors.InvalidArgumentError: If the dtype is not supported, if the dtypes differ, or if
            the shapes are not broadcastable.

    Example:
        >>> import tfpy as tf
        >>> tf.math.polygamma(a=1.0, x=[1.0, 2.0]).numpy().round(3)
        array([1.645, 0.645], dtype=float32)

    See also: `tf.math.digamma`, `tf.math.zeta`.
    """
    return apply(_polygamma, a, x)


_pow = OPS["pow"]


def pow(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Compute `x` raised to the power `y` element-wise.

    Integers wrap around on overflow. A negative integer exponent raises
    `tf.errors.InvalidArgumentError` on the cpu backend. The gradient with respect to `y` is 0 where
    `x` is not positive.

    Args:
        x: Float, integer or complex tensor.
        y: Tensor of the dtype of `x`. The shapes of `x` and `y` must be broadcastable.

    Returns:
        Tensor of the dtype of `x`, with the shape that results from broadcasting.

    Raises:
        tf.errors.InvalidArgumentError: If the dtype is not supported, if the dtypes differ, or if
            the shapes are not broadcastable.

    Example:
        >>> import tfpy as tf
        >>> tf.pow([2, 3], [10, 4]).numpy().tolist()
        [1024, 81]

    See also: `tf.exp`, `tf.square`, `tf.sqrt`.
    """
    return apply(_pow, x, y)


_realdiv = OPS["real_div"]


def realdiv(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Compute `x / y` element-wise.

    Args:
        x: Float or complex tensor.
        y: Tensor of the dtype of `x`. The shapes of `x` and `y` must be broadcastable.

    Returns:
        Tensor of the dtype of `x`, with the shape that results from broadcasting.

    Raises:
        tf.errors.InvalidArgumentError: If the dtype is not supported, if the dtypes differ, or if
            the shapes are not broadcastable.

    Example:
        >>> import tfpy as tf
        >>> tf.realdiv([1.0, 3.0], 2.0).numpy().tolist()
        [0.5, 1.5]

    See also: `tf.divide`, `tf.math.divide_no_nan`, `tf.math.floordiv`.
    """
    return apply(_realdiv, x, y)


_reciprocal = OPS["reciprocal"]


def reciprocal(x: TensorLike, name: str | None = None) -> Tensor:
    """Compute `1 / x` element-wise.

    The result at 0 is infinite. For elements that `tf.where` discards, the gradient is 0, even if
    the derivative is infinite.

    Args:
        x: Float or complex tensor.

    Returns:
        Tensor of the shape and dtype of `x`.

    Raises:
        tf.errors.InvalidArgumentError: If the dtype of `x` is not supported.

    Example:
        >>> import tfpy as tf
        >>> tf.math.reciprocal([2.0, -0.5]).numpy().tolist()
        [0.5, -2.0]

    See also: `tf.math.rsqrt`, `tf.math.reciprocal_no_nan`.
    """
    return apply(_reciprocal, x)


_relu = OPS["relu"]


def relu(features: TensorLike, name: str | None = None) -> Tensor:
    """Compute the rectified linear unit, `max(features, 0)`, element-wise.

    Args:
        features: Float or integer tensor.

    Returns:
        Tensor of the shape and dtype of `features`.

    Raises:
        tf.errors.InvalidArgumentError: If the dtype of `features` is not supported.

    Example:
        >>> import tfpy as tf
        >>> tf.nn.relu([-2.0, 0.0, 3.0]).numpy().tolist()
        [0.0, 0.0, 3.0]

    See also: `tf.nn.relu6`, `tf.nn.leaky_relu`, `tf.nn.elu`.
    """
    return apply(_relu, features)


_relu6 = OPS["relu6"]


def relu6(features: TensorLike, name: str | None = None) -> Tensor:
    """Compute the rectified linear unit limited to 6, `min(max(features, 0), 6)`, element-wise.

    The gradient is 0 where `features` are exactly 0 or 6.

    Args:
        features: Float or integer tensor.

    Returns:
        Tensor of the shape and dtype of `features`.

    Raises:
        tf.errors.InvalidArgumentError: If the dtype of `features` is not supported.

    Example:
        >>> import tfpy as tf
        >>> tf.nn.relu6([-2.0, 3.0, 8.0]).numpy().tolist()
        [0.0, 3.0, 6.0]

    See also: `tf.nn.relu`.
    """
    return apply(_relu6, features)


_right_shift = OPS["right_shift"]


def right_shift(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Shift the bits of `x` to the right by `y` places element-wise.

    The sign of signed integers is preserved. Values of `y` are clipped to the range from 0 to the
    bit width of the dtype minus 1.

    Args:
        x: Integer tensor.
        y: Tensor of the dtype of `x`. The shapes of `x` and `y` must be broadcastable.

    Returns:
        Tensor of the dtype of `x`, with the shape that results from broadcasting.

    Raises:
        tf.errors.InvalidArgumentError: If the dtype is not supported, if the dtypes differ, or if
            the shapes are not broadcastable.

    Example:
        >>> import tfpy as tf
        >>> tf.bitwise.right_shift([16, -8], [3, 1]).numpy().tolist()
        [2, -4]

    See also: `tf.bitwise.left_shift`.
    """
    return apply(_right_shift, x, y)


_rint = OPS["rint"]


def rint(x: TensorLike, name: str | None = None) -> Tensor:
    """Round `x` to the nearest integer element-wise.

    Halves are rounded to the nearest even integer. The gradient is None because the function is
    piecewise constant.

    Args:
        x: Float tensor, or a `tf.SparseTensor`.

    Returns:
        Tensor of the shape and dtype of `x`. If `x` is sparse, so is the result.

    Raises:
        tf.errors.InvalidArgumentError: If the dtype of `x` is not supported.

    Example:
        >>> import tfpy as tf
        >>> tf.math.rint([0.5, 1.5, -2.7]).numpy().tolist()
        [0.0, 2.0, -3.0]

    See also: `tf.round`.
    """
    return apply(_rint, x)


_round = OPS["round"]


def round(x: TensorLike, name: str | None = None) -> Tensor:
    """Round `x` to the nearest integer element-wise.

    Halves are rounded to the nearest even integer. The gradient is None because the function is
    piecewise constant.

    Args:
        x: Float or integer tensor.

    Returns:
        Tensor of the shape and dtype of `x`.

    Raises:
        tf.errors.InvalidArgumentError: If the dtype of `x` is not supported.

    Example:
        >>> import tfpy as tf
        >>> tf.round([0.5, 1.5, -2.7]).numpy().tolist()
        [0.0, 2.0, -3.0]

    See also: `tf.floor`, `tf.math.ceil`, `tf.math.rint`.
    """
    return apply(_round, x)


_rsqrt = OPS["rsqrt"]


def rsqrt(x: TensorLike, name: str | None = None) -> Tensor:
    """Compute `1 / sqrt(x)` element-wise.

    The result is infinite at 0 and NaN for negative floats. For elements that `tf.where` discards,
    the gradient is 0, even if the derivative is infinite.

    Args:
        x: Float or complex tensor.

    Returns:
        Tensor of the shape and dtype of `x`.

    Raises:
        tf.errors.InvalidArgumentError: If the dtype of `x` is not supported.

    Example:
        >>> import tfpy as tf
        >>> tf.math.rsqrt([4.0, 0.25]).numpy().round(3)
        array([0.5, 2. ], dtype=float32)

    See also: `tf.sqrt`, `tf.math.reciprocal`.
    """
    return apply(_rsqrt, x)


_selu = OPS["selu"]


def selu(features: TensorLike, name: str | None = None) -> Tensor:
    """Compute the scaled exponential linear unit element-wise.

    The result is `scale * features` where `features` are positive, and `scale * alpha *
    (exp(features) - 1)` elsewhere. `scale` is 1.0507 and `alpha` is 1.6733, as derived in
    https://arxiv.org/abs/1706.02515.

    Args:
        features: Float tensor.

    Returns:
        Tensor of the shape and dtype of `features`.

    Raises:
        tf.errors.InvalidArgumentError: If the dtype of `features` is not supported.

    Example:
        >>> import tfpy as tf
        >>> tf.nn.selu([-1.0, 0.0, 1.0]).numpy().round(3)
        array([-1.111,  0.   ,  1.051], dtype=float32)

    See also: `tf.nn.elu`.
    """
    return apply(_selu, features)


_sigmoid = OPS["sigmoid"]


def sigmoid(x: TensorLike, name: str | None = None) -> Tensor:
    """Compute the sigmoid, `1 / (1 + exp(-x))`, element-wise.

    Args:
        x: Float or complex tensor.

    Returns:
        Tensor of the shape and dtype of `x`.

    Raises:
        tf.errors.InvalidArgumentError: If the dtype of `x` is not supported.

    Example:
        >>> import tfpy as tf
        >>> tf.sigmoid([-100.0, 0.0, 1.0]).numpy().round(3)
        array([0.   , 0.5  , 0.731], dtype=float32)

    See also: `tf.math.log_sigmoid`, `tf.tanh`.
    """
    return apply(_sigmoid, x)


_sin = OPS["sin"]


def sin(x: TensorLike, name: str | None = None) -> Tensor:
    """Compute the sine of `x` element-wise.

    `x` is an angle in radians. The result is NaN where `x` is infinite.

    Args:
        x: Float or complex tensor, or a `tf.SparseTensor`.

    Returns:
        Tensor of the shape and dtype of `x`. If `x` is sparse, so is the result.

    Raises:
        tf.errors.InvalidArgumentError: If the dtype of `x` is not supported.

    Example:
        >>> import tfpy as tf
        >>> tf.sin([0.0, 1.0, 3.0]).numpy().round(3)
        array([0.   , 0.841, 0.141], dtype=float32)

    See also: `tf.cos`, `tf.tan`, `tf.asin`.
    """
    return apply(_sin, x)


_sinh = OPS["sinh"]


def sinh(x: TensorLike, name: str | None = None) -> Tensor:
    """Compute the hyperbolic sine of `x` element-wise.

    The result is `(exp(x) - exp(-x)) / 2`. It is infinite where it exceeds the range of
    the dtype.

    Args:
        x: Float or complex tensor, or a `tf.SparseTensor`.

    Returns:
        Tensor of the shape and dtype of `x`. If `x` is sparse, so is the result.

    Raises:
        tf.errors.InvalidArgumentError: If the dtype of `x` is not supported.

    Example:
        >>> import tfpy as tf
        >>> tf.sinh([0.0, 1.0]).numpy().round(3)
        array([0.   , 1.175], dtype=float32)

    See also: `tf.cosh`, `tf.tanh`, `tf.asinh`.
    """
    return apply(_sinh, x)


_softplus = OPS["softplus"]


def softplus(features: TensorLike, name: str | None = None) -> Tensor:
    """Compute `log(1 + exp(features))` element-wise.

    The result is finite even where `exp(features)` exceeds the range of the dtype.

    Args:
        features: Float tensor.

    Returns:
        Tensor of the shape and dtype of `features`.

    Raises:
        tf.errors.InvalidArgumentError: If the dtype of `features` is not supported.

    Example:
        >>> import tfpy as tf
        >>> tf.math.softplus([-100.0, 0.0, 100.0]).numpy().round(3)
        array([  0.   ,   0.693, 100.   ], dtype=float32)

    See also: `tf.nn.relu`, `tf.math.log_sigmoid`.
    """
    return apply(_softplus, features)


_sqrt = OPS["sqrt"]


def sqrt(x: TensorLike, name: str | None = None) -> Tensor:
    """Compute the square root of `x` element-wise.

    The result is NaN for negative floats. For complex numbers, it is the root with a nonnegative
    real part. The gradient at 0 is infinite. For elements that `tf.where` discards, the gradient is
    0, even if the derivative is infinite.

    Args:
        x: Float or complex tensor, or a `tf.SparseTensor`.

    Returns:
        Tensor of the shape and dtype of `x`. If `x` is sparse, so is the result.

    Raises:
        tf.errors.InvalidArgumentError: If the dtype of `x` is not supported.

    Example:
        >>> import tfpy as tf
        >>> tf.sqrt([4.0, 2.25]).numpy().round(3)
        array([2. , 1.5], dtype=float32)

    See also: `tf.math.rsqrt`, `tf.square`.
    """
    return apply(_sqrt, x)


_square = OPS["square"]


def square(x: TensorLike, name: str | None = None) -> Tensor:
    """Compute `x * x` element-wise.

    Integers wrap around on overflow.

    Args:
        x: Float, integer or complex tensor, or a `tf.SparseTensor`.

    Returns:
        Tensor of the shape and dtype of `x`. If `x` is sparse, so is the result.

    Raises:
        tf.errors.InvalidArgumentError: If the dtype of `x` is not supported.

    Example:
        >>> import tfpy as tf
        >>> tf.square([1.5, -3.0]).numpy().tolist()
        [2.25, 9.0]

    See also: `tf.sqrt`, `tf.math.squared_difference`.
    """
    return apply(_square, x)


_squared_difference = OPS["squared_difference"]


def squared_difference(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Compute `(x - y) * conj(x - y)` element-wise.

    For complex numbers, the result is the squared distance as a complex number.

    Args:
        x: Float, integer or complex tensor.
        y: Tensor of the dtype of `x`. The shapes of `x` and `y` must be broadcastable.

    Returns:
        Tensor of the dtype of `x`, with the shape that results from broadcasting.

    Raises:
        tf.errors.InvalidArgumentError: If the dtype is not supported, if the dtypes differ, or if
            the shapes are not broadcastable.

    Example:
        >>> import tfpy as tf
        >>> tf.math.squared_difference([1.0, 5.0], [4.0, 3.0]).numpy().tolist()
        [9.0, 4.0]

    See also: `tf.square`, `tf.subtract`.
    """
    return apply(_squared_difference, x, y)


_strip = OPS["string_strip"]


def strip(input: TensorLike, name: str | None = None) -> Tensor:
    """Remove whitespace at the start and at the end of each string.

    Only ASCII whitespace is removed.

    Args:
        input: String tensor.

    Returns:
        String tensor with the shape of `input`.

    Example:
        >>> import tfpy as tf
        >>> tf.strings.strip(["  tensor ", " flow"]).numpy().tolist()
        [b'tensor', b'flow']

    See also: `tf.strings.regex_replace`, `tf.strings.split`.
    """
    return apply(_strip, input)


_subtract = OPS["subtract"]


def subtract(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Compute `x - y` element-wise.

    Integers wrap around on overflow.

    Args:
        x: Float, integer or complex tensor.
        y: Tensor of the dtype of `x`. The shapes of `x` and `y` must be broadcastable.

    Returns:
        Tensor of the dtype of `x`, with the shape that results from broadcasting.

    Raises:
        tf.errors.InvalidArgumentError: If the dtype is not supported, if the dtypes differ, or if
            the shapes are not broadcastable.

    Example:
        >>> import tfpy as tf
        >>> tf.subtract([[5, 6], [7, 8]], [1, 2]).numpy().tolist()
        [[4, 4], [6, 6]]

    See also: `tf.add`, `tf.negative`.
    """
    return apply(_subtract, x, y)


_tan = OPS["tan"]


def tan(x: TensorLike, name: str | None = None) -> Tensor:
    """Compute the tangent of `x` element-wise.

    `x` is an angle in radians. The result is NaN where `x` is infinite.

    Args:
        x: Float or complex tensor, or a `tf.SparseTensor`.

    Returns:
        Tensor of the shape and dtype of `x`. If `x` is sparse, so is the result.

    Raises:
        tf.errors.InvalidArgumentError: If the dtype of `x` is not supported.

    Example:
        >>> import tfpy as tf
        >>> tf.tan([0.0, 1.0]).numpy().round(3)
        array([0.   , 1.557], dtype=float32)

    See also: `tf.sin`, `tf.cos`, `tf.atan`.
    """
    return apply(_tan, x)


_tanh = OPS["tanh"]


def tanh(x: TensorLike, name: str | None = None) -> Tensor:
    """Compute the hyperbolic tangent of `x` element-wise.

    The result is `sinh(x) / cosh(x)`. It is between -1 and 1.

    Args:
        x: Float or complex tensor, or a `tf.SparseTensor`.

    Returns:
        Tensor of the shape and dtype of `x`. If `x` is sparse, so is the result.

    Raises:
        tf.errors.InvalidArgumentError: If the dtype of `x` is not supported.

    Example:
        >>> import tfpy as tf
        >>> tf.tanh([-100.0, 0.0, 1.0]).numpy().round(3)
        array([-1.   ,  0.   ,  0.762], dtype=float32)

    See also: `tf.sinh`, `tf.cosh`, `tf.sigmoid`.
    """
    return apply(_tanh, x)


_truncatediv = OPS["truncatediv"]


def truncatediv(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Compute `x / y` rounded towards 0, element-wise.

    Division of an integer by 0 raises `tf.errors.InvalidArgumentError` on the cpu backend and
    returns 0 on the other backends. The gradient is None because the function is piecewise
    constant.

    Args:
        x: Float or integer tensor.
        y: Tensor of the dtype of `x`. The shapes of `x` and `y` must be broadcastable.

    Returns:
        Tensor of the dtype of `x`, with the shape that results from broadcasting.

    Raises:
        tf.errors.InvalidArgumentError: If the dtype is not supported, if the dtypes differ, or if
            the shapes are not broadcastable.

    Example:
        >>> import tfpy as tf
        >>> tf.truncatediv([7, -7], 2).numpy().tolist()
        [3, -3]

    See also: `tf.math.floordiv`, `tf.truncatemod`.
    """
    return apply(_truncatediv, x, y)


_truncatemod = OPS["truncatemod"]


def truncatemod(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Compute the remainder of `x / y`, with the sign of `x`, element-wise.

    Division of an integer by 0 raises `tf.errors.InvalidArgumentError` on the cpu backend and
    returns 0 on the other backends. No gradient is defined, so a tape raises a LookupError.

    Args:
        x: Float or integer tensor.
        y: Tensor of the dtype of `x`. The shapes of `x` and `y` must be broadcastable.

    Returns:
        Tensor of the dtype of `x`, with the shape that results from broadcasting.

    Raises:
        tf.errors.InvalidArgumentError: If the dtype is not supported, if the dtypes differ, or if
            the shapes are not broadcastable.

    Example:
        >>> import tfpy as tf
        >>> tf.truncatemod([7, -7], 3).numpy().tolist()
        [1, -1]

    See also: `tf.math.floormod`, `tf.truncatediv`.
    """
    return apply(_truncatemod, x, y)


_upper = OPS["string_upper"]


def upper(input: TensorLike, encoding: str = "", name: str | None = None) -> Tensor:
    """Convert each string to upper case.

    Args:
        input: String tensor.
        encoding: `""` (default) to convert only ASCII letters, or `"utf-8"` to convert all letters.

    Returns:
        String tensor with the shape of `input`.

    Raises:
        tf.errors.InvalidArgumentError: If `encoding` is neither `""` nor `"utf-8"`.

    Example:
        >>> import tfpy as tf
        >>> tf.strings.upper(["Tensor", "flow"]).numpy().tolist()
        [b'TENSOR', b'FLOW']

    See also: `tf.strings.lower`.
    """
    return apply(_upper, input, encoding=encoding)


_xdivy = OPS["xdivy"]


def xdivy(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Compute `x / y` element-wise, and 0 where `x` is 0.

    The value of `y` does not matter where `x` is 0, even if it is infinite or NaN.

    Args:
        x: Float or complex tensor.
        y: Tensor of the dtype of `x`. The shapes of `x` and `y` must be broadcastable.

    Returns:
        Tensor of the dtype of `x`, with the shape that results from broadcasting.

    Raises:
        tf.errors.InvalidArgumentError: If the dtype is not supported, if the dtypes differ, or if
            the shapes are not broadcastable.

    Example:
        >>> import tfpy as tf
        >>> tf.math.xdivy([0.0, 3.0], [0.0, 2.0]).numpy().tolist()
        [0.0, 1.5]

    See also: `tf.math.xlogy`, `tf.math.divide_no_nan`.
    """
    return apply(_xdivy, x, y)


_xlog1py = OPS["xlog1py"]


def xlog1py(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Compute `x * log(1 + y)` element-wise, and 0 where `x` is 0.

    The value of `y` does not matter where `x` is 0, even if it is infinite or NaN.

    Args:
        x: Float or complex tensor.
        y: Tensor of the dtype of `x`. The shapes of `x` and `y` must be broadcastable.

    Returns:
        Tensor of the dtype of `x`, with the shape that results from broadcasting.

    Raises:
        tf.errors.InvalidArgumentError: If the dtype is not supported, if the dtypes differ, or if
            the shapes are not broadcastable.

    Example:
        >>> import tfpy as tf
        >>> tf.math.xlog1py([0.0, 2.0], [-1.0, 1.0]).numpy().round(3)
        array([0.   , 1.386], dtype=float32)

    See also: `tf.math.xlogy`, `tf.math.log1p`.
    """
    return apply(_xlog1py, x, y)


_xlogy = OPS["xlogy"]


def xlogy(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Compute `x * log(y)` element-wise, and 0 where `x` is 0.

    The value of `y` does not matter where `x` is 0, even if it is infinite or NaN.

    Args:
        x: Float or complex tensor.
        y: Tensor of the dtype of `x`. The shapes of `x` and `y` must be broadcastable.

    Returns:
        Tensor of the dtype of `x`, with the shape that results from broadcasting.

    Raises:
        tf.errors.InvalidArgumentError: If the dtype is not supported, if the dtypes differ, or if
            the shapes are not broadcastable.

    Example:
        >>> import tfpy as tf
        >>> tf.math.xlogy([0.0, 2.0], [0.0, 2.0]).numpy().round(3)
        array([0.   , 1.386], dtype=float32)

    See also: `tf.math.xlog1py`, `tf.math.xdivy`.
    """
    return apply(_xlogy, x, y)


_zeta = OPS["zeta"]


def zeta(x: TensorLike, q: TensorLike, name: str | None = None) -> Tensor:
    """Compute the Hurwitz zeta function element-wise.

    The result is the sum of `(q + k) ** -x` over all integers `k >= 0`. It is infinite if `x` is 1,
    and NaN if `x` is less than 1. The gradient with respect to `x` is None.

    Args:
        x: Float tensor.
        q: Tensor of the dtype of `x`. The shapes of `x` and `q` must be broadcastable.

    Returns:
        Tensor of the dtype of `x`, with the shape that results from broadcasting.

    Raises:
        tf.errors.InvalidArgumentError: If the dtype is not supported, if the dtypes differ, or if
            the shapes are not broadcastable.

    Example:
        >>> import tfpy as tf
        >>> tf.math.zeta(x=[2.0, 4.0], q=1.0).numpy().round(3)
        array([1.645, 1.082], dtype=float32)

    See also: `tf.math.polygamma`.
    """
    return apply(_zeta, x, q)
