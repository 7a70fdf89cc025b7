"""Set operations along the last axis. The host computes the sizes of the results."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from tfpy._src.base import dtypes
from tfpy._src.base.errors import invalid, invalid_value
from tfpy._src.core.conversion import constant, convert_to_tensor
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import TensorLike
from tfpy._src.tensors.composite.sparse_tensor import SparseTensor, made, positions_to_indices

Members = np.ndarray[Any, Any]
_INTEGERS = (dtypes.int8, dtypes.int16, dtypes.int32, dtypes.int64, dtypes.uint8, dtypes.uint16)
_KINDS = tuple(dict.fromkeys((*_INTEGERS, dtypes.string)))


class _Sets:
    """The sets of a tensor: their members, grouped by the flat position of the set.

    Args:
        value: Dense tensor, or sparse tensor, with sets along the last axis.
        validate: If True, check that sparse indices are sorted.
    """

    def __init__(self, value: Any, validate: bool) -> None:
        self.is_sparse = isinstance(value, SparseTensor)
        shape = tuple(value.host_shape if self.is_sparse else value.aval.closed.shape)
        if len(shape) < (1 if self.is_sparse else 2):
            raise invalid("sets", f"Invalid input rank {len(shape)}: sets are along the last axis")
        self.groups = shape[:-1]
        if self.is_sparse:
            self._members = value.values.host_view()
            self._owners = _owners(value, validate)
        else:
            self._members = value.host_view().reshape(-1)
            self._owners = np.repeat(np.arange(math.prod(self.groups)), shape[-1])

    @property
    def dtype(self) -> Any:
        """NumPy dtype of the members."""
        return self._members.dtype

    def __iter__(self) -> Iterator[tuple[int, Members]]:
        """Yield the position and the sorted members of each set that is not empty."""
        found, starts = np.unique(self._owners, return_index=True)
        ends = [*starts[1:].tolist(), self._owners.size]
        for at, start, end in zip(found.tolist(), starts.tolist(), ends, strict=False):
            yield at, np.unique(self._members[start:end])


def _owners(value: SparseTensor, validate: bool) -> Members:
    """Return the position of the set of each member of a sparse tensor."""
    positions = value.positions
    if validate and (np.diff(positions) < 0).any():
        raise invalid_value("sets", "indices are out of order. Sort them with tf.sparse.reorder")
    owners = positions // max(value.host_shape[-1], 1)
    if (np.diff(owners) < 0).any():
        raise invalid_value("sets", "the members of a set must be adjacent; see tf.sparse.reorder")
    return owners


def _operands(a: TensorLike, b: TensorLike) -> tuple[Any, Any]:
    """Convert two operands and check that their dtypes agree."""
    first, second = _checked(a, "a"), _checked(b, "b")
    if first.dtype != second.dtype:
        raise TypeError(f"Types don't match, {first.dtype} vs {second.dtype}.")
    return first, second


def _checked(value: TensorLike, name: str) -> Any:
    """Convert an operand and check its dtype."""
    found = value if isinstance(value, SparseTensor) else convert_to_tensor(value)
    if found.dtype not in _KINDS:
        names = [kind.name for kind in _KINDS]
        raise TypeError(f"'{name}' has invalid dtype `{found.dtype}` not in supported: {names}")
    return found


def _combined(
    a: TensorLike, b: TensorLike, validate: bool, combine: Callable[[Members, Members], Members]
) -> SparseTensor:
    """Combine the sets of two tensors pair by pair."""
    first, second = (_Sets(x, validate) for x in _operands(a, b))
    if first.groups != second.groups:
        raise invalid("sets", f"Mismatched group shapes {first.groups} and {second.groups}")
    left, right = dict(first), dict(second)
    none = np.empty(0, first.dtype)
    found = {at: combine(left.get(at, none), right.get(at, none)) for at in sorted({*left, *right})}
    sizes = np.array([m.size for m in found.values()], np.intp)
    owners = np.repeat(np.array(list(found), np.int64), sizes)
    places = np.concatenate([np.arange(n) for n in sizes] or [np.empty(0, np.int64)])
    members = np.concatenate([none, *found.values()])
    indices = np.column_stack([positions_to_indices(owners, first.groups), places])
    shape = (*first.groups, int(sizes.max(initial=0)))
    return made(indices, constant(members), shape)


def intersection(a: TensorLike, b: TensorLike, validate_indices: bool = True) -> SparseTensor:
    """Compute the intersection of each pair of sets along the last axis.

    Args:
        a: Dense or sparse tensor of dtype int8, uint8, int32 or string. The last axis holds the
            members of a set.
        b: Dense or sparse tensor with the dtype of `a`. Its shape is equal to the shape of `a`,
            except for the last dimension.
        validate_indices: If True, check that the indices of sparse tensors are sorted.

    Returns:
        Sparse tensor with the members of the resulting sets along the last axis, in ascending
        order.

    Raises:
        TypeError: If the dtypes of `a` and `b` differ or are not supported.
        tf.errors.InvalidArgumentError: If dimensions other than the last one differ, or the indices
            of a sparse tensor are out of order.

    Example:
        >>> import tfpy as tf
        >>> a, b = [[1, 2, 3]], [[2, 9]]
        >>> tf.sparse.to_dense(tf.sets.intersection(a, b)).numpy().tolist()
        [[2]]

    See also: `tf.sets.union`, `tf.sets.difference`.
    """
    return _combined(a, b, validate_indices, np.intersect1d)


def union(a: TensorLike, b: TensorLike, validate_indices: bool = True) -> SparseTensor:
    """Compute the union of each pair of sets along the last axis.

    Args:
        a: Dense or sparse tensor of dtype int8, uint8, int32 or string. The last axis holds the
            members of a set.
        b: Dense or sparse tensor with the dtype of `a`. Its shape is equal to the shape of `a`,
            except for the last dimension.
        validate_indices: If True, check that the indices of sparse tensors are sorted.

    Returns:
        Sparse tensor with the members of the resulting sets along the last axis, in ascending
        order.

    Raises:
        TypeError: If the dtypes of `a` and `b` differ or are not supported.
        tf.errors.InvalidArgumentError: If dimensions other than the last one differ, or the indices
            of a sparse tensor are out of order.

    Example:
        >>> import tfpy as tf
        >>> a, b = [[1, 2, 3]], [[2, 9]]
        >>> tf.sparse.to_dense(tf.sets.union(a, b)).numpy().tolist()
        [[1, 2, 3, 9]]

    See also: `tf.sets.intersection`, `tf.sets.difference`.
    """
    return _combined(a, b, validate_indices, np.union1d)


def difference(
    a: TensorLike, b: TensorLike, aminusb: bool = True, validate_indices: bool = True
) -> SparseTensor:
    """Compute the difference of each pair of sets along the last axis.

    Args:
        a: Dense or sparse tensor of dtype int8, uint8, int32 or string. The last axis holds the
            members of a set.
        b: Dense or sparse tensor with the dtype of `a`. Its shape is equal to the shape of `a`,
            except for the last dimension.
        aminusb: If True, return the members of `a` that are not in `b`. Otherwise, return the
            members of `b` that are not in `a`.
        validate_indices: If True, check that the indices of sparse tensors are sorted.

    Returns:
        Sparse tensor with the members of the resulting sets along the last axis, in ascending
        order.

    Raises:
        TypeError: If the dtypes of `a` and `b` differ or are not supported.
        tf.errors.InvalidArgumentError: If dimensions other than the last one differ, or the indices
            of a sparse tensor are out of order.

    Example:
        >>> import tfpy as tf
        >>> a, b = [[1, 2, 3]], [[2, 9]]
        >>> tf.sparse.to_dense(tf.sets.difference(a, b)).numpy().tolist()
        [[1, 3]]

    See also: `tf.sets.union`, `tf.sets.intersection`.
    """
    first, second = (a, b) if aminusb else (b, a)
    return _combined(first, second, validate_indices, np.setdiff1d)


def size(a: SparseTensor, validate_indices: bool = True) -> Tensor:
    """Count the distinct members of each set of a sparse tensor.

    Args:
        a: Sparse tensor of dtype int8, uint8, int32 or string. The last axis holds the members of a
            set.
        validate_indices: If True, check that the indices of sparse tensors are sorted.

    Returns:
        Int32 tensor with the shape of `a` without the last axis.

    Raises:
        TypeError: If `a` is not sparse, or its dtype is not supported.
        tf.errors.InvalidArgumentError: If the indices of `a` are out of order.

    Example:
        >>> import tfpy as tf
        >>> sets = tf.sparse.from_dense([[1, 2, 3], [4, 0, 0]])
        >>> tf.sets.size(sets).numpy().tolist()
        [3, 1]

    See also: `tf.sets.union`.
    """
    if not isinstance(a, SparseTensor):
        raise TypeError(f"Expected `SparseTensor`, got {a}.")
    sets = _Sets(_checked(a, "a"), validate_indices)
    counts = np.zeros(math.prod(sets.groups), np.int32)
    for at, members in sets:
        counts[at] = members.size
    return constant(counts.reshape(sets.groups))
