"""Convolution of one, two and three spatial dimensions by the device's, which has two.

A 1-D image is one of height 1. A 3-D convolution is a 2-D one on images that hold, for each output
depth, the planes that its filter meets, side by side in the channels. Channels are last.
"""

from __future__ import annotations

from tfpy.array import reshape, transpose
from tfpy.errors import invalid
from tfpy.joining import pad
from tfpy.layout import Padding, Sizes
from tfpy.ops import window
from tfpy.ops.patches import overlap_add, sliding_windows
from tfpy.tensor import Tensor


def convolve(x: Tensor, f: Tensor, strides: Sizes, dilations: Sizes, padding: Padding) -> Tensor:
    """Convolution with one stride, dilation and pair of pads a dimension."""
    if len(strides) == 1:
        y = convolve(_row(x), reshape(f, [1, *f.shape]), *_planar(strides, dilations, padding))
        return reshape(y, [y.shape[0], *y.shape[2:]])
    if len(strides) == 2:
        return window.conv2d(x, f, strides=strides, dilations=dilations, padding=padding)
    _check_depths(x.shape[-1], f)
    planes, depth = _planes(x, f.shape[0], strides[0], dilations[0], padding[0])
    y = window.conv2d(
        planes, _flat(f), strides=strides[1:], dilations=dilations[1:], padding=padding[1:]
    )
    return reshape(y, [x.shape[0], depth, *y.shape[1:]])


def convolve_back(
    dy: Tensor, f: Tensor, shape: Sizes, strides: Sizes, dilations: Sizes, padding: Padding
) -> Tensor:
    """The gradient of :func:`convolve` to an input of ``shape``."""
    if len(strides) == 1:
        image = (shape[0], 1, *shape[1:])
        flat = _planar(strides, dilations, padding)
        return reshape(convolve_back(_row(dy), reshape(f, [1, *f.shape]), image, *flat), shape)
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
    summed = overlap_add(
        windows,
        input_shape=(batch, padded, 1, plane),
        strides=(strides[0], 1),
        dilations=(dilations[0], 1),
    )
    low = padding[0][0]
    whole: Tensor = reshape(summed, [batch, padded, height, width, channels])
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
