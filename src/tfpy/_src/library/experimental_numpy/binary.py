"""Elementwise functions of two tensors (`tf.experimental.numpy`)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tfpy._src.base import dtypes
from tfpy._src.core import primitives
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import TensorLike
from tfpy._src.functions.control.control_flow import while_loop
from tfpy._src.library.experimental_numpy import unary
from tfpy._src.library.experimental_numpy.documented import ELEMENTWISE, documented
from tfpy._src.library.experimental_numpy.promotion import (
    float_type,
    is_inexact,
    promoted,
)
from tfpy._src.tensors.array.making import cast, ones_like, zeros_like
from tfpy._src.tensors.array.reshaping import broadcast_to
from tfpy._src.tensors.array.slicing import where
from tfpy._src.tensors.math import arithmetic
from tfpy._src.tensors.math.reductions import reduce_any

Op = Callable[[Any, Any], Tensor]
Binary = Callable[[TensorLike, TensorLike], Tensor]

PROMOTED = f"{ELEMENTWISE[:-1]}, with the dtype to which NumPy promotes the operands."


def named(
    function: Binary, name: str, summary: str, example: str, prints: str, returns: str
) -> Binary:
    function.__name__ = function.__qualname__ = name
    return documented(summary, f"{name}({example})", prints, returns)(function)


def _binary(
    name: str, op: Op, summary: str, example: str, prints: str, *, booleans: Op | None = None
) -> Binary:
    """Return a function of two tensors that applies `op` after dtype promotion.

    Args:
        booleans: Function for two booleans. Default: `op`.
    """

    def function(x1: TensorLike, x2: TensorLike) -> Tensor:
        x, y = promoted(x1, x2)
        return (booleans if booleans is not None and x.dtype.is_bool else op)(x, y)

    return named(function, name, summary, example, prints, PROMOTED)


def _as(op: Op, dtype: Any) -> Op:
    """Return `op` for booleans, which are converted to `dtype` first."""
    return lambda x, y: op(cast(x, dtype), cast(y, dtype))


def _divided(x: Tensor, y: Tensor) -> Tensor:
    return arithmetic.divide(x, y)


def _bits(op: Op) -> Op:
    return lambda x, y: cast(op(cast(x, dtypes.int8), cast(y, dtypes.int8)), dtypes.bool)


add = _binary(
    "add",
    primitives.add,
    "Add two tensors. For booleans, compute the logical or.",
    "[1, 2], 0.5",
    "[1.5, 2.5]",
    booleans=primitives.logical_or,
)
subtract = _binary(
    "subtract", primitives.subtract, "Subtract `x2` from `x1`.", "[3, 4], 1", "[2, 3]"
)
multiply = _binary(
    "multiply",
    primitives.multiply,
    "Multiply two tensors. For booleans, compute the logical and.",
    "[1, 2], 0.5",
    "[0.5, 1.0]",
    booleans=primitives.logical_and,
)
true_divide = _binary(
    "true_divide",
    _divided,
    "Divide `x1` by `x2`. Integers and booleans produce floats.",
    "[1, 2], 4",
    "[0.25, 0.5]",
    booleans=lambda x, y: _divided(cast(x, float_type()), cast(y, float_type())),
)
divide = true_divide
floor_divide = _binary(
    "floor_divide",
    primitives.floordiv,
    "Divide `x1` by `x2`, and round down.",
    "[7, -7], 2",
    "[3, -4]",
    booleans=_as(primitives.floordiv, dtypes.int8),
)
mod = _binary(
    "mod",
    primitives.floormod,
    "Compute the remainder of the division, with the sign of `x2`.",
    "[7, -7], 3",
    "[1, 2]",
    booleans=_as(primitives.floormod, dtypes.int8),
)
remainder = mod
power = _binary("power", primitives.pow, "Raise `x1` to the power of `x2`.", "[2, 3], 2", "[4, 9]")
float_power = power
minimum = _binary(
    "minimum",
    primitives.minimum,
    "Compute the smaller one of two numbers.",
    "[1, 4], 2",
    "[1, 2]",
    booleans=primitives.logical_and,
)
arctan2 = _binary(
    "arctan2",
    primitives.atan2,
    "Compute the angle of the point (`x2`, `x1`).",
    "0.0, [1.0]",
    "[0.0]",
)
nextafter = _binary(
    "nextafter",
    primitives.nextafter,
    "Return the next number after `x1` in the direction of `x2`.",
    "[1.0], 1.0",
    "[1.0]",
)
bitwise_and = _binary(
    "bitwise_and",
    primitives.bitwise_and,
    "Compute the bitwise and of integers or booleans.",
    "[5, 6], 4",
    "[4, 4]",
    booleans=_bits(primitives.bitwise_and),
)
bitwise_or = _binary(
    "bitwise_or",
    primitives.bitwise_or,
    "Compute the bitwise or of integers or booleans.",
    "[5, 6], 1",
    "[5, 7]",
    booleans=_bits(primitives.bitwise_or),
)
bitwise_xor = _binary(
    "bitwise_xor",
    primitives.bitwise_xor,
    "Compute the bitwise exclusive or of integers or booleans.",
    "[5, 6], 1",
    "[4, 7]",
    booleans=_bits(primitives.bitwise_xor),
)


@documented("Compute the larger one of two numbers.", "maximum([1, 4], 2)", "[2, 4]", PROMOTED)
def maximum(x1: TensorLike, x2: TensorLike) -> Tensor:
    is_zero = isinstance(x2, int | float) and not isinstance(x2, bool) and x2 == 0
    if is_zero and isinstance(x1, Tensor) and not x1.dtype.is_bool:
        return primitives.relu(x1)
    x, y = promoted(x1, x2)
    return (primitives.logical_or if x.dtype.is_bool else primitives.maximum)(x, y)


@documented(
    "Compute the quotient, rounded down, and the remainder.",
    "tnp.divmod(7, 2)[1].numpy().item()",
    "1",
    "Pair of the results of `floor_divide` and `mod`.",
)
def divmod(x1: TensorLike, x2: TensorLike) -> tuple[Tensor, Tensor]:
    return floor_divide(x1, x2), mod(x1, x2)


@documented(
    "Limit the elements to an interval.",
    "clip([1, 5, 9], 2, 6)",
    "[2, 5, 6]",
    "Tensor of the broadcast shape, with the promoted dtype.",
    a_min="Smallest value, or None.",
    a_max="Largest value, or None.",
)
def clip(a: TensorLike, a_min: TensorLike | None, a_max: TensorLike | None) -> Tensor:
    if a_min is None and a_max is None:
        raise ValueError("Not more than one of `a_min` and `a_max` may be `None`.")
    if a_min is None:
        return minimum(a, a_max)  # type: ignore[arg-type]
    if a_max is None:
        return maximum(a, a_min)
    x, low, high = promoted(a, a_min, a_max)
    return primitives.maximum(low, primitives.minimum(x, high))


@documented(
    "Return 0 where `x1` is negative, 1 where it is positive, and `x2` where it is 0.",
    "heaviside([-1.5, 0.0, 2.0], 0.5)",
    "[0.0, 0.5, 1.0]",
    "Float tensor of the broadcast shape.",
)
def heaviside(x1: TensorLike, x2: TensorLike) -> Tensor:
    x, y = promoted(x1, x2)
    zero = zeros_like(x)
    positive = where(primitives.greater(x, zero), ones_like(y), y)
    found = where(primitives.less(x, zero), zeros_like(y), positive)
    return found if is_inexact(found) else cast(found, float_type())


@documented(
    "Compute the length of the hypotenuse.",
    "tnp.hypot([3.0], [4.0]).numpy().round(3).tolist()",
    "[5.0]",
    "Float tensor of the broadcast shape.",
)
def hypot(x1: TensorLike, x2: TensorLike) -> Tensor:
    return unary.sqrt(add(unary.square(x1), unary.square(x2)))


def _log_of_sum(x1: Any, x2: Any, exponential: Callable[[Any], Tensor], base: float) -> Tensor:
    x, y = promoted(x1, x2)
    difference = x - y
    larger = primitives.maximum(x, y)
    rest = unary.log1p(exponential(-primitives.abs(difference)))
    rest = rest if base == np.e else rest / np.log(base)
    # The difference of infinities of the same sign is NaN.
    total, found = promoted(x + y, add(larger, rest))
    return where(unary.isnan(difference), total, found)


@documented(
    "Compute `log(exp(x1) + exp(x2))` without overflow.",
    "logaddexp([0.0], -float('inf'))",
    "[0.0]",
    "Float tensor of the broadcast shape.",
)
def logaddexp(x1: TensorLike, x2: TensorLike) -> Tensor:
    return _log_of_sum(x1, x2, unary.exp, np.e)


@documented(
    "Compute `log2(2**x1 + 2**x2)` without overflow.",
    "logaddexp2([0.0], -float('inf'))",
    "[0.0]",
    "Float tensor of the broadcast shape.",
)
def logaddexp2(x1: TensorLike, x2: TensorLike) -> Tensor:
    return _log_of_sum(x1, x2, unary.exp2, 2.0)


def _common_divisor(x: Tensor, y: Tensor) -> Tensor:
    """Compute the greatest common divisor by Euclid's algorithm."""
    if not (x.dtype.is_integer and y.dtype.is_integer):
        raise ValueError(f"Arguments to gcd must be integers, got {x.dtype} and {y.dtype}.")
    shape = np.broadcast_shapes(x.aval.shape, y.aval.shape)
    sides = (broadcast_to(primitives.abs(side), shape) for side in (x, y))

    def step(a: Tensor, b: Tensor) -> tuple[Tensor, Tensor]:
        done = primitives.equal(b, zeros_like(b))
        rest = primitives.floormod(a, where(done, ones_like(b), b))  # no division by 0
        return where(done, a, b), where(done, b, rest)

    def is_running(a: Tensor, b: Tensor) -> Tensor:
        return reduce_any(primitives.not_equal(b, zeros_like(b)))

    return while_loop(is_running, step, tuple(sides))[0]


@documented(
    "Compute the greatest common divisor of integers.",
    "gcd([12, 18], 8)",
    "[4, 2]",
    PROMOTED,
)
def gcd(x1: TensorLike, x2: TensorLike) -> Tensor:
    return _common_divisor(*promoted(x1, x2))


@documented(
    "Compute the least common multiple of integers.", "lcm([4, 6], 10)", "[20, 30]", PROMOTED
)
def lcm(x1: TensorLike, x2: TensorLike) -> Tensor:
    x, y = promoted(x1, x2)
    divisor = _common_divisor(x, y)
    is_zero = primitives.equal(divisor, zeros_like(divisor))
    quotient = primitives.floordiv(primitives.abs(y), where(is_zero, ones_like(divisor), divisor))
    return primitives.multiply(primitives.abs(x), quotient)
