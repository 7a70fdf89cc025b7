"""Matrices in compressed sparse row format: `CSRSparseMatrix...` and `SparseMatrix...`.

The positions of the values are known on the host. Products are computed as dense products.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from tfpy._src.base.dtypes import DType, as_dtype, int32, int64
from tfpy._src.base.errors import invalid
from tfpy._src.core.conversion import constant, convert_to_tensor, host_values
from tfpy._src.core.tensor import Tensor
from tfpy._src.formats.raw_ops.records import op
from tfpy._src.tensors.array.complex_numbers import conj
from tfpy._src.tensors.array.scattering import gather_nd, scatter_nd
from tfpy._src.tensors.array.slicing import gather
from tfpy._src.tensors.linalg.products import matmul, matrix_transpose

_MOST = int(np.iinfo(np.int32).max)


@dataclass(frozen=True, slots=True)
class CompressedMatrix:
    """A matrix, or a batch of matrices, with values for some positions only.

    Attributes:
        indices: Integer array of shape [n, 2] or [n, 3], in row-major order.
        values: Tensor of shape [n].
        shape: Shape of the matrices.
    """

    indices: np.ndarray[Any, Any]
    values: Tensor
    shape: tuple[int, ...]

    @property
    def counts(self) -> np.ndarray[Any, Any]:
        """Number of values in each row, of shape [batch, rows]."""
        batch, rows = self.shape[0] if len(self.shape) == 3 else 1, self.shape[-2]
        flat = self.indices[:, -2]
        if len(self.shape) == 3:
            flat = self.indices[:, 0] * rows + flat
        return np.bincount(flat, minlength=batch * rows).reshape(batch, rows)

    def dense(self) -> Tensor:
        """Return the matrices as a tensor."""
        return scatter_nd(constant(self.indices, int64), self.values, self.shape)

    def mask(self) -> np.ndarray[Any, Any]:
        """Return a bool array that is True where a value is stored."""
        found = np.zeros(self.shape, bool)
        found[tuple(self.indices.T)] = True
        return found


def _matrix(handle: Any, operation: str, dtype: Any = None) -> CompressedMatrix:
    """Return the input of an operation.

    Raises:
        InvalidArgumentError: If it is not a sparse matrix, or does not have the dtype.
    """
    if not isinstance(handle, CompressedMatrix):
        raise invalid(operation, f"Invalid input matrix: expected a sparse matrix, got {handle!r}")
    if dtype is not None and as_dtype(dtype) != handle.values.dtype:
        raise invalid(
            operation,
            f"Asked for a CSRSparseMatrix of type {as_dtype(dtype).name} but saw dtype: "
            f"{handle.values.dtype.name}",
        )
    return handle


def _of_mask(dense: Tensor, mask: np.ndarray[Any, Any]) -> CompressedMatrix:
    """Return a matrix with the values of a tensor where a bool array is True."""
    indices = np.argwhere(mask)
    values = gather_nd(dense, constant(indices, int64))
    return CompressedMatrix(indices, values, tuple(mask.shape))


def _of_parts(indices: Any, values: Any, dense_shape: Any) -> CompressedMatrix:
    places, given = np.asarray(host_values(indices)), convert_to_tensor(values)
    sizes = np.asarray(host_values(dense_shape))
    name = "SparseTensorToCSRSparseMatrix"
    if sizes.ndim != 1:
        raise invalid(name, f"Sparse shape must be rank 1 but is rank {sizes.ndim}")
    if places.ndim != 2:
        raise invalid(name, f"Sparse indices must be rank 2 but is rank {places.ndim}")
    if places.shape[1] != len(sizes):
        raise invalid(
            name, f"Index rank ({places.shape[1]}) and shape rank ({len(sizes)}) do not match"
        )
    if len(sizes) not in (2, 3):
        raise invalid(
            name, f"SparseTensor must have rank 2 or 3; but indices has rank: {len(sizes)}"
        )
    if len(places) != len(given):
        raise invalid(
            name,
            f"Number of elements in indices ({len(places)}) and values ({len(given)}) do not match",
        )
    _check_sizes(sizes, places, name)
    return CompressedMatrix(places, given, tuple(map(int, sizes)))


def _check_sizes(sizes: np.ndarray[Any, Any], places: np.ndarray[Any, Any], name: str) -> None:
    """Raise an error for sizes that are too large, and for indices outside them."""
    batch = int(sizes[0]) if len(sizes) == 3 else 1
    if batch >= _MOST:
        raise invalid(
            name, f"dense_shape batch_size must be < Int32Max, but the input value is {batch}"
        )
    if (rows := batch * (int(sizes[-2]) + 1)) > _MOST:
        raise invalid(
            name,
            "The csr row index size, computed based on the dense_shape, must be <= Int32Max, but "
            f"is too large. Current value is {rows}",
        )
    outside = np.flatnonzero(((places < 0) | (places >= sizes)).any(axis=1))
    if len(outside):
        at = outside[0]
        text = ", ".join(map(str, places[at]))
        raise invalid(name, f"Sparse index tuple indices[{at}, :] = [{text}] is out of bounds")


def _of_dense(dense_input: Any, indices: Any) -> CompressedMatrix:
    dense, places = convert_to_tensor(dense_input), np.asarray(host_values(indices))
    if dense.ndim not in (2, 3):
        raise invalid(
            "DenseToCSRSparseMatrix",
            f"params must have rank == 2 or 3; but saw shape: {list(dense.shape)}",
        )
    values = gather_nd(dense, constant(places, int64))
    return CompressedMatrix(places, values, tuple(dense.aval.shape))


def _to_parts(sparse_matrix: Any, *, type: Any) -> tuple[Tensor, Tensor, Tensor]:
    x = _matrix(sparse_matrix, "CSRSparseMatrixToSparseTensor", type)
    return constant(x.indices, int64), x.values, constant(x.shape, int64)


def _components(csr_sparse_matrix: Any, index: Any, *, type: Any) -> tuple[Tensor, Tensor, Tensor]:
    """Return the row pointers, column indices and values of one matrix of a batch."""
    name = "CSRSparseMatrixComponents"
    x, at = _matrix(csr_sparse_matrix, name), int(np.asarray(host_values(index)))
    if x.values.dtype != as_dtype(type):
        kinds = f"{x.values.dtype.name} vs. {as_dtype(type).name}"
        raise invalid(name, f"dtype of input is not equal to 'type': {kinds}")
    counts = x.counts
    if not 0 <= at < len(counts):
        raise invalid(name, f"index ({at}) not in [0, {len(counts)})")
    start, end = counts[:at].sum(), counts[: at + 1].sum()
    pointers = np.concatenate([[0], np.cumsum(counts[at])])
    columns = x.indices[start:end, -1]
    return constant(pointers, int32), constant(columns, int32), x.values[start:end]


def _count(sparse_matrix: Any) -> Tensor:
    x = _matrix(sparse_matrix, "SparseMatrixNNZ")
    totals = x.counts.sum(axis=1)
    return constant(totals if len(x.shape) == 3 else totals[0], int32)


def _check_factors(
    a: tuple[int, ...], b: tuple[int, ...], name: str, flags: tuple[bool, bool, bool, bool]
) -> None:
    """Check the shapes and flags of a product.

    Args:
        a: Shape of the first factor.
        b: Shape of the second factor.
        name: Name of the operation.
        flags: The arguments `transpose_a`, `transpose_b`, `adjoint_a` and `adjoint_b`.

    Raises:
        InvalidArgumentError: If the shapes do not match, or a matrix is transposed twice.
    """
    swaps_a, swaps_b = flags[0] or flags[2], flags[1] or flags[3]
    for of, twice in (("a", flags[0] and flags[2]), ("b", flags[1] and flags[3])):
        if twice:
            raise invalid(name, f"Only one of adjoint_{of} and transpose_{of} may be true.")
    if len(a) != len(b):
        raise invalid(name, f"Ranks of a and b must match, saw: {len(a)} vs. {len(b)}.")
    if a[-2 if swaps_a else -1] != b[-1 if swaps_b else -2]:
        shapes = " vs. ".join(str(list(shape)).replace(" ", "") for shape in (a, b))
        raise invalid(
            name, f"Inner product dimensions of A and B do not agree. Shapes are: {shapes}"
        )


def _product(
    a: Any,
    b: Any,
    *,
    transpose_a: bool,
    transpose_b: bool,
    adjoint_a: bool,
    adjoint_b: bool,
    transpose_output: bool,
    conjugate_output: bool,
) -> Tensor:
    """Return the product of a sparse and a dense matrix."""
    name = "SparseMatrixMatMul"
    x, y = _matrix(a, name), convert_to_tensor(b)
    flags = (transpose_a, transpose_b, adjoint_a, adjoint_b)
    _check_factors(x.shape, y.aval.shape, name, flags)
    if len(x.shape) == 3 and x.shape[0] != y.aval.shape[0]:
        raise invalid(
            name, f"Batch sizes of a and b must match, saw: {x.shape[0]} vs. {y.aval.shape[0]}."
        )
    found = matmul(x.dense(), y, *flags)
    found = matrix_transpose(found) if transpose_output else found
    return conj(found) if conjugate_output and found.dtype.is_complex else found


def _sparse_product(
    a: Any,
    b: Any,
    *,
    type: Any,
    transpose_a: bool,
    transpose_b: bool,
    adjoint_a: bool,
    adjoint_b: bool,
) -> CompressedMatrix:
    """Return the product of two sparse matrices. Sums that happen to be 0 are stored."""
    name = "SparseMatrixSparseMatMul"
    x, y = _matrix(a, name, type), _matrix(b, name, type)
    flags = (transpose_a, transpose_b, adjoint_a, adjoint_b)
    _check_factors(x.shape, y.shape, name, flags)
    left, right = x.mask(), y.mask()
    left = left.swapaxes(-1, -2) if transpose_a or adjoint_a else left
    right = right.swapaxes(-1, -2) if transpose_b or adjoint_b else right
    pairs = np.matmul(left.astype(np.float32), right.astype(np.float32))
    return _of_mask(matmul(x.dense(), y.dense(), *flags), pairs > 0)


def _transposed(input: Any, *, conjugate: bool, type: Any) -> CompressedMatrix:
    x = _matrix(input, "SparseMatrixTranspose", type)
    swapped = x.indices.copy()
    swapped[:, -2:] = x.indices[:, :-3:-1]
    order = np.lexsort(swapped.T[::-1])
    values = gather(x.values, constant(order, int32))
    shape = (*x.shape[:-2], x.shape[-1], x.shape[-2])
    is_other = conjugate and values.dtype.is_complex
    return CompressedMatrix(swapped[order], conj(values) if is_other else values, shape)


def _square_masks(x: CompressedMatrix, name: str) -> np.ndarray[Any, Any]:
    """Return the stored positions of symmetric matrices, from one triangle of each."""
    if x.shape[-1] != x.shape[-2]:
        raise invalid(name, f"sparse matrix must be square; got: {x.shape[-2]} != {x.shape[-1]}")
    mask = np.tril(x.mask()).reshape(-1, *x.shape[-2:])
    return mask | mask.swapaxes(-1, -2)


def _ordering(input: Any) -> Tensor:
    """Return an order of the rows that reduces the number of values of a Cholesky factor."""
    x = _matrix(input, "SparseMatrixOrderingAMD")
    orders = [_minimum_degree(mask) for mask in _square_masks(x, "SparseMatrixOrderingAMD")]
    return constant(np.array(orders).reshape(x.shape[:-1]), int32)


def _minimum_degree(mask: np.ndarray[Any, Any]) -> list[int]:
    """Return the order in which each row has the fewest neighbors among the remaining rows."""
    linked = mask.copy()
    left = np.ones(len(mask), bool)
    order = []
    for _ in mask:
        degrees = np.where(left, linked.sum(axis=1), len(mask) + 1)
        at = int(degrees.argmin())
        _eliminate(linked, at)
        left[at] = False
        order.append(at)
    return order


def _eliminate(linked: np.ndarray[Any, Any], at: int) -> None:
    """Remove a row from a symmetric mask, and link all its neighbors with each other."""
    linked[at] |= linked[:, at]
    near = np.flatnonzero(linked[at])
    linked[np.ix_(near, near)] = True
    linked[at] = linked[:, at] = False


def _factor_mask(mask: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return the positions of the values of a Cholesky factor."""
    linked, found = mask.copy(), np.eye(len(mask), dtype=bool)
    for at in range(len(mask)):
        found[at:, at] |= linked[at:, at]
        _eliminate(linked, at)
    return found


