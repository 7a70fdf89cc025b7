"""The largest elements of rows, and the closest sequences that are in order."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tfpy._src.base import dtypes
from tfpy._src.base.errors import invalid, invalid_value
from tfpy._src.compiler.ir.aval import Array, Aval
from tfpy._src.core.conversion import constant, convert_to_tensor
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import TensorLike
from tfpy._src.functions.control.effects import on_host
from tfpy._src.tensors.array.making import cast
from tfpy._src.tensors.array.reshaping import reshape, transpose
from tfpy._src.tensors.array.segments import unsorted_segment_mean
from tfpy._src.tensors.array.slicing import gather
from tfpy._src.tensors.array.sorting import top_k
from tfpy._src.tensors.autodiff.custom import custom_gradient


class ApproxTopK(NamedTuple):
    """The largest or smallest elements, and their positions."""

    values: Tensor
    indices: Tensor


class IsotonicRegression(NamedTuple):
    """The closest sequences that are in order, and the numbers of their constant segments."""

    output: Tensor
    segments: Tensor


def approx_top_k(
    input: TensorLike,
    k: int,
    reduction_dimension: int = -1,
    recall_target: float = 0.95,
    is_max_k: bool = True,
    reduction_input_size_override: int = -1,
    aggregate_to_topk: bool = True,
    name: str | None = None,
) -> ApproxTopK:
    """Return the `k` largest or smallest elements along an axis, in order.

    The result is exact. TensorFlow computes an approximation on TPUs.

    Args:
        input: Float tensor.
        k: Number of elements.
        reduction_dimension: Axis of the elements.
        recall_target, reduction_input_size_override, aggregate_to_topk: Has no effect.
        is_max_k: True for the largest elements, False for the smallest.

    Returns:
        Named tuple of `values` with the dtype of `input`, and `indices`, an int32 tensor.

    Raises:
        tf.errors.InvalidArgumentError: If `input` is not a float tensor, or has fewer elements than
            `k` along the axis.

    Example:
        >>> import tfpy as tf
        >>> tf.approx_top_k([3.0, 1.0, 4.0], k=2).values.numpy().tolist()
        [4.0, 3.0]

    See also: `tf.math.approx_max_k`, `tf.math.top_k`.
    """
    x = convert_to_tensor(input)
    if not x.dtype.is_floating:
        raise invalid("approx_top_k", f"input must be a float tensor, got {x.dtype.name}")
    order = _with_axis_last(x.aval.rank, reduction_dimension)
    rows = transpose(x, order)
    if rows.aval.shape[-1] < k:
        raise invalid_value(
            "approx_top_k", f"input must have at least k={k} elements, got {rows.aval.shape[-1]}"
        )
    values, indices = top_k(rows if is_max_k else -rows, k)
    back = [int(i) for i in np.argsort(order)]
    return ApproxTopK(transpose(values if is_max_k else -values, back), transpose(indices, back))


def _with_axis_last(rank: int, axis: int) -> list[int]:
    axis %= rank
    return [*(i for i in range(rank) if i != axis), axis]


def approx_max_k(
    operand: TensorLike,
    k: int,
    reduction_dimension: int = -1,
    recall_target: float = 0.95,
    reduction_input_size_override: int = -1,
    aggregate_to_topk: bool = True,
    name: str | None = None,
) -> ApproxTopK:
    """Return the `k` largest elements along an axis, in descending order.

    The result is exact. TensorFlow computes an approximation on TPUs.

    Args:
        operand: Float tensor.
        k: Number of elements.
        reduction_dimension: Axis of the elements.
        recall_target, reduction_input_size_override, aggregate_to_topk: Has no effect.

    Returns:
        Named tuple of `values` with the dtype of `operand`, and `indices`, an int32 tensor.

    Raises:
        tf.errors.InvalidArgumentError: If `operand` is not a float tensor, or has fewer elements
            than `k` along the axis.

    Example:
        >>> import tfpy as tf
        >>> values, indices = tf.math.approx_max_k([3.0, 1.0, 4.0], 2)
        >>> indices.numpy().tolist()
        [2, 0]

    See also: `tf.math.approx_min_k`, `tf.math.top_k`.
    """
    return approx_top_k(operand, k, reduction_dimension)


def approx_min_k(
    operand: TensorLike,
    k: int,
    reduction_dimension: int = -1,
    recall_target: float = 0.95,
    reduction_input_size_override: int = -1,
    aggregate_to_topk: bool = True,
    name: str | None = None,
) -> ApproxTopK:
    """Return the `k` smallest elements along an axis, in ascending order.

    The result is exact. TensorFlow computes an approximation on TPUs.

    Args:
        operand: Float tensor.
        k: Number of elements.
        reduction_dimension: Axis of the elements.
        recall_target, reduction_input_size_override, aggregate_to_topk: Has no effect.

    Returns:
        Named tuple of `values` with the dtype of `operand`, and `indices`, an int32 tensor.

    Raises:
        tf.errors.InvalidArgumentError: If `operand` is not a float tensor, or has fewer elements
            than `k` along the axis.

    Example:
        >>> import tfpy as tf
        >>> values, indices = tf.math.approx_min_k([3.0, 1.0, 4.0], 2)
        >>> indices.numpy().tolist()
        [1, 0]

    See also: `tf.math.approx_max_k`.
    """
    return approx_top_k(operand, k, reduction_dimension, is_max_k=False)


_FLOATS = {dtypes.int8: dtypes.float32, dtypes.int16: dtypes.float32}


def isotonic_regression(
    inputs: TensorLike, decreasing: bool = True, axis: int = -1
) -> IsotonicRegression | tuple[Tensor, Tensor]:
    """Return the sequences that are in order and closest to the inputs.

    The distance is the sum of the squared differences. The result consists of segments of equal
    elements, which are means of the inputs.

    Args:
        inputs: Tensor with a float or integer dtype.
        decreasing: If True, the results do not increase along the axis. If False, they do not
            decrease.
        axis: Axis of the sequences.

    Returns:
        A pair: a float tensor with the shape of `inputs`, and an int32 tensor of the same shape
        with the number of the segment of each element.

    Example:
        >>> import tfpy as tf
        >>> output, segments = tf.nn.isotonic_regression([3.0, 1.0, 2.0])
        >>> output.numpy().tolist(), segments.numpy().tolist()
        ([3.0, 1.5, 1.5], [0, 1, 1])

    See also: `tf.sort`.
    """
    x = convert_to_tensor(inputs)
    if not x.dtype.is_floating:
        x = cast(x, _FLOATS.get(x.dtype, dtypes.float64))
    order = _with_axis_last(x.aval.rank, axis)
    rows = transpose(x, order)
    output, segments = _fitted(rows if decreasing else -rows)
    back = [int(i) for i in np.argsort(order)]
    found = transpose(output, back), transpose(segments, back)
    return IsotonicRegression(*found) if decreasing else (-found[0], found[1])


@custom_gradient
def _fitted(rows: Tensor) -> Any:
    avals = [rows.aval, Aval(rows.aval.shape, dtypes.int32)]
    output, segments = on_host(_fit, [rows], avals)

    def gradient(g: Tensor, _: Any) -> Tensor:
        size = rows.aval.shape[-1]
        count = int(np.prod(rows.aval.shape[:-1], dtype=np.int64))
        first = constant(np.arange(count, dtype=np.int32)[:, np.newaxis] * size)
        places = reshape(reshape(segments, [count, size]) + first, [-1])
        means = unsorted_segment_mean(reshape(g, [-1]), places, count * size)
        return reshape(gather(means, places), rows.aval.shape)

    return (output, segments), gradient


def _fit(rows: Tensor) -> list[Tensor]:
    given = rows.numpy()
    output, segments = np.zeros(given.shape, given.dtype), np.zeros(given.shape, np.int32)
    for place in np.ndindex(given.shape[:-1]):
        output[place], segments[place] = _decreasing(given[place].astype(np.float64))
    return [constant(output, rows.dtype), constant(segments)]


def _decreasing(sequence: Array) -> tuple[Array, Array]:
    """Return the closest sequence that does not increase, by merging neighbors in wrong order."""
    means: list[float] = []
    sizes: list[int] = []
    for number in sequence.tolist():
        means.append(number)
        sizes.append(1)
        while len(means) > 1 and means[-2] < means[-1]:
            mean, size = means.pop(), sizes.pop()
            means[-1] = (means[-1] * sizes[-1] + mean * size) / (sizes[-1] + size)
            sizes[-1] += size
    return np.repeat(means, sizes), np.repeat(np.arange(len(sizes)), sizes)
