"""Convolutions of one, two and three spatial dimensions: functions of ``tf.nn``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tfpy._src.base.errors import invalid
from tfpy._src.compiler.ops import convolution as primitives
from tfpy._src.compiler.ops.concatenation import without_elements
from tfpy._src.compiler.ops.failing import failing
from tfpy._src.compiler.ops.window import Window
from tfpy._src.core.conversion import as_tensors
from tfpy._src.core.tensor import Tensor
from tfpy._src.tensors.array.reshaping import reshape
from tfpy._src.tensors.nn.convolution_ranks import convolve
from tfpy._src.tensors.nn.data_format import DataFormat, flat_batch, spatial_rank

__all__ = [
    "atrous_conv2d",
    "conv1d",
    "conv2d",
    "conv3d",
    "convolution",
    "depthwise_conv2d",
    "separable_conv2d",
]


def _convolve(
    name: str,
    rank: int,
    op: Callable[..., Tensor],
    input: Any,
    filters: Any,
    strides: Any,
    padding: Any,
    data_format: str | None,
    dilations: Any,
) -> Tensor:
    x, f = as_tensors(primitives.conv2d, (input, filters))
    form = DataFormat.of(name, rank, data_format)
    if f.ndim != rank + 2:
        raise invalid(
            name, f"filter must be {rank + 2}-dimensional, got shape {list(f.aval.shape)}"
        )
    if x.ndim > rank + 2 and not form.channels_first:
        x, lead = flat_batch(x, rank)
    else:
        lead = ()
    x = form.channels_last(x)
    spatial, ksize = tuple(x.aval.shape[1:-1]), tuple(f.aval.shape[:rank])
    step, spread, pads = form.window(spatial, ksize, strides, padding, dilations)
    if 0 in ksize and f.aval.shape[-2] and op is not primitives.depthwise_conv2d:
        same = isinstance(padding, str) and padding.upper() == "SAME"
        y = _without_filter(name, x, f, Window(step, spread, pads), same)
        return form.original(y)
    out = Window(step, spread, pads).out_size(name, spatial, ksize)
    filters = f.aval.shape[-1] * (f.aval.shape[-2] if op is primitives.depthwise_conv2d else 1)
    if 0 in (*out, filters):
        y = without_elements((x.aval.shape[0], *out, filters), x, f)
    else:
        y = op(x, f, strides=step, dilations=spread, padding=pads)
    y = form.original(y)
    return reshape(y, [*lead, *y.aval.shape[1:]]) if lead else y


def _without_filter(name: str, x: Tensor, f: Tensor, window: Window, same: bool) -> Tensor:
    """Refuse a filter of size 0, whose result has a shape nevertheless."""
    ksize = f.aval.shape[:-2]
    more = [int(not n and not same) for n in ksize]
    pads = tuple((low, high + n) for (low, high), n in zip(window.padding, more, strict=True))
    taps = tuple(n or 1 for n in ksize)
    out = window._replace(padding=pads).out_size(name, x.aval.shape[1:-1], taps)
    message = f"filter must not have zero elements, got shape {list(f.aval.shape)}"
    return failing(name, message, (x, f), (x.aval.shape[0], *out, f.aval.shape[-1]), x.dtype)


def conv1d(
    input: Any,
    filters: Any,
    stride: Any,
    padding: Any,
    data_format: str = "NWC",
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """1-D convolution of ``[batch, w, c]`` with filters ``[w, c / groups, out]``.

    Args:
        stride: steps of the window.
        padding: "SAME", "VALID", or (before, after) for each dimension in the order of the data
            format.
        data_format: "NWC", or "NCW" with the channels first.
        dilations: distance between the elements of a window; 1 by default.

    Raises:
        InvalidArgumentError: when depths do not go together or the window exceeds the input.

    Example:
        >>> import tfpy as tf
        >>> tf.nn.conv1d(tf.ones([1, 5, 2]), tf.ones([3, 2, 4]), 1, "VALID").shape
        TensorShape([1, 3, 4])
    """
    return _convolve("conv1d", 1, convolve, input, filters, stride, padding, data_format, dilations)


def conv2d(
    input: Any,
    filters: Any,
    strides: Any,
    padding: Any,
    data_format: str = "NHWC",
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """2-D convolution of ``[batch, h, w, c]`` with filters ``[h, w, c / groups, out]``.

    Args:
        strides: steps of the window: one number, one for each spatial dimension, or one for each
            dimension.
        padding: "SAME", "VALID" or four pairs in the order of the data format.
        data_format: "NHWC", or "NCHW" with the channels first.
        dilations: distances between the elements of a window, as ``strides``; 1 by default.

    Raises:
        InvalidArgumentError: when depths do not go together or the window exceeds the image.

    Example:
        >>> import tfpy as tf
        >>> image, filters = tf.ones([1, 8, 8, 3]), tf.ones([3, 3, 3, 16])
        >>> tf.nn.conv2d(image, filters, 2, "SAME").shape
        TensorShape([1, 4, 4, 16])
    """
    return _convolve(
        "conv2d", 2, convolve, input, filters, strides, padding, data_format, dilations
    )


def conv3d(
    input: Any,
    filters: Any,
    strides: Any,
    padding: Any,
    data_format: str = "NDHWC",
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """3-D convolution of ``[batch, d, h, w, c]`` with filters
    ``[d, h, w, c / groups, out]``.

    Args:
        strides: steps of the window: one number, one for each spatial dimension, or one for each
            dimension.
        padding: "SAME", "VALID", or (before, after) for each dimension in the order of the data
            format.
        data_format: "NDHWC", or "NCDHW" with the channels first.
        dilations: distances between the elements of a window, as ``strides``; 1 by default.

    Raises:
        InvalidArgumentError: when depths do not go together or the window exceeds the volume.

    Example:
        >>> import tfpy as tf
        >>> x, filters = tf.ones([1, 4, 4, 4, 1]), tf.ones([2, 2, 2, 1, 3])
        >>> tf.nn.conv3d(x, filters, strides=[1, 1, 1, 1, 1], padding="VALID").shape
        TensorShape([1, 3, 3, 3, 3])
    """
    return _convolve(
        "conv3d", 3, convolve, input, filters, strides, padding, data_format, dilations
    )


def depthwise_conv2d(
    input: Any,
    filter: Any,
    strides: Any,
    padding: Any,
    data_format: str | None = None,
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """Each channel with its own filters ``[h, w, c, multiplier]``; gives ``c * multiplier``.

    Args:
        strides: steps of the window: one number, one for each spatial dimension, or one for each
            dimension.
        padding: "SAME", "VALID", or (before, after) for each dimension in the order of the data
            format.
        data_format: "NHWC", or "NCHW" with the channels first.
        dilations: distances between the elements of a window, as ``strides``; 1 by default.

    Example:
        >>> import tfpy as tf
        >>> image, filters = tf.ones([1, 8, 8, 3]), tf.ones([3, 3, 3, 2])
        >>> tf.nn.depthwise_conv2d(image, filters, [1, 1, 1, 1], "SAME").shape
        TensorShape([1, 8, 8, 6])
    """
    return _convolve(
        "depthwise_conv2d",
        2,
        primitives.depthwise_conv2d,
        input,
        filter,
        strides,
        padding,
        data_format,
        dilations,
    )


def separable_conv2d(
    input: Any,
    depthwise_filter: Any,
    pointwise_filter: Any,
    strides: Any,
    padding: Any,
    data_format: str | None = None,
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """:func:`depthwise_conv2d`, then a 1x1 convolution.

    Args:
        strides: steps of the window: one number, one for each spatial dimension, or one for each
            dimension.
        padding: "SAME", "VALID", or (before, after) for each dimension in the order of the data
            format.
        data_format: "NHWC", or "NCHW" with the channels first.
        dilations: distances between the elements of a window, as ``strides``; 1 by default.

    Raises:
        ValueError: when the pointwise filter is not 1x1.
        InvalidArgumentError: when depths do not go together.

    Example:
        >>> import tfpy as tf
        >>> x = tf.ones([1, 4, 4, 2])
        >>> depthwise, pointwise = tf.ones([3, 3, 2, 1]), tf.ones([1, 1, 2, 8])
        >>> y = tf.nn.separable_conv2d(x, depthwise, pointwise, [1, 1, 1, 1], padding="VALID")
        >>> y.shape, y.numpy()[0, 0, 0, 0].tolist()
        (TensorShape([1, 2, 2, 8]), 18.0)
    """
    point = as_tensors(primitives.conv2d, (pointwise_filter,))[0].aval.shape
    if point[:2] != (1, 1):
        raise ValueError(
            f"separable_conv2d: pointwise_filter must be [1, 1, depth, out], got {list(point)}"
        )
    y = depthwise_conv2d(input, depthwise_filter, strides, padding, data_format, dilations)
    return conv2d(y, pointwise_filter, 1, "VALID", data_format or "NHWC")


def convolution(
    input: Any,
    filters: Any,
    strides: Any = None,
    padding: Any = "VALID",
    data_format: str | None = None,
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """Convolution of as many dimensions as the filters have: ``[*spatial, c / groups, out]``.

    Args:
        strides: steps of the window: one number, one for each spatial dimension, or one for each
            dimension.
        padding: "SAME", "VALID", or (before, after) for each dimension in the order of the data
            format.
        data_format: channels last ("NHWC") or first ("NCHW"), with the letters of the rank.
        dilations: distances between the elements of a window, as ``strides``; 1 by default.

    Raises:
        ValueError: when the filters have not 3, 4 or 5 dimensions, or strides and dilations are
            both above 1.

    Example:
        >>> import tfpy as tf
        >>> x = tf.reshape([1.0, 2.0, 3.0, 4.0], [1, 4, 1])
        >>> y = tf.nn.convolution(x, tf.reshape([1.0, -1.0], [2, 1, 1]), padding="VALID")
        >>> tf.reshape(y, [3]).numpy().tolist()
        [-1.0, -1.0, -1.0]
    """
    rank = spatial_rank("convolution", as_tensors(primitives.conv2d, (filters,))[0].ndim)
    form = DataFormat.of("convolution", rank, data_format)
    if max(form.spatial("strides", strides)) > 1 and max(form.spatial("dilations", dilations)) > 1:
        raise ValueError("convolution: strides > 1 not supported in conjunction with dilations > 1")
    return _convolve(
        "convolution", rank, convolve, input, filters, strides, padding, data_format, dilations
    )


def atrous_conv2d(
    value: Any, filters: Any, rate: int, padding: Any, name: str | None = None
) -> Tensor:
    """:func:`conv2d` whose filter elements lie ``rate`` pixels apart.

    Args:
        padding: "SAME", "VALID", or (before, after) for each dimension in the order of the data
            format.

    Example:
        >>> import tfpy as tf
        >>> x = tf.reshape(tf.range(25.0), [1, 5, 5, 1])
        >>> tf.nn.atrous_conv2d(x, tf.ones([2, 2, 1, 1]), rate=3, padding="VALID").shape
        TensorShape([1, 2, 2, 1])
    """
    return conv2d(value, filters, 1, padding, dilations=rate)
