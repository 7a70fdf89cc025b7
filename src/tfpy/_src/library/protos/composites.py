"""Sparse and ragged tensors that are composed of several features."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from tfpy._src.base.dtypes import DType
from tfpy._src.base.errors import invalid_value
from tfpy._src.compiler.ir.aval import Array
from tfpy._src.core.tensor import Tensor
from tfpy._src.library.protos.columns import sparse_of
from tfpy._src.library.protos.features import (
    RaggedFeature,
    RowLengths,
    RowLimits,
    RowSplits,
    RowStarts,
    SparseFeature,
    UniformRowLength,
    ValueRowIds,
)
from tfpy._src.tensors.array.reshaping import reshape
from tfpy._src.tensors.array.slicing import gather
from tfpy._src.tensors.composite.ragged.tensor import RaggedTensor
from tfpy._src.tensors.composite.sparse_tensor import SparseTensor

_FROM_KEY: dict[type, Callable[..., Any]] = {
    RowSplits: RaggedTensor.from_row_splits,
    RowLengths: RaggedTensor.from_row_lengths,
    RowStarts: RaggedTensor.from_row_starts,
    RowLimits: RaggedTensor.from_row_limits,
    ValueRowIds: RaggedTensor.from_value_rowids,
}


def composed(op: str, features: Mapping[str, Any], tensors: dict[str, Any]) -> dict[str, Any]:
    """Return the tensor of each feature from the tensors of the keys in the examples."""
    found: dict[str, Any] = {}
    for key, feature in features.items():
        if isinstance(feature, SparseFeature):
            found[key] = _merged(feature, tensors)
        elif isinstance(feature, RaggedFeature):
            found[key] = _partitioned(op, key, feature, tensors)
        else:
            found[key] = tensors[key]
    order = [*(key for key in tensors if key in found), *sorted(set(found) - set(tensors))]
    return {key: found[key] for key in order}


def _merged(feature: SparseFeature, tensors: dict[str, Any]) -> SparseTensor:
    """Return a sparse tensor whose indices are features.

    Raises:
        ValueError: If features have different numbers of values, or the sizes do not match.
    """
    keys = [feature.index_key] if isinstance(feature.index_key, str) else list(feature.index_key)
    sizes = [feature.size] if isinstance(feature.size, int) else list(feature.size)
    if len(keys) != len(sizes):
        raise ValueError("sp_ids and vocab_size have to have equal lengths.")
    ids, values = [tensors[key] for key in keys], tensors[feature.value_key].values
    before = np.asarray(ids[0].indices)[:, :-1]
    count = values.aval.shape[0]
    for part in ids:
        if part.values.aval.shape[0] != count:
            raise ValueError(
                f"Dimensions {part.values.aval.shape[0]} and {count} are not compatible"
            )
    indices = np.concatenate([before, *(np.asarray(part.values)[:, None] for part in ids)], 1)
    shape = [*np.asarray(ids[0].dense_shape)[:-1].tolist(), *map(int, sizes)]
    if feature.already_sorted:
        return sparse_of(indices, values, shape)
    order = np.lexsort(indices.T[::-1])
    return sparse_of(indices[order], gather(values, order), shape)


def _partitioned(
    op: str, key: str, feature: RaggedFeature, tensors: dict[str, Any]
) -> Tensor | RaggedTensor:
    """Return the values of a feature in the rows that its partitions define."""
    found = tensors[feature.value_key or key]
    if not isinstance(found, RaggedTensor):
        for partition in reversed(feature.partitions):
            found = _of_one(found, partition, tensors, feature.row_splits_dtype, feature.validate)
        return found
    outer = None
    if found.ragged_rank > 1:
        outer, found = np.asarray(found.row_splits), found.values
    for partition in reversed(feature.partitions):
        part = None
        if not isinstance(partition, UniformRowLength):
            part = tensors[partition.key]
            if outer is not None:
                if feature.validate and not np.array_equal(outer, np.asarray(part.row_splits)):
                    raise invalid_value(op, f"Feature {key}: values and partitions are not aligned")
                part = part.values
        found = _of_batch(found, partition, part, feature)
    return found if outer is None else _rows(found, outer, feature)


def _of_one(
    values: Any, partition: Any, tensors: dict[str, Any], dtype: DType, validate: bool
) -> Any:
    """Partition the values of one example."""
    if isinstance(partition, UniformRowLength):
        return _uniform(values, partition.length, validate)
    part = np.asarray(tensors[partition.key]).astype(dtype.as_numpy_dtype)
    return _FROM_KEY[type(partition)](values, part, validate=validate)


def _uniform(values: Any, length: int, validate: bool) -> Any:
    if isinstance(values, RaggedTensor):
        return RaggedTensor.from_uniform_row_length(values, length, validate=validate)
    return reshape(values, [-1, length, *values.aval.shape[1:]])


def _rows(values: Any, splits: Array, feature: RaggedFeature) -> RaggedTensor:
    kind = feature.row_splits_dtype.as_numpy_dtype
    return RaggedTensor.from_row_splits(values, splits.astype(kind), validate=feature.validate)


def _of_batch(
    found: RaggedTensor, partition: Any, part: RaggedTensor | None, feature: RaggedFeature
) -> RaggedTensor:
    """Partition the values of each example of a batch.

    Args:
        found: Ragged tensor whose rows are the values of the examples.
        part: Ragged tensor whose rows are the partitions of the examples.
    """
    splits = np.asarray(found.row_splits)
    if part is None:
        length = partition.length
        return _rows(_uniform(found.values, length, feature.validate), splits // length, feature)
    kind = splits.dtype
    numbers, lengths = np.asarray(part.values), np.diff(np.asarray(part.row_splits))
    starts = splits[:-1]
    if isinstance(partition, RowSplits):
        first = np.asarray(part.row_splits)[:-1][lengths > 0]
        numbers = np.delete(numbers, first)
        lengths = np.maximum(lengths - 1, 0)
        partition = RowLimits(partition.key)
    if isinstance(partition, ValueRowIds):
        rows = [
            numbers[at : at + n]
            for at, n in zip(np.cumsum(lengths) - lengths, lengths, strict=True)
        ]
        counts = np.array([row.max(initial=-1) + 1 for row in rows], kind)
        numbers = numbers + np.repeat(np.cumsum(counts) - counts, np.asarray(lengths, np.intp))
        lengths = counts
    elif not isinstance(partition, RowLengths):
        numbers = numbers + np.repeat(starts, np.asarray(lengths, np.intp))
    make = _FROM_KEY[type(partition)]
    inner = make(found.values, numbers.astype(kind), validate=feature.validate)
    return _rows(inner, np.cumsum([0, *lengths]), feature)
