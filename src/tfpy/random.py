"""``tf.random``: seeded and stateless random numbers, computed where the tensors live.

Stateless functions give TensorFlow's numbers for the same seed, bit for bit, on every backend.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tfpy import dtypes
from tfpy.array import cast, static_ints
from tfpy.convert import constant, convert_to_tensor
from tfpy.dtypes import as_dtype
from tfpy.errors import invalid
from tfpy.ops import elementwise as ew
from tfpy.ops import random as primitives
from tfpy.ops.op import Op
from tfpy.slicing import gather
from tfpy.tensor import Tensor


class _Seeds:
    """The global seed and the stream of seeds that unseeded ops draw."""

    generator = np.random.default_rng()
    seed: int | None = None

    @classmethod
    def draw(cls, op_seed: int | None) -> tuple[int, int]:
        own = int(cls.generator.integers(0, 2**31))
        return (own, 0) if op_seed is None else (own if cls.seed is not None else op_seed, op_seed)


def set_seed(seed: int) -> None:
    """Makes the numbers that follow repeatable (``tf.random.set_seed``)."""
    _Seeds.seed = int(seed)
    _Seeds.generator = np.random.default_rng(int(seed))


def _draw(op: Op, shape: Any, seed: Any) -> Tensor:
    pair = static_ints(seed)
    if len(pair) != 2:
        raise invalid(op.name, f"seed must have shape [2], got {len(pair)} numbers")
    words = np.array(primitives.scramble((pair[0], pair[1])), np.uint32).view(np.int32)
    key = [constant(w) for w in words]
    return op(*key, shape=static_ints(shape))


def stateless_uniform(
    shape: Any,
    seed: Any,
    minval: Any = 0,
    maxval: Any = None,
    dtype: Any = dtypes.float32,
    name: str | None = None,
    alg: str = "auto_select",
) -> Tensor:
    """Uniform numbers in ``[minval, maxval)`` from a seed of two integers.

    Raises:
        ValueError: when ``maxval`` is missing for integers.
    """
    kind = as_dtype(dtype)
    if kind.is_floating:
        unit = _draw(primitives.random_uniform, shape, seed)
        high = 1 if maxval is None else maxval
        if minval == 0 and isinstance(high, int | float) and high == 1:
            return cast(unit, kind)
        return cast(unit * (high - minval) + minval, kind)
    bits = _draw(primitives.random_bits, shape, seed)
    if minval is None and maxval is None:
        return cast(bits, kind)
    if maxval is None:
        raise ValueError("Must specify maxval for integer dtype")
    return cast(_below(bits, int(maxval) - int(minval)) + int(minval), kind)


def _below(bits: Tensor, span: int) -> Tensor:
    """Unsigned ``bits`` modulo ``span``, in int32 arithmetic."""
    if not 0 < span < 2**31:
        raise invalid("random_uniform_int", f"Need minval < maxval, got a range of {span}")
    high = ew.floor_mod(ew.bitwise_and(bits, 0x7FFFFFFF), span)
    offset = (2**31) % span
    wrapped = ew.floor_mod(high - (span - offset), span)  # high + offset without overflow
    return ew.select(bits < 0, wrapped, high)


def stateless_normal(
    shape: Any,
    seed: Any,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: Any = dtypes.float32,
    name: str | None = None,
    alg: str = "auto_select",
) -> Tensor:
    """Normal numbers from a seed of two integers."""
    x = _draw(primitives.random_normal, shape, seed)
    return cast(x * stddev + mean, dtype)


def uniform(
    shape: Any,
    minval: Any = 0,
    maxval: Any = None,
    dtype: Any = dtypes.float32,
    seed: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Uniform numbers in ``[minval, maxval)``, other ones at each call."""
    return stateless_uniform(shape, _Seeds.draw(seed), minval, maxval, dtype)


def normal(
    shape: Any,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: Any = dtypes.float32,
    seed: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Normal numbers, other ones at each call."""
    return stateless_normal(shape, _Seeds.draw(seed), mean, stddev, dtype)


def truncated_normal(
    shape: Any,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: Any = dtypes.float32,
    seed: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Normal numbers within two standard deviations; what lies outside is drawn again (host)."""
    rng = np.random.default_rng(_Seeds.draw(seed))
    sizes = static_ints(shape)
    values = rng.standard_normal(sizes, dtype=np.float32)
    while (outside := np.abs(values) > 2).any():
        values[outside] = rng.standard_normal(int(outside.sum()), dtype=np.float32)
    return cast(constant(values) * stddev + mean, dtype)


def shuffle(value: Any, seed: int | None = None, name: str | None = None) -> Tensor:
    """The rows in random order."""
    x = convert_to_tensor(value)
    order = np.random.default_rng(_Seeds.draw(seed)).permutation(x.shape[0])
    return gather(x, order.astype(np.int32))
