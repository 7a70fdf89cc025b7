"""Cumulative sums, differences, sorting and positions of extrema (`tf.experimental.numpy`)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tfpy._src.base import dtypes
from tfpy._src.base.dtypes import as_dtype
from tfpy._src.core import primitives
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import DTypeLike, TensorLike
from tfpy._src.library.experimental_numpy.documented import documented
from tfpy._src.library.experimental_numpy.promotion import (
    as_array,
    settings,
)
from tfpy._src.library.experimental_numpy.shaping import moveaxis, ravel
from tfpy._src.tensors.array import reshaping, scans, sorting
from tfpy._src.tensors.array.making import cast
from tfpy._src.tensors.math import ordering

Reduction = Callable[..., Tensor]


def _scanned(op: Reduction, a: TensorLike, axis: int | None, dtype: DTypeLike | None) -> Tensor:
    x = as_array(a, dtype)
    x = x if dtype else _at_least_int(x)
    return op(ravel(x), 0) if axis is None else op(x, axis)


def _at_least_int(x: Tensor) -> Tensor:
    """Convert integers narrower than Python's to int64."""
    if not x.dtype.is_integer:
        return x
    return cast(x, as_dtype(np.promote_types(x.dtype.as_numpy_dtype, int)))


_SCANNED = "Tensor of the shape of `a`, or of rank 1 if `axis` is None."
_SCAN_AXIS = "Axis. Negative values count from the end. Default: the tensor is flattened first."


@documented("Compute cumulative sums.", "cumsum([1, 2, 3])", "[1, 3, 6]", _SCANNED, axis=_SCAN_AXIS)
def cumsum(a: TensorLike, axis: int | None = None, dtype: DTypeLike | None = None) -> Tensor:
    return _scanned(scans.cumsum, a, axis, dtype)


@documented(
    "Compute cumulative products.", "cumprod([1, 2, 3])", "[1, 2, 6]", _SCANNED, axis=_SCAN_AXIS
)
def cumprod(a: TensorLike, axis: int | None = None, dtype: DTypeLike | None = None) -> Tensor:
    return _scanned(scans.cumprod, a, axis, dtype)


@documented(
    "Compute differences of neighbors. For booleans, return True where neighbors differ.",
    "diff([1, 4, 9])",
    "[3, 5]",
    "Tensor with the dtype of `a`, and `n` elements less along `axis`.",
    n="Number of times that differences are computed. Default: 1.",
    axis="Axis. Negative values count from the end. Default: -1.",
)
def diff(a: TensorLike, n: int = 1, axis: int = -1) -> Tensor:
    x = as_array(a)
    if (axis + x.ndim if axis < 0 else axis) >= x.ndim:
        raise ValueError(
            f"Argument `axis` (received axis={axis}) is out of bounds for input of rank {x.ndim}."
        )
    if n < 0:
        raise ValueError(f"Argument `n` must be a non-negative integer. Received: n={n}")
    op = primitives.not_equal if x.dtype.is_bool else primitives.subtract
    rows = moveaxis(x, axis, 0)
    for _ in range(n):
        rows = op(rows[1:], rows[:-1])
    return moveaxis(rows, 0, axis)


_SORT_AXIS = "Axis to sort. Default: -1. If it is None, the tensor is flattened first."


@documented(
    "Sort elements in ascending order.",
    "sort([3, 1, 2])",
    "[1, 2, 3]",
    "Tensor with the dtype of `a`.",
    axis=_SORT_AXIS,
)
def sort(
    a: TensorLike, axis: int | None = -1, kind: str = "quicksort", order: None = None
) -> Tensor:
    _check_sort(kind, order, ("quicksort",))
    x = as_array(a)
    return sorting.sort(ravel(x), 0) if axis is None else sorting.sort(x, axis)


def _check_sort(kind: str, order: object, kinds: tuple[str, ...]) -> None:
    if kind not in kinds:
        names = " and ".join(f'kind="{name}"' for name in kinds)
        raise ValueError(
            f"Invalid value for argument `kind`. Only {names} are supported. Received: kind={kind}"
        )
    if order is not None:
        raise ValueError("The `order` argument is not supported. Pass order=None")


@documented(
    "Return the positions that sort the elements in ascending order.",
    "argsort([3, 1, 2])",
    "[1, 2, 0]",
    "Int64 tensor.",
    axis=_SORT_AXIS,
    kind='`"quicksort"` (default) or `"stable"`. Both are stable.',
)
def argsort(
    a: TensorLike, axis: int | None = -1, kind: str = "quicksort", order: None = None
) -> Tensor:
    _check_sort(kind, order, ("quicksort", "stable"))
    x = as_array(a)
    if x.dtype.is_complex:
        raise TypeError(f"argsort does not support complex dtypes. Received dtype: {x.dtype}")
    if not x.ndim:
        found = as_array([0])
    elif axis is None:
        found = sorting.argsort(ravel(x), 0, stable=kind == "stable")
    else:
        found = sorting.argsort(x, axis, stable=kind == "stable")
    return cast(found, dtypes.int32 if settings.has_weak_types else dtypes.int64)


def _position(op: Reduction, a: TensorLike, axis: int | None) -> Tensor:
    x = as_array(a)
    if axis is None:
        return op(ravel(x), axis=0)
    return op(x if x.ndim else reshaping.reshape(x, [1]), axis=axis)


_POSITION = "Int64 tensor without the axis."
_LINE = "Axis. Negative values count from the end. Default: the tensor is flattened first."


@documented(
    "Return the position of the largest element.", "argmax([1, 3])", "1", _POSITION, axis=_LINE
)
def argmax(a: TensorLike, axis: int | None = None) -> Tensor:
    return _position(ordering.argmax, a, axis)


@documented(
    "Return the position of the smallest element.", "argmin([1, 3])", "0", _POSITION, axis=_LINE
)
def argmin(a: TensorLike, axis: int | None = None) -> Tensor:
    return _position(ordering.argmin, a, axis)
