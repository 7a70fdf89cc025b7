"""The rules of `forms.py`: adjoints, inverses, factors, products and solutions of operators.

As in TensorFlow, a rule for the class of the left operator comes before one for the right operator.
"""

from __future__ import annotations

from typing import Any

from tfpy._src.core.primitives import sqrt
from tfpy._src.library.linear_operators import hints
from tfpy._src.library.linear_operators.blocks import (
    LinearOperatorBlockDiag,
    LinearOperatorBlockLowerTriangular,
)
from tfpy._src.library.linear_operators.circulant import Circulant
from tfpy._src.library.linear_operators.dense import (
    LinearOperatorFullMatrix,
    LinearOperatorLowerTriangular,
)
from tfpy._src.library.linear_operators.derived import (
    LinearOperatorAdjoint,
    LinearOperatorComposition,
    LinearOperatorInversion,
)
from tfpy._src.library.linear_operators.diagonal import LinearOperatorDiag
from tfpy._src.library.linear_operators.forms import (
    ADJOINTS,
    CHOLESKY_FACTORS,
    INVERSES,
    PRODUCTS,
    SOLUTIONS,
)
from tfpy._src.library.linear_operators.identity import (
    LinearOperatorIdentity,
    LinearOperatorScaledIdentity,
    LinearOperatorZeros,
)
from tfpy._src.library.linear_operators.kronecker import LinearOperatorKronecker
from tfpy._src.library.linear_operators.operator import LinearOperator
from tfpy._src.library.linear_operators.orthogonal import LinearOperatorHouseholder
from tfpy._src.tensors.array.complex_numbers import conj
from tfpy._src.tensors.linalg.decompositions import cholesky
from tfpy._src.tensors.math.arithmetic import sign

Diag, Scaled = LinearOperatorDiag, LinearOperatorScaledIdentity
Triangular = LinearOperatorLowerTriangular


def _itself(operator: Any) -> Any:
    return operator


# Adjoints

ADJOINTS.of(LinearOperatorIdentity)(_itself)
ADJOINTS.of(LinearOperatorHouseholder)(_itself)


@ADJOINTS.of(LinearOperator)
def _adjoint(x: Any) -> Any:
    return LinearOperatorAdjoint(x, **{hint: getattr(x, hint) for hint in hints.HINTS})


@ADJOINTS.of(LinearOperatorAdjoint)
def _original(x: Any) -> Any:
    return x.operator


@ADJOINTS.of(Diag)
def _diag_adjoint(x: Any) -> Any:
    return Diag(conj(x.diag), **hints.own(x))


@ADJOINTS.of(Scaled)
def _scaled_adjoint(x: Any) -> Any:
    return Scaled(x._rows, conj(x.multiplier), **hints.own(x))


@ADJOINTS.of(Circulant)
def _circulant_adjoint(x: Any) -> Any:
    return type(x)(conj(x.spectrum), **hints.own(x))


@ADJOINTS.of(LinearOperatorKronecker)
@ADJOINTS.of(LinearOperatorBlockDiag)
def _adjoint_of_each(x: Any) -> Any:
    return type(x)([operator.adjoint() for operator in x.operators], **hints.own(x))


# Inverses

INVERSES.of(LinearOperatorIdentity)(_itself)
INVERSES.of(LinearOperatorHouseholder)(_itself)
INVERSES.of(LinearOperatorInversion)(_original)


@INVERSES.of(LinearOperator)
def _inverse(x: Any) -> Any:
    return LinearOperatorInversion(x, **{hint: getattr(x, hint) for hint in hints.HINTS})


@INVERSES.of(Diag)
def _diag_inverse(x: Any) -> Any:
    return Diag(1.0 / x.diag, **hints.own(x))


@INVERSES.of(Scaled)
def _scaled_inverse(x: Any) -> Any:
    return Scaled(x._rows, 1.0 / x.multiplier, **{**hints.own(x), "is_self_adjoint": True})


@INVERSES.of(Circulant)
def _circulant_inverse(x: Any) -> Any:
    return type(x)(1.0 / x.spectrum, x.dtype, **hints.own(x))


@INVERSES.of(LinearOperatorKronecker)
@INVERSES.of(LinearOperatorBlockDiag)
def _inverse_of_each(x: Any) -> Any:
    return type(x)([operator.inverse() for operator in x.operators], **hints.own(x))


