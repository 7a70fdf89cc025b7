"""Systems of linear equations: `tf.linalg.solve` and related functions."""

from __future__ import annotations

import numpy as np

from tfpy._src.backends.registry import storable
from tfpy._src.base.errors import invalid
from tfpy._src.compiler.ops import decomposition as dec
from tfpy._src.core.conversion import as_tensors, constant, convert_to_tensor
from tfpy._src.core.dispatch import dispatchable
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import FloatLike, TensorLike
from tfpy._src.tensors.array.making import cast
from tfpy._src.tensors.array.reshaping import broadcast_to
from tfpy._src.tensors.array.slicing import take
from tfpy._src.tensors.linalg.decompositions import pinv, single
from tfpy._src.tensors.linalg.products import adjoint


def _identity(x: Tensor) -> Tensor:
    """Return identity matrices with the shape of `x`."""
    eye = np.eye(x.aval.shape[-2], x.aval.shape[-1], dtype=x.dtype.as_numpy_dtype)
    return broadcast_to(constant(eye), x.aval.shape)


def _square(op: str, x: Tensor) -> None:
    """Check that the matrices are square."""
    if x.ndim < 2:
        raise invalid(op, f"Shape must be at least rank 2 but is rank {x.ndim}")
    if x.aval.shape[-1] != x.aval.shape[-2]:
        raise invalid(op, f"Input matrix must be square, got: {list(x.aval.shape)}")


@dispatchable
def inv(input: TensorLike, adjoint: bool = False, name: str | None = None) -> Tensor:
    """Compute the inverses of square matrices.

    Args:
        input: Float or complex tensor of shape `[..., n, n]`.
        adjoint: If True, compute the inverses of the conjugate transposes instead.

    Returns:
        Tensor with the shape and dtype of `input`.

    Raises:
        tf.errors.InvalidArgumentError: If a matrix is not square or not invertible.

    Example:
        >>> import tfpy as tf
        >>> tf.linalg.inv([[2.0, 0.0], [0.0, 4.0]]).numpy().tolist()
        [[0.5, 0.0], [0.0, 0.25]]

    See also: `tf.linalg.solve`, `tf.linalg.pinv`.
    """
    given = convert_to_tensor(input)
    x = single(given)
    _square("inv", x)
    return cast(solve(x, _identity(x), adjoint), given.dtype)


@dispatchable
def solve(
    matrix: TensorLike, rhs: TensorLike, adjoint: bool = False, name: str | None = None
) -> Tensor:
    """Solve the systems of linear equations `matrix @ x = rhs`.

    Args:
        matrix: Float or complex tensor of shape `[..., n, n]`.
        rhs: Tensor of shape `[..., n, m]`, with the dtype of `matrix`.
        adjoint: If True, solve `adjoint(matrix) @ x = rhs` with the conjugate transposes instead.

    Returns:
        Solutions `x`, a tensor of shape `[..., n, m]`.

    Raises:
        tf.errors.InvalidArgumentError: If the shapes do not match, or a matrix is not invertible.

    Example:
        >>> import tfpy as tf
        >>> tf.linalg.solve([[2.0, 0.0], [1.0, 1.0]], [[4.0], [5.0]]).numpy().round(3).tolist()
        [[2.0], [3.0]]

    See also: `tf.linalg.triangular_solve`, `tf.linalg.lstsq`, `tf.linalg.inv`.
    """
    a, b = as_tensors(dec.matrix_solve, (matrix, rhs))
    return dec.matrix_solve(_adjoint(a) if adjoint else a, b)


_adjoint = adjoint


