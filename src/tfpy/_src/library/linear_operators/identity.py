"""Multiples of the identity, including zero."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfpy._src.base.dtypes import as_dtype, float32
from tfpy._src.base.errors import InvalidArgumentError
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.primitives import abs as magnitude, log
from tfpy._src.core.tensor_shape import TensorShape
from tfpy._src.core.typing import DTypeLike, IntLike, ShapeLike, TensorLike
from tfpy._src.library.debugging.assertions import assert_equal, assert_positive
from tfpy._src.library.linear_operators.batches import (
    Sizes,
    add_to_diagonal,
    adjoint_if,
    broadcast,
    filled,
    kept,
    sizes_of,
)
from tfpy._src.library.linear_operators.hints import Hint, arguments, diagonal_hint
from tfpy._src.library.linear_operators.operator import SizedOperator
from tfpy._src.tensors.array.complex_numbers import conj, imag, real
from tfpy._src.tensors.array.making import cast
from tfpy._src.tensors.array.reshaping import broadcast_to
from tfpy._src.tensors.array.slicing import where
from tfpy._src.tensors.array.static import static_int, static_ints
from tfpy._src.tensors.linalg.diagonals import diag_part, set_diag
from tfpy._src.tensors.variables.variable import Variable


def _check_size(name: str, given: Any, rank: int) -> None:
    """Raise an error if an argument is not an integer (rank 0) or a list of integers (rank 1)."""
    if isinstance(given, Variable):
        raise TypeError(f"Argument {name} cannot be reference type. Found : {type(given)}.")
    if isinstance(given, int | TensorShape) and rank == isinstance(given, TensorShape):
        return
    tensor = convert_to_tensor(given)
    if tensor.ndim != rank:
        raise ValueError(f"Argument {name} must be a {rank}-D Tensor.  Found: {given}")
    if not tensor.dtype.is_integer and 0 not in tensor.aval.shape:
        raise TypeError(f"Argument {name} must be integer type.  Found: {given}")


class _Constant(SizedOperator):
    """A base class of operators with a constant matrix and a batch shape."""

    _batch: Sizes | None
    _rows: int
    _columns: int

    def _take_sizes(self, rows: IntLike, columns: IntLike, batch: ShapeLike | None) -> None:
        """Store the shape.

        Raises:
            ValueError: If a size is negative, or an argument does not have the right rank.
            TypeError: If an argument is a Variable, or does not consist of integers.
        """
        for name, given, rank in (
            ("num_rows", rows, 0), ("num_columns", columns, 0), ("batch_shape", batch, 1)
        ):  # fmt: skip
            if given is not None:
                _check_size(name, given, rank)
        self._rows, self._columns = static_int(rows), static_int(columns)
        for name, size in (("num_rows", self._rows), ("num_columns", self._columns)):
            if size < 0:
                raise ValueError(f"Argument {name} must be non-negative.  Found: {size}")
        self._batch = None if batch is None else static_ints(batch)
        if self._batch is not None and any(n < 0 for n in self._batch):
            raise ValueError(f"Argument batch_shape must be non-negative.  Found:{self._batch}")

    def _sizes(self) -> Sizes:
        return (*(self._batch or ()), self._rows, self._columns)

    def _everywhere(self, value: float, *sizes: int) -> Any:
        """Return a tensor of one value for each matrix, or of vectors of this value."""
        return filled((*(self._batch or ()), *sizes), value, self.dtype)

    def _with_batch(self, x: Any) -> Any:
        batch = broadcast(self._batch or (), sizes_of(x)[:-2])
        return x if batch == sizes_of(x)[:-2] else broadcast_to(x, (*batch, *sizes_of(x)[-2:]))

    def _indexed(self, keys: tuple[Any, ...], batch: Sizes) -> Any:
        own = self._batch or ()
        picked = np.empty((*(1,) * (len(batch) - len(own)), *own))
        found = [
            (slice(None) if isinstance(key, slice) else 0)
            if key is not None and key is not Ellipsis and n == 1
            else key
            for key, n in zip(keys, (*picked.shape, *(2,) * len(keys)), strict=False)
        ]
        return self._replaced({"batch_shape": picked[tuple(found)].shape})


class LinearOperatorIdentity(_Constant):
    """An identity matrix, or a batch of them.

    Args:
        num_rows: Number of rows and columns, a non-negative integer.
        batch_shape: Batch shape. Default: none.
        dtype: Dtype of the matrices. Default: `tf.float32`.
        is_non_singular: Hint that the matrices are invertible, which is True.
        is_self_adjoint: Hint that the matrices equal their conjugate transposes, which is True.
        is_positive_definite: Hint that the matrices are positive definite, which is True.
        is_square: Hint that the matrices are square, which is True.
        assert_proper_shapes: Has no effect, because shapes are always checked.
        name: Name of the operator.

    Raises:
        ValueError: If a hint is not True, or a size is negative.

    Example:
        >>> import tfpy as tf
        >>> operator = tf.linalg.LinearOperatorIdentity(2, batch_shape=[3])
        >>> operator.shape, float(operator.trace()[0])
        (TensorShape([3, 2, 2]), 2.0)

    See also: `tf.linalg.LinearOperatorScaledIdentity`, `tf.eye`.
    """

    def __init__(
        self, num_rows: IntLike, batch_shape: ShapeLike | None = None,
        dtype: DTypeLike | None = None, is_non_singular: Hint = True, is_self_adjoint: Hint = True,
        is_positive_definite: Hint = True, is_square: Hint = True,
        assert_proper_shapes: bool = False, name: str = "LinearOperatorIdentity",
    ) -> None:  # fmt: skip
        parameters = arguments(locals())
        for hint, fact in (
            (is_self_adjoint, "self adjoint"), (is_non_singular, "non-singular"),
            (is_positive_definite, "positive-definite"), (is_square, "square"),
        ):  # fmt: skip
            if not hint:
                raise ValueError(f"An identity operator is always {fact}.")
        super().__init__(
            dtype or float32, None, is_non_singular, is_self_adjoint, is_positive_definite,
            is_square, name, parameters,
        )  # fmt: skip
        self._take_sizes(num_rows, num_rows, batch_shape)

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return self._with_batch(adjoint_if(adjoint_arg, x))

    def _solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return self._matmul(rhs, adjoint_arg=adjoint_arg)

    def _determinant(self) -> Any:
        return self._everywhere(1)

    def _log_abs_determinant(self) -> Any:
        return self._everywhere(0)

    def _trace(self) -> Any:
        return self._everywhere(self._rows)

    def _diag_part(self) -> Any:
        return self._everywhere(1, self._rows)

    _eigvals = _diag_part
    _cond = _determinant

    def _add_to_tensor(self, x: Any) -> Any:
        return set_diag(x, 1 + diag_part(x))

    def _assert_non_singular(self) -> None:
        """Do nothing: the assertion always holds."""

    _assert_positive_definite = _assert_self_adjoint = _assert_non_singular


class LinearOperatorScaledIdentity(_Constant):
    """A multiple of an identity matrix, or a batch of them.

    Args:
        num_rows: Number of rows and columns, a non-negative integer.
        multiplier: Factors, a float or complex tensor or Variable of the shape `batch_shape`.
        is_non_singular: Hint that the matrices are invertible.
        is_self_adjoint: Hint that the matrices equal their conjugate transposes. It is True for
            real dtypes.
        is_positive_definite: Hint that the matrices are positive definite.
        is_square: Hint that the matrices are square, which is True.
        assert_proper_shapes: Has no effect, because shapes are always checked.
        name: Name of the operator.

    Raises:
        ValueError: If a hint is wrong, or a size is negative.

    Example:
        >>> import tfpy as tf
        >>> operator = tf.linalg.LinearOperatorScaledIdentity(2, multiplier=3.0)
        >>> operator.matvec([1.0, 2.0]).numpy().tolist(), float(operator.determinant())
        ([3.0, 6.0], 9.0)

    See also: `tf.linalg.LinearOperatorIdentity`, `tf.linalg.LinearOperatorDiag`.
    """

    def __init__(
        self, num_rows: IntLike, multiplier: TensorLike, is_non_singular: Hint = None,
        is_self_adjoint: Hint = None, is_positive_definite: Hint = None, is_square: Hint = True,
        assert_proper_shapes: bool = False, name: str = "LinearOperatorScaledIdentity",
    ) -> None:  # fmt: skip
        parameters = arguments(locals())
        self._multiplier = kept(multiplier)
        if not is_square:
            raise ValueError("A ScaledIdentity operator is always square.")
        dtype = as_dtype(self._multiplier.dtype)
        super().__init__(
            dtype, None, is_non_singular, diagonal_hint(dtype, is_self_adjoint),
            is_positive_definite, is_square, name, parameters,
        )  # fmt: skip
        self._take_sizes(num_rows, num_rows, sizes_of(self._multiplier))

    @property
    def multiplier(self) -> Any:
        """Factors, a tensor or Variable of the shape `batch_shape`."""
        return self._multiplier

    @property
    def _batched(self) -> dict[str, Any]:
        return {"multiplier": 0}

    def _indexed(self, keys: tuple[Any, ...], batch: Sizes) -> Any:
        return SizedOperator._indexed(self, keys, batch)

    def _factors(self, adjoint: bool) -> Any:
        return (conj(self._multiplier) if adjoint else self._multiplier)[..., None, None]

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return adjoint_if(adjoint_arg, x) * self._factors(adjoint)

    def _solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return adjoint_if(adjoint_arg, rhs) / self._factors(adjoint)

    def _determinant(self) -> Any:
        return self._multiplier ** cast(self._rows, self.dtype)

    def _log_abs_determinant(self) -> Any:
        return log(magnitude(self._multiplier)) * float(self._rows)

    def _trace(self) -> Any:
        return self._multiplier * float(self._rows)

    def _diag_part(self) -> Any:
        return self._everywhere(1, self._rows) * self._multiplier[..., None]

    _eigvals = _diag_part

    def _add_to_tensor(self, x: Any) -> Any:
        return add_to_diagonal(x, self._multiplier[..., None])

    def _cond(self) -> Any:
        one, nan = cast(1.0, self.dtype), cast(float("nan"), self.dtype)
        return where(convert_to_tensor(self._multiplier) == 0, nan, one)

    def _assert_non_singular(self) -> None:
        assert_positive(magnitude(self._multiplier), "LinearOperator was singular")

    def _assert_positive_definite(self) -> None:
        assert_positive(real(self._multiplier), "LinearOperator was not positive definite.")

    def _assert_self_adjoint(self) -> None:
        parts = imag(self._multiplier)
        assert_equal(parts * 0, parts, "LinearOperator was not self-adjoint")


class LinearOperatorZeros(_Constant):
    """A matrix of zeros, or a batch of them.

    Args:
        num_rows: Number of rows, a non-negative integer.
        num_columns: Number of columns. Default: `num_rows`.
        batch_shape: Batch shape. Default: none.
        dtype: Dtype of the matrices. Default: `tf.float32`.
        is_non_singular: Hint that the matrices are invertible, which is False.
        is_self_adjoint: Hint that the matrices equal their conjugate transposes, which is True if
            they are square.
        is_positive_definite: Hint that the matrices are positive definite, which is False.
        is_square: Hint that the matrices are square. Default: True.
        assert_proper_shapes: Has no effect, because shapes are always checked.
        name: Name of the operator.

    Raises:
        ValueError: If a hint is wrong, or a size is negative.

    Example:
        >>> import tfpy as tf
        >>> tf.linalg.LinearOperatorZeros(2).to_dense().numpy().tolist()
        [[0.0, 0.0], [0.0, 0.0]]

    See also: `tf.linalg.LinearOperatorIdentity`, `tf.zeros`.
    """

    def __init__(
        self, num_rows: IntLike, num_columns: IntLike | None = None,
        batch_shape: ShapeLike | None = None, dtype: DTypeLike | None = None,
        is_non_singular: Hint = False, is_self_adjoint: Hint = True,
        is_positive_definite: Hint = False, is_square: Hint = True,
        assert_proper_shapes: bool = False, name: str = "LinearOperatorZeros",
    ) -> None:  # fmt: skip
        parameters = arguments(locals())
        for is_wrong, fact in (
            (not is_self_adjoint and is_square, "self adjoint"), (is_non_singular, "singular"),
            (is_positive_definite, "not positive-definite"),
        ):  # fmt: skip
            if is_wrong:
                raise ValueError(f"A zero operator is always {fact}.")
        super().__init__(
            dtype or float32, None, is_non_singular, is_self_adjoint, is_positive_definite,
            is_square, name, parameters,
        )  # fmt: skip
        self._take_sizes(num_rows, num_rows if num_columns is None else num_columns, batch_shape)
        if is_square and self._rows != self._columns:
            raise ValueError(
                "LinearOperatorZeros initialized as is_square=True, but got "
                f"num_rows({self._rows}) != num_columns({self._columns})"
            )

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        rows = self._columns if adjoint else self._rows
        columns = sizes_of(x)[-2 if adjoint_arg else -1]
        batch = broadcast(self._batch or (), sizes_of(x)[:-2])
        return filled((*batch, rows, columns), 0, self.dtype)

    def _determinant(self) -> Any:
        return self._everywhere(0)

    _trace = _determinant

    def _diag_part(self) -> Any:
        return self._everywhere(0, min(self._rows, self._columns))

    _eigvals = _diag_part

    def _add_to_tensor(self, x: Any) -> Any:
        return self._with_batch(x)

    def _assert_non_singular(self) -> None:
        raise InvalidArgumentError(None, None, "Zero operators are always non-invertible.")

    def _assert_positive_definite(self) -> None:
        raise InvalidArgumentError(None, None, "Zero operators are always non-positive definite.")

    def _assert_self_adjoint(self) -> None:
        """Do nothing: the assertion always holds."""
