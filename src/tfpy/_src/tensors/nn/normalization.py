"""Statistics and normalization: functions of `tf.nn`."""

from __future__ import annotations

import math
from typing import Any

from tfpy._src.base.errors import invalid
from tfpy._src.compiler.ops import convolution, elementwise as ew
from tfpy._src.compiler.ops.families import infer
from tfpy._src.compiler.ops.families.infer import normalize_axis
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.tape import stop_gradient
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import Axis, FloatLike, IntLike, TensorLike
from tfpy._src.tensors.array.making import as_floats, cast, ones
from tfpy._src.tensors.array.reshaping import broadcast_to, reshape, squeeze, transpose
from tfpy._src.tensors.array.static import attribute_ints, static_ints
from tfpy._src.tensors.math import reductions

__all__ = [
    "batch_normalization",
    "fused_batch_norm",
    "local_response_normalization",
    "lrn",
    "moments",
    "normalize_moments",
    "sufficient_statistics",
    "weighted_moments",
]


def moments(
    x: TensorLike,
    axes: Axis,
    shift: TensorLike | None = None,
    keepdims: bool = False,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """Compute the mean and the variance over some axes.

    Args:
        x: Float tensor of any shape.
        axes: Axis or axes to reduce; negative values count from the end.
        shift: Has no effect, as in TensorFlow.
        keepdims: If True, keep the reduced axes with size 1.

    Returns:
        Tuple `(mean, variance)` of tensors of the dtype of `x`.

    Example:
        >>> import tfpy as tf
        >>> x = tf.constant([[1.0, 3.0], [2.0, 4.0]])
        >>> mean, variance = tf.nn.moments(x, axes=[1])
        >>> mean.numpy().tolist(), variance.numpy().tolist()
        ([2.0, 3.0], [1.0, 1.0])

    See also: `tf.nn.weighted_moments`, `tf.nn.batch_normalization`.
    """
    t = convert_to_tensor(x)
    mean = reductions.reduce_mean(t, axes, keepdims=True)
    variance = reductions.reduce_mean(ew.squared_difference(t, stop_gradient(mean)), axes, keepdims)
    return (mean if keepdims else reshape(mean, variance.aval.shape)), variance


def weighted_moments(
    x: TensorLike,
    axes: Axis,
    frequency_weights: TensorLike,
    keepdims: bool = False,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """Compute the mean and the variance over some axes, with a weight for each element.

    Both are 0 where all weights are 0.

    Args:
        x: Float tensor of any shape.
        axes: Axis or axes to reduce; negative values count from the end.
        frequency_weights: Number of occurrences of each element, a tensor that broadcasts against
            `x`.
        keepdims: If True, keep the reduced axes with size 1.

    Returns:
        Tuple `(mean, variance)` of tensors of the dtype of `x`.

    Raises:
        tf.errors.InvalidArgumentError: If the shapes of `x` and `frequency_weights` are not
            compatible.

    Example:
        >>> import tfpy as tf
        >>> x, weights = [1.0, 5.0], [3.0, 1.0]
        >>> mean, variance = tf.nn.weighted_moments(x, axes=[0], frequency_weights=weights)
        >>> mean.numpy().tolist(), variance.numpy().tolist()
        (2.0, 3.0)

    See also: `tf.nn.moments`.
    """
    t = convert_to_tensor(x)
    weights = cast(frequency_weights, t.dtype)
    shape = infer.broadcast_shapes("weighted_moments", t.aval.shape, weights.aval.shape)
    counts = broadcast_to(weights, shape)
    total = reductions.reduce_sum(counts, axes, keepdims=True)
    mean = ew.divide_no_nan(reductions.reduce_sum(counts * t, axes, keepdims=True), total)
    spread = reductions.reduce_sum(counts * ew.squared_difference(t, mean), axes, keepdims=True)
    variance = ew.divide_no_nan(spread, total)
    if keepdims:
        return mean, variance
    return squeeze(mean, axes), squeeze(variance, axes)


def sufficient_statistics(
    x: TensorLike,
    axes: Axis,
    shift: TensorLike | None = None,
    keepdims: bool = False,
    name: str | None = None,
) -> tuple[Tensor, Tensor, Tensor, Tensor | None]:
    """Compute count, sum and sum of squares over some axes, for `tf.nn.normalize_moments`.

    Args:
        x: Float tensor of any shape.
        axes: Axis or axes to reduce; negative values count from the end.
        shift: Tensor that is subtracted from `x` first, for numerical stability. Default: no shift.
        keepdims: If True, keep the reduced axes with size 1.

    Returns:
        Tuple `(count, sum, sum_of_squares, shift)` of tensors of the dtype of `x`; `shift` is None
        if none was given.

    Example:
        >>> import tfpy as tf
        >>> count, total, squares, shift = tf.nn.sufficient_statistics([1.0, 2.0, 3.0], axes=[0])
        >>> count.numpy().tolist(), total.numpy().tolist(), squares.numpy().tolist()
        (3.0, 6.0, 14.0)

    See also: `tf.nn.normalize_moments`, `tf.nn.moments`.
    """
    t = convert_to_tensor(x)
    reduced = {normalize_axis("sufficient_statistics", a, t.ndim) for a in static_ints(axes)}
    count = cast(math.prod(t.aval.shape[i] for i in reduced), t.dtype)
    if shift is None:
        return (
            count,
            reductions.reduce_sum(t, axes, keepdims),
            reductions.reduce_sum(ew.square(t), axes, keepdims),
            None,
        )
    moved = t - shift
    return (
        count,
        reductions.reduce_sum(moved, axes, keepdims),
        reductions.reduce_sum(ew.square(moved), axes, keepdims),
        convert_to_tensor(shift),
    )


def normalize_moments(
    counts: TensorLike,
    mean_ss: TensorLike,
    variance_ss: TensorLike,
    shift: TensorLike | None,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """Compute the mean and the variance from the results of `tf.nn.sufficient_statistics`.

    Args:
        counts: Scalar float tensor, the number of elements.
        mean_ss: Float tensor, the sums of the (shifted) elements.
        variance_ss: Float tensor, the sums of the squares of the (shifted) elements.
        shift: Tensor that was subtracted from the elements, or None.

    Returns:
        Tuple `(mean, variance)` of float tensors.

    Example:
        >>> import tfpy as tf
        >>> mean, variance = tf.nn.normalize_moments(4.0, [8.0], [20.0], shift=None)
        >>> mean.numpy().tolist(), variance.numpy().tolist()
        ([2.0], [1.0])

    See also: `tf.nn.sufficient_statistics`.
    """
    factor = ew.reciprocal(counts)
    shifted = mean_ss * factor
    mean = shifted if shift is None else shifted + shift
    return mean, variance_ss * factor - ew.square(shifted)


def batch_normalization(
    x: TensorLike,
    mean: TensorLike,
    variance: TensorLike,
    offset: TensorLike | None,
    scale: TensorLike | None,
    variance_epsilon: FloatLike,
    name: str | None = None,
) -> Tensor:
    """Compute `(x - mean) / sqrt(variance + epsilon) * scale + offset`, with broadcasting.

    Args:
        x: Float tensor of any shape.
        mean: Float tensor that broadcasts to the shape of `x`.
        variance: Float tensor that broadcasts to the shape of `x`.
        offset: Float tensor that broadcasts to the shape of `x`, or None for 0.
        scale: Float tensor that broadcasts to the shape of `x`, or None for 1.
        variance_epsilon: Small number that avoids a division by 0.

    Returns:
        Float tensor of the shape and dtype of `x`.

    Example:
        >>> import tfpy as tf
        >>> x = tf.constant([[1.0, 10.0], [3.0, 30.0]])
        >>> mean, variance = tf.nn.moments(x, axes=[0])
        >>> tf.nn.batch_normalization(x, mean, variance, None, None, 1e-7).numpy().round(3).tolist()
        [[-1.0, -1.0], [1.0, 1.0]]

    See also: `tf.nn.moments`, `tf.nn.fused_batch_norm`.
    """
    t = convert_to_tensor(x)
    factor = ew.rsqrt(convert_to_tensor(variance) + variance_epsilon)
    if scale is not None:
        factor = factor * scale
    shift = -convert_to_tensor(mean) * factor
    if offset is not None:
        shift = shift + offset
    return ew.add(t * cast(factor, t.dtype), cast(shift, t.dtype))


def fused_batch_norm(
    x: TensorLike,
    scale: TensorLike,
    offset: TensorLike,
    mean: TensorLike | None = None,
    variance: TensorLike | None = None,
    epsilon: float = 0.001,
    data_format: str = "NHWC",
    is_training: bool = True,
    name: str | None = None,
    exponential_avg_factor: float = 1.0,
) -> tuple[Tensor, Tensor, Tensor]:
    """Normalize each channel of a batch, and return the running statistics.

    TensorFlow has this function as `tf.compat.v1.nn.fused_batch_norm`. The statistics that it
    returns have no gradient.

    Args:
        x: Float tensor of shape `[batch, ..., channels]`, or with the channels first.
        scale: Float tensor of shape `[channels]`.
        offset: Float tensor of shape `[channels]`.
        mean: Float tensor of shape `[channels]`: running mean. Required for inference, and in
            training if `exponential_avg_factor` is not 1.
        variance: Float tensor of shape `[channels]`: running variance, required like `mean`.
        epsilon: Small number that avoids a division by 0.
        data_format: Position of the channels, `"NHWC"` (default) or `"NCHW"`.
        is_training: If True, normalize with the statistics of the batch, else with `mean` and
            `variance`.
        exponential_avg_factor: Weight of the batch's statistics in the running statistics. Default:
            1.

    Returns:
        Tuple `(y, mean, variance)`: the normalized tensor of the shape of `x`, and the running
        statistics of shape `[channels]`.

    Raises:
        ValueError: If `mean` or `variance` is missing where it is required.

    Example:
        >>> import tfpy as tf
        >>> x = tf.reshape([1.0, 3.0], [1, 1, 2, 1])
        >>> y, mean, variance = tf.nn.fused_batch_norm(x, scale=[1.0], offset=[0.0], epsilon=1e-7)
        >>> tf.reshape(y, [2]).numpy().round(3), mean.numpy().tolist()
        (array([-1.,  1.], dtype=float32), [2.0])

    See also: `tf.nn.batch_normalization`.
    """
    t = convert_to_tensor(x)
    if (mean is None or variance is None) and not (is_training and exponential_avg_factor == 1.0):
        raise ValueError(
            "fused_batch_norm: mean and variance are required if is_training is False or "
            "exponential_avg_factor is not 1."
        )
    first = data_format.startswith("NC")
    order = [0, *range(2, t.ndim), 1]
    if first:
        t = transpose(t, order)
    if not is_training:
        given = convert_to_tensor(mean), convert_to_tensor(variance)
        y = batch_normalization(t, *given, offset, scale, epsilon)
    else:
        axes = list(range(t.ndim - 1))
        batch_mean = reductions.reduce_mean(t, axes)
        batch_variance = reductions.reduce_mean(ew.squared_difference(t, batch_mean), axes)
        y = batch_normalization(t, batch_mean, batch_variance, offset, scale, epsilon)
        count = math.prod(t.aval.shape[:-1])
        unbiased = batch_variance * (count / max(count - 1, 1))
        given = _averaged((mean, variance), (batch_mean, unbiased), exponential_avg_factor)
        given = stop_gradient(given[0]), stop_gradient(given[1])
    if first:
        y = transpose(y, [0, t.ndim - 1, *range(1, t.ndim - 1)])
    return y, *given


def _averaged(
    old: tuple[Any, Any], new: tuple[Tensor, Tensor], factor: float
) -> tuple[Tensor, Tensor]:
    """Return the exponential average of old and new statistics."""
    if factor == 1.0:
        return new
    before = [convert_to_tensor(v) * (1 - factor) for v in old]
    return before[0] + new[0] * factor, before[1] + new[1] * factor


def local_response_normalization(
    input: TensorLike,
    depth_radius: IntLike = 5,
    bias: float = 1,
    alpha: float = 1,
    beta: float = 0.5,
    name: str | None = None,
) -> Tensor:
    """Divide each element by a norm of the neighboring channels.

    The result is `input / (bias + alpha * squares) ** beta`, where `squares` is the sum of squares
    over up to `2 * depth_radius + 1` channels around each channel.

    Args:
        input: Float tensor of shape `[batch, height, width, channels]`.
        depth_radius: Number of channels on each side.
        bias: Number that is added to the scaled sum of squares.
        alpha: Scale of the sum of squares.
        beta: Exponent.

    Returns:
        Float tensor of the shape and dtype of `input`.

    Raises:
        tf.errors.InvalidArgumentError: If the rank of the input is not 4.

    Example:
        >>> import tfpy as tf
        >>> x = tf.reshape([3.0, 4.0], [1, 1, 1, 2])
        >>> tf.nn.local_response_normalization(x, bias=0.0).numpy().round(3)[0, 0]
        array([[0.6, 0.8]], dtype=float32)

    See also: `tf.nn.batch_normalization`.
    """
    x, (radius,) = as_floats(input), attribute_ints(depth_radius)
    if x.ndim != 4:
        raise invalid("lrn", f"input must be 4-dimensional, got shape {list(x.aval.shape)}")
    rows = reshape(ew.square(x), [math.prod(x.aval.shape[:3]), 1, x.aval.shape[3], 1])
    sums = convolution.conv2d(
        rows,
        ones([1, 2 * radius + 1, 1, 1], x.dtype),
        strides=(1, 1),
        dilations=(1, 1),
        padding=((0, 0), (radius, radius)),
    )
    return x * ew.power(reshape(sums, x.aval.shape) * float(alpha) + float(bias), -float(beta))


lrn = local_response_normalization
