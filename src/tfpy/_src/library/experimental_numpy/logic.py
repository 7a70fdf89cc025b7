"""Comparisons and logical functions of two tensors (`tf.experimental.numpy`)."""

from __future__ import annotations

from tfpy._src.base import dtypes
from tfpy._src.core import primitives
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import TensorLike
from tfpy._src.library.experimental_numpy.binary import Binary, Op, named
from tfpy._src.library.experimental_numpy.documented import documented
from tfpy._src.library.experimental_numpy.promotion import (
    as_array,
    is_inexact,
    promoted,
)
from tfpy._src.tensors.array.making import cast
from tfpy._src.tensors.math.reductions import reduce_all

BOOLEAN = "Bool tensor of the broadcast shape."


def _comparison(
    name: str, op: Op, summary: str, example: str, prints: str, ordered: bool
) -> Binary:
    """Return a comparison. If it needs an order, booleans are compared as integers."""

    def function(x1: TensorLike, x2: TensorLike) -> Tensor:
        x, y = promoted(x1, x2)
        if ordered and x.dtype.is_bool:
            x, y = cast(x, dtypes.int32), cast(y, dtypes.int32)
        return op(x, y)

    return named(function, name, summary, example, prints, BOOLEAN)


def _logical(name: str, op: Op, summary: str, example: str, prints: str) -> Binary:
    def function(x1: TensorLike, x2: TensorLike) -> Tensor:
        return op(as_array(x1, dtypes.bool), as_array(x2, dtypes.bool))

    return named(function, name, summary, example, prints, BOOLEAN)


equal = _comparison(
    "equal", primitives.equal, "Return `x1 == x2`.", "[1, 2], 2.0", "[False, True]", False
)
not_equal = _comparison(
    "not_equal", primitives.not_equal, "Return `x1 != x2`.", "[1, 2], 2.0", "[True, False]", False
)
greater = _comparison(
    "greater", primitives.greater, "Return `x1 > x2`.", "[1, 2], 1.5", "[False, True]", True
)
greater_equal = _comparison(
    "greater_equal",
    primitives.greater_equal,
    "Return `x1 >= x2`.",
    "[1, 2], 1.5",
    "[False, True]",
    True,
)
less = _comparison(
    "less", primitives.less, "Return `x1 < x2`.", "[1, 2], 1.5", "[True, False]", True
)
less_equal = _comparison(
    "less_equal", primitives.less_equal, "Return `x1 <= x2`.", "[1, 2], 1.5", "[True, False]", True
)

logical_and = _logical(
    "logical_and",
    primitives.logical_and,
    "Return True if both are true.",
    "[0, 2], [1, 1]",
    "[False, True]",
)
logical_or = _logical(
    "logical_or",
    primitives.logical_or,
    "Return True if one is true.",
    "[0, 2], [0, 1]",
    "[False, True]",
)
logical_xor = _logical(
    "logical_xor",
    primitives.logical_xor,
    "Return True if exactly one is true.",
    "[0, 2], [1, 1]",
    "[True, False]",
)


@documented(
    "Return True where two tensors are nearly equal. Integers and booleans must be equal.",
    "isclose([1.0, 2.0], [1.000001, 2.1])",
    "[True, False]",
    BOOLEAN,
    rtol="Tolerance relative to `b`. Default: 1e-5.",
    atol="Absolute tolerance. Default: 1e-8.",
    equal_nan="If True, NaN is equal to NaN. Default: False.",
)
def isclose(
    a: TensorLike,
    b: TensorLike,
    rtol: float = 1e-05,
    atol: float = 1e-08,
    equal_nan: bool = False,
) -> Tensor:
    x, y = promoted(a, b)
    if not is_inexact(x):
        return primitives.equal(x, y)
    distance = primitives.abs(primitives.subtract(x, y))
    found = primitives.less_equal(distance, atol + rtol * primitives.abs(y))
    if equal_nan:
        both = primitives.logical_and(primitives.is_nan(x), primitives.is_nan(y))
        found = primitives.logical_or(found, both)
    return found


@documented(
    "Return True if two tensors are nearly equal.",
    "allclose([1.0, 2.0], [1.0, 2.1])",
    "False",
    "Bool tensor of shape [].",
    rtol="Tolerance relative to `b`. Default: 1e-5.",
    atol="Absolute tolerance. Default: 1e-8.",
    equal_nan="If True, NaN is equal to NaN. Default: False.",
)
def allclose(
    a: TensorLike,
    b: TensorLike,
    rtol: float = 1e-05,
    atol: float = 1e-08,
    equal_nan: bool = False,
) -> Tensor:
    return reduce_all(isclose(a, b, rtol, atol, equal_nan))


@documented(
    "Return True if two tensors have the same shape and elements.",
    "array_equal([1, 2], [1.0, 2.0])",
    "True",
    "Bool tensor of shape [].",
    a1="Tensor, array, number or nested list.",
    a2="Tensor, array, number or nested list.",
)
def array_equal(a1: TensorLike, a2: TensorLike) -> Tensor:
    x, y = promoted(a1, a2)
    if x.aval.shape != y.aval.shape:
        return as_array(False)
    return reduce_all(primitives.equal(x, y))
