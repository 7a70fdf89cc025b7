"""Integrals without a closed form: Dawson's, the exponential one, Fresnel's and Spence's.

The approximations are those of Cephes: quotients of polynomials, one for each interval.
"""

from __future__ import annotations

import math

from tfpy._src.compiler.ops import elementwise as ew, trigonometry
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import TensorLike
from tfpy._src.tensors.array.slicing import where
from tfpy._src.tensors.special import tables as t
from tfpy._src.tensors.special.approximation import differentiable, quotient


def _dawsn(x: Tensor) -> Tensor:
    a = abs(x)
    small = ew.minimum(a, 3.25)
    near = small * quotient(small * small, t.DAWSN_NEAR_P, t.DAWSN_NEAR_Q)
    w = 1.0 / ew.maximum(a, 3.25)
    v = w * w
    middle = 0.5 * (v * w * quotient(v, t.DAWSN_MIDDLE_P, t.DAWSN_MIDDLE_Q) + w)
    far = 0.5 * (v * w * quotient(v, t.DAWSN_FAR_P, t.DAWSN_FAR_Q) + w)
    found = where(a < 3.25, near, where(a < 6.25, middle, far))
    return where(x < 0.0, -found, found)


_EXPINT = (
    (4.0, t.EXPINT_2_P, t.EXPINT_2_Q),
    (8.0, t.EXPINT_3_P, t.EXPINT_3_Q),
    (16.0, t.EXPINT_4_P, t.EXPINT_4_Q),
    (32.0, t.EXPINT_5_P, t.EXPINT_5_Q),
    (64.0, t.EXPINT_6_P, t.EXPINT_6_Q),
)
"""Upper ends of the intervals from 2, with the coefficients."""
_EULER = 0.5772156649015329


def _expint(x: Tensor) -> Tensor:
    small = ew.minimum(ew.maximum(x, 0.0), 2.0)
    near = small * quotient(small, t.EXPINT_1_P, t.EXPINT_1_Q) + _EULER + ew.log(small)
    w = 1.0 / ew.maximum(x, 2.0)
    ratio = quotient(w, t.EXPINT_7_P, t.EXPINT_7_Q)
    for end, numerator, denominator in reversed(_EXPINT):
        ratio = where(x < end, quotient(w, numerator, denominator), ratio)
    far = ew.exp(x) * w * (w * ratio + 1.0)
    return where(x < 0.0, math.nan, where(x < 2.0, near, far))


def _fresnel(x: Tensor, is_sine: bool) -> Tensor:
    a = abs(x)
    small = ew.minimum(a, 1.61)
    square = small * small
    fourth = square * square
    if is_sine:
        near = small * square * quotient(fourth, t.FRESNEL_SIN_P, t.FRESNEL_SIN_Q)
    else:
        near = small * quotient(fourth, t.FRESNEL_COS_P, t.FRESNEL_COS_Q)
    big = ew.minimum(ew.maximum(a, 1.6), 36974.0)
    w = 1.0 / (math.pi * big * big)
    u = w * w
    f = 1.0 - u * quotient(u, t.FRESNEL_F_P, t.FRESNEL_F_Q)
    g = w * quotient(u, t.FRESNEL_G_P, t.FRESNEL_G_Q)
    angle = math.pi / 2 * big * big
    sine, cosine = trigonometry.sin(angle), trigonometry.cos(angle)
    rest = -(f * cosine + g * sine) if is_sine else f * sine - g * cosine
    far = where(a > 36974.0, 0.5, 0.5 + rest / (math.pi * big))
    found = where(x * x < 2.5625, near, far)
    return where(x < 0.0, -found, found)


def _spence(x: Tensor) -> Tensor:
    safe = where(x > 0.0, x, 1.0)
    y = where(safe < 2.0, safe, 1.0 / safe)
    w = where(y > 1.5, 1.0 / y - 1.0, where(y < 0.5, -y, y - 1.0))
    found = -w * quotient(w, t.SPENCE_P, t.SPENCE_Q)
    z = ew.log(y)
    low = -z * ew.log1p(-ew.minimum(y, 0.5)) + math.pi**2 / 6.0 - found
    found = where(y < 0.5, low, found)
    found = where(safe > 1.5, -0.5 * z * z - found, found)
    found = where(x == 0.0, math.pi**2 / 6.0, found)
    return where(x >= 0.0, found, math.nan)


