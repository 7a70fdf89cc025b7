"""Operators of dense and of lower triangular matrices."""

from __future__ import annotations

from typing import Any

from tfpy._src.base.dtypes import (
    complex64,
    complex128,
    float16,
    float32,
    float64,
)
from tfpy._src.core.primitives import abs as magnitude, log
from tfpy._src.core.typing import TensorLike
from tfpy._src.library.linear_operators.assertions import assert_nonzero
from tfpy._src.library.linear_operators.batches import (
    Sizes,
    adjoint_if,
    kept,
    sizes_of,
    solved_triangular,
)
from tfpy._src.library.linear_operators.hints import Hint, arguments
from tfpy._src.library.linear_operators.operator import SizedOperator
from tfpy._src.tensors.linalg.diagonals import band_part, diag_part
from tfpy._src.tensors.linalg.products import matmul
from tfpy._src.tensors.math.reductions import reduce_prod, reduce_sum


class LinearOperatorFullMatrix(SizedOperator):
    """A dense matrix, or a batch of them.

    Args:
        matrix: Float or complex tensor or Variable of shape `[..., m, n]`.
        is_non_singular: Hint that the matrices are invertible.
        is_self_adjoint: Hint that the matrices equal their conjugate transposes.
        is_positive_definite: Hint that the matrices are positive definite.
        is_square: Hint that the matrices are square.
        name: Name of the operator.

    Raises:
        TypeError: If the dtype is not float or complex.
        ValueError: If `matrix` has fewer than two dimensions.

    Example:
        >>> import tfpy as tf
        >>> operator = tf.linalg.LinearOperatorFullMatrix([[1.0, 2.0], [3.0, 4.0]])
        >>> operator.matvec([1.0, 1.0]).numpy().tolist(), float(operator.trace())
        ([3.0, 7.0], 5.0)

    See also: `tf.linalg.LinearOperator`, `tf.linalg.LinearOperatorLowerTriangular`.
    """

    def __init__(
        self, matrix: TensorLike, is_non_singular: Hint = None, is_self_adjoint: Hint = None,
        is_positive_definite: Hint = None, is_square: Hint = None,
        name: str = "LinearOperatorFullMatrix",
    ) -> None:  # fmt: skip
        parameters = arguments(locals())
        self._matrix = kept(matrix)
        dtype = self._matrix.dtype
        allowed = [float16, float32, float64, complex64, complex128]
        if dtype not in allowed:
            raise TypeError(f"Argument `matrix` must have dtype in {allowed}. Received: {dtype}.")
        if len(sizes_of(self._matrix)) < 2:
            raise ValueError(
                f"Argument `matrix` must have at least 2 dimensions. Received: {self._matrix}."
            )
        super().__init__(
            dtype, None, is_non_singular, is_self_adjoint, is_positive_definite, is_square, name,
            parameters,
        )  # fmt: skip

    @property
    def matrix(self) -> Any:
        """Dense matrices, a tensor or Variable."""
        return self._matrix

    @property
    def _batched(self) -> dict[str, Any]:
        return {"matrix": 2}

    def _sizes(self) -> Sizes:
        return sizes_of(self._matrix)

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return matmul(self._matrix, x, adjoint_a=adjoint, adjoint_b=adjoint_arg)

    def _to_dense(self) -> Any:
        return self._matrix


class LinearOperatorLowerTriangular(SizedOperator):
    """A square lower triangular matrix, or a batch of them.

    Args:
        tril: Float or complex tensor or Variable of shape `[..., n, n]`. The elements above the
            diagonal are ignored.
        is_non_singular: Hint that the matrices are invertible.
        is_self_adjoint: Hint that the matrices equal their conjugate transposes.
        is_positive_definite: Hint that the matrices are positive definite.
        is_square: Hint that the matrices are square, which is True.
        name: Name of the operator.

    Raises:
        ValueError: If `tril` has fewer than two dimensions, or `is_square` is False.

    Example:
        >>> import tfpy as tf
        >>> operator = tf.linalg.LinearOperatorLowerTriangular([[2.0, 9.0], [1.0, 4.0]])
        >>> operator.solvevec([2.0, 5.0]).numpy().tolist(), float(operator.determinant())
        ([1.0, 1.0], 8.0)

    See also: `tf.linalg.LinearOperatorFullMatrix`, `tf.linalg.triangular_solve`.
    """

    def __init__(
        self, tril: TensorLike, is_non_singular: Hint = None, is_self_adjoint: Hint = None,
        is_positive_definite: Hint = None, is_square: Hint = None,
        name: str = "LinearOperatorLowerTriangular",
    ) -> None:  # fmt: skip
        parameters = arguments(locals())
        if is_square is False:
            raise ValueError("Only square lower triangular operators supported at this time.")
        self._tril = kept(tril)
        if len(sizes_of(self._tril)) < 2:
            raise ValueError(f"Argument tril must have at least 2 dimensions.  Found: {self._tril}")
        super().__init__(
            self._tril.dtype, None, is_non_singular, is_self_adjoint, is_positive_definite, True,
            name, parameters,
        )  # fmt: skip

    @property
    def tril(self) -> Any:
        """Matrices whose lower triangle is used, a tensor or Variable."""
        return self._tril

    @property
    def _batched(self) -> dict[str, Any]:
        return {"tril": 2}

    def _sizes(self) -> Sizes:
        return sizes_of(self._tril)

    def _to_dense(self) -> Any:
        return band_part(self._tril, -1, 0)

    def _diag_part(self) -> Any:
        return diag_part(self._tril)

    _eigvals = _get_diag = _diag_part  # subclasses in libraries call _get_diag

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return matmul(self._to_dense(), x, adjoint_a=adjoint, adjoint_b=adjoint_arg)

    def _solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return solved_triangular(self._to_dense(), adjoint_if(adjoint_arg, rhs), adjoint)

    def _determinant(self) -> Any:
        return reduce_prod(self._diag_part(), -1)

    def _log_abs_determinant(self) -> Any:
        return reduce_sum(log(magnitude(self._diag_part())), -1)

    def _assert_non_singular(self) -> None:
        assert_nonzero(self._diag_part(), "Singular operator:  Diagonal contained zero values.")
