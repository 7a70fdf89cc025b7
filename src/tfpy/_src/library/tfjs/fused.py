"""`tf.fused`: TensorFlow.js's matrix products and convolutions with bias and activation."""

from __future__ import annotations

from collections.abc import Callable

from tfpy._src.compiler.ops import activation as act
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import Padding, Strides, TensorLike
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
    name: str,
    y: Tensor,
    bias: TensorLike | None,
    activation: str,
    weights: TensorLike | None,
    leakyrelu_alpha: float,
) -> Tensor:
    """Add a bias and apply an activation.

    Raises:
        ValueError: If `activation` is unknown, or if it is `"prelu"` and `prelu_activation_weights`
            is None.
    """
    if bias is not None:
        y = y + bias
    if activation == "prelu":
        if weights is None:
            raise ValueError(f"{name}: activation 'prelu' requires prelu_activation_weights")
        return prelu(y, weights)
    if activation == "leakyrelu":
        return activations.leaky_relu(y, leakyrelu_alpha)
    if activation not in _ACTIVATIONS:
        known = sorted([*_ACTIVATIONS, "prelu", "leakyrelu"])
        raise ValueError(f"{name}: activation must be one of {known}, got {activation!r}")
    return _ACTIVATIONS[activation](y)


def mat_mul(
    a: TensorLike,
    b: TensorLike,
    transpose_a: bool = False,
    transpose_b: bool = False,
    bias: TensorLike | None = None,
    activation: str = "linear",
    prelu_activation_weights: TensorLike | None = None,
    leakyrelu_alpha: float = 0.2,
) -> Tensor:
    """Multiply matrices, add a bias and apply an activation function.

    Equivalent to `tf.fused.matMul` in TensorFlow.js.

    Args:
        a: Float tensor of shape `[..., m, k]`, or `[..., k, m]` if `transpose_a` is True.
        b: Float tensor of shape `[..., k, n]`, or `[..., n, k]` if `transpose_b` is True.
        transpose_a: If True, transpose the last two axes of `a` first.
        transpose_b: If True, transpose the last two axes of `b` first.
        bias: Tensor that is broadcast with the matrix product and added to it. Default: no bias.
        activation: Activation function, `"linear"` (default, no change), `"relu"`, `"relu6"`,
            `"elu"`, `"sigmoid"`, `"prelu"` or `"leakyrelu"`.
        prelu_activation_weights: Slopes of the activation function `"prelu"`, a tensor that is
            broadcast with the result. Required for `"prelu"`.
        leakyrelu_alpha: Slope of the activation function `"leakyrelu"` for negative values.

    Returns:
        Tensor of shape `[..., m, n]` with the dtype of `a`.

    Raises:
        ValueError: If `activation` is unknown, or if it is `"prelu"` and `prelu_activation_weights`
            is None.
        tf.errors.InvalidArgumentError: If the shapes are not compatible.

    Example:
        >>> import tfpy as tf
        >>> a, b = [[1.0, 2.0]], [[1.0, -1.0], [1.0, -1.0]]
        >>> tf.fused.mat_mul(a, b, bias=[0.5, 0.5], activation="relu").numpy().tolist()
        [[3.5, 0.0]]

    See also: `tf.matmul`.
    """
    y = matmul(a, b, transpose_a, transpose_b)
    return _finish("mat_mul", y, bias, activation, prelu_activation_weights, leakyrelu_alpha)