def triangular_solve(
    matrix: TensorLike,
    rhs: TensorLike,
    lower: bool = True,
    adjoint: bool = False,
    name: str | None = None,
) -> Tensor:
    """Solve the systems of linear equations `matrix @ x = rhs` with triangular matrices.

    Args:
        matrix: Float or complex tensor of shape `[..., n, n]`. Only the triangle that `lower`
            selects is read.
        rhs: Tensor of shape `[..., n, m]`, with the dtype of `matrix`.
        lower: If True, the matrices are lower triangular. If False, they are upper triangular.
        adjoint: If True, solve `adjoint(matrix) @ x = rhs` with the conjugate transposes instead.

    Returns:
        Solutions `x`, a tensor of shape `[..., n, m]`.

    Raises:
        tf.errors.InvalidArgumentError: If the shapes do not match.

    Example:
        >>> import tfpy as tf
        >>> tf.linalg.triangular_solve([[2.0, 0.0], [1.0, 1.0]], [[4.0], [5.0]]).numpy().tolist()
        [[2.0], [3.0]]

    See also: `tf.linalg.solve`, `tf.linalg.cholesky_solve`.
    """
    a, b = as_tensors(dec.triangular_solve, (matrix, rhs))
    if adjoint:
        return dec.triangular_solve(_adjoint(a), b, lower=not lower)
    return dec.triangular_solve(a, b, lower=bool(lower))


def cholesky_solve(chol: TensorLike, rhs: TensorLike, name: str | None = None) -> Tensor:
    """Solve systems of linear equations whose matrices are given by their Cholesky factors.

    Args:
        chol: Result of `tf.linalg.cholesky`, a tensor of shape `[..., n, n]`.
        rhs: Tensor of shape `[..., n, m]`, with the dtype of `chol`.

    Returns:
        Solutions `x` of `chol @ adjoint(chol) @ x = rhs`, a tensor of shape `[..., n, m]`.

    Raises:
        tf.errors.InvalidArgumentError: If the shapes do not match.

    Example:
        >>> import tfpy as tf
        >>> chol = tf.linalg.cholesky([[4.0, 0.0], [0.0, 9.0]])
        >>> tf.linalg.cholesky_solve(chol, [[8.0], [9.0]]).numpy().round(3).tolist()
        [[2.0], [1.0]]

    See also: `tf.linalg.cholesky`, `tf.linalg.solve`.
    """
    return triangular_solve(chol, triangular_solve(chol, rhs), adjoint=True)


