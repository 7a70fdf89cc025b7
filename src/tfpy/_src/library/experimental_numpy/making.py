"""Functions that make tensors (`tf.experimental.numpy`)."""

from __future__ import annotations

import numpy as np

from tfpy._src.base import dtypes
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import DTypeLike, ShapeLike, TensorLike
from tfpy._src.library.experimental_numpy.documented import documented
from tfpy._src.library.experimental_numpy.promotion import (
    as_array,
    float_type,
    new_type,
    result_type,
)
from tfpy._src.tensors.array import making, reshaping, slicing

_LIKE = "Tensor of the shape of `a`."
_FLOAT64 = "Dtype of the result. Default: float64."
_OF_A = "Dtype of the result. Default: the dtype of `a`."


@documented(
    "Return a tensor of zeros.",
    "zeros([2, 2])",
    "[[0.0, 0.0], [0.0, 0.0]]",
    "Tensor of zeros.",
    dtype=_FLOAT64,
)
def zeros(shape: ShapeLike, dtype: DTypeLike | None = float) -> Tensor:
    return making.zeros(shape, new_type(dtype))


@documented(
    "Return a tensor of ones.",
    "ones([2, 2])",
    "[[1.0, 1.0], [1.0, 1.0]]",
    "Tensor of ones.",
    dtype=_FLOAT64,
)
def ones(shape: ShapeLike, dtype: DTypeLike | None = float) -> Tensor:
    return making.ones(shape, new_type(dtype))


@documented(
    "Return a tensor of zeros. Tensors always have values.",
    "empty([2])",
    "[0.0, 0.0]",
    "Tensor of zeros.",
    dtype=_FLOAT64,
)
def empty(shape: ShapeLike, dtype: DTypeLike | None = float) -> Tensor:
    return zeros(shape, dtype)


@documented(
    "Return zeros in the shape of a tensor.", "zeros_like([7, 8])", "[0, 0]", _LIKE, dtype=_OF_A
)
def zeros_like(a: TensorLike, dtype: DTypeLike | None = None) -> Tensor:
    return making.zeros_like(as_array(a, dtype))


@documented(
    "Return zeros in the shape of a tensor.", "empty_like([7, 8])", "[0, 0]", _LIKE, dtype=_OF_A
)
def empty_like(a: TensorLike, dtype: DTypeLike | None = None) -> Tensor:
    return zeros_like(a, dtype)


@documented(
    "Return ones in the shape of a tensor.", "ones_like([7, 8])", "[1, 1]", _LIKE, dtype=_OF_A
)
def ones_like(a: TensorLike, dtype: DTypeLike | None = None) -> Tensor:
    return making.ones_like(as_array(a, dtype))


@documented(
    "Return a tensor in which all elements have the same value.",
    "full([2], 7)",
    "[7, 7]",
    "Tensor of shape `shape`.",
    fill_value="Number, or tensor that is broadcast to `shape`.",
    dtype="Dtype of the result. Default: the dtype of `fill_value`.",
)
def full(shape: ShapeLike, fill_value: TensorLike, dtype: DTypeLike | None = None) -> Tensor:
    sizes = (
        shape if isinstance(shape, Tensor) else convert_to_tensor(shape, dtype_hint=dtypes.int32)
    )
    return reshaping.broadcast_to(as_array(fill_value, dtype), reshaping.reshape(sizes, [-1]))


@documented(
    "Return a tensor of the same shape in which all elements have the same value.",
    "full_like([1, 2], 7)",
    "[7, 7]",
    _LIKE,
    fill_value="Number, or tensor that is broadcast to the shape of `a`.",
    dtype=_OF_A,
    order='Must be `"K"`.',
    subok="Must be True.",
    shape="Must be None.",
)
def full_like(
    a: TensorLike,
    fill_value: TensorLike,
    dtype: DTypeLike | None = None,
    order: str = "K",
    subok: bool = True,
    shape: ShapeLike | None = None,
) -> Tensor:
    if order != "K":
        raise ValueError(f"full_like: `order` must be 'K', got {order!r}.")
    if not subok:
        raise ValueError(f"full_like: `subok` must be True, got {subok!r}.")
    if shape:
        raise ValueError(f"full_like: `shape` must be None, got {shape!r}.")
    x = as_array(a)
    value = as_array(fill_value, dtype or x.dtype)
    return reshaping.broadcast_to(value, reshaping.shape(x))


