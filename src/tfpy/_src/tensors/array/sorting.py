"""Sorting, ranking and searching: functions of `tf`, `tf.math` and `tf.nn`."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tfpy._src.base import dtypes
from tfpy._src.base.errors import invalid, invalid_value
from tfpy._src.compiler.ops import indexing, logic, reduction, sorting as primitives
from tfpy._src.compiler.ops.families.infer import check_dtype, normalize_axis
from tfpy._src.core.conversion import as_tensors, constant, convert_to_tensor
from tfpy._src.core.dispatch import dispatchable
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import DTypeLike, IntLike, TensorLike
from tfpy._src.tensors.array.making import as_floats, as_integers, cast
from tfpy._src.tensors.array.reshaping import reshape, transpose
from tfpy._src.tensors.array.static import static_int


class TopKV2(NamedTuple):
    """The result of `tf.math.top_k`."""

    values: Tensor
    indices: Tensor


def _take(x: Tensor, order: Tensor) -> Tensor:
    """Gather the elements of each row at the row's own indices along the last axis."""
    return indexing.gather(x, order, axis=x.ndim - 1, batch_dims=x.ndim - 1)


def top_k(
    input: TensorLike,
    k: IntLike = 1,
    sorted: bool = True,
    index_type: DTypeLike = dtypes.int32,
    name: str | None = None,
) -> TopKV2:
    """Return the `k` largest elements along the last axis, and their indices.

    If elements are equal, the one with the lower index comes first. NaN counts as larger than every
    number.

    Args:
        input: Numeric tensor of shape `[..., n]`.
        k: Number of elements, at most `n`.
        sorted: If True, the elements are in descending order. Otherwise they have the order
            of TensorFlow on a CPU. On webgl, webgpu and jax they are always in descending order, as
            in TensorFlow with XLA.
        index_type: Integer dtype of the indices. Default: int32.

    Returns:
        A named tuple `(values, indices)` of tensors of shape `[..., k]`.

    Raises:
        tf.errors.InvalidArgumentError: If `input` is a scalar, or `k` is negative or larger than
            `n`.

    Example:
        >>> import tfpy as tf
        >>> values, indices = tf.math.top_k([1, 5, 3], k=2)
        >>> values.numpy().tolist(), indices.numpy().tolist()
        ([5, 3], [1, 2])

    See also: `tf.sort`, `tf.argsort`, `tf.math.in_top_k`.
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
    if sorted:
        order = primitives.argsort(x, k=count, descending=True)
    else:
        order = primitives.largest(x, k=count)
    return TopKV2(_take(x, order), cast(order, index_type))


def _descending(direction: str) -> bool:
    """Return True if the direction is "DESCENDING"."""
    if direction not in ("ASCENDING", "DESCENDING"):
        raise ValueError(
            "Argument `direction` should be one of ASCENDING, DESCENDING. "
            f"Received: direction={direction}"
        )
    return direction == "DESCENDING"


def _last(op: str, values: Any, axis: Any) -> tuple[Tensor, tuple[int, ...]]:
    """Move the axis to the end; return the tensor and the permutation, which is its own inverse."""
    x = convert_to_tensor(values)
    if not x.ndim:
        raise invalid(op, "cannot sort a scalar: slice index -1 of dimension 0 out of bounds")
    at = normalize_axis(op, static_int(axis), x.ndim)
    perm = list(range(x.ndim))
    perm[at], perm[-1] = perm[-1], perm[at]
    return (x if at == x.ndim - 1 else transpose(x, perm)), tuple(perm)


def _back(x: Tensor, perm: tuple[int, ...]) -> Tensor:
    return x if perm[-1] == x.ndim - 1 else transpose(x, perm)


@dispatchable
def sort(
    values: TensorLike, axis: IntLike = -1, direction: str = "ASCENDING", name: str | None = None
) -> Tensor:
    """Sort the elements along an axis.

    NaN counts as larger than every number.

    Args:
        values: Numeric tensor of rank 1 or more.
        axis: Axis to sort along. Negative values count from the end. Default: the last axis.
        direction: `"ASCENDING"` (default) or `"DESCENDING"`.

    Returns:
        Tensor with the shape and dtype of `values`.

    Raises:
        ValueError: If `direction` is neither `"ASCENDING"` nor `"DESCENDING"`.
        tf.errors.InvalidArgumentError: If `values` is a scalar, or the axis is out of range.

    Example:
        >>> import tfpy as tf
        >>> tf.sort([3, 1, 2], direction="DESCENDING").numpy().tolist()
        [3, 2, 1]

    See also: `tf.argsort`, `tf.math.top_k`.
    """
    descending = _descending(direction)
    x, perm = _last("sort", values, axis)
    order = primitives.argsort(x, k=x.aval.shape[-1], descending=descending)
    return _back(primitives.permute(x, order), perm)


@dispatchable
def argsort(
    values: TensorLike,
    axis: IntLike = -1,
    direction: str = "ASCENDING",
    stable: bool = False,
    name: str | None = None,
) -> Tensor:
    """Return the indices that sort the elements along an axis.

    NaN counts as larger than every number.

    Args:
        values: Numeric tensor of rank 1 or more.
        axis: Axis to sort along. Negative values count from the end. Default: the last axis.
        direction: `"ASCENDING"` (default) or `"DESCENDING"`.
        stable: Has no effect. Equal elements always keep their order.

    Returns:
        Int32 tensor with the shape of `values`.

    Raises:
        ValueError: If `direction` is neither `"ASCENDING"` nor `"DESCENDING"`.
        tf.errors.InvalidArgumentError: If `values` is a scalar, or the axis is out of range.

    Example:
        >>> import tfpy as tf
        >>> tf.argsort([3, 1, 2]).numpy().tolist()
        [1, 2, 0]

    See also: `tf.sort`, `tf.math.top_k`.
    """
    descending = _descending(direction)
    x, perm = _last("argsort", values, axis)
    return _back(primitives.argsort(x, k=x.aval.shape[-1], descending=descending), perm)


def in_top_k(
    targets: TensorLike, predictions: TensorLike, k: IntLike, name: str | None = None
) -> Tensor:
    """Return True for each row whose target is among the `k` largest predictions.

    The result is also True if the prediction of the target is equal to the `k`-th largest one. It
    is False if the target is out of range, or the row contains NaN or an infinite value.

    Args:
        targets: Integer tensor of shape `[batch]` with the target class of each row.
        predictions: Float32 tensor of shape `[batch, classes]`.
        k: Number of predictions among which the target must be.

    Returns:
        Boolean tensor of shape `[batch]`.

    Raises:
        tf.errors.InvalidArgumentError: If the shapes do not match.

    Example:
        >>> import tfpy as tf
        >>> predictions = [[0.1, 0.7, 0.2], [0.5, 0.1, 0.4]]
        >>> tf.math.in_top_k(targets=[2, 1], predictions=predictions, k=2).numpy().tolist()
        [True, False]

    See also: `tf.math.top_k`.
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
    sorted_sequence: TensorLike,
    values: TensorLike,
    side: str = "left",
    out_type: DTypeLike = dtypes.int32,
    name: str | None = None,
) -> Tensor:
    """Return the index at which each value can be inserted into a sorted sequence.

    Args:
        sorted_sequence: Numeric tensor of shape `[..., n]` with rows in ascending order.
        values: Tensor of shape `[..., m]` with the leading dimensions and the dtype of
            `sorted_sequence`.
        side: `"left"` (default) for the first index that keeps the order, or `"right"` for the last
            one. They differ if the sequence contains the value.
        out_type: Integer dtype of the result. Default: int32.

    Returns:
        Integer tensor of shape `[..., m]`.

    Raises:
        ValueError: If `side` is neither `"left"` nor `"right"`.
        tf.errors.InvalidArgumentError: If the dtypes or the leading dimensions differ.

    Example:
        >>> import tfpy as tf
        >>> tf.searchsorted([1, 3, 5], [2, 5]).numpy().tolist()
        [1, 2]

    See also: `tf.lower_bound`, `tf.upper_bound`, `tf.sort`.
    """
    if side not in ("left", "right"):
        raise ValueError(f"side must be either 'right' or 'left'. Saw: {side!r}")
    sequence, wanted = as_tensors(primitives.searchsorted, (sorted_sequence, values))
    found = primitives.searchsorted(sequence, wanted, right=side == "right")
    return cast(found, out_type)


