"""Keras's batches of arrays as one dataset node, without functions to trace for each fit."""

from __future__ import annotations

import functools
import types
from collections.abc import Iterator
from functools import cached_property
from typing import Any

import numpy as np

from tfpy._src.base import dtypes
from tfpy._src.compiler.ir.aval import Array
from tfpy._src.core.tensor import Tensor
from tfpy._src.data import structure
from tfpy._src.data.dataset import DatasetV2
from tfpy._src.data.node import DatasetNode, Picks
from tfpy._src.data.run import DatasetRun
from tfpy._src.data.specs import batched, unbatched
from tfpy._src.tensors.array.ranges import range as tensor_range
from tfpy._src.tensors.random.stateful import shuffle


def replace(module: types.ModuleType) -> None:
    """Replace the dataset of Keras's array adapter by a single node, if all arrays are dense."""
    plain = module.ArrayDataAdapter.get_tf_dataset

    @functools.wraps(plain)
    def get_tf_dataset(self: Any) -> Any:
        if self._shuffle == "batch" or not all(map(_is_dense, module.tree.flatten(self._inputs))):
            return plain(self)
        arrays = module.array_slicing.convert_to_sliceable(self._inputs, "tensorflow")
        tensors = structure.normalized(module.tree.lists_to_tuples(arrays))
        return DatasetV2(
            ArrayBatches(tensors, self._num_samples, self._batch_size, bool(self._shuffle))
        )

    module.ArrayDataAdapter.get_tf_dataset = get_tf_dataset


def _is_dense(array: Any) -> bool:
    return isinstance(array, np.ndarray | Tensor)


class ArrayBatches(DatasetNode):
    """A dataset of batches of rows of tensors. The last batch may be smaller.

    Args:
        tensors: Nest of tensors with `count` rows each.
        count: Number of rows.
        size: Number of rows in a batch.
        shuffled: If True, each iteration has a new random order of rows.
    """

    def __init__(self, tensors: Any, count: int, size: int, shuffled: bool) -> None:
        super().__init__()
        self._tensors, self._count, self._size = tensors, count, size
        self._order = _permutations(count) if shuffled else None

    @cached_property
    def spec(self) -> Any:
        specs = structure.spec_of(self._tensors)
        size = None if self._count % self._size else self._size
        return structure.map_structure(lambda s: batched(unbatched(s), size), specs)

    def elements(self, run: DatasetRun) -> Iterator[structure.Flat]:
        arrays = structure.inner(self._tensors)
        return (tuple([a.take(rows, 0) for a in arrays]) for rows in self._rows(run))

    @property
    def picks(self) -> Picks | None:
        return Picks(tuple(structure.flatten(self._tensors)), self._rows)

    def _rows(self, run: DatasetRun) -> Iterator[Array]:
        if self._order is None:
            order = np.arange(self._count, dtype=np.int32)
        else:
            (order,) = next(self._order.elements(run))
        for start in range(0, self._count, self._size):
            yield order[start : start + self._size]


def _permutations(count: int) -> DatasetNode:
    """Return a dataset that yields one random order. As a dataset it has its own random state."""

    def permutation(_: Any) -> Any:
        return shuffle(tensor_range(count, dtype=dtypes.int64))

    return DatasetV2.range(1).map(permutation)._node
