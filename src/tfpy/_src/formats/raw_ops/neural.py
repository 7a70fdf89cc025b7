"""Activations, convolution, pooling, normalization and losses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tfpy._src.compiler.ops.families.infer import broadcast_shapes
from tfpy._src.compiler.ops.reference.math import SELU_ALPHA, SELU_SCALE
from tfpy._src.core import primitives as p
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.tensor import Tensor
from tfpy._src.formats.raw_ops.derivative import loss_of_logits, of_tensors, pulled_back
from tfpy._src.formats.raw_ops.records import op
from tfpy._src.tensors.array.making import zeros, zeros_like
from tfpy._src.tensors.array.reshaping import broadcast_to
from tfpy._src.tensors.array.slicing import where
from tfpy._src.tensors.array.static import static_ints
from tfpy._src.tensors.autodiff.gradient_tape import GradientTape
from tfpy._src.tensors.math.reductions import reduce_sum
from tfpy._src.tensors.nn import (
    convolution as conv,
    losses,
    morphology,
    normalization,
    transposed_convolution,
)
from tfpy._src.tensors.nn.activations import leaky_relu, log_softmax, softmax, softsign
from tfpy._src.tensors.nn.layers import bias_add


def padded(padding: str, explicit: Sequence[int]) -> Any:
    """Return the padding for public functions: its name, or a pair for each dimension."""
    if padding != "EXPLICIT":
        return padding
    return [list(pair) for pair in zip(explicit[::2], explicit[1::2], strict=True)]


def spatial(sizes: Sequence[int], data_format: str) -> list[int]:
    """Select the spatial elements from a list with one element per dimension."""
    return list(sizes[2:] if data_format.startswith("NC") else sizes[1:-1])


def conv2d(
    input: Any,
    filter: Any,
    strides: Any,
    padding: str,
    explicit_paddings: Sequence[int],
    data_format: str,
    dilations: Any,
) -> Tensor:
    pads = padded(padding, explicit_paddings)
    return conv.conv2d(input, filter, strides, pads, data_format, dilations)


def conv2d_transpose(
    input_sizes: Any,
    filter: Any,
    out_backprop: Any,
    strides: Any,
    padding: str,
    explicit_paddings: Sequence[int],
    data_format: str,
    dilations: Any,
) -> Tensor:
    pads = padded(padding, explicit_paddings)
    sizes = static_ints(input_sizes)
    return transposed_convolution.conv2d_transpose(
        out_backprop, filter, sizes, strides, pads, data_format, dilations
    )


def depthwise_conv2d(
    input: Any,
    filter: Any,
    strides: Any,
    padding: str,
    explicit_paddings: Sequence[int],
    data_format: str,
    dilations: Any,
) -> Tensor:
    pads, rates = padded(padding, explicit_paddings), spatial(dilations, data_format)
    return conv.depthwise_conv2d(input, filter, strides, pads, data_format, rates)


def _filter_gradient(function: Any) -> Any:
    """Compute the gradient of a convolution with respect to its filter."""

    def gradient(input: Any, filter_sizes: Any, out_backprop: Any, **attrs: Any) -> Tensor:
        attrs.pop("use_cudnn_on_gpu", None)
        start = zeros(filter_sizes, convert_to_tensor(out_backprop).dtype)
        return pulled_back(lambda f: function(input, f, **attrs), start, out_backprop)

    return gradient


def batch_norm(outputs: int) -> Any:
    """Compute `FusedBatchNorm`; the outputs for its gradient follow the statistics."""

    def normalized(
        x: Any,
        scale: Any,
        offset: Any,
        mean: Any,
        variance: Any,
        *,
        epsilon: float,
        exponential_avg_factor: float,
        data_format: str,
        is_training: bool,
    ) -> tuple[Tensor, ...]:
        if not is_training:
            found = normalization.fused_batch_norm(
                x, scale, offset, mean, variance, epsilon, data_format, is_training=False
            )
            return (*found, *found[1:], zeros([0]))[:outputs]
        y, m, v = normalization.fused_batch_norm(
            x, scale, offset, epsilon=epsilon, data_format=data_format
        )
        count = y.size // m.size
        given = m, v
        if exponential_avg_factor != 1.0:
            before = (mean * (1 - exponential_avg_factor), variance * (1 - exponential_avg_factor))
            given = before[0] + m * exponential_avg_factor, before[1] + v * exponential_avg_factor
        return (y, *given, m, v * ((count - 1) / count), zeros([0]))[:outputs]

    return normalized


def _batch_norm_gradient(
    y_backprop: Any,
    x: Any,
    scale: Any,
    mean: Any,
    variance: Any,
    reserve_space_3: Any = None,
    *,
    epsilon: float,
    data_format: str,
    is_training: bool,
) -> tuple[Tensor, ...]:
    """Compute the gradients of `FusedBatchNorm`; in training the statistics depend on `x`."""
    inputs = [convert_to_tensor(t) for t in (x, scale, zeros_like(scale))]
    if is_training:
        mean = variance = None
    with GradientTape(watch_accessed_variables=False) as tape:
        tape.watch(inputs)
        y, *_ = normalization.fused_batch_norm(
            inputs[0], inputs[1], inputs[2], mean, variance, epsilon, data_format, is_training
        )
    return (*tape.gradient(y, inputs, y_backprop), zeros([0]), zeros([0]))


def _bias_gradient(out_backprop: Any, data_format: str) -> Tensor:
    dy = convert_to_tensor(out_backprop)
    channel = 1 if data_format.startswith("NC") else dy.ndim - 1
    return reduce_sum(dy, [i for i in range(dy.ndim) if i != channel])


def _cross_entropies(features: Any, labels: Any) -> tuple[Tensor, Tensor]:
    """Return the losses of logits and their gradients, in the common shape of both arguments."""
    operands = [convert_to_tensor(value) for value in (features, labels)]
    sizes = broadcast_shapes("SoftmaxCrossEntropyWithLogits", *(x.aval.shape for x in operands))
    logits, known = (broadcast_to(x, sizes) for x in operands)
    made: tuple[Tensor, Tensor] = _BOTH(logits, known)
    return made


_BOTH = loss_of_logits(losses.softmax_cross_entropy_with_logits)


# Activations

op("Elu(features) -> activations", p.elu)
op(
    "EluGrad(gradients, outputs) -> backprops",
    of_tensors(lambda gradients, y: where(p.less(y, 0), gradients * (y + 1), gradients)),
)
op("LeakyRelu(features; alpha=0.2) -> activations", leaky_relu)
op(
    "LeakyReluGrad(gradients, features; alpha=0.2) -> backprops",
    of_tensors(
        lambda gradients, features, alpha: where(
            p.greater(features, 0), gradients, gradients * alpha
        )
    ),
)
op("LogSoftmax(logits) -> logsoftmax", log_softmax)
op("Relu(features) -> activations", p.relu)
op("Relu6(features) -> activations", p.relu6)
op(
    "Relu6Grad(gradients, features) -> backprops",
    lambda gradients, features: pulled_back(p.relu6, features, gradients),
)
op(
    "ReluGrad(gradients, features) -> backprops",
    lambda gradients, features: pulled_back(p.relu, features, gradients),
)
op("Selu(features) -> activations", p.selu)
op(
    "SeluGrad(gradients, outputs) -> backprops",
    of_tensors(
        lambda gradients, y: (
            gradients * where(p.less(y, 0), y + SELU_SCALE * SELU_ALPHA, SELU_SCALE)
        )
    ),
)
op("Softmax(logits) -> softmax", softmax)
op("Softplus(features) -> activations", p.softplus)
op(
    "SoftplusGrad(gradients, features) -> backprops",
    of_tensors(lambda gradients, features: gradients * p.sigmoid(features)),
)
op("Softsign(features) -> activations", softsign)
op(
    "SoftsignGrad(gradients, features) -> backprops",
    of_tensors(lambda gradients, features: gradients / p.square(p.abs(features) + 1)),
)

# Convolution

op(
    "Conv2D(input, filter; strides, padding, use_cudnn_on_gpu=True, explicit_paddings=[], "
    'data_format="NHWC", dilations=[1, 1, 1, 1]) -> output',
    conv2d,
)
op(
    "Conv2DBackpropFilter(input, filter_sizes, out_backprop; strides, padding, "
    'use_cudnn_on_gpu=True, explicit_paddings=[], data_format="NHWC", dilations=[1, 1, 1, '
    "1]) -> output",
    _filter_gradient(conv2d),
)
op(
    "Conv2DBackpropInput(input_sizes, filter, out_backprop; strides, padding, "
    'use_cudnn_on_gpu=True, explicit_paddings=[], data_format="NHWC", dilations=[1, 1, 1, '
    "1]) -> output",
    conv2d_transpose,
)
op(
    'Conv3D(input, filter; strides, padding, data_format="NDHWC", dilations=[1, 1, 1, 1, 1]) '
    "-> output",
    conv.conv3d,
)
op(
    "Conv3DBackpropFilterV2(input, filter_sizes, out_backprop; strides, padding, "
    'data_format="NDHWC", dilations=[1, 1, 1, 1, 1]) -> output',
    _filter_gradient(conv.conv3d),
)
op(
    "Conv3DBackpropInputV2(input_sizes, filter, out_backprop; strides, padding, "
    'data_format="NDHWC", dilations=[1, 1, 1, 1, 1]) -> output',
    lambda input_sizes, filter, out_backprop, **attrs: transposed_convolution.conv3d_transpose(
        out_backprop, filter, static_ints(input_sizes), **attrs
    ),
)
op(
    "DepthwiseConv2dNative(input, filter; strides, padding, explicit_paddings=[], "
    'data_format="NHWC", dilations=[1, 1, 1, 1]) -> output',
    depthwise_conv2d,
)
op(
    "DepthwiseConv2dNativeBackpropFilter(input, filter_sizes, out_backprop; strides, "
    'padding, explicit_paddings=[], data_format="NHWC", dilations=[1, 1, 1, 1]) -> output',
    _filter_gradient(depthwise_conv2d),
)
op(
    "DepthwiseConv2dNativeBackpropInput(input_sizes, filter, out_backprop; strides, padding, "
    'explicit_paddings=[], data_format="NHWC", dilations=[1, 1, 1, 1]) -> output',
    lambda input_sizes, filter, out_backprop, **attrs: pulled_back(
        lambda x: depthwise_conv2d(x, filter, **attrs), zeros(input_sizes), out_backprop
    ),
)
op(
    "Dilation2D(input, filter; strides, rates, padding) -> output",
    lambda input, filter, strides, rates, padding: morphology.dilation2d(
        input, filter, strides, padding, "NHWC", rates
    ),
)
op(
    "Dilation2DBackpropFilter(input, filter, out_backprop; strides, rates, padding) -> "
    "filter_backprop",
    lambda input, filter, out_backprop, strides, rates, padding: pulled_back(
        lambda f: morphology.dilation2d(input, f, strides, padding, "NHWC", rates),
        filter,
        out_backprop,
    ),
)
op(
    "Dilation2DBackpropInput(input, filter, out_backprop; strides, rates, padding) -> in_backprop",
    lambda input, filter, out_backprop, strides, rates, padding: pulled_back(
        lambda x: morphology.dilation2d(x, filter, strides, padding, "NHWC", rates),
        input,
        out_backprop,
    ),
)
op('BiasAdd(value, bias; data_format="NHWC") -> output', bias_add)
op('BiasAddGrad(out_backprop; data_format="NHWC") -> output', _bias_gradient)
op("BiasAddV1(value, bias) -> output", bias_add)

# Normalization

op(
    "FusedBatchNorm(x, scale, offset, mean, variance; epsilon=0.0001, "
    'exponential_avg_factor=1.0, data_format="NHWC", is_training=True) -> y, batch_mean, '
    "batch_variance, reserve_space_1, reserve_space_2",
    batch_norm(5),
)
op(
    "FusedBatchNormV2(x, scale, offset, mean, variance; epsilon=0.0001, "
    'exponential_avg_factor=1.0, data_format="NHWC", is_training=True) -> y, batch_mean, '
    "batch_variance, reserve_space_1, reserve_space_2",
    batch_norm(5),
)
op(
    "FusedBatchNormV3(x, scale, offset, mean, variance; epsilon=0.0001, "
    'exponential_avg_factor=1.0, data_format="NHWC", is_training=True) -> y, batch_mean, '
    "batch_variance, reserve_space_1, reserve_space_2, reserve_space_3",
    batch_norm(6),
)
op("LRN(input; depth_radius=5, bias=1.0, alpha=1.0, beta=0.5) -> output", normalization.lrn)
op(
    "LRNGrad(input_grads, input_image, output_image; depth_radius=5, bias=1.0, alpha=1.0, "
    "beta=0.5) -> output",
    lambda input_grads, input_image, output_image, **attrs: pulled_back(
        lambda x: normalization.lrn(x, **attrs), input_image, input_grads
    ),
)
op(
    "BatchNormWithGlobalNormalization(t, m, v, beta, gamma; variance_epsilon, "
    "scale_after_normalization) -> result",
    lambda t, m, v, beta, gamma, variance_epsilon, scale_after_normalization: (
        normalization.batch_normalization(
            t, m, v, beta, gamma if scale_after_normalization else None, variance_epsilon
        )
    ),
)

op(
    "Conv2DBackpropFilterV2(input, filter, out_backprop; strides, padding, "
    'use_cudnn_on_gpu=True, explicit_paddings=[], data_format="NHWC", dilations=[1, 1, 1, '
    "1]) -> output",
    lambda input, filter, out_backprop, use_cudnn_on_gpu, **attrs: pulled_back(
        lambda f: conv2d(input, f, **attrs), filter, out_backprop
    ),
)
op(
    "Conv2DBackpropInputV2(input, filter, out_backprop; strides, padding, "
    'use_cudnn_on_gpu=True, explicit_paddings=[], data_format="NHWC", dilations=[1, 1, 1, '
    "1]) -> output",
    lambda input, filter, out_backprop, use_cudnn_on_gpu, **attrs: pulled_back(
        lambda x: conv2d(x, filter, **attrs), input, out_backprop
    ),
)
op(
    "FusedBatchNormGrad(y_backprop, x, scale, reserve_space_1, reserve_space_2; "
    'epsilon=0.0001, data_format="NHWC", is_training=True) -> x_backprop, scale_backprop, '
    "offset_backprop, reserve_space_3, reserve_space_4",
    _batch_norm_gradient,
)
op(
    "FusedBatchNormGradV2(y_backprop, x, scale, reserve_space_1, reserve_space_2; "
    'epsilon=0.0001, data_format="NHWC", is_training=True) -> x_backprop, scale_backprop, '
    "offset_backprop, reserve_space_3, reserve_space_4",
    _batch_norm_gradient,
)
op(
    "FusedBatchNormGradV3(y_backprop, x, scale, reserve_space_1, reserve_space_2, "
    'reserve_space_3; epsilon=0.0001, data_format="NHWC", is_training=True) -> x_backprop, '
    "scale_backprop, offset_backprop, reserve_space_4, reserve_space_5",
    _batch_norm_gradient,
)

# Losses

op(
    "SoftmaxCrossEntropyWithLogits(features, labels) -> loss, backprop",
    _cross_entropies,
)
op(
    "SparseSoftmaxCrossEntropyWithLogits(features, labels) -> loss, backprop",
    loss_of_logits(losses.sparse_softmax_cross_entropy_with_logits),
)

# Names in TensorFlow.js

op(
    'Conv1D(input, filter; stride, padding, data_format="NWC", dilation=1) -> output',
    lambda input, filter, stride, padding, data_format, dilation: conv.conv1d(
        input, filter, stride, padding, data_format, dilation
    ),
)
op(
    "DepthwiseConv2d(input, filter; strides, padding, explicit_paddings=[], "
    'data_format="NHWC", dilations=[1, 1, 1, 1]) -> output',
    depthwise_conv2d,
)
