"""Kronecker products of operators."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from tfpy._src.base.errors import InvalidArgumentError
from tfpy._src.library.linear_operators.batches import (
    Sizes,
    adjoint_if,
    broadcast,
    sizes_of,
)
from tfpy._src.library.linear_operators.derived import checked_operators
from tfpy._src.library.linear_operators.hints import Hint, arguments, implied
from tfpy._src.library.linear_operators.operator import LinearOperator, SizedOperator
from tfpy._src.tensors.array.making import cast
from tfpy._src.tensors.array.reshaping import reshape, transpose


def _outer(parts: Sequence[Any]) -> Any:
    """Return the Kronecker product of vectors, with broadcasting of the batch dimensions."""
    product = parts[0]
    for part in parts[1:]:
        product = product[..., :, None] * part[..., None, :]
        *batch, rows, columns = sizes_of(product)
        product = reshape(product, (*batch, rows * columns))
    return product


class LinearOperatorKronecker(SizedOperator):
    """The Kronecker product of several operators.

    Args:
        operators: List of `tf.linalg.LinearOperator` objects. The batch shapes are broadcast.
        is_non_singular: Hint that the product is invertible. Default: True if all factors are.
        is_self_adjoint: Hint that the product equals its conjugate transpose. Default: True if all
            factors are self-adjoint.
        is_positive_definite: Hint that the product is positive definite. Default: True if all
            factors are.
        is_square: Hint that the product is square.
        name: Name of the operator. Default: the names of the factors, joined by `_x_`.

    Raises:
        TypeError: If the dtypes differ.
        ValueError: If the list is empty, or a hint is wrong.

    Example:
        >>> import tfpy as tf
        >>> a = tf.linalg.LinearOperatorDiag([1.0, 10.0])
        >>> b = tf.linalg.LinearOperatorFullMatrix([[1.0, 2.0], [3.0, 4.0]])
        >>> tf.linalg.LinearOperatorKronecker([a, b]).to_dense().numpy()[2:].tolist()
        [[0.0, 0.0, 10.0, 20.0], [0.0, 0.0, 30.0, 40.0]]

    See also: `tf.linalg.LinearOperatorComposition`, `tf.linalg.LinearOperatorBlockDiag`.
    """

    def __init__(
        self, operators: Sequence[LinearOperator], is_non_singular: Hint = None,
        is_self_adjoint: Hint = None, is_positive_definite: Hint = None, is_square: Hint = None,
        name: str | None = None,
    ) -> None:  # fmt: skip
        parameters = arguments(locals())
        found = self._operators = checked_operators(operators, "Kronecker product")
        hints: dict[str, Any] = {
            hint: implied(found, hint, parameters[hint], "Kronecker product", fact)
            for hint, fact in (
                ("is_non_singular", "non-singular"), ("is_self_adjoint", "self-adjoint"),
                ("is_positive_definite", "positive-definite"),
            )
        }  # fmt: skip
        super().__init__(
            found[0].dtype, **hints, is_square=is_square,
            name=name or "_x_".join(operator.name for operator in found), parameters=parameters,
        )  # fmt: skip

    @property
    def operators(self) -> list[LinearOperator]:
        """Factors of the product."""
        return self._operators

    @property
    def _batched(self) -> dict[str, Any]:
        return {"operators": [0] * len(self._operators)}

    def _sizes(self) -> Sizes:
        sizes = [operator._sizes() for operator in self._operators]
        batch = broadcast(*(s[:-2] for s in sizes))
        return (*batch, math.prod(s[-2] for s in sizes), math.prod(s[-1] for s in sizes))

    def _along_axes(self, x: Any, apply: Any, inner: int) -> Any:
        """Apply each operator along its own axis of the rows of `x`.

        Args:
            x: Matrices.
            apply: Function of an operator and a tensor.
            inner: Position, in the shape of the operators, of the size of their arguments.
        """
        columns = sizes_of(x)[-1]
        before = 1
        for operator in self._operators:
            n, batch = operator._sizes()[inner], sizes_of(x)[:-2]
            x = _swapped(reshape(x, (*batch, before, n, -1)))
            x = apply(operator, reshape(x, (*batch, n, -1)))
            *outer, m, _ = sizes_of(x)
            x = _swapped(reshape(x, (*outer, m, before, -1)))
            before *= m
            x = reshape(x, (*outer, -1, columns))
        return x

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return self._along_axes(
            adjoint_if(adjoint_arg, x),
            lambda operator, part: operator.matmul(part, adjoint=adjoint),
            -2 if adjoint else -1,
        )

    def _solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return self._along_axes(
            adjoint_if(adjoint_arg, rhs),
            lambda operator, part: operator.solve(part, adjoint=adjoint),
            -1 if adjoint else -2,
        )

    def _powers(self) -> list[Any]:
        """Return each factor with the number of its copies on the diagonal, as its dtype."""
        total = self._sizes()[-1]
        return [(o, cast(total / o._sizes()[-1], o.dtype)) for o in self._operators]

    def _determinant(self) -> Any:
        found: Any = 1.0
        for operator, power in self._powers():
            found = found * operator.determinant() ** power
        return found

    def _log_abs_determinant(self) -> Any:
        found: Any = 0.0
        for operator, power in self._powers():
            found = found + operator.log_abs_determinant() * power
        return found

    def _trace(self) -> Any:
        found: Any = 1.0
        for operator in self._operators:
            found = found * operator.trace()
        return found

    def _diag_part(self) -> Any:
        return _outer([operator.diag_part() for operator in self._operators])

    def _eigvals(self) -> Any:
        return _outer([operator.eigvals() for operator in self._operators])

    def _to_dense(self) -> Any:
        product, *others = (operator.to_dense() for operator in self._operators)
        for other in others:
            product = product[..., :, None, :, None] * other[..., None, :, None, :]
            *batch, a, b, c, d = sizes_of(product)
            product = reshape(product, (*batch, a * b, c * d))
        return product

    def _each(self, method: str) -> None:
        """Call an assertion of each factor.

        Raises:
            tf.errors.InvalidArgumentError: If a factor is not square.
        """
        if not all(operator.is_square for operator in self._operators):
            raise InvalidArgumentError(
                None,
                None,
                "All Kronecker factors must be square for the product to be invertible. Expected "
                "hint `is_square` to be True for every operator in argument `operators`.",
            )
        for operator in self._operators:
            getattr(operator, method)()

    def _assert_non_singular(self) -> None:
        self._each("assert_non_singular")

    def _assert_self_adjoint(self) -> None:
        self._each("assert_self_adjoint")


def _swapped(x: Any) -> Any:
    """Swap the second and the third axis from the end."""
    n = len(sizes_of(x))
    return transpose(x, [*range(n - 3), n - 2, n - 3, n - 1])