def lstsq(
    matrix: TensorLike,
    rhs: TensorLike,
    l2_regularizer: FloatLike = 0.0,
    fast: bool = True,
    name: str | None = None,
) -> Tensor:
    """Solve linear least-squares problems.

    The result `x` minimizes `|matrix @ x - rhs|**2 + l2_regularizer * |x|**2`. If the matrix has
    fewer rows than columns and `l2_regularizer` is 0, `x` is the solution of `matrix @ x = rhs`
    with the smallest norm.

    Args:
        matrix: Float or complex tensor of shape `[..., m, n]`.
        rhs: Tensor of shape `[..., m, k]`, with the dtype of `matrix`.
        l2_regularizer: Weight of the regularization, a scalar. Has no effect if `fast` is False.
        fast: If True, solve the normal equations, which requires matrices of full rank. If False,
            use the singular value decomposition, which is slower and also supports other matrices.

    Returns:
        Solutions `x`, a tensor of shape `[..., n, k]`.

    Raises:
        tf.errors.InvalidArgumentError: If an operand has fewer than two dimensions, or the batch
            dimensions differ and `fast` is False.

    Example:
        >>> import tfpy as tf
        >>> x = tf.constant([[1.0, 0.0], [1.0, 1.0], [1.0, 2.0]])
        >>> y = tf.constant([[1.0], [3.0], [5.0]])
        >>> tf.linalg.lstsq(x, y).numpy().round(2).tolist()
        [[1.0], [2.0]]

    See also: `tf.linalg.solve`, `tf.linalg.pinv`.
    """
    a, b = as_tensors(dec.matrix_solve, (matrix, rhs))
    if min(a.ndim, b.ndim) < 2:
        raise invalid(
            "lstsq",
            f"matrix {list(a.aval.shape)} and rhs {list(b.aval.shape)} must have at least two "
            "dimensions",
        )
    if not fast:
        if a.aval.shape[:-2] != b.aval.shape[:-2]:
            raise invalid(
                "lstsq",
                f"matrix {list(a.aval.shape)} and rhs {list(b.aval.shape)} must have the same "
                "batch dimensions if fast is False",
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
"""Relative size below which `lstsq(fast=False)` treats a singular value as 0."""


# Functions of the factors of an LU decomposition.


def _permuted(x: Tensor, order: Tensor) -> Tensor:
    """Return the rows of each matrix in the order of its permutation."""
    batch = order.ndim - 1
    lead = order.aval.shape[:-1]
    wide = (
        x
        if tuple(x.aval.shape[:-2]) == tuple(lead)
        else broadcast_to(x, (*lead, *x.aval.shape[-2:]))
    )
    return take(wide, order, axis=batch, batch_dims=batch)


def _factors(lower_upper: Tensor) -> tuple[Tensor, Tensor]:
    """Return the lower and upper triangular factors."""
    n = lower_upper.aval.shape[-1]
    below = np.tri(n, n, -1).astype(lower_upper.dtype.as_numpy_dtype)
    return lower_upper * below + _identity(lower_upper), lower_upper * (1 - below)


def lu_solve(
    lower_upper: TensorLike,
    perm: TensorLike,
    rhs: TensorLike,
    validate_args: bool = False,
    name: str | None = None,
) -> Tensor:
    """Solve systems of linear equations whose matrices are given by their LU decomposition.

    Args:
        lower_upper: Both factors as `tf.linalg.lu` returns them, a tensor of shape `[..., n, n]`.
        perm: Permutation as `tf.linalg.lu` returns it, an integer tensor of shape `[..., n]`.
        rhs: Tensor of shape `[..., n, m]`, with the dtype of `lower_upper`.
        validate_args: Has no effect.

    Returns:
        Solutions, a tensor of shape `[..., n, m]`.

    Example:
        >>> import tfpy as tf
        >>> lu, p = tf.linalg.lu([[0.0, 2.0], [4.0, 0.0]])
        >>> tf.linalg.lu_solve(lu, p, rhs=[[6.0], [8.0]]).numpy().tolist()
        [[2.0], [3.0]]

    See also: `tf.linalg.lu`, `tf.linalg.solve`.
    """
    packed, b = as_tensors(dec.matrix_solve, (lower_upper, rhs))
    unit, upper = _factors(packed)
    ordered = _permuted(b, convert_to_tensor(perm))
    return triangular_solve(upper, triangular_solve(unit, ordered), lower=False)


def lu_reconstruct(
    lower_upper: TensorLike, perm: TensorLike, validate_args: bool = False, name: str | None = None
) -> Tensor:
    """Compute the matrices from their LU decompositions.

    Args:
        lower_upper: Both factors as `tf.linalg.lu` returns them, a tensor of shape `[..., n, n]`.
        perm: Permutation as `tf.linalg.lu` returns it, an integer tensor of shape `[..., n]`. Its
            values are read back to Python, so the call waits for pending computations, and a
            `tf.function` that contains the call runs eagerly, without compilation.
        validate_args: Has no effect.

    Returns:
        Tensor with the shape and dtype of `lower_upper`.

    Example:
        >>> import tfpy as tf
        >>> tf.linalg.lu_reconstruct(*tf.linalg.lu([[1.0, 2.0], [4.0, 4.0]])).numpy().tolist()
        [[1.0, 2.0], [4.0, 4.0]]

    See also: `tf.linalg.lu`, `tf.linalg.lu_matrix_inverse`.
    """
    unit, upper = _factors(convert_to_tensor(lower_upper))
    order = convert_to_tensor(perm)
    places = np.argsort(order.host_view(), axis=-1).astype(np.int32)
    return _permuted(unit @ upper, constant(places))


def lu_matrix_inverse(
    lower_upper: TensorLike, perm: TensorLike, validate_args: bool = False, name: str | None = None
) -> Tensor:
    """Compute the inverses of matrices from their LU decompositions.

    Args:
        lower_upper: Both factors as `tf.linalg.lu` returns them, a tensor of shape `[..., n, n]`.
        perm: Permutation as `tf.linalg.lu` returns it, an integer tensor of shape `[..., n]`.
        validate_args: Has no effect.

    Returns:
        Tensor with the shape and dtype of `lower_upper`.

    Example:
        >>> import tfpy as tf
        >>> tf.linalg.lu_matrix_inverse(*tf.linalg.lu([[0.0, 2.0], [4.0, 0.0]])).numpy().tolist()
        [[0.0, 0.25], [0.5, 0.0]]

    See also: `tf.linalg.lu`, `tf.linalg.inv`.
    """
    packed = convert_to_tensor(lower_upper)
    return lu_solve(packed, perm, _identity(packed))
