"""Systems of linear equations: ``tf.linalg.solve`` and its relatives."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfpy._src.backends.registry import storable
from tfpy._src.base.errors import invalid
from tfpy._src.compiler.ops import decomposition as dec
from tfpy._src.core.conversion import as_tensors, constant, convert_to_tensor
from tfpy._src.core.tensor import Tensor
from tfpy._src.tensors.array.making import cast
from tfpy._src.tensors.array.reshaping import broadcast_to
from tfpy._src.tensors.array.slicing import take
from tfpy._src.tensors.linalg.decompositions import pinv, single
from tfpy._src.tensors.linalg.products import adjoint


def _identity(x: Tensor) -> Tensor:
    """Identity matrices in the shape of ``x``."""
    eye = np.eye(x.aval.shape[-2], x.aval.shape[-1], dtype=x.dtype.as_numpy_dtype)
    return broadcast_to(constant(eye), x.aval.shape)


def _square(op: str, x: Tensor) -> None:
    if x.ndim < 2:
        raise invalid(op, f"Shape must be at least rank 2 but is rank {x.ndim}")
    if x.aval.shape[-1] != x.aval.shape[-2]:
        raise invalid(op, f"Input matrix must be square, got: {list(x.aval.shape)}")


def inv(input: Any, adjoint: bool = False, name: str | None = None) -> Tensor:
    """Inverses of square matrices, or of their adjoints.

    Raises:
        InvalidArgumentError: when a matrix is not square or not invertible.

    Example:
        >>> import tfpy as tf
        >>> tf.linalg.inv([[2.0, 0.0], [0.0, 4.0]]).numpy().tolist()
        [[0.5, 0.0], [0.0, 0.25]]
    """
    given = convert_to_tensor(input)
    x = single(given)
    _square("inv", x)
    return cast(solve(x, _identity(x), adjoint), given.dtype)


def solve(matrix: Any, rhs: Any, adjoint: bool = False, name: str | None = None) -> Tensor:
    """x of matrix @ x = rhs, or of adjoint(matrix) @ x = rhs.

    Raises:
        InvalidArgumentError: when shapes do not fit or a matrix is not invertible.

    Example:
        >>> import tfpy as tf
        >>> tf.linalg.solve([[2.0, 0.0], [1.0, 1.0]], [[4.0], [5.0]]).numpy().round(3).tolist()
        [[2.0], [3.0]]
    """
    a, b = as_tensors(dec.matrix_solve, (matrix, rhs))
    return dec.matrix_solve(_adjoint(a) if adjoint else a, b)


_adjoint = adjoint


def triangular_solve(
    matrix: Any, rhs: Any, lower: bool = True, adjoint: bool = False, name: str | None = None
) -> Tensor:
    """x of matrix @ x = rhs, of whose matrix only one triangle is read.

    Raises:
        InvalidArgumentError: when shapes do not fit.

    Example:
        >>> import tfpy as tf
        >>> tf.linalg.triangular_solve([[2.0, 0.0], [1.0, 1.0]], [[4.0], [5.0]]).numpy().tolist()
        [[2.0], [3.0]]
    """
    a, b = as_tensors(dec.triangular_solve, (matrix, rhs))
    if adjoint:
        return dec.triangular_solve(_adjoint(a), b, lower=not lower)
    return dec.triangular_solve(a, b, lower=bool(lower))


def cholesky_solve(chol: Any, rhs: Any, name: str | None = None) -> Tensor:
    """x of (chol @ adjoint(chol)) @ x = rhs for a Cholesky factor.

    Example:
        >>> import tfpy as tf
        >>> chol = tf.linalg.cholesky([[4.0, 0.0], [0.0, 9.0]])
        >>> tf.linalg.cholesky_solve(chol, [[8.0], [9.0]]).numpy().round(3).tolist()
        [[2.0], [1.0]]
    """
    return triangular_solve(chol, triangular_solve(chol, rhs), adjoint=True)


def lstsq(
    matrix: Any, rhs: Any, l2_regularizer: Any = 0.0, fast: bool = True, name: str | None = None
) -> Tensor:
    """The x that minimises ``|matrix @ x - rhs|**2 + l2_regularizer * |x|**2``.

    With fewer rows than columns, and no regularizer, the shortest x of matrix @ x = rhs.

    Args:
        fast: by normal equations, which takes full rank; else by singular values, without a
            regularizer.

    Raises:
        InvalidArgumentError: for a matrix or right side of fewer than two dimensions, or of other
            outer dimensions where ``fast`` is False.

    Example:
        >>> import tfpy as tf
        >>> x = tf.constant([[1.0, 0.0], [1.0, 1.0], [1.0, 2.0]])
        >>> y = tf.constant([[1.0], [3.0], [5.0]])
        >>> tf.linalg.lstsq(x, y).numpy().round(2).tolist()
        [[1.0], [2.0]]
    """
    a, b = as_tensors(dec.matrix_solve, (matrix, rhs))
    if min(a.ndim, b.ndim) < 2:
        raise invalid(
            "lstsq",
            f"matrix {list(a.aval.shape)} and rhs {list(b.aval.shape)} must be at least matrices",
        )
    if not fast:
        if a.aval.shape[:-2] != b.aval.shape[:-2]:
            raise invalid(
                "lstsq",
                f"matrix {list(a.aval.shape)} and rhs {list(b.aval.shape)} must have one batch "
                "where fast is False",
            )
        return pinv(a, storable(EPSILON_OF_RANK)) @ b
    rows, columns = a.aval.shape[-2:]
    turned = adjoint(a)
    gram = turned @ a if rows >= columns else a @ turned
    if l2_regularizer:
        gram = gram + _identity(gram) * l2_regularizer
    factor = dec.cholesky(gram)
    if rows >= columns:
        return cholesky_solve(factor, turned @ b)
    return turned @ cholesky_solve(factor, b)


EPSILON_OF_RANK = 1e-6
"""Relative size below which ``lstsq(fast=False)`` takes a singular value for 0."""


# With the factors of lu


def _permuted(x: Tensor, order: Tensor) -> Tensor:
    """Rows of each matrix in the order that its permutation says."""
    batch = order.ndim - 1
    lead = order.aval.shape[:-1]
    wide = (
        x
        if tuple(x.aval.shape[:-2]) == tuple(lead)
        else broadcast_to(x, (*lead, *x.aval.shape[-2:]))
    )
    return take(wide, order, axis=batch, batch_dims=batch)


def _factors(lower_upper: Tensor) -> tuple[Tensor, Tensor]:
    n = lower_upper.aval.shape[-1]
    below = np.tri(n, n, -1).astype(lower_upper.dtype.as_numpy_dtype)
    return lower_upper * below + _identity(lower_upper), lower_upper * (1 - below)


def lu_solve(
    lower_upper: Any, perm: Any, rhs: Any, validate_args: bool = False, name: str | None = None
) -> Tensor:
    """x of matrix @ x = rhs from the results of ``lu(matrix)``.

    Args:
        perm: the order of rows that :func:`lu` gives, int32 ``[..., n]``.

    Example:
        >>> import tfpy as tf
        >>> lu, p = tf.linalg.lu([[0.0, 2.0], [4.0, 0.0]])
        >>> tf.linalg.lu_solve(lu, p, rhs=[[6.0], [8.0]]).numpy().tolist()
        [[2.0], [3.0]]
    """
    packed, b = as_tensors(dec.matrix_solve, (lower_upper, rhs))
    unit, upper = _factors(packed)
    ordered = _permuted(b, convert_to_tensor(perm))
    return triangular_solve(upper, triangular_solve(unit, ordered), lower=False)


def lu_reconstruct(
    lower_upper: Any, perm: Any, validate_args: bool = False, name: str | None = None
) -> Tensor:
    """The matrix of which ``lu`` gave these results.

    Args:
        perm: the order of rows that :func:`lu` gives, int32 ``[..., n]``.

    Example:
        >>> import tfpy as tf
        >>> tf.linalg.lu_reconstruct(*tf.linalg.lu([[1.0, 2.0], [4.0, 4.0]])).numpy().tolist()
        [[1.0, 2.0], [4.0, 4.0]]
    """
    unit, upper = _factors(convert_to_tensor(lower_upper))
    order = convert_to_tensor(perm)
    places = np.argsort(order.host_view(), axis=-1).astype(np.int32)
    return _permuted(unit @ upper, constant(places))


def lu_matrix_inverse(
    lower_upper: Any, perm: Any, validate_args: bool = False, name: str | None = None
) -> Tensor:
    """The inverse of the matrix of which ``lu`` gave these results.

    Args:
        perm: the order of rows that :func:`lu` gives, int32 ``[..., n]``.

    Example:
        >>> import tfpy as tf
        >>> tf.linalg.lu_matrix_inverse(*tf.linalg.lu([[0.0, 2.0], [4.0, 0.0]])).numpy().tolist()
        [[0.0, 0.25], [0.5, 0.0]]
    """
    packed = convert_to_tensor(lower_upper)
    return lu_solve(packed, perm, _identity(packed))
