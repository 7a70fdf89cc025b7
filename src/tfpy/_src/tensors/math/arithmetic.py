"""Arithmetic of `tf.math` that is composed of primitives."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import overload

from tfpy._src.base import dtypes
from tfpy._src.base.errors import invalid
from tfpy._src.compiler.ops import activation, elementwise as ew, reduction, special as primitives
from tfpy._src.core.conversion import as_tensors, convert_to_tensor
from tfpy._src.core.dispatch import dispatchable, per_value
from tfpy._src.core.indexed_slices import IndexedSlices
from tfpy._src.core.operators import as_operator
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import DTypeLike, ShapeLike, TensorLike
from tfpy._src.tensors.array.making import cast


def erfcinv(x: TensorLike, name: str | None = None) -> Tensor:
    """Compute the inverse of `tf.math.erfc` elementwise.

    The result is infinite at 0 and 2, and NaN outside of [0, 2].

    Args:
        x: Float tensor.

    Returns:
        Tensor with the shape and dtype of `x`.

    Example:
        >>> import tfpy as tf
        >>> tf.math.erfcinv([0.4795, 1.5205]).numpy().round(3)
        array([ 0.5, -0.5], dtype=float32)

    See also: `tf.math.erfc`, `tf.math.erfinv`.
    """
    return primitives.ndtri(convert_to_tensor(x) * 0.5) * -math.sqrt(0.5)


def lbeta(x: TensorLike, name: str | None = None) -> Tensor:
    """Compute the logarithm of the multivariate beta function along the last axis.

    The result is `sum(lgamma(x)) - lgamma(sum(x))`.

    Args:
        x: Float tensor of shape `[..., n]`.

    Returns:
        Tensor of shape `[...]`, with the dtype of `x`.

    Raises:
        tf.errors.InvalidArgumentError: If `x` is a scalar.

    Example:
        >>> import tfpy as tf
        >>> tf.math.lbeta([[2.0, 1.0], [2.0, 3.0]]).numpy().round(3)
        array([-0.693, -2.485], dtype=float32)

    See also: `tf.math.lgamma`.
    """
    t = convert_to_tensor(x)
    if not t.ndim:
        raise invalid("lbeta", "x must be at least a vector, got a scalar")
    last = (t.ndim - 1, t.ndim)
    total = reduction.reduce_sum(primitives.lgamma(t), axes=last)
    return total - primitives.lgamma(reduction.reduce_sum(t, axes=last))


def _pair(x: TensorLike, y: TensorLike) -> tuple[Tensor, Tensor]:
    """Return two operands as tensors. Python numbers take the dtype of the other operand."""
    first, second = as_tensors(ew.add, (x, y))
    return first, second


@as_operator("truediv", reflected=True)
@per_value
def divide(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Divide `x` by `y` elementwise, with broadcasting.

    Integers are converted to floats before the division.

    Args:
        x: Numeric tensor.
        y: Tensor with the dtype of `x`.

    Returns:
        Tensor of the broadcast shape. Float and complex tensors keep their dtype. Integers of 32
        and 64 bits produce float64, which is float32 unless the environment variable
        `TFPY_ENABLE_X64` is set. Smaller integers produce float32.

    Raises:
        TypeError: If `x` and `y` are boolean or have different dtypes.

    Example:
        >>> import tfpy as tf
        >>> tf.divide([1, 3], 2).numpy().tolist()
        [0.5, 1.5]

    See also: `tf.math.divide_no_nan`, `tf.math.floordiv`, `tf.math.multiply`.
    """
    a, b = _pair(x, y)
    if a.dtype.is_bool:
        raise TypeError("divide: x and y are bool; convert them with tf.cast")
    return ew.real_div(*_as_floats("divide", a, b))


