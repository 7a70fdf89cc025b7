"""`tf.sparse.sampled_addmm`: elements of a matrix product at given indices."""

from __future__ import annotations

from tfpy._src.base import dtypes
from tfpy._src.base.errors import invalid
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import DTypeLike, FloatLike, TensorLike
from tfpy._src.tensors.array.making import cast
from tfpy._src.tensors.array.scattering import gather_nd
from tfpy._src.tensors.linalg.products import matrix_transpose
from tfpy._src.tensors.math.reductions import reduce_sum


def sampled_addmm(
    indices: TensorLike,
    values: TensorLike,
    dense_shape: TensorLike,
    mat1: TensorLike,
    mat2: TensorLike,
    beta: FloatLike = 1.0,
    alpha: FloatLike = 1.0,
    output_type: DTypeLike = dtypes.float32,
) -> tuple[Tensor, Tensor, Tensor]:
    """Compute the elements of a matrix product at the indices of a sparse matrix, and add both.

    The result is `alpha * (mat1 @ mat2) + beta * values` at the indices.

    Args:
        indices: Integer tensor of shape `[n, 2]` with the indices of the sparse matrix.
        values: Tensor of shape `[n]` with its values.
        dense_shape: Integer tensor of shape `[2]` with its shape.
        mat1: Tensor of shape `[rows, k]`.
        mat2: Tensor of shape `[k, columns]`.
        beta: Factor of the values.
        alpha: Factor of the product.
        output_type: Dtype of the result: float32 or float64.

    Returns:
        Tuple of the indices, the new values and the shape of a sparse matrix.

    Raises:
        tf.errors.InvalidArgumentError: If the shapes do not match.

    Example:
        >>> import tfpy as tf
        >>> x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
        >>> tf.sparse.sampled_addmm([[0, 1]], [5.0], [2, 2], x, x)[1].numpy().tolist()
        [15.0]

    See also: `tf.sparse.sparse_dense_matmul`.
    """
    at, a, b = (convert_to_tensor(x) for x in (indices, mat1, mat2))
    if a.aval.rank != 2 or b.aval.rank != 2 or a.aval.shape[1] != b.aval.shape[0]:
        raise invalid("sampled_addmm", f"cannot multiply matrices of {a.shape} and {b.shape}")
    rows = gather_nd(a, at[:, :1])
    columns = gather_nd(matrix_transpose(b), at[:, 1:])
    found = alpha * reduce_sum(rows * columns, -1) + beta * convert_to_tensor(values, a.dtype)
    return at, cast(found, output_type), convert_to_tensor(dense_shape)
