"""Statistics and normalization: functions of `tf.nn`."""

from __future__ import annotations

import math
from typing import Any

from tfpy._src.base.errors import invalid
from tfpy._src.compiler.ops import elementwise as ew
from tfpy._src.compiler.ops.families import infer
from tfpy._src.compiler.ops.families.infer import normalize_axis
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.tape import stop_gradient
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import Axis, FloatLike, IntLike, TensorLike
from tfpy._src.tensors.array.making import as_floats, cast, ones
from tfpy._src.tensors.array.reshaping import broadcast_to, reshape, squeeze, transpose
from tfpy._src.tensors.array.static import attribute_ints, static_ints
from tfpy._src.tensors.linalg.diagonals import band_part
from tfpy._src.tensors.linalg.products import matmul
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
    """Compute the mean and the variance over the given axes.

    Args:
        x: Float tensor of any shape.
        axes: Axis or axes to reduce; negative values count from the end.
        shift: Has no effect.
        keepdims: If True, keep the reduced axes as dimensions of size 1.

    Returns:
        Tuple `(mean, variance)` of tensors of the dtype of `x`, without the reduced axes unless
        `keepdims` is True.

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
    """Compute the weighted mean and the weighted variance over the given axes.

    Both results are 0 where all weights are 0.

    Args:
        x: Float tensor of any shape.
        axes: Axis or axes to reduce; negative values count from the end.
        frequency_weights: Weight of each element, such as the number of its occurrences. The shapes
            of this tensor and of `x` must be broadcastable.
        keepdims: If True, keep the reduced axes as dimensions of size 1.

    Returns:
        Tuple `(mean, variance)` of tensors of the dtype of `x`, without the reduced axes unless
        `keepdims` is True.

    Raises:
        tf.errors.InvalidArgumentError: If the shapes of `x` and `frequency_weights` are not
            broadcastable.

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
    """Compute the count, the sum and the sum of squares over the given axes.

    `tf.nn.normalize_moments` computes the mean and the variance from them.

    Args:
        x: Float tensor of any shape.
        axes: Axis or axes to reduce; negative values count from the end.
        shift: Tensor that is subtracted from `x` first for numerical stability, such as an estimate
            of the mean. Default: no shift.
        keepdims: If True, keep the reduced axes as dimensions of size 1.

    Returns:
        Tuple `(count, sum, sum_of_squares, shift)` of tensors of the dtype of `x`. The sums are
        those of `x - shift`. The last element is None if no `shift` was passed.

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
        counts: Number of elements, a scalar float tensor.
        mean_ss: Sums of the elements after the subtraction of `shift`, a float tensor.
        variance_ss: Sums of the squares of these elements, a tensor of the shape and dtype of
            `mean_ss`.
        shift: Tensor that was subtracted from the elements, or None if none was.

    Returns:
        Tuple `(mean, variance)` of float tensors of the shape of `mean_ss`.

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
    """Normalize a tensor with a given mean and variance, and scale and shift the result.

    The result is `(x - mean) / sqrt(variance + variance_epsilon) * scale + offset`.

    Args:
        x: Float tensor of any shape.
        mean: Float tensor that broadcasts to the shape of `x`.
        variance: Float tensor that broadcasts to the shape of `x`.
        offset: Float tensor that broadcasts to the shape of `x`. None means 0.
        scale: Float tensor that broadcasts to the shape of `x`. None means 1.
        variance_epsilon: Small number that is added to the variance to avoid a division by 0.

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

    In TensorFlow, this function is `tf.compat.v1.nn.fused_batch_norm`. If `is_training` is True, no
    gradients are computed through the returned statistics.

    Args:
        x: Float tensor of shape `[batch, ..., channels]`, or `[batch, channels, ...]` for `"NCHW"`.
        scale: Float tensor of shape `[channels]`.
        offset: Float tensor of shape `[channels]`.
        mean: Running mean, a float tensor of shape `[channels]`. It is required if `is_training` is
            False or `exponential_avg_factor` is not 1, and has no effect otherwise.
        variance: Running variance, a float tensor of shape `[channels]`, required like `mean`.
        epsilon: Small number that is added to the variance to avoid a division by 0. Default:
            0.001.
        data_format: Order of the axes, `"NHWC"` (default) or `"NCHW"`.
        is_training: If True (default), normalize with the mean and the variance of the batch. If
            False, normalize with `mean` and `variance`.
        exponential_avg_factor: Weight of the statistics of the batch in the returned running
            statistics. The weight of `mean` and `variance` is 1 minus this number. Default: 1.

    Returns:
        Tuple `(y, mean, variance)` of the normalized tensor, which has the shape and dtype of `x`,
        and the running statistics of shape `[channels]`, with the dtype of `scale`.

    Raises:
        ValueError: If `mean` or `variance` is missing where it is required.
        tf.errors.InvalidArgumentError: If `scale` or `offset` does not have one element for each
            channel.

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
    kind, scale, offset = t.dtype, convert_to_tensor(scale), convert_to_tensor(offset)
    _check_channels(t, scale=scale, offset=offset)
    t = cast(t, scale.dtype)
    if not is_training:
        given = convert_to_tensor(mean), convert_to_tensor(variance)
        given = cast(given[0], scale.dtype), cast(given[1], scale.dtype)
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
    return cast(y, kind), *given


def _check_channels(x: Tensor, **vectors: Tensor) -> None:
    """Raise InvalidArgumentError if a vector does not have one element for each channel."""
    for name, vector in vectors.items():
        if vector.aval.shape != x.aval.shape[-1:]:
            raise invalid(
                "fused_batch_norm",
                f"{name} must have the same number of elements as the channels of x, got "
                f"{list(vector.aval.shape)} and {x.shape[-1]}",
            )


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
    """Divide each element by a norm of the neighboring channels at the same pixel.

    The result is `input / (bias + alpha * squares) ** beta`, where `squares` is the sum of squares
    over up to `2 * depth_radius + 1` channels around each channel.

    Args:
        input: Float tensor of shape `[batch, height, width, channels]`.
        depth_radius: Number of neighboring channels on each side. Default: 5.
        bias: Number that is added to the scaled sum of squares. Default: 1.
        alpha: Factor of the sum of squares. Default: 1.
        beta: Exponent. Default: 0.5.

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
    depth = x.aval.shape[3]
    width = min(radius, depth)
    near = band_part(ones([depth, depth], x.dtype), width, width)
    sums = matmul(ew.square(x), near)
    return x * ew.power(sums * float(alpha) + float(bias), -float(beta))


lrn = local_response_normalization