def _as_floats(op: str, x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
    """Convert integers to floats: 32 or more bits to float64, others to float32."""
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


def divide_no_nan(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Divide `x` by `y` elementwise, with broadcasting. The result is 0 where `y` is 0.

    Integers are converted to floats before the division.

    Args:
        x: Numeric tensor.
        y: Tensor with the dtype of `x`.

    Returns:
        Tensor of the broadcast shape. Float and complex tensors keep their dtype. Integers of 32
        and 64 bits produce float64, which is float32 unless the environment variable
        `TFPY_ENABLE_X64` is set. Smaller integers produce float32.

    Raises:
        TypeError: If `x` and `y` have different dtypes.
        tf.errors.InvalidArgumentError: If `x` and `y` are boolean.

    Example:
        >>> import tfpy as tf
        >>> tf.math.divide_no_nan([3.0, 1.0], [2.0, 0.0]).numpy().tolist()
        [1.5, 0.0]

    See also: `tf.divide`, `tf.math.reciprocal_no_nan`.
    """
    return ew.divide_no_nan(*_as_floats("divide_no_nan", *_pair(x, y)))


def reciprocal_no_nan(x: TensorLike, name: str | None = None) -> Tensor:
    """Compute `1 / x` elementwise. The result is 0 where `x` is 0.

    Args:
        x: Float or complex tensor.

    Returns:
        Tensor with the shape and dtype of `x`.

    Raises:
        tf.errors.InvalidArgumentError: If `x` is an integer tensor.

    Example:
        >>> import tfpy as tf
        >>> tf.math.reciprocal_no_nan([2.0, 0.0]).numpy().tolist()
        [0.5, 0.0]

    See also: `tf.math.reciprocal`, `tf.math.divide_no_nan`.
    """
    t = convert_to_tensor(x)
    return ew.divide_no_nan(cast(1, t.dtype), t)


@overload
def scalar_mul(scalar: TensorLike, x: Tensor, name: str | None = None) -> Tensor: ...
@overload
def scalar_mul(scalar: TensorLike, x: IndexedSlices, name: str | None = None) -> IndexedSlices: ...
def scalar_mul(
    scalar: TensorLike, x: Tensor | IndexedSlices, name: str | None = None
) -> Tensor | IndexedSlices:
    """Multiply a tensor or `tf.IndexedSlices` by a scalar.

    Args:
        scalar: Scalar that can be converted to the dtype of `x`.
        x: Numeric tensor or `tf.IndexedSlices`.

    Returns:
        Tensor or `tf.IndexedSlices` with the shape and dtype of `x`.

    Raises:
        ValueError: If `scalar` is not a scalar.

    Example:
        >>> import tfpy as tf
        >>> tf.scalar_mul(3, tf.constant([1, 2])).numpy().tolist()
        [3, 6]

    See also: `tf.multiply`.
    """
    number = convert_to_tensor(scalar, x.dtype)
    if number.ndim:
        raise ValueError(f"The input scalar must be a 0-D value. Received shape {number.shape}.")
    if isinstance(x, IndexedSlices):
        return x.with_differentiable(number * x.values)
    return number * x


@per_value
def sign(x: TensorLike, name: str | None = None) -> Tensor:
    """Return the sign of each element: -1, 0 or 1.

    For complex numbers, the result is `x / abs(x)`, or 0 where `x` is 0.

    Args:
        x: Numeric tensor.

    Returns:
        Tensor with the shape and dtype of `x`.

    Example:
        >>> import tfpy as tf
        >>> tf.sign([-2.5, 0.0, 7.0]).numpy().tolist()
        [-1.0, 0.0, 1.0]

    See also: `tf.abs`.
    """
    t = convert_to_tensor(x)
    if t.dtype.is_complex:
        return ew.divide_no_nan(t, cast(ew.abs_(t), t.dtype))
    return ew.sign(t)


@dispatchable
def add_n(inputs: Sequence[TensorLike], name: str | None = None) -> Tensor:
    """Add tensors of the same shape elementwise.

    Args:
        inputs: Sequence of numeric tensors of the same shape and dtype.

    Returns:
        Tensor with the shape and dtype of the inputs.

    Raises:
        ValueError: If there are no inputs.
        tf.errors.InvalidArgumentError: If the shapes differ.

    Example:
        >>> import tfpy as tf
        >>> tf.add_n([[1, 2], [3, 4], [5, 6]]).numpy().tolist()
        [9, 12]

    See also: `tf.add`, `tf.reduce_sum`.
    """
    if not inputs:
        raise ValueError("add_n: inputs must be an iterable of at least one tensor.")
    first, *rest = [convert_to_tensor(t) for t in inputs]
    shapes = [list(t.aval.shape) for t in (first, *rest)]
    if any(shape != shapes[0] for shape in shapes):
        raise invalid("add_n", f"Shapes of all inputs must match: {shapes}")
    for t in rest:
        first = ew.add(first, t)
    return first


@per_value
def log_sigmoid(x: TensorLike, name: str | None = None) -> Tensor:
    """Compute `log(sigmoid(x))` elementwise.

    The computation does not overflow for large negative elements.

    Args:
        x: Float tensor.

    Returns:
        Tensor with the shape and dtype of `x`.

    Example:
        >>> import tfpy as tf
        >>> tf.math.log_sigmoid([-100.0, 0.0, 2.0]).numpy().round(3)
        array([-100.   ,   -0.693,   -0.127], dtype=float32)

    See also: `tf.sigmoid`, `tf.math.softplus`.
    """
    return -activation.softplus(-convert_to_tensor(x))


@per_value
def clip_by_value(
    t: TensorLike, clip_value_min: TensorLike, clip_value_max: TensorLike, name: str | None = None
) -> Tensor:
    """Clip the elements of a tensor to a range.

    Args:
        t: Numeric tensor.
        clip_value_min: Lower bound, which can be broadcast to the shape of `t`.
        clip_value_max: Upper bound, which can be broadcast to the shape of `t`.

    Returns:
        Tensor with the shape and dtype of `t`.

    Raises:
        ValueError: If a bound cannot be broadcast to the shape of `t` without changing that shape.

    Example:
        >>> import tfpy as tf
        >>> tf.clip_by_value([-1, 0, 5], 0, 3).numpy().tolist()
        [0, 0, 3]

    See also: `tf.clip_by_norm`, `tf.minimum`, `tf.maximum`.
    """
    x = convert_to_tensor(t)
    clipped = ew.maximum(ew.minimum(x, clip_value_max), clip_value_min)
    if clipped.aval.shape != x.aval.shape:
        raise ValueError(
            f"clip_by_value: the bounds broadcast the tensor of shape {x.shape} to "
            f"{clipped.shape}; broadcast the tensor first"
        )
    return clipped


def accumulate_n(
    inputs: Sequence[TensorLike],
    shape: ShapeLike | None = None,
    tensor_dtype: DTypeLike | None = None,
    name: str | None = None,
) -> Tensor:
    """Add tensors of the same shape elementwise.

    Equivalent to `tf.add_n`.

    Args:
        inputs: Sequence of numeric tensors of the same shape and dtype.
        shape: Has no effect.
        tensor_dtype: Has no effect.

    Returns:
        Tensor with the shape and dtype of the inputs.

    Raises:
        tf.errors.InvalidArgumentError: If the shapes differ.

    Example:
        >>> import tfpy as tf
        >>> tf.math.accumulate_n([tf.constant([1, 2]), tf.constant([3, 4])]).numpy().tolist()
        [4, 6]

    See also: `tf.add_n`.
    """
    return add_n(inputs)


def polyval(coeffs: list[TensorLike], x: TensorLike, name: str | None = None) -> Tensor:
    """Evaluate a polynomial elementwise.

    Args:
        coeffs: List of coefficients, from the highest power to the constant. They are numbers, or
            tensors that can be broadcast with `x`.
        x: Numeric tensor.

    Returns:
        Tensor of the broadcast shape, with the dtype of `x`.

    Raises:
        ValueError: If `coeffs` is not a list.

    Example:
        >>> import tfpy as tf
        >>> tf.math.polyval([2, 0, 1], 3).numpy().tolist()
        19

    See also: `tf.pow`, `tf.add_n`.
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
