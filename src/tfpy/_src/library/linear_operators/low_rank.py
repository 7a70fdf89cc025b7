"""Operators with an update of low rank."""

from __future__ import annotations

from typing import Any

from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.dimension import Dimension
from tfpy._src.core.primitives import abs as magnitude, exp, log
from tfpy._src.core.typing import TensorLike
from tfpy._src.library.linear_operators.batches import (
    Sizes,
    broadcast,
    kept,
    sizes_of,
    solved,
)
from tfpy._src.library.linear_operators.diagonal import LinearOperatorDiag
from tfpy._src.library.linear_operators.hints import Hint, arguments
from tfpy._src.library.linear_operators.identity import LinearOperatorIdentity
from tfpy._src.library.linear_operators.operator import LinearOperator, SizedOperator
from tfpy._src.tensors.array.complex_numbers import conj
from tfpy._src.tensors.array.making import cast
from tfpy._src.tensors.linalg.decompositions import cholesky
from tfpy._src.tensors.linalg.diagonals import diag_part
from tfpy._src.tensors.linalg.matrix_functions import det
from tfpy._src.tensors.linalg.products import matmul
from tfpy._src.tensors.math.reductions import reduce_sum


class LinearOperatorLowRankUpdate(SizedOperator):
    """An operator with an update of low rank, `L + U D V^H`.

    Solutions and determinants need the ones of `L`, and matrices of the small size `k`, by the
    Woodbury formula and the matrix determinant lemma.

    Args:
        base_operator: The operator `L`, a square `tf.linalg.LinearOperator`.
        u: Float or complex tensor or Variable of shape `[..., n, k]`.
        diag_update: Diagonal of `D`, of shape `[..., k]`. Default: ones.
        v: Tensor or Variable of the shape of `u`. Default: `u`.
        is_diag_update_positive: Hint that the elements of `diag_update` are positive.
        is_non_singular: Hint that the matrices are invertible.
        is_self_adjoint: Hint that the matrices equal their conjugate transposes.
        is_positive_definite: Hint that the matrices are positive definite.
        is_square: Hint that the matrices are square.
        name: Name of the operator.

    Raises:
        ValueError: If shapes do not match, or hints are wrong.

    Example:
        >>> import tfpy as tf
        >>> base = tf.linalg.LinearOperatorDiag([1.0, 1.0], is_positive_definite=True)
        >>> operator = tf.linalg.LinearOperatorLowRankUpdate(base, u=[[1.0], [2.0]])
        >>> operator.to_dense().numpy().tolist(), round(float(operator.determinant()), 3)
        ([[2.0, 2.0], [2.0, 5.0]], 6.0)

    See also: `tf.linalg.LinearOperatorComposition`, `tf.linalg.LinearOperatorDiag`.
    """

    def __init__(
        self, base_operator: LinearOperator, u: TensorLike, diag_update: TensorLike | None = None,
        v: TensorLike | None = None, is_diag_update_positive: Hint = None,
        is_non_singular: Hint = None, is_self_adjoint: Hint = None,
        is_positive_definite: Hint = None, is_square: Hint = None,
        name: str = "LinearOperatorLowRankUpdate",
    ) -> None:  # fmt: skip
        parameters = arguments(locals())
        if diag_update is None:
            if is_diag_update_positive is False:
                raise ValueError(
                    "Default diagonal is the identity, which is positive.  However, user set "
                    "'is_diag_update_positive' to False."
                )
            is_diag_update_positive = True
        symmetric = base_operator.is_self_adjoint and v is None
        self._use_cholesky = (
            symmetric and base_operator.is_positive_definite and is_diag_update_positive
        )
        if symmetric and not base_operator.dtype.is_complex:
            if is_self_adjoint is False:
                raise ValueError(
                    "A = L + UDU^H, with L self-adjoint and D real diagonal.  Since UDU^H is "
                    "self-adjoint, this must be a self-adjoint operator."
                )
            is_self_adjoint = True
        if self._use_cholesky:
            if False in (is_positive_definite, is_self_adjoint, is_non_singular):
                raise ValueError("Arguments imply this is self-adjoint positive-definite operator.")
            is_positive_definite = is_self_adjoint = True
        self._u = kept(u)
        self._v = self._u if v is None else kept(v)
        self._diag_update = None if diag_update is None else kept(diag_update)
        self._base_operator = base_operator
        self._is_diag_update_positive = is_diag_update_positive
        super().__init__(
            base_operator.dtype, None, is_non_singular, is_self_adjoint, is_positive_definite,
            is_square, name, parameters,
        )  # fmt: skip
        self._diag_operator: LinearOperator = (
            LinearOperatorIdentity(sizes_of(self._u)[-1], dtype=self.dtype)
            if self._diag_update is None
            else LinearOperatorDiag(self._diag_update, is_positive_definite=is_diag_update_positive)
        )
        self._check_shapes()

    def _check_shapes(self) -> None:
        """Raise a ValueError if the shapes do not match."""
        *_, n, k = broadcast(sizes_of(self._u), sizes_of(self._v))
        self._base_operator.domain_dimension.assert_is_compatible_with(n)
        if self._diag_update is not None:
            Dimension(k).assert_is_compatible_with(sizes_of(self._diag_update)[-1])
        self._sizes()

    @property
    def base_operator(self) -> LinearOperator:
        """The operator `L`."""
        return self._base_operator

    @property
    def u(self) -> Any:
        """Matrices `U`, a tensor or Variable of shape `[..., n, k]`."""
        return self._u

    @property
    def v(self) -> Any:
        """Matrices `V`, a tensor or Variable of shape `[..., n, k]`."""
        return self._v

    @property
    def diag_update(self) -> Any:
        """Diagonal of `D`, a tensor or Variable, or None."""
        return self._diag_update

    @property
    def diag_operator(self) -> LinearOperator:
        """The operator `D`."""
        return self._diag_operator

    @property
    def is_diag_update_positive(self) -> Hint:
        """True if the elements of `D` are positive, None if it is unknown."""
        return self._is_diag_update_positive

    @property
    def _batched(self) -> dict[str, Any]:
        return {"base_operator": 0, "u": 2, "diag_update": 1, "v": 2}

    def _sizes(self) -> Sizes:
        *batch, rows, columns = self._base_operator._sizes()
        small = self._diag_operator._sizes()[:-2]
        return (
            *broadcast(batch, small, sizes_of(self._u)[:-2], sizes_of(self._v)[:-2]), rows, columns
        )  # fmt: skip

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        u, v = (self._v, self._u) if adjoint else (self._u, self._v)
        product = matmul(v, x, adjoint_a=True, adjoint_b=adjoint_arg)
        update = matmul(u, self._diag_operator.matmul(product, adjoint=adjoint))
        return self._base_operator.matmul(x, adjoint=adjoint, adjoint_arg=adjoint_arg) + update

    def _capacitance(self) -> Any:
        """Return `D^-1 + V^H L^-1 U`."""
        inner = matmul(self._v, self._base_operator.solve(self._u), adjoint_a=True)
        return self._diag_operator.inverse().add_to_tensor(inner)

    def _solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        base = self._base_operator
        if base.is_non_singular is False:
            raise ValueError(
                "Solve not implemented unless this is a perturbation of a non-singular "
                "LinearOperator."
            )
        u, v = (self._v, self._u) if adjoint else (self._u, self._v)
        first = base.solve(rhs, adjoint=adjoint, adjoint_arg=adjoint_arg)
        inner = matmul(v, first, adjoint_a=True)
        inner = solved(self._capacitance(), inner, adjoint, self._use_cholesky)
        return first - base.solve(matmul(u, inner), adjoint=adjoint)

    def _determinant(self) -> Any:
        if self.is_positive_definite:
            return exp(self.log_abs_determinant())
        diagonal, base = self._diag_operator.determinant(), self._base_operator.determinant()
        return det(self._capacitance()) * diagonal * base

    def _log_abs_determinant(self) -> Any:
        capacitance = self._capacitance()
        if self._use_cholesky:
            found = 2 * reduce_sum(log(diag_part(cholesky(capacitance))), -1)
        else:
            found = cast(log(magnitude(det(capacitance))), self.dtype)
        base = self._base_operator.log_abs_determinant()
        return found + self._diag_operator.log_abs_determinant() + base

    def _diag_part(self) -> Any:
        product = self._u * conj(self._v)
        if self._diag_update is not None:
            product = product * convert_to_tensor(self._diag_update)[..., None, :]
        return reduce_sum(product, -1) + self._base_operator.diag_part()

    def _assert_self_adjoint(self) -> None:
        if self._u is self._v and self._diag_update is None:
            self._base_operator.assert_self_adjoint()
        else:
            super()._assert_self_adjoint()
