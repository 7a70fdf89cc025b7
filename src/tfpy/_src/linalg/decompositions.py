"""Decompositions and functions of matrices: ``tf.linalg.qr`` and its relatives."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfpy._src import dtypes
from tfpy._src.array.complex_numbers import real
from tfpy._src.array.joining import stack, unstack
from tfpy._src.array.making import cast, expand_dims
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.tensor import Tensor
from tfpy._src.errors import invalid, invalid_dtype
from tfpy._src.linalg.products import adjoint
from tfpy._src.math.reductions import count_nonzero, reduce_max, reduce_sum
from tfpy._src.ops import decomposition as dec, elementwise as ew
from tfpy._src.ops.decomposition import unpack
from tfpy._src.runtime.registry import storable

EPSILON = float(np.finfo(np.float32).eps)


def qr(input: Any, full_matrices: bool = False, name: str | None = None) -> tuple[Tensor, Tensor]:
    """Orthogonal q and upper triangular r of q @ r = input.

    Args:
        full_matrices: q is square.
    """
    x = convert_to_tensor(input)
    packed = dec.qr(x, full=bool(full_matrices))
    q, r = unpack(packed, dec.qr_shapes(x.aval.shape, bool(full_matrices)))
    return q, r


def svd(
    tensor: Any, full_matrices: bool = False, compute_uv: bool = True, name: str | None = None
) -> Any:
    """Singular values s, largest first, and u, v of u @ diag(s) @ adjoint(v) = tensor.

    Args:
        full_matrices: u and v are square.
        compute_uv: False gives s alone.
    """
    x = convert_to_tensor(tensor)
    full = bool(full_matrices) and compute_uv
    s, u, v = unpack(dec.svd(x, full=full), dec.svd_shapes(x.aval.shape, full))
    s = real(s)
    return (s, u, v) if compute_uv else s


def eigh(tensor: Any, name: str | None = None) -> tuple[Tensor, Tensor]:
    """Eigenvalues, in ascending order, and eigenvectors of self-adjoint matrices."""
    x = convert_to_tensor(tensor)
    e, v = unpack(dec.eigh(x), dec.eigen_shapes(x.aval.shape))
    return e, v


def eigvalsh(tensor: Any, name: str | None = None) -> Tensor:
    """Eigenvalues of self-adjoint matrices, in ascending order."""
    return eigh(tensor)[0]


def eig(tensor: Any, name: str | None = None) -> tuple[Tensor, Tensor]:
    """Eigenvalues and eigenvectors, complex64, in no order."""
    x = convert_to_tensor(tensor)
    e, v = unpack(dec.eig(x), dec.eigen_shapes(x.aval.shape))
    return e, v


def eigvals(tensor: Any, name: str | None = None) -> Tensor:
    """Eigenvalues, complex64, in no order."""
    return eig(tensor)[0]


def cholesky(input: Any, name: str | None = None) -> Tensor:
    """The lower triangular L of L @ adjoint(L) = input; NaN unless it is positive definite."""
    return dec.cholesky(input)


def lu(
    input: Any, output_idx_type: Any = dtypes.int32, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """Both triangular factors in one matrix, and which row of the input each row is."""
    x = convert_to_tensor(input)
    return dec.lu(x), cast(dec.lu_permutation(x), output_idx_type)


def det(input: Any, name: str | None = None) -> Tensor:
    """Determinants of square matrices."""
    return dec.det(input)


def slogdet(input: Any, name: str | None = None) -> tuple[Tensor, Tensor]:
    """Signs and logarithms of the absolute values of determinants."""
    x = convert_to_tensor(input)
    return dec.sign_det(x), cast(dec.log_abs_det(x), x.dtype)


def logdet(matrix: Any, name: str | None = None) -> Tensor:
    """Logarithms of the determinants of positive definite matrices.

    Raises:
        InvalidArgumentError: when the matrices [..., n, n] are not square.
    """
    x = convert_to_tensor(matrix)
    if x.ndim < 2 or x.aval.shape[-1] != x.aval.shape[-2]:
        raise invalid("logdet", f"Input matrix must be square, got: {list(x.aval.shape)}")
    factor = dec.cholesky(x)
    diagonal = np.eye(x.aval.shape[-1], dtype=bool)
    logs = ew.log(real(ew.select(diagonal, factor, 1)))
    return reduce_sum(logs, [-2, -1]) * 2.0


def expm(input: Any, name: str | None = None) -> Tensor:
    """Exponentials of square matrices."""
    return dec.expm(input)


def sqrtm(input: Any, name: str | None = None) -> Tensor:
    """Principal square roots of square matrices; NaN where there is none."""
    return dec.sqrtm(input)


def logm(input: Any, name: str | None = None) -> Tensor:
    """Logarithms of complex square matrices that have a basis of eigenvectors.

    Raises:
        InvalidArgumentError: for real matrices.
    """
    x = convert_to_tensor(input)
    if not x.dtype.is_complex:
        raise invalid_dtype("logm", f"input has dtype {x.dtype.name}, but the op takes complex64")
    return dec.logm(x)


def matrix_rank(
    a: Any, tol: Any = None, validate_args: bool = False, name: str | None = None
) -> Tensor:
    """Number of singular values above ``tol``, by default relative to the largest.

    Args:
        tol: goes together with the singular values [..., n] by broadcasting.
    """
    x = convert_to_tensor(a)
    s = svd(x, compute_uv=False)
    if tol is None:
        largest = reduce_max(s, -1, keepdims=True)
        tol = largest * (storable(EPSILON) * max(x.aval.shape[-2:]))
    return count_nonzero(s > tol, -1)


def pinv(a: Any, rcond: Any = None, validate_args: bool = False, name: str | None = None) -> Tensor:
    """Pseudo-inverses; singular values up to ``rcond`` times the largest count as 0.

    Raises:
        ValueError: for fewer than two dimensions.
    """
    x = convert_to_tensor(a)
    if x.ndim < 2:
        raise ValueError(f"Input `a` must have at least 2 dimensions, got {x.shape}")
    s, u, v = svd(x)
    limit = 10 * max(x.aval.shape[-2:]) * storable(EPSILON) if rcond is None else rcond
    cut = reduce_max(s, -1, keepdims=True) * expand_dims(convert_to_tensor(limit, s.dtype), -1)
    inverse = ew.select(s > cut, ew.reciprocal(ew.select(s > cut, s, 1.0)), 0.0)
    scaled: Tensor = v * cast(expand_dims(inverse, -2), v.dtype)
    return scaled @ adjoint(u)


def gram_schmidt(xs: Any) -> Any:
    """TensorFlow.js's ``gramSchmidt``: orthonormal rows that span what ``xs`` spans.

    Args:
        xs: a matrix, or a list of vectors of one length; the result is of the same kind.

    Raises:
        ValueError: when there are more vectors than dimensions, or lengths differ.
    """
    listed = isinstance(xs, list | tuple)
    rows = [convert_to_tensor(x) for x in xs] if listed else unstack(convert_to_tensor(xs))
    if not rows:
        raise ValueError("gram_schmidt: xs is empty; give at least one vector")
    if len({r.aval.closed.shape for r in rows}) > 1 or rows[0].ndim != 1:
        raise ValueError(
            f"gram_schmidt: vectors of one length are needed, got {[list(r.shape) for r in rows]}"
        )
    if len(rows) > rows[0].aval.shape[0]:
        raise ValueError(
            f"gram_schmidt: {len(rows)} vectors of length {rows[0].aval.shape[0]} are dependent"
        )
    found: list[Tensor] = []
    for row in rows:
        for other in found:
            row = row - reduce_sum(row * other) * other
        found.append(row / ew.sqrt(reduce_sum(row * row)))
    return found if listed else stack(found)
