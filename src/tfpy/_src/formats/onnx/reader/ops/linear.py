"""Products of matrices."""

from __future__ import annotations

from typing import Any

from tfpy._src.base.errors import invalid
from tfpy._src.core.tensor import Tensor
from tfpy._src.formats.onnx.reader.record import operation
from tfpy._src.formats.onnx.reader.values import like
from tfpy._src.tensors.array.einsum import einsum as einsums
from tfpy._src.tensors.array.making import cast
from tfpy._src.tensors.array.reshaping import reshape, transpose
from tfpy._src.tensors.linalg.matrix_functions import det as determinant
from tfpy._src.tensors.linalg.products import matmul


def product(a: Tensor, b: Tensor) -> Tensor:
    """Compute a product with the semantics of `numpy.matmul`."""
    if a.ndim >= 2 and b.ndim >= 2:
        return matmul(a, b)
    if not a.ndim or not b.ndim:
        raise invalid("MatMul", "operands must not be scalars")
    rows = reshape(a, [1, -1]) if a.ndim == 1 else a
    columns = reshape(b, [-1, 1]) if b.ndim == 1 else b
    y = matmul(rows, columns)
    shape = list(y.aval.shape)
    if a.ndim == 1:
        del shape[-2]
    if b.ndim == 1:
        del shape[-1]
    return reshape(y, shape)


@operation("MatMul")
def mat_mul(a: Tensor, b: Tensor) -> Any:
    return product(a, b)


@operation("com.microsoft.FusedMatMul")
def fused_mat_mul(
    a: Tensor, b: Tensor, *, alpha: float = 1.0, transA: int = 0, transB: int = 0,  # noqa: N803
    transBatchA: int = 0, transBatchB: int = 0,  # noqa: N803
) -> Any:  # fmt: skip
    y = product(_turned(a, transA, transBatchA), _turned(b, transB, transBatchB))
    return y if alpha == 1 else y * like(alpha, y)


def _turned(x: Tensor, is_turned: int, has_late_batch: int) -> Tensor:
    """Return matrices in the order of `numpy.matmul`.

    Args:
        x: Matrices.
        is_turned: If 1, the matrices are transposed.
        has_late_batch: If 1, the first axis of the matrices is in front of the batch axes.
    """
    order = [*range(x.ndim)]
    if has_late_batch and x.ndim > 2:
        order = [*order[1:-1], 0, order[-1]]
    if is_turned and x.ndim > 1:
        order = [*order[:-2], order[-1], order[-2]]
    return x if order == [*range(x.ndim)] else transpose(x, order)


@operation("Gemm")
def gemm(
    a: Tensor, b: Tensor, c: Tensor | None = None, *, alpha: float = 1.0, beta: float = 1.0,
    broadcast: int = 0, transA: int = 0, transB: int = 0,  # noqa: N803
) -> Any:  # fmt: skip
    """Compute alpha · a · b + beta · c."""
    y = matmul(a, b, transpose_a=bool(transA), transpose_b=bool(transB))
    if alpha != 1:
        y = y * like(alpha, y)
    if c is None or not beta:
        return y
    return y + (c if beta == 1 else c * like(beta, c))


@operation("Einsum")
def einsum(*inputs: Tensor, equation: str) -> Any:
    return einsums(equation, *inputs)


@operation("Det")
def det(x: Tensor) -> Any:
    return determinant(x)


def whole_product(a: Tensor, b: Tensor) -> Tensor:
    """Compute a product of integer matrices, exact within the range of int32."""
    return product(cast(a, "int32"), cast(b, "int32"))
