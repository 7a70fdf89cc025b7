"""Products and convolutions fused with subsequent operations, as graph optimizers create them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from tfpy._src.base.errors import UnimplementedError
from tfpy._src.core import primitives as p
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.tensor import Tensor
from tfpy._src.formats.raw_ops.neural import batch_norm, conv2d, depthwise_conv2d
from tfpy._src.formats.raw_ops.records import op
from tfpy._src.library.tfjs.functions import prelu
from tfpy._src.tensors.array.reshaping import reshape
from tfpy._src.tensors.linalg.products import matmul
from tfpy._src.tensors.nn.activations import gelu, leaky_relu
from tfpy._src.tensors.nn.layers import bias_add
from tfpy._src.tensors.nn.normalization import batch_normalization

_ACTIVATIONS: dict[str, Callable[[Tensor], Tensor]] = {
    "Relu": p.relu,
    "Relu6": p.relu6,
    "Elu": p.elu,
    "Selu": p.selu,
    "Sigmoid": p.sigmoid,
    "Tanh": p.tanh,
    "GeluApproximate": lambda x: gelu(x, approximate=True),
    "GeluExact": gelu,
}


def finished(
    y: Tensor,
    args: Sequence[Any],
    fused_ops: Sequence[str],
    epsilon: float,
    leakyrelu_alpha: float,
    data_format: str = "NHWC",
) -> Tensor:
    """Apply the fused operations to a product; they consume the arguments in order.

    Raises:
        UnimplementedError: If an operation is not supported.
    """
    rest: Iterator[Any] = iter(args)

    def channels(value: Any) -> Tensor:
        vector = convert_to_tensor(value)
        first = data_format.startswith("NC") and vector.ndim == 1
        return reshape(vector, [-1, *[1] * (y.ndim - 2)]) if first else vector

    for name in fused_ops:
        if name == "BiasAdd":
            y = bias_add(y, next(rest), data_format)
        elif name == "FusedBatchNorm":
            scale, offset, mean, variance = (channels(next(rest)) for _ in range(4))
            y = batch_normalization(y, mean, variance, offset, scale, epsilon)
        elif name == "Add":
            y = p.add(y, next(rest))
        elif name == "LeakyRelu":
            y = leaky_relu(y, leakyrelu_alpha)
        elif name == "Prelu":
            y = prelu(y, channels(next(rest)))
        elif name in _ACTIVATIONS:
            y = _ACTIVATIONS[name](y)
        else:
            raise UnimplementedError(None, None, f"The fused operation {name} is not supported.")
    return y


def _convolution(
    input: Any,
    filter: Any,
    args: Any,
    host_args: Any = (),
    *,
    fused_ops: Any,
    epsilon: float,
    leakyrelu_alpha: float,
    data_format: str,
    **attrs: Any,
) -> Tensor:
    y = conv2d(input, filter, data_format=data_format, **_known(attrs))
    return finished(y, args, fused_ops, epsilon, leakyrelu_alpha, data_format)


def _depthwise(
    input: Any,
    filter: Any,
    args: Any,
    *,
    fused_ops: Any,
    epsilon: float,
    leakyrelu_alpha: float,
    data_format: str,
    **attrs: Any,
) -> Tensor:
    y = depthwise_conv2d(input, filter, data_format=data_format, **_known(attrs))
    return finished(y, args, fused_ops, epsilon, leakyrelu_alpha, data_format)


def _known(attrs: dict[str, Any]) -> dict[str, Any]:
    names = ("strides", "padding", "explicit_paddings", "dilations")
    return {"explicit_paddings": (), **{k: v for k, v in attrs.items() if k in names}}


def _product(
    a: Any,
    b: Any,
    args: Any,
    *,
    transpose_a: bool,
    transpose_b: bool,
    fused_ops: Any,
    epsilon: float,
    leakyrelu_alpha: float,
) -> Tensor:
    return finished(
        matmul(a, b, transpose_a, transpose_b), args, fused_ops, epsilon, leakyrelu_alpha
    )


def _batch_norm(
    x: Any,
    scale: Any,
    offset: Any,
    mean: Any,
    variance: Any,
    side_input: Sequence[Any],
    *,
    activation_mode: str,
    **attrs: Any,
) -> tuple[Tensor, ...]:
    y, *rest = batch_norm(6)(x, scale, offset, mean, variance, **attrs)
    for value in side_input:
        y = p.add(y, value)
    names = [] if activation_mode == "Identity" else [activation_mode]
    return finished(y, [], names, 0.0, 0.2), *rest


op(
    "_FusedBatchNormEx(x, scale, offset, mean, variance, side_input*num_side_inputs; "
    'epsilon=0.0001, exponential_avg_factor=1.0, activation_mode="Identity", data_format="NHWC", '
    "is_training=True) -> y, batch_mean, batch_variance, reserve_space_1, reserve_space_2, "
    "reserve_space_3",
    _batch_norm,
)
op(
    "_FusedConv2D(input, filter, args*num_args, host_args*num_host_args; strides, padding, "
    'explicit_paddings=[], data_format="NHWC", filter_format="HWIO", dilations=[1, 1, 1, 1], '
    "use_cudnn_on_gpu=True, fused_ops=[], epsilon=0.0001, leakyrelu_alpha=0.2) -> output",
    _convolution,
)
op(
    "_FusedDepthwiseConv2dNative(input, filter, args*num_args; strides, padding, "
    'data_format="NHWC", dilations=[1, 1, 1, 1], fused_ops=[], epsilon=0.0001, '
    "leakyrelu_alpha=0.2) -> output",
    _depthwise,
)
op(
    "_FusedMatMul(a, b, args*num_args; transpose_a=False, transpose_b=False, fused_ops=[], "
    "epsilon=0.0001, leakyrelu_alpha=0.2) -> product",
    _product,
)
op(
    "FusedDepthwiseConv2dNative(input, filter, args*num_args; strides, padding, "
    'explicit_paddings=[], data_format="NHWC", dilations=[1, 1, 1, 1], fused_ops=[], '
    "epsilon=0.0001, leakyrelu_alpha=0.2) -> output",
    _depthwise,
)
