"""Complex numbers and their parts (`tf.complex`, `tf.math.real` and others)."""

from __future__ import annotations

import math

from tfpy._src.base.dtypes import PARTS
from tfpy._src.compiler.ops import complex as ops, logic
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.dispatch import per_value
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import TensorLike
from tfpy._src.tensors.array.making import zeros_like


@per_value
def complex(real: TensorLike, imag: TensorLike, name: str | None = None) -> Tensor:
    """Create complex numbers from their real and imaginary parts, with broadcasting.

    Args:
        real: Float32 or float64 tensor of the real parts.
        imag: Tensor of the imaginary parts, with the dtype of `real`.

    Returns:
        Tensor of the broadcast shape. Its dtype is complex64 for float32 parts and complex128 for
        float64 parts. Unless the environment variable `TFPY_ENABLE_X64` is set, `tf.float64` and
        `tf.complex128` are aliases of `tf.float32` and `tf.complex64`.

    Raises:
        TypeError: If `real` and `imag` have different dtypes, or a dtype other than float32 or
            float64.

    Example:
        >>> import tfpy as tf
        >>> tf.complex([1.0, 2.0], [0.0, -3.0]).numpy().tolist()
        [(1+0j), (2-3j)]

    See also: `tf.math.real`, `tf.math.imag`.
    """
    x, y = convert_to_tensor(real), convert_to_tensor(imag)
    if x.dtype != y.dtype or x.dtype not in PARTS:
        raise TypeError(
            f"complex: Expected real and imag to be float32 tensors, got {x.dtype.name} and "
            f"{y.dtype.name}"
        )
    return ops.complex_(x, y)


@per_value
def real(input: TensorLike, name: str | None = None) -> Tensor:
    """Return the real part of each element. A real tensor is returned unchanged.

    Args:
        input: Numeric tensor.

    Returns:
        Float tensor with the shape of `input`, or `input` itself if it is not complex.

    Raises:
        TypeError: If `input` is a string or boolean tensor.

    Example:
        >>> import tfpy as tf
        >>> tf.math.real(tf.constant([1 + 2j, 3 - 4j])).numpy().tolist()
        [1.0, 3.0]

    See also: `tf.math.imag`, `tf.math.abs`, `tf.complex`.
    """
    x = convert_to_tensor(input)
    if x.dtype.is_complex:
        return ops.real(x)
    if x.dtype.is_numeric:
        return x
    raise TypeError(f"real: input must be a numeric tensor, but got tensor with dtype {x.dtype}")


@per_value
def imag(input: TensorLike, name: str | None = None) -> Tensor:
    """Return the imaginary part of each element, which is 0 for real tensors.

    Args:
        input: Numeric tensor.

    Returns:
        Tensor with the shape of `input`. Its dtype is float32 for complex64, float64 for
        complex128, and otherwise the dtype of `input`.

    Example:
        >>> import tfpy as tf
        >>> tf.math.imag(tf.constant([1 + 2j, 3 - 4j])).numpy().tolist()
        [2.0, -4.0]

    See also: `tf.math.real`, `tf.math.angle`, `tf.complex`.
    """
    x = convert_to_tensor(input)
    return ops.imag(x) if x.dtype.is_complex else zeros_like(x)


@per_value
def conj(x: TensorLike, name: str | None = None) -> Tensor:
    """Return the complex conjugate of each element. A real tensor is returned unchanged.

    Args:
        x: Numeric tensor.

    Returns:
        Tensor with the shape and dtype of `x`.

    Raises:
        TypeError: If `x` is a string or boolean tensor.

    Example:
        >>> import tfpy as tf
        >>> tf.math.conj(tf.constant([1 + 2j, -3j])).numpy().tolist()
        [(1-2j), (-0+3j)]

    See also: `tf.math.real`, `tf.math.imag`.
    """
    t = convert_to_tensor(x)
    if t.dtype.is_complex:
        return ops.conj(t)
    if t.dtype.is_numeric:
        return t
    raise TypeError(f"conj: Expected numeric or variant tensor, got dtype {t.dtype}")


@per_value
def angle(input: TensorLike, name: str | None = None) -> Tensor:
    """Return the angle of each element in the complex plane, in radians.

    The angle of a real number is pi if it is negative, and otherwise 0.

    Args:
        input: Float or complex tensor.

    Returns:
        Tensor with the shape of `input`. Its dtype is float32 for complex64, float64 for
        complex128, and otherwise the dtype of `input`.

    Raises:
        TypeError: If `input` is an integer tensor.

    Example:
        >>> import tfpy as tf
        >>> tf.math.angle(tf.constant([1 + 0j, 1j], tf.complex64)).numpy().round(3)
        array([0.   , 1.571], dtype=float32)

    See also: `tf.math.abs`, `tf.math.real`, `tf.math.imag`.
    """
    x = convert_to_tensor(input)
    if x.dtype.is_complex:
        return ops.angle(x)
    return logic.select(x < 0, math.pi, zeros_like(x))
