"""Reductions over any axes (`tf.reduce_*`), and functions that are composed of them."""

from __future__ import annotations

from typing import Any

from tfpy._src.base import dtypes
from tfpy._src.base.errors import invalid
from tfpy._src.compiler.ir.op import Op
from tfpy._src.compiler.ops import elementwise as ew, logic, reduction, special
from tfpy._src.compiler.ops.families.infer import normalize_axis
from tfpy._src.core.conversion import convert_to_tensor, is_operand
from tfpy._src.core.dispatch import dispatchable
from tfpy._src.core.tape import stop_gradient
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import Axis, DTypeLike, TensorLike
from tfpy._src.tensors.array.making import cast
from tfpy._src.tensors.array.reshaping import identity, squeeze
from tfpy._src.tensors.array.static import static_ints


def _axes(op: str, x: Tensor, axis: Any) -> tuple[int, ...]:
    """Return the axes to reduce, counted from the front."""
    if axis is None:
        return tuple(range(x.ndim))
    axes = tuple(normalize_axis(op, a, x.ndim) for a in static_ints(axis))
    if len(set(axes)) != len(axes):
        raise invalid(op, f"Invalid reduction arguments: Axes contains duplicate dimension: {axes}")
    return axes


def _reduce(op: Op, input_tensor: TensorLike, axis: Axis, keepdims: bool) -> Tensor:
    """Apply a reduction op over some axes."""
    x = convert_to_tensor(input_tensor, None if is_operand(input_tensor) else op.only)
    axes = _axes(op.name, x, axis)
    if not axes:
        op.infer(x.aval, axes=(0, 0))  # checks the dtype although there is nothing to reduce
        return identity(x)
    reduced: Tensor = reduction.reduce_axes(op, x, axes, keepdims)
    return reduced


