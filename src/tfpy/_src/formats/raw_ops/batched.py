"""Older names of operations: transforms and decompositions of batches, and some gradients."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.tensor import Tensor
from tfpy._src.formats.raw_ops.derivative import pulled_back
from tfpy._src.formats.raw_ops.linear import eigen, singular_values
from tfpy._src.formats.raw_ops.records import op
from tfpy._src.library.image.adjusting import adjust_contrast
from tfpy._src.tensors.array.joining import concat, tile
from tfpy._src.tensors.array.making import zeros
from tfpy._src.tensors.array.reshaping import expand_dims
from tfpy._src.tensors.array.static import static_ints
from tfpy._src.tensors.autodiff.gradient_tape import GradientTape
from tfpy._src.tensors.autodiff.unconnected import UnconnectedGradients
from tfpy._src.tensors.linalg import (
    decompositions as d,
    diagonals,
    gradients,
    matrix_functions,
    solving,
)
from tfpy._src.tensors.math.arithmetic import clip_by_value
from tfpy._src.tensors.nn import convolution as conv, normalization, quantization
from tfpy._src.tensors.signal import fourier


def _cholesky_gradient(factor: Any, grad: Any) -> Tensor:
    lower = convert_to_tensor(factor)
    return gradients.cholesky(convert_to_tensor(grad), lower, lower)[0]


def _eigen_rows(input: Any) -> Tensor:
    """Return the eigenvalues as a row above the eigenvectors."""
    e, v = d.eigh(input)
    return concat([expand_dims(e, -2), v], -2)


def _normalization_gradients(
    t: Any,
    m: Any,
    v: Any,
    gamma: Any,
    backprop: Any,
    variance_epsilon: float,
    scale_after_normalization: bool,
) -> list[Tensor]:
    x, average, variance, scale = (convert_to_tensor(part) for part in (t, m, v, gamma))
    offset = zeros(scale.aval.shape)
    inputs = [x, average, variance, offset, scale]
    with GradientTape(watch_accessed_variables=False) as tape:
        tape.watch(inputs)
        y = normalization.batch_normalization(
            x,
            average,
            variance,
            offset,
            scale if scale_after_normalization else None,
            variance_epsilon,
        )
    zero = UnconnectedGradients.ZERO
    found = tape.gradient(y, inputs, backprop, zero)
    return list(found)


def _untiled(input: Any, multiples: Any) -> Tensor:
    """Return the gradient of `tile`."""
    x, counts = convert_to_tensor(input), static_ints(multiples)
    sizes = [n // count for n, count in zip(x.aval.shape, counts, strict=True)]
    return pulled_back(lambda part: tile(part, counts), zeros(sizes, x.dtype), x)


def _quantized(
    input: Any,
    signed_input: bool,
    num_bits: int,
    range_given: bool,
    input_min: float,
    input_max: float,
) -> Tensor:
    return quantization.quantize_and_dequantize_v2(
        input, input_min, input_max, signed_input, num_bits, range_given
    )


def _contrast(images: Any, contrast_factor: Any, min_value: Any, max_value: Any) -> Tensor:
    return clip_by_value(adjust_contrast(images, contrast_factor), min_value, max_value)


def _conv3d(strides: Sequence[int], padding: str, dilations: Sequence[int]) -> Any:
    return lambda x, f: conv.conv3d(x, f, strides, padding, dilations=dilations)


op("AdjustContrast(images, contrast_factor, min_value, max_value) -> output", _contrast)
op("BatchCholesky(input) -> output", d.cholesky)
op("BatchCholeskyGrad(l, grad) -> output", _cholesky_gradient)
op("CholeskyGrad(l, grad) -> output", _cholesky_gradient)
op("BatchFFT(input) -> output", fourier.fft)
op("BatchFFT2D(input) -> output", fourier.fft2d)
op("BatchFFT3D(input) -> output", fourier.fft3d)
op("BatchIFFT(input) -> output", fourier.ifft)
op("BatchIFFT2D(input) -> output", fourier.ifft2d)
op("BatchIFFT3D(input) -> output", fourier.ifft3d)
op("BatchMatrixBandPart(input, num_lower, num_upper) -> band", diagonals.band_part)
op("BatchMatrixDeterminant(input) -> output", matrix_functions.det)
op("BatchMatrixDiag(diagonal) -> output", diagonals.diag)
op("BatchMatrixDiagPart(input) -> diagonal", diagonals.diag_part)
op("BatchMatrixInverse(input; adjoint=False) -> output", solving.inv)
op("BatchMatrixSetDiag(input, diagonal) -> output", diagonals.set_diag)
op("BatchMatrixSolve(matrix, rhs; adjoint=False) -> output", solving.solve)
op("BatchMatrixSolveLs(matrix, rhs, l2_regularizer; fast=True) -> output", solving.lstsq)
op(
    "BatchMatrixTriangularSolve(matrix, rhs; lower=True, adjoint=False) -> output",
    solving.triangular_solve,
)
op(
    "BatchNormWithGlobalNormalizationGrad(t, m, v, gamma, backprop; variance_epsilon, "
    "scale_after_normalization) -> dx, dm, dv, db, dg",
    _normalization_gradients,
)
op("BatchSelfAdjointEig(input) -> output", _eigen_rows)
op("BatchSelfAdjointEigV2(input; compute_v=True) -> e, v", eigen(d.eigh, d.eigvalsh))
op("BatchSvd(input; compute_uv=True, full_matrices=False) -> s, u, v", singular_values)
op(
    "Conv3DBackpropFilter(input, filter, out_backprop; strides, padding, dilations=[1, 1, 1, "
    "1, 1]) -> output",
    lambda input, filter, out_backprop, strides, padding, dilations: pulled_back(
        lambda f: _conv3d(strides, padding, dilations)(input, f), filter, out_backprop
    ),
)
op(
    "Conv3DBackpropInput(input, filter, out_backprop; strides, padding, dilations=[1, 1, 1, 1, "
    "1]) -> output",
    lambda input, filter, out_backprop, strides, padding, dilations: pulled_back(
        lambda x: _conv3d(strides, padding, dilations)(x, filter), input, out_backprop
    ),
)
op(
    "QuantizeAndDequantize(input; signed_input=True, num_bits=8, range_given=False, "
    "input_min=0.0, input_max=0.0) -> output",
    _quantized,
)
op("SelfAdjointEig(input) -> output", _eigen_rows)
op("TileGrad(input, multiples) -> output", _untiled)
