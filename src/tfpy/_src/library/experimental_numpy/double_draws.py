"""Random numbers that TensorFlow draws in 64 bits, converted to dtypes of 32 bits.

TensorFlow's float64 numbers consist of 52 random bits, and its float32 numbers of 23 other ones.
These functions use the bits of float64 where `tf.float64` is another name of `tf.float32`.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tfpy._src.base import dtypes
from tfpy._src.base.dtypes import DType
from tfpy._src.compiler.ops import bitwise, random as draws
from tfpy._src.core import primitives as p
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import DTypeLike, ShapeLike
from tfpy._src.tensors.array.casting import bitcast
from tfpy._src.tensors.array.joining import stack
from tfpy._src.tensors.array.making import cast
from tfpy._src.tensors.array.reshaping import reshape
from tfpy._src.tensors.random import sampling
from tfpy._src.tensors.random.streams import reserve_outputs

_HIGH_BITS = 20
"""Number of bits of the first word that a float64 number uses. It uses the second word whole."""
_BELOW_ONE = 1 - 2.0**-24
"""The largest float32 number below 1, because rounded numbers must not be 1."""
_SMALLEST = 1e-7
"""Lower bound of the operands of the logarithm in TensorFlow."""
_MOST = 2**16
"""Largest modulus for which the product of two remainders has at most 32 bits."""


def uniform(shape: ShapeLike) -> Tensor:
    """Draw numbers in `[0, 1)`."""
    sizes = sampling.sizes("random_uniform", shape)
    state = reserve_outputs("uniform of float64", dtypes.float32, None, sizes)
    count = math.prod(sizes)
    return reshape(_units(state, -(-count // 2) * 2)[:count], sizes)


def normal(shape: ShapeLike) -> Tensor:
    """Draw numbers from the standard normal distribution with the transform of Box and Muller."""
    sizes = sampling.sizes("random_normal", shape)
    state = reserve_outputs("normal of float64", dtypes.float32, None, sizes)
    count = math.prod(sizes)
    pairs = reshape(_units(state, -(-count // 2) * 2), [-1, 2])
    radius = p.sqrt(-2.0 * p.log(p.maximum(pairs[:, 0], _SMALLEST)))
    angle = 2 * math.pi * pairs[:, 1]
    both = stack([p.sin(angle) * radius, p.cos(angle) * radius], axis=1)
    return reshape(reshape(both, [-1])[:count], sizes)


def has_range(dtype: DTypeLike, low: int, high: Any) -> bool:
    """Return True if `integers` draws the numbers of an interval.

    Larger intervals need products of more than 32 bits.

    Args:
        dtype: Dtype that the caller has passed. `tf.int64` counts as int32, because both are equal.
        low: First integer.
        high: End of the interval.
    """
    if isinstance(dtype, DType) or dtypes.int64 is not dtypes.int32:
        return False
    given: Any = dtype
    is_whole = isinstance(high, int | np.integer)
    return np.dtype(given) == np.int64 and is_whole and 0 < int(high) - low <= _MOST


def integers(shape: ShapeLike, span: int) -> Tensor:
    """Draw integers in `[0, span)`: 64 random bits modulo `span`."""
    sizes = sampling.sizes("random_int", shape)
    state = reserve_outputs("uniform of int64", dtypes.int32, None, sizes)
    words = sampling.draw(draws.random_bits, state, shape=(math.prod(sizes), 2))
    rests = p.floormod(bitcast(words, dtypes.uint32), np.uint32(span))
    high = p.floormod(rests[:, 1] * np.uint32(2**32 % span), np.uint32(span))
    both = p.floormod(cast(rests[:, 0] + high, dtypes.int32), span)
    return reshape(both, sizes)


def _units(state: Any, count: int) -> Tensor:
    """Return `count` numbers in `[0, 1)`, each of two random words."""
    words = sampling.draw(draws.random_bits, state, shape=(count, 2))
    high = cast(bitwise.bitwise_and(words[:, 0], 2**_HIGH_BITS - 1), dtypes.float32)
    low = cast(bitcast(words[:, 1], dtypes.uint32), dtypes.float32)
    unit = high * 2.0**-_HIGH_BITS + low * 2.0 ** -(_HIGH_BITS + 32)
    return p.minimum(unit, _BELOW_ONE)
