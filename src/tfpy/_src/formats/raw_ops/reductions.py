"""Reductions, segments and counts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tfpy._src.base.errors import invalid
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.tensor import Tensor
from tfpy._src.formats.raw_ops.counts import scalar_size
from tfpy._src.formats.raw_ops.records import op
from tfpy._src.tensors.array.reshaping import reshape
from tfpy._src.tensors.array.segments import (
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
from tfpy._src.tensors.math import counting
from tfpy._src.tensors.math.ordering import argmax, argmin
from tfpy._src.tensors.math.reductions import (
    reduce_all,
    reduce_any,
    reduce_max,
    reduce_mean,
    reduce_min,
    reduce_prod,
    reduce_sum,
)
from tfpy._src.tensors.math.statistics import reduce_euclidean_norm
from tfpy._src.tensors.nn.losses import l2_loss


def _reduction(name: str, reduce: Callable[..., Tensor]) -> None:
    """Register an operation that reduces axes."""
    op(
        f"{name}(input, axis; keep_dims=False) -> output",
        lambda input, axis, keep_dims: reduce(input, axis, keep_dims),
    )


def _counts(arr: Any, size: Any, weights: Any, binary_output: bool = False) -> Tensor:
    """Count the occurrences of each integer below `size`, or sum their weights."""
    numbers, weighs = convert_to_tensor(arr), convert_to_tensor(weights)
    if numbers.ndim > 2:
        raise invalid("bincount", f"Shape must be at most rank 2 but is rank {numbers.ndim}")
    bins = scalar_size(size)
    return counting.bincount(
        numbers,
        weighs if weighs.size else None,
        minlength=bins,
        maxlength=bins,
        dtype=weighs.dtype,
        axis=-1 if numbers.ndim == 2 else None,
        binary_output=binary_output,
    )


_reduction("All", reduce_all)
_reduction("Any", reduce_any)
op("ArgMax(input, dimension; output_type=int64) -> output", argmax)
op("ArgMin(input, dimension; output_type=int64) -> output", argmin)
_reduction("EuclideanNorm", reduce_euclidean_norm)
op("L2Loss(t) -> output", l2_loss)
_reduction("Max", reduce_max)
_reduction("Mean", reduce_mean)
_reduction("Min", reduce_min)
_reduction("Prod", reduce_prod)
_reduction("Sum", reduce_sum)

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