@documented(
    "Return a matrix with ones on a diagonal.",
    "eye(2)",
    "[[1.0, 0.0], [0.0, 1.0]]",
    "Tensor of shape [N, M].",
    N="Number of rows.",
    M="Number of columns. Default: `N`.",
    dtype=_FLOAT64,
)
def eye(N: int, M: int | None = None, k: int = 0, dtype: DTypeLike | None = float) -> Tensor:  # noqa: N803
    rows, columns, number = int(N), int(M or N), int(k)
    return convert_to_tensor(np.eye(rows, columns, number, new_type(dtype).as_numpy_dtype))


@documented(
    "Return an identity matrix.",
    "identity(2)",
    "[[1.0, 0.0], [0.0, 1.0]]",
    "Tensor of shape [n, n].",
    n="Number of rows and columns.",
    dtype=_FLOAT64,
)
def identity(n: int, dtype: DTypeLike | None = float) -> Tensor:
    return eye(n, n, dtype=dtype)


@documented(
    "Return a matrix with ones at and below a diagonal, and zeros above it.",
    "tri(2)",
    "[[1.0, 0.0], [1.0, 1.0]]",
    "Tensor of shape [N, M].",
    N="Number of rows.",
    M="Number of columns. Default: `N`.",
    dtype=_FLOAT64,
)
def tri(N: int, M: int | None = None, k: int = 0, dtype: DTypeLike | None = None) -> Tensor:  # noqa: N803
    kind = float_type() if dtype is None else result_type(dtype)
    return convert_to_tensor(np.tri(N, N if M is None else M, k, kind.as_numpy_dtype))


def _triangle(m: TensorLike, k: int, name: str) -> tuple[Tensor, Tensor]:
    """Return a tensor, and a mask of the elements at and below a diagonal of its matrices."""
    x = as_array(m)
    if x.ndim < 2:
        raise ValueError(f"Argument to {name} must have rank at least 2, got shape {x.shape}.")
    rows, columns = x.aval.shape[-2:]
    return x, reshaping.broadcast_to(tri(rows, columns, k, bool), reshaping.shape(x))


@documented(
    "Replace the elements above a diagonal by zeros.",
    "tril([[1, 2], [3, 4]])",
    "[[1, 0], [3, 4]]",
    "Tensor of the shape and dtype of `m`.",
)
def tril(m: TensorLike, k: int = 0) -> Tensor:
    x, mask = _triangle(m, k, "tril")
    return slicing.where(mask, x, making.zeros_like(x))


@documented(
    "Replace the elements below a diagonal by zeros.",
    "triu([[1, 2], [3, 4]])",
    "[[1, 2], [0, 4]]",
    "Tensor of the shape and dtype of `m`.",
)
def triu(m: TensorLike, k: int = 0) -> Tensor:
    x, mask = _triangle(m, k - 1, "triu")
    return slicing.where(mask, making.zeros_like(x), x)


@documented(
    "Convert a value to a tensor, with NumPy's dtypes for Python numbers.",
    "array([1, 2.5])",
    "[1.0, 2.5]",
    "Tensor.",
    ndmin="Smallest number of dimensions. Axes of size 1 are added in front. Default: 0.",
)
def array(
    val: TensorLike, dtype: DTypeLike | None = None, copy: bool = True, ndmin: int = 0
) -> Tensor:
    x = as_array(val, dtype)
    if ndmin > 32:
        raise ValueError(f"array: `ndmin` must be at most 32, got {ndmin}.")
    missing = ndmin - x.ndim
    return reshaping.reshape(x, [1] * missing + [*x.aval.shape]) if missing > 0 else x


@documented(
    "Convert a value to a tensor, like `array`.", "asarray([1, 2.5])", "[1.0, 2.5]", "Tensor."
)
def asarray(a: TensorLike, dtype: DTypeLike | None = None) -> Tensor:
    return as_array(a, dtype)


@documented(
    "Convert a value to a tensor, like `array`.", "asanyarray([1, 2.5])", "[1.0, 2.5]", "Tensor."
)
def asanyarray(a: TensorLike, dtype: DTypeLike | None = None) -> Tensor:
    return as_array(a, dtype)


@documented(
    "Convert a value to a tensor of at least one dimension.",
    "ascontiguousarray(1)",
    "[1]",
    "Tensor.",
)
def ascontiguousarray(a: TensorLike, dtype: DTypeLike | None = None) -> Tensor:
    return array(a, dtype, ndmin=1)


@documented("Return a tensor with the same values.", "copy([1, 2])", "[1, 2]", "Tensor.")
def copy(a: TensorLike) -> Tensor:
    return reshaping.identity(as_array(a))
