"""Activations, softmaxes and fused variants of them."""

from __future__ import annotations

import math
from typing import Any

from tfpy._src.base.errors import invalid
from tfpy._src.core import primitives as p
from tfpy._src.core.tensor import Tensor
from tfpy._src.formats.onnx.reader.record import operation
from tfpy._src.formats.onnx.reader.values import like, positive
from tfpy._src.tensors.array.making import zeros_like
from tfpy._src.tensors.array.reshaping import reshape
from tfpy._src.tensors.array.slicing import one_hot, where
from tfpy._src.tensors.math.ordering import argmax
from tfpy._src.tensors.nn.activations import log_softmax, softmax


@operation("Relu")
def relu(x: Tensor) -> Any:
    return p.relu(x)


@operation("Softplus")
def softplus(x: Tensor) -> Any:
    return p.softplus(x)


@operation("Softsign")
def softsign(x: Tensor) -> Any:
    return x / (1 + p.abs(x))


@operation("LeakyRelu")
def leaky_relu(x: Tensor, *, alpha: float = 0.01) -> Any:
    return where(x < 0, like(alpha, x) * x, x)


@operation("PRelu")
def prelu(x: Tensor, slope: Tensor) -> Any:
    return where(x < 0, slope * x, x)


@operation("ThresholdedRelu")
def thresholded_relu(x: Tensor, *, alpha: float = 1.0) -> Any:
    return where(x > like(alpha, x), x, zeros_like(x))


@operation("Elu")
def elu(x: Tensor, *, alpha: float = 1.0) -> Any:
    return p.elu(x) if alpha == 1 else where(x < 0, like(alpha, x) * p.expm1(x), x)


@operation("Celu")
def celu(x: Tensor, *, alpha: float = 1.0) -> Any:
    return p.maximum(x, like(0, x)) + p.minimum(
        like(0, x), like(alpha, x) * p.expm1(x / like(alpha, x))
    )


@operation("Selu")
def selu(x: Tensor, *, alpha: float = 1.6732632423543772, gamma: float = 1.0507009873554805) -> Any:
    return like(gamma, x) * where(x > 0, x, like(alpha, x) * p.expm1(x))


@operation("HardSigmoid")
def hard_sigmoid(x: Tensor, *, alpha: float = 0.2, beta: float = 0.5) -> Any:
    y = like(alpha, x) * x + like(beta, x)
    return p.maximum(like(0, x), p.minimum(like(1, x), y))


@operation("HardSwish")
def hard_swish(x: Tensor) -> Any:
    return x * hard_sigmoid(x, alpha=1 / 6, beta=0.5)


@operation("Mish")
def mish(x: Tensor) -> Any:
    return x * p.tanh(p.softplus(x))


@operation("Swish")
def swish(x: Tensor, *, alpha: float = 1.0) -> Any:
    return x * p.sigmoid(x if alpha == 1 else like(alpha, x) * x)


@operation("com.microsoft.QuickGelu")
def quick_gelu(x: Tensor, *, alpha: float = 1.702) -> Any:
    return swish(x, alpha=alpha)


@operation("Gelu")
def gelu(x: Tensor, *, approximate: str = "none") -> Any:
    """Compute x times the standard normal CDF, or with `"tanh"` an approximation of it."""
    if approximate == "tanh":
        inner = like(math.sqrt(2 / math.pi), x) * (x + like(0.044715, x) * x * x * x)
        return like(0.5, x) * x * (1 + p.tanh(inner))
    if approximate != "none":
        raise invalid("Gelu", f"approximate must be 'none' or 'tanh', got {approximate!r}")
    return like(0.5, x) * x * (1 + p.erf(x * like(math.sqrt(0.5), x)))


@operation("com.microsoft.Gelu")
def gelu_microsoft(x: Tensor) -> Any:
    return gelu(x)


@operation("com.microsoft.BiasGelu")
def bias_gelu(a: Tensor, b: Tensor) -> Any:
    return gelu(a + b)


@operation("com.microsoft.FastGelu")
def fast_gelu(x: Tensor, bias: Tensor | None = None) -> Any:
    return gelu(x if bias is None else x + bias, approximate="tanh")


@operation("SwiGLU")
def swiglu(a: Tensor, b: Tensor, *, alpha: float = 1.0) -> Any:
    return swish(a, alpha=alpha) * b


@operation("Shrink")
def shrink(x: Tensor, *, bias: float = 0.0, lambd: float = 0.5) -> Any:
    zero = zeros_like(x)
    above = where(x > like(lambd, x), x - like(bias, x), zero)
    return where(x < like(-lambd, x), x + like(bias, x), above)


def _flattened(x: Tensor, axis: int, function: Any, name: str) -> Any:
    """Apply a function of rows to a tensor, with all axes from `axis` flattened into rows."""
    shape = x.aval.shape
    axis = positive(axis, len(shape), name) if axis != len(shape) else axis
    rows = reshape(x, [math.prod(shape[:axis]), math.prod(shape[axis:])])
    return reshape(function(rows), shape)


def _hardmax(x: Tensor, axis: int = -1) -> Any:
    return one_hot(argmax(x, axis), x.aval.shape[axis], axis=axis, dtype=x.dtype)


@operation("Softmax", since=13)
def softmax_13(x: Tensor, *, axis: int = -1) -> Any:
    return softmax(x, axis)


@operation("LogSoftmax", since=13)
def log_softmax_13(x: Tensor, *, axis: int = -1) -> Any:
    return log_softmax(x, axis)


@operation("Hardmax", since=13)
def hardmax_13(x: Tensor, *, axis: int = -1) -> Any:
    return _hardmax(x, positive(axis, len(x.aval.shape), "Hardmax"))


@operation("Softmax")
def softmax_1(x: Tensor, *, axis: int = 1) -> Any:
    return _flattened(x, axis, softmax, "Softmax")


@operation("LogSoftmax")
def log_softmax_1(x: Tensor, *, axis: int = 1) -> Any:
    return _flattened(x, axis, log_softmax, "LogSoftmax")


@operation("Hardmax")
def hardmax_1(x: Tensor, *, axis: int = 1) -> Any:
    return _flattened(x, axis, _hardmax, "Hardmax")
