"""Sums over selected rows of dense tensors."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfpy._src.base import dtypes
from tfpy._src.base.errors import invalid
from tfpy._src.compiler.ops import elementwise, indexing
from tfpy._src.compiler.ops.failing import failing
from tfpy._src.core.conversion import constant, convert_to_tensor
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import TensorLike
from tfpy._src.tensors.array.making import ones
from tfpy._src.tensors.array.reshaping import reshape
from tfpy._src.tensors.composite.ragged.rows import take_rows
from tfpy._src.tensors.math import arithmetic


def _segment(
    data: TensorLike,
    indices: TensorLike,
    segment_ids: TensorLike,
    num_segments: int | Tensor | None,
) -> tuple[Tensor, Tensor]:
    """Sum the selected rows of each segment.

    Returns:
        The sums, and the number of rows of each segment (at least 1).
    """
    x = convert_to_tensor(data)
    at = convert_to_tensor(indices, dtypes.int32).host_view()
    ids = convert_to_tensor(segment_ids, dtypes.int32).host_view()
    if at.shape != ids.shape or at.ndim != 1:
        raise invalid(
            "sparse.segment",
            f"segment_ids and indices should have same size: {ids.shape}, {at.shape}",
        )
    if not x.ndim:
        raise invalid("sparse.segment", "Shape must be at least rank 1, got a scalar")
    rows, *row = x.aval.shape
    n = (int(ids[-1]) + 1 if ids.size else 0) if num_segments is None else int(num_segments)
    if why := _refused(at, ids, rows, n):
        return failing("sparse.segment", why, (x,), (max(n, 0), *row), x.dtype), ones((), x.dtype)
    total = indexing.segment_sum(take_rows(x, at), constant(ids), segments=n)
    counts = np.maximum(np.bincount(ids, minlength=n), 1).astype(x.dtype.as_numpy_dtype)
    return total, reshape(constant(counts), [n, *[1] * (x.ndim - 1)])


def _refused(indices: Any, ids: Any, rows: int, segments: int) -> str:
    """Return why the indices or the segment ids are not valid, or an empty string."""
    if indices.size and (indices.min() < 0 or indices.max() >= rows):
        return f"indices are out of range [0, {rows})"
    if ids.size and ((np.diff(ids) < 0).any() or ids[0] < 0):
        return "segment ids are not increasing, or negative"
    if ids.size and ids[-1] >= segments:
        return f"segment ids must be < num_segments = {segments}"
    return ""


def segment_sum(
    data: TensorLike,
    indices: TensorLike,
    segment_ids: TensorLike,
    num_segments: int | Tensor | None = None,
    name: str | None = None,
    sparse_gradient: bool = False,
) -> Tensor:
    """Select rows of a tensor and sum them by segment.

    Rows with the same segment id are summed. The values of `indices` and `segment_ids` are read
    back to Python, so the call waits for pending computations.

    Args:
        data: Tensor of shape `[rows, ...]`.
        indices: Int32 tensor of shape `[n]` with the index of each row to select.
        segment_ids: Int32 tensor of shape `[n]` with the segment of each selected row, in ascending
            order.
        num_segments: Number of segments. Default: the last segment id plus 1.
        sparse_gradient: Has no effect.

    Returns:
        Tensor of shape `[num_segments, ...]` with the dtype of `data`. Segments without rows are 0.

    Raises:
        tf.errors.InvalidArgumentError: If `indices` and `segment_ids` have different lengths, an
            index or a segment id is out of range, or `segment_ids` is not in ascending order.

    Example:
        >>> import tfpy as tf
        >>> x = tf.constant([[1, 2], [3, 4], [5, 6]])
        >>> tf.sparse.segment_sum(x, indices=[0, 2, 1], segment_ids=[0, 0, 1]).numpy().tolist()
        [[6, 8], [3, 4]]

    See also: `tf.sparse.segment_mean`, `tf.math.segment_sum`.
    """
    total, _ = _segment(data, indices, segment_ids, num_segments)
    return total


def segment_mean(
    data: TensorLike,
    indices: TensorLike,
    segment_ids: TensorLike,
    num_segments: int | Tensor | None = None,
    name: str | None = None,
    sparse_gradient: bool = False,
) -> Tensor:
    """Select rows of a tensor and compute their mean by segment.

    The mean is computed over rows with the same segment id. The values of `indices` and
    `segment_ids` are read back to Python, so the call waits for pending computations.

    Args:
        data: Tensor of shape `[rows, ...]`.
        indices: Int32 tensor of shape `[n]` with the index of each row to select.
        segment_ids: Int32 tensor of shape `[n]` with the segment of each selected row, in ascending
            order.
        num_segments: Number of segments. Default: the last segment id plus 1.
        sparse_gradient: Has no effect.

    Returns:
        Tensor of shape `[num_segments, ...]` with the dtype of `data`. Segments without rows are 0.

    Raises:
        tf.errors.InvalidArgumentError: If `indices` and `segment_ids` have different lengths, an
            index or a segment id is out of range, or `segment_ids` is not in ascending order.

    Example:
        >>> import tfpy as tf
        >>> x = tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
        >>> tf.sparse.segment_mean(x, indices=[0, 2, 1], segment_ids=[0, 0, 1]).numpy().tolist()
        [[3.0, 4.0], [3.0, 4.0]]

    See also: `tf.sparse.segment_sum`, `tf.math.segment_mean`.
    """
    total, counts = _segment(data, indices, segment_ids, num_segments)
    return arithmetic.divide(total, counts)


def segment_sqrt_n(
    data: TensorLike,
    indices: TensorLike,
    segment_ids: TensorLike,
    num_segments: int | Tensor | None = None,
    name: str | None = None,
    sparse_gradient: bool = False,
) -> Tensor:
    """Select rows of a tensor, sum them by segment, and divide by the square root of their number.

    The values of `indices` and `segment_ids` are read back to Python, so the call waits for pending
    computations.

    Args:
        data: Float tensor of shape `[rows, ...]`.
        indices: Int32 tensor of shape `[n]` with the index of each row to select.
        segment_ids: Int32 tensor of shape `[n]` with the segment of each selected row, in ascending
            order.
        num_segments: Number of segments. Default: the last segment id plus 1.
        sparse_gradient: Has no effect.

    Returns:
        Tensor of shape `[num_segments, ...]` with the dtype of `data`. Segments without rows are 0.

    Raises:
        tf.errors.InvalidArgumentError: If `indices` and `segment_ids` have different lengths, an
            index or a segment id is out of range, or `segment_ids` is not in ascending order.

    Example:
        >>> import tfpy as tf
        >>> x = tf.constant([[1.0], [2.0], [3.0], [6.0]])
        >>> tf.sparse.segment_sqrt_n(x, [0, 1, 2, 3], [0, 0, 0, 0]).numpy().tolist()
        [[6.0]]

    See also: `tf.sparse.segment_sum`, `tf.sparse.segment_mean`.
    """
    total, counts = _segment(data, indices, segment_ids, num_segments)
    return arithmetic.divide(total, elementwise.sqrt(counts))


def sparse_segment_sum(data: TensorLike, indices: TensorLike, segment_ids: TensorLike) -> Tensor:
    """Select rows of a tensor and sum them by segment.

    Equivalent to `tf.sparse.sparseSegmentSum` in TensorFlow.js. It computes the same as
    `tf.sparse.segment_sum`.

    Args:
        data: Tensor of shape `[rows, ...]`.
        indices: Int32 tensor of shape `[n]` with the index of each row to select.
        segment_ids: Int32 tensor of shape `[n]` with the segment of each selected row, in ascending
            order.

    Returns:
        Tensor of shape `[num_segments, ...]` with the dtype of `data`. Segments without rows are 0.

    Raises:
        tf.errors.InvalidArgumentError: If `indices` and `segment_ids` have different lengths, an
            index or a segment id is out of range, or `segment_ids` is not in ascending order.

    Example:
        >>> import tfpy as tf
        >>> x = tf.constant([[1, 2], [3, 4], [5, 6]])
        >>> tf.sparse.sparse_segment_sum(x, [0, 2, 1], [0, 0, 1]).numpy().tolist()
        [[6, 8], [3, 4]]

    See also: `tf.sparse.segment_sum`.
    """
    return segment_sum(data, indices, segment_ids)


def sparse_segment_mean(data: TensorLike, indices: TensorLike, segment_ids: TensorLike) -> Tensor:
    """Select rows of a tensor and compute their mean by segment.

    Equivalent to `tf.sparse.sparseSegmentMean` in TensorFlow.js. It computes the same as
    `tf.sparse.segment_mean`.

    Args:
        data: Tensor of shape `[rows, ...]`.
        indices: Int32 tensor of shape `[n]` with the index of each row to select.
        segment_ids: Int32 tensor of shape `[n]` with the segment of each selected row, in ascending
            order.

    Returns:
        Tensor of shape `[num_segments, ...]` with the dtype of `data`. Segments without rows are 0.

    Raises:
        tf.errors.InvalidArgumentError: If `indices` and `segment_ids` have different lengths, an
            index or a segment id is out of range, or `segment_ids` is not in ascending order.

    Example:
        >>> import tfpy as tf
        >>> x = tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
        >>> tf.sparse.sparse_segment_mean(x, [0, 2, 1], [0, 0, 1]).numpy().tolist()
        [[3.0, 4.0], [3.0, 4.0]]

    See also: `tf.sparse.segment_mean`.
    """
    return segment_mean(data, indices, segment_ids)