def lower_bound(sorted_sequence: TensorLike, values: TensorLike) -> Tensor:
    """Return the first index at which each value can be inserted into a sorted sequence.

    Equivalent to `tf.lowerBound` in TensorFlow.js, and to `tf.searchsorted` with `side="left"`.

    Args:
        sorted_sequence: Numeric tensor of shape `[..., n]` with rows in ascending order.
        values: Tensor of shape `[..., m]` with the leading dimensions and the dtype of
            `sorted_sequence`.

    Returns:
        Int32 tensor of shape `[..., m]`.

    Raises:
        tf.errors.InvalidArgumentError: If the dtypes or the leading dimensions differ.

    Example:
        >>> import tfpy as tf
        >>> tf.lower_bound([[1, 3, 3, 9]], [[3, 4]]).numpy().tolist()
        [[1, 3]]

    See also: `tf.upper_bound`, `tf.searchsorted`.
    """
    return searchsorted(sorted_sequence, values, "left")


def upper_bound(sorted_sequence: TensorLike, values: TensorLike) -> Tensor:
    """Return the last index at which each value can be inserted into a sorted sequence.

    Equivalent to `tf.upperBound` in TensorFlow.js, and to `tf.searchsorted` with `side="right"`.

    Args:
        sorted_sequence: Numeric tensor of shape `[..., n]` with rows in ascending order.
        values: Tensor of shape `[..., m]` with the leading dimensions and the dtype of
            `sorted_sequence`.

    Returns:
        Int32 tensor of shape `[..., m]`.

    Raises:
        tf.errors.InvalidArgumentError: If the dtypes or the leading dimensions differ.

    Example:
        >>> import tfpy as tf
        >>> tf.upper_bound([[1, 3, 3, 9]], [[3, 4]]).numpy().tolist()
        [[3, 3]]

    See also: `tf.lower_bound`, `tf.searchsorted`.
    """
    return searchsorted(sorted_sequence, values, "right")


@dispatchable
def invert_permutation(x: TensorLike, name: str | None = None) -> Tensor:
    """Return the inverse of a permutation.

    The values are read back to Python and checked, so the call waits for pending computations. A
    `tf.function` in which `x` is not constant runs eagerly, without compilation.

    Args:
        x: Integer vector that contains each of the numbers 0 to n - 1 exactly once.

    Returns:
        Int32 tensor of shape `[n]`.

    Raises:
        tf.errors.InvalidArgumentError: If `x` is not a permutation.

    Example:
        >>> import tfpy as tf
        >>> tf.math.invert_permutation([2, 0, 1]).numpy().tolist()
        [1, 2, 0]

    See also: `tf.argsort`, `tf.transpose`.
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
