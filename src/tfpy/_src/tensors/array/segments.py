"""Rows combined by the segment they belong to: ``tf.math.segment_*`` and ``unsorted_segment_*``."""

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
from tfpy._src.tensors.array.making import cast, fill, ones
from tfpy._src.tensors.array.reshaping import reshape
from tfpy._src.tensors.array.slicing import as_places
from tfpy._src.tensors.array.static import static_int


def _count(num_segments: Any) -> int:
    count = static_int(num_segments)
    if count < 0:
        raise invalid("unsorted_segment", f"Input num_segments == {count} must not be negative.")
    return count


def _combined(op: Op, data: Any, segment_ids: Any, num_segments: Any, identity: Any) -> Tensor:
    x, ids = convert_to_tensor(data), convert_to_tensor(segment_ids)
    indexing.segment_sum.infer(x.aval, ids.aval, segments=0)  # the shapes must go together
    shape = (_count(num_segments), *x.aval.shape[ids.ndim :])
    return op(fill(shape, constant(identity(x.dtype), x.dtype)), ids, x)


@dispatchable
def unsorted_segment_sum(
    data: Any, segment_ids: Any, num_segments: Any, name: str | None = None
) -> Tensor:
    """Sums of the rows of ``data`` that have the same id, 0 for ids without rows.

    Args:
        data: ``[*segment_ids.shape, ...]``.
        segment_ids: int32; rows whose id is negative are dropped.

    Raises:
        InvalidArgumentError: when ``data`` does not begin with the shape of ``segment_ids``.

    Example:
        >>> import tfpy as tf
        >>> x = [[1, 2], [3, 4], [5, 6]]
        >>> tf.math.unsorted_segment_sum(x, [2, 0, 2], num_segments=3).numpy().tolist()
        [[3, 4], [0, 0], [6, 8]]
    """
    x, ids = convert_to_tensor(data), as_places(segment_ids)
    return indexing.segment_sum(x, ids, segments=_count(num_segments))


@dispatchable
def unsorted_segment_prod(
    data: Any, segment_ids: Any, num_segments: Any, name: str | None = None
) -> Tensor:
    """Products of the rows with the same id, 1 for ids without rows.

    Example:
        >>> import tfpy as tf
        >>> x = [1, 7, 3, 4]
        >>> tf.math.unsorted_segment_prod(x, [1, 0, 1, 0], num_segments=2).numpy().tolist()
        [28, 3]
    """
    return _combined(scatter.scatter_prod, data, segment_ids, num_segments, lambda d: 1)


@dispatchable
def unsorted_segment_max(
    data: Any, segment_ids: Any, num_segments: Any, name: str | None = None
) -> Tensor:
    """Largest of the rows with the same id, the dtype's lowest number for ids without rows.

    Example:
        >>> import tfpy as tf
        >>> x = [1, 7, 3, 4]
        >>> tf.math.unsorted_segment_max(x, [1, 0, 1, 0], num_segments=2).numpy().tolist()
        [7, 3]
    """
    return _combined(scatter.scatter_max, data, segment_ids, num_segments, lambda d: d.min)


@dispatchable
def unsorted_segment_min(
    data: Any, segment_ids: Any, num_segments: Any, name: str | None = None
) -> Tensor:
    """Smallest of the rows with the same id, the dtype's highest number for ids without rows.

    Example:
        >>> import tfpy as tf
        >>> x = [1, 7, 3, 4]
        >>> tf.math.unsorted_segment_min(x, [1, 0, 1, 0], num_segments=2).numpy().tolist()
        [4, 1]
    """
    return _combined(scatter.scatter_min, data, segment_ids, num_segments, lambda d: d.max)


def _sizes(ids: Tensor, num_segments: Any, data: Tensor) -> Tensor:
    """How many rows each segment has, at least 1, in a shape that broadcasts against the sums."""
    count = indexing.segment_sum(
        ones(ids.aval.shape, data.dtype), ids, segments=_count(num_segments)
    )
    return ew.maximum(reshape(count, [-1 if count.size else 0, *[1] * (data.ndim - ids.ndim)]), 1)


@dispatchable
def unsorted_segment_mean(
    data: Any, segment_ids: Any, num_segments: Any, name: str | None = None
) -> Tensor:
    """Means of the rows with the same id, 0 for ids without rows. Integers give float32.

    Example:
        >>> import tfpy as tf
        >>> x = [1.0, 7.0, 3.0]
        >>> tf.math.unsorted_segment_mean(x, [1, 0, 1], num_segments=2).numpy().tolist()
        [7.0, 2.0]
    """
    x, ids = convert_to_tensor(data), convert_to_tensor(segment_ids)
    x = cast(x, dtypes.float64) if x.dtype.is_integer else x
    return unsorted_segment_sum(x, ids, num_segments) / _sizes(ids, num_segments, x)


