"""Reductions, segments and counts."""

from __future__ import annotations

from typing import Any

from tfpy._src.array.making import reshape, static_int
from tfpy._src.array.segments import (
    segment_max,
    segment_mean,
    segment_min,
    segment_prod,
    segment_sum,
    unsorted_segment_max,
    unsorted_segment_min,
    unsorted_segment_prod,
    unsorted_segment_sum,
)
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.tensor import Tensor
from tfpy._src.math import counting
from tfpy._src.math.reductions import (
    argmax,
    argmin,
    reduce_all,
    reduce_any,
    reduce_euclidean_norm,
    reduce_max,
    reduce_mean,
    reduce_min,
    reduce_prod,
    reduce_sum,
)
from tfpy._src.nn.losses import l2_loss
from tfpy._src.raw.records import op


def _counts(arr: Any, size: Any, weights: Any, binary_output: bool = False) -> Tensor:
    """How often each number below ``size`` occurs, or the sums of what each occurrence weighs."""
    numbers, weighs = convert_to_tensor(arr), convert_to_tensor(weights)
    return counting.bincount(
        numbers,
        weighs if weighs.size else None,
        minlength=static_int(size),
        maxlength=static_int(size),
        dtype=weighs.dtype,
        axis=-1 if numbers.ndim == 2 else None,
        binary_output=binary_output,
    )


op(
    "All(input, axis; keep_dims=False) -> output",
    lambda input, axis, keep_dims: reduce_all(input, axis, keep_dims),
)
op(
    "Any(input, axis; keep_dims=False) -> output",
    lambda input, axis, keep_dims: reduce_any(input, axis, keep_dims),
)
op("ArgMax(input, dimension; output_type=int64) -> output", argmax)
op("ArgMin(input, dimension; output_type=int64) -> output", argmin)
op(
    "EuclideanNorm(input, axis; keep_dims=False) -> output",
    lambda input, axis, keep_dims: reduce_euclidean_norm(input, axis, keep_dims),
)
op("L2Loss(t) -> output", l2_loss)
op(
    "Max(input, axis; keep_dims=False) -> output",
    lambda input, axis, keep_dims: reduce_max(input, axis, keep_dims),
)
op(
    "Mean(input, axis; keep_dims=False) -> output",
    lambda input, axis, keep_dims: reduce_mean(input, axis, keep_dims),
)
op(
    "Min(input, axis; keep_dims=False) -> output",
    lambda input, axis, keep_dims: reduce_min(input, axis, keep_dims),
)
op(
    "Prod(input, axis; keep_dims=False) -> output",
    lambda input, axis, keep_dims: reduce_prod(input, axis, keep_dims),
)
op(
    "Sum(input, axis; keep_dims=False) -> output",
    lambda input, axis, keep_dims: reduce_sum(input, axis, keep_dims),
)

op("SegmentMax(data, segment_ids) -> output", segment_max)
op("SegmentMaxV2(data, segment_ids, num_segments) -> output", unsorted_segment_max)
op("SegmentMean(data, segment_ids) -> output", segment_mean)
op("SegmentMin(data, segment_ids) -> output", segment_min)
op("SegmentMinV2(data, segment_ids, num_segments) -> output", unsorted_segment_min)
op("SegmentProd(data, segment_ids) -> output", segment_prod)
op("SegmentProdV2(data, segment_ids, num_segments) -> output", unsorted_segment_prod)
op("SegmentSum(data, segment_ids) -> output", segment_sum)
op("SegmentSumV2(data, segment_ids, num_segments) -> output", unsorted_segment_sum)
op("UnsortedSegmentMax(data, segment_ids, num_segments) -> output", unsorted_segment_max)
op("UnsortedSegmentMin(data, segment_ids, num_segments) -> output", unsorted_segment_min)
op("UnsortedSegmentProd(data, segment_ids, num_segments) -> output", unsorted_segment_prod)
op("UnsortedSegmentSum(data, segment_ids, num_segments) -> output", unsorted_segment_sum)

op(
    "Bincount(arr, size, weights) -> bins",
    lambda arr, size, weights: _counts(reshape(arr, [-1]), size, weights),
)
op("DenseBincount(input, size, weights; binary_output=False) -> output", _counts)
op(
    "HistogramFixedWidth(values, value_range, nbins; dtype=int32) -> out",
    counting.histogram_fixed_width,
)
