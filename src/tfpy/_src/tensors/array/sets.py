"""Distinct elements and differences of vectors.

The sizes of the results depend on the values, which are therefore read back to Python.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tfpy._src.base import dtypes
from tfpy._src.base.dtypes import as_dtype
from tfpy._src.base.errors import invalid
from tfpy._src.compiler.ops import logic
from tfpy._src.compiler.ops.families.infer import normalize_axis
from tfpy._src.core.conversion import as_tensors, constant, convert_to_tensor, host_values
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import Axis, DTypeLike, TensorLike

_SPREAD = 4
"""Maximal ratio of the range of integer values to their number for which a table is used."""


class Unique(NamedTuple):
    """The result of `tf.unique`."""

    y: Tensor
    idx: Tensor


class UniqueWithCounts(NamedTuple):
    """The result of `tf.unique_with_counts`."""

    y: Tensor
    idx: Tensor
    count: Tensor  # type: ignore[assignment]


def unique(x: TensorLike, out_idx: DTypeLike = dtypes.int32, name: str | None = None) -> Unique:
    """Return the distinct elements of a vector, and the index of each element among them.

    The size of the result depends on the values of `x`. They are read back to Python, so the call
    waits for pending computations. A `tf.function` in which `x` is not constant runs eagerly,
    without compilation.

    Args:
        x: Vector of any dtype.
        out_idx: Integer dtype of the indices. Default: int32.

    Returns:
        A named tuple `(y, idx)` of vectors. `y` contains the distinct elements in order of
        appearance, and `tf.gather(y, idx)` equals `x`.

    Raises:
        tf.errors.InvalidArgumentError: If `x` is not a vector.

    Example:
        >>> import tfpy as tf
        >>> values, places = tf.unique([7, 5, 7])
        >>> values.numpy().tolist(), places.numpy().tolist()
        ([7, 5], [0, 1, 0])

    See also: `tf.unique_with_counts`, `tf.setdiff1d`.
    """
    found = unique_with_counts(x, out_idx)
    return Unique(found.y, found.idx)


def unique_with_counts(
    x: TensorLike, out_idx: DTypeLike = dtypes.int32, name: str | None = None
) -> UniqueWithCounts:
    """Return the distinct elements of a vector, the index of each element, and the counts.

    The size of the result depends on the values of `x`. They are read back to Python, so the call
    waits for pending computations. A `tf.function` in which `x` is not constant runs eagerly,
    without compilation.

    Args:
        x: Vector of any dtype.
        out_idx: Integer dtype of the indices and counts. Default: int32.

    Returns:
        A named tuple `(y, idx, count)` of vectors. `y` contains the distinct elements in order of
        appearance, `tf.gather(y, idx)` equals `x`, and `count` contains the number of occurrences
        of each distinct element.

    Raises:
        tf.errors.InvalidArgumentError: If `x` is not a vector.

    Example:
        >>> import tfpy as tf
        >>> values, index, count = tf.unique_with_counts([7, 5, 7, 7])
        >>> values.numpy().tolist(), index.numpy().tolist(), count.numpy().tolist()
        ([7, 5], [0, 1, 0, 0], [3, 1])

    See also: `tf.unique`, `tf.math.bincount`.
    """
    values, kind = convert_to_tensor(x), as_dtype(out_idx).as_numpy_dtype
    if values.ndim != 1:
        raise invalid("unique", f"unique expects a 1D vector, got shape {list(values.aval.shape)}")
    array = values.host_view()
    first, inverse = _appearances(array)
    order = np.argsort(first)
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    count = np.bincount(inverse, minlength=len(order))
    y = constant(array[first[order]])
    return UniqueWithCounts(
        y, constant(rank[inverse].astype(kind)), constant(count[order].astype(kind))
    )


def unique_slices(x: TensorLike, axis: Axis, out_idx: DTypeLike = dtypes.int32) -> UniqueWithCounts:
    """Return the distinct slices along an axis, as `unique_with_counts` does for elements.

    Without an axis, `x` must be a vector.

    Raises:
        InvalidArgumentError: If there is more than one axis, the axis is out of range, or `x` is
            not a vector and there is no axis.
    """
    values, axes = convert_to_tensor(x), [int(a) for a in np.reshape(host_values(axis), -1)]
    if not axes:
        return unique_with_counts(values, out_idx)
    if len(axes) > 1:
        raise invalid("unique", f"axis does not support vectors of more than one axis, got {axes}")
    at = normalize_axis("unique", axes[0], values.ndim)
    rows = np.moveaxis(values.host_view(), at, 0)
    numbers: dict[Any, int] = {}
    keys = [row.tobytes() if row.dtype != object else (*row.flat,) for row in rows]
    owners = np.array([numbers.setdefault(key, len(numbers)) for key in keys], np.int64)
    first = np.unique(owners, return_index=True)[1]
    kind = as_dtype(out_idx).as_numpy_dtype
    return UniqueWithCounts(
        constant(np.moveaxis(rows[first], 0, at)),
        constant(owners.astype(kind)),
        constant(np.bincount(owners, minlength=len(numbers)).astype(kind)),
    )


def _appearances(x: Any) -> tuple[Any, Any]:
    """Return the first index of each distinct element, and the distinct element of each element.

    Both are indices: the second array contains the number of a distinct element.
    """
    if x.dtype == object:
        numbers = {item: i for i, item in enumerate(dict.fromkeys(x.tolist()))}
        keys = np.array([numbers[item] for item in x.tolist()], np.intp)
    elif x.size and x.dtype.kind in "iu" and int(x.max()) - int(x.min()) < _SPREAD * x.size:
        keys = x.astype(np.int64) - int(x.min())
    else:
        _, first, inverse = np.unique(x, return_index=True, return_inverse=True, equal_nan=False)
        return first, inverse
    first = np.full(int(keys.max(initial=-1)) + 1, -1)
    first[keys[::-1]] = np.arange(x.size)[::-1]  # the last write wins, which is the first element
    numbers_of = np.cumsum(first >= 0) - 1
    return first[first >= 0], numbers_of[keys]


class Difference(NamedTuple):
    """The result of `tf.setdiff1d`."""

    out: Tensor
    idx: Tensor


def setdiff1d(
    x: TensorLike, y: TensorLike, index_dtype: DTypeLike = dtypes.int32, name: str | None = None
) -> Difference:
    """Return the elements of a vector that are not in a second vector, and their indices.

    The size of the result depends on the values of `x` and `y`. They are read back to Python, so
    the call waits for pending computations. A `tf.function` in which `x` or `y` is not constant
    runs eagerly, without compilation.

    Args:
        x: Vector of any dtype.
        y: Vector of the elements to leave out, with the dtype of `x`.
        index_dtype: Integer dtype of the indices. Default: int32.

    Returns:
        A named tuple `(out, idx)` of vectors. `out` contains the elements in their order in `x`,
        and `idx` their indices in `x`.

    Raises:
        tf.errors.InvalidArgumentError: If `x` or `y` is not a vector.

    Example:
        >>> import tfpy as tf
        >>> values, places = tf.setdiff1d([1, 2, 3, 4], [2, 4])
        >>> values.numpy().tolist(), places.numpy().tolist()
        ([1, 3], [0, 2])

    See also: `tf.unique`, `tf.sets.difference`.
    """
    first, second = as_tensors(logic.equal, (x, y))
    for what, t in (("x", first), ("y", second)):
        if t.ndim != 1:
            raise invalid("setdiff1d", f"{what} should be a 1D vector, got {list(t.aval.shape)}")
    values = first.host_view()
    idx = np.flatnonzero(~np.isin(values, second.host_view()))
    return Difference(
        constant(values[idx]), constant(idx.astype(as_dtype(index_dtype).as_numpy_dtype))
    )
