"""Convolutions, products, pooling, normalization and resizing."""

from __future__ import annotations

from typing import Any

from tfpy._src.compiler.ir.aval import Array
from tfpy._src.core import primitives as p
from tfpy._src.formats.tflite.reader.ops.arrays import ints, sizes
from tfpy._src.formats.tflite.reader.ops.elementwise import activated
from tfpy._src.formats.tflite.reader.record import op, operation
from tfpy._src.library.image.resizing import resize_bilinear, resize_nearest_neighbor
from tfpy._src.tensors.array.reshaping import reshape, transpose
from tfpy._src.tensors.linalg.products import matmul
from tfpy._src.tensors.math.reductions import reduce_sum
from tfpy._src.tensors.nn.activations import log_softmax, softmax
from tfpy._src.tensors.nn.convolution import conv2d, conv3d, depthwise_conv2d
from tfpy._src.tensors.nn.normalization import local_response_normalization
from tfpy._src.tensors.nn.pooling import avg_pool2d, max_pool2d
from tfpy._src.tensors.nn.transposed_convolution import conv2d_transpose, conv3d_transpose
from tfpy._src.tensors.signal.fourier import rfft2d

_PADDING = ("SAME", "VALID")


def _biased(y: Any, bias: Any, activation: int) -> Any:
    return activated(y if bias is None else p.add(y, bias), activation)


@operation("CONV_2D")
def _conv_2d(
    x: Any, filters: Any, bias: Any = None, *, padding: int, stride_w: int, stride_h: int,
    dilation_w_factor: int, dilation_h_factor: int, fused_activation_function: int,
) -> Any:  # fmt: skip
    kernel = transpose(filters, (1, 2, 3, 0))
    rates = (dilation_h_factor, dilation_w_factor)
    y = conv2d(x, kernel, (stride_h, stride_w), _PADDING[padding], dilations=rates)
    return _biased(y, bias, fused_activation_function)


@operation("DEPTHWISE_CONV_2D")
def _depthwise_conv_2d(
    x: Any, filters: Any, bias: Any = None, *, padding: int, stride_w: int, stride_h: int,
    dilation_w_factor: int, dilation_h_factor: int, fused_activation_function: int,
) -> Any:  # fmt: skip
    _, height, width, _ = filters.shape
    kernel = reshape(filters, (height, width, x.shape[-1], -1))
    y = depthwise_conv2d(
        x, kernel, (1, stride_h, stride_w, 1), _PADDING[padding],
        dilations=(dilation_h_factor, dilation_w_factor),
    )  # fmt: skip
    return _biased(y, bias, fused_activation_function)


@operation("TRANSPOSE_CONV")
def _transpose_conv(
    shape: Array, filters: Any, x: Any, bias: Any = None, *, padding: int, stride_w: int,
    stride_h: int, fused_activation_function: int,
) -> Any:  # fmt: skip
    kernel = transpose(filters, (1, 2, 0, 3))
    y = conv2d_transpose(x, kernel, sizes(shape), (stride_h, stride_w), _PADDING[padding])
    return _biased(y, bias, fused_activation_function)


@operation("CONV_3D")
def _conv_3d(
    x: Any, filters: Any, bias: Any = None, *, padding: int, stride_d: int, stride_w: int,
    stride_h: int, dilation_d_factor: int, dilation_w_factor: int, dilation_h_factor: int,
    fused_activation_function: int,
) -> Any:  # fmt: skip
    strides = (1, stride_d, stride_h, stride_w, 1)
    rates = (1, dilation_d_factor, dilation_h_factor, dilation_w_factor, 1)
    y = conv3d(x, filters, strides, _PADDING[padding], dilations=rates)
    return _biased(y, bias, fused_activation_function)


@operation("CONV_3D_TRANSPOSE")
def _conv_3d_transpose(
    shape: Array, filters: Any, x: Any, bias: Any = None, *, padding: int, stride_d: int,
    stride_w: int, stride_h: int, fused_activation_function: int,
) -> Any:  # fmt: skip
    strides = (1, stride_d, stride_h, stride_w, 1)
    y = conv3d_transpose(x, filters, sizes(shape), strides, _PADDING[padding])
    return _biased(y, bias, fused_activation_function)


@operation("FULLY_CONNECTED")
def _fully_connected(
    x: Any, weights: Any, bias: Any = None, *, keep_num_dims: bool, fused_activation_function: int
) -> Any:
    units, width = weights.shape
    y = matmul(reshape(x, (-1, width)), weights, transpose_b=True)
    if keep_num_dims:
        y = reshape(y, (*x.shape[:-1], units))
    return _biased(y, bias, fused_activation_function)


@operation("BATCH_MATMUL")
def _batch_matmul(x: Any, y: Any, *, adj_x: bool, adj_y: bool) -> Any:
    return matmul(x, y, transpose_a=adj_x, transpose_b=adj_y)


@operation("AVERAGE_POOL_2D", scales=True)
def _average_pool(
    x: Any, *, padding: int, stride_w: int, stride_h: int, filter_width: int, filter_height: int,
    fused_activation_function: int,
) -> Any:  # fmt: skip
    y = avg_pool2d(x, (filter_height, filter_width), (stride_h, stride_w), _PADDING[padding])
    return activated(y, fused_activation_function)


@operation("MAX_POOL_2D", scales=True)
def _max_pool(
    x: Any, *, padding: int, stride_w: int, stride_h: int, filter_width: int, filter_height: int,
    fused_activation_function: int,
) -> Any:  # fmt: skip
    y = max_pool2d(x, (filter_height, filter_width), (stride_h, stride_w), _PADDING[padding])
    return activated(y, fused_activation_function)


@operation("L2_POOL_2D")
def _l2_pool(
    x: Any, *, padding: int, stride_w: int, stride_h: int, filter_width: int, filter_height: int,
    fused_activation_function: int,
) -> Any:  # fmt: skip
    window = (filter_height, filter_width)
    y = avg_pool2d(p.square(x), window, (stride_h, stride_w), _PADDING[padding])
    return activated(p.sqrt(y), fused_activation_function)


@operation("L2_NORMALIZATION")
def _l2_normalization(x: Any, *, fused_activation_function: int) -> Any:
    length = p.maximum(p.sqrt(reduce_sum(p.square(x), -1, True)), 1e-6)
    return activated(p.realdiv(x, length), fused_activation_function)


@operation("LOCAL_RESPONSE_NORMALIZATION")
def _normalized_locally(x: Any, *, radius: int, bias: float, alpha: float, beta: float) -> Any:
    return local_response_normalization(x, radius, bias, alpha, beta)


op("SOFTMAX", lambda x, *, beta: softmax(x if beta == 1 else p.multiply(x, beta)))
op("LOG_SOFTMAX", lambda x: log_softmax(x))


@operation("RESIZE_BILINEAR", scales=True)
def _resize_bilinear(x: Any, size: Array, *, align_corners: bool, half_pixel_centers: bool) -> Any:
    return resize_bilinear(x, sizes(size), align_corners, half_pixel_centers)


@operation("RESIZE_NEAREST_NEIGHBOR", moves=True)
def _resize_nearest(x: Any, size: Array, *, align_corners: bool, half_pixel_centers: bool) -> Any:
    return resize_nearest_neighbor(x, sizes(size), align_corners, half_pixel_centers)


@operation("RFFT2D")
def _rfft2d(x: Any, length: Array) -> Any:
    return rfft2d(x, ints(length))
