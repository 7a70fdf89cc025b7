"""Convolutions of one, two and three spatial dimensions in terms of the 2-D and 3-D primitives.

A 1-D image is treated as a 2-D image of height 1. The channels are last.
"""

from __future__ import annotations

from tfpy._src.base import dtypes
from tfpy._src.base.errors import invalid
from tfpy._src.compiler.ops import convolution as primitives
from tfpy._src.core.tensor import Tensor
from tfpy._src.tensors.array.joining import concat, split
from tfpy._src.tensors.array.reshaping import reshape
from tfpy._src.tensors.nn import integer_convolution
from tfpy._src.tensors.nn.data_format import Padding, Sizes


def convolve(x: Tensor, f: Tensor, strides: Sizes, dilations: Sizes, padding: Padding) -> Tensor:
    """Compute a convolution with a stride, a dilation rate and pads for each spatial axis."""
    if len(strides) == 1:
        y = convolve(_row(x), reshape(f, [1, *f.aval.shape]), *_planar(strides, dilations, padding))
        return reshape(y, [y.aval.shape[0], *y.aval.shape[2:]])
    is_integer = len(strides) == 2 and x.dtype == f.dtype == dtypes.int32
    if len(strides) == 2 and not is_integer:
        return primitives.conv2d(x, f, strides=strides, dilations=dilations, padding=padding)
    groups = _groups("conv2d" if is_integer else "conv3d", x, f)
    if groups == 1 and is_integer:
        return integer_convolution.convolve(x, f, strides, dilations, padding)
    if groups == 1:
        return primitives.conv3d(x, f, strides=strides, dilations=dilations, padding=padding)
    parts = zip(split(x, groups, -1), split(f, groups, -1), strict=True)
    return concat([convolve(*part, strides, dilations, padding) for part in parts], -1)


def convolve_back(
    dy: Tensor, f: Tensor, shape: Sizes, strides: Sizes, dilations: Sizes, padding: Padding
) -> Tensor:
    """Compute the gradient of `convolve` with respect to an input of `shape`."""
    if len(strides) == 1:
        image = (shape[0], 1, *shape[1:])
        flat = _planar(strides, dilations, padding)
        return reshape(convolve_back(_row(dy), reshape(f, [1, *f.aval.shape]), image, *flat), shape)
    if len(strides) == 2 and dy.dtype == f.dtype == dtypes.int32:
        return integer_convolution.convolve_back(dy, f, shape, strides, dilations, padding)
    op = primitives.conv2d_backprop_input if len(strides) == 2 else primitives.conv3d_backprop_input
    return op(dy, f, input_shape=shape, strides=strides, dilations=dilations, padding=padding)


def _groups(op: str, x: Tensor, f: Tensor) -> int:
    """Return the number of groups of channels; each group has its own filters.

    Raises:
        InvalidArgumentError: If the channels or filters cannot be divided into groups.
    """
    channels, depth, filters = x.aval.shape[-1], *f.aval.shape[-2:]
    if not depth or channels % depth or filters % (channels // depth or 1):
        raise invalid(
            op,
            f"input depth {channels} must be a multiple of filter depth {depth}, and the quotient "
            f"must divide the {filters} filters",
        )
    return max(channels // depth, 1)


def _row(x: Tensor) -> Tensor:
    """Reshape a 1-D image to a 2-D image of height 1."""
    return reshape(x, [x.aval.shape[0], 1, *x.aval.shape[1:]])


def _planar(strides: Sizes, dilations: Sizes, padding: Padding) -> tuple[Sizes, Sizes, Padding]:
    """Add a leading spatial axis of size 1 to the parameters of a window."""
    return (1, *strides), (1, *dilations), ((0, 0), *padding)
