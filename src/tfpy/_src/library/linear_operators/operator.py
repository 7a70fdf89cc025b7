"""`tf.linalg.LinearOperator`: the base class, with implementations by dense matrices."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any

from tfpy._src.base.errors import invalid
from tfpy._src.compiler.ir.sizes import OpenSize
from tfpy._src.core import nest
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.operand import Composite
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.tensor_shape import TensorShape, known_shape
from tfpy._src.core.typing import DTypeLike, TensorLike
from tfpy._src.library.linear_operators import forms
from tfpy._src.library.linear_operators.batches import Sizes, adjoint_if, sliced, solved
from tfpy._src.library.linear_operators.hints import HINTS, Hint
from tfpy._src.library.linear_operators.numbers import Measured
from tfpy._src.tensors.array.reshaping import expand_dims, squeeze


class LinearOperator(Measured, Composite):
    """A base class of linear operators: matrices, or batches of matrices, in a compact form.

    An operator has the shape `[..., m, n]`. Its methods compute with the matrices, usually without
    creating them: `matmul`, `solve`, `determinant`, `trace` and others. The hints `is_self_adjoint`
    and so on are True, False or None (unknown). They select algorithms, and their truth is checked
    only by the methods that begin with `assert`. Several functions of `tf.linalg` also accept
    operators: `adjoint`, `cholesky`, `det`, `diag_part`, `inv`, `logdet`, `matmul`, `solve` and
    `trace`.

    A subclass defines the methods `_shape` (a `tf.TensorShape`) and
    `_matmul(x, adjoint, adjoint_arg)`. It can define others, such as `_solve` and `_determinant`.

    Args:
        dtype: Dtype of the matrices.
        graph_parents: Has no effect.
        is_non_singular: Hint that the matrices are invertible.
        is_self_adjoint: Hint that the matrices equal their conjugate transposes.
        is_positive_definite: Hint that the real part of `x^H A x` is positive for all nonzero `x`.
        is_square: Hint that the matrices are square.
        name: Name of the operator. Default: the name of the class.
        parameters: Arguments of the constructor of the subclass, by name.

    Raises:
        ValueError: If the hints contradict each other.

    Example:
        >>> import tfpy as tf
        >>> class Double(tf.linalg.LinearOperator):
        ...     def __init__(self, n):
        ...         super().__init__(tf.float32, is_self_adjoint=True)
        ...         self.n = n
        ...
        ...     def _shape(self):
        ...         return tf.TensorShape([self.n, self.n])
        ...
        ...     def _matmul(self, x, adjoint=False, adjoint_arg=False):
        ...         return 2 * (tf.linalg.adjoint(x) if adjoint_arg else x)
        >>> Double(2).to_dense().numpy().tolist(), float(Double(2).trace())
        ([[2.0, 0.0], [0.0, 2.0]], 4.0)

    See also: `tf.linalg.LinearOperatorFullMatrix`, `tf.linalg.LinearOperatorDiag`.
    """

    is_like_tensor = False
    __hash__ = object.__hash__

    def __init__(
        self, dtype: DTypeLike, graph_parents: Sequence[TensorLike] | None = None,
        is_non_singular: Hint = None, is_self_adjoint: Hint = None,
        is_positive_definite: Hint = None, is_square: Hint = None, name: str | None = None,
        parameters: dict[str, Any] | None = None,
    ) -> None:  # fmt: skip
        super().__init__(
            dtype, is_non_singular, is_self_adjoint, is_positive_definite, is_square, name,
            parameters,
        )  # fmt: skip

    # Products

    def matmul(
        self, x: TensorLike | LinearOperator, adjoint: bool = False, adjoint_arg: bool = False,
        name: str = "matmul",
    ) -> Any:  # fmt: skip
        """Multiply the operator by matrices or by another operator.

        Args:
            x: Tensor of shape `[..., n, k]` with the dtype of the operator, or an operator.
            adjoint: If True, use the conjugate transpose of the operator. Default: False.
            adjoint_arg: If True, use the conjugate transpose of `x`. Default: False.

        Returns:
            Tensor of shape `[..., m, k]`, or a `tf.linalg.LinearOperator` if `x` is an operator.

        Raises:
            ValueError: If the shapes do not match.
            TypeError: If the dtypes differ.
        """
        if isinstance(x, LinearOperator):
            return self._linop_matmul(*self._pair(x, adjoint, adjoint_arg, "x"))
        x = convert_to_tensor(x)
        self._check_input_dtype(x)
        self._check_size(-2 if adjoint else -1, x, -1 if adjoint_arg else -2)
        return self._matmul(x, adjoint=adjoint, adjoint_arg=adjoint_arg)

    def __matmul__(self, other: TensorLike | LinearOperator) -> Any:
        return self.matmul(other)

    def _pair(
        self, other: LinearOperator, adjoint: bool, adjoint_arg: bool, name: str
    ) -> tuple[LinearOperator, LinearOperator]:
        """Return the two factors of a product.

        Raises:
            ValueError: If their dimensions do not match.
        """
        left = self.adjoint() if adjoint else self
        right = other.adjoint() if adjoint_arg else other
        if left._sizes()[-1] != right._sizes()[-2]:
            raise ValueError(
                f"Operators are incompatible. Expected `{name}` to have dimension "
                f"{left.domain_dimension} but got {right.range_dimension}."
            )
        return left, right

    def _linop_matmul(self, left_operator: Any, right_operator: Any) -> Any:
        return forms.PRODUCTS.apply(left_operator, right_operator)

    def matvec(self, x: TensorLike, adjoint: bool = False, name: str = "matvec") -> Any:
        """Multiply the operator by vectors.

        Args:
            x: Tensor of shape `[..., n]` with the dtype of the operator.
            adjoint: If True, use the conjugate transpose of the operator. Default: False.

        Returns:
            Tensor of shape `[..., m]`.

        Raises:
            ValueError: If the shapes do not match.
            TypeError: If the dtypes differ.
        """
        x = convert_to_tensor(x)
        self._check_input_dtype(x)
        self._check_size(-2 if adjoint else -1, x, -1)
        return self._matvec(x, adjoint=adjoint)

    def _matvec(self, x: Any, adjoint: bool = False) -> Any:
        return squeeze(self.matmul(expand_dims(x, -1), adjoint=adjoint), [-1])

    # Solutions

    def _solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        rhs = adjoint_if(adjoint_arg, rhs)
        return solved(self.to_dense(), rhs, adjoint, self._can_use_cholesky())

    def _check_solvable(self) -> None:
        """Raise a NotImplementedError if the hints exclude an exact solution."""
        fact = "be singular" if self.is_non_singular is False else "not be square"
        if self.is_non_singular is False or self.is_square is False:
            raise NotImplementedError(
                f"Exact solve not implemented for an operator that is expected to {fact}."
            )

    def solve(
        self, rhs: TensorLike | LinearOperator, adjoint: bool = False, adjoint_arg: bool = False,
        name: str = "solve",
    ) -> Any:  # fmt: skip
        """Solve the systems of linear equations `A @ x = rhs` exactly.

        Args:
            rhs: Tensor of shape `[..., n, k]` with the dtype of the operator, or an operator.
            adjoint: If True, use the conjugate transpose of the operator. Default: False.
            adjoint_arg: If True, use the conjugate transpose of `rhs`. Default: False.

        Returns:
            Solutions `x`, a tensor of shape `[..., n, k]`, or a `tf.linalg.LinearOperator` if `rhs`
            is an operator.

        Raises:
            NotImplementedError: If the operator is not square or, by its hints, singular.
            ValueError: If the shapes do not match.
            TypeError: If the dtypes differ.
        """
        self._check_solvable()
        if isinstance(rhs, LinearOperator):
            return self._linop_solve(*self._pair(rhs, adjoint, adjoint_arg, "rhs"))
        rhs = convert_to_tensor(rhs)
        self._check_input_dtype(rhs)
        self._check_size(-1 if adjoint else -2, rhs, -1 if adjoint_arg else -2)
        return self._solve(rhs, adjoint=adjoint, adjoint_arg=adjoint_arg)

    def _linop_solve(self, left_operator: Any, right_operator: Any) -> Any:
        return forms.SOLUTIONS.apply(left_operator, right_operator)

    def solvevec(self, rhs: TensorLike, adjoint: bool = False, name: str = "solve") -> Any:
        """Solve the systems of linear equations `A @ x = rhs` for vectors.

        Args:
            rhs: Tensor of shape `[..., n]` with the dtype of the operator.
            adjoint: If True, use the conjugate transpose of the operator. Default: False.

        Returns:
            Solutions `x`, a tensor of shape `[..., n]`.

        Raises:
            NotImplementedError: If the operator is not square or, by its hints, singular.
            ValueError: If the shapes do not match.
            TypeError: If the dtypes differ.
        """
        rhs = convert_to_tensor(rhs)
        self._check_input_dtype(rhs)
        self._check_size(-1 if adjoint else -2, rhs, -1)
        return self._solvevec(rhs, adjoint=adjoint)

    def _solvevec(self, rhs: Any, adjoint: bool = False) -> Any:
        return squeeze(self.solve(expand_dims(rhs, -1), adjoint=adjoint), [-1])

    # Other operators

    def adjoint(self, name: str = "adjoint") -> LinearOperator:
        """Return the conjugate transpose as an operator.

        Returns:
            A `tf.linalg.LinearOperator`, this one if it is self-adjoint.
        """
        return self if self.is_self_adjoint is True else self._linop_adjoint()

    H = property(adjoint, None, doc="Conjugate transpose, a `tf.linalg.LinearOperator`.")

    def _linop_adjoint(self) -> Any:
        return forms.ADJOINTS.apply(self)

    def inverse(self, name: str = "inverse") -> LinearOperator:
        """Return the inverse as an operator.

        Returns:
            A `tf.linalg.LinearOperator`.

        Raises:
            ValueError: If the operator is not square or, by its hints, singular.
        """
        for hint, kind in (("is_square", "non square"), ("is_non_singular", "singular")):
            if getattr(self, hint) is False:
                raise ValueError(
                    f"Cannot take the Inverse: This operator represents a {kind} matrix."
                )
        return self._linop_inverse()

    def _linop_inverse(self) -> Any:
        return forms.INVERSES.apply(self)

    def cholesky(self, name: str = "cholesky") -> LinearOperator:
        """Return the Cholesky factor as an operator.

        Returns:
            A `tf.linalg.LinearOperator` with lower triangular matrices.

        Raises:
            ValueError: If the hints do not state that the operator is self-adjoint and positive
                definite.
        """
        if not self._can_use_cholesky():
            raise ValueError(
                "Cannot take the Cholesky decomposition: Not a positive definite self adjoint "
                "matrix."
            )
        return self._linop_cholesky()

    def _linop_cholesky(self) -> Any:
        return forms.CHOLESKY_FACTORS.apply(self)

    # Parts

    @property
    def _batched(self) -> dict[str, Any]:
        """Parameters with batch dimensions, with the number of their other dimensions.

        Operators have 0. A parameter that is a nested list has a nested list of numbers.
        """
        return {}

    def _parts(self) -> dict[str, Any]:
        return {k: getattr(self, k) for k in self._batched if self.parameters[k] is not None}

    def _replaced(self, parts: dict[str, Any]) -> Any:
        """Return an operator of the same class with other parameters."""
        return type(self)(**{**self.parameters, **parts})

    def __getitem__(self, slices: Any) -> Any:
        """Index the batch dimensions.

        Args:
            slices: Integers, slices, `...` and `tf.newaxis`, as for a tensor of the shape
                `batch_shape`.

        Returns:
            A `tf.linalg.LinearOperator`.

        Raises:
            tf.errors.InvalidArgumentError: If there are more indices than batch dimensions.
        """
        keys = tuple(slices) if isinstance(slices, tuple | list) else (slices,)
        batch = self._sizes()[:-2]
        if sum(key is not None and key is not Ellipsis for key in keys) > len(batch):
            raise invalid(
                "slice", f"{len(keys)} indices were given for an operator of batch shape {batch}"
            )
        return self._indexed(keys, batch)

    def _indexed(self, keys: tuple[Any, ...], batch: Sizes) -> Any:
        """Index the batch dimensions of an operator with a broadcast batch shape."""

        def indexed(part: Any, rank: int) -> Any:
            if isinstance(part, LinearOperator):
                return part._indexed(keys, batch)
            return sliced(part, rank, keys, batch)

        ranks = self._batched
        return self._replaced(
            {k: nest.map_structure(indexed, v, ranks[k]) for k, v in self._parts().items()}
        )

    @property
    def gradient_parts(self) -> list[Any]:
        return list(nest.flatten(list(self._parts().values())))

    @property
    def components(self) -> tuple[Tensor, ...]:
        leaves = nest.flatten(list(self._parts().values()))
        return tuple(
            tensor
            for leaf in leaves
            for tensor in (
                leaf.components if isinstance(leaf, LinearOperator) else (convert_to_tensor(leaf),)
            )
        )

    def with_components(self, components: Sequence[Any]) -> Any:
        given = iter(components)

        def replaced(part: Any) -> Any:
            if isinstance(part, LinearOperator):
                return part.with_components([next(given) for _ in part.components])
            return next(given)

        parts = self._parts().items()
        hints = {hint: getattr(self, hint) for hint in HINTS if hint in self.parameters}
        return self._replaced({k: nest.map_structure(replaced, v) for k, v in parts} | hints)

    def as_tensor(self) -> Tensor:
        raise ValueError(
            f"A {type(self).__name__} cannot be converted to a tensor automatically. Use its "
            "method to_dense()."
        )


class SizedOperator(LinearOperator):
    """A base class of operators that know their sizes, also those that a signature leaves open."""

    @abstractmethod
    def _sizes(self) -> Sizes:
        """Return the shape as integers."""

    def _shape(self) -> TensorShape:
        sizes = self._sizes()
        return known_shape(tuple(None if isinstance(n, OpenSize) else n for n in sizes))
