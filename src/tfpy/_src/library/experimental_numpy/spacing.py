"""Ranges, spaced numbers, grids and powers (`tf.experimental.numpy`)."""

from __future__ import annotations

import builtins
from typing import Any

import numpy as np

from tfpy._src.base.dtypes import DType, as_dtype
from tfpy._src.core import primitives
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import DTypeLike, IntLike, TensorLike
from tfpy._src.library.experimental_numpy import unary
from tfpy._src.library.experimental_numpy.documented import documented
from tfpy._src.library.experimental_numpy.promotion import (
    as_array,
    chosen,
    new_type,
    result_type,
)
from tfpy._src.tensors.array import ranges, reshaping, slicing
from tfpy._src.tensors.array.making import cast
from tfpy._src.tensors.math.arithmetic import divide


@documented(
    "Return evenly spaced numbers in an interval that excludes `stop`.",
    "arange(1, 7, 2)",
    "[1, 3, 5]",
    "Tensor of rank 1.",
    start="First number, or the end of the interval if `stop` is None. Then the first one is 0.",
    stop="End of the interval. Default: None.",
    step="Difference of neighbors, which must not be 0. Default: 1.",
)
def arange(start: Any, stop: Any = None, step: Any = 1, dtype: DTypeLike | None = None) -> Tensor:
    if not step:
        raise ValueError(f"arange: `step` must be non-zero, got {step!r}.")
    given = (start, step) if stop is None else (start, step, stop)
    kind = chosen(dtype, *given)
    first, last = (0, start) if stop is None else (start, stop)
    if (step > 0 and first > last) or (step < 0 and first < last):
        return as_array([], kind)
    return cast(ranges.range(start, limit=stop, delta=step), kind)


def _spaced_type(start: Any, stop: Any) -> DType:
    """Return the float dtype of numbers between two ends, as in NumPy 2."""
    return result_type(*(end * 1.0 for end in (start, stop)))


@documented(
    "Return `num` evenly spaced numbers between two ends.",
    "linspace(0, 1, 5)",
    "[0.0, 0.25, 0.5, 0.75, 1.0]",
    "Float tensor with `num` elements along `axis`. If `retstep` is True, also the step.",
    retstep="If True, also return the difference of neighbors. Default: False.",
    dtype="If None or 0, the ends keep their dtypes. Otherwise, the dtype follows from the ends.",
    axis="Axis of the result along which the numbers are placed. Default: 0.",
)
def linspace(
    start: TensorLike,
    stop: TensorLike,
    num: int = 50,
    endpoint: bool = True,
    retstep: bool = False,
    dtype: DTypeLike | None = float,
    axis: int = 0,
) -> Any:
    kind = _spaced_type(start, stop) if dtype else None
    first, last = as_array(start, kind), as_array(stop, kind)
    if num < 0:
        raise ValueError(
            "Argument `num` (number of samples) must be a non-negative integer. Received: "
            f"num={num}"
        )
    step = convert_to_tensor(np.float32(np.nan))
    intervals = num - 1 if endpoint else num
    if intervals > 0:
        step = divide(primitives.subtract(last, first), cast(intervals, first.dtype))
    if not endpoint and num > 1:
        first = cast(first, step.dtype)
        last = primitives.subtract(cast(last, step.dtype), step)
    found = ranges.linspace(first, last, num, axis=axis)
    if kind is not None:
        found = cast(primitives.floor(found) if kind.is_integer else found, kind)
    return (found, step) if retstep else found


@documented(
    "Return numbers with evenly spaced logarithms.",
    "tnp.logspace(0, 2, 3).numpy().round(2).tolist()",
    "[1.0, 10.0, 100.0]",
    "Float tensor with `num` elements along `axis`.",
    start="Exponent of the first number.",
    stop="Exponent of the last number.",
    base="Base of the powers. Default: 10.",
    dtype="Has no effect. The dtype follows from `start` and `stop`.",
    axis="Axis of the result along which the numbers are placed. Default: 0.",
)
def logspace(
    start: TensorLike,
    stop: TensorLike,
    num: int = 50,
    endpoint: bool = True,
    base: float = 10.0,
    dtype: DTypeLike | None = None,
    axis: int = 0,
) -> Tensor:
    kind = _spaced_type(start, stop)
    exponents = linspace(start, stop, num, endpoint, dtype=kind, axis=axis)
    return primitives.pow(cast(base, exponents.dtype), exponents)