def _cholesky(input: Any, permutation: Any, *, type: Any) -> CompressedMatrix:
    name = "SparseMatrixSparseCholesky"
    x, rows = _matrix(input, name, type), np.asarray(host_values(permutation))
    masks, size = _square_masks(x, name), x.shape[-1]
    if rows.shape[-1:] != (size,):
        raise invalid(
            name,
            "permutation must have the same number of elements in each batch as the number of "
            f"rows in sparse matrix; got: {rows.shape[-1]} != {size}",
        )
    dense = np.asarray(host_values(x.dense())).reshape(masks.shape)
    factors, places = np.empty_like(dense), np.empty_like(masks)
    for at, order in enumerate(rows.reshape(-1, size)):
        lower = np.tril(dense[at])
        whole = lower + np.tril(lower, -1).conj().T
        cross = np.ix_(order, order)
        places[at] = _factor_mask(masks[at][cross])
        try:
            factors[at] = np.linalg.cholesky(whole[cross])
        except np.linalg.LinAlgError:
            raise invalid(
                name,
                f"Sparse Cholesky factorization failed for batch index {at}. The input might not "
                "be valid.",
            ) from None
    dtype: DType = x.values.dtype
    return _of_mask(constant(factors.reshape(x.shape), dtype), places.reshape(x.shape))


