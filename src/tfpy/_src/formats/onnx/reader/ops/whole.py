"""Operations on quantized integers, which ONNX Runtime adds to ONNX."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tfpy._src.core import primitives as p
from tfpy._src.core.tensor import Tensor
from tfpy._src.formats.onnx.reader.ops.activations import leaky_relu, softmax_1, softmax_13
from tfpy._src.formats.onnx.reader.ops.linear import gemm
from tfpy._src.formats.onnx.reader.ops.quantization import dequantize_linear, quantize_linear
from tfpy._src.formats.onnx.reader.record import operation
from tfpy._src.tensors.array.joining import concat
from tfpy._src.tensors.math.reductions import reduce_mean


def _binary(name: str, function: Callable[[Any, Any], Any]) -> None:
    def run(
        a: Tensor, a_scale: Tensor, a_zero: Tensor | None, b: Tensor, b_scale: Tensor,
        b_zero: Tensor | None, y_scale: Tensor, y_zero: Tensor | None = None,
    ) -> Any:  # fmt: skip
        x, y = dequantize_linear(a, a_scale, a_zero), dequantize_linear(b, b_scale, b_zero)
        return quantize_linear(function(x, y), y_scale, y_zero)

    operation(name)(run)


_binary("com.microsoft.QLinearAdd", lambda x, y: x + y)
_binary("com.microsoft.QLinearMul", lambda x, y: x * y)


@operation("com.microsoft.QLinearSigmoid")
def q_linear_sigmoid(
    x: Tensor, x_scale: Tensor, x_zero: Tensor | None, y_scale: Tensor,
    y_zero: Tensor | None = None,
) -> Any:  # fmt: skip
    return quantize_linear(p.sigmoid(dequantize_linear(x, x_scale, x_zero)), y_scale, y_zero)


@operation("com.microsoft.QLinearLeakyRelu")
def q_linear_leaky_relu(
    x: Tensor, x_scale: Tensor, x_zero: Tensor | None, y_scale: Tensor,
    y_zero: Tensor | None = None, *, alpha: float = 0.01,
) -> Any:  # fmt: skip
    y = leaky_relu(dequantize_linear(x, x_scale, x_zero), alpha=alpha)
    return quantize_linear(y, y_scale, y_zero)


@operation("com.microsoft.QLinearSoftmax")
def q_linear_softmax(
    x: Tensor, x_scale: Tensor, x_zero: Tensor | None, y_scale: Tensor,
    y_zero: Tensor | None = None, *, axis: int = -1, opset: int,
) -> Any:  # fmt: skip
    softmax = softmax_13 if opset >= 13 else softmax_1
    y = softmax(dequantize_linear(x, x_scale, x_zero), axis=axis)
    return quantize_linear(y, y_scale, y_zero)


@operation("com.microsoft.QLinearGlobalAveragePool")
def q_linear_global_average_pool(
    x: Tensor, x_scale: Tensor, x_zero: Tensor | None, y_scale: Tensor,
    y_zero: Tensor | None = None, *, channels_last: int = 0,
) -> Any:  # fmt: skip
    axes = range(1, x.ndim - 1) if channels_last else range(2, x.ndim)
    y = reduce_mean(dequantize_linear(x, x_scale, x_zero), [*axes], True)
    return quantize_linear(y, y_scale, y_zero)


@operation("com.microsoft.QLinearConcat")
def q_linear_concat(y_scale: Tensor, y_zero: Tensor, *parts: Tensor, axis: int) -> Any:
    """Concatenate tensors with individual scales and zero points."""
    triples = zip(parts[::3], parts[1::3], parts[2::3], strict=True)
    made = concat([dequantize_linear(*one) for one in triples], axis)
    return quantize_linear(made, y_scale, y_zero)


@operation("com.microsoft.QGemm")
def q_gemm(
    a: Tensor, a_scale: Tensor, a_zero: Tensor, b: Tensor, b_scale: Tensor, b_zero: Tensor,
    c: Tensor | None = None, y_scale: Tensor | None = None, y_zero: Tensor | None = None, *,
    alpha: float = 1.0, transA: int = 0, transB: int = 0,  # noqa: N803
) -> Any:  # fmt: skip
    """Compute Gemm; `c` is quantized with the product of the scales of a and b."""
    axis = 0 if transB else 1
    y = gemm(
        dequantize_linear(a, a_scale, a_zero),
        dequantize_linear(b, b_scale, b_zero, axis=axis),
        None if c is None else dequantize_linear(c, a_scale * b_scale * alpha, axis=-1),
        alpha=alpha,
        transA=transA,
        transB=transB,
    )
    return y if y_scale is None else quantize_linear(y, y_scale, y_zero)
