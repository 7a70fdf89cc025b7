"""``tf.range`` and ``tf.linspace``."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tfpy._src.base import dtypes
from tfpy._src.base.dtypes import DType, as_dtype
from tfpy._src.base.errors import invalid
from tfpy._src.compiler.ir.sizes import either
from tfpy._src.compiler.ops import indexing
from tfpy._src.compiler.ops.families.infer import broadcast_shapes, normalize_axis
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.sizes import Sizes
from tfpy._src.core.tensor import Tensor
from tfpy._src.tensors.array.making import cast
from tfpy._src.tensors.array.reshaping import broadcast_to, expand_dims, reshape
from tfpy._src.tensors.array.static import static_int, static_number


def range(
    start: Any, limit: Any = None, delta: Any = 1, dtype: Any = None, name: str = "range"
) -> Tensor:
    """Numbers from ``start`` (0 if only one bound is given) up to, not including, ``limit``.

    Args:
        dtype: of the result; int64 and float64 have 32 bits without ``TFPY_ENABLE_X64``.

    Raises:
        InvalidArgumentError: when ``delta`` is 0 or points away from ``limit``.

    Example:
        >>> import tfpy as tf
        >>> tf.range(1, 10, 3).numpy().tolist()
        [1, 4, 7]
    """
    start, limit = (0, start) if limit is None else (start, limit)
    for what, value in (("start", start), ("limit", limit), ("delta", delta)):
        if np.ndim(value):
            raise invalid("range", f"{what} must be a scalar, not shape {list(np.shape(value))}")
    bounds = (start, limit, delta)
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
    else:  # rounded at each step, as TensorFlow does
        count = math.ceil((typed[1] - typed[0]) / typed[2])
    sizes = (v.sizes[0] if isinstance(v, Sizes) else v for v in bounds)
    count = either(count, *sizes)
    return indexing.range_(start=first, delta=step, count=count, dtype=kind)


def _widest(*numbers: Any) -> DType:
    """The dtype of a range: one of floats or int32. Open sizes are integers."""
    kinds = {
        as_dtype(n.dtype if hasattr(n, "dtype") else int if isinstance(n, int) else type(n))
        for n in numbers
    }
    order = (*reversed(dtypes.FLOATS), dtypes.int64)
    return next((d for d in order if d in kinds), dtypes.int32)


def linspace(start: Any, stop: Any, num: Any, name: str | None = None, axis: int = 0) -> Tensor:
    """``num`` evenly spaced numbers from ``start`` to ``stop``, both included, along ``axis``.

    Raises:
        TypeError: when ``num`` is no integer.
        InvalidArgumentError: when it is negative.
        ValueError: If ``stop`` is a tensor of another dtype than ``start``.

    Example:
        >>> import tfpy as tf
        >>> tf.linspace(0.0, 1.0, 3).numpy().tolist()
        [0.0, 0.5, 1.0]
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
