"""Decompositions and functions of matrices: ``tf.linalg.qr`` and its relatives."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tfpy._src.backends.registry import storable
from tfpy._src.base import dtypes
from tfpy._src.base.dtypes import DType
from tfpy._src.base.errors import invalid, invalid_dtype
from tfpy._src.compiler.ops import decomposition as dec, elementwise as ew, logic
from tfpy._src.compiler.ops.decomposition import unpack
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.tensor import Tensor
from tfpy._src.tensors.array.complex_numbers import real
from tfpy._src.tensors.array.joining import stack, unstack
from tfpy._src.tensors.array.making import cast
from tfpy._src.tensors.array.reshaping import expand_dims
from tfpy._src.tensors.linalg.products import adjoint
from tfpy._src.tensors.math.reductions import count_nonzero, reduce_max, reduce_sum


def _epsilon(dtype: DType) -> float:
    """The distance of 1 to the next number."""
    return storable(float(np.finfo(dtype.as_numpy_dtype).eps))


def single(x: Tensor) -> Tensor:
    """Convert float16 to float32, in which LAPACK computes; leave other dtypes as they are."""
    return cast(x, dtypes.float32) if x.dtype == dtypes.float16 else x


class Qr(NamedTuple):
    """The result of :func:`qr`."""

    q: Tensor
    r: Tensor


def qr(input: Any, full_matrices: bool = False, name: str | None = None) -> Qr:
    """Orthogonal q and upper triangular r of q @ r = input.

    Args:
        full_matrices: q is square.

    Example:
        >>> import tfpy as tf
        >>> a = tf.constant([[3.0, 1.0], [4.0, 2.0]])
        >>> q, r = tf.linalg.qr(a)
        >>> (q @ r).numpy().round(3), tf.abs(r).numpy().round(3)
        (array([[3., 1.],
               [4., 2.]], dtype=float32), array([[5. , 2.2],
               [0. , 0.4]], dtype=float32))
    """
    x = convert_to_tensor(input)
    packed = dec.qr(single(x), full=bool(full_matrices))
    q, r = unpack(packed, dec.qr_shapes(x.aval.shape, bool(full_matrices)))
    return Qr(cast(q, x.dtype), cast(r, x.dtype))


def svd(
    tensor: Any, full_matrices: bool = False, compute_uv: bool = True, name: str | None = None
) -> Any:
    """Singular values s, largest first, and u, v of u @ diag(s) @ adjoint(v) = tensor.

    Args:
        full_matrices: u and v are square.
        compute_uv: False gives s alone.

    Example:
        >>> import tfpy as tf
        >>> s, u, v = tf.linalg.svd([[0.0, 2.0], [3.0, 0.0], [0.0, 0.0]])
        >>> s.numpy().round(3), u.shape, v.shape
        (array([3., 2.], dtype=float32), TensorShape([3, 2]), TensorShape([2, 2]))
    """
    x = convert_to_tensor(tensor)
    full = bool(full_matrices) and compute_uv
    s, u, v = unpack(dec.svd(x, full=full), dec.svd_shapes(x.aval.shape, full))
    s = real(s)
    return (s, u, v) if compute_uv else s


def eigh(tensor: Any, name: str | None = None) -> tuple[Tensor, Tensor]:
    """Eigenvalues, in ascending order, and eigenvectors of self-adjoint matrices.

    Example:
        >>> import tfpy as tf
        >>> values, vectors = tf.linalg.eigh([[2.0, 1.0], [1.0, 2.0]])
        >>> values.numpy().round(3), tf.abs(vectors).numpy().round(3)
        (array([1., 3.], dtype=float32), array([[0.707, 0.707],
               [0.707, 0.707]], dtype=float32))
    """
    x = convert_to_tensor(tensor)
    e, v = unpack(dec.eigh(x), dec.eigen_shapes(x.aval.shape))
    return e, v


def eigvalsh(tensor: Any, name: str | None = None) -> Tensor:
    """Eigenvalues of self-adjoint matrices, in ascending order.

    Example:
        >>> import tfpy as tf
        >>> tf.linalg.eigvalsh([[2.0, 1.0], [1.0, 2.0]]).numpy().round(3)
        array([1., 3.], dtype=float32)
    """
    return eigh(tensor)[0]


def eig(tensor: Any, name: str | None = None) -> tuple[Tensor, Tensor]:
    """Eigenvalues and eigenvectors, complex64, in no order.

    Example:
        >>> import tfpy as tf
        >>> values, vectors = tf.linalg.eig(tf.constant([[2.0, 0.0], [0.0, 3.0]]))
        >>> values.numpy().tolist(), vectors.shape
        ([(2+0j), (3+0j)], TensorShape([2, 2]))
    """
    x = convert_to_tensor(tensor)
    e, v = unpack(dec.eig(x), dec.eigen_shapes(x.aval.shape))
    return e, v


def eigvals(tensor: Any, name: str | None = None) -> Tensor:
    """Eigenvalues, complex64, in no order.

    Example:
        >>> import tfpy as tf
        >>> turn = tf.constant([[0.0, -1.0], [1.0, 0.0]])
        >>> sorted(tf.linalg.eigvals(turn).numpy().imag.round(3).tolist())
        [-1.0, 1.0]
    """
    return eig(tensor)[0]


def cholesky(input: Any, name: str | None = None) -> Tensor:
    """The lower triangular L of L @ adjoint(L) = input; NaN unless it is positive definite.

    Example:
        >>> import tfpy as tf
        >>> tf.linalg.cholesky([[4.0, 2.0], [2.0, 5.0]]).numpy().round(3).tolist()
        [[2.0, 0.0], [1.0, 2.0]]
    """
    return dec.cholesky(input)


class Lu(NamedTuple):
    """The result of :func:`lu`."""

    lu: Tensor
    p: Tensor


def lu(input: Any, output_idx_type: Any = dtypes.int32, name: str | None = None) -> Lu:
    """Both triangular factors in one matrix, and which row of the input each row is.

    Example:
        >>> import tfpy as tf
        >>> lu, p = tf.linalg.lu([[1.0, 2.0], [4.0, 4.0]])
        >>> lu.numpy().tolist(), p.numpy().tolist()
        ([[4.0, 4.0], [0.25, 1.0]], [1, 0])
    """
    x = convert_to_tensor(input)
    return Lu(dec.lu(x), cast(dec.lu_permutation(x), output_idx_type))


def det(input: Any, name: str | None = None) -> Tensor:
    """Determinants of square matrices.

    Example:
        >>> import tfpy as tf
        >>> tf.linalg.det([[1.0, 2.0], [3.0, 4.0]]).numpy().round(3)
        np.float32(-2.0)
    """
    return dec.det(input)


class LogMatrixDeterminant(NamedTuple):
    """The result of :func:`slogdet`."""

    sign: Tensor
    log_abs_determinant: Tensor


def slogdet(input: Any, name: str | None = None) -> LogMatrixDeterminant:
    """Signs and logarithms of the absolute values of determinants.

    Example:
        >>> import tfpy as tf
        >>> sign, log_abs = tf.linalg.slogdet([[0.0, 2.0], [3.0, 0.0]])
        >>> sign.numpy().tolist(), log_abs.numpy().round(3)
        (-1.0, np.float32(1.792))
    """
    x = convert_to_tensor(input)
    return LogMatrixDeterminant(dec.sign_det(x), cast(dec.log_abs_det(x), x.dtype))


def logdet(matrix: Any, name: str | None = None) -> Tensor:
    """Logarithms of the determinants of positive definite matrices.

    Raises:
        InvalidArgumentError: when the matrices [..., n, n] are not square.

    Example:
        >>> import tfpy as tf
        >>> tf.linalg.logdet([[4.0, 0.0], [0.0, 2.0]]).numpy().round(3)
        np.float32(2.079)
    """
    x = convert_to_tensor(matrix)
    if x.ndim < 2 or x.aval.shape[-1] != x.aval.shape[-2]:
        raise invalid("logdet", f"Input matrix must be square, got: {list(x.aval.shape)}")
    factor = dec.cholesky(x)
    diagonal = np.eye(x.aval.shape[-1], dtype=bool)
    logs = ew.log(real(logic.select(diagonal, factor, 1)))
    return reduce_sum(logs, [-2, -1]) * 2.0


def expm(input: Any, name: str | None = None) -> Tensor:
    """Exponentials of square matrices.

    Example:
        >>> import tfpy as tf
        >>> tf.linalg.expm([[0.0, 1.0], [0.0, 0.0]]).numpy().round(3)
        array([[1., 1.],
               [0., 1.]], dtype=float32)
    """
    return dec.expm(input)


def sqrtm(input: Any, name: str | None = None) -> Tensor:
    """Principal square roots of square matrices [..., n, n]; NaN where there is none, such as that
    of reals with a negative eigenvalue.

    Example:
        >>> import tfpy as tf
        >>> tf.linalg.sqrtm([[4.0, 0.0], [0.0, 9.0]]).numpy().round(3).tolist()
        [[2.0, 0.0], [0.0, 3.0]]
    """
    return dec.sqrtm(input)


def logm(input: Any, name: str | None = None) -> Tensor:
    """Principal logarithms of complex square matrices [..., n, n]; NaN for those that have none,
    being singular. There is no gradient, as in TensorFlow.

    Raises:
        InvalidArgumentError: for real matrices.

    Example:
        >>> import tfpy as tf
        >>> a = tf.constant([[1.0, 0.0], [0.0, 10.0]], tf.complex64)
        >>> tf.linalg.logm(a).numpy().real.round(3)
        array([[0.   , 0.   ],
               [0.   , 2.303]], dtype=float32)
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

    Example:
        >>> import tfpy as tf
        >>> tf.linalg.matrix_rank([[1.0, 2.0], [2.0, 4.0]]).numpy().tolist()
        1
    """
    x = convert_to_tensor(a)
    s = svd(x, compute_uv=False)
    if tol is None:
        largest = reduce_max(s, -1, keepdims=True)
        tol = largest * (_epsilon(x.dtype) * max(x.aval.shape[-2:]))
    return count_nonzero(s > tol, -1, dtype=dtypes.int32)


def pinv(a: Any, rcond: Any = None, validate_args: bool = False, name: str | None = None) -> Tensor:
    """Pseudo-inverses; singular values up to ``rcond`` times the largest count as 0.

    Raises:
        ValueError: for fewer than two dimensions.

    Example:
        >>> import tfpy as tf
        >>> tf.linalg.pinv([[2.0, 0.0], [0.0, 0.0], [0.0, 4.0]]).numpy().round(3).tolist()
        [[0.5, 0.0, 0.0], [0.0, 0.0, 0.25]]
    """
    x = convert_to_tensor(a)
    if x.ndim < 2:
        raise ValueError(f"Input `a` must have at least 2 dimensions, got {x.shape}")
    s, u, v = svd(x)
    limit = 10 * max(x.aval.shape[-2:]) * _epsilon(x.dtype) if rcond is None else rcond
    cut = reduce_max(s, -1, keepdims=True) * expand_dims(convert_to_tensor(limit, s.dtype), -1)
    inverse = logic.select(s > cut, ew.reciprocal(logic.select(s > cut, s, 1.0)), 0.0)
    scaled: Tensor = v * cast(expand_dims(inverse, -2), v.dtype)
    return scaled @ adjoint(u)


def gram_schmidt(xs: Any) -> Any:
    """TensorFlow.js's ``gramSchmidt``: orthonormal rows that span what ``xs`` spans.

    Args:
        xs: a matrix, or a list of vectors of one length; the result is of the same kind.

    Raises:
        ValueError: when there are more vectors than dimensions, or lengths differ.

    Example:
        >>> import tfpy as tf
        >>> tf.linalg.gram_schmidt(tf.constant([[2.0, 0.0], [3.0, 4.0]])).numpy().round(3)
        array([[1., 0.],
               [0., 1.]], dtype=float32)
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
