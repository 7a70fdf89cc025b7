"""Pooling and its gradients."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tfpy._src.core.tensor import Tensor
from tfpy._src.formats.raw_ops.derivative import pulled_back
from tfpy._src.formats.raw_ops.neural import padded
from tfpy._src.formats.raw_ops.records import op
from tfpy._src.tensors.array.making import zeros
from tfpy._src.tensors.array.static import static_ints
from tfpy._src.tensors.nn import pooling, pooling_argmax


def _max_pool(
    input: Any,
    ksize: Any,
    strides: Any,
    padding: str,
    explicit_paddings: Sequence[int] = (),
    data_format: str = "NHWC",
) -> Tensor:
    pads = padded(padding, explicit_paddings)
    return pooling.max_pool2d(input, ksize, strides, pads, data_format)


def _max_pool_with_argmax(
    input: Any,
    ksize: Any,
    strides: Any,
    padding: str,
    Targmax: Any,
    include_batch_in_index: bool,
) -> tuple[Tensor, Tensor]:
    return pooling_argmax.max_pool_with_argmax(
        input, ksize, strides, padding, "NHWC", Targmax, include_batch_in_index
    )


op('AvgPool(value; ksize, strides, padding, data_format="NHWC") -> output', pooling.avg_pool2d)
op('AvgPool3D(input; ksize, strides, padding, data_format="NDHWC") -> output', pooling.avg_pool3d)
op(
    'AvgPool3DGrad(orig_input_shape, grad; ksize, strides, padding, data_format="NDHWC") -> output',
    lambda orig_input_shape, grad, **attrs: pulled_back(
        lambda x: pooling.avg_pool3d(x, **attrs), zeros(orig_input_shape), grad
    ),
)
op(
    'AvgPoolGrad(orig_input_shape, grad; ksize, strides, padding, data_format="NHWC") -> output',
    lambda orig_input_shape, grad, **attrs: pulled_back(
        lambda x: pooling.avg_pool2d(x, **attrs), zeros(orig_input_shape), grad
    ),
)
op(
    'MaxPool(input; ksize, strides, padding, explicit_paddings=[], data_format="NHWC") -> output',
    _max_pool,
)
op('MaxPool3D(input; ksize, strides, padding, data_format="NDHWC") -> output', pooling.max_pool3d)
op(
    "MaxPool3DGrad(orig_input, orig_output, grad; ksize, strides, padding, "
    'data_format="NDHWC") -> output',
    lambda orig_input, orig_output, grad, **attrs: pulled_back(
        lambda x: pooling.max_pool3d(x, **attrs), orig_input, grad
    ),
)
op(
    "MaxPoolGrad(orig_input, orig_output, grad; ksize, strides, padding, "
    'explicit_paddings=[], data_format="NHWC") -> output',
    lambda orig_input, orig_output, grad, **attrs: pulled_back(
        lambda x: _max_pool(x, **attrs), orig_input, grad
    ),
)
op(
    "MaxPoolGradV2(orig_input, orig_output, grad, ksize, strides; padding, "
    'data_format="NHWC") -> output',
    lambda orig_input, orig_output, grad, ksize, strides, padding, data_format: pulled_back(
        lambda x: _max_pool(x, static_ints(ksize), static_ints(strides), padding, (), data_format),
        orig_input,
        grad,
    ),
)
op(
    'MaxPoolV2(input, ksize, strides; padding, data_format="NHWC") -> output',
    lambda input, ksize, strides, padding, data_format: _max_pool(
        input, static_ints(ksize), static_ints(strides), padding, (), data_format
    ),
)
op(
    "MaxPoolWithArgmax(input; ksize, strides, padding, Targmax=int64, "
    "include_batch_in_index=False) -> output, argmax",
    _max_pool_with_argmax,
)
