"""Systems of linear equations: ``tf.linalg.solve`` and its relatives."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfpy._src.array.complex_numbers import conj
from tfpy._src.array.joining import concat, pad, unstack
from tfpy._src.array.reshaping import broadcast_to, expand_dims, reshape, squeeze
from tfpy._src.array.slicing import take
from tfpy._src.array.static import static_ints
from tfpy._src.core.conversion import as_tensors, constant, convert_to_tensor
from tfpy._src.core.tensor import Tensor
from tfpy._src.errors import invalid
from tfpy._src.linalg.decompositions import eigh, pinv
from tfpy._src.linalg.products import adjoint
from tfpy._src.math.arithmetic import add_n
from tfpy._src.ops import decomposition as dec
from tfpy._src.runtime.registry import storable


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
    x = convert_to_tensor(input)
    _square("inv", x)
    return solve(x, _identity(x), adjoint)


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


# Few diagonals


def banded_triangular_solve(
    bands: Any, rhs: Any, lower: bool = True, adjoint: bool = False, name: str | None = None
) -> Tensor:
    """x of matrix @ x = rhs for triangular matrices of few diagonals.

    Args:
        bands: [..., k, n], the diagonals; the main one is the first if ``lower``, else the last.
            Element j of each stands in row j of the matrix.

    Raises:
        InvalidArgumentError: when shapes do not fit.

    Example:
        >>> import tfpy as tf
        >>> bands = [[2.0, 2.0, 2.0], [0.0, 1.0, 1.0]]  # the diagonal and what is below it
        >>> rhs = [[2.0], [5.0], [8.0]]
        >>> tf.linalg.banded_triangular_solve(bands, rhs).numpy().tolist()
        [[1.0], [2.0], [3.0]]
    """
    x = convert_to_tensor(bands)
    if x.ndim < 2:
        raise invalid(
            "banded_triangular_solve", f"bands must be a matrix, got {list(x.aval.shape)}"
        )
    rows = unstack(x, axis=-2)
    away = range(len(rows)) if lower else reversed(range(len(rows)))
    n, number = x.aval.shape[-1], x.dtype.as_numpy_dtype
    placed = [
        expand_dims(row, -1) * np.eye(n, k=-i if lower else i, dtype=number)
        for i, row in zip(away, rows, strict=True)
    ]
    return triangular_solve(add_n(placed), rhs, lower, adjoint)


def _three(diagonals: Any, form: str) -> tuple[Tensor, Tensor, Tensor]:
    """The diagonals above, on and below the main one, each as long as the main one.

    Raises:
        ValueError: for a format that is none of the three.
    """
    if form == "sequence":
        above, main, below = (convert_to_tensor(d) for d in diagonals)
        n = main.aval.shape[-1]
        if above.aval.shape[-1] == n - 1:
            above = _padded(above, 0, 1)
        if below.aval.shape[-1] == n - 1:
            below = _padded(below, 1, 0)
        return above, main, below
    x = convert_to_tensor(diagonals)
    if form == "compact":
        if x.ndim < 2 or x.aval.shape[-2] != 3:
            raise ValueError(f"Expected 3 diagonals got {x.shape}")
        above, main, below = unstack(x, axis=-2)
        return above, main, below
    if form != "matrix":
        raise ValueError(
            f'Unrecognized diagonals_format: {form}; use "compact", "sequence" or "matrix"'
        )
    if x.ndim < 2 or x.aval.shape[-1] != x.aval.shape[-2]:
        raise ValueError(f"Expected last two dimensions of diagonals to be same, got {x.shape}")
    above, main, below = (_diagonal(x, k) for k in (1, 0, -1))
    return _padded(above, 0, 1), main, _padded(below, 1, 0)


def _padded(x: Tensor, before: int, after: int) -> Tensor:
    return pad(x, [*[[0, 0]] * (x.ndim - 1), [before, after]])


def _diagonal(x: Tensor, k: int) -> Tensor:
    n = x.aval.shape[-1]
    flat = reshape(x, [*x.aval.shape[:-2], n * n])
    start = k if k >= 0 else -k * n
    return take(flat, (start + (n + 1) * np.arange(n - abs(k))).astype(np.int32), axis=-1)


def _dense(above: Tensor, main: Tensor, below: Tensor) -> Tensor:
    """The matrix of three diagonals; the last above and the first below do not count."""
    n = main.aval.shape[-1]
    number = main.dtype.as_numpy_dtype
    on, over = np.eye(n, dtype=number), np.eye(n, k=1, dtype=number)
    return (
        expand_dims(main, -1) * on
        + expand_dims(above, -1) * over
        + expand_dims(below, -1) * np.eye(n, k=-1, dtype=number)
    )


def tridiagonal_matmul(
    diagonals: Any, rhs: Any, diagonals_format: str = "compact", name: str | None = None
) -> Tensor:
    """The product of matrices of three diagonals and ``rhs``.

    Args:
        diagonals_format: "compact" [..., 3, n] (above, main, below), "sequence" or "matrix".

    Example:
        >>> import tfpy as tf
        >>> above, on, below = [1.0, 1.0, 0.0], [2.0, 2.0, 2.0], [0.0, 3.0, 3.0]
        >>> bands = tf.constant([above, on, below])
        >>> tf.linalg.tridiagonal_matmul(bands, [[1.0], [1.0], [1.0]]).numpy().tolist()
        [[3.0], [6.0], [5.0]]
    """
    above, main, below = (expand_dims(d, -1) for d in _three(diagonals, diagonals_format))
    x = convert_to_tensor(rhs)
    nothing = x[..., :1, :] * 0
    after = concat([x[..., 1:, :], nothing], -2)
    before = concat([nothing, x[..., :-1, :]], -2)
    return above * after + main * x + below * before


def tridiagonal_solve(
    diagonals: Any,
    rhs: Any,
    diagonals_format: str = "compact",
    transpose_rhs: bool = False,
    conjugate_rhs: bool = False,
    name: str | None = None,
    partial_pivoting: bool = True,
    perturb_singular: bool = False,
) -> Tensor:
    """x of matrix @ x = rhs for matrices of three diagonals; ``rhs`` may be a vector.

    The matrix is made dense: the solver pivots in any case.

    Raises:
        ValueError: for an unknown format or shapes that do not fit.
        InvalidArgumentError: when a matrix is not invertible.

    Example:
        >>> import tfpy as tf
        >>> above, on, below = [1.0, 1.0, 0.0], [2.0, 2.0, 2.0], [0.0, 3.0, 3.0]
        >>> bands = tf.constant([above, on, below])
        >>> tf.linalg.tridiagonal_solve(bands, tf.constant([3.0, 6.0, 5.0])).numpy().round(3)
        array([1., 1., 1.], dtype=float32)
    """
    above, main, below = _three(diagonals, diagonals_format)
    b = convert_to_tensor(rhs)
    if not b.ndim:
        raise invalid("tridiagonal_solve", "rhs must be at least a vector, got a scalar")
    vector = b.ndim == main.ndim
    if vector:
        b = expand_dims(b, -1)
    elif transpose_rhs:
        b = adjoint(b) if conjugate_rhs else conj(adjoint(b))
    if b.aval.shape[-2] != main.aval.shape[-1]:
        raise ValueError(
            "Expected number of left-hand sided and right-hand side rows to be equal, got "
            f"{main.aval.shape[-1]} and {b.aval.shape[-2]}"
        )
    x = dec.matrix_solve(_dense(above, main, below), b)
    return squeeze(x, [-1]) if vector else x


def eigh_tridiagonal(
    alpha: Any,
    beta: Any,
    eigvals_only: bool = True,
    select: str = "a",
    select_range: Any = None,
    tol: Any = None,
    name: str | None = None,
) -> Any:
    """Eigenvalues (and vectors) of self-adjoint matrices of a diagonal and its neighbour.

    Args:
        select: "a" for all eigenvalues, "i" for those whose index is in ``select_range``, "v"
            for those whose value is.

    Raises:
        ValueError: for another ``select``, or a range that is missing.
        InvalidArgumentError: when ``beta`` is not shorter by one than ``alpha``.

    Example:
        >>> import tfpy as tf
        >>> tf.linalg.eigh_tridiagonal(alpha=[2.0, 2.0], beta=[1.0]).numpy().round(3)
        array([1., 3.], dtype=float32)
    """
    main, beside = convert_to_tensor(alpha), convert_to_tensor(beta)
    if select not in ("a", "i", "v"):
        raise ValueError("select must have a value in {'a', 'i', 'v'}")
    if select != "a" and select_range is None:
        raise ValueError("select_range must be given where select is not 'a'")
    n = main.aval.shape[-1] if main.ndim else 0
    if n != 1 and beside.aval.shape[-1:] != (n - 1,):
        raise invalid(
            "eigh_tridiagonal",
            f"beta {list(beside.aval.shape)} must be shorter by one than alpha "
            f"{list(main.aval.shape)}",
        )
    if n == 1:  # then beta is not looked at
        full = expand_dims(main, -1)
    else:
        full = _dense(_padded(conj(beside), 0, 1), main, _padded(beside, 1, 0))
    values, vectors = eigh(full)
    if select == "i":
        low, high = static_ints(select_range)
        values, vectors = values[..., low : high + 1], vectors[..., low : high + 1]
    if select == "v":
        above, upto = (float(v) for v in select_range)
        found = np.real(values.host_view())
        where = np.flatnonzero((found > above) & (found <= upto)).astype(np.int32)
        values, vectors = take(values, where, axis=-1), take(vectors, where, axis=-1)
    return values if eigvals_only else (values, vectors)
