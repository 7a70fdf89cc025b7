"""Counts, crosses and filled rows of sparse and ragged tensors, and gradients of sparse tensors."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from tfpy._src.base import dtypes
from tfpy._src.base.errors import UnimplementedError, invalid
from tfpy._src.core.conversion import constant, convert_to_tensor, host_values
from tfpy._src.core.tensor import Tensor
from tfpy._src.formats.raw_ops.records import op
from tfpy._src.formats.raw_ops.sparse import Parts, components_of
from tfpy._src.library.sparse import counting, crossing, ragged_crossing
from tfpy._src.tensors.array.making import cast, zeros
from tfpy._src.tensors.array.scattering import tensor_scatter_nd_add, tensor_scatter_nd_max
from tfpy._src.tensors.array.segments import unsorted_segment_sum
from tfpy._src.tensors.array.slicing import gather, where
from tfpy._src.tensors.array.static import static_int
from tfpy._src.tensors.composite.ragged.tensor import RaggedTensor
from tfpy._src.tensors.composite.sparse_tensor import SparseTensor

Array = np.ndarray[Any, Any]


def _counted(
    values: Any, like: Callable[[Any], Any], weights: Any, most: dict[str, Any], binary: bool
) -> Parts:
    """Count each row of values; `like` returns the weights in the form of the values."""
    known = convert_to_tensor(weights)
    given = like(known) if known.size and not binary else None
    axis = 0 if not isinstance(values, RaggedTensor) and values.ndim == 1 else -1
    bounds = {name: None if n == -1 else n for name, n in most.items()}
    found = counting.bincount(values, given, axis, **bounds, binary_output=binary)
    return found.indices, cast(found.values, known.dtype), found.dense_shape


def _dense_count(
    values: Any, weights: Any, minlength: int, maxlength: int, binary_output: bool
) -> Parts:
    most = {"minlength": minlength, "maxlength": maxlength}
    return _counted(convert_to_tensor(values), lambda w: w, weights, most, binary_output)


def _ragged_count(
    splits: Any, values: Any, weights: Any, minlength: int, maxlength: int, binary_output: bool
) -> Parts:
    def rows(items: Any) -> RaggedTensor:
        return RaggedTensor.from_row_splits(items, splits)

    most = {"minlength": minlength, "maxlength": maxlength}
    return _counted(rows(values), rows, weights, most, binary_output)


def _sparse_count(
    indices: Any,
    values: Any,
    dense_shape: Any,
    weights: Any,
    minlength: int,
    maxlength: int,
    binary_output: bool,
) -> Parts:
    def filled(items: Any) -> SparseTensor:
        return SparseTensor(indices, items, dense_shape)

    most = {"minlength": minlength, "maxlength": maxlength}
    return _counted(filled(values), filled, weights, most, binary_output)


def scalar_size(size: Any) -> int:
    """Return the number of bins.

    Raises:
        InvalidArgumentError: If it is not a scalar.
    """
    found = convert_to_tensor(size)
    if found.ndim:
        raise invalid("bincount", f"Shape must be rank 0 but is rank {found.ndim}: size {size}")
    return static_int(found)


def _bins(
    rows: Array, values: Any, count: int | None, size: Any, weights: Any, binary: bool
) -> Tensor:
    """Count values in a row each; values outside of the bins are ignored."""
    bins, items = scalar_size(size), np.asarray(host_values(values))
    known = convert_to_tensor(weights)
    inside = np.flatnonzero((items >= 0) & (items < bins))
    columns = [items[inside]] if count is None else [rows[inside], items[inside]]
    sizes = [bins] if count is None else [count, bins]
    amounts = (
        gather(known, constant(inside), axis=0)
        if known.size and not binary
        else cast(np.ones(inside.size), known.dtype)
    )
    add = tensor_scatter_nd_max if binary else tensor_scatter_nd_add
    return add(zeros(sizes, known.dtype), constant(np.stack(columns, 1)), amounts)


def _ragged_bins(splits: Any, values: Any, size: Any, weights: Any, binary_output: bool) -> Tensor:
    places = np.asarray(host_values(splits))
    if not places.size:
        raise invalid("ragged_bincount", "Splits must be non-empty")
    lengths = np.diff(places)
    rows = np.repeat(np.arange(lengths.size), lengths)
    return _bins(rows, values, lengths.size, size, weights, binary_output)


def _sparse_bins(
    indices: Any, values: Any, dense_shape: Any, size: Any, weights: Any, binary_output: bool
) -> Tensor:
    sizes, places = np.asarray(host_values(dense_shape)), np.asarray(host_values(indices))
    for at in np.flatnonzero(((places < 0) | (places >= sizes)).any(1)).tolist():
        message = f"indices[{at}, :] = {places[at].tolist()} is out of bounds"
        raise invalid("sparse_bincount", f"Sparse index tuple {message}")
    count = int(sizes[0]) if sizes.size > 1 else None
    return _bins(places[:, 0], values, count, size, weights, binary_output)


def _features(
    indices: Sequence[Any], values: Sequence[Any], shapes: Sequence[Any], dense: Sequence[Any]
) -> list[Any]:
    parts = zip(indices, values, shapes, strict=True)
    return [*(SparseTensor(*part) for part in parts), *map(convert_to_tensor, dense)]


def _crossed(
    indices: Sequence[Any],
    values: Sequence[Any],
    shapes: Sequence[Any],
    dense_inputs: Sequence[Any],
    hashed_output: bool,
    num_buckets: int,
    hash_key: int,
) -> Parts:
    features = _features(indices, values, shapes, dense_inputs)
    if hashed_output:
        return components_of(crossing.cross_hashed(features, num_buckets, hash_key))
    return components_of(crossing.cross(features))


def _crossed_hashes(
    indices: Sequence[Any],
    values: Sequence[Any],
    shapes: Sequence[Any],
    dense_inputs: Sequence[Any],
    num_buckets: Any,
    strong_hash: Any,
    salt: Any,
) -> Parts:
    crosses = crossing.Crosses(_features(indices, values, shapes, dense_inputs))
    if any(convert_to_tensor(v).dtype != dtypes.string for v in values):
        raise UnimplementedError(
            None,
            "SparseCrossHashed",
            "SparseCrossHashed does not support sparse tensors of integers. Pass dense tensors.",
        )
    count, is_strong = (int(host_values(x).item()) for x in (num_buckets, strong_hash))
    salts = np.asarray(host_values(salt)).reshape(-1).tolist()
    chosen = [crossing.salted(salts)] if is_strong else []
    return components_of(crosses.sparse(crosses.hashed(count, None, *chosen)))


def _crossed_texts(
    indices: Sequence[Any],
    values: Sequence[Any],
    shapes: Sequence[Any],
    dense_inputs: Sequence[Any],
    sep: Any,
) -> Parts:
    features = _features(indices, values, shapes, dense_inputs)
    return components_of(crossing.cross(features, separator=sep))


# Gradients


def _sum_gradients(
    backprop_val_grad: Any, a_indices: Any, b_indices: Any, sum_indices: Any
) -> tuple[Tensor, Tensor]:
    """Return the gradient of each value of two sparse tensors from those of their sum."""
    grad = convert_to_tensor(backprop_val_grad)
    places = {row: i for i, row in enumerate(_rows(sum_indices))}

    def taken(indices: Any) -> Tensor:
        at = np.array([places.get(row, -1) for row in _rows(indices)], np.int32)
        found = gather(grad, constant(np.maximum(at, 0)), axis=0)
        return where(constant(at >= 0), found, 0)

    return taken(a_indices), taken(b_indices)


def _rows(indices: Any) -> list[tuple[int, ...]]:
    return [tuple(row) for row in np.asarray(host_values(indices)).tolist()]


def _ragged_crossed(
    ragged_values: Sequence[Any],
    ragged_row_splits: Sequence[Any],
    sparse_indices: Sequence[Any],
    sparse_values: Sequence[Any],
    sparse_shape: Sequence[Any],
    dense_inputs: Sequence[Any],
    input_order: str,
    hashed_output: bool,
    num_buckets: int,
    hash_key: int,
) -> tuple[Tensor, Tensor]:
    rows = zip(ragged_values, ragged_row_splits, strict=True)
    sparse = zip(sparse_indices, sparse_values, sparse_shape, strict=True)
    features: dict[str, Iterator[Any]] = {
        "R": (RaggedTensor.from_row_splits(*row) for row in rows),
        "S": (SparseTensor(*parts) for parts in sparse),
        "D": iter(dense_inputs),
    }
    inputs = [next(features[kind]) for kind in input_order]
    if hashed_output:
        found = ragged_crossing.cross_hashed(inputs, num_buckets, hash_key)
    else:
        found = ragged_crossing.cross(inputs)
    return found.values, found.row_splits


def _slice_gradient(
    backprop_val_grad: Any, input_indices: Any, input_start: Any, output_indices: Any
) -> Tensor:
    grad = convert_to_tensor(backprop_val_grad)
    start = np.asarray(host_values(input_start)).tolist()
    places = {row: i for i, row in enumerate(_rows(output_indices))}
    moved = [tuple(n - s for n, s in zip(row, start, strict=True)) for row in _rows(input_indices)]
    at = np.array([places.get(row, -1) for row in moved], np.int32)
    return where(constant(at >= 0), gather(grad, constant(np.maximum(at, 0)), axis=0), 0)


def _segment_gradient(scale: Callable[[Array], Array]) -> Any:
    """Return the gradient of segment sums for the rows that were used, and the rows.

    Args:
        scale: Function from the sizes of segments to the factors of their sums.
    """

    def gradient(
        grad: Any, indices: Any, segment_ids: Any, dense_output_dim0: Any
    ) -> tuple[Tensor, Tensor]:
        dy, ids = convert_to_tensor(grad), np.asarray(host_values(segment_ids))
        used, at = np.unique(np.asarray(host_values(indices)), return_inverse=True)
        factors = scale(np.bincount(ids, minlength=1))[ids]
        shape = [-1, *[1] * (dy.ndim - 1)]
        parts = gather(dy, ids, axis=0) * cast(factors.reshape(shape), dy.dtype)
        return unsorted_segment_sum(parts, at.astype(np.int32), len(used)), constant(used)

    return gradient


op(
    "DenseCountSparseOutput(values, weights; minlength=-1, maxlength=-1, binary_output) -> "
    "output_indices, output_values, output_dense_shape",
    _dense_count,
)
op("RaggedBincount(splits, values, size, weights; binary_output=False) -> output", _ragged_bins)
op(
    "RaggedCountSparseOutput(splits, values, weights; minlength=-1, maxlength=-1, "
    "binary_output) -> output_indices, output_values, output_dense_shape",
    _ragged_count,
)
op(
    "SparseBincount(indices, values, dense_shape, size, weights; binary_output=False) -> output",
    _sparse_bins,
)
op(
    "SparseCountSparseOutput(indices, values, dense_shape, weights; minlength=-1, "
    "maxlength=-1, binary_output) -> output_indices, output_values, output_dense_shape",
    _sparse_count,
)
op(
    "SparseCross(indices*N, values*sparse_types, shapes*N, dense_inputs*dense_types; "
    "hashed_output, num_buckets, hash_key, out_type, internal_type) -> output_indices, "
    "output_values, output_shape",
    _crossed,
)
op(
    "SparseCrossHashed(indices*N, values*sparse_types, shapes*N, dense_inputs*dense_types, "
    "num_buckets, strong_hash, salt) -> output_indices, output_values, output_shape",
    _crossed_hashes,
)
op(
    "SparseCrossV2(indices*N, values*sparse_types, shapes*N, dense_inputs*dense_types, sep) -> "
    "output_indices, output_values, output_shape",
    _crossed_texts,
)

op(
    "SparseAddGrad(backprop_val_grad, a_indices, b_indices, sum_indices) -> a_val_grad, b_val_grad",
    _sum_gradients,
)
op(
    "SparseFillEmptyRowsGrad(reverse_index_map, grad_values) -> d_values, d_default_value",
    ragged_crossing.ragged_fill_empty_rows_grad,
)
op(
    "RaggedFillEmptyRowsGrad(reverse_index_map, grad_values) -> d_values, d_default_value",
    ragged_crossing.ragged_fill_empty_rows_grad,
)
op(
    "SparseSegmentMeanGradV2(grad, indices, segment_ids, dense_output_dim0) -> output, "
    "sorted_unique_indices",
    _segment_gradient(lambda sizes: 1 / np.maximum(sizes, 1)),
)
op(
    "SparseSegmentSqrtNGradV2(grad, indices, segment_ids, dense_output_dim0) -> output, "
    "sorted_unique_indices",
    _segment_gradient(lambda sizes: 1 / np.sqrt(np.maximum(sizes, 1))),
)
op(
    "SparseSegmentSumGradV2(grad, indices, segment_ids, dense_output_dim0) -> output, "
    "sorted_unique_indices",
    _segment_gradient(np.ones_like),
)
op(
    "SparseSliceGrad(backprop_val_grad, input_indices, input_start, output_indices) -> val_grad",
    _slice_gradient,
)

op(
    "RaggedCross(ragged_values*ragged_values_types, ragged_row_splits*ragged_splits_types, "
    "sparse_indices*Nsparse, sparse_values*sparse_values_types, sparse_shape*Nsparse, "
    "dense_inputs*dense_types; input_order, hashed_output, num_buckets, hash_key, "
    "out_values_type, out_row_splits_type) -> output_values, output_row_splits",
    _ragged_crossed,
)
op(
    "RaggedFillEmptyRows(value_rowids, values, nrows, default_value) -> output_value_rowids, "
    "output_values, empty_row_indicator, reverse_index_map",
    ragged_crossing.ragged_fill_empty_rows,
)
