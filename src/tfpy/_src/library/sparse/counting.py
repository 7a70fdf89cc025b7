"""Counts of integers as a sparse tensor."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfpy._src.base.errors import invalid, invalid_value
from tfpy._src.core.conversion import constant, convert_to_tensor
from tfpy._src.core.typing import TensorLike
from tfpy._src.library.sparse.dispatch import check_same_places
from tfpy._src.tensors.composite.ragged import row_partition as partition
from tfpy._src.tensors.composite.ragged.tensor import RaggedTensor
from tfpy._src.tensors.composite.sparse_tensor import SparseTensor


def _rows(values: TensorLike) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any], tuple[int, ...]]:
    """Return host values, the row of each value, and the shape before the counted axis."""
    if isinstance(values, RaggedTensor):
        return values.values.host_view(), partition.rowids(values.splits), (values.splits.size - 1,)
    if isinstance(values, SparseTensor):
        rows = values.host_indices[:, 0] if values.ndim > 1 else np.zeros(values.values.size, int)
        return values.values.host_view(), rows, values.host_shape[:-1]
    host = convert_to_tensor(values).host_view()
    if host.ndim > 2:
        raise invalid("sparse.bincount", f"values must be of rank 1 or 2, got {list(host.shape)}")
    width = host.shape[-1] if host.ndim else 1
    return host.reshape(-1), np.arange(host.size) // max(width, 1), host.shape[:-1]


def _weights(values: Any, weights: Any) -> np.ndarray[Any, Any]:
    """Return the host values of the weights, which must have the structure of the values."""
    for kind, name in ((RaggedTensor, "RaggedTensor"), (SparseTensor, "SparseTensor")):
        if isinstance(values, kind) and not isinstance(weights, kind):
            raise ValueError(
                f"`weights` must be a {name} if `values` is a {name}. Received weights={weights}"
            )
    if not isinstance(values, type(weights)) and isinstance(weights, RaggedTensor | SparseTensor):
        raise ValueError(
            "Argument `weights` must be a tf.Tensor if `values` is a tf.Tensor. Received "
            f"weights={weights}"
        )
    if isinstance(values, RaggedTensor) and not np.array_equal(values.splits, weights.splits):
        raise invalid_value(
            "sparse.bincount", "'weights' and 'values' must have the same row splits"
        )
    if isinstance(values, SparseTensor):
        check_same_places("sparse.bincount", values, weights)
    found, rows, lead = _rows(weights)
    if not isinstance(values, RaggedTensor) and (rows.size, lead) != (
        _rows(values)[1].size,
        _rows(values)[2],
    ):
        raise invalid("sparse.bincount", "'weights' and 'values' must have the same shape")
    return found


def _bins(values: Any, minlength: Any, maxlength: Any) -> int:
    """Return the number of bins: at least one, unless `maxlength` is 0."""
    least, most = (-1 if n is None else int(n) for n in (minlength, maxlength))
    if min(least, most) < -1:
        raise invalid(
            "sparse.bincount",
            f"minlength and maxlength must not be negative, got {minlength} and {maxlength}",
        )
    return most if most >= 0 else max(int(values.max(initial=0)) + 1, least)


def bincount(
    values: TensorLike,
    weights: TensorLike | None = None,
    axis: int | None = 0,
    minlength: int | None = None,
    maxlength: int | None = None,
    binary_output: bool = False,
    name: str | None = None,
) -> SparseTensor:
    """Count how often each integer occurs, and return the counts as a sparse tensor.

    Args:
        values: Non-negative integers, as a dense tensor of rank 1 or 2, a sparse tensor or a ragged
            tensor.
        weights: Weight of each value, in the same form as `values`. The weights of equal values are
            summed. Default: each value counts 1.
        axis: Axis along which to count, 0 (default) or None to count all values together, or -1 to
            count the values of each row.
        minlength: Minimum number of bins. Default: the largest value plus 1.
        maxlength: Number of bins. Values of at least `maxlength` are ignored. Default: all values
            are counted.
        binary_output: If True, the result is 1 for each integer that occurs.

    Returns:
        Sparse tensor of shape `[bins]`, or `[rows, bins]` if `axis` is -1. The dtype is int32, or
        the dtype of `weights`.

    Raises:
        ValueError: If `axis` is not 0, None or -1.
        tf.errors.InvalidArgumentError: If a value, `minlength` or `maxlength` is negative, the rank
            of `values` is above 2, or `values` has no rows.

    Example:
        >>> import tfpy as tf
        >>> counts = tf.sparse.bincount([[1, 1, 3], [2, 2, 2]], axis=-1)
        >>> tf.sparse.to_dense(counts).numpy().tolist()
        [[0, 2, 0, 1], [0, 0, 3, 0]]

    See also: `tf.math.bincount`, `tf.sparse.to_indicator`.
    """
    if axis not in (None, 0, -1):
        raise ValueError(f"Unsupported axis value {axis}: only 0, None and -1 are supported")
    flat, rows, lead = _rows(values)
    if axis != -1:
        rows, lead = np.zeros(flat.size, int), ()
    if flat.size and flat.min() < 0:
        raise invalid_value("sparse.bincount", "Input values must all be non-negative")
    if lead and not lead[0]:
        raise invalid("sparse.bincount", "there must be at least one row to count in")
    w = None if weights is None else _weights(values, weights)
    bins = _bins(flat, minlength, maxlength)
    kept = flat < bins
    keys, ids = np.unique(rows[kept] * max(bins, 1) + flat[kept], return_inverse=True)
    if binary_output:
        counts: Any = np.ones(keys.size, np.int32)
    elif w is None:
        counts = np.bincount(ids, minlength=keys.size).astype(np.int32)
    else:
        counts = np.zeros(keys.size, w.dtype)
        np.add.at(counts, ids, w[kept])
    columns = [keys // max(bins, 1), keys % max(bins, 1)] if lead else [keys]
    indices = np.stack(columns, axis=1).astype(np.int32)
    return SparseTensor(constant(indices), constant(counts), constant([*lead, bins]))
