"""Sparse and ragged tensors by components, and set operations."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tfpy._src.base.errors import invalid
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.tensor import Tensor
from tfpy._src.formats.raw_ops.derivative import pulled_back
from tfpy._src.formats.raw_ops.records import op
from tfpy._src.library.sparse import (
    arithmetic,
    conversion,
    reduction,
    rows,
    segments,
    sets,
    shaping,
    slicing,
)
from tfpy._src.tensors.array.making import zeros
from tfpy._src.tensors.array.static import static_int, static_ints
from tfpy._src.tensors.composite.ragged.tensor import RaggedTensor
from tfpy._src.tensors.composite.sparse_tensor import SparseTensor
from tfpy._src.tensors.ragged import components

Parts = tuple[Tensor, Tensor, Tensor]


def components_of(x: SparseTensor) -> Parts:
    """Return the tensors by which an operation represents a sparse tensor."""
    return x.indices, x.values, x.dense_shape


def _of(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return an operation on the components of a sparse tensor."""
    return lambda indices, values, shape, *rest, **attrs: function(
        SparseTensor(indices, values, shape), *rest, **attrs
    )


def _whole(function: Callable[..., Any]) -> Callable[..., Parts]:
    """Return an operation on the components of a sparse tensor with a sparse result."""
    return lambda *inputs, **attrs: components_of(_of(function)(*inputs, **attrs))


def _of_two(function: Callable[..., Any], *inputs: Any) -> Any:
    return function(SparseTensor(*inputs[:3]), SparseTensor(*inputs[3:6]), *inputs[6:])


def _concat(
    indices: Sequence[Any], values: Sequence[Any], shapes: Sequence[Any], *, concat_dim: int
) -> Parts:
    parts = [SparseTensor(*p) for p in zip(indices, values, shapes, strict=True)]
    return components_of(slicing.concat(concat_dim, parts))


def _split(axis: Any, indices: Any, values: Any, shape: Any, *, num_split: int) -> tuple[Any, ...]:
    whole = SparseTensor(indices, values, shape)
    found = slicing.split(whole, num_split, static_int(axis))
    return tuple(map(list, zip(*map(components_of, found), strict=True)))


def _filled(indices: Any, values: Any, dense_shape: Any, default_value: Any) -> tuple[Any, ...]:
    return tuple(rows.sparse_fill_empty_rows(indices, values, dense_shape, default_value).values())


def _dense(
    sparse_indices: Any, output_shape: Any, sparse_values: Any, default_value: Any
) -> Tensor:
    return conversion.sparse_to_dense(sparse_indices, sparse_values, output_shape, default_value)


def _reduced(function: Callable[..., Any], *parts: Any, keep: bool, is_sparse: bool = False) -> Any:
    """Return a reduction of the components of a sparse tensor; the axes are the last input."""
    *tensor, axes = parts
    found = function(SparseTensor(*tensor), static_ints(axes) or None, keep, is_sparse)
    return components_of(found) if is_sparse else found


def _sets(a: Any, b: Any, operation: str, validate: bool) -> Parts:
    known: dict[str, Callable[..., SparseTensor]] = {
        "a-b": sets.difference,
        "b-a": lambda a, b, validate_indices: sets.difference(a, b, False, validate_indices),
        "intersection": sets.intersection,
        "union": sets.union,
    }
    if operation not in known:
        raise invalid("SetOperation", f"Invalid set_operation {operation}")
    return components_of(known[operation](a, b, validate_indices=validate))


def _sparse_sets(*parts: Any, set_operation: str, validate_indices: bool) -> Parts:
    both = SparseTensor(*parts[:3]), SparseTensor(*parts[3:])
    return _sets(*both, set_operation, validate_indices)