def conv2d(
    x: TensorLike,
    filter: TensorLike,
    strides: Strides,
    pad: Padding,
    data_format: str = "NHWC",
    dilations: Strides = 1,
    bias: TensorLike | None = None,
    activation: str = "linear",
    prelu_activation_weights: TensorLike | None = None,
    leakyrelu_alpha: float = 0.2,
) -> Tensor:
    """Compute a 2-D convolution, add a bias and apply an activation function.

    Equivalent to `tf.fused.conv2d` in TensorFlow.js.

    Args:
        x: Float tensor of shape `[batch, height, width, in_channels]`, or `[batch, in_channels,
            height, width]` if `data_format` is `"NCHW"`.
        filter: Float tensor of shape `[height, width, in_channels, out_channels]`.
        strides: Step of the window: one integer, one integer for each spatial axis, or one for each
            axis of the input.
        pad: `"SAME"`, `"VALID"`, or a list of `[before, after]` pairs, one for each axis of the
            input.
        data_format: Position of the channels, `"NHWC"` (default) or `"NCHW"`.
        dilations: Distance between neighboring elements of the filter, in the same forms as
            `strides`.
        bias: Tensor of shape `[out_channels]`. Default: no bias.
        activation: Activation function, `"linear"` (default, no change), `"relu"`, `"relu6"`,
            `"elu"`, `"sigmoid"`, `"prelu"` or `"leakyrelu"`.
        prelu_activation_weights: Slopes of the activation function `"prelu"`, a tensor that is
            broadcast with the result. Required for `"prelu"`.
        leakyrelu_alpha: Slope of the activation function `"leakyrelu"` for negative values.

    Returns:
        Tensor of shape `[batch, out_height, out_width, out_channels]`, or `[batch, out_channels,
        out_height, out_width]` if `data_format` is `"NCHW"`, with the dtype of `x`.

    Raises:
        ValueError: If `activation` is unknown, or if it is `"prelu"` and `prelu_activation_weights`
            is None.
        tf.errors.InvalidArgumentError: If the shapes are not compatible.

    Example:
        >>> import tfpy as tf
        >>> x, filters = tf.ones([1, 3, 3, 1]), tf.ones([2, 2, 1, 1])
        >>> y = tf.fused.conv2d(x, filters, 1, "valid", bias=[-3.5], activation="relu")
        >>> tf.reshape(y, [2, 2]).numpy().tolist()
        [[0.5, 0.5], [0.5, 0.5]]

    See also: `tf.nn.conv2d`, `tf.fused.depthwise_conv2d`.
    """
    y = convolution.conv2d(x, filter, strides, pad, data_format, dilations)
    bias = _per_channel(bias, data_format)
    return _finish("conv2d", y, bias, activation, prelu_activation_weights, leakyrelu_alpha)


def depthwise_conv2d(
    x: TensorLike,
    filter: TensorLike,
    strides: Strides,
    pad: Padding,
    data_format: str = "NHWC",
    dilations: Strides = 1,
    bias: TensorLike | None = None,
    activation: str = "linear",
    prelu_activation_weights: TensorLike | None = None,
    leakyrelu_alpha: float = 0.2,
) -> Tensor:
    """Compute a depthwise 2-D convolution, add a bias and apply an activation function.

    Equivalent to `tf.fused.depthwiseConv2d` in TensorFlow.js.

    Args:
        x: Float tensor of shape `[batch, height, width, in_channels]`, or `[batch, in_channels,
            height, width]` if `data_format` is `"NCHW"`.
        filter: Float tensor of shape `[height, width, in_channels, multiplier]`.
        strides: Step of the window: one integer, one integer for each spatial axis, or one for each
            axis of the input.
        pad: `"SAME"`, `"VALID"`, or a list of `[before, after]` pairs, one for each axis of the
            input.
        data_format: Position of the channels, `"NHWC"` (default) or `"NCHW"`.
        dilations: Distance between neighboring elements of the filter, in the same forms as
            `strides`.
        bias: Tensor of shape `[in_channels * multiplier]`. Default: no bias.
        activation: Activation function, `"linear"` (default, no change), `"relu"`, `"relu6"`,
            `"elu"`, `"sigmoid"`, `"prelu"` or `"leakyrelu"`.
        prelu_activation_weights: Slopes of the activation function `"prelu"`, a tensor that is
            broadcast with the result. Required for `"prelu"`.
        leakyrelu_alpha: Slope of the activation function `"leakyrelu"` for negative values.

    Returns:
        Tensor of shape `[batch, out_height, out_width, in_channels * multiplier]`, or `[batch,
        in_channels * multiplier, out_height, out_width]` if `data_format` is `"NCHW"`, with the
        dtype of `x`.

    Raises:
        ValueError: If `activation` is unknown, or if it is `"prelu"` and `prelu_activation_weights`
            is None.
        tf.errors.InvalidArgumentError: If the shapes are not compatible.

    Example:
        >>> import tfpy as tf
        >>> x, filters = tf.ones([1, 3, 3, 2]), tf.ones([2, 2, 2, 1])
        >>> bias = [1.0, -9.0]
        >>> y = tf.fused.depthwise_conv2d(x, filters, 1, "valid", bias=bias, activation="relu")
        >>> y.numpy()[0, 0, 0].tolist()
        [5.0, 0.0]

    See also: `tf.nn.depthwise_conv2d`, `tf.fused.conv2d`.
    """
    y = convolution.depthwise_conv2d(x, filter, strides, pad, data_format, dilations)
    bias = _per_channel(bias, data_format)
    return _finish(
        "depthwise_conv2d", y, bias, activation, prelu_activation_weights, leakyrelu_alpha
    )


def _per_channel(bias: TensorLike | None, data_format: str) -> TensorLike | None:
    """Reshape a vector of biases so that it broadcasts over the channels."""
    if bias is None or data_format != "NCHW":
        return bias
    b = convert_to_tensor(bias)
    return reshape(b, [-1, 1, 1]) if b.ndim == 1 else b
