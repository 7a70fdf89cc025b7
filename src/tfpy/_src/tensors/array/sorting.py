"""Sorting, ranking and searching: functions under ``tf`` itself, ``tf.math`` and ``tf.nn``."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tfpy._src.base import dtypes
from tfpy._src.base.dtypes import as_dtype
from tfpy._src.base.errors import invalid, invalid_value
from tfpy._src.compiler.ops import indexing, logic, reduction, sorting as primitives
from tfpy._src.compiler.ops.families.infer import check_dtype, normalize_axis
from tfpy._src.core.conversion import as_tensors, constant, convert_to_tensor, host_values
from tfpy._src.core.tensor import Tensor
from tfpy._src.tensors.array.making import as_floats, as_integers, cast
from tfpy._src.tensors.array.reshaping import reshape, transpose
from tfpy._src.tensors.array.static import static_int

_SPREAD = 4  # how much longer than a vector a table of its values may be


class TopKV2(NamedTuple):
    """The result of :func:`top_k`."""

    values: Tensor
    indices: Tensor


def _take(x: Tensor, order: Tensor) -> Tensor:
    """The elements of each row at its own places along the last axis."""
    return indexing.gather(x, order, axis=x.ndim - 1, batch_dims=x.ndim - 1)


def top_k(
    input: Any,
    k: Any = 1,
    sorted: bool = True,
    index_type: Any = dtypes.int32,
    name: str | None = None,
) -> TopKV2:
    """The ``k`` largest elements along the last axis, largest first, and where they are.

    Of equal elements the first comes first; NaN counts as largest.

    Raises:
        InvalidArgumentError: for a scalar, a negative ``k`` or one above the axis's size.

    Example:
        >>> import tfpy as tf
        >>> values, indices = tf.math.top_k([1, 5, 3], k=2)
        >>> values.numpy().tolist(), indices.numpy().tolist()
        ([5, 3], [1, 2])
    """
    x, count = convert_to_tensor(input), static_int(k)
    if not x.ndim:
        raise invalid("top_k", "input must be >= 1-D, got shape []")
    if count < 0:
        raise invalid("top_k", f"Need k >= 0, got {count}")
    if count > x.aval.shape[-1]:
        raise invalid(
            "top_k", f"input must have at least k columns. Had {x.aval.shape[-1]}, needed {count}"
        )
    order = primitives.argsort(x, k=count, descending=True)
    return TopKV2(_take(x, order), cast(order, index_type))


def _descending(direction: str) -> bool:
    if direction not in ("ASCENDING", "DESCENDING"):
        raise ValueError(
            "Argument `direction` should be one of ASCENDING, DESCENDING. "
            f"Received: direction={direction}"
        )
    return direction == "DESCENDING"


def _last(op: str, values: Any, axis: Any) -> tuple[Tensor, tuple[int, ...]]:
    """The tensor with the axis last, and the permutation that puts it there (and back)."""
    x = convert_to_tensor(values)
    if not x.ndim:
        raise invalid(op, "cannot sort a scalar: slice index -1 of dimension 0 out of bounds")
    at = normalize_axis(op, static_int(axis), x.ndim)
    perm = list(range(x.ndim))
    perm[at], perm[-1] = perm[-1], perm[at]
    return (x if at == x.ndim - 1 else transpose(x, perm)), tuple(perm)


def _back(x: Tensor, perm: tuple[int, ...]) -> Tensor:
    return x if perm[-1] == x.ndim - 1 else transpose(x, perm)


def sort(
    values: Any, axis: int = -1, direction: str = "ASCENDING", name: str | None = None
) -> Tensor:
    """The elements in order along an axis; NaN counts as larger than every number.

    Args:
        direction: "ASCENDING" or "DESCENDING".

    Raises:
        ValueError: when the direction is neither "ASCENDING" nor "DESCENDING".

    Example:
        >>> import tfpy as tf
        >>> tf.sort([3, 1, 2], direction="DESCENDING").numpy().tolist()
        [3, 2, 1]
    """
    descending = _descending(direction)
    x, perm = _last("sort", values, axis)
    order = primitives.argsort(x, k=x.aval.shape[-1], descending=descending)
    return _back(primitives.permute(x, order), perm)


def argsort(
    values: Any,
    axis: int = -1,
    direction: str = "ASCENDING",
    stable: bool = False,
    name: str | None = None,
) -> Tensor:
    """Where the elements of the sorted tensor are along an axis, int32. Always stable.

    Args:
        direction: "ASCENDING" or "DESCENDING".

    Example:
        >>> import tfpy as tf
        >>> tf.argsort([3, 1, 2]).numpy().tolist()
        [1, 2, 0]
    """
    descending = _descending(direction)
    x, perm = _last("argsort", values, axis)
    return _back(primitives.argsort(x, k=x.aval.shape[-1], descending=descending), perm)


def in_top_k(targets: Any, predictions: Any, k: Any, name: str | None = None) -> Tensor:
    """Whether each row's target is among its ``k`` largest predictions; ties count as in.

    False where the target is out of range or the row has a value that is not finite.

    Args:
        targets: ``[batch]`` int32.
        predictions: ``[batch, classes]`` float32.

    Raises:
        InvalidArgumentError: for other shapes.

    Example:
        >>> import tfpy as tf
        >>> predictions = [[0.1, 0.7, 0.2], [0.5, 0.1, 0.4]]
        >>> tf.math.in_top_k(targets=[2, 1], predictions=predictions, k=2).numpy().tolist()
        [True, False]
    """
    classes, x = as_integers(targets), as_floats(predictions)
    if x.ndim != 2:
        raise invalid("in_top_k", f"predictions must be 2-dimensional, got {list(x.aval.shape)}")
    if classes.ndim != 1 or classes.aval.shape[0] != x.aval.shape[0]:
        raise invalid(
            "in_top_k",
            f"First dimension of predictions {x.aval.shape[0]} must match length of targets "
            f"{list(classes.aval.shape)}",
        )
    check_dtype("in_top_k", classes.aval, dtypes.INDICES, "targets")
    n = x.aval.shape[1]
    inside = logic.logical_and(classes >= 0, classes < n)
    if not n:
        return inside
    places = reshape(logic.select(inside, classes, 0), [-1, 1] if classes.size else [0, 1])
    better = cast(x > indexing.gather(x, places, axis=1, batch_dims=1), dtypes.int32)
    ahead = reduction.reduce_sum(better, axes=(1, 2))
    finite = reduction.reduce_all(logic.is_finite(x), axes=(1, 2))
    return logic.logical_and(logic.logical_and(inside, finite), ahead < k)


def searchsorted(
    sorted_sequence: Any,
    values: Any,
    side: str = "left",
    out_type: Any = dtypes.int32,
    name: str | None = None,
) -> Tensor:
    """Where each value can be put into its ascending sequence so that the order stays.

    Args:
        sorted_sequence: ``[..., n]``.
        values: ``[..., m]`` with the same leading dimensions.
        side: "left" of equal elements (the first such place) or "right" of them (the last).

    Raises:
        ValueError: when ``side`` is neither.
        InvalidArgumentError: when dtypes or leading dimensions differ.

    Example:
        >>> import tfpy as tf
        >>> tf.searchsorted([1, 3, 5], [2, 5]).numpy().tolist()
        [1, 2]
    """
    if side not in ("left", "right"):
        raise ValueError(f"side must be either 'right' or 'left'. Saw: {side!r}")
    sequence, wanted = as_tensors(primitives.searchsorted, (sorted_sequence, values))
    found = primitives.searchsorted(sequence, wanted, right=side == "right")
    return cast(found, out_type)


def lower_bound(sorted_sequence: Any, values: Any) -> Tensor:
    """:func:`searchsorted` to the left of equal elements (TensorFlow.js's name).

    Example:
        >>> import tfpy as tf
        >>> tf.lower_bound([[1, 3, 3, 9]], [[3, 4]]).numpy().tolist()
        [[1, 3]]
    """
    return searchsorted(sorted_sequence, values, "left")


def upper_bound(sorted_sequence: Any, values: Any) -> Tensor:
    """:func:`searchsorted` to the right of equal elements (TensorFlow.js's name).

    Example:
        >>> import tfpy as tf
        >>> tf.upper_bound([[1, 3, 3, 9]], [[3, 4]]).numpy().tolist()
        [[3, 3]]
    """
    return searchsorted(sorted_sequence, values, "right")


# Sets: what comes out decides the shape, so values are read on the host.


class Unique(NamedTuple):
    """The result of :func:`unique`."""

    y: Tensor
    idx: Tensor


class UniqueWithCounts(NamedTuple):
    """The result of :func:`unique_with_counts`."""

    y: Tensor
    idx: Tensor
    count: Tensor  # type: ignore[assignment]


def unique(x: Any, out_idx: Any = dtypes.int32, name: str | None = None) -> Unique:
    """The distinct elements of a vector in order of appearance, and each element's place in them.

    Raises:
        InvalidArgumentError: when ``x`` is not a vector.

    Example:
        >>> import tfpy as tf
        >>> values, places = tf.unique([7, 5, 7])
        >>> values.numpy().tolist(), places.numpy().tolist()
        ([7, 5], [0, 1, 0])
    """
    found = unique_with_counts(x, out_idx)
    return Unique(found.y, found.idx)


def unique_with_counts(
    x: Any, out_idx: Any = dtypes.int32, name: str | None = None
) -> UniqueWithCounts:
    """As :func:`unique`, and how often each distinct element appears.

    Raises:
        InvalidArgumentError: for something else than a vector.

    Example:
        >>> import tfpy as tf
        >>> values, index, count = tf.unique_with_counts([7, 5, 7, 7])
        >>> values.numpy().tolist(), index.numpy().tolist(), count.numpy().tolist()
        ([7, 5], [0, 1, 0, 0], [3, 1])
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


def unique_slices(x: Any, axis: Any, out_idx: Any = dtypes.int32) -> UniqueWithCounts:
    """As :func:`unique_with_counts`, of the slices along an axis; without one, of a vector.

    Raises:
        InvalidArgumentError: for more than one axis, or one that ``x`` has not; for something else
            than a vector without one.
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
    """The place at which each distinct element appears first, and which of them each element is."""
    if x.dtype == object:
        numbers = {item: i for i, item in enumerate(dict.fromkeys(x.tolist()))}
        keys = np.array([numbers[item] for item in x.tolist()], np.intp)
    elif x.size and x.dtype.kind in "iu" and int(x.max()) - int(x.min()) < _SPREAD * x.size:
        keys = x.astype(np.int64) - int(x.min())
    else:
        _, first, inverse = np.unique(x, return_index=True, return_inverse=True, equal_nan=False)
        return first, inverse
    first = np.full(int(keys.max(initial=-1)) + 1, -1)
    first[keys[::-1]] = np.arange(x.size)[::-1]  # of equal keys the last one that is written stays
    numbers_of = np.cumsum(first >= 0) - 1
    return first[first >= 0], numbers_of[keys]


class Difference(NamedTuple):
    """The result of :func:`setdiff1d`."""

    out: Tensor
    idx: Tensor


def setdiff1d(
    x: Any, y: Any, index_dtype: Any = dtypes.int32, name: str | None = None
) -> Difference:
    """The elements of vector ``x`` that are not in ``y``, and their places in ``x``.

    Raises:
        InvalidArgumentError: when one of them is not a vector.

    Example:
        >>> import tfpy as tf
        >>> values, places = tf.setdiff1d([1, 2, 3, 4], [2, 4])
        >>> values.numpy().tolist(), places.numpy().tolist()
        ([1, 3], [0, 2])
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


def invert_permutation(x: Any, name: str | None = None) -> Tensor:
    """The permutation that undoes ``x``, a vector of the numbers 0 .. n - 1. Checked on the host.

    Raises:
        InvalidArgumentError: when ``x`` is no such vector.

    Example:
        >>> import tfpy as tf
        >>> tf.math.invert_permutation([2, 0, 1]).numpy().tolist()
        [1, 2, 0]
    """
    perm = as_integers(x)
    check_dtype("invert_permutation", perm.aval, dtypes.INDICES)
    if perm.ndim != 1:
        raise invalid(
            "invert_permutation", f"expects a 1D vector, got shape {list(perm.aval.shape)}"
        )
    array = perm.host_view()
    if not np.array_equal(np.sort(array), np.arange(array.size)):
        raise invalid_value(
            "invert_permutation", f"{array.tolist()} is not a permutation of 0 .. {array.size - 1}"
        )
    return constant(np.argsort(array).astype(np.int32))
