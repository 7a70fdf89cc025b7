"""Scans, scatters, segments, sorting, counting and diagonals, compared with TensorFlow."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

import tfpy

Array = np.ndarray[Any, Any]
Case = Callable[[Any], Any]

NAN, INF = float("nan"), float("inf")
X = np.random.default_rng(3).normal(size=(3, 4, 5)).astype(np.float32)
M = np.random.default_rng(4).integers(-9, 9, (3, 4)).astype(np.int32)
W = np.random.default_rng(5).uniform(0.5, 2, (6, 2)).astype(np.float32)
IMAGE = np.arange(2 * 4 * 6 * 8, dtype=np.float32).reshape(2, 4, 6, 8) / 100
BATCH = np.arange(4 * 3 * 5 * 2, dtype=np.float32).reshape(4, 3, 5, 2) / 100
IDS = [1, 0, 1, -1, 3, 1]
SORTED = [0, 0, 2, 2, 2, 5]
ALIGNS = ("RIGHT_LEFT", "LEFT_RIGHT", "LEFT_LEFT", "RIGHT_RIGHT")


def segment(kind: str, ids: list[int], *count: int) -> Callable[..., Any]:
    return lambda lib, x=W: getattr(lib.math, kind)(x, ids, *count)


VALUES: dict[str, Case] = {
    "cumsum": lambda lib: lib.cumsum(X, axis=-2, exclusive=True, reverse=True),
    "cumsum ints": lambda lib: lib.math.cumsum(M, 1),
    "cumsum empty": lambda lib: lib.cumsum(np.zeros((0, 3), np.float32)),
    "cumprod": lambda lib: lib.math.cumprod(X, axis=1),
    "cumulative_logsumexp": lambda lib: lib.math.cumulative_logsumexp([1.0, -INF, 50.0, -70.0]),
    "cumulative_logsumexp of nothing": lambda lib: lib.math.cumulative_logsumexp([-INF, 2.0, -INF]),
    "list of indices": lambda lib: lib.constant(X)[[0, 1]],
    "list of slices": lambda lib: lib.constant(X)[[..., slice(1), None]],
    "gather_nd": lambda lib: lib.gather_nd(X, [[0, 1], [2, 3]]),
    "gather_nd whole": lambda lib: lib.gather_nd(X, [[[0, 1, 2]], [[2, 3, 4]]]),
    "gather_nd none": lambda lib: lib.gather_nd(X, np.zeros((2, 0), np.int32)),
    "gather_nd empty": lambda lib: lib.gather_nd(X, np.zeros((0, 2), np.int32)),
    "gather_nd batch": lambda lib: lib.gather_nd(X, [[[1], [2]], [[0], [3]], [[1], [1]]], 1),
    "gather_nd batch of 2": lambda lib: lib.gather_nd(X, M[..., None] % 5, batch_dims=2),
    "scatter_nd": lambda lib: lib.scatter_nd([[1], [3], [1]], [[1.0, 2], [3, 4], [5, 6]], [5, 2]),
    "scatter_nd full": lambda lib: lib.scatter_nd([[1, 0], [0, 2]], [7, 8], [2, 3]),
    "scatter_nd bool": lambda lib: lib.scatter_nd([[1], [3]], [True, True], [4]),
    "tensor_scatter_nd_update": lambda lib: lib.tensor_scatter_nd_update(
        X, [[0, 1], [2, 3]], X[0, :2] * 2
    ),
    "tensor_scatter_nd in lists": lambda lib: [
        f([1.0, 2.0, 3.0], [[2], [0]], lib.constant([4.0, 0.5], lib.float16))
        for f in (
            *(lib.tensor_scatter_nd_update, lib.tensor_scatter_nd_add, lib.tensor_scatter_nd_sub),
            *(lib.tensor_scatter_nd_min, lib.tensor_scatter_nd_max),
        )
    ],
    "tensor_scatter_nd of arrays": lambda lib: [
        lib.tensor_scatter_nd_update(np.array([1, 2], np.int32), [[1]], lib.constant([0.5])),
        lib.tensor_scatter_nd_add(lib.constant([0.5, 1.5]), [[1]], np.array([2], np.int32)),
    ],
    "scatter_nd strings": lambda lib: lib.scatter_nd([[1]], ["z"], [2]),
    "unravel_index": lambda lib: [
        lib.unravel_index([2, 5, 7, 0], [3, 4]),
        lib.unravel_index(17, [2, 3, 4]),
    ],
    "tensor_scatter_nd_add": lambda lib: lib.tensor_scatter_nd_add(
        [1, 2, 3], [[0], [0], [2]], [10, 20, 30]
    ),
    "tensor_scatter_nd_sub": lambda lib: lib.tensor_scatter_nd_sub(
        [1.0, 2, 3], [[0], [0], [2]], [10.0, 20, 30]
    ),
    "tensor_scatter_nd_max": lambda lib: lib.tensor_scatter_nd_max(
        [1.0, -INF, 3], [[0], [0], [2], [1]], [0.5, 20, 2, -INF]
    ),
    "tensor_scatter_nd_min": lambda lib: lib.tensor_scatter_nd_min([1, 2], [[0], [0]], [5, -4]),
    **{
        kind: segment(kind, IDS, 5)
        for kind in (
            "unsorted_segment_sum",
            "unsorted_segment_prod",
            "unsorted_segment_max",
            "unsorted_segment_min",
            "unsorted_segment_mean",
            "unsorted_segment_sqrt_n",
        )
    },
    "unsorted_segment ints": lambda lib: lib.math.unsorted_segment_min(M, [1, 0, 1], 3),
    "unsorted_segment matrix ids": lambda lib: lib.math.unsorted_segment_max(X, M % 3, 3),
    **{
        kind: segment(kind, SORTED)
        for kind in ("segment_sum", "segment_prod", "segment_mean", "segment_max", "segment_min")
    },
    "segment_mean ints": lambda lib: lib.math.segment_mean([1, 4, -3], [0, 0, 2]),
    "segment_max ints": lambda lib: lib.math.segment_max([1, 4, -3], [0, 0, 2]),
    "sort": lambda lib: lib.sort(X, axis=1),
    "sort descending": lambda lib: lib.sort(M, direction="DESCENDING"),
    "sort infinite": lambda lib: lib.sort([2.0, INF, -INF, 0.0]),
    "argsort": lambda lib: lib.argsort(X, axis=0),
    "argsort ties": lambda lib: lib.argsort([3, 1, 3, 1, 2], direction="DESCENDING", stable=True),
    "top_k": lambda lib: lib.math.top_k(X, 2),
    "top_k ties": lambda lib: lib.nn.top_k([3, 1, 3, 1, 2], 4),
    "top_k of none": lambda lib: lib.math.top_k(X, 0),
    "in_top_k": lambda lib: lib.math.in_top_k(
        [0, 1, 3, -1, 0, 1],
        [[1.0, 2, 1], [1, 1, 1], [3, 2, 1], [3, 2, 1], [NAN, 1, 2], [INF, 2, 1]],
        2,
    ),
    "searchsorted": lambda lib: lib.searchsorted([[1, 3, 3], [5, 6, 7]], [[3, 0], [8, 6]]),
    "searchsorted right": lambda lib: lib.searchsorted([1.0, 3, 3], [3.0, 0, 9], side="right"),
    "unique": lambda lib: lib.unique([4, 2, 4, 7, 2]),
    "unique strings": lambda lib: lib.unique(["b", "a", "b"]).idx,
    "unique_with_counts": lambda lib: lib.unique_with_counts([4.0, 2, 4, 7, 2]),
    "invert_permutation": lambda lib: lib.math.invert_permutation([2, 0, 3, 1]),
    "bincount": lambda lib: lib.math.bincount([1, 1, 5, 0]),
    "bincount weights": lambda lib: lib.math.bincount([1, 1, 3], weights=[0.5, 1, 2]),
    "bincount lengths": lambda lib: [
        lib.math.bincount([1, 1, 5], minlength=8),
        lib.math.bincount([1, 1, 5], maxlength=3),
        lib.math.bincount([1, 1, 5], minlength=4, maxlength=4),
        lib.math.bincount(np.zeros(0, np.int32), minlength=2),
    ],
    "bincount rows": lambda lib: lib.math.bincount([[1, 2, 2], [0, 0, 4]], axis=-1),
    "bincount binary": lambda lib: lib.math.bincount(
        [[1, 2, 2], [0, 0, 4]], axis=-1, binary_output=True
    ),
    "bincount matrix": lambda lib: lib.math.bincount([[1, 2], [2, 0]], dtype=lib.float32),
    "histogram_fixed_width": lambda lib: lib.histogram_fixed_width(
        [-1.0, 0.0, 1.5, 2.0, 5.0, 15], [0.0, 5.0], nbins=5
    ),
    "histogram_fixed_width of wide ranges": lambda lib: [
        lib.histogram_fixed_width(
            [3e38, 100.0, -2e38, -3.4e38, 0.0, np.inf, -np.inf, -1.1e38], range_, nbins=bins
        )
        for range_ in ([-1e38, 3e38], [-3.4e38, 3.4e38], [-3e38, 4e37])
        for bins in (1, 2, 4)
    ],
    "histogram_fixed_width_bins": lambda lib: lib.histogram_fixed_width_bins(
        [[-1.0, 0.0, 1.5], [2.0, 5.0, 15]], [0.0, 5.0], nbins=5
    ),
    "confusion_matrix": lambda lib: lib.math.confusion_matrix([1, 2, 4], [2, 2, 4]),
    "confusion_matrix weights": lambda lib: lib.math.confusion_matrix(
        [[1], [2]], [2, 2], num_classes=4, weights=[0.5, 2.0], dtype=lib.float32
    ),
    "zero_fraction": lambda lib: lib.math.zero_fraction([0.0, 1, 0, 2]),
    "dynamic_partition": lambda lib: lib.dynamic_partition(W, [0, 2, 0, 2, 0, 2], 3),
    "dynamic_stitch": lambda lib: lib.dynamic_stitch([[3, 1], [[0], [2]]], [W[:2], W[2:4, None]]),
    "dynamic_stitch of lists and arrays": lambda lib: [
        lib.dynamic_stitch([[0], [1]], [value, lib.constant([[3, 4]], dtype)][::step])
        for dtype in (lib.uint8, lib.float16)
        for value in ([[1, 2]], np.array([[1, 2]]))
        for step in (1, -1)
    ],
    "dynamic_stitch twice": lambda lib: lib.dynamic_stitch([[0, 1], [1]], [[1, 2], [3]]),
    "roll": lambda lib: lib.roll(X, [1, -2], [0, 2]),
    "roll far": lambda lib: lib.roll([1, 2, 3], 7, 0),
    "reverse_sequence": lambda lib: lib.reverse_sequence(X, [4, 2, 0], seq_axis=1),
    "reverse_sequence axes": lambda lib: lib.reverse_sequence(
        X, [3, 1, 0, 2, 3], seq_axis=0, batch_axis=2
    ),
    "strided_slice": lambda lib: lib.strided_slice(X, [0, 1, 4], [3, 4, 0], [2, 1, -2]),
    "strided_slice masks": lambda lib: lib.strided_slice(
        X,
        [1, 2, 0, 3],
        [9, 9, 9, 9],
        begin_mask=1,
        ellipsis_mask=2,
        new_axis_mask=4,
        shrink_axis_mask=8,
    ),
    "strided_slice ends": lambda lib: lib.strided_slice(
        X, [-2, 1], [1, -1], end_mask=1, begin_mask=2
    ),
    "strided_slice empty": lambda lib: lib.strided_slice(X, [2], [1]),
    "band_part": lambda lib: [
        lib.linalg.band_part(X, a, b) for a, b in ((0, 0), (-1, 0), (0, -1), (1, 2), (-1, -1))
    ],
    "diag": lambda lib: lib.linalg.diag(W),
    "diag offset": lambda lib: [
        lib.linalg.diag(W, k=k, num_rows=r, num_cols=c, padding_value=7)
        for k, r, c in ((1, -1, -1), (-2, -1, -1), (0, 2, 4), (1, 5, 3), (-1, 3, 4))
    ],
    "diag of bytes": lambda lib: lib.linalg.diag(
        lib.constant([1, 2], lib.uint8), padding_value=300
    ),
    "diag bands": lambda lib: [
        lib.linalg.diag(X[:, :3, :4], k=(-1, 1), align=align, padding_value=-1) for align in ALIGNS
    ],
    "diag_part": lambda lib: [lib.linalg.diag_part(X, k=k) for k in (0, 1, -2, 4)],
    "diag_part bands": lambda lib: [
        lib.linalg.diag_part(X, k=(-2, 3), align=align, padding_value=9) for align in ALIGNS
    ],
    "set_diag": lambda lib: lib.linalg.set_diag(X, X[:, 0, :4]),
    "set_diag bands": lambda lib: lib.linalg.set_diag(X[:, :, :4], X[:, :3, :4], k=(-1, 1)),
    "trace": lambda lib: lib.linalg.trace(X),
    "tensor_diag": lambda lib: lib.linalg.tensor_diag(M),
    "tensor_diag_part": lambda lib: lib.linalg.tensor_diag_part(
        np.arange(36, dtype=np.float32).reshape(2, 3, 2, 3)
    ),
    "depth_to_space": lambda lib: lib.nn.depth_to_space(IMAGE, 2),
    "space_to_depth": lambda lib: lib.nn.space_to_depth(IMAGE, 2),
    "space_to_batch": lambda lib: lib.space_to_batch(IMAGE, [2, 3], [[1, 1], [0, 3]]),
    "space_to_batch one": lambda lib: lib.nn.space_to_batch(IMAGE, [4], [[0, 0]]),
    "space_to_batch three": lambda lib: lib.space_to_batch_nd(
        IMAGE, [2, 3, 4], [[0, 0], [1, 2], [0, 0]]
    ),
    "batch_to_space": lambda lib: lib.batch_to_space(BATCH, [2, 2], [[1, 0], [0, 3]]),
    "batch_to_space three": lambda lib: lib.batch_to_space(
        np.concatenate([BATCH] * 2), [2, 1, 4], [[0, 0], [0, 1], [2, 2]]
    ),
    "argmax NaN": lambda lib: [
        f(lib.constant(v, lib.float32), output_type=lib.int32)
        for f in (lib.argmax, lib.argmin)
        for v in ([1, NAN, 3], [NAN, 1, 3], [3, NAN, 1], [NAN, NAN], [NAN, NAN, 2, NAN, 1])
    ],
    "is_strictly_increasing": lambda lib: [
        lib.math.is_strictly_increasing(v) for v in ([1, 2, 3], [1, 1], [1], [[1, 2], [0, 5]])
    ],
    "is_non_decreasing": lambda lib: [
        lib.math.is_non_decreasing(v) for v in ([1.0, 2, 2], [2.0, 1], np.zeros(0, np.float32))
    ],
    "polyval": lambda lib: lib.math.polyval([1.0, -2.0, lib.constant(0.5)], X),
    "accumulate_n": lambda lib: lib.math.accumulate_n([X, X * 2, X]),
    "l2_normalize": lambda lib: lib.math.l2_normalize(X, axis=1),
}


def flat(value: Any) -> list[Any]:
    """Return the arrays of a result, with int64 narrowed as in tfpy."""
    if isinstance(value, list | tuple):
        return [a for v in value for a in flat(v)]
    array = np.asarray(value)
    return [array.astype(np.int32) if array.dtype == np.int64 else array]


@pytest.mark.usefixtures("no_leaks")
@pytest.mark.parametrize("case", VALUES)
def test_values(case: str) -> None:
    ours, theirs = flat(VALUES[case](tfpy)), flat(VALUES[case](tf))
    assert len(ours) == len(theirs)
    for mine, wanted in zip(ours, theirs, strict=True):
        assert (mine.shape, mine.dtype) == (wanted.shape, wanted.dtype)
        if wanted.dtype == object:
            assert mine.tolist() == wanted.tolist()
        else:
            np.testing.assert_allclose(mine, wanted, rtol=1e-5, atol=1e-6)


GRADIENTS: dict[str, tuple[Callable[..., Any], tuple[Array, ...]]] = {
    "gather_nd": (lambda lib, x: lib.gather_nd(x, [[0, 1], [2, 3], [0, 1]]), (X,)),
    "gather_nd batch": (
        lambda lib, x: lib.gather_nd(x, [[[1], [2]], [[0], [3]], [[1], [1]]], batch_dims=1),
        (X,),
    ),
    "scatter_nd": (lambda lib, u: lib.scatter_nd([[1], [3], [1]], u, [5, 4, 5]), (X,)),
    "tensor_scatter_nd_update": (
        lambda lib, x, u: lib.tensor_scatter_nd_update(x, [[0, 1], [2, 3]], u),
        (X, X[0, :2] * 2),
    ),
    **{
        f"tensor_scatter_nd_{kind}": (
            lambda lib, x, u, f=f"tensor_scatter_nd_{kind}": getattr(lib, f)(x, [[1], [1]], u),
            (W, W[1:3]),
        )
        for kind in ("add", "sub", "max", "min")
    },
    **{
        f"unsorted_segment_{kind}": (segment(f"unsorted_segment_{kind}", IDS, 5), (W,))
        for kind in ("sum", "prod", "max", "min", "mean", "sqrt_n")
    },
    "unsorted_segment_prod zeros": (
        segment("unsorted_segment_prod", [0, 0, 0, 1, 1], 2),
        (np.array([2.0, 0, 3, 0, 0], np.float32),),
    ),
    **{
        f"segment_{kind}": (segment(f"segment_{kind}", SORTED), (W,))
        for kind in ("sum", "mean", "max", "min")
    },
    "sort": (lambda lib, x: lib.sort(x, axis=1, direction="DESCENDING"), (X,)),
    "top_k": (lambda lib, x: lib.math.top_k(x, 3).values, (X,)),
    "dynamic_partition": (lambda lib, x: lib.dynamic_partition(x, [0, 1, 0, 1, 0, 1], 2)[1], (W,)),
    "dynamic_stitch": (
        lambda lib, a, b: lib.dynamic_stitch([[0, 2], [1, 3]], [a, b]),
        (W[:2], W[2:4]),
    ),
    "roll": (lambda lib, x: lib.roll(x, [1, 2], [0, 2]), (X,)),
    "reverse_sequence": (lambda lib, x: lib.reverse_sequence(x, [4, 2, 0], seq_axis=1), (X,)),
    "strided_slice": (lambda lib, x: lib.strided_slice(x, [0, 1], [3, 4], [2, 2]), (X,)),
    "band_part": (lambda lib, x: lib.linalg.band_part(x, 1, 0), (X,)),
    "diag": (lambda lib, x: lib.linalg.diag(x, k=1), (W,)),
    "diag bands": (lambda lib, x: lib.linalg.diag(x, k=(-1, 1)), (X[:, :3, :4],)),
    "diag_part": (lambda lib, x: lib.linalg.diag_part(x, k=(-1, 2)), (X,)),
    "set_diag": (
        lambda lib, x, d: lib.linalg.set_diag(x, d, k=(-1, 1)),
        (X[:, :, :4], X[:, :3, :4]),
    ),
    "trace": (lambda lib, x: lib.linalg.trace(x), (X,)),
    "tensor_diag": (lambda lib, x: lib.linalg.tensor_diag(x), (W,)),
    "depth_to_space": (lambda lib, x: lib.nn.depth_to_space(x, 2), (IMAGE,)),
    "space_to_depth": (lambda lib, x: lib.nn.space_to_depth(x, 2), (IMAGE,)),
    "space_to_batch": (lambda lib, x: lib.space_to_batch(x, [2, 3], [[1, 1], [0, 3]]), (IMAGE,)),
    "batch_to_space": (lambda lib, x: lib.batch_to_space(x, [2, 2], [[1, 0], [0, 3]]), (BATCH,)),
    "cumprod with zeros": (
        lambda lib, x: lib.math.cumprod(x),
        (np.array([2.0, 0, 3, 4], np.float32),),
    ),
    "polyval": (lambda lib, x: lib.math.polyval([1.0, -2.0, 3.0], x), (W,)),
}


def gradients(lib: Any, f: Callable[..., Any], arrays: Any) -> list[Any]:
    """Return the gradients of sum(y * y * w), and the gradients of the sum of their squares."""
    inputs = [lib.constant(a) for a in arrays]
    with lib.GradientTape() as outer:
        outer.watch(inputs)
        with lib.GradientTape() as inner:
            inner.watch(inputs)
            y = f(lib, *inputs)
            w = np.linspace(0.5, 2.0, np.size(y), dtype=np.float32).reshape(y.shape)
            loss = lib.reduce_sum(y * y * w)
        first = inner.gradient(loss, inputs)
        total = lib.add_n([lib.reduce_sum(g * g) for g in first])
    second = outer.gradient(total, inputs)
    return [np.asarray(lib.convert_to_tensor(g)) for g in (*first, *second)]


@pytest.mark.usefixtures("no_leaks")
@pytest.mark.parametrize("case", GRADIENTS)
def test_gradients(case: str) -> None:
    f, arrays = GRADIENTS[case]
    for mine, wanted in zip(gradients(tfpy, f, arrays), gradients(tf, f, arrays), strict=True):
        if case == "unsorted_segment_prod zeros" and np.isnan(wanted).all():
            continue  # TensorFlow's second gradient divides by 0
        np.testing.assert_allclose(mine, wanted, rtol=2e-4, atol=2e-4)


def test_numbers_before_nan(rng: np.random.Generator) -> None:
    """Check that NaN sorts above all numbers.

    TensorFlow's order depends on the positions of NaN.
    """
    x = rng.permutation(np.array([NAN, 3, -INF, INF, 0, NAN, -2], np.float32))
    ascending = [-INF, -2, 0, 3, INF, NAN, NAN]
    np.testing.assert_array_equal(tfpy.sort(x).numpy(), ascending)
    np.testing.assert_array_equal(tfpy.sort(x, direction="DESCENDING").numpy(), ascending[::-1])
    np.testing.assert_array_equal(tfpy.math.top_k(x, 3).values.numpy(), [NAN, NAN, INF])


def test_tensorflow_js_names() -> None:
    np.testing.assert_array_equal(tfpy.lower_bound([1, 3, 3], [3]).numpy(), [1])
    np.testing.assert_array_equal(tfpy.upper_bound([1, 3, 3], [3]).numpy(), [3])
    out, idx = tfpy.setdiff1d([1, 2, 3, 4, 2], [2, 4])
    np.testing.assert_array_equal(out.numpy(), [1, 3])
    np.testing.assert_array_equal(idx.numpy(), [0, 2])
    assert tfpy.batch_to_space_nd is tfpy.batch_to_space
