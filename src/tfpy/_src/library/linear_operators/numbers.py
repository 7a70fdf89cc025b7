"""Numbers of linear operators: elements, determinants, traces, eigenvalues and assertions."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np

from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.primitives import abs as magnitude, exp, log
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import TensorLike
from tfpy._src.library.debugging.assertions import assert_equal, assert_less, assert_positive
from tfpy._src.library.linear_operators.batches import identities
from tfpy._src.library.linear_operators.hints import Hint
from tfpy._src.library.linear_operators.shaped import Shaped
from tfpy._src.tensors.array.complex_numbers import real
from tfpy._src.tensors.linalg.decompositions import cholesky, eigvalsh, svd
from tfpy._src.tensors.linalg.diagonals import diag_part
from tfpy._src.tensors.linalg.matrix_functions import det, slogdet
from tfpy._src.tensors.linalg.products import adjoint
from tfpy._src.tensors.math.reductions import reduce_max, reduce_min, reduce_sum


class Measured(Shaped):
    """An operator whose numbers are computed from dense matrices by default."""

    @abstractmethod
    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        """Return the product with a tensor of matching shape and dtype."""

    def _can_use_cholesky(self) -> Hint:
        return self.is_self_adjoint and self.is_positive_definite

    def to_dense(self, name: str = "to_dense") -> Tensor:
        """Return the matrices as a dense tensor.

        Returns:
            Tensor of shape `[..., m, n]`.
        """
        return self._to_dense()

    def _to_dense(self) -> Any:
        *batch, _, columns = self._sizes()
        return self._matmul(identities((*batch, columns, columns), self.dtype))

    def add_to_tensor(self, x: TensorLike, name: str = "add_to_tensor") -> Tensor:
        """Add the matrices to a tensor.

        Args:
            x: Tensor of the dtype of the operator, with a shape that can be broadcast.

        Returns:
            Tensor of the sums.

        Raises:
            TypeError: If the dtypes differ.
        """
        x = convert_to_tensor(x)
        self._check_input_dtype(x)
        return self._add_to_tensor(x)

    def _add_to_tensor(self, x: Any) -> Any:
        return self.to_dense() + x

    def _check_square(self) -> None:
        """Raise a NotImplementedError if the operator is not square."""
        if self.is_square is False:
            raise NotImplementedError(
                "Determinant not implemented for an operator that is expected to not be square."
            )

    def determinant(self, name: str = "det") -> Tensor:
        """Compute the determinants.

        Returns:
            Tensor of the shape `batch_shape`.

        Raises:
            NotImplementedError: If the operator is not square.
        """
        self._check_square()
        return self._determinant()

    def _determinant(self) -> Any:
        return exp(self.log_abs_determinant()) if self._can_use_cholesky() else det(self.to_dense())

    def log_abs_determinant(self, name: str = "log_abs_det") -> Tensor:
        """Compute the logarithms of the absolute values of the determinants.

        Returns:
            Tensor of the shape `batch_shape`.

        Raises:
            NotImplementedError: If the operator is not square.
        """
        self._check_square()
        return self._log_abs_determinant()

    def _log_abs_determinant(self) -> Any:
        if self._can_use_cholesky():
            return 2 * reduce_sum(log(diag_part(cholesky(self.to_dense()))), -1)
        return slogdet(self.to_dense()).log_abs_determinant

    def trace(self, name: str = "trace") -> Tensor:
        """Compute the sums of the diagonal elements.

        Returns:
            Tensor of the shape `batch_shape`.
        """
        return self._trace()

    def _trace(self) -> Any:
        return reduce_sum(self.diag_part(), -1)

    def diag_part(self, name: str = "diag_part") -> Tensor:
        """Return the diagonal elements.

        Returns:
            Tensor of shape `[..., min(m, n)]`.
        """
        return self._diag_part()

    def _diag_part(self) -> Any:
        return diag_part(self.to_dense())

    def eigvals(self, name: str = "eigvals") -> Tensor:
        """Compute the eigenvalues, in any order.

        Returns:
            Tensor of shape `[..., n]`.

        Raises:
            NotImplementedError: If the operator is not self-adjoint.
        """
        if not self.is_self_adjoint:
            raise NotImplementedError("Only self-adjoint matrices are supported.")
        return self._eigvals()

    def _eigvals(self) -> Any:
        return eigvalsh(self.to_dense())

    def cond(self, name: str = "cond") -> Tensor:
        """Compute the condition numbers, the largest singular value divided by the smallest one.

        Returns:
            Tensor of the shape `batch_shape`.
        """
        return self._cond()

    def _cond(self) -> Any:
        if self.is_self_adjoint:
            values = magnitude(self._eigvals())
        else:
            values = svd(self.to_dense(), compute_uv=False)
        return reduce_max(values, -1) / reduce_min(values, -1)

    # Assertions

    def assert_non_singular(self, name: str = "assert_non_singular") -> None:
        """Raise an error if the matrices are not invertible up to rounding.

        Raises:
            tf.errors.InvalidArgumentError: If a matrix is singular.
        """
        self._assert_non_singular()

    def _assert_non_singular(self) -> None:
        if self._can_use_cholesky():
            self.assert_positive_definite()
            return
        values = svd(self.to_dense(), compute_uv=False)
        precision = float(np.finfo(self.dtype.real_dtype.as_numpy_dtype).eps)
        most = 1 / (max(100.0, *map(float, self._sizes()[-2:])) * precision)
        condition = reduce_max(values, -1) / reduce_min(values, -1)
        assert_less(condition, most, "Singular matrix up to precision epsilon.")

    def assert_positive_definite(self, name: str = "assert_positive_definite") -> None:
        """Raise an error if the matrices are not positive definite.

        Raises:
            tf.errors.InvalidArgumentError: If a matrix is not positive definite.
            NotImplementedError: If the operator is not known to be self-adjoint.
        """
        self._assert_positive_definite()

    def _assert_positive_definite(self) -> None:
        if not self.is_self_adjoint:
            raise NotImplementedError("assert_positive_definite is not implemented.")
        factor = cholesky(self.to_dense())
        assert_positive(real(diag_part(factor)), "Matrix was not positive definite.")

    def assert_self_adjoint(self, name: str = "assert_self_adjoint") -> None:
        """Raise an error if the matrices do not equal their conjugate transposes.

        Raises:
            tf.errors.InvalidArgumentError: If a matrix is not self-adjoint.
        """
        self._assert_self_adjoint()

    def _assert_self_adjoint(self) -> None:
        dense = self.to_dense()
        assert_equal(dense, adjoint(dense), "Matrix was not equal to its adjoint.")
