"""Batches of matrices: broadcasting, solving, splitting into blocks, and constants."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tfpy._src.base.dtypes import DType, complex64, complex128, float64
from tfpy._src.compiler.ops.families.infer import broadcast_shapes
from tfpy._src.core import nest
from tfpy._src.core.conversion import constant, convert_to_tensor
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import TensorLike
from tfpy._src.tensors.array.joining import concat
from tfpy._src.tensors.array.making import cast, ones
from tfpy._src.tensors.array.reshaping import broadcast_to, reshape
from tfpy._src.tensors.linalg.decompositions import cholesky
from tfpy._src.tensors.linalg.diagonals import diag_part, set_diag
from tfpy._src.tensors.linalg.products import adjoint
from tfpy._src.tensors.linalg.solving import cholesky_solve, solve, triangular_solve
from tfpy._src.tensors.variables.variable import Variable

Sizes = tuple[int, ...]


def kept(value: TensorLike) -> Any:
    """Convert a value to a tensor, but keep a Variable, so that its later values are used."""
    return value if isinstance(value, Variable) else convert_to_tensor(value)


def sizes_of(value: Any) -> Sizes:
    """Return the shape of a tensor or Variable."""
    shape: Sizes = value.aval.shape
    return shape


def broadcast(*shapes: Sequence[int]) -> Sizes:
    """Return the common shape of several shapes.

    Raises:
        ValueError: If the shapes cannot be broadcast together.
    """
    found: Sizes = ()
    for shape in shapes:
        found = broadcast_shapes("linear_operator", found, tuple(shape))
    return found


def batch_of(*matrices: Any) -> Sizes:
    """Return the common batch shape of tensors of matrices."""
    return broadcast(*(sizes_of(x)[:-2] for x in matrices))


def with_batch(x: Any, batch: Sizes) -> Tensor:
    """Broadcast the batch dimensions of matrices."""
    shape = (*batch, *sizes_of(x)[-2:])
    return convert_to_tensor(x) if sizes_of(x) == shape else broadcast_to(x, shape)


def joined(blocks: Sequence[Tensor], axis: int = -2) -> Tensor:
    """Concatenate matrices after broadcasting their batch dimensions."""
    batch = batch_of(*blocks)
    return concat([with_batch(x, batch) for x in blocks], axis)


def joined_vectors(vectors: Sequence[Tensor]) -> Tensor:
    """Concatenate vectors after broadcasting their batch dimensions."""
    return joined([x[..., None] for x in vectors])[..., 0]


def solved(matrix: Tensor, rhs: Tensor, is_adjoint: bool, use_cholesky: Any) -> Tensor:
    """Solve systems of equations, with broadcasting of the batch dimensions."""
    batch = batch_of(matrix, rhs)
    matrix, rhs = with_batch(matrix, batch), with_batch(rhs, batch)
    if use_cholesky:
        return cholesky_solve(cholesky(matrix), rhs)
    return solve(matrix, rhs, adjoint=is_adjoint)


def adjoint_if(condition: bool, x: Any) -> Any:
    """Return the conjugate transposes of matrices if a condition holds, and them otherwise."""
    return adjoint(x) if condition else x


def filled(shape: Sizes, value: float, dtype: DType) -> Tensor:
    """Return a tensor of one value."""
    return ones(shape, dtype) * value if value != 1 else ones(shape, dtype)


def add_to_diagonal(x: Any, numbers: Any) -> Any:
    """Add numbers to the diagonals of matrices, with broadcasting."""
    sums = diag_part(x) + numbers
    batch = broadcast(sizes_of(x)[:-2], sizes_of(sums)[:-1])
    return set_diag(broadcast_to(x, (*batch, *sizes_of(x)[-2:])), sums)


def identities(shape: Sizes, dtype: DType) -> Tensor:
    """Return identity matrices of shape `[..., n, n]`."""
    return broadcast_to(constant(np.eye(shape[-1], dtype=dtype.as_numpy_dtype)), shape)


def to_complex(x: Any) -> Tensor:
    """Convert a tensor to the complex dtype of the same precision."""
    if x.dtype.is_complex:
        return convert_to_tensor(x)
    return cast(x, complex128 if x.dtype == float64 else complex64)


def is_blockwise(sizes: Sequence[int], arg: Any, axis: int) -> bool:
    """Return True if an argument is a list with one tensor for each block.

    Raises:
        ValueError: If the argument is neither such a list nor a nested list of one tensor.
    """
    if not isinstance(arg, list | tuple) or len(arg) != len(sizes):
        return False
    if not any(nest.is_nested(x) for x in arg):
        return True
    given = [sizes_of(convert_to_tensor(x))[axis] for x in arg]
    if given == list(sizes):
        return True
    if len(set(given)) == 1 and given[0] >= sum(sizes):
        return False
    raise ValueError("Input dimension does not match operator dimension.")


def sliced(part: Any, rank: int, keys: tuple[Any, ...], batch: Sizes) -> Tensor:
    """Index the batch dimensions of a tensor whose batch shape broadcasts to another one.

    Args:
        part: Tensor or Variable.
        rank: Number of the last dimensions that are no batch dimensions.
        keys: Integers, slices, `...` and None, one for each batch dimension of `batch`.
        batch: Batch shape to which the keys apply.
    """
    x = convert_to_tensor(part)
    own = x.aval.shape[: x.ndim - rank]
    own = (*(1,) * (len(batch) - len(own)), *own)
    x = reshape(x, (*own, *x.aval.shape[x.ndim - rank :]))
    return x[(*_broadcast_keys(keys, own, batch), *[slice(None)] * rank)]


def _broadcast_keys(keys: tuple[Any, ...], own: Sizes, batch: Sizes) -> tuple[Any, ...]:
    """Return keys for a shape with dimensions of 1 in place of larger ones."""
    taken = sum(key is not None and key is not Ellipsis for key in keys)
    if Ellipsis not in [key for key in keys if isinstance(key, type(Ellipsis))]:
        keys = (*keys, Ellipsis)
    found: list[Any] = []
    at = 0
    for key in keys:
        if key is Ellipsis:
            found += [slice(None)] * (len(batch) - taken)
            at += len(batch) - taken
        elif key is None:
            found.append(key)
        else:
            is_broadcast = own[at] < batch[at]
            found.append(_of_one(key) if is_broadcast else key)
            at += 1
    return tuple(found)


def _of_one(key: Any) -> Any:
    """Return the key of the only element of a dimension."""
    return slice(None) if isinstance(key, slice) else 0


def solved_triangular(matrix: Tensor, rhs: Tensor, is_adjoint: bool) -> Tensor:
    """Solve systems of equations with lower triangular matrices, with broadcasting."""
    batch = batch_of(matrix, rhs)
    return triangular_solve(with_batch(matrix, batch), with_batch(rhs, batch), adjoint=is_adjoint)
