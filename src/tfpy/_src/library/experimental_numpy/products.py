"""Products of vectors, matrices and tensors (`tf.experimental.numpy`)."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfpy._src.base.errors import InvalidArgumentError
from tfpy._src.core import primitives
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import DTypeLike, TensorLike
from tfpy._src.library.experimental_numpy.documented import documented
from tfpy._src.library.experimental_numpy.promotion import as_array, promoted
from tfpy._src.library.experimental_numpy.reductions import sum
from tfpy._src.library.experimental_numpy.shaping import diagonal, moveaxis, ravel
from tfpy._src.tensors.array import complex_numbers, einsum as sums, joining, reshaping
from tfpy._src.tensors.linalg import matrix_functions, products
from tfpy._src.tensors.math import arithmetic

_PROMOTED = "Tensor with the promoted dtype."


@documented(
    "Compute the dot product: the sum over the last axis of `a` and the last but one of `b`.",
    "dot([1, 2], [3, 4])",
    "11",
    _PROMOTED,
)
def dot(a: TensorLike, b: TensorLike) -> Tensor:
    x, y = promoted(a, b)
    if not (x.ndim and y.ndim):
        return primitives.multiply(x, y)
    return products.tensordot(x, y, [[-1], [-1 if y.ndim == 1 else -2]])


@documented(
    "Compute the sum over the last axes of two tensors.", "inner([1, 2], [3, 4])", "11", _PROMOTED
)
def inner(a: TensorLike, b: TensorLike) -> Tensor:
    x, y = promoted(a, b)
    if not (x.ndim and y.ndim):
        return primitives.multiply(x, y)
    return products.tensordot(x, y, [[-1], [-1]])


@documented(
    "Compute the dot product of two flattened tensors. Complex elements of `a` are conjugated.",
    "vdot([[1, 2]], [[3], [4]])",
    "11",
    "Tensor of shape [], with the promoted dtype.",
)
def vdot(a: TensorLike, b: TensorLike) -> Tensor:
    x, y = (ravel(side) for side in promoted(a, b))
    return dot(complex_numbers.conj(x) if x.dtype.is_complex else x, y)


@documented(
    "Compute the products of all pairs of elements of two flattened tensors.",
    "outer([1, 2], [3, 4])",
    "[[3, 4], [6, 8]]",
    "Tensor of rank 2, with the promoted dtype.",
)
def outer(a: TensorLike, b: TensorLike) -> Tensor:
    x, y = promoted(a, b)
    return primitives.multiply(reshaping.reshape(x, [-1, 1]), ravel(y))


@documented(
    "Multiply matrices or vectors, with broadcasting of the leading dimensions.",
    "matmul([[1, 2], [3, 4]], [1, 10])",
    "[21, 43]",
    _PROMOTED,
    x1="Tensor of shape `[..., m, k]` or `[k]`.",
    x2="Tensor of shape `[..., k, n]` or `[k]`.",
)
def matmul(x1: TensorLike, x2: TensorLike) -> Tensor:
    x, y = promoted(x1, x2)
    try:
        if y.ndim == 1:
            return products.tensordot(x, y, 1)
        if x.ndim == 1:
            return products.tensordot(x, y, [[0], [-2]])
        return products.matmul(x, y)
    except InvalidArgumentError as error:
        raise ValueError(str(error)) from None


@documented(
    "Multiply two tensors and sum over the given axes.",
    "tensordot([[1, 2]], [[3], [4]], 1)",
    "[[11]]",
    _PROMOTED,
    axes="Number of axes, or a pair of lists with the axes of `a` and of `b`. Default: 2.",
)
def tensordot(a: TensorLike, b: TensorLike, axes: Any = 2) -> Tensor:
    x, y = promoted(a, b)
    return products.tensordot(x, y, axes)


@documented(
    "Compute the Kronecker product.",
    "kron([1, 10], [1, 2])",
    "[1, 2, 10, 20]",
    _PROMOTED,
)
def kron(a: TensorLike, b: TensorLike) -> Tensor:
    x, y = promoted(a, b)
    rank = max(x.ndim, y.ndim)
    left, right = ([1] * (rank - side.ndim) + [*side.aval.shape] for side in (x, y))
    spread_left = [n for size in left for n in (size, 1)]
    spread_right = [n for size in right for n in (1, size)]
    pairs = primitives.multiply(
        reshaping.reshape(x, spread_left), reshaping.reshape(y, spread_right)
    )
    return reshaping.reshape(pairs, [m * n for m, n in zip(left, right, strict=True)])


@documented(
    "Compute the cross product of vectors with 2 or 3 components.",
    "cross([1, 0, 0], [0, 1, 0])",
    "[0, 0, 1]",
    "Tensor of vectors, or of the third components if all vectors have 2 components.",
    axisa="Axis of the components of `a`. Default: -1.",
    axisb="Axis of the components of `b`. Default: -1.",
    axisc="Axis of the components of the result. Default: -1.",
    axis="Axis of the components of all tensors, instead of the other arguments.",
)
def cross(
    a: TensorLike,
    b: TensorLike,
    axisa: int = -1,
    axisb: int = -1,
    axisc: int = -1,
    axis: int | None = None,
) -> Tensor:
    x, y = promoted(a, b)
    if axis is not None:
        axisa = axisb = axisc = axis
    x, y = moveaxis(x, axisa, -1), moveaxis(y, axisb, -1)
    are_flat = x.aval.shape[-1] == 2 == y.aval.shape[-1]
    x, y = _with_three_components(x), _with_three_components(y)
    shape = np.broadcast_shapes(x.aval.shape, y.aval.shape)
    found = products.cross(reshaping.broadcast_to(x, shape), reshaping.broadcast_to(y, shape))
    return found[..., 2] if are_flat else moveaxis(found, -1, axisc)


def _with_three_components(x: Tensor) -> Tensor:
    if x.aval.shape[-1] != 2:
        return x
    return joining.pad(x, [[0, 0]] * (x.ndim - 1) + [[0, 1]])


@documented(
    "Evaluate a polynomial.",
    "polyval([1, 0, 2], 3)",
    "11",
    "Tensor of the shape of `x`.",
    p="Coefficients, beginning with that of the highest power.",
    x="Tensor of positions.",
)
def polyval(p: TensorLike, x: TensorLike) -> Tensor:
    coefficients, at = promoted(p, x)
    rows = joining.unstack(
        reshaping.reshape(coefficients, [1]) if not coefficients.ndim else coefficients
    )
    found = arithmetic.polyval([*rows], at)
    return reshaping.broadcast_to(found, reshaping.shape(at)) if len(rows) == 1 else found


@documented(
    "Compute the sum of a diagonal of the matrices that two axes span.",
    "trace([[1, 2], [3, 4]])",
    "5",
    "Tensor without the two axes.",
    offset="Number of the diagonal. 0 is the main diagonal, and positive numbers are above it.",
)
def trace(
    a: TensorLike,
    offset: int = 0,
    axis1: int = 0,
    axis2: int = 1,
    dtype: DTypeLike | None = None,
) -> Tensor:
    x = as_array(a, dtype)
    last_two = (axis1 % x.ndim, axis2 % x.ndim) == (x.ndim - 2, x.ndim - 1)
    if offset == 0 and last_two:
        return matrix_functions.trace(x)
    return sum(diagonal(x, offset, axis1, axis2), -1, dtype)


@documented(
    "Compute sums of products in Einstein's notation.",
    "einsum('ij,j->i', [[1, 2], [3, 4]], [1, 10])",
    "[21, 43]",
    _PROMOTED,
    subscripts="Equation with a letter for each axis.",
    operands="Tensors, arrays or nested lists.",
    kwargs='`casting`: `"safe"` (default) promotes the operands, `"no"` requires equal dtypes. '
    "`optimize` does not change the result.",
)
def einsum(subscripts: str, *operands: TensorLike, **kwargs: Any) -> Tensor:
    casting = kwargs.get("casting", "safe")
    if casting not in ("safe", "no"):
        raise ValueError(
            'Invalid value for argument `casting`. Expected casting="safe" or casting="no". '
            f"Received: casting={casting}"
        )
    optimize = kwargs.get("optimize", False)
    if optimize and optimize is not True and optimize not in ("greedy", "optimal"):
        raise ValueError(
            'Invalid value for argument `optimize`. Expected one of {True, "greedy", "optimal"}. '
            f"Received: optimize={optimize}"
        )
    values = promoted(*operands) if casting == "safe" else [as_array(x) for x in operands]
    return sums.einsum(subscripts, *values)