op("SparseTensorToCSRSparseMatrix(indices, values, dense_shape) -> sparse_matrix", _of_parts)
op("DenseToCSRSparseMatrix(dense_input, indices) -> sparse_output", _of_dense)
op(
    "CSRSparseMatrixToSparseTensor(sparse_matrix; type) -> indices, values, dense_shape",
    _to_parts,
)
op(
    "CSRSparseMatrixToDense(sparse_input; type) -> dense_output",
    lambda sparse_input, *, type: _matrix(sparse_input, "CSRSparseMatrixToDense", type).dense(),
)
op(
    "CSRSparseMatrixComponents(csr_sparse_matrix, index; type) -> row_ptrs, col_inds, values",
    _components,
)
op("SparseMatrixNNZ(sparse_matrix) -> nnz", _count)
op(
    "SparseMatrixMatMul(a, b; transpose_a=False, transpose_b=False, adjoint_a=False, "
    "adjoint_b=False, transpose_output=False, conjugate_output=False) -> output",
    _product,
)
op(
    "SparseMatrixSparseMatMul(a, b; type, transpose_a=False, transpose_b=False, "
    "adjoint_a=False, adjoint_b=False) -> c",
    _sparse_product,
)
op("SparseMatrixTranspose(input; conjugate=False, type) -> output", _transposed)
op("SparseMatrixOrderingAMD(input) -> output", _ordering)
op("SparseMatrixSparseCholesky(input, permutation; type) -> output", _cholesky)
