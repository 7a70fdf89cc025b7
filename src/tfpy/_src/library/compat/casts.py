"""`tf.compat.v1.to_float` and other small functions of TensorFlow 1."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tfpy._src.base import dtypes
from tfpy._src.base.dtypes import DType
from tfpy._src.compiler.ops import elementwise as ew
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.primitives import relu
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import ShapeLike, TensorLike
from tfpy._src.tensors.array import making, slicing
from tfpy._src.tensors.linalg import products
from tfpy._src.tensors.math import arithmetic
from tfpy._src.tensors.nn import layers


def _conversion(name: str, dtype: DType) -> Callable[..., Tensor]:
    def function(x: TensorLike, name: str | None = None) -> Tensor:
        return making.cast(x, dtype)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"""Convert a tensor to {name.removeprefix("to_")}, as `tf.cast` does.

    Args:
        x: Tensor.

    Returns:
        Tensor of the same shape.

    Example:
        >>> import tfpy as tf
        >>> tf.compat.v1.{name}([1, 2]).shape
        TensorShape([2])

    See also: `tf.cast`.
    """
    return function


to_float = _conversion("to_float", dtypes.float32)
to_double = _conversion("to_double", dtypes.float64)
to_int32 = _conversion("to_int32", dtypes.int32)
to_int64 = _conversion("to_int64", dtypes.int64)
to_bfloat16 = _conversion("to_bfloat16", dtypes.bfloat16)
to_complex64 = _conversion("to_complex64", dtypes.complex64)
to_complex128 = _conversion("to_complex128", dtypes.complex128)


def div(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Divide as Python 2 does: integers are rounded down, floats are not.

    Args:
        x: Numeric tensor.
        y: Numeric tensor of the same dtype, which broadcasts with `x`.

    Returns:
        Tensor of the same dtype.

    Example:
        >>> import tfpy as tf
        >>> print(tf.compat.v1.div(7, 2).numpy(), tf.compat.v1.div(7.0, 2.0).numpy())
        3 3.5

    See also: `tf.math.floordiv`, `tf.math.divide`.
    """
    first = convert_to_tensor(x)
    divide = ew.floor_div if first.dtype.is_integer else arithmetic.truediv
    found: Tensor = divide(first, y)
    return found


def dimension_value(dimension: Any) -> int | None:
    """Return the size of a dimension.

    Args:
        dimension: A `tf.compat.v1.Dimension`, an int or None.

    Returns:
        An int, or None for an unknown size.

    Example:
        >>> import tfpy as tf
        >>> tf.compat.v1.dimension_value(tf.zeros([2, 3]).shape[1])
        3

    See also: `tf.compat.v1.dimension_at_index`.
    """
    found: int | None = getattr(dimension, "value", dimension)
    return found


def dropout(
    x: TensorLike,
    keep_prob: TensorLike | None = None,
    noise_shape: ShapeLike | None = None,
    seed: int | None = None,
    name: str | None = None,
    rate: TensorLike | None = None,
) -> Tensor:
    """Set random elements to zero, and scale the others so that the mean stays the same.

    Args:
        x: Float tensor.
        keep_prob: Probability that an element is kept.
        noise_shape: Shape of the random decisions. Default: the shape of `x`.
        seed: Integer that makes the random numbers reproducible.
        rate: Probability that an element is set to zero, in place of `keep_prob`.

    Returns:
        Float tensor with the shape of `x`.

    Raises:
        ValueError: If neither or both probabilities are passed.

    Example:
        >>> import tfpy as tf
        >>> tf.compat.v1.nn.dropout([1.0, 2.0], keep_prob=1.0).numpy().tolist()
        [1.0, 2.0]

    See also: `tf.nn.dropout`.
    """
    if keep_prob is None and rate is None:
        raise ValueError("`rate` must be specified.")
    if keep_prob is not None and rate is not None:
        raise ValueError("Only one of `keep_prob` and `rate` can be specified.")
    return layers.dropout(x, 1.0 - keep_prob if rate is None else rate, noise_shape, seed)  # type: ignore[operator, arg-type]


def xw_plus_b(
    x: TensorLike, weights: TensorLike, biases: TensorLike, name: str | None = None
) -> Tensor:
    """Compute `matmul(x, weights) + biases`.

    Args:
        x: Float tensor of shape `[batch, inputs]`.
        weights: Float tensor of shape `[inputs, outputs]`.
        biases: Float tensor of shape `[outputs]`.

    Returns:
        Float tensor of shape `[batch, outputs]`.

    Example:
        >>> import tfpy as tf
        >>> tf.compat.v1.nn.xw_plus_b([[1.0, 2.0]], [[1.0], [1.0]], [0.5]).numpy().tolist()
        [[3.5]]

    See also: `tf.linalg.matmul`.
    """
    found: Tensor = ew.add(products.matmul(x, weights), biases)
    return found


def relu_layer(
    x: TensorLike, weights: TensorLike, biases: TensorLike, name: str | None = None
) -> Tensor:
    """Compute `relu(matmul(x, weights) + biases)`.

    Args:
        x: Float tensor of shape `[batch, inputs]`.
        weights: Float tensor of shape `[inputs, outputs]`.
        biases: Float tensor of shape `[outputs]`.

    Returns:
        Float tensor of shape `[batch, outputs]`.

    Example:
        >>> import tfpy as tf
        >>> w = [[1.0, -1.0]]
        >>> tf.compat.v1.nn.relu_layer([[2.0]], w, [0.5, 0.5]).numpy().tolist()
        [[2.5, 0.0]]

    See also: `tf.nn.relu`.
    """
    found: Tensor = relu(xw_plus_b(x, weights, biases))
    return found


def batch_gather(params: TensorLike, indices: TensorLike, name: str | None = None) -> Tensor:
    """Gather along the last axis of the indices. All axes before it are batch axes.

    Args:
        params: Tensor, whose shape begins with the batch axes of `indices`.
        indices: Integer tensor with at least one axis.

    Returns:
        Tensor of shape `[*indices.shape, *params.shape[indices.ndim:]]`.

    Raises:
        ValueError: If `indices` is a scalar.

    Example:
        >>> import tfpy as tf
        >>> tf.compat.v1.batch_gather([[1, 2], [3, 4]], [[1], [0]]).numpy().tolist()
        [[2], [3]]

    See also: `tf.gather`.
    """
    places = convert_to_tensor(indices)
    if not places.ndim:
        raise ValueError("batch_gather: indices must have at least one axis, got a scalar")
    return slicing.gather(params, places, axis=places.ndim - 1, batch_dims=places.ndim - 1)
