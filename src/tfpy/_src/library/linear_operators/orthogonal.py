"""Orthogonal operators: reflections and permutations."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfpy._src.base.dtypes import (
    float32,
    int32,
)
from tfpy._src.base.errors import InvalidArgumentError
from tfpy._src.core.conversion import convert_to_tensor, get_static_value
from tfpy._src.core.typing import DTypeLike, TensorLike
from tfpy._src.library.linear_operators.batches import (
    Sizes,
    adjoint_if,
    broadcast,
    filled,
    kept,
    sizes_of,
)
from tfpy._src.library.linear_operators.hints import Hint, arguments
from tfpy._src.library.linear_operators.operator import SizedOperator
from tfpy._src.tensors.array.complex_numbers import conj
from tfpy._src.tensors.array.joining import concat
from tfpy._src.tensors.array.making import cast
from tfpy._src.tensors.array.ranges import range as numbers
from tfpy._src.tensors.array.reshaping import broadcast_to
from tfpy._src.tensors.array.slicing import gather
from tfpy._src.tensors.array.sorting import argsort
from tfpy._src.tensors.linalg.diagonals import diag_part, set_diag
from tfpy._src.tensors.linalg.products import matmul
from tfpy._src.tensors.math.statistics import l2_normalize


class LinearOperatorHouseholder(SizedOperator):
    """A reflection at the hyperplane that is orthogonal to an axis, or a batch of them.

    Args:
        reflection_axis: Axes, a float or complex tensor or Variable of shape `[..., n]`. The axes
            are normalized.
        is_non_singular: Hint that the matrices are invertible.
        is_self_adjoint: Hint that the matrices equal their conjugate transposes, which is True.
        is_positive_definite: Hint that the matrices are positive definite, which is False.
        is_square: Hint that the matrices are square, which is True.
        name: Name of the operator.

    Raises:
        ValueError: If `reflection_axis` is a scalar, or a hint is wrong.

    Example:
        >>> import tfpy as tf
        >>> operator = tf.linalg.LinearOperatorHouseholder([1.0, 0.0])
        >>> operator.matvec([3.0, 4.0]).numpy().tolist()
        [-3.0, 4.0]

    See also: `tf.linalg.LinearOperator`, `tf.linalg.LinearOperatorPermutation`.
    """

    def __init__(
        self, reflection_axis: TensorLike, is_non_singular: Hint = None,
        is_self_adjoint: Hint = None, is_positive_definite: Hint = None, is_square: Hint = None,
        name: str = "LinearOperatorHouseholder",
    ) -> None:  # fmt: skip
        parameters = arguments(locals())
        self._reflection_axis = kept(reflection_axis)
        if not sizes_of(self._reflection_axis):
            raise ValueError(
                "Argument reflection_axis must have at least 1 dimension.  Found: "
                f"{self._reflection_axis}"
            )
        for is_wrong, fact in (
            (is_self_adjoint is False, "self adjoint"),
            (is_positive_definite is True, "non-positive definite"),
            (is_square is False, "square"),
        ):
            if is_wrong:
                raise ValueError(f"A Householder operator is always {fact}.")
        super().__init__(
            self._reflection_axis.dtype, None, is_non_singular, True, False, True, name, parameters
        )

    @property
    def reflection_axis(self) -> Any:
        """Axes, a tensor or Variable of shape `[..., n]`."""
        return self._reflection_axis

    @property
    def _batched(self) -> dict[str, Any]:
        return {"reflection_axis": 1}

    def _sizes(self) -> Sizes:
        sizes = sizes_of(self._reflection_axis)
        return (*sizes, sizes[-1])

    def _unit(self) -> Any:
        """Return the normalized axes as columns."""
        return l2_normalize(convert_to_tensor(self._reflection_axis), axis=-1)[..., None]

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        x, axis = adjoint_if(adjoint_arg, x), self._unit()
        return x - 2 * axis * matmul(axis, x, adjoint_a=True)

    def _solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return self._matmul(rhs, adjoint, adjoint_arg)

    def _of_batch(self, value: float) -> Any:
        return filled(self._sizes()[:-2], value, self.dtype)

    def _trace(self) -> Any:
        return self._of_batch(self._sizes()[-1] - 2)

    def _determinant(self) -> Any:
        return self._of_batch(-1)

    def _log_abs_determinant(self) -> Any:
        return self._of_batch(0)

    def _cond(self) -> Any:
        return self._of_batch(1)

    def _to_dense(self) -> Any:
        axis = self._unit()
        matrix = -2 * matmul(axis, axis, adjoint_b=True)
        return set_diag(matrix, 1.0 + diag_part(matrix))

    def _diag_part(self) -> Any:
        axis = self._unit()[..., 0]
        return 1.0 - 2 * axis * conj(axis)

    def _eigvals(self) -> Any:
        *batch, n = sizes_of(self._reflection_axis)
        minus, plus = ((*batch, 1), -1), ((*batch, n - 1), 1)
        return concat([filled(shape, value, self.dtype) for shape, value in (minus, plus)], -1)

    def _assert_non_singular(self) -> None:
        """Do nothing: reflections are invertible."""

    def _assert_positive_definite(self) -> None:
        raise InvalidArgumentError(
            None, None, "Householder operators are always non-positive definite."
        )

    _assert_self_adjoint = _assert_non_singular


class LinearOperatorPermutation(SizedOperator):
    """A permutation of the elements of vectors, or a batch of permutations.

    Args:
        perm: Indices, an integer tensor of shape `[..., n]`. Element `i` of the result of `matvec`
            is element `perm[i]` of the vector.
        dtype: Dtype of the matrices. Default: `tf.float32`.
        is_non_singular: Hint that the matrices are invertible, which is True.
        is_self_adjoint: Hint that the matrices equal their conjugate transposes.
        is_positive_definite: Hint that the matrices are positive definite.
        is_square: Hint that the matrices are square, which is True.
        name: Name of the operator.

    Raises:
        ValueError: If `perm` is not a permutation, or a hint is wrong.
        TypeError: If the dtype of `perm` is not an integer dtype.

    Example:
        >>> import tfpy as tf
        >>> operator = tf.linalg.LinearOperatorPermutation([1, 2, 0])
        >>> operator.matvec([10.0, 20.0, 30.0]).numpy().tolist()
        [20.0, 30.0, 10.0]

    See also: `tf.gather`, `tf.math.invert_permutation`.
    """

    def __init__(
        self, perm: TensorLike, dtype: DTypeLike = float32, is_non_singular: Hint = None,
        is_self_adjoint: Hint = None, is_positive_definite: Hint = None, is_square: Hint = None,
        name: str = "LinearOperatorPermutation",
    ) -> None:  # fmt: skip
        parameters = arguments(locals())
        self._perm = kept(perm)
        self._check_perm()
        for hint, fact in (("is_non_singular", "non-singular"), ("is_square", "square")):
            if parameters[hint] is False:
                raise ValueError(
                    f"A Permutation operator is always {fact}. Expected argument `{hint}` to be "
                    "True. Received: False."
                )
        super().__init__(
            dtype, None, is_non_singular, is_self_adjoint, is_positive_definite, True, name,
            parameters,
        )  # fmt: skip

    def _check_perm(self) -> None:
        """Raise an error if the indices are no permutation."""
        if not sizes_of(self._perm):
            raise ValueError(
                f"Argument `perm` must have at least 1 dimension. Received: {self._perm}."
            )
        if not self._perm.dtype.is_integer:
            raise TypeError(f"Argument `perm` must be integer dtype. Received: {self._perm}.")
        known = get_static_value(self._perm)
        if known is not None and np.any(np.sort(known, -1) != np.arange(known.shape[-1])):
            raise ValueError(
                "Argument `perm` must be a vector of unique integers from 0 to "
                f"{known.shape[-1] - 1}."
            )

    @property
    def perm(self) -> Any:
        """Indices, a tensor or Variable of shape `[..., n]`."""
        return self._perm

    @property
    def _batched(self) -> dict[str, Any]:
        return {"perm": 1}

    def _sizes(self) -> Sizes:
        sizes = sizes_of(self._perm)
        return (*sizes, sizes[-1])

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        perm, x = convert_to_tensor(self._perm), adjoint_if(adjoint_arg, x)
        if adjoint and not self.is_self_adjoint:
            perm = argsort(perm, axis=-1)
        batch = broadcast(sizes_of(x)[:-2], sizes_of(perm)[:-1])
        x = broadcast_to(x, (*batch, *sizes_of(x)[-2:]))
        perm = broadcast_to(perm, (*batch, sizes_of(perm)[-1]))
        return gather(x, perm, axis=-2, batch_dims=len(batch))

    def _solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return self._matmul(rhs, not adjoint, adjoint_arg)

    def _log_abs_determinant(self) -> Any:
        return filled(self._sizes()[:-2], 0, self.dtype)

    def _cond(self) -> Any:
        return filled(self._sizes()[:-2], 1, self.dtype)

    def _to_dense(self) -> Any:
        perm = cast(self._perm, int32)
        return cast(numbers(sizes_of(perm)[-1]) == perm[..., None], self.dtype)

    def _diag_part(self) -> Any:
        perm = cast(self._perm, int32)
        return cast(numbers(sizes_of(perm)[-1]) == perm, self.dtype)

    def _assert_non_singular(self) -> None:
        """Do nothing: permutations are invertible."""
