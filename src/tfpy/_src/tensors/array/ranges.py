"""Ranges of numbers: `tf.range` and `tf.linspace`."""

from __future__ import annotations

import builtins
import math
from typing import Any

import numpy as np

from tfpy._src.base import dtypes, tracing
from tfpy._src.base.dtypes import DType, as_dtype
from tfpy._src.base.errors import invalid
from tfpy._src.compiler.ir.sizes import either, is_open, unranked
from tfpy._src.compiler.ops import indexing
from tfpy._src.compiler.ops.families.infer import broadcast_shapes, normalize_axis
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.dispatch import dispatchable
from tfpy._src.core.sizes import Sizes, as_tensor
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import DTypeLike, FloatLike, IntLike, TensorLike
from tfpy._src.tensors.array.making import cast
from tfpy._src.tensors.array.reshaping import broadcast_to, expand_dims, reshape
from tfpy._src.tensors.array.static import static_int, static_number

_MOST_AXES = 8
"""Largest number of axes of a tensor in a graph of TensorFlow 1."""


@dispatchable
def range(
    start: FloatLike,
    limit: FloatLike | None = None,
    delta: FloatLike = 1,
    dtype: DTypeLike | None = None,
    name: str = "range",
) -> Tensor:
    """Create a sequence of numbers from `start` up to, but not including, `limit`.

    With a single bound, as in `tf.range(limit)`, the sequence starts at 0.

    Args:
        start: First number, a scalar. If `limit` is None, this argument is the limit.
        limit: Exclusive end of the sequence, a scalar. Default: `start`, so that the sequence
            starts at 0.
        delta: Difference between consecutive numbers, a scalar, which may be negative. Default: 1.
        dtype: Dtype of the result. Default: the widest dtype of the arguments, at least int32.
            Unless the environment variable `TFPY_ENABLE_X64` is set, `tf.int64` and `tf.float64`
            are aliases of `tf.int32` and `tf.float32`.

    Returns:
        Tensor of rank 1.

    Raises:
        tf.errors.InvalidArgumentError: If `delta` is 0 or leads away from `limit`, or an argument
            is not a scalar.

    Example:
        >>> import tfpy as tf
        >>> tf.range(1, 10, 3).numpy().tolist()
        [1, 4, 7]

    See also: `tf.linspace`.
    """
    start, limit = (0, start) if limit is None else (start, limit)
    value: Any
    for what, value in (("start", start), ("limit", limit), ("delta", delta)):
        if np.ndim(value):
            raise invalid("range", f"{what} must be a scalar, not shape {list(np.shape(value))}")
    bounds: tuple[Any, ...] = (start, limit, delta)
    kind = _widest(*bounds) if dtype is None else as_dtype(dtype)
    typed = [kind.as_numpy_dtype(static_number(v)) for v in bounds]
    first, last, step = (v.item() for v in typed)
    if step == 0:
        raise invalid("range", f"Requires delta != 0: {step}")
    if (last - first) * step < 0:
        sign = "<=" if step > 0 else ">="
        raise invalid(
            "range",
            f"Requires start {sign} limit when delta {'>' if step > 0 else '<'} 0: {first}/{last}",
        )
    if kind.is_integer:
        count = -((first - last) // step)
    else:  # each operation rounds to the dtype, as in TensorFlow
        count = math.ceil((typed[1] - typed[0]) / typed[2])
    sizes = (v.sizes[0] if isinstance(v, Sizes) else v for v in bounds)
    count = either(count, *sizes)
    if is_open(count) and count <= _MOST_AXES and kind.is_integer and tracing.in_graph():
        # These numbers may be the axes of a reduction in a graph, which must have values. Their
        # count is an open rank.
        numbers = builtins.range(first, first + count * step, step)
        return as_tensor(unranked(numbers), kind)
    return indexing.range_(start=first, delta=step, count=count, dtype=kind)


def _widest(*numbers: Any) -> DType:
    """Return the dtype of a range: a float dtype, int64 or int32. Open sizes are integers."""
    kinds = {
        as_dtype(n.dtype if hasattr(n, "dtype") else int if isinstance(n, int) else type(n))
        for n in numbers
    }
    order = (*reversed(dtypes.FLOATS), dtypes.int64)
    return next((d for d in order if d in kinds), dtypes.int32)


def linspace(
    start: TensorLike, stop: TensorLike, num: IntLike, name: str | None = None, axis: int = 0
) -> Tensor:
    """Create evenly spaced numbers from `start` to `stop`, both included, along a new axis.

    Args:
        start: Numeric tensor of the first numbers. Integers are converted to float64, which is
            float32 unless the environment variable `TFPY_ENABLE_X64` is set.
        stop: Tensor of the last numbers, with the dtype of `start`. It is broadcast with `start`.
        num: Number of values along the new axis.
        axis: Position of the new axis in the result. Negative values count from the end. Default:
            0.

    Returns:
        Float tensor of the broadcast shape with an additional dimension of size `num`.

    Raises:
        TypeError: If `num` is not an integer.
        tf.errors.InvalidArgumentError: If `num` is negative.
        ValueError: If `stop` is a tensor and has a different dtype than `start`.

    Example:
        >>> import tfpy as tf
        >>> tf.linspace(0.0, 1.0, 3).numpy().tolist()
        [0.0, 0.5, 1.0]

    See also: `tf.range`.
    """
    if not convert_to_tensor(num).dtype.is_integer:
        raise TypeError(f"linspace: num must be an integer, got {num!r}")
    count = static_int(num)
    if count < 0:
        raise invalid("linspace", f"Requires num >= 0: {count}")
    begin = convert_to_tensor(start)
    end = convert_to_tensor(stop, begin.dtype)
    if begin.dtype.is_integer:
        begin, end = cast(begin, dtypes.float64), cast(end, dtypes.float64)
    shape = broadcast_shapes("linspace", begin.aval.shape, end.aval.shape)
    begin, end = (expand_dims(broadcast_to(x, shape), axis) for x in (begin, end))
    where_ = normalize_axis("linspace", static_int(axis), begin.ndim)
    steps = max(count - 1, 1)
    weights = indexing.range_(start=0, delta=1, count=count, dtype=begin.dtype) / steps
    along = [1] * begin.ndim
    along[where_] = count
    weights = reshape(weights, along)
    return begin * (1 - weights) + end * weights
