"""Cumulative sums, products and log-sum-exp along an axis."""

from __future__ import annotations

from typing import Any

from tfpy._src.compiler.ir.op import Op
from tfpy._src.compiler.ops import scan
from tfpy._src.compiler.ops.failing import failing
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.dispatch import dispatchable
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import IntLike, TensorLike
from tfpy._src.tensors.array.static import static_int


def _scan(op: Op, x: TensorLike, axis: Any, exclusive: bool, reverse: bool) -> Tensor:
    """Apply a cumulative op along an axis."""
    tensor = convert_to_tensor(x)
    at, rank = static_int(axis), tensor.ndim
    if not -rank <= at < rank:
        message = f"Expected scan axis in the range [{-rank}, {rank}), but got {at}"
        found: Tensor = failing(op.name, message, (tensor,), tensor.aval.shape, tensor.dtype)
        return found
    return op(tensor, axis=at % rank, exclusive=bool(exclusive), reverse=bool(reverse))


@dispatchable
def cumsum(
    x: TensorLike,
    axis: IntLike = 0,
    exclusive: bool = False,
    reverse: bool = False,
    name: str | None = None,
) -> Tensor:
    """Compute the cumulative sum along an axis.

    Args:
        x: Numeric tensor of rank 1 or more.
        axis: Axis to accumulate along. Negative values count from the end. Default: 0.
        exclusive: If True, the sum at a position does not include the element at that position.
        reverse: If True, accumulate from the end of the axis to its start.

    Returns:
        Tensor with the shape and dtype of `x`.

    Raises:
        tf.errors.InvalidArgumentError: If `x` is a scalar or boolean, or the axis is out of range.

    Example:
        >>> import tfpy as tf
        >>> tf.cumsum([1, 2, 3]).numpy().tolist()
        [1, 3, 6]
        >>> tf.cumsum([1, 2, 3], exclusive=True).numpy().tolist()
        [0, 1, 3]

    See also: `tf.math.cumprod`, `tf.math.cumulative_logsumexp`, `tf.reduce_sum`.
    """
    return _scan(scan.cumsum, x, axis, exclusive, reverse)


def cumprod(
    x: TensorLike,
    axis: IntLike = 0,
    exclusive: bool = False,
    reverse: bool = False,
    name: str | None = None,
) -> Tensor:
    """Compute the cumulative product along an axis.

    Args:
        x: Numeric tensor of rank 1 or more.
        axis: Axis to accumulate along. Negative values count from the end. Default: 0.
        exclusive: If True, the product at a position does not include the element at that position.
        reverse: If True, accumulate from the end of the axis to its start.

    Returns:
        Tensor with the shape and dtype of `x`.

    Raises:
        tf.errors.InvalidArgumentError: If `x` is a scalar or boolean, or the axis is out of range.

    Example:
        >>> import tfpy as tf
        >>> tf.math.cumprod([1, 2, 3, 4]).numpy().tolist()
        [1, 2, 6, 24]
        >>> tf.math.cumprod([1, 2, 3, 4], exclusive=True).numpy().tolist()
        [1, 1, 2, 6]

    See also: `tf.math.cumsum`, `tf.reduce_prod`.
    """
    return _scan(scan.cumprod, x, axis, exclusive, reverse)


def cumulative_logsumexp(
    x: TensorLike,
    axis: IntLike = 0,
    exclusive: bool = False,
    reverse: bool = False,
    name: str | None = None,
) -> Tensor:
    """Compute the cumulative `log(sum(exp(x)))` along an axis.

    The computation does not overflow for large elements.

    Args:
        x: Float tensor of rank 1 or more.
        axis: Axis to accumulate along. Negative values count from the end. Default: 0.
        exclusive: If True, the result at a position does not include the element at that position.
        reverse: If True, accumulate from the end of the axis to its start.

    Returns:
        Tensor with the shape and dtype of `x`.

    Raises:
        tf.errors.InvalidArgumentError: If `x` is a scalar or not a float tensor, or the axis is out
            of range.

    Example:
        >>> import tfpy as tf
        >>> tf.math.cumulative_logsumexp([0.0, 0.0, 0.0]).numpy().round(3)
        array([0.   , 0.693, 1.099], dtype=float32)

    See also: `tf.math.cumsum`, `tf.reduce_logsumexp`.
    """
    return _scan(scan.cumulative_logsumexp, x, axis, exclusive, reverse)
