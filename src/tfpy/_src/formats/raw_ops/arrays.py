"""Operations that create, shape, join, slice, scatter and sort tensors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tfpy._src.base import dtypes
from tfpy._src.base.errors import invalid
from tfpy._src.core import primitives as p
from tfpy._src.core.conversion import constant, convert_to_tensor, host_values
from tfpy._src.core.tape import stop_gradient
from tfpy._src.core.tensor import Tensor
from tfpy._src.formats.raw_ops.derivative import pulled_back
from tfpy._src.formats.raw_ops.records import op
from tfpy._src.tensors.array.blocks import (
    batch_to_space,
    depth_to_space,
    space_to_batch,
    space_to_depth,
)
from tfpy._src.tensors.array.broadcasting import broadcast_dynamic_shape
from tfpy._src.tensors.array.indexing import strided_slice
from tfpy._src.tensors.array.joining import concat, pad, split, stack, tile, unstack
from tfpy._src.tensors.array.making import cast, fill, ones_like, zeros, zeros_like
from tfpy._src.tensors.array.partitioning import dynamic_partition, dynamic_stitch, unravel_index
from tfpy._src.tensors.array.ranges import linspace, range as range_
from tfpy._src.tensors.array.reordering import reverse, reverse_sequence, roll
from tfpy._src.tensors.array.reshaping import (
    broadcast_to,
    ensure_shape,
    expand_dims,
    identity,
    identity_n,
    rank,
    reshape,
    shape,
    shape_n,
    size,
    squeeze,
    transpose,
)
from tfpy._src.tensors.array.scans import cumprod, cumsum, cumulative_logsumexp
from tfpy._src.tensors.array.scattering import (
    gather_nd,
    scatter_nd,
    tensor_scatter_nd_add,
    tensor_scatter_nd_max,
    tensor_scatter_nd_min,
    tensor_scatter_nd_sub,
    tensor_scatter_nd_update,
)
from tfpy._src.tensors.array.sets import setdiff1d, unique, unique_slices, unique_with_counts
from tfpy._src.tensors.array.slicing import gather, one_hot, slice as slice_, where
from tfpy._src.tensors.array.sorting import (
    in_top_k,
    invert_permutation,
    lower_bound,
    searchsorted,
    sort,
    top_k,
    upper_bound,
)
from tfpy._src.tensors.array.static import static_ints


def _offsets(concat_dim: Any, shapes: Sequence[Any]) -> list[Tensor]:
    """Return the start of each tensor along the axis on which the shapes are concatenated."""
    rows = [np.array(host_values(s)) for s in shapes]
    axis = int(host_values(concat_dim)) % max(len(rows[0]), 1)
    starts = np.cumsum([0, *(row[axis] for row in rows[:-1])])
    return [constant([int(n) if i == axis else 0 for i in range(len(rows[0]))]) for n in starts]


def _reduced_axes(s0: Any, s1: Any) -> tuple[Tensor, Tensor]:
    """Return the axes over which the gradients of two broadcast operands are summed."""
    shapes = [list(static_ints(s)) for s in (s0, s1)]
    width = max(map(len, shapes))
    rows = [[1] * (width - len(s)) + s for s in shapes]
    axes = [
        [i for i in range(width) if mine[i] == 1 and (other[i] != 1 or i < width - len(given))]
        for mine, other, given in zip(rows, rows[::-1], shapes, strict=True)
    ]
    if rows[0] == rows[1]:
        axes = [[i for i in a if i < width - len(s)] for a, s in zip(axes, shapes, strict=True)]
    first, second = (constant(np.array(a, np.int32)) for a in axes)
    return first, second


def _permuted(x: Any, src_format: str, dst_format: str) -> Tensor:
    """Reorder a vector with one element, or a matrix with one row, per dimension."""
    row = convert_to_tensor(x)
    names: tuple[str, ...] = src_format, dst_format
    if row.shape[0] == len(src_format) - 2:
        names = tuple(n.replace("N", "").replace("C", "") for n in names)
    return gather(row, [names[0].index(c) for c in names[1]])


def _bucketized(input: Any, boundaries: Any) -> Tensor:
    """Return the number of ascending boundaries that are at or below each element."""
    edges = np.array(boundaries, np.float32)
    if (np.diff(edges) < 0).any():
        raise invalid("Bucketize", "Expected sorted boundaries")
    x = cast(convert_to_tensor(input), dtypes.float32)
    return reshape(searchsorted(edges, reshape(x, [-1]), side="right"), x.aval.shape)


def _places(sizes: Sequence[int], *slices: Any, **masks: Any) -> Tensor:
    """Return the flat indices, in row-major order, of a slice of a tensor with these sizes."""
    return strided_slice(reshape(range_(int(np.prod(sizes))), sizes), *slices, **masks)


def _widened(shape: Any, begin: Any, end: Any, strides: Any, dy: Any, **masks: Any) -> Tensor:
    """Return the gradient of a whole tensor of this shape from the gradient of a slice."""
    whole = zeros(shape, convert_to_tensor(dy).dtype)
    return pulled_back(lambda x: strided_slice(x, begin, end, strides, **masks), whole, dy)


def updated_part(
    input: Any, begin: Any, end: Any, strides: Any, value: Any, **masks: Any
) -> Tensor:
    """Replace a slice of a tensor."""
    x = convert_to_tensor(input)
    at = _places(x.aval.shape, begin, end, strides, **masks)
    flat = reshape(broadcast_to(value, at.aval.shape), [-1])
    found = tensor_scatter_nd_update(reshape(x, [-1]), reshape(at, [-1, 1]), flat)
    return reshape(found, x.aval.shape)


def _nth_element(input: Any, n: Any, reverse: bool) -> Tensor:
    """Return the n-th element of each sorted row."""
    return gather(sort(input, direction="DESCENDING" if reverse else "ASCENDING"), n, axis=-1)


def _inplace(x: Any, i: Any, v: Any, scatter: Any) -> Tensor:
    """Update one row, some rows, or all rows of a tensor."""
    if i is None:
        return scatter(x, [[]], v)
    at = convert_to_tensor(i)
    return scatter(x, reshape(at, [-1, 1]), v if at.ndim else expand_dims(v, 0))


# Creation

op("Const(; value, dtype) -> output", lambda value, dtype: constant(value, dtype))
op("Empty(shape; dtype, init=False) -> output", lambda shape, dtype: zeros(shape, dtype))
op("Fill(dims, value) -> output", fill)
op("LinSpace(start, stop, num) -> output", lambda start, stop, num: linspace(start, stop, num))
op(
    "OneHot(indices, depth, on_value, off_value; axis=-1) -> output",
    lambda indices, depth, on_value, off_value, axis: one_hot(
        indices, depth, on_value, off_value, axis
    ),
)
op("OnesLike(x) -> y", ones_like)
op("Range(start, limit, delta) -> output", range_)
op("ZerosLike(x) -> y", zeros_like)

# Identities

op('Copy(input; tensor_name="", debug_ops_spec=[]) -> output', identity)
op('CopyHost(input; tensor_name="", debug_ops_spec=[]) -> output', identity)
op("DeepCopy(x) -> y", identity)
op("DebugGradientIdentity(input) -> output", identity)
op("GuaranteeConst(input) -> output", identity)
op("Identity(input) -> output", identity)
op("IdentityN(input*T) -> output*T", identity_n)
op("PlaceholderWithDefault(input; shape) -> output", identity)
op('PreventGradient(input; message="") -> output', identity)
op("Snapshot(input) -> output", identity)
op("StopGradient(input) -> output", stop_gradient)

# Shapes

op("BroadcastArgs(s0, s1) -> r0", broadcast_dynamic_shape)
op("BroadcastGradientArgs(s0, s1) -> r0, r1", _reduced_axes)
op("BroadcastTo(input, shape) -> output", broadcast_to)
op("EnsureShape(input; shape) -> output", ensure_shape)
op("ExpandDims(input, axis) -> output", expand_dims)
op("Rank(input) -> output", rank)
op("Reshape(tensor, shape) -> output", reshape)
op("Shape(input; out_type=int32) -> output", shape)
op("ShapeN(input*N; out_type=int32) -> output*N", shape_n)
op("Size(input; out_type=int32) -> output", size)
op(
    "Squeeze(input; axis=[], squeeze_dims=[]) -> output",  # squeeze_dims is the name in graphs
    lambda input, axis, squeeze_dims: squeeze(input, axis or squeeze_dims or None),
)

# Joining, repeating, moving

op("Concat(concat_dim, values*N) -> output", lambda concat_dim, values: concat(values, concat_dim))
op("ConcatOffset(concat_dim, shape*N) -> offset*N", _offsets)
op("ConcatV2(values*N, axis) -> output", concat)
op("ConjugateTranspose(x, perm) -> y", lambda x, perm: transpose(x, perm, conjugate=True))
op("MirrorPad(input, paddings; mode) -> output", pad)
op(
    "MirrorPadGrad(input, paddings; mode) -> output",
    lambda input, paddings, mode: pulled_back(
        lambda x: pad(x, paddings, mode),
        zeros(
            [n - sum(p) for n, p in zip(input.shape, host_values(paddings).tolist(), strict=True)],
            input.dtype,
        ),
        input,
    ),
)
op("Pack(values*N; axis=0) -> output", stack)
op("Pad(input, paddings) -> output", pad)
op(
    "PadV2(input, paddings, constant_values) -> output",
    lambda input, paddings, constant_values: pad(input, paddings, constant_values=constant_values),
)
op("ParallelConcat(values*N; shape) -> output", lambda values: concat(values, 0))
op(
    "Reverse(tensor, dims) -> output",
    lambda tensor, dims: reverse(tensor, np.flatnonzero(host_values(dims))),
)
op(
    "ReverseSequence(input, seq_lengths; seq_dim, batch_dim=0) -> output",
    lambda input, seq_lengths, seq_dim, batch_dim: reverse_sequence(
        input, seq_lengths, seq_dim, batch_dim
    ),
)
op("ReverseV2(tensor, axis) -> output", reverse)
op("Roll(input, shift, axis) -> output", roll)
op(
    "Split(axis, value; num_split) -> output*num_split",
    lambda split_dim, value, num_split: split(value, num_split, split_dim),
)
op(
    "SplitV(value, size_splits, axis; num_split) -> output*num_split",
    lambda value, size_splits, split_dim: split(value, size_splits, split_dim),
)
op("Tile(input, multiples) -> output", tile)
op("Transpose(x, perm) -> y", transpose)
op("Unpack(value; num, axis=0) -> output*num", unstack)

# Blocks

op(
    "BatchToSpace(input, crops; block_size) -> output",
    lambda input, crops, block_size: batch_to_space(input, [block_size] * 2, crops),
)
op("BatchToSpaceND(input, block_shape, crops) -> output", batch_to_space)
op('DepthToSpace(input; block_size, data_format="NHWC") -> output', depth_to_space)
op(
    "SpaceToBatch(input, paddings; block_size) -> output",
    lambda input, paddings, block_size: space_to_batch(input, [block_size] * 2, paddings),
)
op("SpaceToBatchND(input, block_shape, paddings) -> output", space_to_batch)
op('SpaceToDepth(input; block_size, data_format="NHWC") -> output', space_to_depth)

# Slices

op(
    "Gather(params, indices; validate_indices=True) -> output",
    lambda params, indices: gather(params, indices, axis=0),
)
op('GatherNd(params, indices; bad_indices_policy="") -> output', gather_nd)
op(
    "GatherV2(params, indices, axis; batch_dims=0) -> output",
    lambda params, indices, axis, batch_dims: gather(
        params, indices, axis=axis, batch_dims=batch_dims
    ),
)
op("Slice(input, begin, size) -> output", slice_)
op(
    "StridedSlice(input, begin, end, strides; begin_mask=0, end_mask=0, ellipsis_mask=0, "
    "new_axis_mask=0, shrink_axis_mask=0) -> output",
    strided_slice,
)
op(
    "StridedSliceGrad(shape, begin, end, strides, dy; begin_mask=0, end_mask=0, "
    "ellipsis_mask=0, new_axis_mask=0, shrink_axis_mask=0) -> output",
    _widened,
)
op(
    "TensorStridedSliceUpdate(input, begin, end, strides, value; begin_mask=0, end_mask=0, "
    "ellipsis_mask=0, new_axis_mask=0, shrink_axis_mask=0) -> output",
    updated_part,
)
op("Where(condition) -> index", where)

# Scattering

op(
    "DynamicPartition(data, partitions; num_partitions) -> outputs*num_partitions",
    dynamic_partition,
)
op("DynamicStitch(indices*N, data*N) -> merged", dynamic_stitch)
op("InplaceAdd(x, i, v) -> y", lambda x, i, v: _inplace(x, i, v, tensor_scatter_nd_add))
op("InplaceSub(x, i, v) -> y", lambda x, i, v: _inplace(x, i, v, tensor_scatter_nd_sub))
op("InplaceUpdate(x, i, v) -> y", lambda x, i, v: _inplace(x, i, v, tensor_scatter_nd_update))
op("ParallelDynamicStitch(indices*N, data*N) -> merged", dynamic_stitch)
op('ScatterNd(indices, updates, shape; bad_indices_policy="") -> output', scatter_nd)
op(
    'ScatterNdNonAliasingAdd(input, indices, updates; bad_indices_policy="") -> output',
    tensor_scatter_nd_add,
)
op(
    'TensorScatterAdd(tensor, indices, updates; bad_indices_policy="") -> output',
    tensor_scatter_nd_add,
)
op(
    'TensorScatterMax(tensor, indices, updates; bad_indices_policy="") -> output',
    tensor_scatter_nd_max,
)
op(
    'TensorScatterMin(tensor, indices, updates; bad_indices_policy="") -> output',
    tensor_scatter_nd_min,
)
op(
    'TensorScatterSub(tensor, indices, updates; bad_indices_policy="") -> output',
    tensor_scatter_nd_sub,
)
op(
    'TensorScatterUpdate(tensor, indices, updates; bad_indices_policy="") -> output',
    tensor_scatter_nd_update,
)
op("UnravelIndex(indices, dims) -> output", unravel_index)

# Sorting

op("Bucketize(input; boundaries) -> output", _bucketized)
op(
    "InTopK(predictions, targets; k) -> precision",
    lambda predictions, targets, k: in_top_k(targets, predictions, k),
)
op(
    "InTopKV2(predictions, targets, k) -> precision",
    lambda predictions, targets, k: in_top_k(targets, predictions, k),
)
op("InvertPermutation(x) -> y", invert_permutation)
op("ListDiff(x, y; out_idx=int32) -> out, idx", setdiff1d)
op("LowerBound(sorted_inputs, values; out_type=int32) -> output", lower_bound)
op("NthElement(input, n; reverse=False) -> values", _nth_element)
op("TopK(input; k, sorted=True) -> values, indices", top_k)
op("TopKV2(input, k; sorted=True, index_type=int32) -> values, indices", top_k)
op("Unique(x; out_idx=int32) -> y, idx", unique)
op(
    "UniqueV2(x, axis; out_idx=int32) -> y, idx",
    lambda x, axis, out_idx: unique_slices(x, axis, out_idx)[:2],
)
op("UniqueWithCounts(x; out_idx=int32) -> y, idx, count", unique_with_counts)
op("UniqueWithCountsV2(x, axis; out_idx=int32) -> y, idx, count", unique_slices)
op("UpperBound(sorted_inputs, values; out_type=int32) -> output", upper_bound)

# Cumulative sums

op("Cumprod(x, axis; exclusive=False, reverse=False) -> out", cumprod)
op("Cumsum(x, axis; exclusive=False, reverse=False) -> out", cumsum)
op("CumulativeLogsumexp(x, axis; exclusive=False, reverse=False) -> out", cumulative_logsumexp)

# Data formats

op(
    'DataFormatDimMap(x; src_format="NHWC", dst_format="NCHW") -> y',
    lambda x, src_format, dst_format: gather(
        constant([dst_format.index(c) for c in src_format]), p.floormod(x, len(src_format))
    ),
)
op('DataFormatVecPermute(x; src_format="NHWC", dst_format="NCHW") -> y', _permuted)

# Names in TensorFlow.js

op("Ones(shape; dtype=float32) -> output", lambda shape, dtype: fill(shape, cast(1, dtype)))
op("Zeros(shape; dtype=float32) -> output", zeros)