def _segments(function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    def reduced(data: Any, indices: Any, segment_ids: Any, num_segments: Any = None) -> Tensor:
        return function(data, indices, segment_ids, num_segments)

    return reduced


def _segment_gradient(function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """Compute the gradient of segment sums for the whole tensor, which has `output_dim0` rows."""

    def gradient(grad: Any, indices: Any, segment_ids: Any, output_dim0: Any) -> Tensor:
        dy = convert_to_tensor(grad)
        whole = zeros([static_int(output_dim0), *dy.aval.shape[1:]], dy.dtype)
        count = dy.aval.shape[0]
        return pulled_back(lambda x: function(x, indices, segment_ids, count), whole, dy)

    return gradient


def _ragged_range(starts: Any, limits: Any, deltas: Any) -> tuple[Tensor, Tensor]:
    found = components.ragged_range(starts, limits, deltas)
    return found["rt_nested_splits"], found["rt_dense_values"]


def _ragged_gather(
    params_nested_splits: Any, params_dense_values: Any, indices: Any, *, OUTPUT_RAGGED_RANK: int
) -> tuple[list[Tensor], Tensor]:
    found = components.ragged_gather(
        params_nested_splits, params_dense_values, indices, OUTPUT_RAGGED_RANK
    )
    return found["output_nested_splits"], found["output_dense_values"]


def _ragged_to_sparse(rt_nested_splits: Any, rt_dense_values: Any) -> Parts:
    ragged = RaggedTensor.from_nested_row_splits(rt_dense_values, rt_nested_splits)
    return components_of(ragged.to_sparse())


op(
    "SparseAdd(a_indices, a_values, a_shape, b_indices, b_values, b_shape, thresh) -> "
    "sum_indices, sum_values, sum_shape",
    lambda *parts: components_of(_of_two(arithmetic.add, *parts)),
)
op(
    "SparseConcat(indices*N, values*N, shapes*N; concat_dim) -> output_indices, "
    "output_values, output_shape",
    _concat,
)
op(
    "SparseDenseCwiseAdd(sp_indices, sp_values, sp_shape, dense) -> output",
    lambda sp_indices, sp_values, sp_shape, dense: (
        SparseTensor(sp_indices, sp_values, sp_shape).dense_at(convert_to_tensor(dense)) + sp_values
    ),
)
op(
    "SparseDenseCwiseDiv(sp_indices, sp_values, sp_shape, dense) -> output",
    lambda sp_indices, sp_values, sp_shape, dense: (
        (SparseTensor(sp_indices, sp_values, sp_shape) / dense).values
    ),
)
op(
    "SparseDenseCwiseMul(sp_indices, sp_values, sp_shape, dense) -> output",
    lambda sp_indices, sp_values, sp_shape, dense: (
        (SparseTensor(sp_indices, sp_values, sp_shape) * dense).values
    ),
)
op(
    "SparseFillEmptyRows(indices, values, dense_shape, default_value) -> output_indices, "
    "output_values, empty_row_indicator, reverse_index_map",
    _filled,
)
op(
    "SparseReduceMax(input_indices, input_values, input_shape, reduction_axes; "
    "keep_dims=False) -> output",
    lambda *parts, keep_dims: _reduced(reduction.reduce_max, *parts, keep=keep_dims),
)
op(
    "SparseReduceSum(input_indices, input_values, input_shape, reduction_axes; "
    "keep_dims=False) -> output",
    lambda *parts, keep_dims: _reduced(reduction.reduce_sum, *parts, keep=keep_dims),
)
op(
    "SparseReorder(input_indices, input_values, input_shape) -> output_indices, output_values",
    lambda input_indices, input_values, input_shape: components_of(
        shaping.reorder(SparseTensor(input_indices, input_values, input_shape))
    )[:2],
)
op(
    "SparseReshape(input_indices, input_shape, new_shape) -> output_indices, output_shape",
    lambda input_indices, input_shape, new_shape: tuple(
        shaping.sparse_reshape(input_indices, input_shape, new_shape).values()
    ),
)
op(
    "SparseReduceMaxSparse(input_indices, input_values, input_shape, reduction_axes; "
    "keep_dims=False) -> output_indices, output_values, output_shape",
    lambda *parts, keep_dims: _reduced(
        reduction.reduce_max, *parts, keep=keep_dims, is_sparse=True
    ),
)
op(
    "SparseReduceSumSparse(input_indices, input_values, input_shape, reduction_axes; "
    "keep_dims=False) -> output_indices, output_values, output_shape",
    lambda *parts, keep_dims: _reduced(
        reduction.reduce_sum, *parts, keep=keep_dims, is_sparse=True
    ),
)
op(
    "SparseSegmentMeanGrad(grad, indices, segment_ids, output_dim0) -> output",
    _segment_gradient(segments.segment_mean),
)
op(
    "SparseSegmentSqrtNGrad(grad, indices, segment_ids, output_dim0) -> output",
    _segment_gradient(segments.segment_sqrt_n),
)
op(
    "SparseSegmentSumGrad(grad, indices, segment_ids, output_dim0) -> output",
    _segment_gradient(segments.segment_sum),
)
op(
    "SparseSegmentMean(data, indices, segment_ids; sparse_gradient=False) -> output",
    _segments(segments.segment_mean),
)
op(
    "SparseSegmentMeanWithNumSegments(data, indices, segment_ids, num_segments; "
    "sparse_gradient=False) -> output",
    _segments(segments.segment_mean),
)
op(
    "SparseSegmentSqrtN(data, indices, segment_ids; sparse_gradient=False) -> output",
    _segments(segments.segment_sqrt_n),
)
op(
    "SparseSegmentSqrtNWithNumSegments(data, indices, segment_ids, num_segments; "
    "sparse_gradient=False) -> output",
    _segments(segments.segment_sqrt_n),
)
op(
    "SparseSegmentSum(data, indices, segment_ids; sparse_gradient=False) -> output",
    _segments(segments.segment_sum),
)
op(
    "SparseSegmentSumWithNumSegments(data, indices, segment_ids, num_segments; "
    "sparse_gradient=False) -> output",
    _segments(segments.segment_sum),
)
op(
    "SparseSlice(indices, values, shape, start, size) -> output_indices, output_values, "
    "output_shape",
    _whole(slicing.slice),
)
op(
    "SparseSoftmax(sp_indices, sp_values, sp_shape) -> output",
    lambda sp_indices, sp_values, sp_shape: (
        reduction.softmax(SparseTensor(sp_indices, sp_values, sp_shape)).values
    ),
)
op(
    "SparseSparseMaximum(a_indices, a_values, a_shape, b_indices, b_values, b_shape) -> "
    "output_indices, output_values",
    lambda *parts: components_of(_of_two(reduction.maximum, *parts))[:2],
)
op(
    "SparseSparseMinimum(a_indices, a_values, a_shape, b_indices, b_values, b_shape) -> "
    "output_indices, output_values",
    lambda *parts: components_of(_of_two(reduction.minimum, *parts))[:2],
)
op(
    "SparseSplit(split_dim, indices, values, shape; num_split) -> output_indices*num_split, "
    "output_values*num_split, output_shape*num_split",
    _split,
)
op(
    "SparseTensorDenseAdd(a_indices, a_values, a_shape, b) -> output",
    lambda a_indices, a_values, a_shape, b: arithmetic.add(
        SparseTensor(a_indices, a_values, a_shape), b
    ),
)
op(
    "SparseTensorDenseMatMul(a_indices, a_values, a_shape, b; adjoint_a=False, "
    "adjoint_b=False) -> product",
    lambda a_indices, a_values, a_shape, b, adjoint_a, adjoint_b: arithmetic.sparse_dense_matmul(
        SparseTensor(a_indices, a_values, a_shape), b, adjoint_a, adjoint_b
    ),
)
op(
    "SparseToDense(sparse_indices, output_shape, sparse_values, default_value; "
    "validate_indices=True) -> dense",
    _dense,
)

op(
    "DenseToDenseSetOperation(set1, set2; set_operation, validate_indices=True) -> "
    "result_indices, result_values, result_shape",
    lambda set1, set2, set_operation, validate_indices: _sets(
        set1, set2, set_operation, validate_indices
    ),
)
op(
    "DenseToSparseSetOperation(set1, set2_indices, set2_values, set2_shape; set_operation, "
    "validate_indices=True) -> result_indices, result_values, result_shape",
    lambda set1, set2_indices, set2_values, set2_shape, set_operation, validate_indices: _sets(
        set1, SparseTensor(set2_indices, set2_values, set2_shape), set_operation, validate_indices
    ),
)
op(
    "SparseToSparseSetOperation(set1_indices, set1_values, set1_shape, set2_indices, "
    "set2_values, set2_shape; set_operation, validate_indices=True) -> result_indices, "
    "result_values, result_shape",
    _sparse_sets,
)
op(
    "SetSize(set_indices, set_values, set_shape; validate_indices=True) -> size",
    lambda set_indices, set_values, set_shape, validate_indices: sets.size(
        SparseTensor(set_indices, set_values, set_shape), validate_indices
    ),
)

op(
    "RaggedGather(params_nested_splits*PARAMS_RAGGED_RANK, params_dense_values, indices; "
    "OUTPUT_RAGGED_RANK) -> output_nested_splits*OUTPUT_RAGGED_RANK, output_dense_values",
    _ragged_gather,
)
op(
    "RaggedRange(starts, limits, deltas; Tsplits=int64) -> rt_nested_splits, rt_dense_values",
    _ragged_range,
)
op(
    "RaggedTensorToSparse(rt_nested_splits*RAGGED_RANK, rt_dense_values) -> sparse_indices, "
    "sparse_values, sparse_dense_shape",
    _ragged_to_sparse,
)
op(
    "RaggedTensorToTensor(shape, values, default_value, "
    "row_partition_tensors*num_row_partition_tensors; row_partition_types) -> result",
    components.ragged_tensor_to_tensor,
)