def _spence_slope(x: Tensor, y: Tensor) -> Tensor:
    at_one = x == 1.0
    return where(at_one, -1.0, ew.log(x) / where(at_one, 1.0, 1.0 - x))


_HALF_PI = math.pi / 2

_dawsn_of = differentiable("dawsn", _dawsn, lambda x, y: 1.0 - 2.0 * x * y)
_expint_of = differentiable("expint", _expint, lambda x, y: ew.exp(x) / x)
_fresnel_cos_of = differentiable(
    "fresnel_cos", lambda x: _fresnel(x, False), lambda x, y: trigonometry.cos(_HALF_PI * (x * x))
)
_fresnel_sin_of = differentiable(
    "fresnel_sin", lambda x: _fresnel(x, True), lambda x, y: trigonometry.sin(_HALF_PI * (x * x))
)
_spence_of = differentiable("spence", _spence, _spence_slope)


def dawsn(x: TensorLike, name: str | None = None) -> Tensor:
    """Compute Dawson's integral, element-wise.

    It is `exp(-x**2)` times the integral of `exp(t**2)` from 0 to `x`.

    Args:
        x: Float tensor of any shape.

    Returns:
        Tensor with the shape and dtype of `x`.

    Raises:
        tf.errors.InvalidArgumentError: If the dtype of `x` is not a float dtype.

    Example:
        >>> import tfpy as tf
        >>> print(tf.math.special.dawsn(1.0).numpy().round(4))
        0.5381

    See also: `tf.math.erf`.
    """
    return _dawsn_of(x)


def expint(x: TensorLike, name: str | None = None) -> Tensor:
    """Compute the exponential integral, element-wise.

    It is the integral of `exp(t) / t` up to `x`. The result is NaN where `x` is negative.

    Args:
        x: Float tensor of any shape.

    Returns:
        Tensor with the shape and dtype of `x`.

    Raises:
        tf.errors.InvalidArgumentError: If the dtype of `x` is not a float dtype.

    Example:
        >>> import tfpy as tf
        >>> print(tf.math.special.expint(1.0).numpy().round(4))
        1.8951

    See also: `tf.math.special.dawsn`.
    """
    return _expint_of(x)


def fresnel_cos(x: TensorLike, name: str | None = None) -> Tensor:
    """Compute Fresnel's cosine integral, element-wise.

    It is the integral of `cos(pi * t**2 / 2)` from 0 to `x`.

    Args:
        x: Float tensor of any shape.

    Returns:
        Tensor with the shape and dtype of `x`.

    Raises:
        tf.errors.InvalidArgumentError: If the dtype of `x` is not a float dtype.

    Example:
        >>> import tfpy as tf
        >>> print(tf.math.special.fresnel_cos(1.0).numpy().round(4))
        0.7799

    See also: `tf.math.special.fresnel_sin`.
    """
    return _fresnel_cos_of(x)


def fresnel_sin(x: TensorLike, name: str | None = None) -> Tensor:
    """Compute Fresnel's sine integral, element-wise.

    It is the integral of `sin(pi * t**2 / 2)` from 0 to `x`.

    Args:
        x: Float tensor of any shape.

    Returns:
        Tensor with the shape and dtype of `x`.

    Raises:
        tf.errors.InvalidArgumentError: If the dtype of `x` is not a float dtype.

    Example:
        >>> import tfpy as tf
        >>> print(tf.math.special.fresnel_sin(1.0).numpy().round(4))
        0.4383

    See also: `tf.math.special.fresnel_cos`.
    """
    return _fresnel_sin_of(x)


def spence(x: TensorLike, name: str | None = None) -> Tensor:
    """Compute Spence's integral, element-wise.

    It is the integral of `log(t) / (1 - t)` from 1 to `x`. The result is NaN where `x` is negative.

    Args:
        x: Float tensor of any shape.

    Returns:
        Tensor with the shape and dtype of `x`.

    Raises:
        tf.errors.InvalidArgumentError: If the dtype of `x` is not a float dtype.

    Example:
        >>> import tfpy as tf
        >>> print(tf.math.special.spence(2.0).numpy().round(4))
        -0.8225

    See also: `tf.math.special.expint`.
    """
    return _spence_of(x)
