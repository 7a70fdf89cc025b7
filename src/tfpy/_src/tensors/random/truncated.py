"""`tf.random.stateless_parameterized_truncated_normal`: normal numbers between two bounds."""

from __future__ import annotations

from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.primitives import erfc, ndtri
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import ShapeLike, TensorLike
from tfpy._src.tensors.array.making import ones_like
from tfpy._src.tensors.array.slicing import where
from tfpy._src.tensors.math.arithmetic import clip_by_value
from tfpy._src.tensors.random.stateless import stateless_uniform

_ROOT = 0.7071067811865476  # 1 / sqrt(2)


def stateless_parameterized_truncated_normal(
    shape: ShapeLike,
    seed: TensorLike,
    means: TensorLike = 0.0,
    stddevs: TensorLike = 1.0,
    minvals: TensorLike = -2.0,
    maxvals: TensorLike = 2.0,
    name: str | None = None,
) -> Tensor:
    """Draw random numbers, determined by `seed`, from normal distributions between two bounds.

    The numbers are not those of TensorFlow, but have the same distribution.

    Args:
        shape: Shape of the result, which ends with the broadcast shape of the parameters.
        seed: Two integers that determine the result, as an integer tensor of shape `[2]`.
        means: Means of the distributions before truncation, a float tensor. Default: 0.
        stddevs: Standard deviations before truncation, of the same dtype. Default: 1.
        minvals: Lower bounds, of the same dtype. Default: -2.
        maxvals: Upper bounds, of the same dtype. Default: 2.

    Returns:
        Tensor of shape `shape` and the dtype of `means`.

    Raises:
        tf.errors.InvalidArgumentError: If `seed` is not two integers.

    Example:
        >>> import tfpy as tf
        >>> x = tf.random.stateless_parameterized_truncated_normal(
        ...     [100, 1], [1, 2], means=[0.0], stddevs=[1.0], minvals=[0.5], maxvals=[0.75]
        ... )
        >>> bool(tf.reduce_all((x >= 0.5) & (x <= 0.75)))
        True

    See also: `tf.random.stateless_truncated_normal`.
    """
    mean = convert_to_tensor(means)
    deviation, low, high = (convert_to_tensor(x, mean.dtype) for x in (stddevs, minvals, maxvals))
    first, last = (low - mean) / deviation, (high - mean) / deviation
    # In the upper tail the cumulative probabilities round to 1, so the mirror image is drawn.
    sign = where(first > 0, -ones_like(first), ones_like(first))
    start, end = where(first > 0, -last, first), where(first > 0, -first, last)
    uniform = stateless_uniform(shape, seed, dtype=mean.dtype)
    below, total = _cumulative(start), _cumulative(end)
    drawn = ndtri(below + uniform * (total - below))
    return clip_by_value(sign * drawn * deviation + mean, low, high)


def _cumulative(x: Tensor) -> Tensor:
    """Return the cumulative probability of the standard normal distribution."""
    return erfc(-x * _ROOT) * 0.5
