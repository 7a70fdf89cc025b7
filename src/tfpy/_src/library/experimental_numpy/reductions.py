"""Reductions and statistics (`tf.experimental.numpy`)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tfpy._src.base import dtypes
from tfpy._src.base.dtypes import as_dtype
from tfpy._src.core import primitives
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import Axis, DTypeLike, TensorLike
from tfpy._src.library.experimental_numpy import unary
from tfpy._src.library.experimental_numpy.binary import true_divide
from tfpy._src.library.experimental_numpy.documented import REDUCED, documented
from tfpy._src.library.experimental_numpy.promotion import (
    as_array,
    float_type,
    is_inexact,
    result_type,
    settings,
)
from tfpy._src.library.experimental_numpy.shaping import broadcast_to
from tfpy._src.tensors.array import complex_numbers, slicing
from tfpy._src.tensors.array.making import cast
from tfpy._src.tensors.array.static import static_ints
from tfpy._src.tensors.linalg.products import tensordot
from tfpy._src.tensors.math import reductions, statistics

Reduction = Callable[..., Tensor]

_AXES = "Axis or axes to reduce. Negative values count from the end. Default: all axes."
_FLOATS = f"{REDUCED[:-1]}. Integers and booleans produce float64."


def _wide(x: Tensor) -> Tensor:
    """Convert booleans and narrow integers to 64 bits, or to 32 bits if there are weak types."""
    if not (x.dtype.is_bool or x.dtype.is_integer):
        return x
    wide = dtypes.uint64 if x.dtype.is_unsigned else dtypes.int64
    if settings.has_weak_types:
        wide = dtypes.uint32 if x.dtype.is_unsigned else dtypes.int32
    size = 0 if x.dtype.is_bool else x.dtype.size
    return cast(x, wide) if size < wide.size else x


def _floats(x: Tensor) -> Tensor:
    return cast(x, float_type()) if x.dtype.is_bool or x.dtype.is_integer else x


def _reduced(
    op: Reduction,
    a: TensorLike,
    axis: Axis,
    dtype: DTypeLike | None,
    keepdims: bool | None,
    convert: Callable[[Tensor], Tensor],
) -> Tensor:
    """Apply a reduction. Without a requested dtype, `convert` chooses it."""
    x = as_array(a, dtype)
    x = x if dtype else convert(x)
    return op(x, axis=axis, keepdims=bool(keepdims))


def _logical_if_bool(dtype: DTypeLike | None, logical: Reduction, other: Reduction) -> Reduction:
    return logical if dtype and result_type(dtype).is_bool else other


@documented(
    "Compute the sum of elements. Booleans and narrow integers are summed in 64 bits.",
    "sum([[1, 2], [3, 4]], axis=0)",
    "[4, 6]",
    REDUCED,
    axis=_AXES,
)
def sum(
    a: TensorLike, axis: Axis = None, dtype: DTypeLike | None = None, keepdims: bool | None = None
) -> Tensor:
    op = _logical_if_bool(dtype, reductions.reduce_any, reductions.reduce_sum)
    return _reduced(op, a, axis, dtype, keepdims, _wide)


@documented(
    "Compute the product of elements. Booleans and narrow integers are multiplied in 64 bits.",
    "prod([[1, 2], [3, 4]], axis=0)",
    "[3, 8]",
    REDUCED,
    axis=_AXES,
)
def prod(
    a: TensorLike, axis: Axis = None, dtype: DTypeLike | None = None, keepdims: bool | None = None
) -> Tensor:
    op = _logical_if_bool(dtype, reductions.reduce_all, reductions.reduce_prod)
    return _reduced(op, a, axis, dtype, keepdims, _wide)


@documented(
    "Compute the mean of elements.",
    "mean([[1, 2], [3, 4]], axis=0)",
    "[2.0, 3.0]",
    _FLOATS,
    axis=_AXES,
)
def mean(
    a: TensorLike,
    axis: Axis = None,
    dtype: DTypeLike | None = None,
    out: None = None,
    keepdims: bool | None = None,
) -> Tensor:
    _check_out(out)
    return _reduced(reductions.reduce_mean, a, axis, dtype, keepdims, _floats)


def _check_out(out: object) -> None:
    if out is not None:
        raise ValueError("Setting out is not supported.")


def _extremum(
    a: TensorLike, axis: Axis, keepdims: bool | None, op: Reduction, logical: Reduction
) -> Tensor:
    x = as_array(a)
    return (logical if x.dtype.is_bool else op)(x, axis=axis, keepdims=bool(keepdims))


@documented(
    "Compute the largest element.", "amax([[1, 2], [3, 4]], axis=0)", "[3, 4]", REDUCED, axis=_AXES
)
def amax(
    a: TensorLike, axis: Axis = None, out: None = None, keepdims: bool | None = None
) -> Tensor:
    _check_out(out)
    return _extremum(a, axis, keepdims, reductions.reduce_max, reductions.reduce_any)


@documented(
    "Compute the smallest element.", "amin([[1, 2], [3, 4]], axis=0)", "[1, 2]", REDUCED, axis=_AXES
)
def amin(
    a: TensorLike, axis: Axis = None, out: None = None, keepdims: bool | None = None
) -> Tensor:
    _check_out(out)
    return _extremum(a, axis, keepdims, reductions.reduce_min, reductions.reduce_all)


@documented(
    "Compute the largest element.", "max([[1, 2], [3, 4]], axis=0)", "[3, 4]", REDUCED, axis=_AXES
)
def max(a: TensorLike, axis: Axis = None, keepdims: bool | None = None) -> Tensor:
    return amax(a, axis, keepdims=keepdims)


@documented(
    "Compute the smallest element.", "min([[1, 2], [3, 4]], axis=0)", "[1, 2]", REDUCED, axis=_AXES
)
def min(a: TensorLike, axis: Axis = None, keepdims: bool | None = None) -> Tensor:
    return amin(a, axis, keepdims=keepdims)


@documented(
    "Compute the difference of the largest and the smallest element.",
    "ptp([1, 5, 3])",
    "4",
    REDUCED,
    axis=_AXES,
)
def ptp(a: TensorLike, axis: Axis = None, keepdims: bool | None = None) -> Tensor:
    return primitives.subtract(amax(a, axis, keepdims=keepdims), amin(a, axis, keepdims=keepdims))


@documented("Return True if all elements are true.", "all([1, 0])", "False", REDUCED, axis=_AXES)
def all(a: TensorLike, axis: Axis = None, keepdims: bool | None = None) -> Tensor:
    return reductions.reduce_all(as_array(a, dtypes.bool), axis, bool(keepdims))


@documented("Return True if an element is true.", "any([1, 0])", "True", REDUCED, axis=_AXES)
def any(a: TensorLike, axis: Axis = None, keepdims: bool | None = None) -> Tensor:
    return reductions.reduce_any(as_array(a, dtypes.bool), axis, bool(keepdims))


@documented(
    "Count the elements that are not 0.",
    "count_nonzero([1, 0, 2])",
    "2",
    "Int64 tensor without the reduced axes.",
    axis=_AXES,
)
def count_nonzero(a: TensorLike, axis: Axis = None) -> Tensor:
    return reductions.count_nonzero(as_array(a), axis)


def _variance(ddof: int) -> Reduction:
    """Return a reduction that divides by the number of elements minus `ddof`."""

    def variance(x: Tensor, axis: Axis, keepdims: bool) -> Tensor:
        centered = primitives.subtract(x, reductions.reduce_mean(x, axis, True))
        if x.dtype.is_complex:
            product = primitives.multiply(centered, complex_numbers.conj(centered))
            squares = cast(complex_numbers.real(product), x.dtype)
        else:
            squares = primitives.square(centered)
        total = reductions.reduce_sum(squares, axis, keepdims)
        axes = range(x.ndim) if axis is None else static_ints(axis)
        count = np.prod([x.aval.shape[i] for i in axes], dtype=np.int64) - ddof
        return primitives.realdiv(total, cast(count, x.dtype))

    return variance


@documented(
    "Compute the variance of elements.",
    "var([1, 2, 3, 4])",
    "1.25",
    _FLOATS,
    axis=_AXES,
    ddof="Number that is subtracted from the number of elements in the divisor. Default: 0.",
)
def var(
    a: TensorLike,
    axis: Axis = None,
    dtype: DTypeLike | None = None,
    out: None = None,
    ddof: int = 0,
    keepdims: bool | None = None,
) -> Tensor:
    _check_out(out)
    working = result_type(a, dtype) if dtype else None
    op = _variance(ddof) if ddof else statistics.reduce_variance
    found = _reduced(op, a, axis, working, keepdims, _floats)
    return cast(found, as_dtype(dtype)) if dtype else found


@documented(
    "Compute the standard deviation of elements.",
    "tnp.std([1, 3]).numpy().round(3).item()",
    "1.0",
    _FLOATS,
    axis=_AXES,
)
def std(a: TensorLike, axis: Axis = None, keepdims: bool | None = None) -> Tensor:
    return _reduced(statistics.reduce_std, a, axis, None, keepdims, _floats)


@documented(
    "Compute the weighted mean of elements.",
    "average([1, 2], weights=[3, 1])",
    "1.25",
    "Float tensor without the reduced axis. If `returned` is True, also the sum of the weights.",
    axis="Axis to reduce. Negative values count from the end. Default: all axes.",
    weights="Weights of the shape of `a`, or one for each element of `axis`. Default: 1.",
    returned="If True, also return the sum of the weights. Default: False.",
)
def average(
    a: TensorLike,
    axis: int | None = None,
    weights: TensorLike | None = None,
    returned: bool = False,
) -> Any:
    if axis is not None and not isinstance(axis, int):
        raise ValueError(f"Argument `axis` must be an integer. Received axis={axis}")
    x = as_array(a)
    if weights is None:
        x = x if is_inexact(x) else cast(x, result_type(x.dtype, float_type()))
        found = reductions.reduce_mean(x, axis)
        count = x.aval.size if axis is None else x.aval.shape[axis]
        total = cast(count, x.dtype)
    else:
        kinds = (x.dtype, weights) if is_inexact(x) else (x.dtype, weights, float_type())
        kind = result_type(*kinds)
        x, w = as_array(x, kind), as_array(weights, kind)
        if axis is not None and w.ndim == 1 != x.ndim:
            total = reductions.reduce_sum(w)
            weighted = tensordot(x, w, [[axis], [0]])
        else:
            if x.aval.shape != w.aval.shape:
                raise ValueError(
                    f"average: `weights` must have the shape {x.shape} of `a`, got {w.shape}."
                )
            total = reductions.reduce_sum(w, axis)
            weighted = reductions.reduce_sum(primitives.multiply(x, w), axis)
        found = primitives.realdiv(weighted, total)
    return (found, broadcast_to(total, found.aval.shape)) if returned else found


def _ignoring_nan(
    name: str, what: str, op: Reduction, neutral: int, prints: str
) -> Callable[..., Tensor]:
    def function(
        a: TensorLike,
        axis: Axis = None,
        dtype: DTypeLike | None = None,
        keepdims: bool | None = False,
    ) -> Tensor:
        x = as_array(a)
        filled = slicing.where(unary.isnan(x), cast(neutral, x.dtype), x)
        return op(filled, axis=axis, dtype=dtype, keepdims=keepdims)

    function.__name__ = function.__qualname__ = name
    return documented(
        f"Compute the {what} of elements that are not NaN.",
        f"{name}([1.0, float('nan'), 4.0])",
        prints,
        REDUCED,
        axis=_AXES,
    )(function)


nansum = _ignoring_nan("nansum", "sum", sum, 0, "5.0")
nanprod = _ignoring_nan("nanprod", "product", prod, 1, "4.0")


@documented(
    "Compute the mean of elements that are not NaN.",
    "nanmean([1.0, float('nan'), 4.0])",
    "2.5",
    _FLOATS,
    axis=_AXES,
)
def nanmean(
    a: TensorLike, axis: Axis = None, dtype: DTypeLike | None = None, keepdims: bool | None = None
) -> Tensor:
    x = as_array(a)
    if x.dtype.is_bool or x.dtype.is_integer:
        return mean(x, axis=axis, dtype=dtype, keepdims=keepdims)
    kind = dtype or x.dtype
    count = sum(unary.logical_not(unary.isnan(x)), axis=axis, dtype=kind, keepdims=keepdims)
    return true_divide(nansum(x, axis=axis, dtype=kind, keepdims=keepdims), count)
