"""Products of ragged batches of matrices: those of padded ones, cut to size."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfpy._src.base.errors import invalid, invalid_value
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.dispatch import implements
from tfpy._src.core.tensor import Tensor
from tfpy._src.tensors.array.complex_numbers import conj
from tfpy._src.tensors.array.making import cast
from tfpy._src.tensors.array.reshaping import expand_dims, squeeze, transpose
from tfpy._src.tensors.composite.ragged.row_partition import Ints
from tfpy._src.tensors.composite.ragged.tensor import RaggedTensor
from tfpy._src.tensors.linalg.products import matmul, matvec


class _Matrices:
    """A batch of matrices: padded, with the numbers of rows and columns of each."""

    def __init__(self, x: Any, dtype: Any, transposed: bool, adjoint: bool) -> None:
        if not isinstance(x, RaggedTensor):
            self.padded: Tensor = convert_to_tensor(x, dtype)
            if self.padded.ndim != 3:
                raise _of_rank(self.padded)
            batch, height, width = self.padded.aval.shape
            self.sizes: list[Ints] = [np.full(batch, height), np.full(batch, width)]
            self.ragged = [False, False]
        else:
            if x.ndim != 3:
                raise _of_rank(x)
            self.padded = x.to_tensor()
            rows = np.diff(x.splits)
            self.sizes = [rows, _columns(x, rows)]
            self.ragged = [x.uniform_row_length is None, isinstance(x.values, RaggedTensor)]
        if transposed or adjoint:
            self.padded = transpose(conj(self.padded) if adjoint else self.padded, [0, 2, 1])
            self.sizes.reverse()
            self.ragged.reverse()


def _of_rank(x: Any) -> Exception:
    return invalid_value(
        "matmul",
        "The matrices in `a` and `b` may not be ragged in their innermost dimension: ragged "
        f"tensors of rank 3, batches of matrices, are taken, got shape {x.shape}",
    )


def _columns(x: RaggedTensor, rows: Ints) -> Ints:
    """The width of each matrix."""
    if not isinstance(x.values, RaggedTensor):
        return np.full(rows.size, x.values.aval.shape[1])
    lengths = np.diff(x.values.splits)
    found = np.zeros(rows.size, np.int64)
    filled = rows > 0
    found[filled] = lengths[x.splits[:-1][filled]]
    if not np.array_equal(np.repeat(found, rows), lengths):
        raise invalid_value(
            "matmul", "The matrices in `a` and `b` may not be ragged in their innermost dimension."
        )
    return found


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
    output_type: Any = None,
    grad_a: bool = False,
    grad_b: bool = False,
    name: str | None = None,
) -> RaggedTensor:
    """The product of each pair of matrices of two batches, of which one at least is ragged.

    Raises:
        InvalidArgumentError: when matrices do not fit, or rows of one differ in length.
    """
    dtype = (a if isinstance(a, RaggedTensor) else b).dtype
    x = _Matrices(a, dtype, transpose_a, adjoint_a)
    y = _Matrices(b, dtype, transpose_b, adjoint_b)
    if not np.array_equal(x.sizes[1], y.sizes[0]):
        raise invalid(
            "matmul", f"inner sizes {x.sizes[1].tolist()} and {y.sizes[0].tolist()} differ"
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
    a: Any,
    b: Any,
    transpose_a: bool = False,
    adjoint_a: bool = False,
    a_is_sparse: bool = False,
    b_is_sparse: bool = False,
    name: str | None = None,
) -> Any:
    """The product of each matrix of a batch and a vector."""
    return squeeze(matmul(a, expand_dims(b, -1), transpose_a, adjoint_a=adjoint_a), -1)
