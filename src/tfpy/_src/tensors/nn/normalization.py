"""Statistics and normalisation: functions of ``tf.nn``."""

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
    x: Any, axes: Any, shift: Any = None, keepdims: bool = False, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """Mean and variance over the axes.

    Args:
        keepdims: whether reduced axes stay, of size 1.

    Example:
        >>> import tfpy as tf
        >>> x = tf.constant([[1.0, 3.0], [2.0, 4.0]])
        >>> mean, variance = tf.nn.moments(x, axes=[1])
        >>> mean.numpy().tolist(), variance.numpy().tolist()
        ([2.0, 3.0], [1.0, 1.0])
    """
    t = convert_to_tensor(x)
    mean = reductions.reduce_mean(t, axes, keepdims=True)
    variance = reductions.reduce_mean(ew.squared_difference(t, stop_gradient(mean)), axes, keepdims)
    return (mean if keepdims else reshape(mean, variance.aval.shape)), variance


def weighted_moments(
    x: Any, axes: Any, frequency_weights: Any, keepdims: bool = False, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """Mean and variance over the axes, where weights say how often an element occurs.

    Both are 0 where all weights are.

    Args:
        keepdims: whether reduced axes stay, of size 1.

    Example:
        >>> import tfpy as tf
        >>> x, weights = [1.0, 5.0], [3.0, 1.0]
        >>> mean, variance = tf.nn.weighted_moments(x, axes=[0], frequency_weights=weights)
        >>> mean.numpy().tolist(), variance.numpy().tolist()
        (2.0, 3.0)
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
    x: Any, axes: Any, shift: Any = None, keepdims: bool = False, name: str | None = None
) -> tuple[Tensor, Tensor, Tensor, Tensor | None]:
    """Count, sum and sum of squares over the axes of ``x - shift``, and the shift.

    Args:
        keepdims: whether reduced axes stay, of size 1.

    Example:
        >>> import tfpy as tf
        >>> count, total, squares, shift = tf.nn.sufficient_statistics([1.0, 2.0, 3.0], axes=[0])
        >>> count.numpy().tolist(), total.numpy().tolist(), squares.numpy().tolist()
        (3.0, 6.0, 14.0)
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
    counts: Any, mean_ss: Any, variance_ss: Any, shift: Any, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """Mean and variance from :func:`sufficient_statistics`.

    Example:
        >>> import tfpy as tf
        >>> mean, variance = tf.nn.normalize_moments(4.0, [8.0], [20.0], shift=None)
        >>> mean.numpy().tolist(), variance.numpy().tolist()
        ([2.0], [1.0])
    """
    factor = ew.reciprocal(counts)
    shifted = mean_ss * factor
    mean = shifted if shift is None else shifted + shift
    return mean, variance_ss * factor - ew.square(shifted)


def batch_normalization(
    x: Any,
    mean: Any,
    variance: Any,
    offset: Any,
    scale: Any,
    variance_epsilon: float,
    name: str | None = None,
) -> Tensor:
    """(x - mean) / sqrt(variance + epsilon) * scale + offset, with broadcasting, in x's dtype.

    Example:
        >>> import tfpy as tf
        >>> x = tf.constant([[1.0, 10.0], [3.0, 30.0]])
        >>> mean, variance = tf.nn.moments(x, axes=[0])
        >>> tf.nn.batch_normalization(x, mean, variance, None, None, 1e-7).numpy().round(3).tolist()
        [[-1.0, -1.0], [1.0, 1.0]]
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
    x: Any,
    scale: Any,
    offset: Any,
    mean: Any = None,
    variance: Any = None,
    epsilon: float = 0.001,
    data_format: str = "NHWC",
    is_training: bool = True,
    name: str | None = None,
    exponential_avg_factor: float = 1.0,
) -> tuple[Tensor, Tensor, Tensor]:
    """Batch normalisation of each channel as one op: ``(y, mean, variance)``.

    TensorFlow has it as ``tf.compat.v1.nn.fused_batch_norm``. The statistics are constants for
    tapes.

    Args:
        data_format: "NHWC", or "NCHW" with the channels first.
        mean, variance: used when not training; averaged with the batch's when training and
            ``exponential_avg_factor`` is not 1.

    Raises:
        ValueError: when mean or variance is missing where it is needed.

    Example:
        >>> import tfpy as tf
        >>> x = tf.reshape([1.0, 3.0], [1, 1, 2, 1])
        >>> y, mean, variance = tf.nn.fused_batch_norm(x, scale=[1.0], offset=[0.0], epsilon=1e-7)
        >>> tf.reshape(y, [2]).numpy().round(3), mean.numpy().tolist()
        (array([-1.,  1.], dtype=float32), [2.0])
    """
    t = convert_to_tensor(x)
    if (mean is None or variance is None) and not (is_training and exponential_avg_factor == 1.0):
        raise ValueError("fused_batch_norm: mean and variance must be given")
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
    if factor == 1.0:
        return new
    before = [convert_to_tensor(v) * (1 - factor) for v in old]
    return before[0] + new[0] * factor, before[1] + new[1] * factor


def local_response_normalization(
    input: Any,
    depth_radius: int = 5,
    bias: float = 1,
    alpha: float = 1,
    beta: float = 0.5,
    name: str | None = None,
) -> Tensor:
    """input / (bias + alpha * sum of squares of the ``depth_radius`` nearest channels) ** beta.

    Raises:
        InvalidArgumentError: unless the input has 4 dimensions.

    Example:
        >>> import tfpy as tf
        >>> x = tf.reshape([3.0, 4.0], [1, 1, 1, 2])
        >>> tf.nn.local_response_normalization(x, bias=0.0).numpy().round(3)[0, 0]
        array([[0.6, 0.8]], dtype=float32)
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
