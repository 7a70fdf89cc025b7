"""Diagonal operators."""

from __future__ import annotations

from typing import Any

from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.primitives import abs as magnitude, log
from tfpy._src.core.typing import TensorLike
from tfpy._src.library.debugging.assertions import assert_positive
from tfpy._src.library.linear_operators.assertions import assert_nonzero, assert_real
from tfpy._src.library.linear_operators.batches import (
    Sizes,
    add_to_diagonal,
    adjoint_if,
    kept,
    sizes_of,
)
from tfpy._src.library.linear_operators.hints import Hint, arguments, diagonal_hint
from tfpy._src.library.linear_operators.operator import SizedOperator
from tfpy._src.tensors.array.complex_numbers import conj, real
from tfpy._src.tensors.array.making import cast
from tfpy._src.tensors.linalg.diagonals import diag
from tfpy._src.tensors.math.reductions import reduce_max, reduce_min, reduce_prod, reduce_sum


class LinearOperatorDiag(SizedOperator):
    """A square diagonal matrix, or a batch of them.

    Args:
        diag: Diagonals, a float or complex tensor or Variable of shape `[..., n]`.
        is_non_singular: Hint that the matrices are invertible.
        is_self_adjoint: Hint that the matrices equal their conjugate transposes. It is True for
            real dtypes.
        is_positive_definite: Hint that the matrices are positive definite.
        is_square: Hint that the matrices are square, which is True.
        name: Name of the operator.

    Raises:
        ValueError: If `diag` is a scalar, or a hint is wrong.

    Example:
        >>> import tfpy as tf
        >>> operator = tf.linalg.LinearOperatorDiag([1.0, 2.0])
        >>> operator.matvec([3.0, 4.0]).numpy().tolist(), float(operator.determinant())
        ([3.0, 8.0], 2.0)

    See also: `tf.linalg.LinearOperatorScaledIdentity`, `tf.linalg.diag`.
    """

    def __init__(
        self, diag: TensorLike, is_non_singular: Hint = None, is_self_adjoint: Hint = None,
        is_positive_definite: Hint = None, is_square: Hint = None, name: str = "LinearOperatorDiag",
    ) -> None:  # fmt: skip
        parameters = arguments(locals())
        self._diag = kept(diag)
        if not sizes_of(self._diag):
            raise ValueError(f"Argument diag must have at least 1 dimension.  Found: {self._diag}")
        if is_square is False:
            raise ValueError("Only square diagonal operators currently supported.")
        dtype = self._diag.dtype
        super().__init__(
            dtype, None, is_non_singular, diagonal_hint(dtype, is_self_adjoint),
            is_positive_definite, True, name, parameters,
        )  # fmt: skip

    @property
    def diag(self) -> Any:
        """Diagonals, a tensor or Variable of shape `[..., n]`."""
        return self._diag

    @property
    def _batched(self) -> dict[str, Any]:
        return {"diag": 1}

    def _sizes(self) -> Sizes:
        sizes = sizes_of(self._diag)
        return (*sizes, sizes[-1])

    def _factors(self, adjoint: bool) -> Any:
        return conj(self._diag) if adjoint else self._diag

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return self._factors(adjoint)[..., None] * adjoint_if(adjoint_arg, x)

    def _matvec(self, x: Any, adjoint: bool = False) -> Any:
        return self._factors(adjoint) * x

    def _solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return adjoint_if(adjoint_arg, rhs) * (1.0 / self._factors(adjoint))[..., None]

    def _determinant(self) -> Any:
        return reduce_prod(self._diag, -1)

    def _log_abs_determinant(self) -> Any:
        return cast(reduce_sum(log(magnitude(self._diag)), -1), self.dtype)

    def _to_dense(self) -> Any:
        return diag(self._diag)

    def _diag_part(self) -> Any:
        return self._diag

    def _add_to_tensor(self, x: Any) -> Any:
        return add_to_diagonal(x, self._diag)

    def _eigvals(self) -> Any:
        return convert_to_tensor(self._diag)

    def _cond(self) -> Any:
        values = magnitude(self._diag)
        return reduce_max(values, -1) / reduce_min(values, -1)

    def _assert_non_singular(self) -> None:
        assert_nonzero(self._diag, "Singular operator:  Diagonal contained zero values.")

    def _assert_positive_definite(self) -> None:
        message = (
            "Diagonal operator had diagonal entries with non-positive real part, thus was not "
            "positive definite."
            if self.dtype.is_complex
            else "Real diagonal operator had non-positive diagonal entries, thus was not positive "
            "definite."
        )
        assert_positive(real(self._diag), message)

    def _assert_self_adjoint(self) -> None:
        assert_real(
            self._diag,
            "This diagonal operator contained non-zero imaginary values.   Thus it was not "
            "self-adjoint.",
        )
