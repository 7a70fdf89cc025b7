"""Functions of `tf.linalg` for linear operators."""

from __future__ import annotations

from typing import Any

from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.dispatch import implements
from tfpy._src.library.linear_operators.operator import LinearOperator
from tfpy._src.tensors.linalg import decompositions, diagonals, matrix_functions, products, solving


@implements(products.adjoint, LinearOperator)
def _adjoint(matrix: Any, name: str | None = None) -> Any:
    return matrix.adjoint()


@implements(decompositions.cholesky, LinearOperator)
def _cholesky(input: Any, name: str | None = None) -> Any:
    return input.cholesky()


@implements(diagonals.diag_part, LinearOperator)
def _diag_part(
    input: Any, name: str = "diag_part", k: Any = 0, padding_value: Any = 0,
    align: str = "RIGHT_LEFT",
) -> Any:  # fmt: skip
    return input.diag_part()


@implements(matrix_functions.det, LinearOperator)
def _det(input: Any, name: str | None = None) -> Any:
    return input.determinant()


@implements(matrix_functions.trace, LinearOperator)
def _trace(x: Any, name: str | None = None) -> Any:
    return x.trace()


@implements(matrix_functions.logdet, LinearOperator)
def _logdet(matrix: Any, name: str | None = None) -> Any:
    if not (matrix.is_positive_definite and matrix.is_self_adjoint):
        raise ValueError("Expected matrix to be self-adjoint positive definite.")
    return matrix.log_abs_determinant()


@implements(solving.inv, LinearOperator)
def _inv(input: Any, adjoint: bool = False, name: str | None = None) -> Any:
    inverse = input.inverse()
    return inverse.adjoint() if adjoint else inverse


@implements(solving.solve, LinearOperator)
def _solve(matrix: Any, rhs: Any, adjoint: bool = False, name: str | None = None) -> Any:
    if not isinstance(matrix, LinearOperator):
        raise ValueError(
            "Passing in `matrix` as a Tensor and `rhs` as a LinearOperator is not supported."
        )
    return matrix.solve(rhs, adjoint=adjoint)


@implements(products.matvec, LinearOperator)
def _matvec(
    a: Any, b: Any, transpose_a: bool = False, adjoint_a: bool = False, a_is_sparse: bool = False,
    b_is_sparse: bool = False, name: str | None = None,
) -> Any:  # fmt: skip
    column = convert_to_tensor(b)[..., None]
    return _matmul(
        a, column, transpose_a, adjoint_a=adjoint_a, a_is_sparse=a_is_sparse,
        b_is_sparse=b_is_sparse,
    )[..., 0]  # fmt: skip


@implements(products.matmul, LinearOperator)
def _matmul(
    a: Any, b: Any, transpose_a: bool = False, transpose_b: bool = False, adjoint_a: bool = False,
    adjoint_b: bool = False, a_is_sparse: bool = False, b_is_sparse: bool = False,
    output_type: Any = None, grad_a: bool = False, grad_b: bool = False, name: str | None = None,
) -> Any:  # fmt: skip
    if transpose_a or transpose_b:
        raise ValueError("Transposing not supported at this time.")
    if a_is_sparse or b_is_sparse:
        raise ValueError("Sparse methods not supported at this time.")
    if isinstance(a, LinearOperator):
        return a.matmul(b, adjoint=adjoint_a, adjoint_arg=adjoint_b)
    return products.adjoint(b.matmul(a, adjoint=not adjoint_b, adjoint_arg=not adjoint_a))
