"""Variances, standard deviations and norms, which are composed of sums."""

from __future__ import annotations

from tfpy._src.backends.registry import storable
from tfpy._src.base import dtypes
from tfpy._src.compiler.ops import elementwise as ew
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.dispatch import dispatchable
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import Axis, TensorLike
from tfpy._src.tensors.array.complex_numbers import conj, real
from tfpy._src.tensors.array.making import cast
from tfpy._src.tensors.math.reductions import reduce_mean, reduce_sum


@dispatchable
def reduce_variance(
    input_tensor: TensorLike, axis: Axis = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """Compute the variance of elements over the given axes.

    The sum of squares is divided by the number of elements n, not by n - 1.

    Args:
        input_tensor: Float or complex tensor.
        axis: Axis or axes to reduce; negative values count from the end. Default: all axes.
        keepdims: If True, keep the reduced axes as dimensions of size 1.

    Returns:
        Float tensor, without the reduced axes unless `keepdims` is True. It has the dtype of
        `input_tensor`, or float32 for complex64 and float64 for complex128.

    Raises:
        TypeError: If `input_tensor` is an integer tensor.

    Example:
        >>> import tfpy as tf
        >>> x = tf.constant([[1.0, 2.0], [3.0, 5.0]])
        >>> tf.math.reduce_variance(x, axis=1).numpy().tolist()
        [0.25, 1.0]

    See also: `tf.math.reduce_std`, `tf.nn.moments`.
    """
    x = convert_to_tensor(input_tensor)
    if x.dtype.is_integer:
        raise TypeError(
            f"Input must be either real or complex. Received integer type {x.dtype.name}."
        )
    return reduce_mean(_squared_length(x - reduce_mean(x, axis, True)), axis, keepdims)


def _squared_length(x: Tensor) -> Tensor:
    """Return `abs(x)**2`, which is real."""
    return real(x * conj(x)) if x.dtype.is_complex else ew.square(x)


@dispatchable
def reduce_std(
    input_tensor: TensorLike, axis: Axis = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """Compute the standard deviation of elements over the given axes.

    The sum of squares is divided by the number of elements n, not by n - 1.

    Args:
        input_tensor: Float or complex tensor.
        axis: Axis or axes to reduce; negative values count from the end. Default: all axes.
        keepdims: If True, keep the reduced axes as dimensions of size 1.

    Returns:
        Float tensor, without the reduced axes unless `keepdims` is True. It has the dtype of
        `input_tensor`, or float32 for complex64 and float64 for complex128.

    Raises:
        TypeError: If `input_tensor` is an integer tensor.

    Example:
        >>> import tfpy as tf
        >>> x = tf.constant([[1.0, 2.0], [3.0, 5.0]])
        >>> tf.math.reduce_std(x, axis=1).numpy().tolist()
        [0.5, 1.0]

    See also: `tf.math.reduce_variance`, `tf.nn.moments`.
    """
    return ew.sqrt(reduce_variance(input_tensor, axis, keepdims))


def reduce_euclidean_norm(
    input_tensor: TensorLike, axis: Axis = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """Compute the Euclidean norm `sqrt(sum(x**2))` of elements over the given axes.

    Args:
        input_tensor: Numeric tensor.
        axis: Axis or axes to reduce; negative values count from the end. Default: all axes.
        keepdims: If True, keep the reduced axes as dimensions of size 1.

    Returns:
        Tensor with the dtype of `input_tensor`, without the reduced axes unless `keepdims` is True.

    Raises:
        tf.errors.InvalidArgumentError: If an axis is out of range or occurs twice.

    Example:
        >>> import tfpy as tf
        >>> tf.math.reduce_euclidean_norm([[3.0, 4.0], [0.0, 5.0]], axis=1).numpy().tolist()
        [5.0, 5.0]

    See also: `tf.norm`, `tf.math.l2_normalize`.
    """
    x = convert_to_tensor(input_tensor)
    total = reduce_sum(_squared_length(x), axis, keepdims)
    if x.dtype.is_integer:
        total = cast(total, dtypes.float64)
    return cast(ew.sqrt(total), x.dtype)


def l2_normalize(
    x: TensorLike, axis: Axis = None, epsilon: float = 1e-12, name: str | None = None
) -> Tensor:
    """Divide a tensor by its Euclidean norm over the given axes.

    Args:
        x: Float or complex tensor.
        axis: Axis or axes of the norm; negative values count from the end. Default: all axes.
        epsilon: Lower bound of the squared norm, which avoids a division by 0. Default: 1e-12. If
            the backend stores numbers as float16, the bound is at least 1e-4.

    Returns:
        Tensor with the shape and dtype of `x`.

    Raises:
        tf.errors.InvalidArgumentError: If an axis is out of range or occurs twice.

    Example:
        >>> import tfpy as tf
        >>> tf.math.l2_normalize([[3.0, 4.0], [0.0, 5.0]], axis=1).numpy().round(3)
        array([[0.6, 0.8],
               [0. , 1. ]], dtype=float32)

    See also: `tf.linalg.normalize`, `tf.norm`.
    """
    t = convert_to_tensor(x)
    total = reduce_sum(_squared_length(t), axis, keepdims=True)
    return t * cast(ew.rsqrt(ew.maximum(total, storable(epsilon))), t.dtype)
