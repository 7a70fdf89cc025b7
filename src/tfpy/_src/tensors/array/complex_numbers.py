"""Complex numbers and their parts (``tf.math.real`` and the like)."""

from __future__ import annotations

import math
from typing import Any

from tfpy._src.base.dtypes import PARTS
from tfpy._src.compiler.ops import complex as ops, logic
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.dispatch import per_value
from tfpy._src.core.tensor import Tensor
from tfpy._src.tensors.array.making import zeros_like


@per_value
def complex(real: Any, imag: Any, name: str | None = None) -> Tensor:
    """The complex number of a real and an imaginary part, with broadcasting.

    Raises:
        TypeError: unless both are float32, or float64 where that is a dtype of its own.

    Example:
        >>> import tfpy as tf
        >>> tf.complex([1.0, 2.0], [0.0, -3.0]).numpy().tolist()
        [(1+0j), (2-3j)]
    """
    x, y = convert_to_tensor(real), convert_to_tensor(imag)
    if x.dtype != y.dtype or x.dtype not in PARTS:
        raise TypeError(
            f"complex: Expected real and imag to be float32 tensors, got {x.dtype.name} and "
            f"{y.dtype.name}"
        )
    return ops.complex_(x, y)


@per_value
def real(input: Any, name: str | None = None) -> Tensor:
    """The real part; a real tensor is returned as it is.

    Raises:
        TypeError: for strings and booleans.

    Example:
        >>> import tfpy as tf
        >>> tf.math.real(tf.constant([1 + 2j, 3 - 4j])).numpy().tolist()
        [1.0, 3.0]
    """
    x = convert_to_tensor(input)
    if x.dtype.is_complex:
        return ops.real(x)
    if x.dtype.is_numeric:
        return x
    raise TypeError(f"real: input must be a numeric tensor, but got tensor with dtype {x.dtype}")


@per_value
def imag(input: Any, name: str | None = None) -> Tensor:
    """The imaginary part; 0 for real tensors.

    Example:
        >>> import tfpy as tf
        >>> tf.math.imag(tf.constant([1 + 2j, 3 - 4j])).numpy().tolist()
        [2.0, -4.0]
    """
    x = convert_to_tensor(input)
    return ops.imag(x) if x.dtype.is_complex else zeros_like(x)


@per_value
def conj(x: Any, name: str | None = None) -> Tensor:
    """The complex conjugate; a real tensor is returned as it is.

    Raises:
        TypeError: for strings and booleans.

    Example:
        >>> import tfpy as tf
        >>> tf.math.conj(tf.constant([1 + 2j, -3j])).numpy().tolist()
        [(1-2j), (-0+3j)]
    """
    t = convert_to_tensor(x)
    if t.dtype.is_complex:
        return ops.conj(t)
    if t.dtype.is_numeric:
        return t
    raise TypeError(f"conj: Expected numeric or variant tensor, got dtype {t.dtype}")


@per_value
def angle(input: Any, name: str | None = None) -> Tensor:
    """The angle in radians: for real numbers 0, or pi where they are negative.

    Example:
        >>> import tfpy as tf
        >>> tf.math.angle(tf.constant([1 + 0j, 1j], tf.complex64)).numpy().round(3)
        array([0.   , 1.571], dtype=float32)
    """
    x = convert_to_tensor(input)
    if x.dtype.is_complex:
        return ops.angle(x)
    return logic.select(x < 0, math.pi, zeros_like(x))
