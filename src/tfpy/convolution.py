"""Convolutions of one, two and three spatial dimensions: functions of ``tf.nn``.

The device knows two: a 1-D image is one of height 1; a 3-D convolution is a 2-D one on
images that hold, for each output depth, the planes that its filter meets, side by side in the
channels.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tfpy.array import reshape, static_ints, transpose
from tfpy.convert import as_tensors
from tfpy.errors import invalid
from tfpy.joining import pad
from tfpy.layout import Layout, Padding, Sizes, flat_batch
from tfpy.ops import window
from tfpy.ops.patches import overlap_add, sliding_windows
from tfpy.tensor import Tensor

__all__ = [
    "atrous_conv2d",
    "atrous_conv2d_transpose",
    "conv1d",
    "conv1d_transpose",
    "conv2d",
    "conv2d_transpose",
    "conv3d",
    "conv3d_transpose",
    "conv_transpose",
    "convolution",
    "depthwise_conv2d",
    "separable_conv2d",
]


# The convolution and its gradient to the input for 1, 2 and 3 dimensions, channels last.


def _forward(x: Tensor, f: Tensor, strides: Sizes, dilations: Sizes, padding: Padding) -> Tensor:
    if len(strides) == 1:
        y = _forward(_row(x), reshape(f, [1, *f.shape]), *_planar(strides, dilations, padding))
        return reshape(y, [y.shape[0], *y.shape[2:]])
    if len(strides) == 2:
        return window.conv2d(x, f, strides=strides, dilations=dilations, padding=padding)
    _check_depths(x.shape[-1], f)
    planes, depth = _planes(x, f.shape[0], strides[0], dilations[0], padding[0])
    y = window.conv2d(
        planes, _flat(f), strides=strides[1:], dilations=dilations[1:], padding=padding[1:]
    )
    return reshape(y, [x.shape[0], depth, *y.shape[1:]])


def _backward(
    dy: Tensor, f: Tensor, shape: Sizes, strides: Sizes, dilations: Sizes, padding: Padding
) -> Tensor:
    """The gradient of :func:`_forward` to an input of ``shape``."""
    if len(strides) == 1:
        image = (shape[0], 1, *shape[1:])
        flat = _planar(strides, dilations, padding)
        return reshape(_backward(_row(dy), reshape(f, [1, *f.shape]), image, *flat), shape)
    if len(strides) == 2:
        return window.conv2d_backprop_input(
            dy, f, input_shape=shape, strides=strides, dilations=dilations, padding=padding
        )
    _check_depths(shape[-1], f)
    batch, depth, height, width, channels = shape
    span = f.shape[0]
    room = depth + sum(padding[0]) - (span - 1) * dilations[0] - 1
    if room < 0 or room // strides[0] + 1 != dy.shape[1]:
        raise invalid(
            "conv3d_transpose",
            f"an input {list(dy.shape)} with filter {list(f.shape)} and strides {strides} does not "
            f"give output_shape {list(shape)}",
        )
    planes = window.conv2d_backprop_input(
        reshape(dy, [dy.shape[0] * dy.shape[1], *dy.shape[2:]]),
        _flat(f),
        input_shape=(batch * dy.shape[1], height, width, span * channels),
        strides=strides[1:],
        dilations=dilations[1:],
        padding=padding[1:],
    )
    parts = reshape(planes, [batch * dy.shape[1], height * width, span, channels])
    plane = height * width * channels
    windows = reshape(transpose(parts, [0, 2, 1, 3]), [batch, dy.shape[1], 1, span, 1, plane])
    padded = depth + sum(padding[0])
    image = overlap_add(windows, (batch, padded, 1, plane), (strides[0], 1), (dilations[0], 1))
    low = padding[0][0]
    whole: Tensor = reshape(image, [batch, padded, height, width, channels])
    return whole if padded == depth else whole[:, low : low + depth]


def _row(x: Tensor) -> Tensor:
    """A 1-D image as a 2-D one of height 1."""
    return reshape(x, [x.shape[0], 1, *x.shape[1:]])


def _planar(strides: Sizes, dilations: Sizes, padding: Padding) -> tuple[Sizes, Sizes, Padding]:
    return (1, *strides), (1, *dilations), ((0, 0), *padding)


def _planes(
    x: Tensor, span: int, stride: int, dilation: int, padding: tuple[int, int]
) -> tuple[Tensor, int]:
    """``[batch * out_depth, h, w, span * c]``, the planes under the filter, and ``out_depth``."""
    if any(padding):
        x = pad(x, [[0, 0], list(padding), [0, 0], [0, 0], [0, 0]])
    batch, depth, height, width, channels = x.shape
    flat = reshape(x, [batch, depth, 1, height * width * channels])
    windows = sliding_windows(flat, ksize=(span, 1), strides=(stride, 1), dilations=(dilation, 1))
    count = batch * windows.shape[1]
    beside = transpose(reshape(windows, [count, span, height * width, channels]), [0, 2, 1, 3])
    return reshape(beside, [count, height, width, span * channels]), windows.shape[1]


def _flat(f: Tensor) -> Tensor:
    """A filter ``[d, h, w, in, out]`` as ``[h, w, d * in, out]``."""
    depth, height, width, channels, out = f.shape
    return reshape(transpose(f, [1, 2, 0, 3, 4]), [height, width, depth * channels, out])


def _check_depths(channels: int, f: Tensor) -> None:
    if f.shape[3] != channels:
        raise invalid(
            "conv3d", f"input depth {channels} and filter depth of {list(f.shape)} must be equal"
        )


# The public functions


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
    x, f = as_tensors(window.conv2d, (input, filters))
    layout = Layout.of(name, rank, data_format)
    if f.ndim != rank + 2:
        raise invalid(name, f"filter must be {rank + 2}-dimensional, got shape {list(f.shape)}")
    if x.ndim > rank + 2 and not layout.channels_first:
        x, lead = flat_batch(x, rank)
    else:
        lead = ()
    x = layout.channels_last(x)
    step, spread = layout.spatial("strides", strides), layout.spatial("dilations", dilations)
    spatial, ksize = tuple(x.shape[1:-1]), tuple(f.shape[:rank])
    pads = layout.padding(padding, spatial, ksize, step, spread)
    y = layout.original(op(x, f, strides=step, dilations=spread, padding=pads))
    return reshape(y, [*lead, *y.shape[1:]]) if lead else y


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

    Raises:
        InvalidArgumentError: when depths do not go together or the window exceeds the input.
    """
    return _convolve("conv1d", 1, _forward, input, filters, stride, padding, data_format, dilations)


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
        padding: "SAME", "VALID" or four pairs in the order of the data format.

    Raises:
        InvalidArgumentError: when depths do not go together or the window exceeds the image.
    """
    return _convolve(
        "conv2d", 2, _forward, input, filters, strides, padding, data_format, dilations
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
    """3-D convolution of ``[batch, d, h, w, c]`` with filters ``[d, h, w, c, out]``.

    Raises:
        InvalidArgumentError: when depths differ or the window exceeds the volume.
    """
    return _convolve(
        "conv3d", 3, _forward, input, filters, strides, padding, data_format, dilations
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
    """Each channel with its own filters ``[h, w, c, multiplier]``; gives ``c * multiplier``."""
    return _convolve(
        "depthwise_conv2d",
        2,
        window.depthwise_conv2d,
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
    """:func:`depthwise_conv2d`, then a 1x1 convolution."""
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

    Raises:
        ValueError: when the filters have not 3, 4 or 5 dimensions.
    """
    rank = _rank("convolution", as_tensors(window.conv2d, (filters,))[0].ndim)
    return _convolve(
        "convolution", rank, _forward, input, filters, strides, padding, data_format, dilations
    )