@dispatchable
def unsorted_segment_sqrt_n(
    data: Any, segment_ids: Any, num_segments: Any, name: str | None = None
) -> Tensor:
    """Sums of the rows with the same id divided by the square root of how many they are.

    Example:
        >>> import tfpy as tf
        >>> x = [1.0, 2.0, 3.0, 4.0, 9.0]
        >>> tf.math.unsorted_segment_sqrt_n(x, [0, 0, 0, 0, 1], num_segments=2).numpy().tolist()
        [5.0, 9.0]
    """
    x, ids = convert_to_tensor(data), convert_to_tensor(segment_ids)
    total = unsorted_segment_sum(x, ids, num_segments)
    return total / ew.sqrt(_sizes(ids, num_segments, x))


# Sorted segments: ids ascend, and are read on the host, because they give the result's size.


def _sorted(op: str, data: Any, segment_ids: Any) -> tuple[Tensor, Tensor, np.ndarray[Any, Any]]:
    """Data and ids as tensors, and how many rows each segment has."""
    x, ids = convert_to_tensor(data), convert_to_tensor(segment_ids)
    check_dtype(op, ids.aval, dtypes.INDICES, "segment_ids")
    values = ids.host_view()
    message = (
        f"segment_ids {list(ids.aval.shape)} must be a vector with one id for each row of data "
        f"{list(x.aval.shape)}"
    )
    if values.ndim != 1 or not x.ndim:
        raise invalid(op, message)
    if x.aval.shape[0] == values.size:
        message = _wrong_order(values)
    if message:
        x = failing(op, message, (x,), (values.size, *x.aval.shape[1:]), x.dtype)
        ids = convert_to_tensor(np.maximum(values, 0))
    return x, ids, np.bincount(np.maximum(values, 0))


def _wrong_order(ids: Any) -> str:
    """Return what is wrong with the values of sorted segment ids, or nothing."""
    if (np.diff(ids) < 0).any():
        return "segment ids are not increasing; unsorted_segment ops take any order"
    return f"segment id {ids[0]} is negative" if ids.size and ids[0] < 0 else ""


def _over_rows(counts: np.ndarray[Any, Any], x: Tensor) -> np.ndarray[Any, Any]:
    return counts.reshape(-1, *[1] * (x.ndim - 1))


def segment_sum(data: Any, segment_ids: Any, name: str | None = None) -> Tensor:
    """Sums of the rows with the same id, 0 where there is none.

    Args:
        segment_ids: ascending int32, one for each row of ``data``; the last one gives the size.

    Raises:
        InvalidArgumentError: when the ids do not ascend or are not one for each row.

    Example:
        >>> import tfpy as tf
        >>> x = [[1, 2], [3, 4], [5, 6]]
        >>> tf.math.segment_sum(x, segment_ids=[0, 0, 1]).numpy().tolist()
        [[4, 6], [5, 6]]
    """
    x, ids, counts = _sorted("segment_sum", data, segment_ids)
    return unsorted_segment_sum(x, ids, len(counts))


def segment_prod(data: Any, segment_ids: Any, name: str | None = None) -> Tensor:
    """Products of the rows with the same id, 1 where there is none; as :func:`segment_sum`.

    Example:
        >>> import tfpy as tf
        >>> tf.math.segment_prod([1, 7, 3, 4], segment_ids=[0, 0, 1, 1]).numpy().tolist()
        [7, 12]
    """
    x, ids, counts = _sorted("segment_prod", data, segment_ids)
    return unsorted_segment_prod(x, ids, len(counts))


def segment_mean(data: Any, segment_ids: Any, name: str | None = None) -> Tensor:
    """Means of the rows with the same id, 0 where there is none; as :func:`segment_sum`.

    Integer means truncate.

    Example:
        >>> import tfpy as tf
        >>> tf.math.segment_mean([1.0, 7.0, 3.0], segment_ids=[0, 0, 1]).numpy().tolist()
        [4.0, 3.0]
    """
    x, ids, counts = _sorted("segment_mean", data, segment_ids)
    total = unsorted_segment_sum(x, ids, len(counts))
    kind = dtypes.float64 if x.dtype.is_integer else x.dtype
    sizes = np.maximum(_over_rows(counts, x), 1).astype(kind.as_numpy_dtype)
    return cast(cast(total, kind) / constant(sizes), x.dtype)


def _extreme(op: Any, name: str, data: Any, segment_ids: Any) -> Tensor:
    x, ids, counts = _sorted(name, data, segment_ids)
    found = op(x, ids, len(counts))
    return found if counts.all() else logic.select(constant(_over_rows(counts, x) > 0), found, 0)


def segment_max(data: Any, segment_ids: Any, name: str | None = None) -> Tensor:
    """Largest of the rows with the same id, 0 where there is none; as :func:`segment_sum`.

    Example:
        >>> import tfpy as tf
        >>> tf.math.segment_max([1, 7, 3, 4], segment_ids=[0, 0, 1, 1]).numpy().tolist()
        [7, 4]
    """
    return _extreme(unsorted_segment_max, "segment_max", data, segment_ids)


def segment_min(data: Any, segment_ids: Any, name: str | None = None) -> Tensor:
    """Smallest of the rows with the same id, 0 where there is none; as :func:`segment_sum`.

    Example:
        >>> import tfpy as tf
        >>> tf.math.segment_min([1, 7, 3, 4], segment_ids=[0, 0, 1, 1]).numpy().tolist()
        [1, 3]
    """
    return _extreme(unsorted_segment_min, "segment_min", data, segment_ids)
