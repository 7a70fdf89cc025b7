"""Transposed convolutions, which are the gradients of convolutions: functions of ``tf.nn``."""

from __future__ import annotations

from typing import Any

from tfpy._src.base.errors import invalid
from tfpy._src.compiler.ops import convolution as primitives
from tfpy._src.core.conversion import as_tensors
from tfpy._src.core.tensor import Tensor
from tfpy._src.tensors.array.static import static_ints
from tfpy._src.tensors.nn.convolution_ranks import convolve_back
from tfpy._src.tensors.nn.data_format import DataFormat, spatial_rank

__all__ = [
    "atrous_conv2d_transpose",
    "conv1d_transpose",
    "conv2d_transpose",
    "conv3d_transpose",
    "conv_transpose",
]


def _transposed(
    name: str,
    rank: int,
    input: Any,
    filters: Any,
    output_shape: Any,
    strides: Any,
    padding: Any,
    data_format: str | None,
    dilations: Any,
) -> Tensor:
    x, f = as_tensors(primitives.conv2d, (input, filters))
    form = DataFormat.of(name, rank, data_format)
    x = form.channels_last(x)
    if f.ndim != rank + 2:
        raise invalid(
            name, f"filter must be {rank + 2}-dimensional, got shape {list(f.aval.shape)}"
        )
    out = form.shape_last(static_ints(output_shape))
    window = form.window(out[1:-1], tuple(f.aval.shape[:rank]), strides, padding, dilations)
    return form.original(convolve_back(x, f, out, *window))


def conv1d_transpose(
    input: Any,
    filters: Any,
    output_shape: Any,
    strides: Any,
    padding: Any = "SAME",
    data_format: str = "NWC",
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """The gradient of :func:`conv1d` to its input; filters are ``[w, out, in]``.

    Args:
        output_shape: of the result, batch and channels included.
        strides: steps of the window: one number, one for each spatial dimension, or one for each
            dimension.
        padding: "SAME", "VALID", or (before, after) for each dimension in the order of the data
            format.
        data_format: "NWC", or "NCW" with the channels first.
        dilations: distances between the elements of a window, as ``strides``; 1 by default.

    Example:
        >>> import tfpy as tf
        >>> x = tf.reshape([1.0, 2.0], [1, 2, 1])
        >>> y = tf.nn.conv1d_transpose(x, tf.ones([2, 1, 1]), output_shape=[1, 4, 1], strides=2)
        >>> tf.reshape(y, [4]).numpy().tolist()
        [1.0, 1.0, 2.0, 2.0]
    """
    own = "conv1d_transpose"
    return _transposed(
        own, 1, input, filters, output_shape, strides, padding, data_format, dilations
    )


def conv2d_transpose(
    input: Any,
    filters: Any,
    output_shape: Any,
    strides: Any,
    padding: Any = "SAME",
    data_format: str = "NHWC",
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """The gradient of :func:`conv2d` to its input; filters are ``[h, w, out, in]``.

    Args:
        output_shape: of the result, batch and channels included.
        strides: steps of the window: one number, one for each spatial dimension, or one for each
            dimension.
        padding: "SAME", "VALID", or (before, after) for each dimension in the order of the data
            format.
        data_format: "NHWC", or "NCHW" with the channels first.
        dilations: distances between the elements of a window, as ``strides``; 1 by default.

    Example:
        >>> import tfpy as tf
        >>> image, filters = tf.ones([1, 4, 4, 8]), tf.ones([3, 3, 3, 8])
        >>> tf.nn.conv2d_transpose(image, filters, [1, 8, 8, 3], 2).shape
        TensorShape([1, 8, 8, 3])
    """
    own = "conv2d_transpose"
    return _transposed(
        own, 2, input, filters, output_shape, strides, padding, data_format, dilations
    )


def conv3d_transpose(
    input: Any,
    filters: Any,
    output_shape: Any,
    strides: Any,
    padding: Any = "SAME",
    data_format: str = "NDHWC",
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """The gradient of :func:`conv3d` to its input; filters are ``[d, h, w, out, in]``.

    Args:
        output_shape: of the result, batch and channels included.
        strides: steps of the window: one number, one for each spatial dimension, or one for each
            dimension.
        padding: "SAME", "VALID", or (before, after) for each dimension in the order of the data
            format.
        data_format: "NDHWC", or "NCDHW" with the channels first.
        dilations: distances between the elements of a window, as ``strides``; 1 by default.

    Example:
        >>> import tfpy as tf
        >>> x = tf.ones([1, 2, 2, 2, 1])
        >>> tf.nn.conv3d_transpose(x, tf.ones([2, 2, 2, 5, 1]), [1, 4, 4, 4, 5], strides=2).shape
        TensorShape([1, 4, 4, 4, 5])
    """
    own = "conv3d_transpose"
    return _transposed(
        own, 3, input, filters, output_shape, strides, padding, data_format, dilations
    )


def conv_transpose(
    input: Any,
    filters: Any,
    output_shape: Any,
    strides: Any,
    padding: Any = "SAME",
    data_format: str | None = None,
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """The transposed convolution of as many dimensions as ``output_shape`` names.

    Args:
        output_shape: of the result, batch and channels included.
        strides: steps of the window: one number, one for each spatial dimension, or one for each
            dimension.
        padding: "SAME", "VALID", or (before, after) for each dimension in the order of the data
            format.
        data_format: channels last ("NHWC") or first ("NCHW"), with the letters of the rank.
        dilations: distances between the elements of a window, as ``strides``; 1 by default.

    Raises:
        ValueError: when these are not 3, 4 or 5.

    Example:
        >>> import tfpy as tf
        >>> x = tf.ones([1, 4, 4, 3])
        >>> tf.nn.conv_transpose(x, tf.ones([2, 2, 8, 3]), [1, 8, 8, 8], strides=2).shape
        TensorShape([1, 8, 8, 8])
    """
    shape = static_ints(output_shape)
    rank = spatial_rank("conv_transpose", len(shape))
    return _transposed(
        "conv_transpose", rank, input, filters, shape, strides, padding, data_format, dilations
    )


def atrous_conv2d_transpose(
    value: Any,
    filters: Any,
    output_shape: Any,
    rate: int,
    padding: Any,
    name: str | None = None,
) -> Tensor:
    """The gradient of :func:`atrous_conv2d` to its input; filters are ``[h, w, out, in]``.

    Args:
        output_shape: of the result, batch and channels included.
        rate: pixels from one element of a filter to the next.
        padding: "SAME", "VALID", or (before, after) for each dimension in the order of the data
            format.

    Example:
        >>> import tfpy as tf
        >>> x, filters = tf.ones([1, 2, 2, 1]), tf.ones([2, 2, 1, 1])
        >>> y = tf.nn.atrous_conv2d_transpose(x, filters, [1, 4, 4, 1], rate=2, padding="VALID")
        >>> y.shape
        TensorShape([1, 4, 4, 1])
    """
    return conv2d_transpose(value, filters, output_shape, 1, padding, dilations=rate)