@INVERSES.of(LinearOperatorBlockLowerTriangular)
def _blocks_inverse(x: Any) -> Any:
    """Invert the rows above the last one, and then the last row."""
    rows = x.operators
    if len(rows) == 1:
        return LinearOperatorBlockLowerTriangular([[rows[0][0].inverse()]], **hints.own(x))
    above = LinearOperatorBlockLowerTriangular(rows[:-1]).inverse().operators  # type: ignore[attr-defined]
    *left, corner = rows[-1]
    last = []
    for i in range(len(left)):
        total = left[i].matmul(above[i][i].to_dense())
        for j in range(i + 1, len(left)):
            total = total + left[j].matmul(above[j][i].to_dense())
        last.append(LinearOperatorFullMatrix(-corner.solve(total)))
    return LinearOperatorBlockLowerTriangular([*above, [*last, corner.inverse()]], **hints.own(x))


# Cholesky factors

_POSITIVE: dict[str, Any] = dict.fromkeys(hints.HINTS, True)


@CHOLESKY_FACTORS.of(LinearOperator)
def _factor(x: Any) -> Any:
    return Triangular(
        cholesky(x.to_dense()), is_non_singular=True, is_self_adjoint=False, is_square=True
    )


@CHOLESKY_FACTORS.of(LinearOperatorComposition)
def _composition_factor(x: Any) -> Any:
    """Return `L` with a positive diagonal for the product of a triangular `L` and its adjoint."""
    first = x.operators[0]
    is_product = len(x.operators) == 2 and hints.is_symmetric_product(x.operators)
    if not (is_product and isinstance(first, Triangular)):
        return _factor(x)
    if first.is_positive_definite:
        return first
    signs = sign(first.diag_part())[..., None, :]
    return Triangular(
        first.tril / signs, is_non_singular=first.is_non_singular,
        is_self_adjoint=first.is_self_adjoint, is_square=True,
    )  # fmt: skip


@CHOLESKY_FACTORS.of(Diag)
def _diag_factor(x: Any) -> Any:
    return Diag(sqrt(x.diag), **_POSITIVE)


@CHOLESKY_FACTORS.of(LinearOperatorIdentity)
def _identity_factor(x: Any) -> Any:
    return LinearOperatorIdentity(x._rows, x._batch, x.dtype)


@CHOLESKY_FACTORS.of(Scaled)
def _scaled_factor(x: Any) -> Any:
    return Scaled(x._rows, sqrt(x.multiplier), **_POSITIVE)


@CHOLESKY_FACTORS.of(LinearOperatorKronecker)
@CHOLESKY_FACTORS.of(LinearOperatorBlockDiag)
def _factor_of_each(x: Any) -> Any:
    factors = [operator.cholesky() for operator in x.operators]
    return type(x)(factors, is_non_singular=True, is_square=True)


# Products and solutions


@PRODUCTS.of(LinearOperator, LinearOperator)
def _product(a: Any, b: Any) -> Any:
    return LinearOperatorComposition([a, b], **hints.of_product(a, b))


@SOLUTIONS.of(LinearOperator, LinearOperator)
def _solution(a: Any, b: Any) -> Any:
    return LinearOperatorComposition([LinearOperatorInversion(a), b], **hints.of_product(a, b))


@PRODUCTS.of(LinearOperatorIdentity, LinearOperator)
@SOLUTIONS.of(LinearOperatorIdentity, LinearOperator)
def _right(_: Any, b: Any) -> Any:
    return b


@PRODUCTS.of(LinearOperator, LinearOperatorIdentity)
def _left(a: Any, _: Any) -> Any:
    return a


@SOLUTIONS.of(LinearOperator, LinearOperatorIdentity)
def _left_inverse(a: Any, _: Any) -> Any:
    return a.inverse()


@SOLUTIONS.of(LinearOperatorInversion, LinearOperator)
def _product_with_original(a: Any, b: Any) -> Any:
    return a.operator.matmul(b)


def _check_square(a: Any, b: Any) -> None:
    """Raise a ValueError if an operator is not square."""
    if not (a.is_square and b.is_square):
        raise ValueError(
            "Matmul with non-square `LinearOperator`s or non-square `LinearOperatorZeros` not "
            "supported at this time."
        )


@PRODUCTS.of(LinearOperatorZeros, LinearOperator)
def _zeros_left(a: Any, b: Any) -> Any:
    _check_square(a, b)
    return a


