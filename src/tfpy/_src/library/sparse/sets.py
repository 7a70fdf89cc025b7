"""``tf.sets``: the last dimension holds sets. How many members come out is known on the host."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from tfpy._src.base import dtypes
from tfpy._src.base.errors import invalid, invalid_value
from tfpy._src.core.conversion import constant, convert_to_tensor
from tfpy._src.core.tensor import Tensor
from tfpy._src.tensors.composite.sparse_tensor import SparseTensor, made, positions_to_indices

Members = np.ndarray[Any, Any]
_KINDS = (dtypes.int8, dtypes.int32, dtypes.uint8, dtypes.string)


class _Sets:
    """The sets of a tensor: members by the flat position of their set, in order.

    Args:
        value: dense, or sparse with sets along its last dimension.
    """

    def __init__(self, value: Any, validate: bool) -> None:
        self.is_sparse = isinstance(value, SparseTensor)
        shape = tuple(value.host_shape if self.is_sparse else value.aval.closed.shape)
        if len(shape) < (1 if self.is_sparse else 2):
            raise invalid("sets", f"Invalid input rank {len(shape)}: sets lie along the last axis")
        self.groups = shape[:-1]
        if self.is_sparse:
            self._members = value.values.host_view()
            self._owners = _owners(value, validate)
        else:
            self._members = value.host_view().reshape(-1)
            self._owners = np.repeat(np.arange(math.prod(self.groups)), shape[-1])

    @property
    def dtype(self) -> Any:
        """Of the members, an array's."""
        return self._members.dtype

    def __iter__(self) -> Iterator[tuple[int, Members]]:
        """The position and the members of each set that has some, ascending."""
        found, starts = np.unique(self._owners, return_index=True)
        ends = [*starts[1:].tolist(), self._owners.size]
        for at, start, end in zip(found.tolist(), starts.tolist(), ends, strict=False):
            yield at, np.unique(self._members[start:end])


def _owners(value: SparseTensor, validate: bool) -> Members:
    positions = value.positions
    if validate and (np.diff(positions) < 0).any():
        raise invalid_value("sets", "indices are out of order; see tf.sparse.reorder")
    owners = positions // max(value.host_shape[-1], 1)
    if (np.diff(owners) < 0).any():
        raise invalid_value("sets", "the members of a set do not lie together")
    return owners


def _operands(a: Any, b: Any) -> tuple[Any, Any]:
    first, second = _checked(a, "a"), _checked(b, "b")
    if first.dtype != second.dtype:
        raise TypeError(f"Types don't match, {first.dtype} vs {second.dtype}.")
    return first, second


def _checked(value: Any, name: str) -> Any:
    found = value if isinstance(value, SparseTensor) else convert_to_tensor(value)
    if found.dtype not in _KINDS:
        names = [kind.name for kind in _KINDS]
        raise TypeError(f"'{name}' has invalid dtype `{found.dtype}` not in supported: {names}")
    return found


def _combined(
    a: Any, b: Any, validate: bool, combine: Callable[[Members, Members], Members]
) -> SparseTensor:
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


def intersection(a: Any, b: Any, validate_indices: bool = True) -> SparseTensor:
    """The members that are in both of two sets, for each pair along the last dimension.

    Args:
        a, b: tensors or sparse tensors of integers or strings, of the same shape up to the last
            dimension, along which the members of a set lie, in any number.
        validate_indices: whether the order of sparse indices is checked.

    Returns:
        A sparse tensor: the members of each set, ascending.

    Raises:
        TypeError: when dtypes differ or are not supported.
        InvalidArgumentError: when shapes differ before the last dimension, or indices are out of
            order.

    Example:
        >>> import tfpy as tf
        >>> a, b = [[1, 2, 3]], [[2, 9]]
        >>> tf.sparse.to_dense(tf.sets.intersection(a, b)).numpy().tolist()
        [[2]]
    """
    return _combined(a, b, validate_indices, np.intersect1d)


def union(a: Any, b: Any, validate_indices: bool = True) -> SparseTensor:
    """The members that are in one of two sets or in both; otherwise as :func:`intersection`.

    Example:
        >>> import tfpy as tf
        >>> a, b = [[1, 2, 3]], [[2, 9]]
        >>> tf.sparse.to_dense(tf.sets.union(a, b)).numpy().tolist()
        [[1, 2, 3, 9]]
    """
    return _combined(a, b, validate_indices, np.union1d)


def difference(a: Any, b: Any, aminusb: bool = True, validate_indices: bool = True) -> SparseTensor:
    """The members of ``a`` that are not in ``b``; otherwise as :func:`intersection`.

    Args:
        aminusb: False for the members of ``b`` that are not in ``a``.

    Example:
        >>> import tfpy as tf
        >>> a, b = [[1, 2, 3]], [[2, 9]]
        >>> tf.sparse.to_dense(tf.sets.difference(a, b)).numpy().tolist()
        [[1, 3]]
    """
    first, second = (a, b) if aminusb else (b, a)
    return _combined(first, second, validate_indices, np.setdiff1d)


def size(a: Any, validate_indices: bool = True) -> Tensor:
    """The number of members of each set of a sparse tensor, int32 of its shape but the last size.

    Raises:
        TypeError: for another tensor, or a dtype that is not supported.
        InvalidArgumentError: when indices are out of order.

    Example:
        >>> import tfpy as tf
        >>> sets = tf.sparse.from_dense([[1, 2, 3], [4, 0, 0]])
        >>> tf.sets.size(sets).numpy().tolist()
        [3, 1]
    """
    if not isinstance(a, SparseTensor):
        raise TypeError(f"Expected `SparseTensor`, got {a}.")
    sets = _Sets(_checked(a, "a"), validate_indices)
    counts = np.zeros(math.prod(sets.groups), np.int32)
    for at, members in sets:
        counts[at] = members.size
    return constant(counts.reshape(sets.groups))
