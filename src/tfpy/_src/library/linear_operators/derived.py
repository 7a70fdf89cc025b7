"""Operators that are derived from others: adjoints, inverses and products."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

from tfpy._src.core.dimension import Dimension
from tfpy._src.library.linear_operators.batches import Sizes, broadcast
from tfpy._src.library.linear_operators.hints import (
    HINTS,
    Hint,
    arguments,
    implied,
    is_symmetric_product,
    same,
)
from tfpy._src.library.linear_operators.operator import LinearOperator, SizedOperator
from tfpy._src.tensors.array.complex_numbers import conj
from tfpy._src.tensors.linalg.products import adjoint as adjoint_of

_FACTS = ("non-singular", "self-adjoint", "positive-definite", "square")


class _Derived(SizedOperator):
    """A base class of operators that are derived from one other."""

    def __init__(self, operator: LinearOperator, ending: str, relation: str, given: Any) -> None:
        self._operator = operator
        hints: dict[str, Any] = {
            hint: same(
                operator, hint, given[hint],
                f"An operator is {fact} if and only if its {relation} is {fact}.",
            )
            for hint, fact in zip(HINTS, _FACTS, strict=True)
        }  # fmt: skip
        name = given["name"] or operator.name + ending
        super().__init__(operator.dtype, name=name, parameters=given, **hints)

    @property
    def operator(self) -> LinearOperator:
        """The original operator."""
        return self._operator

    @property
    def _batched(self) -> dict[str, Any]:
        return {"operator": 0}

    def _cond(self) -> Any:
        return self._operator.cond()

    def _assert_non_singular(self) -> None:
        self._operator.assert_non_singular()

    def _assert_positive_definite(self) -> None:
        self._operator.assert_positive_definite()

    def _assert_self_adjoint(self) -> None:
        self._operator.assert_self_adjoint()


class LinearOperatorAdjoint(_Derived):
    """The conjugate transpose of an operator.

    Args:
        operator: A `tf.linalg.LinearOperator`.
        is_non_singular: Hint that the matrices are invertible. Default: the hint of `operator`.
        is_self_adjoint: Hint that the matrices equal their conjugate transposes.
        is_positive_definite: Hint that the matrices are positive definite.
        is_square: Hint that the matrices are square.
        name: Name of the operator. Default: the name of `operator` with the ending `_adjoint`.

    Raises:
        ValueError: If a hint contradicts the hint of `operator`.

    Example:
        >>> import tfpy as tf
        >>> operator = tf.linalg.LinearOperatorFullMatrix([[1.0, 2.0], [3.0, 4.0]])
        >>> tf.linalg.LinearOperatorAdjoint(operator).to_dense().numpy().tolist()
        [[1.0, 3.0], [2.0, 4.0]]

    See also: `tf.linalg.LinearOperatorInversion`, `tf.linalg.adjoint`.
    """

    def __init__(
        self, operator: LinearOperator, is_non_singular: Hint = None, is_self_adjoint: Hint = None,
        is_positive_definite: Hint = None, is_square: Hint = None, name: str | None = None,
    ) -> None:  # fmt: skip
        super().__init__(operator, "_adjoint", "adjoint", arguments(locals()))

    def _sizes(self) -> Sizes:
        *batch, rows, columns = self._operator._sizes()
        return (*batch, columns, rows)

    def _conj(self, x: Any) -> Any:
        return x if self.is_self_adjoint else conj(x)

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return self._operator.matmul(x, adjoint=not adjoint, adjoint_arg=adjoint_arg)

    def _matvec(self, x: Any, adjoint: bool = False) -> Any:
        return self._operator.matvec(x, adjoint=not adjoint)

    def _solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return self._operator.solve(rhs, adjoint=not adjoint, adjoint_arg=adjoint_arg)

    def _solvevec(self, rhs: Any, adjoint: bool = False) -> Any:
        return self._operator.solvevec(rhs, adjoint=not adjoint)

    def _determinant(self) -> Any:
        return self._conj(self._operator.determinant())

    def _log_abs_determinant(self) -> Any:
        return self._operator.log_abs_determinant()

    def _trace(self) -> Any:
        return self._conj(self._operator.trace())

    def _to_dense(self) -> Any:
        dense = self._operator.to_dense()
        return dense if self.is_self_adjoint else adjoint_of(dense)

    def _eigvals(self) -> Any:
        values = self._operator.eigvals()
        return values if self._operator.is_self_adjoint else conj(values)


class LinearOperatorInversion(_Derived):
    """The inverse of an operator. Its products solve systems of linear equations.

    Args:
        operator: A square `tf.linalg.LinearOperator`.
        is_non_singular: Hint that the matrices are invertible. Default: the hint of `operator`.
        is_self_adjoint: Hint that the matrices equal their conjugate transposes.
        is_positive_definite: Hint that the matrices are positive definite.
        is_square: Hint that the matrices are square.
        name: Name of the operator. Default: the name of `operator` with the ending `_inv`.

    Raises:
        ValueError: If a hint contradicts the hint of `operator`, or states that the operator is
            singular or not square.

    Example:
        >>> import tfpy as tf
        >>> operator = tf.linalg.LinearOperatorFullMatrix([[2.0, 0.0], [0.0, 4.0]])
        >>> tf.linalg.LinearOperatorInversion(operator).to_dense().numpy().tolist()
        [[0.5, 0.0], [0.0, 0.25]]

    See also: `tf.linalg.LinearOperatorAdjoint`, `tf.linalg.inv`.
    """

    def __init__(
        self, operator: LinearOperator, is_non_singular: Hint = None, is_self_adjoint: Hint = None,
        is_positive_definite: Hint = None, is_square: Hint = None, name: str | None = None,
    ) -> None:  # fmt: skip
        given = arguments(locals())
        for hint in ("is_non_singular", "is_square"):
            own = getattr(operator, hint)
            if own is False or given[hint] is False:
                raise ValueError(
                    f"Argument `{hint}` or argument `operator` must have supplied hint `{hint}` "
                    f"equal to `True` or `None`. Found `operator.{hint}`: {own}, `{hint}`: "
                    f"{given[hint]}."
                )
        super().__init__(operator, "_inv", "inverse", given)

    def _sizes(self) -> Sizes:
        return self._operator._sizes()

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return self._operator.solve(x, adjoint=adjoint, adjoint_arg=adjoint_arg)

    def _solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return self._operator.matmul(rhs, adjoint=adjoint, adjoint_arg=adjoint_arg)

    def _determinant(self) -> Any:
        return 1.0 / self._operator.determinant()

    def _log_abs_determinant(self) -> Any:
        return -1.0 * self._operator.log_abs_determinant()

    def _eigvals(self) -> Any:
        return 1.0 / self._operator.eigvals()


def checked_operators(operators: Any, subject: str) -> list[Any]:
    """Return operators as a list.

    Raises:
        TypeError: If the operators are no list, or have different dtypes.
        ValueError: If there is no operator.
    """
    if not isinstance(operators, list | tuple):
        raise TypeError(
            f"The {subject} expects a list of operators, got {type(operators).__name__}."
        )
    if not operators:
        raise ValueError(
            f"Argument `operators` must be a list of >=1 operators. Received: {operators}."
        )
    if any(operator.dtype != operators[0].dtype for operator in operators):
        found = "   ".join(str((o.name, o.dtype)) for o in operators)
        raise TypeError(f"Expected all operators to have the same dtype.  Found {found}")
    return list(operators)


def _required(hint: str, given: Hint) -> Hint:
    """Return True.

    Raises:
        ValueError: If the given hint is False.
    """
    if given is False:
        raise ValueError(
            "The composition has the form A @ A.H, or is one self-adjoint operator. Expected "
            f"argument `{hint}` to be True or None. Received: False."
        )
    return True


class LinearOperatorComposition(SizedOperator):
    """The product of several operators, which is applied one factor after the other.

    Args:
        operators: List of `tf.linalg.LinearOperator` objects with matching dimensions. The batch
            shapes are broadcast.
        is_non_singular: Hint that the product is invertible. Default: True if all factors are.
        is_self_adjoint: Hint that the product equals its conjugate transpose.
        is_positive_definite: Hint that the product is positive definite.
        is_square: Hint that the product is square.
        name: Name of the operator. Default: the names of the factors, joined by `_o_`.

    Raises:
        TypeError: If the dtypes differ.
        ValueError: If the list is empty, or a hint is wrong.

    Example:
        >>> import tfpy as tf
        >>> a = tf.linalg.LinearOperatorFullMatrix([[1.0, 2.0], [3.0, 4.0]])
        >>> b = tf.linalg.LinearOperatorDiag([1.0, 10.0])
        >>> tf.linalg.LinearOperatorComposition([a, b]).to_dense().numpy().tolist()
        [[1.0, 20.0], [3.0, 40.0]]

    See also: `tf.linalg.LinearOperatorKronecker`, `tf.linalg.LinearOperatorBlockDiag`.
    """

    def __init__(
        self, operators: Sequence[LinearOperator], is_non_singular: Hint = None,
        is_self_adjoint: Hint = None, is_positive_definite: Hint = None, is_square: Hint = None,
        name: str | None = None,
    ) -> None:  # fmt: skip
        parameters = arguments(locals())
        found = self._operators = checked_operators(operators, "composition")
        is_non_singular = implied(
            found, "is_non_singular", is_non_singular, "composition", "non-singular"
        )
        symmetric = is_symmetric_product(found)
        if symmetric or (len(found) == 1 and found[0].is_self_adjoint):
            is_self_adjoint = _required("is_self_adjoint", is_self_adjoint)
        if symmetric:
            is_square = _required("is_square", is_square)
        if symmetric and is_non_singular:
            is_positive_definite = _required("is_positive_definite", is_positive_definite)
        super().__init__(
            found[0].dtype, None, is_non_singular, is_self_adjoint, is_positive_definite, is_square,
            name or "_o_".join(operator.name for operator in found), parameters,
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
        for left, right in itertools.pairwise(sizes):
            Dimension(left[-1]).assert_is_compatible_with(right[-2])
        return (*broadcast(*(s[:-2] for s in sizes)), sizes[0][-2], sizes[-1][-1])

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        first, *others = self._operators if adjoint else self._operators[::-1]
        result = first.matmul(x, adjoint=adjoint, adjoint_arg=adjoint_arg)
        for operator in others:
            result = operator.matmul(result, adjoint=adjoint)
        return result

    def _solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        first, *others = self._operators[::-1] if adjoint else self._operators
        result = first.solve(rhs, adjoint=adjoint, adjoint_arg=adjoint_arg)
        for operator in others:
            result = operator.solve(result, adjoint=adjoint)
        return result

    def _determinant(self) -> Any:
        first, *others = (operator.determinant() for operator in self._operators)
        for determinant in others:
            first = first * determinant
        return first

    def _log_abs_determinant(self) -> Any:
        first, *others = (operator.log_abs_determinant() for operator in self._operators)
        for logarithm in others:
            first = first + logarithm
        return first

    def _assert_non_singular(self) -> None:
        if not all(operator.is_square for operator in self._operators):
            super()._assert_non_singular()
            return
        for operator in self._operators:
            operator.assert_non_singular()
