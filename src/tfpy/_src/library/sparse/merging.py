"""The union of the indices of two sparse tensors."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tfpy._src.base.errors import invalid
from tfpy._src.tensors.composite.sparse_tensor import SparseTensor

Ints = np.ndarray[Any, np.dtype[Any]]


class Merged(NamedTuple):
    """Sorted flat positions, and the place of each value of two tensors among them."""

    positions: Ints
    first: Ints
    second: Ints


def merged(op: str, a: SparseTensor, b: SparseTensor) -> Merged:
    """Merge the indices of two tensors of one shape.

    If an index is repeated, the n-th value of one tensor is combined with the n-th value of the
    other, as in TensorFlow.

    Raises:
        InvalidArgumentError: If the shapes differ.
    """
    if a.host_shape != b.host_shape:
        has_rank = len(a.host_shape) == len(b.host_shape)
        what = "' shapes do not match" if has_rank else " do not have the same ranks"
        raise invalid(op, f"Operands{what}: {list(a.host_shape)} and {list(b.host_shape)}")
    positions = np.concatenate([a.positions, b.positions]).astype(np.int64)
    repeats = np.concatenate([_repeats(a.positions), _repeats(b.positions)])
    width = int(repeats.max(initial=0)) + 1
    found, ids = np.unique(positions * width + repeats, return_inverse=True)
    count = a.positions.size
    return Merged(found // width, ids[:count].astype(np.int32), ids[count:].astype(np.int32))


def _repeats(positions: Ints) -> Ints:
    """Return how many equal positions are before each one."""
    order = np.argsort(positions, kind="stable")
    sorted_ = positions[order]
    begins = np.searchsorted(sorted_, sorted_)
    repeats = np.empty(positions.size, np.int64)
    repeats[order] = np.arange(positions.size) - begins
    return repeats
