"""``tf.fused``: TensorFlow.js's products and convolutions with bias and activation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tfpy._src.compiler.ops import activation as act
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.tensor import Tensor
from tfpy._src.library.tfjs.functions import prelu
from tfpy._src.tensors.array.reshaping import reshape
from tfpy._src.tensors.linalg.products import matmul
from tfpy._src.tensors.nn import activations, convolution

_ACTIVATIONS: dict[str, Callable[[Tensor], Tensor]] = {
    "linear": lambda x: x,
    "relu": act.relu,
    "relu6": act.relu6,
    "elu": act.elu,
    "sigmoid": act.sigmoid,
}


def _finish(
    name: str, y: Tensor, bias: Any, activation: str, weights: Any, leakyrelu_alpha: float
) -> Tensor:
    if bias is not None:
        y = y + bias
    if activation == "prelu":
        if weights is None:
            raise ValueError(f"{name}: the activation prelu needs prelu_activation_weights")
        return prelu(y, weights)
    if activation == "leakyrelu":
        return activations.leaky_relu(y, leakyrelu_alpha)
    if activation not in _ACTIVATIONS:
        known = sorted([*_ACTIVATIONS, "prelu", "leakyrelu"])
        raise ValueError(f"{name}: activation must be one of {known}, got {activation!r}")
    return _ACTIVATIONS[activation](y)


def mat_mul(
    a: Any,
    b: Any,
    transpose_a: bool = False,
    transpose_b: bool = False,
    bias: Any = None,
    activation: str = "linear",
    prelu_activation_weights: Any = None,
    leakyrelu_alpha: float = 0.2,
) -> Tensor:
    """activation(a @ b + bias).

    Raises:
        ValueError: when the activation is not known or lacks its weights.

    Example:
        >>> import tfpy as tf
        >>> a, b = [[1.0, 2.0]], [[1.0, -1.0], [1.0, -1.0]]
        >>> tf.fused.mat_mul(a, b, bias=[0.5, 0.5], activation="relu").numpy().tolist()
        [[3.5, 0.0]]
    """
    y = matmul(a, b, transpose_a, transpose_b)
    return _finish("mat_mul", y, bias, activation, prelu_activation_weights, leakyrelu_alpha)


def conv2d(
    x: Any,
    filter: Any,
    strides: Any,
    pad: Any,
    data_format: str = "NHWC",
    dilations: Any = 1,
    bias: Any = None,
    activation: str = "linear",
    prelu_activation_weights: Any = None,
    leakyrelu_alpha: float = 0.2,
) -> Tensor:
    """activation(``tf.nn.conv2d`` + bias).

    Args:
        strides: steps of the window: one number, one for each spatial dimension, or one for each
            dimension.
        data_format: "NHWC", or "NCHW" with the channels first.
        dilations: distances between the elements of a window, as ``strides``; 1 by default.

    Raises:
        ValueError: when the activation is not known or lacks its weights.

    Example:
        >>> import tfpy as tf
        >>> x, filters = tf.ones([1, 3, 3, 1]), tf.ones([2, 2, 1, 1])
        >>> y = tf.fused.conv2d(x, filters, 1, "valid", bias=[-3.5], activation="relu")
        >>> tf.reshape(y, [2, 2]).numpy().tolist()
        [[0.5, 0.5], [0.5, 0.5]]
    """
    y = convolution.conv2d(x, filter, strides, pad, data_format, dilations)
    bias = _per_channel(bias, data_format)
    return _finish("conv2d", y, bias, activation, prelu_activation_weights, leakyrelu_alpha)


def depthwise_conv2d(
    x: Any,
    filter: Any,
    strides: Any,
    pad: Any,
    data_format: str = "NHWC",
    dilations: Any = 1,
    bias: Any = None,
    activation: str = "linear",
    prelu_activation_weights: Any = None,
    leakyrelu_alpha: float = 0.2,
) -> Tensor:
    """activation(``tf.nn.depthwise_conv2d`` + bias).

    Args:
        strides: steps of the window: one number, one for each spatial dimension, or one for each
            dimension.
        data_format: "NHWC", or "NCHW" with the channels first.
        dilations: distances between the elements of a window, as ``strides``; 1 by default.

    Raises:
        ValueError: when the activation is not known or lacks its weights.

    Example:
        >>> import tfpy as tf
        >>> x, filters = tf.ones([1, 3, 3, 2]), tf.ones([2, 2, 2, 1])
        >>> bias = [1.0, -9.0]
        >>> y = tf.fused.depthwise_conv2d(x, filters, 1, "valid", bias=bias, activation="relu")
        >>> y.numpy()[0, 0, 0].tolist()
        [5.0, 0.0]
    """
    y = convolution.depthwise_conv2d(x, filter, strides, pad, data_format, dilations)
    bias = _per_channel(bias, data_format)
    return _finish(
        "depthwise_conv2d", y, bias, activation, prelu_activation_weights, leakyrelu_alpha
    )


def _per_channel(bias: Any, data_format: str) -> Any:
    """A vector of biases in the shape that broadcasts over the channels."""
    if bias is None or data_format != "NCHW":
        return bias
    b = convert_to_tensor(bias)
    return reshape(b, [-1, 1, 1]) if b.ndim == 1 else b