def _rank(name: str, dimensions: int) -> int:
    if dimensions not in (3, 4, 5):
        raise ValueError(
            f"{name}: 1, 2 or 3 spatial dimensions are supported, got {dimensions - 2}"
        )
    return dimensions - 2


def atrous_conv2d(
    value: Any, filters: Any, rate: int, padding: Any, name: str | None = None
) -> Tensor:
    """:func:`conv2d` whose filter elements lie ``rate`` pixels apart."""
    return conv2d(value, filters, 1, padding, dilations=rate)


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
    x, f = as_tensors(window.conv2d, (input, filters))
    layout = Layout.of(name, rank, data_format)
    x = layout.channels_last(x)
    if f.ndim != rank + 2:
        raise invalid(name, f"filter must be {rank + 2}-dimensional, got shape {list(f.shape)}")
    out = layout.shape_last(static_ints(output_shape))
    step, spread = layout.spatial("strides", strides), layout.spatial("dilations", dilations)
    pads = layout.padding(padding, out[1:-1], tuple(f.shape[:rank]), step, spread)
    return layout.original(_backward(x, f, out, step, spread, pads))


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
    """The gradient of :func:`conv1d` to its input; filters are ``[w, out, in]``."""
    return _transposed(
        "conv1d_transpose",
        1,
        input,
        filters,
        output_shape,
        strides,
        padding,
        data_format,
        dilations,
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
    """The gradient of :func:`conv2d` to its input; filters are ``[h, w, out, in]``."""
    return _transposed(
        "conv2d_transpose",
        2,
        input,
        filters,
        output_shape,
        strides,
        padding,
        data_format,
        dilations,
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
    """The gradient of :func:`conv3d` to its input; filters are ``[d, h, w, out, in]``."""
    return _transposed(
        "conv3d_transpose",
        3,
        input,
        filters,
        output_shape,
        strides,
        padding,
        data_format,
        dilations,
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

    Raises:
        ValueError: when these are not 3, 4 or 5.
    """
    shape = static_ints(output_shape)
    rank = _rank("conv_transpose", len(shape))
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
    """The gradient of :func:`atrous_conv2d` to its input; filters are ``[h, w, out, in]``."""
    return conv2d_transpose(value, filters, output_shape, 1, padding, dilations=rate)
