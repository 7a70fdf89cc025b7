"""The base class of linear operators: name, dtype, shape and hints."""

from __future__ import annotations

from abc import ABCMeta, abstractmethod
from typing import Any

from tfpy._src.base.dtypes import DType, as_dtype, int32
from tfpy._src.core.dimension import Dimension
from tfpy._src.core.sizes import as_tensor
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.tensor_shape import TensorShape
from tfpy._src.core.typing import DTypeLike
from tfpy._src.library.linear_operators.batches import Sizes
from tfpy._src.library.linear_operators.hints import Hint
from tfpy._src.tensors.variables.module import Module


class _Given:
    """The arguments of a constructor. Modules do not look for Variables in it."""

    def __init__(self, values: dict[str, Any] | None) -> None:
        self.values = values or {}


class Shaped(Module, metaclass=ABCMeta):
    """A module with a dtype, the shape of a batch of matrices, and hints."""

    def __init__(
        self, dtype: DTypeLike, is_non_singular: Hint, is_self_adjoint: Hint,
        is_positive_definite: Hint, is_square: Hint, name: str | None,
        parameters: dict[str, Any] | None,
    ) -> None:  # fmt: skip
        if is_positive_definite:
            if is_non_singular is False:
                raise ValueError("A positive definite matrix is always non-singular.")
            is_non_singular = True
        if is_non_singular:
            if is_square is False:
                raise ValueError("A non-singular matrix is always square.")
            is_square = True
        if is_self_adjoint:
            if is_square is False:
                raise ValueError("A self-adjoint matrix is always square.")
            is_square = True
        self._is_square_hint = is_square
        self._dtype = as_dtype(dtype)
        self._is_non_singular = is_non_singular
        self._is_self_adjoint = is_self_adjoint
        self._is_positive_definite = is_positive_definite
        self._given = _Given(parameters)
        self._name = self._scope = name or type(self).__name__

    @property
    def parameters(self) -> dict[str, Any]:
        """Arguments with which the operator was created, by name."""
        return dict(self._given.values)

    @property
    def dtype(self) -> DType:
        """Dtype of the elements."""
        return self._dtype

    @property
    def is_non_singular(self) -> Hint:
        """True if the matrices are invertible, None if it is unknown."""
        return self._is_non_singular

    @property
    def is_self_adjoint(self) -> Hint:
        """True if the matrices equal their conjugate transposes, None if it is unknown."""
        return self._is_self_adjoint

    @property
    def is_positive_definite(self) -> Hint:
        """True if the real part of `x^H A x` is positive for all nonzero x, None if unknown."""
        return self._is_positive_definite

    @property
    def is_square(self) -> Hint:
        """True if the matrices have as many rows as columns.

        Raises:
            ValueError: If the hint is False, but the matrices are square.
        """
        rows, columns = self._sizes()[-2:]
        is_square = rows == columns
        if self._is_square_hint is False and is_square:
            raise ValueError("User set is_square hint to False, but the operator was square.")
        return is_square if self._is_square_hint is None else self._is_square_hint

    @abstractmethod
    def _shape(self) -> TensorShape:
        """Return the shape `[..., rows, columns]`."""

    def _sizes(self) -> Sizes:
        """Return the shape as integers."""
        return tuple(self._shape())

    @property
    def shape(self) -> TensorShape:
        """Shape `[..., rows, columns]` of the matrices, a `tf.TensorShape`."""
        return self._shape()

    def shape_tensor(self, name: str = "shape_tensor") -> Tensor:
        """Return the shape of the matrices as a tensor.

        Returns:
            An int32 vector.
        """
        return as_tensor(self._sizes(), int32)

    @property
    def batch_shape(self) -> TensorShape:
        """Shape without the last two dimensions, a `tf.TensorShape`."""
        return self.shape[:-2]

    def batch_shape_tensor(self, name: str = "batch_shape_tensor") -> Tensor:
        """Return the shape without the last two dimensions as a tensor.

        Returns:
            An int32 vector.
        """
        return as_tensor(self._sizes()[:-2], int32)

    @property
    def tensor_rank(self) -> int | None:
        """Number of dimensions of the dense tensor of the matrices."""
        return self.shape.rank

    def tensor_rank_tensor(self, name: str = "tensor_rank_tensor") -> Tensor:
        """Return the number of dimensions of the dense tensor as a tensor.

        Returns:
            An int32 scalar.
        """
        return as_tensor(len(self._sizes()), int32)

    @property
    def domain_dimension(self) -> Dimension:
        """Number of columns, the length of the vectors that the operator is applied to."""
        return Dimension(self.shape[-1])

    def domain_dimension_tensor(self, name: str = "domain_dimension_tensor") -> Tensor:
        """Return the number of columns as a tensor.

        Returns:
            An int32 scalar.
        """
        return as_tensor(self._sizes()[-1], int32)

    @property
    def range_dimension(self) -> Dimension:
        """Number of rows, the length of the results of `matvec`."""
        return Dimension(self.shape[-2])

    def range_dimension_tensor(self, name: str = "range_dimension_tensor") -> Tensor:
        """Return the number of rows as a tensor.

        Returns:
            An int32 scalar.
        """
        return as_tensor(self._sizes()[-2], int32)

    def _check_input_dtype(self, arg: Any) -> None:
        """Raise a TypeError if an argument has a different dtype."""
        if arg.dtype != self.dtype:
            raise TypeError(
                f"Expected argument to have dtype {self.dtype}.  Found: {arg.dtype} in tensor {arg}"
            )

    def _check_size(self, own: int, arg: Any, axis: int) -> None:
        """Raise a ValueError if a dimension of an argument does not match the operator."""
        if arg.aval.rank < -axis:
            raise ValueError(
                f"{self.name} expects a tensor of rank {-axis} or more, got shape {arg.shape}"
            )
        Dimension(self._sizes()[own]).assert_is_compatible_with(arg.aval.shape[axis])
