"""Products of sparse matrices, under the names of TensorFlow's CSR operations."""

from __future__ import annotations

from typing import Any

from tfpy._src.base.dtypes import DType
from tfpy._src.library.sparse.conversion import from_dense, to_dense
from tfpy._src.tensors.composite.sparse_tensor import SparseTensor
from tfpy._src.tensors.linalg.products import matmul


def sparse_tensor_to_csr_sparse_matrix(
    indices: Any, values: Any, dense_shape: Any, name: str | None = None
) -> SparseTensor:
    """Return a sparse tensor, because there is no compressed format."""
    return SparseTensor(indices, values, dense_shape)


def sparse_matrix_sparse_mat_mul(
    a: SparseTensor,
    b: SparseTensor,
    type: Any,
    transpose_a: bool = False,
    transpose_b: bool = False,
    adjoint_a: bool = False,
    adjoint_b: bool = False,
    name: str | None = None,
) -> SparseTensor:
    """Return the product of (batches of) sparse matrices, computed as a dense product."""
    product = matmul(to_dense(a), to_dense(b), transpose_a, transpose_b, adjoint_a, adjoint_b)
    return from_dense(product)


class CSRSparseMatrix:
    """A matrix, or a batch of matrices, with few values other than 0."""

    def __init__(self, value: Any, indices: Any = None, name: str | None = None) -> None:
        self._value = value if isinstance(value, SparseTensor) else from_dense(value)

    @property
    def dtype(self) -> DType:
        """Dtype of the values."""
        return self._value.dtype

    @property
    def shape(self) -> Any:
        """Shape of the matrix."""
        return self._value.shape

    def to_sparse_tensor(self) -> SparseTensor:
        """Return the matrix as a sparse tensor."""
        return self._value

    def to_dense(self) -> Any:
        """Return the matrix as a tensor."""
        return to_dense(self._value)


def csr_matmul(
    a: Any,
    b: Any,
    transpose_a: bool = False,
    transpose_b: bool = False,
    adjoint_a: bool = False,
    adjoint_b: bool = False,
    name: str | None = None,
) -> Any:
    """Return a product in which a factor is a `CSRSparseMatrix`: a tensor unless both are."""
    x, y = (m.to_dense() if isinstance(m, CSRSparseMatrix) else m for m in (a, b))
    product = matmul(x, y, transpose_a, transpose_b, adjoint_a, adjoint_b)
    both = isinstance(a, CSRSparseMatrix) and isinstance(b, CSRSparseMatrix)
    return CSRSparseMatrix(product) if both else product


def csr_sparse_matrix_to_sparse_tensor(
    sparse_matrix: SparseTensor, type: Any, name: str | None = None
) -> SparseTensor:
    """Return the sparse tensor itself."""
    return sparse_matrix
