"""Traces, determinants, exponentials, square roots and logarithms of matrices."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tfpy._src.base.errors import invalid, invalid_dtype
from tfpy._src.compiler.ops import decomposition as dec, elementwise as ew, logic
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.dispatch import dispatchable
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import TensorLike
from tfpy._src.tensors.array.complex_numbers import real
from tfpy._src.tensors.array.making import cast
from tfpy._src.tensors.linalg.diagonals import diag_part
from tfpy._src.tensors.math.reductions import reduce_sum


@dispatchable
def trace(x: TensorLike, name: str | None = None) -> Tensor:
    """Compute the sum of the main diagonal of matrices.

    Args:
        x: Numeric tensor of shape `[..., rows, columns]`.

    Returns:
        Tensor of shape `[...]`, with the dtype of `x`.

    Raises:
        tf.errors.InvalidArgumentError: If `x` has fewer than two dimensions.

    Example:
        >>> import tfpy as tf
        >>> tf.linalg.trace([[[1, 2], [3, 4]], [[5, 6], [7, 8]]]).numpy().tolist()
        [5, 13]

    See also: `tf.linalg.diag_part`, `tf.linalg.det`.
    """
    return reduce_sum(diag_part(x), axis=-1)


@dispatchable
def det(input: TensorLike, name: str | None = None) -> Tensor:
    """Compute the determinants of square matrices.

    Args:
        input: Float or complex tensor of shape `[..., n, n]`.

    Returns:
        Tensor of shape `[...]`, with the dtype of `input`.

    Example:
        >>> import tfpy as tf
        >>> tf.linalg.det([[1.0, 2.0], [3.0, 4.0]]).numpy().round(3).tolist()
        -2.0

    See also: `tf.linalg.slogdet`, `tf.linalg.logdet`.
    """
    return dec.det(input)


class LogMatrixDeterminant(NamedTuple):
    """The result of `tf.linalg.slogdet`, which contains two tensors."""

    sign: Tensor
    log_abs_determinant: Tensor


def slogdet(input: TensorLike, name: str | None = None) -> LogMatrixDeterminant:
    """Compute the sign of the determinants of matrices and the logarithm of their absolute values.

    Unlike the determinant itself, the logarithm does not overflow for large matrices.

    Args:
        input: Float or complex tensor of shape `[..., n, n]`.

    Returns:
        A named tuple `(sign, log_abs_determinant)` of tensors of shape `[...]`, with the dtype of
        `input`. The sign is 0 if the determinant is 0.

    Example:
        >>> import tfpy as tf
        >>> sign, log_abs = tf.linalg.slogdet([[0.0, 2.0], [3.0, 0.0]])
        >>> float(sign), round(float(log_abs), 3)  # the determinant is -6
        (-1.0, 1.792)

    See also: `tf.linalg.det`, `tf.linalg.logdet`.
    """
    x = convert_to_tensor(input)
    return LogMatrixDeterminant(dec.sign_det(x), cast(dec.log_abs_det(x), x.dtype))


@dispatchable
def logdet(matrix: TensorLike, name: str | None = None) -> Tensor:
    """Compute the logarithms of the determinants of positive definite matrices.

    Args:
        matrix: Float or complex tensor of shape `[..., n, n]`, self-adjoint and positive definite.

    Returns:
        Float tensor of shape `[...]`. It is NaN for a matrix that is not positive definite.

    Raises:
        tf.errors.InvalidArgumentError: If the matrices are not square.

    Example:
        >>> import tfpy as tf
        >>> print(tf.linalg.logdet([[4.0, 0.0], [0.0, 2.0]]).numpy().round(3))  # log(8)
        2.079

    See also: `tf.linalg.slogdet`, `tf.linalg.cholesky`.
    """
    x = convert_to_tensor(matrix)
    if x.ndim < 2 or x.aval.shape[-1] != x.aval.shape[-2]:
        raise invalid("logdet", f"Input matrix must be square, got: {list(x.aval.shape)}")
    factor = dec.cholesky(x)
    diagonal = np.eye(x.aval.shape[-1], dtype=bool)
    logs = ew.log(real(logic.select(diagonal, factor, 1)))
    return reduce_sum(logs, [-2, -1]) * 2.0


def expm(input: TensorLike, name: str | None = None) -> Tensor:
    """Compute the matrix exponentials of square matrices.

    Args:
        input: Float or complex tensor of shape `[..., n, n]`.

    Returns:
        Tensor with the shape and dtype of `input`.

    Example:
        >>> import tfpy as tf
        >>> tf.linalg.expm([[0.0, 1.0], [0.0, 0.0]]).numpy().round(3).tolist()
        [[1.0, 1.0], [0.0, 1.0]]

    See also: `tf.linalg.logm`, `tf.linalg.sqrtm`.
    """
    return dec.expm(input)


def sqrtm(input: TensorLike, name: str | None = None) -> Tensor:
    """Compute the principal square roots of square matrices.

    Args:
        input: Float or complex tensor of shape `[..., n, n]`.

    Returns:
        Tensor with the shape and dtype of `input`. The result is NaN for a matrix that does not
        have a square root in this dtype, such as a real matrix with a negative eigenvalue.

    Example:
        >>> import tfpy as tf
        >>> tf.linalg.sqrtm([[4.0, 0.0], [0.0, 9.0]]).numpy().round(3).tolist()
        [[2.0, 0.0], [0.0, 3.0]]

    See also: `tf.linalg.expm`, `tf.linalg.logm`.
    """
    return dec.sqrtm(input)


matrix_square_root = sqrtm


def logm(input: TensorLike, name: str | None = None) -> Tensor:
    """Compute the principal logarithms of complex square matrices.

    The function does not have a gradient, as in TensorFlow.

    Args:
        input: Complex tensor of shape `[..., n, n]`.

    Returns:
        Tensor with the shape and dtype of `input`. The result is NaN for a singular matrix.

    Raises:
        tf.errors.InvalidArgumentError: If `input` is not complex.

    Example:
        >>> import tfpy as tf
        >>> a = tf.constant([[1.0, 0.0], [0.0, 10.0]], tf.complex64)
        >>> print(tf.linalg.logm(a).numpy().real.round(3))
        [[0.    0.   ]
         [0.    2.303]]

    See also: `tf.linalg.expm`, `tf.linalg.sqrtm`.
    """
    x = convert_to_tensor(input)
    if not x.dtype.is_complex:
        raise invalid_dtype("logm", f"input must be complex64, got {x.dtype.name}")
    return dec.logm(x)
