"""Operators of blocks: block diagonal and block lower triangular ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.primitives import exp
from tfpy._src.core.typing import TensorLike
from tfpy._src.library.linear_operators.batches import (
    Sizes,
    adjoint_if,
    broadcast,
    filled,
    is_blockwise,
    joined,
    joined_vectors,
    sizes_of,
)
from tfpy._src.library.linear_operators.derived import checked_operators
from tfpy._src.library.linear_operators.hints import Hint, arguments, implied
from tfpy._src.library.linear_operators.operator import LinearOperator, SizedOperator
from tfpy._src.tensors.array.joining import concat, split


class OperatorOfBlocks(SizedOperator):
    """A base class of operators of blocks.

    The methods `matmul`, `matvec`, `solve` and `solvevec` also accept lists with one tensor for
    each block, and then return such lists.
    """

    _diagonal: list[Any]
    """Blocks on the diagonal."""

    def _block_sizes(self, axis: int) -> list[int]:
        return [operator._sizes()[axis] for operator in self._diagonal]

    def _blocks_of(self, arg: Any, own: int, axis: int) -> list[Any] | None:
        """Return the tensors of a list with one tensor for each block, and None for one tensor.

        Args:
            arg: Argument of a method.
            own: Axis of the operator.
            axis: Axis of the argument that has the same size.

        Raises:
            ValueError: If a size does not match.
            TypeError: If a dtype differs.
        """
        sizes = self._block_sizes(own)
        if not is_blockwise(sizes, arg, axis):
            return None
        blocks = [x if isinstance(x, LinearOperator) else convert_to_tensor(x) for x in arg]
        for operator, block in zip(self._diagonal, blocks, strict=True):
            if not isinstance(block, LinearOperator):
                operator._check_input_dtype(block)
                operator._check_size(own, block, axis)
        return blocks

    def matmul(
        self, x: TensorLike | LinearOperator | Sequence[TensorLike], adjoint: bool = False,
        adjoint_arg: bool = False, name: str = "matmul",
    ) -> Any:  # fmt: skip
        blocks = None
        if not isinstance(x, LinearOperator):
            axis = -1 if adjoint_arg else -2
            blocks = self._blocks_of(x, -2 if adjoint else -1, axis)
        if blocks is None:
            return super().matmul(x, adjoint, adjoint_arg)
        return self._products(blocks, adjoint, adjoint_arg)

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        blocks = split(x, self._block_sizes(-2 if adjoint else -1), -1 if adjoint_arg else -2)
        return joined(self._products(blocks, adjoint, adjoint_arg))

    def _products(self, blocks: list[Any], adjoint: bool, adjoint_arg: bool) -> list[Any]:
        raise NotImplementedError

    def solve(
        self, rhs: TensorLike | LinearOperator | Sequence[TensorLike], adjoint: bool = False,
        adjoint_arg: bool = False, name: str = "solve",
    ) -> Any:  # fmt: skip
        blocks = None
        if not isinstance(rhs, LinearOperator):
            axis = -1 if adjoint_arg else -2
            blocks = self._blocks_of(rhs, -1 if adjoint else -2, axis)
        if blocks is None:
            return super().solve(rhs, adjoint, adjoint_arg)
        self._check_solvable()
        return self._solutions(blocks, adjoint, adjoint_arg)

    def _solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        blocks = split(rhs, self._block_sizes(-1), -1 if adjoint_arg else -2)
        return joined(self._solutions(blocks, adjoint, adjoint_arg))

    def _solutions(self, blocks: list[Any], adjoint: bool, adjoint_arg: bool) -> list[Any]:
        raise NotImplementedError

    def matvec(
        self, x: TensorLike | Sequence[TensorLike], adjoint: bool = False, name: str = "matvec"
    ) -> Any:
        blocks = self._blocks_of(x, -2 if adjoint else -1, -1)
        if blocks is None:
            return super().matvec(x, adjoint)
        found = self._products([b[..., None] for b in blocks], adjoint, adjoint_arg=False)
        return [y[..., 0] for y in found]

    def solvevec(
        self, rhs: TensorLike | Sequence[TensorLike], adjoint: bool = False, name: str = "solve"
    ) -> Any:
        blocks = self._blocks_of(rhs, -1 if adjoint else -2, -1)
        if blocks is None:
            return super().solvevec(rhs, adjoint)
        self._check_solvable()
        found = self._solutions([b[..., None] for b in blocks], adjoint, adjoint_arg=False)
        return [y[..., 0] for y in found]

    def _check_square_blocks(self, method: str) -> None:
        """Raise a NotImplementedError if a block on the diagonal is not square."""
        if not all(operator.is_square for operator in self._diagonal):
            raise NotImplementedError(
                f"`{method}` not implemented for an operator whose blocks are not square."
            )

    def _of_blocks(self, method: str) -> list[Any]:
        return [getattr(operator, method)() for operator in self._diagonal]

    def _determinant(self) -> Any:
        first, *others = self._of_blocks("determinant")
        for determinant in others:
            first = first * determinant
        return first

    def _log_abs_determinant(self) -> Any:
        first, *others = self._of_blocks("log_abs_determinant")
        for logarithm in others:
            first = first + logarithm
        return first

    def _trace(self) -> Any:
        self._check_square_blocks("trace")
        first, *others = self._of_blocks("trace")
        for trace in others:
            first = first + trace
        return first

    def _diag_part(self) -> Any:
        self._check_square_blocks("diag_part")
        return joined_vectors(self._of_blocks("diag_part"))

    def _eigvals(self) -> Any:
        self._check_square_blocks("eigvals")
        return joined_vectors(self._of_blocks("eigvals"))

    def _assert_non_singular(self) -> None:
        self._of_blocks("assert_non_singular")


def _with_zeros(block: Any, before: int, after: int) -> Any:
    """Pad a block with columns of zeros."""
    *lead, _ = sizes_of(block)
    left, right = (filled((*lead, n), 0, block.dtype) for n in (before, after))
    return concat([left, block, right], -1)


class LinearOperatorBlockDiag(OperatorOfBlocks):
    """A block diagonal operator, the direct sum of several operators.

    The methods `matmul`, `matvec`, `solve` and `solvevec` also accept lists with one tensor for
    each block, and then return such lists.

    Args:
        operators: List of `tf.linalg.LinearOperator` objects. The batch shapes are broadcast.
        is_non_singular: Hint that the operator is invertible. Default: True if all blocks are.
        is_self_adjoint: Hint that the operator equals its conjugate transpose. Default: True if all
            blocks are self-adjoint.
        is_positive_definite: Hint that the operator is positive definite. Default: True if all
            blocks are.
        is_square: Hint that the operator is square. Default: True.
        name: Name of the operator. Default: the names of the blocks, joined by `_ds_`.

    Raises:
        TypeError: If the dtypes differ.
        ValueError: If the list is empty, or a hint is wrong.

    Example:
        >>> import tfpy as tf
        >>> a = tf.linalg.LinearOperatorFullMatrix([[1.0, 2.0], [3.0, 4.0]])
        >>> b = tf.linalg.LinearOperatorIdentity(1)
        >>> tf.linalg.LinearOperatorBlockDiag([a, b]).to_dense().numpy().tolist()
        [[1.0, 2.0, 0.0], [3.0, 4.0, 0.0], [0.0, 0.0, 1.0]]

    See also: `tf.linalg.LinearOperatorBlockLowerTriangular`, `tf.linalg.LinearOperatorDiag`.
    """

    def __init__(
        self, operators: Sequence[LinearOperator], is_non_singular: Hint = None,
        is_self_adjoint: Hint = None, is_positive_definite: Hint = None, is_square: Hint = True,
        name: str | None = None,
    ) -> None:  # fmt: skip
        parameters = arguments(locals())
        found = self._operators = checked_operators(operators, "block diagonal operator")
        self._diagonal = found
        hints: dict[str, Any] = {
            hint: implied(found, hint, parameters[hint], "direct sum", fact)
            for hint, fact in (
                ("is_non_singular", "non-singular"), ("is_self_adjoint", "self-adjoint"),
                ("is_positive_definite", "positive definite"),
            )
        }  # fmt: skip
        super().__init__(
            found[0].dtype, **hints, is_square=is_square,
            name=name or "_ds_".join(operator.name for operator in found), parameters=parameters,
        )  # fmt: skip

    @property
    def operators(self) -> list[LinearOperator]:
        """Blocks on the diagonal."""
        return self._operators

    @property
    def _batched(self) -> dict[str, Any]:
        return {"operators": [0] * len(self._operators)}

    def _sizes(self) -> Sizes:
        batch = broadcast(*(operator._sizes()[:-2] for operator in self._operators))
        return (*batch, sum(self._block_sizes(-2)), sum(self._block_sizes(-1)))

    def _products(self, blocks: list[Any], adjoint: bool, adjoint_arg: bool) -> list[Any]:
        return [
            operator.matmul(block, adjoint=adjoint, adjoint_arg=adjoint_arg)
            for operator, block in zip(self._operators, blocks, strict=True)
        ]

    def _solutions(self, blocks: list[Any], adjoint: bool, adjoint_arg: bool) -> list[Any]:
        return [
            operator.solve(block, adjoint=adjoint, adjoint_arg=adjoint_arg)
            for operator, block in zip(self._operators, blocks, strict=True)
        ]

    def _to_dense(self) -> Any:
        rows, at = [], 0
        for operator in self._operators:
            block = operator.to_dense()
            width = sizes_of(block)[-1]
            rows.append(_with_zeros(block, at, self._sizes()[-1] - at - width))
            at += width
        return joined(rows)

    def _assert_self_adjoint(self) -> None:
        self._of_blocks("assert_self_adjoint")

    def _assert_positive_definite(self) -> None:
        self._of_blocks("assert_positive_definite")


class LinearOperatorBlockLowerTriangular(OperatorOfBlocks):
    """A block lower triangular operator.

    The methods `matmul`, `matvec`, `solve` and `solvevec` also accept lists with one tensor for
    each block, and then return such lists.

    Args:
        operators: List of rows; row `i` is a list of `i + 1` `tf.linalg.LinearOperator` objects.
            The last one of each row is square. The batch shapes are broadcast.
        is_non_singular: Hint that the operator is invertible. Default: True if the blocks on the
            diagonal are.
        is_self_adjoint: Hint that the operator equals its conjugate transpose.
        is_positive_definite: Hint that the operator is positive definite.
        is_square: Hint that the operator is square, which is True.
        name: Name of the operator.

    Raises:
        TypeError: If the dtypes differ.
        ValueError: If the number or the sizes of the blocks do not match, or a hint is wrong.

    Example:
        >>> import tfpy as tf
        >>> one, two = (tf.linalg.LinearOperatorFullMatrix([[x]]) for x in (1.0, 2.0))
        >>> operator = tf.linalg.LinearOperatorBlockLowerTriangular([[one], [two, one]])
        >>> operator.to_dense().numpy().tolist()
        [[1.0, 0.0], [2.0, 1.0]]
        >>> operator.solvevec(tf.constant([1.0, 5.0])).numpy().tolist()
        [1.0, 3.0]

    See also: `tf.linalg.LinearOperatorBlockDiag`, `tf.linalg.LinearOperatorLowerTriangular`.
    """

    def __init__(
        self, operators: Sequence[Sequence[LinearOperator]], is_non_singular: Hint = None,
        is_self_adjoint: Hint = None, is_positive_definite: Hint = None, is_square: Hint = None,
        name: str = "LinearOperatorBlockLowerTriangular",
    ) -> None:  # fmt: skip
        parameters = arguments(locals())
        if not isinstance(operators, list | tuple) or not operators:
            raise ValueError(
                f"Argument `operators` must be a list of >=1 operators. Received: {operators}."
            )
        self._operators = [list(row) for row in operators]
        self._check_blocks()
        self._diagonal = [row[-1] for row in self._operators]
        is_non_singular = implied(
            self._diagonal, "is_non_singular", is_non_singular,
            "block lower triangular operator", "non-singular",
        )  # fmt: skip
        if any(operator.is_non_singular is False for operator in self._diagonal):
            if is_non_singular:
                raise ValueError(
                    "A blockwise lower-triangular operator with a singular operator on the main "
                    "diagonal is always singular."
                )
            is_non_singular = False
        if is_square is False or any(o.is_square is False for o in self._diagonal):
            raise ValueError(
                "`LinearOperatorBlockLowerTriangular` and the operators on its diagonal must be "
                "square. Expected `is_square` to be True."
            )
        super().__init__(
            self._operators[0][0].dtype, None, is_non_singular, is_self_adjoint,
            is_positive_definite, True, name, parameters,
        )  # fmt: skip

    def _check_blocks(self) -> None:
        """Raise an error if the blocks do not match."""
        checked_operators([o for row in self._operators for o in row], "block operator")
        for i, row in enumerate(self._operators):
            if len(row) != i + 1:
                raise ValueError(
                    f"Argument `operators[{i}]` must contain `{i + 1}` blocks. Received: "
                    f"{len(row)} blocks."
                )
            for j in range(i):
                for axis, other, place in (
                    (-1, self._operators[i - 1][j], f"{i - 1}][{j}"),
                    (-2, row[j + 1], f"{i}][{j + 1}"),
                ):
                    size, needed = row[j]._sizes()[axis], other._sizes()[axis]
                    if size != needed:
                        name = "domain_dimension" if axis == -1 else "range_dimension"
                        raise ValueError(
                            f"Argument `operators[{i}][{j}].{name}` ({size}) must be the same as "
                            f"`operators[{place}].{name}` ({needed})."
                        )

    @property
    def operators(self) -> list[list[LinearOperator]]:
        """Rows of blocks."""
        return self._operators

    @property
    def _batched(self) -> dict[str, Any]:
        return {"operators": [[0] * len(row) for row in self._operators]}

    def _sizes(self) -> Sizes:
        batch = broadcast(*(o._sizes()[:-2] for row in self._operators for o in row))
        return (*batch, sum(self._block_sizes(-2)), sum(self._block_sizes(-1)))

    def _products(self, blocks: list[Any], adjoint: bool, adjoint_arg: bool) -> list[Any]:
        rows, found = self._operators, []
        for i in range(len(rows)):
            terms = [
                operator.matmul(block, adjoint=adjoint, adjoint_arg=adjoint_arg)
                for operator, block in (
                    [(rows[j][i], blocks[j]) for j in range(i, len(rows))]
                    if adjoint
                    else zip(rows[i], blocks, strict=False)
                )
            ]
            total = terms[0]
            for term in terms[1:]:
                total = total + term
            found.append(total)
        return found

    def _solutions(self, blocks: list[Any], adjoint: bool, adjoint_arg: bool) -> list[Any]:
        rows = self._operators
        found: dict[int, Any] = {}
        places = range(len(rows))
        for i in reversed(places) if adjoint else places:
            rest = adjoint_if(adjoint_arg, blocks[i])
            for j, solution in found.items():
                operator = rows[j][i] if adjoint else rows[i][j]
                rest = rest - operator.matmul(solution, adjoint=adjoint)
            found[i] = rows[i][i].solve(rest, adjoint=adjoint)
        return [found[i] for i in places]

    def _determinant(self) -> Any:
        if all(operator.is_positive_definite for operator in self._diagonal):
            return exp(self._log_abs_determinant())
        return super()._determinant()

    def _to_dense(self) -> Any:
        rows, at = [], 0
        for row in self._operators:
            block = joined([operator.to_dense() for operator in row], -1)
            at += sizes_of(block)[-1] - at
            rows.append(_with_zeros(block, 0, self._sizes()[-1] - at))
        return joined(rows)