@documented(
    "Return numbers with a constant quotient of neighbors.",
    "tnp.geomspace(1, 100, 3).numpy().round(2).tolist()",
    "[1.0, 10.0, 100.0]",
    "Float tensor with `num` elements along `axis`.",
    axis="Axis of the result along which the numbers are placed. Default: 0.",
)
def geomspace(
    start: TensorLike,
    stop: TensorLike,
    num: int = 50,
    endpoint: bool = True,
    dtype: DTypeLike | None = None,
    axis: int = 0,
) -> Tensor:
    kind = (
        as_dtype(dtype) if dtype else result_type(start, stop, builtins.float(num), new_type(None))
    )
    working = as_dtype(np.promote_types(kind.as_numpy_dtype, np.float32))
    first, last = as_array(start, working), as_array(stop, working)
    signs = [primitives.subtract(1, unary.sign(unary.real(end))) for end in (first, last)]
    flip = cast(primitives.subtract(1, primitives.floordiv(signs[0] * signs[1], 2)), working)
    low, high = (unary.log10(primitives.multiply(flip, end)) for end in (first, last))
    found = logspace(low, high, num, endpoint=endpoint)
    found = primitives.multiply(flip, cast(found, working))
    if axis != 0:
        order = [*range(1, found.ndim)]
        order.insert(axis % found.ndim, 0)
        found = reshaping.transpose(found, order)
    return cast(found, kind)


@documented(
    "Return the powers of the elements of a vector as the rows of a matrix.",
    "vander([2, 3], 3)",
    "[[4, 2, 1], [9, 3, 1]]",
    "Tensor of shape [length of `x`, N].",
    x="Tensor or list of rank 1.",
    N="Number of columns. Default: the length of `x`.",
    increasing="If True, the powers increase from left to right. Default: False.",
)
def vander(x: TensorLike, N: IntLike | None = None, increasing: bool = False) -> Tensor:  # noqa: N803
    values = as_array(x)
    if values.ndim != 1:
        raise ValueError(f"x must be a one-dimensional array, got shape {values.shape}.")
    count = values.aval.shape[0] if N is None else int(N)
    if count < 0:
        raise ValueError(f"N must be nonnegative, got {count}.")
    powers = np.arange(count) if increasing else np.arange(count)[::-1]
    return primitives.pow(reshaping.expand_dims(values, -1), cast(powers.copy(), values.dtype))


@documented(
    "Return the indices of the main diagonal of a cube.",
    "tnp.diag_indices(2)[0].numpy().tolist()",
    "[0, 1]",
    "Tuple of `ndim` equal int32 tensors of shape [n].",
    n="Size of the cube along each axis.",
    ndim="Number of dimensions of the cube. Default: 2.",
)
def diag_indices(n: int, ndim: int = 2) -> tuple[Tensor, ...]:
    if n < 0:
        raise ValueError(f"n argument to diag_indices must be nonnegative, got {n}")
    if ndim < 0:
        raise ValueError(f"ndim argument to diag_indices must be nonnegative, got {ndim}")
    return (ranges.range(n),) * ndim


@documented(
    "Return the coordinates of a grid.",
    "tnp.meshgrid([1, 2], [3, 4])[0].numpy().tolist()",
    "[[1, 2], [1, 2]]",
    "List of tensors of the shape of the grid, one for each axis.",
    xi="Coordinates along each axis.",
    kwargs='`indexing`: `"xy"` (default) or `"ij"`. `sparse` must be False and `copy` True.',
)
def meshgrid(*xi: TensorLike, **kwargs: Any) -> list[Tensor]:
    if kwargs.get("sparse", False):
        raise ValueError("meshgrid: `sparse` must be False; sparse grids are not supported.")
    if not kwargs.get("copy", True):
        raise ValueError("meshgrid: `copy` must be True; tensors are immutable.")
    arrays = [as_array(x) for x in xi]
    values = [as_array(x, result_type(x.dtype, arrays[0].dtype)) for x in arrays]
    places = [ranges.range(x.aval.size) for x in values]
    grids = slicing.meshgrid(*places, indexing=kwargs.get("indexing", "xy"))
    return [
        slicing.take(reshaping.reshape(x, [-1]), at, 0) for x, at in zip(values, grids, strict=True)
    ]
