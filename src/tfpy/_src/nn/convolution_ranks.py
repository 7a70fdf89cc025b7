"""Convolution of one, two and three spatial dimensions by the device's, which has two and three.

A 1-D image is one of height 1. Channels are last.
"""

from __future__ import annotations

from tfpy._src.array.making import reshape
from tfpy._src.core.tensor import Tensor
from tfpy._src.nn.data_format import Padding, Sizes
from tfpy._src.ops import convolution as primitives


def convolve(x: Tensor, f: Tensor, strides: Sizes, dilations: Sizes, padding: Padding) -> Tensor:
    """Convolution with one stride, dilation and pair of pads a dimension."""
    if len(strides) == 1:
        y = convolve(_row(x), reshape(f, [1, *f.aval.shape]), *_planar(strides, dilations, padding))
        return reshape(y, [y.aval.shape[0], *y.aval.shape[2:]])
    op = primitives.conv2d if len(strides) == 2 else primitives.conv3d
    return op(x, f, strides=strides, dilations=dilations, padding=padding)


def convolve_back(
    dy: Tensor, f: Tensor, shape: Sizes, strides: Sizes, dilations: Sizes, padding: Padding
) -> Tensor:
    """The gradient of :func:`convolve` to an input of ``shape``."""
    if len(strides) == 1:
        image = (shape[0], 1, *shape[1:])
        flat = _planar(strides, dilations, padding)
        return reshape(convolve_back(_row(dy), reshape(f, [1, *f.aval.shape]), image, *flat), shape)
    op = primitives.conv2d_backprop_input if len(strides) == 2 else primitives.conv3d_backprop_input
    return op(dy, f, input_shape=shape, strides=strides, dilations=dilations, padding=padding)


def _row(x: Tensor) -> Tensor:
    """A 1-D image as a 2-D one of height 1."""
    return reshape(x, [x.aval.shape[0], 1, *x.aval.shape[1:]])


def _planar(strides: Sizes, dilations: Sizes, padding: Padding) -> tuple[Sizes, Sizes, Padding]:
    return (1, *strides), (1, *dilations), ((0, 0), *padding)
