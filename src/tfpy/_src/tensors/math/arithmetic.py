"""Arithmetic of ``tf.math`` that is composed from primitives."""

from __future__ import annotations

import math
from typing import Any

from tfpy._src.base import dtypes
from tfpy._src.base.errors import invalid
from tfpy._src.compiler.ops import activation, elementwise as ew, reduction, special as primitives
from tfpy._src.core.conversion import as_tensors, convert_to_tensor
from tfpy._src.core.dispatch import dispatchable, per_value
from tfpy._src.core.indexed_slices import IndexedSlices
from tfpy._src.core.operators import as_operator
from tfpy._src.core.tensor import Tensor
from tfpy._src.tensors.array.making import cast


def erfcinv(x: Any, name: str | None = None) -> Tensor:
    """The number whose erfc is x; infinite at 0 and 2, NaN beyond.

    Example:
        >>> import tfpy as tf
        >>> tf.math.erfcinv([0.4795, 1.5205]).numpy().round(3)
        array([ 0.5, -0.5], dtype=float32)
    """
    return primitives.ndtri(convert_to_tensor(x) * 0.5) * -math.sqrt(0.5)


def lbeta(x: Any, name: str | None = None) -> Tensor:
    """log of the Dirichlet distribution's normaliser: the sum of lgamma less lgamma of the sum.

    Raises:
        InvalidArgumentError: for a scalar.

    Example:
        >>> import tfpy as tf
        >>> tf.math.lbeta([[2.0, 1.0], [2.0, 3.0]]).numpy().round(3)
        array([-0.693, -2.485], dtype=float32)
    """
    t = convert_to_tensor(x)
    if not t.ndim:
        raise invalid("lbeta", "x must be at least a vector, got a scalar")
    last = (t.ndim - 1, t.ndim)
    total = reduction.reduce_sum(primitives.lgamma(t), axes=last)
    return total - primitives.lgamma(reduction.reduce_sum(t, axes=last))


def _pair(x: Any, y: Any) -> tuple[Tensor, Tensor]:
    """Two operands as tensors, Python numbers adapted to the other's dtype."""
    first, second = as_tensors(ew.add, (x, y))
    return first, second


@as_operator("truediv", reflected=True)
@per_value
def divide(x: Any, y: Any, name: str | None = None) -> Tensor:
    """x / y; integers give float32.

    Raises:
        TypeError: for booleans and for two dtypes.

    Example:
        >>> import tfpy as tf
        >>> tf.divide([1, 3], 2).numpy().tolist()
        [0.5, 1.5]
    """
    a, b = _pair(x, y)
    if a.dtype.is_bool:
        raise TypeError("divide: x and y are bool; convert them with tf.cast")
    return ew.real_div(*_as_floats("divide", a, b))


