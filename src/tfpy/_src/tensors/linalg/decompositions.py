"""Matrix decompositions of `tf.linalg`, and functions that are composed of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from tfpy._src.backends.registry import storable
from tfpy._src.base import dtypes
from tfpy._src.base.dtypes import DType
from tfpy._src.compiler.ops import decomposition as dec, elementwise as ew, logic
from tfpy._src.compiler.ops.decomposition import unpack
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.dispatch import dispatchable
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import DTypeLike, FloatLike, TensorLike
from tfpy._src.tensors.array.complex_numbers import real
from tfpy._src.tensors.array.joining import stack, unstack
from tfpy._src.tensors.array.making import cast
from tfpy._src.tensors.array.reshaping import expand_dims
from tfpy._src.tensors.linalg.products import adjoint
from tfpy._src.tensors.math.reductions import count_nonzero, reduce_max, reduce_sum


def _epsilon(dtype: DType) -> float:
    """Return the difference between 1 and the next larger number."""
    return storable(float(np.finfo(dtype.as_numpy_dtype).eps))


def single(x: Tensor) -> Tensor:
    """Convert float16 to float32, because LAPACK does not support float16."""
    return cast(x, dtypes.float32) if x.dtype == dtypes.float16 else x


class Qr(NamedTuple):
    """The result of `tf.linalg.qr`, which contains two tensors."""

    q: Tensor
    r: Tensor


def qr(input: TensorLike, full_matrices: bool = False, name: str | None = None) -> Qr:
    """Compute the QR decomposition of matrices: `input = q @ r`.

    Args:
        input: Float or complex tensor of shape `[..., m, n]`.
        full_matrices: If True, `q` is a square matrix. Otherwise, `q` has `min(m, n)` columns and
            `r` has `min(m, n)` rows. Default: False.

    Returns:
        A named tuple `(q, r)`. `q` contains matrices with orthonormal columns, and `r` contains
        upper triangular matrices.

    Example:
        >>> import tfpy as tf
        >>> q, r = tf.linalg.qr([[3.0, 1.0], [4.0, 2.0]])
        >>> print(tf.abs(r).numpy().round(3))  # the signs depend on the backend
        [[5.  2.2]
         [0.  0.4]]
        >>> (q @ r).numpy().round(3).tolist()
        [[3.0, 1.0], [4.0, 2.0]]

    See also: `tf.linalg.svd`, `tf.linalg.lstsq`.
    """
    x = convert_to_tensor(input)
    packed = dec.qr(single(x), full=bool(full_matrices))
    q, r = unpack(packed, dec.qr_shapes(x.aval.shape, bool(full_matrices)))
    return Qr(cast(q, x.dtype), cast(r, x.dtype))


def svd(
    tensor: TensorLike,
    full_matrices: bool = False,
    compute_uv: bool = True,
    name: str | None = None,
) -> Any:
    """Compute the singular value decomposition `tensor = u @ diag(s) @ adjoint(v)` of matrices.

    Args:
        tensor: Float or complex tensor of shape `[..., m, n]`.
        full_matrices: If True, `u` and `v` are square matrices. Otherwise, they have `min(m, n)`
            columns. Default: False.
        compute_uv: If False, return only the singular values. Default: True.

    Returns:
        A tuple `(s, u, v)`, or only `s` if `compute_uv` is False. `s` is a float tensor of shape
        `[..., min(m, n)]` with the singular values in descending order. The columns of `u` and `v`
        are the left and right singular vectors.

    Example:
        >>> import tfpy as tf
        >>> s, u, v = tf.linalg.svd([[0.0, 2.0], [3.0, 0.0], [0.0, 0.0]])
        >>> s.numpy().round(3).tolist(), u.shape, v.shape
        ([3.0, 2.0], TensorShape([3, 2]), TensorShape([2, 2]))

    See also: `tf.linalg.qr`, `tf.linalg.pinv`.
    """
    x = convert_to_tensor(tensor)
    full = bool(full_matrices) and compute_uv
    s, u, v = unpack(dec.svd(x, full=full), dec.svd_shapes(x.aval.shape, full))
    s = real(s)
    return (s, u, v) if compute_uv else s


def eigh(tensor: TensorLike, name: str | None = None) -> tuple[Tensor, Tensor]:
    """Compute the eigenvalues and eigenvectors of self-adjoint matrices.

    Args:
        tensor: Float or complex tensor of shape `[..., n, n]`. Only the lower triangle is read.

    Returns:
        A pair of tensors with the dtype of `tensor`. The first one, of shape `[..., n]`, contains
        the eigenvalues in ascending order. The second one, of shape `[..., n, n]`, contains the
        eigenvectors in its columns, in the same order.

    Example:
        >>> import tfpy as tf
        >>> values, vectors = tf.linalg.eigh([[2.0, 1.0], [1.0, 2.0]])
        >>> values.numpy().round(3).tolist()
        [1.0, 3.0]
        >>> print(tf.abs(vectors).numpy().round(2))  # the signs depend on the backend
        [[0.71 0.71]
         [0.71 0.71]]

    See also: `tf.linalg.eigvalsh`, `tf.linalg.eig`, `tf.linalg.svd`.
    """
    x = convert_to_tensor(tensor)
    e, v = unpack(dec.eigh(x), dec.eigen_shapes(x.aval.shape))
    return e, v


def eigvalsh(tensor: TensorLike, name: str | None = None) -> Tensor:
    """Compute the eigenvalues of self-adjoint matrices.

    Args:
        tensor: Float or complex tensor of shape `[..., n, n]`. Only the lower triangle is read.

    Returns:
        Eigenvalues in ascending order, a tensor of shape `[..., n]` with the dtype of `tensor`.

    Example:
        >>> import tfpy as tf
        >>> tf.linalg.eigvalsh([[2.0, 1.0], [1.0, 2.0]]).numpy().round(3).tolist()
        [1.0, 3.0]

    See also: `tf.linalg.eigh`, `tf.linalg.eigvals`.
    """
    return eigh(tensor)[0]


def eig(tensor: TensorLike, name: str | None = None) -> tuple[Tensor, Tensor]:
    """Compute the eigenvalues and eigenvectors of square matrices.

    Args:
        tensor: Float or complex tensor of shape `[..., n, n]`.

    Returns:
        A pair of complex tensors. The first one, of shape `[..., n]`, contains the eigenvalues in
        no particular order. The second one, of shape `[..., n, n]`, contains the eigenvectors in
        its columns, in the same order.

    Example:
        >>> import tfpy as tf
        >>> values, vectors = tf.linalg.eig(tf.constant([[2.0, 0.0], [0.0, 3.0]]))
        >>> values.numpy().tolist(), vectors.shape
        ([(2+0j), (3+0j)], TensorShape([2, 2]))

    See also: `tf.linalg.eigvals`, `tf.linalg.eigh`.
    """
    x = convert_to_tensor(tensor)
    e, v = unpack(dec.eig(x), dec.eigen_shapes(x.aval.shape))
    return e, v


def eigvals(tensor: TensorLike, name: str | None = None) -> Tensor:
    """Compute the eigenvalues of square matrices.

    Args:
        tensor: Float or complex tensor of shape `[..., n, n]`.

    Returns:
        Eigenvalues in no particular order, a complex tensor of shape `[..., n]`.

    Example:
        >>> import tfpy as tf
        >>> rotation = tf.constant([[0.0, -1.0], [1.0, 0.0]])  # its eigenvalues are i and -i
        >>> sorted(tf.linalg.eigvals(rotation).numpy().imag.round(3).tolist())
        [-1.0, 1.0]

    See also: `tf.linalg.eig`, `tf.linalg.eigvalsh`.
    """
    return eig(tensor)[0]


@dispatchable
def cholesky(input: TensorLike, name: str | None = None) -> Tensor:
    """Compute the Cholesky decomposition `input = L @ adjoint(L)` of self-adjoint matrices.

    Args:
        input: Float or complex tensor of shape `[..., n, n]`. Only the lower triangle is read.

    Returns:
        Lower triangular matrices `L`, a tensor with the shape and dtype of `input`. For a matrix
        that is not positive definite, the result contains NaN.

    Example:
        >>> import tfpy as tf
        >>> tf.linalg.cholesky([[4.0, 2.0], [2.0, 5.0]]).numpy().round(3).tolist()
        [[2.0, 0.0], [1.0, 2.0]]

    See also: `tf.linalg.cholesky_solve`, `tf.linalg.lu`.
    """
    return dec.cholesky(input)


class Lu(NamedTuple):
    """The result of `tf.linalg.lu`, which contains two tensors."""

    lu: Tensor
    p: Tensor


def lu(input: TensorLike, output_idx_type: DTypeLike = dtypes.int32, name: str | None = None) -> Lu:
    """Compute the LU decomposition of square matrices with partial pivoting.

    Args:
        input: Float or complex tensor of shape `[..., n, n]`.
        output_idx_type: Integer dtype of the permutation. Default: int32.

    Returns:
        A named tuple `(lu, p)`. `lu` has the shape of `input` and contains both triangular factors.
        The diagonal belongs to the upper factor, and the diagonal of the lower factor is always 1.
        `p`, of shape `[..., n]`, contains the permutation of the rows: row `i` of the matrix
        product of the factors is row `p[i]` of `input`.

    Example:
        >>> import tfpy as tf
        >>> lu, p = tf.linalg.lu([[1.0, 2.0], [4.0, 4.0]])
        >>> lu.numpy().tolist(), p.numpy().tolist()  # pivoting exchanges the rows
        ([[4.0, 4.0], [0.25, 1.0]], [1, 0])

    See also: `tf.linalg.lu_solve`, `tf.linalg.lu_reconstruct`, `tf.linalg.det`.
    """
    x = convert_to_tensor(input)
    return Lu(dec.lu(x), cast(dec.lu_permutation(x), output_idx_type))


def matrix_rank(
    a: TensorLike,
    tol: FloatLike | None = None,
    validate_args: bool = False,
    name: str | None = None,
) -> Tensor:
    """Compute the rank of matrices, which is the number of singular values above a tolerance.

    Args:
        a: Float tensor of shape `[..., m, n]`.
        tol: Tolerance, a tensor that broadcasts to the singular values of shape
            `[..., min(m, n)]`. Default: the largest singular value of each matrix, multiplied by
            `max(m, n)` and by the machine epsilon of the dtype.
        validate_args: Has no effect.

    Returns:
        Int32 tensor of shape `[...]`.

    Example:
        >>> import tfpy as tf
        >>> tf.linalg.matrix_rank([[1.0, 2.0], [2.0, 4.0]]).numpy().tolist()
        1

    See also: `tf.linalg.svd`, `tf.linalg.pinv`.
    """
    x = convert_to_tensor(a)
    s = svd(x, compute_uv=False)
    if tol is None:
        largest = reduce_max(s, -1, keepdims=True)
        tol = largest * (_epsilon(x.dtype) * max(x.aval.shape[-2:]))
    return count_nonzero(s > tol, -1, dtype=dtypes.int32)


def pinv(
    a: TensorLike,
    rcond: FloatLike | None = None,
    validate_args: bool = False,
    name: str | None = None,
) -> Tensor:
    """Compute the Moore-Penrose pseudoinverses of matrices.

    Args:
        a: Float or complex tensor of shape `[..., m, n]`.
        rcond: Float tensor of shape `[...]`. Singular values that are not larger than `rcond` times
            the largest one are treated as 0. Default: 10 times `max(m, n)` times the machine
            epsilon of the dtype.
        validate_args: Has no effect.

    Returns:
        Tensor of shape `[..., n, m]`, with the dtype of `a`.

    Raises:
        ValueError: If `a` has fewer than two dimensions.

    Example:
        >>> import tfpy as tf
        >>> tf.linalg.pinv([[2.0, 0.0], [0.0, 0.0], [0.0, 4.0]]).numpy().round(3).tolist()
        [[0.5, 0.0, 0.0], [0.0, 0.0, 0.25]]

    See also: `tf.linalg.inv`, `tf.linalg.lstsq`, `tf.linalg.svd`.
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


