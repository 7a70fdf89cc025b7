"""Products, decompositions, linear systems, diagonals and Fourier transforms."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfpy._src.core.tensor import Tensor
from tfpy._src.formats.raw_ops.records import op
from tfpy._src.tensors.array.einsum import einsum
from tfpy._src.tensors.array.making import cast, zeros
from tfpy._src.tensors.array.reshaping import reshape, squeeze, transpose
from tfpy._src.tensors.array.slicing import where
from tfpy._src.tensors.array.static import static_ints
from tfpy._src.tensors.linalg import (
    banded,
    decompositions as d,
    diagonals,
    matrix_functions,
    solving,
)
from tfpy._src.tensors.linalg.products import cross, matmul
from tfpy._src.tensors.signal import fourier


def _batch_product(x: Any, y: Any, adj_x: bool, adj_y: bool) -> Tensor:
    return matmul(x, y, adjoint_a=adj_x, adjoint_b=adj_y)


def singular_values(
    input: Any, compute_uv: bool, full_matrices: bool
) -> tuple[Tensor, Tensor, Tensor]:
    found = d.svd(input, full_matrices, compute_uv)
    if not compute_uv:
        return found, zeros([], found.dtype), zeros([], found.dtype)
    return found


def eigen(vectors: Any, values: Any) -> Any:
    """Compute a decomposition; the vectors only if requested."""

    def decomposed(input: Any, compute_v: bool) -> tuple[Tensor, Tensor]:
        if compute_v:
            return vectors(input)
        e = values(input)
        return e, zeros([], e.dtype)

    return decomposed


def _tridiagonal_product(superdiag: Any, maindiag: Any, subdiag: Any, rhs: Any) -> Tensor:
    rows = [squeeze(d, -2) for d in (superdiag, maindiag, subdiag)]
    return banded.tridiagonal_matmul(rows, rhs, "sequence")


def _einsum(inputs: Any, equation: str) -> Tensor:
    """Compute an einsum. A label that the output repeats stands for the diagonal of its axes."""
    left, _, right = equation.replace(" ", "").partition("->")
    labels = "".join(dict.fromkeys(right.replace(".", "")))
    if len(labels) == len(right.replace(".", "")):
        return einsum(equation, *inputs)
    dots = "..." if "..." in right else ""
    found = einsum(f"{left}->{dots}{labels}", *inputs)
    first = found.ndim - len(labels)
    ellipsis = list(range(first))
    axes = [axis for part in right.partition("...") for axis in
            (ellipsis if part == "..." else [first + labels.index(c) for c in part])]  # fmt: skip
    sizes = [found.aval.shape[axis] for axis in axes]
    places = np.indices(sizes, sparse=True)
    diagonal = np.ones(sizes, bool)
    for at, axis in enumerate(axes):
        diagonal &= places[at] == places[axes.index(axis)]
    once = [n if axes.index(axis) == at else 1 for at, (n, axis) in
            enumerate(zip(sizes, axes, strict=True))]  # fmt: skip
    order = list(dict.fromkeys(axes))
    return where(diagonal, reshape(transpose(found, order), once), zeros([], found.dtype))


def _real_length(transform: Any) -> Any:
    """Return a transform that accepts its lengths as an input."""
    return lambda input, fft_length: transform(input, static_ints(fft_length))


op(
    "BatchMatMul(x, y; adj_x=False, adj_y=False, grad_x=False, grad_y=False) -> output",
    _batch_product,
)
op(
    "BatchMatMulV2(x, y; adj_x=False, adj_y=False, grad_x=False, grad_y=False) -> output",
    _batch_product,
)
op(
    "BatchMatMulV3(x, y; Tout, adj_x=False, adj_y=False, grad_x=False, grad_y=False) -> output",
    lambda x, y, Tout, adj_x, adj_y: cast(_batch_product(x, y, adj_x, adj_y), Tout),
)
op("Cross(a, b) -> product", cross)
op("Einsum(inputs*N; equation) -> output", _einsum)
op(
    "MatMul(a, b; transpose_a=False, transpose_b=False, grad_a=False, grad_b=False) -> product",
    lambda a, b, transpose_a, transpose_b: matmul(a, b, transpose_a, transpose_b),
)
op(
    "SparseMatMul(a, b; transpose_a=False, transpose_b=False, a_is_sparse=False, "
    "b_is_sparse=False) -> product",
    lambda a, b, transpose_a, transpose_b: matmul(a, b, transpose_a, transpose_b),
)

op("Cholesky(input) -> output", d.cholesky)
op("Eig(input; Tout, compute_v=True) -> e, v", eigen(d.eig, d.eigvals))
op("LogMatrixDeterminant(input) -> sign, log_abs_determinant", matrix_functions.slogdet)
op("Lu(input; output_idx_type=int32) -> lu, p", d.lu)
op("MatrixDeterminant(input) -> output", matrix_functions.det)
op("MatrixExponential(input) -> output", matrix_functions.expm)
op("MatrixLogarithm(input) -> output", matrix_functions.logm)
op("MatrixSquareRoot(input) -> output", matrix_functions.sqrtm)
op("Qr(input; full_matrices=False) -> q, r", d.qr)
op("SelfAdjointEigV2(input; compute_v=True) -> e, v", eigen(d.eigh, d.eigvalsh))
op("Svd(input; compute_uv=True, full_matrices=False) -> s, u, v", singular_values)

op(
    "BandedTriangularSolve(matrix, rhs; lower=True, adjoint=False) -> output",
    banded.banded_triangular_solve,
)
op("MatrixInverse(input; adjoint=False) -> output", solving.inv)
op("MatrixSolve(matrix, rhs; adjoint=False) -> output", solving.solve)
op("MatrixSolveLs(matrix, rhs, l2_regularizer; fast=True) -> output", solving.lstsq)
op(
    "MatrixTriangularSolve(matrix, rhs; lower=True, adjoint=False) -> output",
    solving.triangular_solve,
)
op(
    "TridiagonalMatMul(superdiag, maindiag, subdiag, rhs) -> output",
    _tridiagonal_product,
)
op(
    "TridiagonalSolve(diagonals, rhs; partial_pivoting=True, perturb_singular=False) -> output",
    lambda diagonals, rhs, partial_pivoting, perturb_singular: banded.tridiagonal_solve(
        diagonals, rhs, partial_pivoting=partial_pivoting, perturb_singular=perturb_singular
    ),
)

op("Diag(diagonal) -> output", diagonals.tensor_diag)
op("DiagPart(input) -> diagonal", diagonals.tensor_diag_part)
op("MatrixBandPart(input, num_lower, num_upper) -> band", diagonals.band_part)
op("MatrixDiag(diagonal) -> output", diagonals.diag)
op("MatrixDiagPart(input) -> diagonal", diagonals.diag_part)
op(
    "MatrixDiagPartV2(input, k, padding_value) -> diagonal",
    lambda input, k, padding_value: diagonals.diag_part(
        input, k=k, padding_value=padding_value, align="LEFT_LEFT"
    ),
)
op(
    'MatrixDiagPartV3(input, k, padding_value; align="RIGHT_LEFT") -> diagonal',
    lambda input, k, padding_value, align: diagonals.diag_part(
        input, k=k, padding_value=padding_value, align=align
    ),
)
op(
    "MatrixDiagV2(diagonal, k, num_rows, num_cols, padding_value) -> output",
    lambda diagonal, k, num_rows, num_cols, padding_value: diagonals.diag(
        diagonal,
        k=k,
        num_rows=num_rows,
        num_cols=num_cols,
        padding_value=padding_value,
        align="LEFT_LEFT",
    ),
)
op(
    'MatrixDiagV3(diagonal, k, num_rows, num_cols, padding_value; align="RIGHT_LEFT") -> output',
    lambda diagonal, k, num_rows, num_cols, padding_value, align: diagonals.diag(
        diagonal,
        k=k,
        num_rows=num_rows,
        num_cols=num_cols,
        padding_value=padding_value,
        align=align,
    ),
)
op("MatrixSetDiag(input, diagonal) -> output", diagonals.set_diag)
op(
    "MatrixSetDiagV2(input, diagonal, k) -> output",
    lambda input, diagonal, k: diagonals.set_diag(input, diagonal, k=k, align="LEFT_LEFT"),
)
op(
    'MatrixSetDiagV3(input, diagonal, k; align="RIGHT_LEFT") -> output',
    lambda input, diagonal, k, align: diagonals.set_diag(input, diagonal, k=k, align=align),
)

op("FFT(input) -> output", fourier.fft)
op("FFT2D(input) -> output", fourier.fft2d)
op("FFT3D(input) -> output", fourier.fft3d)
op("IFFT(input) -> output", fourier.ifft)
op("IFFT2D(input) -> output", fourier.ifft2d)
op("IFFT3D(input) -> output", fourier.ifft3d)
op("IRFFT(input, fft_length; Treal=float32) -> output", _real_length(fourier.irfft))
op("IRFFT2D(input, fft_length; Treal=float32) -> output", _real_length(fourier.irfft2d))
op("IRFFT3D(input, fft_length; Treal=float32) -> output", _real_length(fourier.irfft3d))
op("RFFT(input, fft_length; Tcomplex=complex64) -> output", _real_length(fourier.rfft))
op("RFFT2D(input, fft_length; Tcomplex=complex64) -> output", _real_length(fourier.rfft2d))
op("RFFT3D(input, fft_length; Tcomplex=complex64) -> output", _real_length(fourier.rfft3d))