def _as_floats(op: str, x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
    """Integers as floats: float64, where there is such a dtype, from 32 bits on."""
    if x.dtype != y.dtype:
        raise TypeError(
            f"{op}: `x` and `y` must have the same dtype, got {x.dtype!r} != {y.dtype!r}; "
            "convert one with tf.cast"
        )
    if x.dtype.is_integer:
        kind = dtypes.float64 if x.dtype.size >= dtypes.int32.size else dtypes.float32
        return cast(x, kind), cast(y, kind)
    return x, y


truediv = divide


def divide_no_nan(x: Any, y: Any, name: str | None = None) -> Tensor:
    """x / y, and 0 where y is 0; integers give float32.

    Raises:
        TypeError: for two dtypes.

    Example:
        >>> import tfpy as tf
        >>> tf.math.divide_no_nan([3.0, 1.0], [2.0, 0.0]).numpy().tolist()
        [1.5, 0.0]
    """
    return ew.divide_no_nan(*_as_floats("divide_no_nan", *_pair(x, y)))


def reciprocal_no_nan(x: Any, name: str | None = None) -> Tensor:
    """1 / x, and 0 where x is 0.

    Raises:
        InvalidArgumentError: for integers.

    Example:
        >>> import tfpy as tf
        >>> tf.math.reciprocal_no_nan([2.0, 0.0]).numpy().tolist()
        [0.5, 0.0]
    """
    t = convert_to_tensor(x)
    return ew.divide_no_nan(cast(1, t.dtype), t)


def scalar_mul(scalar: Any, x: Any, name: str | None = None) -> Any:
    """A tensor, or indexed slices, times a number.

    Raises:
        ValueError: when ``scalar`` is not one.

    Example:
        >>> import tfpy as tf
        >>> tf.scalar_mul(3, tf.constant([1, 2])).numpy().tolist()
        [3, 6]
    """
    number = convert_to_tensor(scalar, x.dtype)
    if number.ndim:
        raise ValueError(f"The input scalar must be a 0-D value. Received shape {number.shape}.")
    if isinstance(x, IndexedSlices):
        return x.with_differentiable(number * x.values)
    return number * x


@per_value
def sign(x: Any, name: str | None = None) -> Tensor:
    """-1, 0 or 1; for complex numbers ``x / |x|``, and 0 where x is 0.

    Example:
        >>> import tfpy as tf
        >>> tf.sign([-2.5, 0.0, 7.0]).numpy().tolist()
        [-1.0, 0.0, 1.0]
    """
    t = convert_to_tensor(x)
    if t.dtype.is_complex:
        return ew.divide_no_nan(t, cast(ew.abs_(t), t.dtype))
    return ew.sign(t)


@dispatchable
def add_n(inputs: Any, name: str | None = None) -> Tensor:
    """Sum of a list of tensors of one shape.

    Raises:
        InvalidArgumentError: when the shapes differ.

    Example:
        >>> import tfpy as tf
        >>> tf.add_n([[1, 2], [3, 4], [5, 6]]).numpy().tolist()
        [9, 12]
    """
    first, *rest = [convert_to_tensor(t) for t in inputs]
    shapes = [list(t.aval.shape) for t in (first, *rest)]
    if any(shape != shapes[0] for shape in shapes):
        raise invalid("add_n", f"Shapes of all inputs must match: {shapes}")
    for t in rest:
        first = ew.add(first, t)
    return first


@per_value
def log_sigmoid(x: Any, name: str | None = None) -> Tensor:
    """log(sigmoid(x)), without overflow.

    Example:
        >>> import tfpy as tf
        >>> tf.math.log_sigmoid([-100.0, 0.0, 2.0]).numpy().round(3)
        array([-100.   ,   -0.693,   -0.127], dtype=float32)
    """
    return -activation.softplus(-convert_to_tensor(x))


@per_value
def clip_by_value(
    t: Any, clip_value_min: Any, clip_value_max: Any, name: str | None = None
) -> Tensor:
    """``t`` limited to the range from ``clip_value_min`` to ``clip_value_max``.

    Raises:
        ValueError: when a bound has more elements than ``t``.

    Example:
        >>> import tfpy as tf
        >>> tf.clip_by_value([-1, 0, 5], 0, 3).numpy().tolist()
        [0, 0, 3]
    """
    x = convert_to_tensor(t)
    clipped = ew.maximum(ew.minimum(x, clip_value_max), clip_value_min)
    if clipped.aval.shape != x.aval.shape:
        raise ValueError(
            f"clip_by_value: the bounds make {clipped.shape} of shape {x.shape}; "
            "broadcast the tensor first"
        )
    return clipped


def accumulate_n(
    inputs: Any, shape: Any = None, tensor_dtype: Any = None, name: str | None = None
) -> Tensor:
    """Sum of a list of tensors of one shape; the same as :func:`add_n`.

    Example:
        >>> import tfpy as tf
        >>> tf.math.accumulate_n([tf.constant([1, 2]), tf.constant([3, 4])]).numpy().tolist()
        [4, 6]
    """
    return add_n(inputs)


def polyval(coeffs: Any, x: Any, name: str | None = None) -> Tensor:
    """The polynomial with a list of coefficients, that of the highest power first, at ``x``.

    Raises:
        ValueError: when the coefficients are no list.

    Example:
        >>> import tfpy as tf
        >>> tf.math.polyval([2, 0, 1], 3).numpy().tolist()
        19
    """
    if not isinstance(coeffs, list):
        raise ValueError(
            f"Argument coeffs must be list type. Received type {type(coeffs).__name__}."
        )
    at = convert_to_tensor(x)
    result = ew.multiply(at, 0)
    for i, coefficient in enumerate(coeffs):
        result = ew.add(result * at if i else result, coefficient)
    return result
