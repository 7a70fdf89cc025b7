"""Toeplitz and tridiagonal operators."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tfpy._src.core.conversion import constant, convert_to_tensor
from tfpy._src.core.typing import TensorLike
from tfpy._src.library.debugging.assertions import assert_equal
from tfpy._src.library.linear_operators.assertions import assert_real
from tfpy._src.library.linear_operators.batches import (
    Sizes,
    adjoint_if,
    batch_of,
    broadcast,
    filled,
    kept,
    sizes_of,
    to_complex,
    with_batch,
)
from tfpy._src.library.linear_operators.circulant import LinearOperatorCirculant
from tfpy._src.library.linear_operators.hints import Hint, arguments
from tfpy._src.library.linear_operators.operator import SizedOperator
from tfpy._src.tensors.array.complex_numbers import conj
from tfpy._src.tensors.array.joining import concat, stack, unstack
from tfpy._src.tensors.array.making import cast, zeros_like
from tfpy._src.tensors.array.reordering import reverse, roll
from tfpy._src.tensors.array.reshaping import broadcast_to
from tfpy._src.tensors.array.slicing import take
from tfpy._src.tensors.linalg.banded import tridiagonal_matmul, tridiagonal_solve
from tfpy._src.tensors.linalg.diagonals import diag, diag_part
from tfpy._src.tensors.linalg.products import adjoint as adjoint_of
from tfpy._src.tensors.signal.fourier import fft


class LinearOperatorToeplitz(SizedOperator):
    """A square matrix with constant diagonals, or a batch of them.

    Args:
        col: First columns, a float or complex tensor or Variable of shape `[..., n]`.
        row: First rows, of the shape of `col`. The first element is ignored, because it is in
            `col`.
        is_non_singular: Hint that the matrices are invertible.
        is_self_adjoint: Hint that the matrices equal their conjugate transposes.
        is_positive_definite: Hint that the matrices are positive definite.
        is_square: Hint that the matrices are square, which is True.
        name: Name of the operator.

    Raises:
        ValueError: If `col` and `row` have different lengths, or `is_square` is False.

    Example:
        >>> import tfpy as tf
        >>> operator = tf.linalg.LinearOperatorToeplitz([1.0, 2.0, 3.0], [1.0, 4.0, 9.0])
        >>> operator.to_dense().numpy().tolist()
        [[1.0, 4.0, 9.0], [2.0, 1.0, 4.0], [3.0, 2.0, 1.0]]

    See also: `tf.linalg.LinearOperatorCirculant`, `tf.linalg.LinearOperatorTridiag`.
    """

    def __init__(
        self, col: TensorLike, row: TensorLike, is_non_singular: Hint = None,
        is_self_adjoint: Hint = None, is_positive_definite: Hint = None, is_square: Hint = None,
        name: str = "LinearOperatorToeplitz",
    ) -> None:  # fmt: skip
        parameters = arguments(locals())
        self._row, self._col = kept(row), kept(col)
        for name_, vector in (("row", self._row), ("col", self._col)):
            if not sizes_of(vector):
                raise ValueError(
                    f"Argument {name_} must have at least 1 dimension.  Found: {vector}"
                )
        if sizes_of(self._row)[-1] != sizes_of(self._col)[-1]:
            raise ValueError("Expected square matrix, got row and col with mismatched dimensions.")
        if is_square is False:
            raise ValueError("Only square Toeplitz operators currently supported.")
        super().__init__(
            self._row.dtype, None, is_non_singular, is_self_adjoint, is_positive_definite, True,
            name, parameters,
        )  # fmt: skip

    @property
    def col(self) -> Any:
        """First columns, a tensor or Variable of shape `[..., n]`."""
        return self._col

    @property
    def row(self) -> Any:
        """First rows, a tensor or Variable of shape `[..., n]`."""
        return self._row

    @property
    def _batched(self) -> dict[str, Any]:
        return {"col": 1, "row": 1}

    def _sizes(self) -> Sizes:
        sizes = broadcast(sizes_of(self._row), sizes_of(self._col))
        return (*sizes, sizes[-1])

    def _vectors(self) -> tuple[Any, Any]:
        """Return the columns and the rows, broadcast to the same shape."""
        sizes = self._sizes()[:-1]
        return broadcast_to(self._col, sizes), broadcast_to(self._row, sizes)

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        x = adjoint_if(adjoint_arg, x)
        col, row = self._vectors()
        padded = concat([col, zeros_like(col[..., :1]), reverse(row[..., 1:], [-1])], -1)
        circulant = LinearOperatorCirculant(fft(to_complex(padded)), self.dtype)
        result = circulant.matmul(concat([x, zeros_like(x)], -2), adjoint=adjoint)
        return result[..., : self._sizes()[-1], :]

    def _trace(self) -> Any:
        return cast(self._sizes()[-1], self.dtype) * self._col[..., 0]

    def _diag_part(self) -> Any:
        return self._col[..., :1] * filled((self._sizes()[-1],), 1, self.dtype)

    def _to_dense(self) -> Any:
        col, row = self._vectors()
        n = self._sizes()[-1]
        elements = concat([reverse(col, [-1]), row[..., 1:]], -1)
        places = np.arange(n) + np.arange(n - 1, -1, -1)[:, None]
        return take(elements, constant(places.astype(np.int32)), axis=-1)

    def _assert_self_adjoint(self) -> None:
        message = "row and col are not the same, and so this operator is not self-adjoint."
        assert_equal(self._row, self._col, message)


class LinearOperatorTridiag(SizedOperator):
    """A square tridiagonal matrix, or a batch of them.

    Args:
        diagonals: Diagonals of the matrices in the format `diagonals_format`.
        diagonals_format: Format of `diagonals`. `"compact"` (default) is one tensor of shape
            `[..., 3, n]` with the diagonal above the main one, the main diagonal and the diagonal
            below. The last element above and the first element below are ignored. `"sequence"` is
            a list of these three diagonals. `"matrix"` is a tensor of dense matrices.
        is_non_singular: Hint that the matrices are invertible.
        is_self_adjoint: Hint that the matrices equal their conjugate transposes.
        is_positive_definite: Hint that the matrices are positive definite.
        is_square: Hint that the matrices are square.
        name: Name of the operator.

    Raises:
        ValueError: If the format is unknown.

    Example:
        >>> import tfpy as tf
        >>> diagonals = [[3.0, 4.0, 0.0], [1.0, 1.0, 1.0], [0.0, 5.0, 6.0]]
        >>> operator = tf.linalg.LinearOperatorTridiag(diagonals)
        >>> operator.to_dense().numpy().tolist()
        [[1.0, 3.0, 0.0], [5.0, 1.0, 4.0], [0.0, 6.0, 1.0]]

    See also: `tf.linalg.tridiagonal_solve`, `tf.linalg.LinearOperatorToeplitz`.
    """

    def __init__(
        self, diagonals: TensorLike | Sequence[TensorLike], diagonals_format: str = "compact",
        is_non_singular: Hint = None, is_self_adjoint: Hint = None,
        is_positive_definite: Hint = None, is_square: Hint = None,
        name: str = "LinearOperatorTridiag",
    ) -> None:  # fmt: skip
        parameters = arguments(locals())
        if diagonals_format not in ("compact", "matrix", "sequence"):
            raise ValueError(
                "Argument `diagonals_format` must be one of compact, matrix, or sequence. Received "
                f": {diagonals_format}."
            )
        self._format = diagonals_format
        given: Any = diagonals
        self._diagonals: Any = (
            [kept(d) for d in given] if diagonals_format == "sequence" else kept(given)
        )
        first: Any = self._diagonals[0] if diagonals_format == "sequence" else self._diagonals
        super().__init__(
            first.dtype, None, is_non_singular, is_self_adjoint, is_positive_definite, is_square,
            name, parameters,
        )  # fmt: skip

    @property
    def diagonals(self) -> Any:
        """Diagonals in the format `diagonals_format`."""
        return self._diagonals

    @property
    def diagonals_format(self) -> str:
        """Format of the diagonals."""
        return self._format

    @property
    def _batched(self) -> dict[str, Any]:
        return {"diagonals": [1, 1, 1] if self._format == "sequence" else 2}

    def _sizes(self) -> Sizes:
        if self._format == "sequence":
            batch = broadcast(*(sizes_of(d)[:-1] for d in self._diagonals))
            n = sizes_of(self._diagonals[1])[-1]
            return (*batch, n, n)
        sizes = sizes_of(self._diagonals)
        return sizes if self._format == "matrix" else (*sizes[:-2], sizes[-1], sizes[-1])

    def _lines(self, adjoint: bool) -> list[Any]:
        """Return the diagonals above, on and below the main one, with the same shape."""
        if self._format == "matrix":
            x = convert_to_tensor(self._diagonals)
            n = self._sizes()[-1]
            between = {k: diag_part(x, k=k) for k in (1, 0, -1)}
            edge = zeros_like(between[0][..., : min(n, 1)])
            lines = [
                concat([between[1], edge], -1), between[0], concat([edge, between[-1]], -1)
            ]  # fmt: skip
        elif self._format == "sequence":
            lines = [broadcast_to(d, self._sizes()[:-1]) for d in self._diagonals]
        else:
            lines = unstack(convert_to_tensor(self._diagonals), axis=-2)
        if not adjoint:
            return lines
        above, main, below = map(conj, lines)
        return [roll(below, shift=-1, axis=-1), main, roll(above, shift=1, axis=-1)]

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return tridiagonal_matmul(
            self._lines(adjoint), adjoint_if(adjoint_arg, x), diagonals_format="sequence"
        )

    def _solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        compact, rhs = stack(self._lines(adjoint), axis=-2), adjoint_if(adjoint_arg, rhs)
        batch = batch_of(compact, rhs)
        return tridiagonal_solve(with_batch(compact, batch), with_batch(rhs, batch))

    def _diag_part(self) -> Any:
        return self._lines(adjoint=False)[1]

    def _to_dense(self) -> Any:
        if self._format == "matrix":
            return self._diagonals
        above, main, below = self._lines(adjoint=False)
        return diag(above[..., :-1], k=1) + diag(main) + diag(below[..., 1:], k=-1)

    def _assert_self_adjoint(self) -> None:
        if self._format == "matrix":
            dense = convert_to_tensor(self._diagonals)
            assert_equal(dense, adjoint_of(dense), "Matrix was not equal to its adjoint.")
            return
        above, main, below = self._lines(adjoint=False)
        kind = "This tridiagonal operator"
        assert_real(main, f"{kind} contained non-zero imaginary values on the diagonal.")
        message = f"{kind} has non-conjugate subdiagonal and superdiagonal."
        assert_equal(conj(below[..., 1:]), above[..., :-1], message)