@dispatchable
def reduce_sum(
    input_tensor: TensorLike, axis: Axis = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """Compute the sum of elements over the given axes.

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
        >>> x = tf.constant([[1.0, 2.0], [3.0, 5.0]])
        >>> tf.reduce_sum(x, axis=1).numpy().tolist()
        [3.0, 8.0]

    See also: `tf.reduce_mean`, `tf.cumsum`, `tf.add_n`.
    """
    return _reduce(reduction.reduce_sum, input_tensor, axis, keepdims)


@dispatchable
def reduce_prod(
    input_tensor: TensorLike, axis: Axis = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """Compute the product of elements over the given axes.

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
        >>> x = tf.constant([[1.0, 2.0], [3.0, 5.0]])
        >>> tf.reduce_prod(x, axis=0).numpy().tolist()
        [3.0, 10.0]

    See also: `tf.reduce_sum`, `tf.math.cumprod`.
    """
    return _reduce(reduction.reduce_prod, input_tensor, axis, keepdims)


@dispatchable
def reduce_max(
    input_tensor: TensorLike, axis: Axis = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """Compute the maximum of elements over the given axes.

    Args:
        input_tensor: Integer or float tensor.
        axis: Axis or axes to reduce; negative values count from the end. Default: all axes.
        keepdims: If True, keep the reduced axes as dimensions of size 1.

    Returns:
        Tensor with the dtype of `input_tensor`, without the reduced axes unless `keepdims` is True.

    Raises:
        tf.errors.InvalidArgumentError: If an axis is out of range or occurs twice.

    Example:
        >>> import tfpy as tf
        >>> x = tf.constant([[1.0, 2.0], [3.0, 5.0]])
        >>> tf.reduce_max(x, axis=1, keepdims=True).numpy().tolist()
        [[2.0], [5.0]]

    See also: `tf.reduce_min`, `tf.argmax`.
    """
    return _reduce(reduction.reduce_max, input_tensor, axis, keepdims)


@dispatchable
def reduce_min(
    input_tensor: TensorLike, axis: Axis = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """Compute the minimum of elements over the given axes.

    Args:
        input_tensor: Integer or float tensor.
        axis: Axis or axes to reduce; negative values count from the end. Default: all axes.
        keepdims: If True, keep the reduced axes as dimensions of size 1.

    Returns:
        Tensor with the dtype of `input_tensor`, without the reduced axes unless `keepdims` is True.

    Raises:
        tf.errors.InvalidArgumentError: If an axis is out of range or occurs twice.

    Example:
        >>> import tfpy as tf
        >>> x = tf.constant([[1.0, 2.0], [3.0, 5.0]])
        >>> tf.reduce_min(x, axis=0).numpy().tolist()
        [1.0, 2.0]

    See also: `tf.reduce_max`, `tf.argmin`.
    """
    return _reduce(reduction.reduce_min, input_tensor, axis, keepdims)


@dispatchable
def reduce_any(
    input_tensor: TensorLike, axis: Axis = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """Compute the logical OR of elements over the given axes.

    Args:
        input_tensor: Boolean tensor.
        axis: Axis or axes to reduce; negative values count from the end. Default: all axes.
        keepdims: If True, keep the reduced axes as dimensions of size 1.

    Returns:
        Boolean tensor, without the reduced axes unless `keepdims` is True.

    Raises:
        tf.errors.InvalidArgumentError: If an axis is out of range or occurs twice.

    Example:
        >>> import tfpy as tf
        >>> tf.reduce_any([[True, False], [False, False]], axis=1).numpy().tolist()
        [True, False]

    See also: `tf.reduce_all`.
    """
    return _reduce(reduction.reduce_any, input_tensor, axis, keepdims)


@dispatchable
def reduce_all(
    input_tensor: TensorLike, axis: Axis = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """Compute the logical AND of elements over the given axes.

    Args:
        input_tensor: Boolean tensor.
        axis: Axis or axes to reduce; negative values count from the end. Default: all axes.
        keepdims: If True, keep the reduced axes as dimensions of size 1.

    Returns:
        Boolean tensor, without the reduced axes unless `keepdims` is True.

    Raises:
        tf.errors.InvalidArgumentError: If an axis is out of range or occurs twice.

    Example:
        >>> import tfpy as tf
        >>> tf.reduce_all([[True, False], [True, True]], axis=1).numpy().tolist()
        [False, True]

    See also: `tf.reduce_any`.
    """
    return _reduce(reduction.reduce_all, input_tensor, axis, keepdims)


@dispatchable
def reduce_mean(
    input_tensor: TensorLike, axis: Axis = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """Compute the mean of elements over the given axes.

    The mean of integers is rounded toward zero to an integer, as in TensorFlow.

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
        >>> x = tf.constant([[1.0, 2.0], [3.0, 5.0]])
        >>> tf.reduce_mean(x, axis=0).numpy().tolist()
        [2.0, 3.5]

    See also: `tf.reduce_sum`, `tf.math.reduce_variance`.
    """
    x = convert_to_tensor(input_tensor)
    if x.dtype.is_integer:
        return _integer_mean(x, axis, keepdims)
    total = reduce_sum(x, axis, keepdims)
    count = x.size // max(total.size, 1) if x.size else 0
    return total * (1.0 / count if count else 0.0 if x.dtype.is_complex else float("nan"))


def _integer_mean(x: Tensor, axis: Any, keepdims: bool) -> Tensor:
    """Compute the mean of integers from the sums of quotients and remainders.

    These sums stay in the range of the dtype, but the sum of the elements may not.
    """
    if x.dtype.size == 1:
        return cast(_integer_mean(cast(x, dtypes.int32), axis, keepdims), x.dtype)
    if x.dtype == dtypes.uint64:  # sums of uint64 wrap in TensorFlow
        total = reduce_sum(x, axis, keepdims)
        return ew.floor_div(total, max(x.size // max(total.size, 1), 1))
    reduced = _reduce(reduction.reduce_max, x, axis, keepdims)
    count = max(x.size // max(reduced.size, 1), 1)
    quotients = special.truncatediv(x, count)
    rest = reduce_sum(x - quotients * count, axis, keepdims)
    mean = reduce_sum(quotients, axis, keepdims) + special.truncatediv(rest, count)
    rest = special.truncatemod(rest, count)
    up, down = logic.logical_and(mean < 0, rest > 0), logic.logical_and(mean > 0, rest < 0)
    return mean + cast(up, x.dtype) - cast(down, x.dtype)


@dispatchable
def reduce_logsumexp(
    input_tensor: TensorLike, axis: Axis = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """Compute `log(sum(exp(x)))` of elements over the given axes.

    The computation does not overflow for large elements.

    Args:
        input_tensor: Float tensor.
        axis: Axis or axes to reduce; negative values count from the end. Default: all axes.
        keepdims: If True, keep the reduced axes as dimensions of size 1.

    Returns:
        Tensor with the dtype of `input_tensor`, without the reduced axes unless `keepdims` is True.

    Raises:
        tf.errors.InvalidArgumentError: If an axis is out of range or occurs twice.

    Example:
        >>> import tfpy as tf
        >>> tf.reduce_logsumexp([[0.0, 0.0], [1000.0, 0.0]], axis=1).numpy().tolist()
        [0.6931471824645996, 1000.0]

    See also: `tf.math.cumulative_logsumexp`, `tf.nn.log_softmax`.
    """
    x = convert_to_tensor(input_tensor)
    peak = stop_gradient(reduce_max(x, axis, True))
    peak = logic.select(logic.is_finite(peak), peak, 0.0)
    total = ew.log(reduce_sum(ew.exp(x - peak), axis, True)) + peak
    axes = _axes("reduce_logsumexp", x, axis)
    return squeeze(total, axes) if axes and not keepdims else total


def count_nonzero(
    input: TensorLike,
    axis: Axis = None,
    keepdims: bool = False,
    dtype: DTypeLike = dtypes.int64,
    name: str | None = None,
) -> Tensor:
    """Count the elements that are not 0 over the given axes.

    False and empty strings count as 0.

    Args:
        input: Tensor of any dtype.
        axis: Axis or axes to reduce; negative values count from the end. Default: all axes.
        keepdims: If True, keep the reduced axes as dimensions of size 1.
        dtype: Dtype of the result. Default: int64. Unless the environment variable
            `TFPY_ENABLE_X64` is set, `tf.int64` and `tf.float64` are aliases of `tf.int32` and
            `tf.float32`.

    Returns:
        Tensor of dtype `dtype`, without the reduced axes unless `keepdims` is True.

    Raises:
        tf.errors.InvalidArgumentError: If an axis is out of range or occurs twice.

    Example:
        >>> import tfpy as tf
        >>> tf.math.count_nonzero([[0, 1, 2], [0, 0, 3]], axis=1).numpy().tolist()
        [2, 1]

    See also: `tf.math.zero_fraction`, `tf.reduce_sum`.
    """
    x = convert_to_tensor(input)
    hit = x if x.dtype.is_bool else logic.not_equal(x, "" if x.dtype == dtypes.string else 0)
    return cast(reduce_sum(cast(hit, dtypes.int64), axis, keepdims), dtype)
