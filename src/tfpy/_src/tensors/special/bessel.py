"""Bessel functions of the first and second kind, and modified ones of the second kind.

The approximations are those of Cephes: quotients of polynomials near 0, and asymptotic expansions
for large arguments.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from tfpy._src.compiler.ops import elementwise as ew, special, trigonometry
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import TensorLike
from tfpy._src.tensors.array.slicing import where
from tfpy._src.tensors.special import tables as t
from tfpy._src.tensors.special.approximation import chebyshev, differentiable, quotient

_ROOT_2_PI = math.sqrt(2.0 / math.pi)


def _far(x: Tensor, p: Tensor, q: Tensor, phase: float, is_sine: bool, sign: float) -> Tensor:
    """Return the asymptotic expansion for x > 5."""
    angle = x - phase
    sine, cosine = trigonometry.sin(angle), trigonometry.cos(angle)
    first, second = (sine, cosine) if is_sine else (cosine, sine)
    found: Tensor = (p * first + sign * (5.0 / x) * q * second) * _ROOT_2_PI / ew.sqrt(x)
    return found


def _j0(x: Tensor) -> Tensor:
    a = abs(x)
    z = ew.minimum(a, 5.0) ** 2
    near = (z - 5.78318596294678452118) * (z - 30.4712623436620863991)
    big = ew.maximum(a, 5.0)
    s = (5.0 / big) ** 2
    p, q = quotient(s, t.J0_PP, t.J0_PQ), quotient(s, t.J0_QP, t.J0_QQ)
    far = _far(big, p, q, math.pi / 4, False, -1.0)
    return where(a <= 5.0, near * quotient(z, t.J0_RP, t.J0_RQ), far)


def _y0(x: Tensor) -> Tensor:
    safe = where(x > 0.0, ew.minimum(x, 5.0), 1.0)
    near = quotient(safe * safe, t.Y0_YP, t.Y0_YQ) + 2.0 / math.pi * ew.log(safe) * _j0(safe)
    big = ew.maximum(x, 5.0)
    s = (5.0 / big) ** 2
    p, q = quotient(s, t.J0_PP, t.J0_PQ), quotient(s, t.J0_QP, t.J0_QQ)
    far = _far(big, p, q, math.pi / 4, True, 1.0)
    return where(x <= 0.0, -math.inf, where(x <= 5.0, near, far))


def _j1(x: Tensor) -> Tensor:
    a = abs(x)
    z = ew.minimum(a, 5.0) ** 2
    near = x * (z - 14.6819706421238932572) * (z - 49.2184563216946036703)
    big = ew.maximum(a, 5.0)
    s = (5.0 / big) ** 2
    p, q = quotient(s, t.J1_PP, t.J1_PQ), quotient(s, t.J1_QP, t.J1_QQ)
    far = _far(big, p, q, 3 * math.pi / 4, False, -1.0)
    far = where(x < 0.0, -far, far)
    return where(a <= 5.0, near * quotient(z, t.J1_RP, t.J1_RQ), far)


def _y1(x: Tensor) -> Tensor:
    safe = where(x > 0.0, ew.minimum(x, 5.0), 1.0)
    near = quotient(safe * safe, t.Y1_YP, t.Y1_YQ) * safe
    near = near + 2.0 / math.pi * (_j1(safe) * ew.log(safe) - 1.0 / safe)
    big = ew.maximum(x, 5.0)
    s = (5.0 / big) ** 2
    p, q = quotient(s, t.J1_PP, t.J1_PQ), quotient(s, t.J1_QP, t.J1_QQ)
    far = _far(big, p, q, 3 * math.pi / 4, True, 1.0)
    return where(x <= 0.0, -math.inf, where(x <= 5.0, near, far))


def _k0_parts(x: Tensor) -> tuple[Tensor, Tensor]:
    """Return K0 for x up to 2, and exp(x) K0(x) above."""
    small = where(x > 0.0, ew.minimum(x, 2.0), 1.0)
    near = chebyshev(small * small - 2.0, t.K0_A) - special.bessel_i0(small) * ew.log(0.5 * small)
    big = ew.maximum(x, 2.0)
    return near, chebyshev(8.0 / big - 2.0, t.K0_B) / ew.sqrt(big)


def _k1_parts(x: Tensor) -> tuple[Tensor, Tensor]:
    """Return K1 for x up to 2, and exp(x) K1(x) above."""
    small = where(x > 0.0, ew.minimum(x, 2.0), 1.0)
    near = chebyshev(small * small - 2.0, t.K1_A) / small
    near = near + special.bessel_i1(small) * ew.log(0.5 * small)
    big = ew.maximum(x, 2.0)
    return near, chebyshev(8.0 / big - 2.0, t.K1_B) / ew.sqrt(big)


_Parts = Callable[[Tensor], tuple[Tensor, Tensor]]


def _k(parts: _Parts, x: Tensor) -> Tensor:
    near, far = parts(x)
    return where(x <= 0.0, math.inf, where(x <= 2.0, near, far * ew.exp(-x)))


def _ke(parts: _Parts, x: Tensor) -> Tensor:
    near, far = parts(x)
    return where(x <= 0.0, math.inf, where(x <= 2.0, near * ew.exp(ew.minimum(x, 2.0)), far))


def _j1_slope(x: Tensor, y: Tensor) -> Tensor:
    safe = where(x == 0.0, 1.0, x)
    return where(x == 0.0, 0.5, bessel_j0(x) - y / safe)


_j0_of = differentiable("bessel_j0", _j0, lambda x, y: -bessel_j1(x))
_j1_of = differentiable("bessel_j1", _j1, _j1_slope)
_y0_of = differentiable("bessel_y0", _y0, lambda x, y: -bessel_y1(x))
_y1_of = differentiable("bessel_y1", _y1, lambda x, y: bessel_y0(x) - y / x)
_k0_of = differentiable("bessel_k0", lambda x: _k(_k0_parts, x), lambda x, y: -bessel_k1(x))
_k0e_of = differentiable("bessel_k0e", lambda x: _ke(_k0_parts, x), lambda x, y: y - bessel_k1e(x))
_k1_of = differentiable("bessel_k1", lambda x: _k(_k1_parts, x), lambda x, y: -bessel_k0(x) - y / x)
_k1e_of = differentiable(
    "bessel_k1e", lambda x: _ke(_k1_parts, x), lambda x, y: y * (1.0 - 1.0 / x) - bessel_k0e(x)
)


def bessel_j0(x: TensorLike, name: str | None = None) -> Tensor:
    """Compute the Bessel function of the first kind of order 0, element-wise.

    Args:
        x: Float tensor of any shape.

    Returns:
        Tensor with the shape and dtype of `x`.

    Raises:
        tf.errors.InvalidArgumentError: If the dtype of `x` is not a float dtype.

    Example:
        >>> import tfpy as tf
        >>> print(tf.math.special.bessel_j0(1.0).numpy().round(4))
        0.7652

    See also: `tf.math.special.bessel_j1`.
    """
    return _j0_of(x)


def bessel_j1(x: TensorLike, name: str | None = None) -> Tensor:
    """Compute the Bessel function of the first kind of order 1, element-wise.

    Args:
        x: Float tensor of any shape.

    Returns:
        Tensor with the shape and dtype of `x`.

    Raises:
        tf.errors.InvalidArgumentError: If the dtype of `x` is not a float dtype.

    Example:
        >>> import tfpy as tf
        >>> print(tf.math.special.bessel_j1(1.0).numpy().round(4))
        0.4401

    See also: `tf.math.special.bessel_j0`.
    """
    return _j1_of(x)


def bessel_y0(x: TensorLike, name: str | None = None) -> Tensor:
    """Compute the Bessel function of the second kind of order 0, element-wise.

    The result is -infinity where `x` is not positive.

    Args:
        x: Float tensor of any shape.

    Returns:
        Tensor with the shape and dtype of `x`.

    Raises:
        tf.errors.InvalidArgumentError: If the dtype of `x` is not a float dtype.

    Example:
        >>> import tfpy as tf
        >>> print(tf.math.special.bessel_y0(1.0).numpy().round(4))
        0.0883

    See also: `tf.math.special.bessel_y1`.
    """
    return _y0_of(x)


def bessel_y1(x: TensorLike, name: str | None = None) -> Tensor:
    """Compute the Bessel function of the second kind of order 1, element-wise.

    The result is -infinity where `x` is not positive.

    Args:
        x: Float tensor of any shape.

    Returns:
        Tensor with the shape and dtype of `x`.

    Raises:
        tf.errors.InvalidArgumentError: If the dtype of `x` is not a float dtype.

    Example:
        >>> import tfpy as tf
        >>> print(tf.math.special.bessel_y1(1.0).numpy().round(4))
        -0.7812

    See also: `tf.math.special.bessel_y0`.
    """
    return _y1_of(x)


def bessel_k0(x: TensorLike, name: str | None = None) -> Tensor:
    """Compute the modified Bessel function of the second kind of order 0, element-wise.

    The result is infinite where `x` is not positive.

    Args:
        x: Float tensor of any shape.

    Returns:
        Tensor with the shape and dtype of `x`.

    Raises:
        tf.errors.InvalidArgumentError: If the dtype of `x` is not a float dtype.

    Example:
        >>> import tfpy as tf
        >>> print(tf.math.special.bessel_k0(1.0).numpy().round(4))
        0.421

    See also: `tf.math.special.bessel_k0e`.
    """
    return _k0_of(x)


def bessel_k0e(x: TensorLike, name: str | None = None) -> Tensor:
    """Compute `exp(x) * bessel_k0(x)`, element-wise.

    Unlike `bessel_k0`, the scaled function does not vanish for large arguments. The result is
    infinite where `x` is not positive.

    Args:
        x: Float tensor of any shape.

    Returns:
        Tensor with the shape and dtype of `x`.

    Raises:
        tf.errors.InvalidArgumentError: If the dtype of `x` is not a float dtype.

    Example:
        >>> import tfpy as tf
        >>> print(tf.math.special.bessel_k0e(1.0).numpy().round(4))
        1.1445

    See also: `tf.math.special.bessel_k0`.
    """
    return _k0e_of(x)


def bessel_k1(x: TensorLike, name: str | None = None) -> Tensor:
    """Compute the modified Bessel function of the second kind of order 1, element-wise.

    The result is infinite where `x` is not positive.

    Args:
        x: Float tensor of any shape.

    Returns:
        Tensor with the shape and dtype of `x`.

    Raises:
        tf.errors.InvalidArgumentError: If the dtype of `x` is not a float dtype.

    Example:
        >>> import tfpy as tf
        >>> print(tf.math.special.bessel_k1(1.0).numpy().round(4))
        0.6019

    See also: `tf.math.special.bessel_k1e`.
    """
    return _k1_of(x)


def bessel_k1e(x: TensorLike, name: str | None = None) -> Tensor:
    """Compute `exp(x) * bessel_k1(x)`, element-wise.

    Unlike `bessel_k1`, the scaled function does not vanish for large arguments. The result is
    infinite where `x` is not positive.

    Args:
        x: Float tensor of any shape.

    Returns:
        Tensor with the shape and dtype of `x`.

    Raises:
        tf.errors.InvalidArgumentError: If the dtype of `x` is not a float dtype.

    Example:
        >>> import tfpy as tf
        >>> print(tf.math.special.bessel_k1e(1.0).numpy().round(4))
        1.6362

    See also: `tf.math.special.bessel_k1`.
    """
    return _k1e_of(x)
