"""Invalid calls of scans, scatters, segments, sorting, counting and diagonals: error classes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

import tfpy

IMAGE = np.ones((2, 4, 6, 8), np.float32)

ERRORS: dict[str, Callable[[Any], Any]] = {
    "cumsum bool": lambda lib: lib.cumsum(lib.constant([True])),
    "cumsum scalar": lambda lib: lib.cumsum(1.0),
    "cumsum axis": lambda lib: lib.cumsum([1.0], axis=1),
    "cumulative_logsumexp ints": lambda lib: lib.math.cumulative_logsumexp(lib.constant([1, 2])),
    "gather_nd outside": lambda lib: lib.gather_nd([1.0, 2], [[2]]),
    "gather_nd negative": lambda lib: lib.gather_nd([1.0, 2], [[-1]]),
    "gather_nd depth": lambda lib: lib.gather_nd([[1.0, 2]], [[0, 0, 0]]),
    "scatter_nd outside": lambda lib: lib.scatter_nd([[3]], [1.0], [2]),
    "scatter_nd updates": lambda lib: lib.scatter_nd([[1]], [1.0, 2.0], [2]),
    "tensor_scatter outside": lambda lib: lib.tensor_scatter_nd_update([1.0, 2], [[3]], [1.0]),
    "tensor_scatter updates": lambda lib: lib.tensor_scatter_nd_max([1.0, 2], [[0]], [[1.0]]),
    "tensor_scatter dtypes": lambda lib: lib.tensor_scatter_nd_min(
        lib.constant([1.0]), [[0]], lib.constant([1])
    ),
    "tensor_diag strings": lambda lib: lib.linalg.tensor_diag(["a", "b"]),
    "tensor_diag_part strings": lambda lib: lib.linalg.tensor_diag_part([["a"]]),
    "diag strings": lambda lib: lib.linalg.diag(["a", "b"]),
    "diag_part strings": lambda lib: lib.linalg.diag_part([["a", "b"]]),
    "diag padding": lambda lib: lib.linalg.diag([1, 2], padding_value=1.5),
    "diag paddings": lambda lib: lib.linalg.diag([1, 2], padding_value=[1, 2]),
    "ragged mask": lambda lib: lib.ragged.boolean_mask(
        lib.ones([2, 0, 3]), lib.ones([2, 0, 4]) > 0
    ),
    "unsorted_segment ids": lambda lib: lib.math.unsorted_segment_max([1.0, 2], [0, 1, 2], 3),
    "unsorted_segment number": lambda lib: lib.math.unsorted_segment_sum([1.0], [0], -1),
    "unsorted_segment beyond": lambda lib: lib.math.unsorted_segment_sum([1.0, 2], [0, 3], 3),
    "unsorted_segment_max beyond": lambda lib: lib.math.unsorted_segment_max([1.0], [3], 3),
    "gather_nd batch_dims": lambda lib: lib.gather_nd([[1.0]], [[0]], batch_dims=-1),
    "unravel_index outside": lambda lib: lib.unravel_index([5], [2, 2]),
    "unravel_index negative size": lambda lib: lib.unravel_index([0], [3, -1]),
    "unravel_index negative sizes": lambda lib: lib.unravel_index([0], [-3, -1]),
    "unravel_index size 0": lambda lib: lib.unravel_index([0], [2, 0]),
    "segment order": lambda lib: lib.math.segment_sum([1.0, 2], [1, 0]),
    "segment negative": lambda lib: lib.math.segment_max([1.0, 2], [-1, 0]),
    "segment length": lambda lib: lib.math.segment_prod([1.0, 2], [0]),
    "segment float ids": lambda lib: lib.math.segment_min([1.0], lib.constant([0.0])),
    "top_k columns": lambda lib: lib.math.top_k([1.0, 2], 3),
    "top_k scalar": lambda lib: lib.math.top_k(1.0, 1),
    "top_k negative": lambda lib: lib.math.top_k([1.0], -1),
    "sort scalar": lambda lib: lib.sort(1.0),
    "sort direction": lambda lib: lib.sort([1.0], direction="UP"),
    "sort axis": lambda lib: lib.sort([1.0, 2], axis=2),
    "argsort bool": lambda lib: lib.argsort(lib.constant([True, False])),
    "in_top_k batch": lambda lib: lib.math.in_top_k([0, 1], [[1.0, 2.0]], 1),
    "in_top_k rank": lambda lib: lib.math.in_top_k([0, 1], [1.0, 2.0], 1),
    "searchsorted dtypes": lambda lib: lib.searchsorted(
        lib.constant([[1, 2, 3]]), lib.constant([[1.0]])
    ),
    "searchsorted shapes": lambda lib: lib.searchsorted([1, 2, 3], [[1], [2]]),
    "searchsorted side": lambda lib: lib.searchsorted([1], [1], side="middle"),
    "unique matrix": lambda lib: lib.unique([[1, 2]]),
    "invert_permutation": lambda lib: lib.math.invert_permutation([0, 0]),
    "bincount negative": lambda lib: lib.math.bincount([1, -1]),
    "bincount axis": lambda lib: lib.math.bincount([[1]], axis=1),
    "histogram range": lambda lib: lib.histogram_fixed_width([1.0, 2], [5.0, 1.0]),
    "confusion_matrix outside": lambda lib: lib.math.confusion_matrix([1, 5], [0, 1], 3),
    "confusion_matrix negative": lambda lib: lib.math.confusion_matrix([1, -1], [0, 1]),
    "dynamic_partition outside": lambda lib: lib.dynamic_partition([1.0, 2], [0, 2], 2),
    "dynamic_stitch shapes": lambda lib: lib.dynamic_stitch([[0, 1]], [[1.0]]),
    "roll lengths": lambda lib: lib.roll([1, 2, 3], [1, 1], [0]),
    "reverse_sequence length": lambda lib: lib.reverse_sequence([[1, 2, 3]], [1, 2], 1),
    "strided_slice stride": lambda lib: lib.strided_slice([1, 2, 3], [0], [3], [0]),
    "strided_slice outside": lambda lib: lib.strided_slice([1, 2, 3], [5], [6], shrink_axis_mask=1),
    "strided_slice many": lambda lib: lib.strided_slice([1, 2, 3], [0, 0], [1, 1]),
    "strided_slice lengths": lambda lib: lib.strided_slice([1, 2, 3], [0], [1, 1]),
    "two ellipses": lambda lib: lib.ones([2, 2])[..., 0, ...],
    "concat nothing": lambda lib: lib.concat([], 0),
    "tape not entered": lambda lib: lib.GradientTape().gradient(lib.ones([]), lib.ones([])),
    "band_part rank": lambda lib: lib.linalg.band_part([1.0, 2], 0, 0),
    "band_part number": lambda lib: lib.linalg.band_part([[1.0, 2]], 3, 0),
    "diag k": lambda lib: lib.linalg.diag([1.0, 2], k=(1, 0)),
    "diag size": lambda lib: lib.linalg.diag([1.0, 2], num_rows=1),
    "diag_part k": lambda lib: lib.linalg.diag_part([[1.0, 2]], k=5),
    "set_diag shape": lambda lib: lib.linalg.set_diag([[1.0, 2]], [1.0, 2]),
    "trace rank": lambda lib: lib.linalg.trace([1.0]),
    "tensor_diag_part": lambda lib: lib.linalg.tensor_diag_part([[1.0, 2]]),
    "depth_to_space depth": lambda lib: lib.nn.depth_to_space(IMAGE[..., :3], 2),
    "space_to_depth size": lambda lib: lib.nn.space_to_depth(IMAGE[:, :3], 2),
    "space_to_batch block": lambda lib: lib.space_to_batch(IMAGE, 2, [[0, 0], [0, 0]]),
    "space_to_batch size": lambda lib: lib.space_to_batch(IMAGE, [3], [[0, 0]]),
    "batch_to_space batch": lambda lib: lib.batch_to_space(IMAGE, [3], [[0, 0]]),
    "batch_to_space crops": lambda lib: lib.batch_to_space(IMAGE, [2], [[5, 5]]),
    "polyval": lambda lib: lib.math.polyval((1.0, 2.0), 3.0),
}


@pytest.mark.usefixtures("no_leaks")
@pytest.mark.parametrize("case", ERRORS)
def test_errors(case: str) -> None:
    raised = []
    for lib in (tfpy, tf):
        with pytest.raises(Exception) as caught:  # noqa: PT011 - compared with TensorFlow's
            ERRORS[case](lib)
        raised.append(type(caught.value).__name__.lstrip("_"))
    assert raised[0] == raised[1]
