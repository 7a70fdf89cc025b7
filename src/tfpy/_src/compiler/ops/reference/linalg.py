"""NumPy references of matrix decompositions, over batches [..., m, n]."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tfpy._src.base.errors import invalid_value
from tfpy._src.compiler.ir.aval import Array
from tfpy._src.compiler.ops.reference import schur


def pack(factors: Sequence[Array], batch: int) -> Array:
    """Pack several results of each matrix into one vector, with flattened trailing dimensions."""
    dtype = np.result_type(*factors)
    lead = factors[0].shape[:batch]
    flat = [p.reshape(*lead, math.prod(p.shape[batch:])).astype(dtype, copy=False) for p in factors]
    return np.concatenate(flat, axis=-1)


def solve(a: Array, b: Array) -> Any:
    try:
        return np.linalg.solve(a, b)
    except np.linalg.LinAlgError:
        raise invalid_value("matrix_solve", "Input matrix is not invertible.") from None


def triangular_solve(a: Array, b: Array, lower: bool) -> Any:
    """Solve by substitution over rows, for all matrices and right sides at once."""
    n = a.shape[-1]
    lead = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    x = np.broadcast_to(b, (*lead, *b.shape[-2:])).astype(np.result_type(a, b))
    for i in range(n) if lower else reversed(range(n)):
        known = slice(0, i) if lower else slice(i + 1, n)
        row = a[..., i : i + 1, known]
        rest = x[..., i : i + 1, :] - row @ x[..., known, :]
        x[..., i : i + 1, :] = rest / a[..., i : i + 1, i : i + 1]
    return x


def cholesky(a: Array) -> Any:
    """Return the Cholesky factor, or as TensorFlow NaN if the matrix is not positive definite."""
    try:
        return np.linalg.cholesky(a)
    except np.linalg.LinAlgError:
        return _each(_cholesky_or_nan, a, a.shape[-2:])


def _cholesky_or_nan(a: Array) -> Array:
    try:
        return np.asarray(np.linalg.cholesky(a))
    except np.linalg.LinAlgError:
        return np.tril(np.full_like(a, np.nan))


def det(a: Array) -> Any:
    return _with_nonfinite(a, np.linalg.det(a), lambda sign, log: sign * np.exp(log))


def sign_det(a: Array) -> Any:
    return _with_nonfinite(a, np.linalg.slogdet(a)[0], lambda sign, log: sign)


def log_abs_det(a: Array) -> Any:
    return _with_nonfinite(a, np.linalg.slogdet(a)[1], lambda sign, log: log)


def _with_nonfinite(a: Array, found: Any, part: Callable[[Any, Any], Any]) -> Any:
    """Return `found`, with TensorFlow's results of elimination for matrices that are not finite.

    LAPACK calls a matrix singular at a pivot of 0, even if another pivot is infinite.
    """
    wrong = ~np.isfinite(a).all((-2, -1))
    if wrong.any():
        found = np.array(found)
        found[wrong] = [part(*_eliminated(matrix)) for matrix in a[wrong]]
    return found


def _eliminated(matrix: Array) -> tuple[Any, Any]:
    """Return sign and logarithm of the determinant of one matrix, from its pivots."""
    m, sign = np.array(matrix), matrix.dtype.type(1)
    for i in range(len(m)):
        sizes = np.abs(m[i:, i])
        row = i + (0 if np.isnan(sizes[0]) else int(np.nanargmax(sizes)))
        if row != i:
            m[[i, row]], sign = m[[row, i]], -sign
        if m[i, i] != 0:
            m[i + 1 :, i] /= m[i, i]
        m[i + 1 :, i + 1 :] -= np.outer(m[i + 1 :, i], m[i, i + 1 :])
    pivots = np.diagonal(m)
    return sign * np.prod(np.sign(pivots)), np.log(np.abs(pivots)).sum()


def qr(a: Array, full: bool) -> Array:
    q, r = np.linalg.qr(a, mode="complete" if full else "reduced")
    return pack([q, r], a.ndim - 2)


def svd(a: Array, full: bool) -> Array:
    u, s, vh = np.linalg.svd(a, full_matrices=full)
    return pack([s, u, np.conj(np.swapaxes(vh, -1, -2))], a.ndim - 2)


def eigh(a: Array) -> Array:
    e, v = np.linalg.eigh(a)
    return pack([e, v], a.ndim - 2)


def eig(a: Array) -> Array:
    e, v = np.linalg.eig(a)
    return pack([e, v], a.ndim - 2).astype(np.result_type(a.dtype, np.complex64), copy=False)


def _each(f: Callable[[Array], Array], a: Array, shape: Sequence[int]) -> Array:
    """Apply `f` to each matrix of a batch."""
    flat = [f(m) for m in a.reshape(math.prod(a.shape[:-2]), *a.shape[-2:])]
    return np.array(flat).reshape(*a.shape[:-2], *shape)


def lu(a: Array) -> Array:
    """Return packed lower (unit diagonal) and upper factors of `a` with permuted rows."""
    return _each(lambda m: _lu(m)[0], a, a.shape[-2:]).astype(a.dtype)


def lu_permutation(a: Array) -> Array:
    return _each(lambda m: _lu(m)[1], a, a.shape[-1:]).astype(np.int32)


def _lu(matrix: Array) -> tuple[Array, Array]:
    """Eliminate with the largest pivot of each column, by the method of Crout."""
    a, order = matrix.copy(), np.arange(len(matrix))
    for k in range(len(a)):
        a[k:, k] -= a[k:, :k] @ a[:k, k]
        pivot = k + int(np.argmax(np.abs(a[k:, k])))
        if a[pivot, k] == 0:
            raise invalid_value("lu", "Input is not invertible.")
        if pivot != k:
            a[[k, pivot]] = a[[pivot, k]]
            order[[k, pivot]] = order[[pivot, k]]
        a[k + 1 :, k] /= a[k, k]
        a[k, k + 1 :] -= a[k, :k] @ a[:k, k + 1 :]
    return a, order


def expm(a: Array) -> Array:
    """Compute a diagonal Padé approximation of degree 8 with scaling and squaring, in float64."""
    wide = a.astype(np.result_type(a.dtype, np.float64))
    if not a.size:
        return a
    norm = float(np.max(np.sum(np.abs(wide), axis=-2)))
    squarings = max(0, math.ceil(math.log2(norm)) + 1) if 0 < norm < math.inf else 0
    x = wide / 2.0**squarings
    eye = np.eye(a.shape[-1], dtype=wide.dtype)
    degree, factor = 8, 1.0
    numerator, denominator, power = eye.copy(), eye.copy(), eye
    for k in range(1, degree + 1):
        factor *= (degree - k + 1) / (k * (2 * degree - k + 1))
        power = power @ x
        numerator = numerator + factor * power
        denominator = denominator + (-1) ** k * factor * power
    result = np.linalg.solve(denominator, numerator)
    for _ in range(squarings):
        result = result @ result
    return np.asarray(result)


def sqrtm(a: Array) -> Array:
    return _each(schur.sqrtm, a.astype(np.result_type(a.dtype, np.float64)), a.shape[-2:])


def logm(a: Array) -> Array:
    return _each(schur.logm, a.astype(np.complex128), a.shape[-2:])
