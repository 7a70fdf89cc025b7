"""Reductions of rows by segment: `tf.math.segment_*` and `tf.math.unsorted_segment_*`."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfpy._src.base import dtypes
from tfpy._src.base.errors import invalid
from tfpy._src.compiler.ir.op import Op
from tfpy._src.compiler.ops import elementwise as ew, indexing, logic, scatter
from tfpy._src.compiler.ops.failing import failing
from tfpy._src.compiler.ops.families.infer import check_dtype
from tfpy._src.core.conversion import constant, convert_to_tensor
from tfpy._src.core.dispatch import dispatchable
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import IntLike, TensorLike
from tfpy._src.tensors.array.making import cast, fill, ones
from tfpy._src.tensors.array.reshaping import reshape
from tfpy._src.tensors.array.slicing import as_places
from tfpy._src.tensors.array.static import static_int


def _count(num_segments: Any) -> int:
    """Return the number of segments, after checking that it is not negative."""
    count = static_int(num_segments)
    if count < 0:
        raise invalid("unsorted_segment", f"Input num_segments == {count} must not be negative.")
    return count


def _combined(op: Op, data: Any, segment_ids: Any, num_segments: Any, identity: Any) -> Tensor:
    """Combine rows of the same segment with a scatter op."""
    x, ids = convert_to_tensor(data), convert_to_tensor(segment_ids)
    indexing.segment_sum.infer(x.aval, ids.aval, segments=0)  # checks that the shapes match
    shape = (_count(num_segments), *x.aval.shape[ids.ndim :])
    return op(fill(shape, constant(identity(x.dtype), x.dtype)), ids, x)


@dispatchable
def unsorted_segment_sum(
    data: TensorLike, segment_ids: TensorLike, num_segments: IntLike, name: str | None = None
) -> Tensor:
    """Sum the rows that have the same segment id.

    Args:
        data: Numeric tensor of shape `[*segment_ids.shape, ...]`.
        segment_ids: Int32 tensor with the segment of each row. Rows with negative ids are dropped.
        num_segments: Number of segments.

    Returns:
        Tensor of shape `[num_segments, ...]` with the dtype of `data`. Empty segments are 0.

    Raises:
        tf.errors.InvalidArgumentError: If `data` does not begin with the shape of `segment_ids`, or
            an id is not less than `num_segments` (on the cpu and wasm backends).

    Example:
        >>> import tfpy as tf
        >>> x = [[1, 2], [3, 4], [5, 6]]
        >>> tf.math.unsorted_segment_sum(x, [2, 0, 2], num_segments=3).numpy().tolist()
        [[3, 4], [0, 0], [6, 8]]

    See also: `tf.math.segment_sum`, `tf.math.unsorted_segment_mean`.
    """
    x, ids = convert_to_tensor(data), as_places(segment_ids)
    return indexing.segment_sum(x, ids, segments=_count(num_segments))


@dispatchable
def unsorted_segment_prod(
    data: TensorLike, segment_ids: TensorLike, num_segments: IntLike, name: str | None = None
) -> Tensor:
    """Multiply the rows that have the same segment id.

    Args:
        data: Numeric tensor of shape `[*segment_ids.shape, ...]`.
        segment_ids: Int32 tensor with the segment of each row. Rows with negative ids are dropped.
        num_segments: Number of segments.

    Returns:
        Tensor of shape `[num_segments, ...]` with the dtype of `data`. Empty segments are 1.

    Raises:
        tf.errors.InvalidArgumentError: If `data` does not begin with the shape of `segment_ids`, or
            an id is not less than `num_segments` (on the cpu and wasm backends).

    Example:
        >>> import tfpy as tf
        >>> x = [1, 7, 3, 4]
        >>> tf.math.unsorted_segment_prod(x, [1, 0, 1, 0], num_segments=2).numpy().tolist()
        [28, 3]

    See also: `tf.math.segment_prod`, `tf.math.unsorted_segment_sum`.
    """
    return _combined(scatter.scatter_prod, data, segment_ids, num_segments, lambda d: 1)


@dispatchable
def unsorted_segment_max(
    data: TensorLike, segment_ids: TensorLike, num_segments: IntLike, name: str | None = None
) -> Tensor:
    """Compute the maximum of the rows that have the same segment id.

    Args:
        data: Numeric tensor of shape `[*segment_ids.shape, ...]`.
        segment_ids: Int32 tensor with the segment of each row. Rows with negative ids are dropped.
        num_segments: Number of segments.

    Returns:
        Tensor of shape `[num_segments, ...]` with the dtype of `data`. Empty segments contain the
        lowest number of the dtype.

    Raises:
        tf.errors.InvalidArgumentError: If `data` does not begin with the shape of `segment_ids`, or
            an id is not less than `num_segments` (on the cpu and wasm backends).

    Example:
        >>> import tfpy as tf
        >>> x = [1, 7, 3, 4]
        >>> tf.math.unsorted_segment_max(x, [1, 0, 1, 0], num_segments=2).numpy().tolist()
        [7, 3]

    See also: `tf.math.segment_max`, `tf.math.unsorted_segment_min`.
    """
    return _combined(scatter.scatter_max, data, segment_ids, num_segments, lambda d: d.min)


@dispatchable
def unsorted_segment_min(
    data: TensorLike, segment_ids: TensorLike, num_segments: IntLike, name: str | None = None
) -> Tensor:
    """Compute the minimum of the rows that have the same segment id.

    Args:
        data: Numeric tensor of shape `[*segment_ids.shape, ...]`.
        segment_ids: Int32 tensor with the segment of each row. Rows with negative ids are dropped.
        num_segments: Number of segments.

    Returns:
        Tensor of shape `[num_segments, ...]` with the dtype of `data`. Empty segments contain the
        highest number of the dtype.

    Raises:
        tf.errors.InvalidArgumentError: If `data` does not begin with the shape of `segment_ids`, or
            an id is not less than `num_segments` (on the cpu and wasm backends).

    Example:
        >>> import tfpy as tf
        >>> x = [1, 7, 3, 4]
        >>> tf.math.unsorted_segment_min(x, [1, 0, 1, 0], num_segments=2).numpy().tolist()
        [4, 1]

    See also: `tf.math.segment_min`, `tf.math.unsorted_segment_max`.
    """
    return _combined(scatter.scatter_min, data, segment_ids, num_segments, lambda d: d.max)


def _sizes(ids: Tensor, num_segments: Any, data: Tensor) -> Tensor:
    """Return the number of rows of each segment, at least 1, with a shape that broadcasts."""
    count = indexing.segment_sum(
        ones(ids.aval.shape, data.dtype), ids, segments=_count(num_segments)
    )
    return ew.maximum(reshape(count, [-1 if count.size else 0, *[1] * (data.ndim - ids.ndim)]), 1)


@dispatchable
def unsorted_segment_mean(
    data: TensorLike, segment_ids: TensorLike, num_segments: IntLike, name: str | None = None
) -> Tensor:
    """Compute the mean of the rows that have the same segment id.

    Args:
        data: Numeric tensor of shape `[*segment_ids.shape, ...]`.
        segment_ids: Int32 tensor with the segment of each row. Rows with negative ids are dropped.
        num_segments: Number of segments.

    Returns:
        Float tensor of shape `[num_segments, ...]`. Empty segments are 0. Integers produce float64,
        which is float32 unless the environment variable `TFPY_ENABLE_X64` is set.

    Raises:
        tf.errors.InvalidArgumentError: If `data` does not begin with the shape of `segment_ids`, or
            an id is not less than `num_segments` (on the cpu and wasm backends).

    Example:
        >>> import tfpy as tf
        >>> x = [1.0, 7.0, 3.0]
        >>> tf.math.unsorted_segment_mean(x, [1, 0, 1], num_segments=2).numpy().tolist()
        [7.0, 2.0]

    See also: `tf.math.segment_mean`, `tf.math.unsorted_segment_sum`.
    """
    x, ids = convert_to_tensor(data), as_places(segment_ids)
    x = cast(x, dtypes.float64) if x.dtype.is_integer else x
    return unsorted_segment_sum(x, ids, num_segments) / _sizes(ids, num_segments, x)


@dispatchable
def unsorted_segment_sqrt_n(
    data: TensorLike, segment_ids: TensorLike, num_segments: IntLike, name: str | None = None
) -> Tensor:
    """Sum the rows that have the same segment id, and divide by the square root of their number.

    Args:
        data: Float tensor of shape `[*segment_ids.shape, ...]`.
        segment_ids: Int32 tensor with the segment of each row. Rows with negative ids are dropped.
        num_segments: Number of segments.

    Returns:
        Tensor of shape `[num_segments, ...]` with the dtype of `data`. Empty segments are 0.

    Raises:
        tf.errors.InvalidArgumentError: If `data` does not begin with the shape of `segment_ids`, or
            an id is not less than `num_segments` (on the cpu and wasm backends).

    Example:
        >>> import tfpy as tf
        >>> x = [1.0, 2.0, 3.0, 4.0, 9.0]
        >>> tf.math.unsorted_segment_sqrt_n(x, [0, 0, 0, 0, 1], num_segments=2).numpy().tolist()
        [5.0, 9.0]

    See also: `tf.math.unsorted_segment_sum`, `tf.math.unsorted_segment_mean`.
    """
    x, ids = convert_to_tensor(data), as_places(segment_ids)
    total = unsorted_segment_sum(x, ids, num_segments)
    return total / ew.sqrt(_sizes(ids, num_segments, x))


def _sorted(op: str, data: Any, segment_ids: Any) -> tuple[Tensor, Tensor, np.ndarray[Any, Any]]:
    """Return the data and ids as tensors, and the number of rows of each segment.

    The ids are read back because they determine the size of the result.
    """
    x, ids = convert_to_tensor(data), convert_to_tensor(segment_ids)
    check_dtype(op, ids.aval, dtypes.INDICES, "segment_ids")
    values = ids.host_view()
    message = (
        f"segment_ids {list(ids.aval.shape)} must be a vector with one id for each row of data "
        f"{list(x.aval.shape)}"
    )
    if values.ndim != 1 or not x.ndim:
        raise invalid(op, message if x.ndim else "input must be at least rank 1, got a scalar")
    if x.aval.shape[0] == values.size:
        message = _wrong_order(values)
    if message:
        x = failing(op, message, (x,), (values.size, *x.aval.shape[1:]), x.dtype)
        ids = convert_to_tensor(np.maximum(values, 0))
    return x, ids, np.bincount(np.maximum(values, 0))


def _wrong_order(ids: Any) -> str:
    """Return an error message if segment ids are not sorted or are negative, or an empty string."""
    if (np.diff(ids) < 0).any():
        return "segment ids are not increasing; the unsorted_segment ops accept any order"
    return f"segment id {ids[0]} is negative" if ids.size and ids[0] < 0 else ""


def _over_rows(counts: np.ndarray[Any, Any], x: Tensor) -> np.ndarray[Any, Any]:
    return counts.reshape(-1, *[1] * (x.ndim - 1))


def segment_sum(data: TensorLike, segment_ids: TensorLike, name: str | None = None) -> Tensor:
    """Sum the rows that have the same segment id, for sorted ids.

    Args:
        data: Numeric tensor of shape `[rows, ...]`.
        segment_ids: Integer vector with the segment id of each row, in ascending order. The ids are
            read back to Python, so the call waits for pending computations.

    Returns:
        Tensor of shape `[segment_ids[-1] + 1, ...]` with the dtype of `data`. Empty segments are 0.

    Raises:
        tf.errors.InvalidArgumentError: If the ids are negative or do not ascend, or their number
            differs from the number of rows.

    Example:
        >>> import tfpy as tf
        >>> x = [[1, 2], [3, 4], [5, 6]]
        >>> tf.math.segment_sum(x, segment_ids=[0, 0, 1]).numpy().tolist()
        [[4, 6], [5, 6]]

    See also: `tf.math.unsorted_segment_sum`, `tf.math.segment_mean`.
    """
    x, ids, counts = _sorted("segment_sum", data, segment_ids)
    return unsorted_segment_sum(x, ids, len(counts))


def segment_prod(data: TensorLike, segment_ids: TensorLike, name: str | None = None) -> Tensor:
    """Multiply the rows that have the same segment id, for sorted ids.

    Args:
        data: Numeric tensor of shape `[rows, ...]`.
        segment_ids: Integer vector with the segment id of each row, in ascending order. The ids are
            read back to Python, so the call waits for pending computations.

    Returns:
        Tensor of shape `[segment_ids[-1] + 1, ...]` with the dtype of `data`. Empty segments are 1.

    Raises:
        tf.errors.InvalidArgumentError: If the ids are negative or do not ascend, or their number
            differs from the number of rows.

    Example:
        >>> import tfpy as tf
        >>> tf.math.segment_prod([1, 7, 3, 4], segment_ids=[0, 0, 1, 1]).numpy().tolist()
        [7, 12]

    See also: `tf.math.unsorted_segment_prod`, `tf.math.segment_sum`.
    """
    x, ids, counts = _sorted("segment_prod", data, segment_ids)
    return unsorted_segment_prod(x, ids, len(counts))


def segment_mean(data: TensorLike, segment_ids: TensorLike, name: str | None = None) -> Tensor:
    """Compute the mean of the rows that have the same segment id, for sorted ids.

    Args:
        data: Numeric tensor of shape `[rows, ...]`. Means of integers are rounded toward zero.
        segment_ids: Integer vector with the segment id of each row, in ascending order. The ids are
            read back to Python, so the call waits for pending computations.

    Returns:
        Tensor of shape `[segment_ids[-1] + 1, ...]` with the dtype of `data`. Empty segments are 0.

    Raises:
        tf.errors.InvalidArgumentError: If the ids are negative or do not ascend, or their number
            differs from the number of rows.

    Example:
        >>> import tfpy as tf
        >>> tf.math.segment_mean([1.0, 7.0, 3.0], segment_ids=[0, 0, 1]).numpy().tolist()
        [4.0, 3.0]

    See also: `tf.math.unsorted_segment_mean`, `tf.math.segment_sum`.
    """
    x, ids, counts = _sorted("segment_mean", data, segment_ids)
    total = unsorted_segment_sum(x, ids, len(counts))
    kind = dtypes.float64 if x.dtype.is_integer else x.dtype
    sizes = np.maximum(_over_rows(counts, x), 1).astype(kind.as_numpy_dtype)
    return cast(cast(total, kind) / constant(sizes), x.dtype)


def _extreme(op: Any, name: str, data: Any, segment_ids: Any) -> Tensor:
    """Apply an unsorted op, and replace the results of segments without rows by 0."""
    x, ids, counts = _sorted(name, data, segment_ids)
    found = op(x, ids, len(counts))
    return found if counts.all() else logic.select(constant(_over_rows(counts, x) > 0), found, 0)


def segment_max(data: TensorLike, segment_ids: TensorLike, name: str | None = None) -> Tensor:
    """Compute the maximum of the rows that have the same segment id, for sorted ids.

    Args:
        data: Numeric tensor of shape `[rows, ...]`.
        segment_ids: Integer vector with the segment id of each row, in ascending order. The ids are
            read back to Python, so the call waits for pending computations.

    Returns:
        Tensor of shape `[segment_ids[-1] + 1, ...]` with the dtype of `data`. Empty segments are 0.

    Raises:
        tf.errors.InvalidArgumentError: If the ids are negative or do not ascend, or their number
            differs from the number of rows.

    Example:
        >>> import tfpy as tf
        >>> tf.math.segment_max([1, 7, 3, 4], segment_ids=[0, 0, 1, 1]).numpy().tolist()
        [7, 4]

    See also: `tf.math.unsorted_segment_max`, `tf.math.segment_min`.
    """
    return _extreme(unsorted_segment_max, "segment_max", data, segment_ids)


def segment_min(data: TensorLike, segment_ids: TensorLike, name: str | None = None) -> Tensor:
    """Compute the minimum of the rows that have the same segment id, for sorted ids.

    Args:
        data: Numeric tensor of shape `[rows, ...]`.
        segment_ids: Integer vector with the segment id of each row, in ascending order. The ids are
            read back to Python, so the call waits for pending computations.

    Returns:
        Tensor of shape `[segment_ids[-1] + 1, ...]` with the dtype of `data`. Empty segments are 0.

    Raises:
        tf.errors.InvalidArgumentError: If the ids are negative or do not ascend, or their number
            differs from the number of rows.

    Example:
        >>> import tfpy as tf
        >>> tf.math.segment_min([1, 7, 3, 4], segment_ids=[0, 0, 1, 1]).numpy().tolist()
        [1, 3]

    See also: `tf.math.unsorted_segment_min`, `tf.math.segment_max`.
    """
    return _extreme(unsorted_segment_min, "segment_min", data, segment_ids)
