"""Products of ragged batches of matrices: the matrices are padded, multiplied and cut to size."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tfpy._src.base.errors import invalid, invalid_value
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.dispatch import implements
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import DTypeLike, TensorLike
from tfpy._src.tensors.array.complex_numbers import conj
from tfpy._src.tensors.array.making import cast
from tfpy._src.tensors.array.reshaping import expand_dims, squeeze, transpose
from tfpy._src.tensors.composite.ragged.row_partition import Ints
from tfpy._src.tensors.composite.ragged.tensor import RaggedTensor
from tfpy._src.tensors.linalg.products import matmul, matvec


class _Matrices:
    """A padded batch of matrices with the numbers of rows and columns of each matrix."""

    def __init__(self, x: Any, dtype: Any, transposed: bool, adjoint: bool) -> None:
        if not isinstance(x, RaggedTensor):
            self.padded: Tensor = convert_to_tensor(x, dtype)
            batch, height, width = self.padded.aval.shape
            self.sizes: list[Ints] = [np.full(batch, height), np.full(batch, width)]
            self.ragged = [False, False]
        else:
            self.padded = x.to_tensor()
            rows = np.diff(x.splits)
            self.sizes = [rows, _columns(x, rows)]
            self.ragged = [x.uniform_row_length is None, isinstance(x.values, RaggedTensor)]
        if transposed or adjoint:
            self.padded = transpose(conj(self.padded) if adjoint else self.padded, [0, 2, 1])
            self.sizes.reverse()
            self.ragged.reverse()


def _columns(x: RaggedTensor, rows: Ints) -> Ints:
    """Return the number of columns of each matrix."""
    if not isinstance(x.values, RaggedTensor):
        return np.full(rows.size, x.values.aval.shape[1])
    lengths = np.diff(x.values.splits)
    found = np.zeros(rows.size, np.int64)
    filled = rows > 0
    found[filled] = lengths[x.splits[:-1][filled]]
    if not np.array_equal(np.repeat(found, rows), lengths):
        raise _innermost()
    return found


def _dense(x: Any) -> Tensor:
    """Convert a matrix to a tensor.

    Raises:
        InvalidArgumentError: If its rows have different lengths.
    """
    if not isinstance(x, RaggedTensor):
        return convert_to_tensor(x)
    if np.unique(np.diff(x.splits)).size > 1:
        raise _innermost()
    return x.to_tensor()


def _innermost() -> Exception:
    return invalid_value(
        "matmul", "The matrices in `a` and `b` may not be ragged in their innermost dimension."
    )


def _of_batches(a: Any, b: Any, product: Callable[[Any, Any], Any]) -> RaggedTensor:
    """Multiply batches of batches.

    Raises:
        InvalidArgumentError: If they have different sizes.
    """
    x, y = (v if isinstance(v, RaggedTensor) else RaggedTensor.from_tensor(v) for v in (a, b))
    if not np.array_equal(x.splits, y.splits):
        raise invalid("matmul", "Batch dimensions of `a` and `b` do not have the same size.")
    return RaggedTensor(product(x.values, y.values), x.splits, x.uniform_row_length)


@implements(matmul, RaggedTensor)
def ragged_matmul(
    a: Any,
    b: Any,
    transpose_a: bool = False,
    transpose_b: bool = False,
    adjoint_a: bool = False,
    adjoint_b: bool = False,
    a_is_sparse: bool = False,
    b_is_sparse: bool = False,
    output_type: DTypeLike | None = None,
    grad_a: bool = False,
    grad_b: bool = False,
    name: str | None = None,
) -> RaggedTensor | Tensor:
    """Multiply the matrices of two batches. At least one of them is ragged.

    Raises:
        InvalidArgumentError: If matrices do not match, or the rows of one matrix have different
            lengths.
        ValueError: If the ranks differ, or a matrix is both transposed and adjoint.
    """
    for name_of, both in (("a", transpose_a and adjoint_a), ("b", transpose_b and adjoint_b)):
        if both:
            raise ValueError(f"Only one of transpose_{name_of} and adjoint_{name_of} can be True.")
    dtype = (a if isinstance(a, RaggedTensor) else b).dtype
    a, b = (v if isinstance(v, RaggedTensor) else convert_to_tensor(v, dtype) for v in (a, b))
    if a.ndim != b.ndim:
        raise ValueError(f"`a` and `b` must have the same rank, got shapes {a.shape} and {b.shape}")
    options = (transpose_a, transpose_b, adjoint_a, adjoint_b)
    if a.ndim == 2:
        return matmul(_dense(a), _dense(b), *options, output_type=output_type)
    if a.ndim > 3:
        return _of_batches(a, b, lambda x, y: matmul(x, y, *options, output_type=output_type))
    x = _Matrices(a, dtype, transpose_a, adjoint_a)
    y = _Matrices(b, dtype, transpose_b, adjoint_b)
    if not np.array_equal(x.sizes[1], y.sizes[0]):
        raise invalid(
            "matmul",
            f"The inner sizes of the matrices must be equal, got {x.sizes[1].tolist()} and "
            f"{y.sizes[0].tolist()}",
        )
    product = matmul(x.padded, y.padded)
    product = product if output_type is None else cast(product, output_type)
    rows, columns = x.sizes[0].astype(np.int32), y.sizes[1].astype(np.int32)
    if y.ragged[1]:
        found = RaggedTensor.from_tensor(product, lengths=[rows, np.repeat(columns, rows)])
    else:
        found = RaggedTensor.from_tensor(product, lengths=rows)
    width = None if x.ragged[0] else x.padded.aval.shape[1]
    return RaggedTensor(found.values, found.splits, width)


@implements(matvec, RaggedTensor)
def ragged_matvec(
    a: TensorLike,
    b: TensorLike,
    transpose_a: bool = False,
    adjoint_a: bool = False,
    a_is_sparse: bool = False,
    b_is_sparse: bool = False,
    name: str | None = None,
) -> Any:
    """Multiply each matrix of a batch by a vector."""
    return squeeze(matmul(a, expand_dims(b, -1), transpose_a, adjoint_a=adjoint_a), -1)
