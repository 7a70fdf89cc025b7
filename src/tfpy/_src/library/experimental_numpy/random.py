"""`tf.experimental.numpy.random`: random numbers with the names of NumPy."""

from __future__ import annotations

import numpy as np

from tfpy._src.base import dtypes
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import DTypeLike, ShapeLike, TensorLike
from tfpy._src.library.experimental_numpy import double_draws
from tfpy._src.library.experimental_numpy.documented import documented
from tfpy._src.library.experimental_numpy.promotion import (
    as_array,
    draws_doubles,
    float_type,
    result_type,
)
from tfpy._src.library.experimental_numpy.shaping import isscalar
from tfpy._src.tensors.random import stateful, streams

_FLOATS = "Float64 tensor of shape `size`."


def _shape(size: ShapeLike | None) -> ShapeLike:
    if size is None:
        return ()
    return (size,) if isscalar(size) else size  # type: ignore[return-value]


@documented(
    "Set the seed of the random numbers, like `tf.random.set_seed`.",
    "tnp.random.seed(1)",
    "",
    "None.",
    see="`tf.random.set_seed`",
    s="Integer.",
)
def seed(s: int) -> None:
    try:
        value = int(s)
    except TypeError:
        raise ValueError(
            f"Argument `s` got an invalid value {s}. Only integers are supported."
        ) from None
    streams.set_seed(value)


@documented(
    "Draw numbers from the standard normal distribution.",
    "tnp.random.standard_normal([2, 3]).shape",
    "TensorShape([2, 3])",
    _FLOATS,
    see="`tf.random.normal`",
)
def standard_normal(size: ShapeLike | None = None) -> Tensor:
    if draws_doubles():
        return double_draws.normal(_shape(size))
    return stateful.normal(_shape(size), dtype=float_type())


@documented(
    "Draw numbers from the standard normal distribution.",
    "tnp.random.randn(2, 3).shape",
    "TensorShape([2, 3])",
    "Float64 tensor of shape `args`.",
    see="`tf.random.normal`",
    args="Dimensions of the result.",
)
def randn(*args: int) -> Tensor:
    return standard_normal(args)


@documented(
    "Draw numbers from a uniform distribution.",
    "tnp.random.uniform(size=[2, 3]).shape",
    "TensorShape([2, 3])",
    _FLOATS,
    see="`tf.random.uniform`",
    low="Lower end of the interval, included. Default: 0.",
    high="Upper end of the interval, excluded. Default: 1.",
    size="Shape of the result. Default: the broadcast shape of `low` and `high`.",
)
def uniform(low: TensorLike = 0.0, high: TensorLike = 1.0, size: ShapeLike | None = None) -> Tensor:
    kind = float_type()
    first, last = as_array(low, kind), as_array(high, kind)
    shape = np.broadcast_shapes(first.aval.shape, last.aval.shape) if size is None else size
    if draws_doubles():
        return double_draws.uniform(shape) * (last - first) + first
    return stateful.uniform(shape, minval=first, maxval=last, dtype=kind)


@documented(
    "Draw integers from a Poisson distribution.",
    "tnp.random.poisson(3.0, [2, 3]).shape",
    "TensorShape([2, 3])",
    "Int64 tensor of shape `size`, followed by the shape of `lam`.",
    see="`tf.random.poisson`",
    lam="Mean of the distribution. Default: 1.",
)
def poisson(lam: TensorLike = 1.0, size: ShapeLike | None = None) -> Tensor:
    return stateful.poisson(_shape(size), lam, dtype=dtypes.int64)


@documented(
    "Draw numbers from the interval [0, 1).",
    "tnp.random.random([2, 3]).shape",
    "TensorShape([2, 3])",
    _FLOATS,
    see="`tf.random.uniform`",
)
def random(size: ShapeLike | None = None) -> Tensor:
    return uniform(0.0, 1.0, size)


@documented(
    "Draw numbers from the interval [0, 1).",
    "tnp.random.rand(2, 3).shape",
    "TensorShape([2, 3])",
    "Float64 tensor of shape `size`.",
    see="`tf.random.uniform`",
    size="Dimensions of the result.",
)
def rand(*size: int) -> Tensor:
    return uniform(0.0, 1.0, size)


@documented(
    "Draw integers from a uniform distribution.",
    "tnp.random.randint(5, size=[2, 3]).shape",
    "TensorShape([2, 3])",
    "Integer tensor of shape `size`.",
    see="`tf.random.uniform`",
    low="Smallest integer, or the end of the interval [0, `low`) if `high` is None.",
    high="End of the interval, excluded. Default: None.",
    dtype="Int32 or int64. Default: int64. Unless the environment variable `TFPY_ENABLE_X64` is "
    "set, the result is int32. It equals TensorFlow's if the interval has at most 65,536 integers.",
)
def randint(
    low: int,
    high: int | None = None,
    size: ShapeLike | None = None,
    dtype: DTypeLike = np.int64,
) -> Tensor:
    first, last = (0, int(low)) if high is None else (int(low), high)
    kind = result_type(dtype)
    if kind not in (dtypes.int32, dtypes.int64):
        raise ValueError(
            f"Argument `dtype` got an invalid value {dtype}. Only those convertible to int32 and "
            "int64 are supported."
        )
    shape = () if size is None else (size,) if isinstance(size, int) else size
    if double_draws.has_range(dtype, first, last):
        return double_draws.integers(shape, int(last) - first) + first
    return stateful.uniform(shape, minval=first, maxval=last, dtype=kind)