def gram_schmidt(xs: TensorLike | Sequence[TensorLike]) -> Any:
    """Orthonormalize vectors by the Gram-Schmidt process.

    Equivalent to `tf.linalg.gramSchmidt` in TensorFlow.js.

    Args:
        xs: Linearly independent vectors of the same length, as the rows of a matrix or as a list.

    Returns:
        Orthonormal vectors that span the same space as `xs`. They are the rows of a matrix if `xs`
        is a matrix, and otherwise a list.

    Raises:
        ValueError: If there are no vectors, more vectors than elements in each vector, or vectors
            of different lengths.

    Example:
        >>> import tfpy as tf
        >>> tf.linalg.gram_schmidt(tf.constant([[2.0, 0.0], [3.0, 4.0]])).numpy().round(3).tolist()
        [[1.0, 0.0], [0.0, 1.0]]

    See also: `tf.linalg.qr`.
    """
    given: Any = xs
    listed = isinstance(given, list | tuple)
    rows = [convert_to_tensor(x) for x in given] if listed else unstack(convert_to_tensor(xs))
    if not rows:
        raise ValueError("gram_schmidt: xs is empty; pass at least one vector")
    if len({r.aval.closed.shape for r in rows}) > 1 or rows[0].ndim != 1:
        raise ValueError(
            "gram_schmidt: xs must consist of vectors of the same length, got shapes "
            f"{[list(r.shape) for r in rows]}"
        )
    if len(rows) > rows[0].aval.shape[0]:
        raise ValueError(
            f"gram_schmidt: {len(rows)} vectors of length {rows[0].aval.shape[0]} are linearly "
            "dependent"
        )
    found: list[Tensor] = []
    for row in rows:
        for other in found:
            row = row - reduce_sum(row * other) * other
        found.append(row / ew.sqrt(reduce_sum(row * row)))
    return found if listed else stack(found)