@PRODUCTS.of(LinearOperator, LinearOperatorZeros)
def _zeros_right(a: Any, b: Any) -> Any:
    _check_square(a, b)
    return b


@PRODUCTS.of(Diag, Diag)
def _diags(a: Any, b: Any) -> Any:
    return Diag(a.diag * b.diag, **hints.commuting(a, b))


@SOLUTIONS.of(Diag, Diag)
def _diag_quotient(a: Any, b: Any) -> Any:
    return Diag(b.diag / a.diag, **hints.commuting(a, b))


@PRODUCTS.of(Diag, Scaled)
def _diag_by_scale(a: Any, b: Any) -> Any:
    return Diag(a.diag * b.multiplier[..., None], **hints.commuting(a, b))


@PRODUCTS.of(Scaled, Diag)
def _scale_by_diag(a: Any, b: Any) -> Any:
    return Diag(b.diag * a.multiplier[..., None], **hints.commuting(a, b))


@SOLUTIONS.of(Diag, Scaled)
def _scale_over_diag(a: Any, b: Any) -> Any:
    return Diag(b.multiplier[..., None] / a.diag, **hints.commuting(a, b))


@SOLUTIONS.of(Scaled, Diag)
def _diag_over_scale(a: Any, b: Any) -> Any:
    return Diag(b.diag / a.multiplier[..., None], **hints.commuting(a, b))


@PRODUCTS.of(Scaled, Scaled)
def _scales(a: Any, b: Any) -> Any:
    return Scaled(a._rows, a.multiplier * b.multiplier, **hints.commuting(a, b))


@SOLUTIONS.of(Scaled, Scaled)
def _scale_quotient(a: Any, b: Any) -> Any:
    return Scaled(a._rows, b.multiplier / a.multiplier, **hints.commuting(a, b))


def _of_triangular(a: Any, b: Any) -> dict[str, Any]:
    """Return the hints of a product of a triangular and a diagonal operator."""
    return {**hints.commuting(a, b), "is_positive_definite": None}


@PRODUCTS.of(Diag, Triangular)
def _scaled_rows(a: Any, b: Any) -> Any:
    return Triangular(a.diag[..., None] * b.to_dense(), **_of_triangular(a, b))


@SOLUTIONS.of(Diag, Triangular)
def _divided_rows(a: Any, b: Any) -> Any:
    return Triangular(b.to_dense() / a.diag[..., None], **_of_triangular(a, b))


@PRODUCTS.of(Triangular, Diag)
def _scaled_columns(a: Any, b: Any) -> Any:
    return Triangular(a.to_dense() * b.diag[..., None, :], **_of_triangular(a, b))


@PRODUCTS.of(Circulant, Circulant)
def _circulants(a: Any, b: Any) -> Any:
    if type(a) is not type(b):
        return _product(a, b)
    return type(a)(a.spectrum * b.spectrum, **hints.commuting(a, b))


@SOLUTIONS.of(Circulant, Circulant)
def _circulant_quotient(a: Any, b: Any) -> Any:
    if type(a) is not type(b):
        return _solution(a, b)
    return type(a)(b.spectrum / a.spectrum, **hints.commuting(a, b))


def _pairs(a: Any, b: Any) -> list[Any]:
    """Return the pairs of blocks of two block diagonal operators.

    Raises:
        ValueError: If the numbers or the sizes of the blocks differ.
    """
    if len(a.operators) != len(b.operators):
        raise ValueError(
            "Can not efficiently multiply or solve two `LinearOperatorBlockDiag`s when number of "
            "blocks differ."
        )
    return list(zip(a.operators, b.operators, strict=True))


def _of_blocks(a: Any, b: Any) -> dict[str, Any]:
    return {"is_non_singular": hints.non_singular(a, b), "is_square": True}


@PRODUCTS.of(LinearOperatorBlockDiag, LinearOperatorBlockDiag)
def _block_products(a: Any, b: Any) -> Any:
    found = [x.matmul(y) for x, y in _pairs(a, b)]
    return LinearOperatorBlockDiag(found, **_of_blocks(a, b))


@SOLUTIONS.of(LinearOperatorBlockDiag, LinearOperatorBlockDiag)
def _block_solutions(a: Any, b: Any) -> Any:
    return LinearOperatorBlockDiag([x.solve(y) for x, y in _pairs(a, b)], **_of_blocks(a, b))
