"""Circulant operators, which multiply by a spectrum between Fourier transforms."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tfpy._src.base.dtypes import complex64, int32
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.primitives import abs as magnitude, log
from tfpy._src.core.sizes import as_tensor
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.tensor_shape import TensorShape, known_shape
from tfpy._src.core.typing import DTypeLike, TensorLike
from tfpy._src.library.debugging.assertions import assert_less, assert_positive
from tfpy._src.library.linear_operators.assertions import assert_nonzero, assert_real
from tfpy._src.library.linear_operators.batches import (
    Sizes,
    adjoint_if,
    filled,
    kept,
    sizes_of,
    to_complex,
)
from tfpy._src.library.linear_operators.hints import Hint, arguments
from tfpy._src.library.linear_operators.operator import SizedOperator
from tfpy._src.tensors.array.complex_numbers import complex as from_parts, conj, imag, real
from tfpy._src.tensors.array.making import cast
from tfpy._src.tensors.array.reshaping import reshape
from tfpy._src.tensors.linalg.products import matrix_transpose
from tfpy._src.tensors.math.reductions import reduce_max, reduce_min, reduce_prod, reduce_sum
from tfpy._src.tensors.signal import fourier

_TRANSFORMS = {
    1: (fourier.fft, fourier.ifft),
    2: (fourier.fft2d, fourier.ifft2d),
    3: (fourier.fft3d, fourier.ifft3d),
}


class Circulant(SizedOperator):
    """A base class of circulant operators of one, two and three dimensions."""

    def __init__(
        self, spectrum: TensorLike, block_depth: int, dtype: DTypeLike, given: dict[str, Any]
    ) -> None:
        self._block_depth = block_depth
        self._spectrum = kept(spectrum)
        if len(sizes_of(self._spectrum)) < block_depth:
            raise ValueError(
                f"Argument `spectrum` must have at least {block_depth} dimensions. Received: "
                f"{self._spectrum}."
            )
        is_self_adjoint = given["is_self_adjoint"]
        if not self._spectrum.dtype.is_complex:
            if is_self_adjoint is False:
                raise ValueError(
                    "A real spectrum always corresponds to a self-adjoint operator. Expected "
                    "argument `is_self_adjoint` to be True or None. Received: False."
                )
            is_self_adjoint = True
        if given["is_square"] is False:
            raise ValueError(
                "A [[nested] block] circulant operator is always square. Expected argument "
                "`is_square` to be True. Received: False."
            )
        super().__init__(
            dtype, None, given["is_non_singular"], is_self_adjoint, given["is_positive_definite"],
            True, given["name"], given,
        )  # fmt: skip

    @property
    def spectrum(self) -> Any:
        """Fourier transform of the first columns, a tensor or Variable."""
        return self._spectrum

    @property
    def block_depth(self) -> int:
        """Number of dimensions of the Fourier transform."""
        return self._block_depth

    @property
    def block_shape(self) -> TensorShape:
        """Shape of the grid of the Fourier transform, a `tf.TensorShape`."""
        return known_shape(self._grid())

    def block_shape_tensor(self) -> Tensor:
        """Return the shape of the grid of the Fourier transform as a tensor.

        Returns:
            An int32 vector.
        """
        return as_tensor(self._grid(), int32)

    def _grid(self) -> Sizes:
        return sizes_of(self._spectrum)[-self._block_depth :]

    @property
    def _batched(self) -> dict[str, Any]:
        return {"spectrum": self._block_depth}

    def _sizes(self) -> Sizes:
        n = math.prod(self._grid())
        return (*sizes_of(self._spectrum)[: -self._block_depth], n, n)

    def _axes(self) -> list[int]:
        return list(range(-self._block_depth, 0))

    def _flat(self, spectrum: Any) -> Any:
        return reshape(spectrum, (*self._sizes()[:-1],))

    def convolution_kernel(self, name: str = "convolution_kernel") -> Tensor:
        """Compute the inverse Fourier transform of the spectrum, the first column of the matrices.

        Returns:
            Tensor with the shape of the spectrum and the dtype of the operator.
        """
        _, inverse = _TRANSFORMS[self._block_depth]
        return cast(inverse(to_complex(self._spectrum)), self.dtype)

    def assert_hermitian_spectrum(self, name: str = "assert_hermitian_spectrum") -> None:
        """Raise an error if the spectrum is not Hermitian, so that the matrices are not real.

        Raises:
            tf.errors.InvalidArgumentError: If the convolution kernel has imaginary parts.
        """
        precision = float(np.finfo(self.dtype.real_dtype.as_numpy_dtype).eps)
        parts = magnitude(imag(self.convolution_kernel()))
        assert_less(parts, precision * self._sizes()[-1], "Spectrum was not Hermitian")

    def _filtered(self, x: Any, apply: Any, adjoint: bool) -> Any:
        """Apply the spectrum to the Fourier transforms of columns."""
        spectrum = to_complex(self._spectrum)
        spectrum = conj(spectrum) if adjoint else spectrum
        forward, inverse = _TRANSFORMS[self._block_depth]
        rows = matrix_transpose(cast(x, spectrum.dtype))
        grids = reshape(rows, (*sizes_of(rows)[:-1], *self._grid()))
        batch = sizes_of(spectrum)[: -self._block_depth]
        spectrum = reshape(spectrum, (*batch, 1, *self._grid()))
        found = inverse(apply(forward(grids), spectrum))
        flat = reshape(found, (*sizes_of(found)[: -self._block_depth], self._sizes()[-1]))
        return cast(matrix_transpose(flat), self.dtype)

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return self._filtered(adjoint_if(adjoint_arg, x), lambda f, s: s * f, adjoint)

    def _solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return self._filtered(adjoint_if(adjoint_arg, rhs), lambda f, s: f / s, adjoint)

    def _determinant(self) -> Any:
        return cast(reduce_prod(self._spectrum, self._axes()), self.dtype)

    def _log_abs_determinant(self) -> Any:
        return cast(reduce_sum(log(magnitude(self._spectrum)), self._axes()), self.dtype)

    def _trace(self) -> Any:
        sums = reduce_sum(real(self._spectrum), self._axes())
        if not self.dtype.is_complex:
            return cast(sums, self.dtype)
        parts = sums * 0
        if not self.is_self_adjoint:
            parts = reduce_sum(imag(self._spectrum), self._axes())
        return cast(from_parts(sums, parts), self.dtype)

    def _diag_part(self) -> Any:
        n = self._sizes()[-1]
        return (self.trace() / cast(n, self.dtype))[..., None] * filled((n,), 1, self.dtype)

    def _eigvals(self) -> Any:
        return self._flat(convert_to_tensor(self._spectrum))

    def _cond(self) -> Any:
        values = magnitude(self._flat(self._spectrum))
        return reduce_max(values, -1) / reduce_min(values, -1)

    def _assert_non_singular(self) -> None:
        assert_nonzero(self._spectrum, "Singular operator:  Spectrum contained zero values.")

    def _assert_positive_definite(self) -> None:
        message = "Not positive definite:  Real part of spectrum was not all positive."
        assert_positive(real(self._spectrum), message)

    def _assert_self_adjoint(self) -> None:
        message = "Not self-adjoint:  The spectrum contained non-zero imaginary part."
        assert_real(self._spectrum, message)


class LinearOperatorCirculant(Circulant):
    """A circulant matrix, or a batch of them.

    The matrix is determined by its first column, the inverse Fourier transform of the spectrum.
    Each column is the previous one, rotated by one element.

    Args:
        spectrum: Float or complex tensor or Variable of shape `[..., n]`. A real spectrum makes
            the matrices self-adjoint. If the spectrum is Hermitian, the matrices are real.
        input_output_dtype: Dtype of the arguments and results of `matmul` and other methods.
            Default: `tf.complex64`.
        is_non_singular: Hint that the matrices are invertible.
        is_self_adjoint: Hint that the matrices equal their conjugate transposes.
        is_positive_definite: Hint that the matrices are positive definite.
        is_square: Hint that the matrices are square, which is True.
        name: Name of the operator.

    Raises:
        ValueError: If `spectrum` has too few dimensions, or a hint is wrong.

    Example:
        >>> import tfpy as tf
        >>> operator = tf.linalg.LinearOperatorCirculant([6.0, 0.0], tf.float32)
        >>> operator.to_dense().numpy().tolist()
        [[3.0, 3.0], [3.0, 3.0]]

    See also: `tf.linalg.LinearOperatorCirculant2D`, `tf.linalg.LinearOperatorToeplitz`.
    """

    def __init__(
        self, spectrum: TensorLike, input_output_dtype: DTypeLike = complex64,
        is_non_singular: Hint = None, is_self_adjoint: Hint = None,
        is_positive_definite: Hint = None, is_square: Hint = True,
        name: str = "LinearOperatorCirculant",
    ) -> None:  # fmt: skip
        super().__init__(spectrum, 1, input_output_dtype, arguments(locals()))


class LinearOperatorCirculant2D(Circulant):
    """A block circulant matrix whose blocks are circulant, or a batch of them.

    The matrix has `n1 * n2` rows and columns. It represents a two-dimensional periodic convolution
    of vectors that are reshaped to `[n1, n2]`.

    Args:
        spectrum: Float or complex tensor or Variable of shape `[..., n1, n2]`. A real spectrum
            makes the matrices self-adjoint. If the spectrum is Hermitian, the matrices are real.
        input_output_dtype: Dtype of the arguments and results of `matmul` and other methods.
            Default: `tf.complex64`.
        is_non_singular: Hint that the matrices are invertible.
        is_self_adjoint: Hint that the matrices equal their conjugate transposes.
        is_positive_definite: Hint that the matrices are positive definite.
        is_square: Hint that the matrices are square, which is True.
        name: Name of the operator.

    Raises:
        ValueError: If `spectrum` has too few dimensions, or a hint is wrong.

    Example:
        >>> import tfpy as tf
        >>> spectrum = [[4.0, 0.0], [0.0, 0.0]]
        >>> operator = tf.linalg.LinearOperatorCirculant2D(spectrum, tf.float32)
        >>> operator.shape, operator.matvec([1.0, 2.0, 3.0, 4.0]).numpy().tolist()
        (TensorShape([4, 4]), [10.0, 10.0, 10.0, 10.0])

    See also: `tf.linalg.LinearOperatorCirculant`, `tf.linalg.LinearOperatorCirculant3D`.
    """

    def __init__(
        self, spectrum: TensorLike, input_output_dtype: DTypeLike = complex64,
        is_non_singular: Hint = None, is_self_adjoint: Hint = None,
        is_positive_definite: Hint = None, is_square: Hint = True,
        name: str = "LinearOperatorCirculant2D",
    ) -> None:  # fmt: skip
        super().__init__(spectrum, 2, input_output_dtype, arguments(locals()))


class LinearOperatorCirculant3D(Circulant):
    """A nested block circulant matrix, or a batch of them.

    The matrix has `n1 * n2 * n3` rows and columns. It represents a three-dimensional periodic
    convolution of vectors that are reshaped to `[n1, n2, n3]`.

    Args:
        spectrum: Float or complex tensor or Variable of shape `[..., n1, n2, n3]`. A real
            spectrum makes the matrices self-adjoint. If the spectrum is Hermitian, the matrices are
            real.
        input_output_dtype: Dtype of the arguments and results of `matmul` and other methods.
            Default: `tf.complex64`.
        is_non_singular: Hint that the matrices are invertible.
        is_self_adjoint: Hint that the matrices equal their conjugate transposes.
        is_positive_definite: Hint that the matrices are positive definite.
        is_square: Hint that the matrices are square, which is True.
        name: Name of the operator.

    Raises:
        ValueError: If `spectrum` has too few dimensions, or a hint is wrong.

    Example:
        >>> import tfpy as tf
        >>> operator = tf.linalg.LinearOperatorCirculant3D(tf.ones([2, 1, 3]), tf.float32)
        >>> operator.shape, operator.matvec([1.0, 2.0, 3.0, 4.0, 5.0, 6.0]).numpy().round().tolist()
        (TensorShape([6, 6]), [1.0, 2.0, 3.0, 4.0, 5.0, 6.0])

    See also: `tf.linalg.LinearOperatorCirculant`, `tf.linalg.LinearOperatorCirculant2D`.
    """

    def __init__(
        self, spectrum: TensorLike, input_output_dtype: DTypeLike = complex64,
        is_non_singular: Hint = None, is_self_adjoint: Hint = None,
        is_positive_definite: Hint = None, is_square: Hint = True,
        name: str = "LinearOperatorCirculant3D",
    ) -> None:  # fmt: skip
        super().__init__(spectrum, 3, input_output_dtype, arguments(locals()))
